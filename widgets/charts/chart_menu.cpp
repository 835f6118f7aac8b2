// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart can be asked for: explanation, copies, files, its table.
#include "widgets/charts/chart_export.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/table_dialog.h"
#include "widgets/style/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileInfo>
#include <QMenu>

namespace stratoplan::widgets {

QMenu* ChartView::makeMenu(std::optional<QPointF> at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const char* iconName, const QString& text, void (ChartView::*slot)()) {
        QAction* action = menu->addAction(icon(QString::fromLatin1(iconName)), text);
        action->setEnabled(!isEmpty());
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    const std::function<void()> explain = at && !isEmpty() ? explanationAt(*at) : nullptr;
    QAction* explained = menu->addAction(icon(QStringLiteral("info")), tr("Explain"));
    explained->setEnabled(explain != nullptr);
    connect(explained, &QAction::triggered, this, [this, explain] {
        explain();
        Q_EMIT explanationWanted();
    });
    menu->addSeparator();
    const qsizetype before = menu->actions().size();
    extendMenu(*menu);
    if (menu->actions().size() > before)
        menu->addSeparator();
    add("copy", tr("Copy data"), &ChartView::copyData)->setShortcut(QKeySequence::Copy);
    add("image", tr("Copy image"), &ChartView::copyImage);
    add("export", tr("Export chart…"), &ChartView::exportWithDialog);
    menu->addSeparator();
    add("table", tr("View as table"), &ChartView::showTable);
    add("fit", tr("Fit"), &ChartView::fit)->setShortcut(QKeySequence(Qt::Key_F));
    return menu;
}

void ChartView::contextMenuEvent(QContextMenuEvent* event)
{
    if (event->reason() == QContextMenuEvent::Keyboard)
        makeMenu(pointedAt())->popup(mapToGlobal(rect().center()));
    else
        makeMenu(std::nullopt)->popup(event->globalPos()); // beside the plot
}

void ChartView::copyImage()
{
    QApplication::clipboard()->setPixmap(grab());
}

void ChartView::copyData()
{
    QApplication::clipboard()->setText(toTsv(table()));
}

void ChartView::showTable()
{
    const auto [name, values] = readableTable();
    showTableOf(name, values);
}

void ChartView::showTableOf(const QString& title, const ChartTable& table)
{
    if (m_tableDialog)
        m_tableDialog->close();
    m_tableDialog = showTableDialog(title, table, this);
}

QString ChartView::exportTo(const QString& path)
{
    if (isEmpty())
        return QObject::tr("There is nothing to export yet.");
    const ExportFormat format = exportFormat(path);
    if (format == ExportFormat::Csv)
        return exportTable(table(), path);
    if (format == ExportFormat::None)
        return QObject::tr("Charts are written as .png, .svg, .pdf or .csv, not as “%1”.")
            .arg(QFileInfo(path).fileName());
    m_exportTokens = &tokens(ThemeKind::Light);
    applyLook();
    const QString problem =
        ChartPicture({*m_plot, legend(), title(), m_frame->titleFont(), note(), plotFont(), description(), look()})
            .write(path);
    m_exportTokens = nullptr;
    applyLook();
    replot();
    return problem;
}

void ChartView::exportWithDialog()
{
    widgets::exportWithDialog(*this);
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart can be asked for: explanation, copies, files, its table.
#include "widgets/charts/chart_export.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/chart_keys.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/table_dialog.h"
#include "widgets/style/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QFileInfo>
#include <QMenu>

namespace stratoplan::widgets {

namespace {

/// `explain`: null where there is nothing to explain. `extend` adds what one kind of chart has beside the others.
void fillMenu(
    QMenu& menu, ChartView& chart, const std::function<void()>& explain, const std::function<void(QMenu&)>& extend)
{
    const auto add = [&](const char* iconName, const QString& text, void (ChartView::*slot)()) {
        QAction* action = menu.addAction(icon(QString::fromLatin1(iconName)), text);
        action->setEnabled(!chart.isEmpty());
        QObject::connect(action, &QAction::triggered, &chart, slot);
        return action;
    };
    QAction* explained = menu.addAction(icon(QStringLiteral("info")), ChartView::tr("Explain"));
    explained->setEnabled(explain != nullptr);
    QObject::connect(explained, &QAction::triggered, &chart, [&chart, explain] {
        explain();
        Q_EMIT chart.explanationWanted();
    });
    menu.addSeparator();
    const qsizetype before = menu.actions().size();
    extend(menu);
    if (menu.actions().size() > before)
        menu.addSeparator();
    add("copy", ChartView::tr("Copy as table"), &ChartView::copyData)->setShortcut(QKeySequence::Copy);
    add("image", ChartView::tr("Copy as image"), &ChartView::copyImage)->setShortcut(kCopyImageKeys);
    add("export", ChartView::tr("Export chart…"), &ChartView::exportWithDialog)->setShortcut(kExportKeys);
    menu.addSeparator();
    add("table", ChartView::tr("View as table"), &ChartView::showTable);
    add("fit", ChartView::tr("Fit"), &ChartView::fit)->setShortcut(QKeySequence(Qt::Key_F));
}

} // namespace

QMenu* ChartView::makeMenu(std::optional<QPointF> at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu, *this, at && !isEmpty() ? explanationAt(*at) : nullptr, [this](QMenu& rest) { extendMenu(rest); });
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
    withPicture([](const Picture& picture) {
        QApplication::clipboard()->setImage(imageOf(picture));
        return QString();
    });
}

void ChartView::copyData()
{
    copyTable(table());
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

QString ChartView::exportTo(const QString& path, double pngScale)
{
    if (isEmpty())
        return QObject::tr("There is nothing to export yet.");
    const ExportFormat format = exportFormat(path);
    if (format == ExportFormat::Csv)
        return writeTable(table(), path);
    if (format == ExportFormat::None)
        return QObject::tr("Charts are written as .png, .svg, .pdf or .csv, not as “%1”.")
            .arg(QFileInfo(path).fileName());
    return withPicture([&](const Picture& picture) { return writePicture(picture, path, pngScale); });
}

/// The picture is of the theme that prints.
QString ChartView::withPicture(const std::function<QString(const Picture&)>& use)
{
    m_exportTokens = &tokens(ThemeKind::Light);
    applyLook();
    QString result = use(
        chartPicture({*m_plot, legend(), title(), m_frame->titleFont(), note(), plotFont(), description(), look()}));
    m_exportTokens = nullptr;
    applyLook();
    replot();
    return result;
}

void ChartView::exportWithDialog()
{
    askForPicture(*this,
        {.title = tr("Export chart"),
            .name = title().toLower().replace(u' ', u'-'),
            .write = [this](const QString& path, double pngScale) { return exportTo(path, pngScale); },
            .report = [this](bool good, const QString& text) { Q_EMIT reported(good, text); }});
}

} // namespace stratoplan::widgets

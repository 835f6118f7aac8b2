// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart can be asked for: explanation, copies, files, its table.
#include "widgets/charts/chart_export.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/table_dialog.h"
#include "widgets/style/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace stratoplan {

namespace {

/// The suffix that a name filter like "Image (*.png)" stands for.
QString suffixOf(const QString& filter)
{
    return filter.section(QStringLiteral("*."), 1).section(u')', 0, 0);
}

} // namespace

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
        showMenu(pointedAt(), mapToGlobal(rect().center()));
    else
        showMenu(std::nullopt, event->globalPos()); // beside the plot
}

void ChartView::showMenu(std::optional<QPointF> at, QPoint global)
{
    makeMenu(at)->popup(global);
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
    return ChartExport(*this).write(path);
}

void ChartView::exportWithDialog()
{
    auto* dialog = new QFileDialog(this, tr("Export chart"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(
        {tr("Image (*.png)"), tr("Vector image (*.svg)"), tr("PDF document (*.pdf)"), tr("Table (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png")); // of a name without one
    dialog->selectFile(title().toLower().replace(u' ', u'-'));
    connect(dialog, &QFileDialog::filterSelected, dialog,
        [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const QString problem = exportTo(path);
        if (problem.isEmpty())
            Q_EMIT reported(true, tr("Exported the chart to %1.").arg(QDir::toNativeSeparators(path)));
        else
            Q_EMIT reported(false, problem);
    });
    dialog->open();
}

} // namespace stratoplan

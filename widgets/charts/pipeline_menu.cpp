// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_menu.h"

#include "widgets/charts/pipeline_chart.h"
#include "widgets/presentation/translate.h"
#include "widgets/style/icons.h"

#include <QMenu>

namespace stratoplan::widgets {

namespace {

template <class Act>
QAction& addAction(
    QMenu& menu, PipelineChart& chart, const QString& text, const Act& act, const QKeySequence& keys = {})
{
    QAction* action = menu.addAction(text);
    action->setShortcut(keys);
    action->setEnabled(!chart.isEmpty());
    QObject::connect(action, &QAction::triggered, &chart, act);
    return *action;
}

void addViewActions(QMenu& menu, PipelineChart& chart)
{
    addAction(
        menu, chart, tr("Show the whole step"), [&chart] { chart.fitAll(); }, Qt::SHIFT | Qt::Key_F)
        .setIcon(icon(QStringLiteral("fit")));
    const bool all = !chart.isEmpty() && chart.scene().areAllUnfolded();
    addAction(
        menu, chart, all ? tr("Fold all stages") : tr("Unfold all stages"),
        [&chart, all] { chart.setAllUnfolded(!all); }, Qt::SHIFT | Qt::Key_E)
        .setEnabled(!chart.isEmpty() && chart.scene().arrangement().canUnfold());
    const bool shown = chart.isCriticalPathShown();
    QAction& critical = addAction(
        menu, chart, tr("Critical path"), [&chart, shown] { chart.setCriticalPathShown(!shown); }, Qt::Key_C);
    critical.setCheckable(true);
    critical.setChecked(shown);
}

void addTables(QMenu& menu, PipelineChart& chart)
{
    if (chart.selection().area)
        addAction(menu, chart, tr("Sums of the area as table"), [&chart] {
            chart.showTableOf(
                tr("Sums of the area"), areaTable(areaSums(chart.scene().index(), *chart.selection().area)));
        });
    if (chart.scene().isComparing())
        addAction(menu, chart, tr("Difference of the waits as table"), [&chart] {
            const GanttScene& scene = chart.scene();
            chart.showTableOf(
                tr("Waits compared"), differenceTable(*scene.difference(), scene.shown(0).name, scene.shown(1).name));
        });
}

} // namespace

void addPipelineActions(QMenu& menu, PipelineChart& chart)
{
    addViewActions(menu, chart);
    addTables(menu, chart);
    const bool two = chart.scene().isComparing();
    const auto textOf = [&](int timeline) { return tr("Export trace of %1…").arg(chart.scene().shown(timeline).name); };
    addAction(menu, chart, two ? textOf(0) : tr("Export trace…"), [&chart] {
        Q_EMIT chart.traceWanted(0);
    }).setIcon(icon(QStringLiteral("export")));
    if (two)
        addAction(menu, chart, textOf(1), [&chart] { Q_EMIT chart.traceWanted(1); });
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/plan_commands.h"

#include "app/gui/build/build_page.h"
#include "app/gui/compare/compare_page.h"
#include "app/gui/compare/compared_charts.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/partition/partition_buttons.h"
#include "app/gui/partition/partition_page.h"
#include "app/gui/search/mix_form.h"
#include "app/gui/sizing/sizing_binding.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/view_binding.h"
#include "app/session/workspace.h"
#include "core/exchange/document.h"
#include "widgets/charts/chart_view.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"
#include "widgets/shell/message_bar.h"
#include "widgets/topology/canvas_actions.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>

#include <array>
#include <utility>

namespace stratoplan::gui {

namespace {

void addElements(std::vector<widgets::Command>& commands, const session::Workspace& workspace, CentralView& view,
    const std::function<void(session::Perspective)>& setPerspective)
{
    const cluster::Cluster& cluster = workspace.plan().cluster;
    for (const std::string& id : widgets::elementIds(cluster)) {
        const QString name = widgets::tr("%1 × %2")
                                 .arg(widgets::elementCount(cluster, id))
                                 .arg(widgets::text(widgets::elementName(cluster, id)));
        commands.push_back({name, widgets::tr("Show in the cluster"), {}, [&view, setPerspective, id] {
                                setPerspective(session::Perspective::Build);
                                view.canvas().showElement(widgets::text(id));
                            }});
    }
    for (const widgets::Rack& rack : widgets::racksOf(cluster)) {
        QStringList keys;
        for (const std::string& id : rack.elements)
            keys << widgets::text(id);
        commands.push_back(
            {widgets::text(rack.name), widgets::tr("Show in the cluster"), {}, [&view, setPerspective, keys] {
                 setPerspective(session::Perspective::Build);
                 view.canvas().showElement(keys.constFirst());
                 view.canvas().setSelection(keys);
             }});
    }
}

/// What tool bar, menu and keys of the canvas offer.
void addCanvas(std::vector<widgets::Command>& commands, CentralView& view,
    const std::function<void(session::Perspective)>& setPerspective)
{
    for (QAction* action : view.canvas().actions())
        commands.push_back(
            {action->text(), widgets::tr("Cluster canvas"), action->shortcut().toString(QKeySequence::NativeText),
                [action, &view, setPerspective] {
                    setPerspective(session::Perspective::Build);
                    if (widgets::needsCanvas(*action))
                        view.build().setTable(false);
                    action->trigger();
                },
                action->isEnabled()});
}

void addPins(std::vector<widgets::Command>& commands, session::Workspace& workspace)
{
    const auto& pins = workspace.document().project().pinned;
    for (std::size_t i = 0; i < pins.size(); ++i)
        commands.push_back({widgets::text(pins[i].name), widgets::tr("Adopt pinned plan"), {},
            [&workspace, i] { workspace.pins().adopt(static_cast<int>(i)); }});
}

void addPresets(std::vector<widgets::Command>& commands, session::Workspace& workspace)
{
    const catalog::Catalog& catalog = workspace.document().catalog();
    for (const catalog::ModelPreset& preset : catalog.models) {
        commands.push_back({widgets::text(preset.model.name), widgets::tr("Use model"), {}, [&workspace, &preset] {
                                workspace.document().release();
                                workspace.editPlan(widgets::withModel(workspace.plan(), preset),
                                    widgets::tr("Use %1").arg(widgets::text(preset.model.name)));
                            }});
    }
    for (const catalog::ClusterPreset& preset : catalog.clusters) {
        commands.push_back({widgets::text(preset.name), widgets::tr("Use cluster"), {}, [&workspace, &preset] {
                                workspace.editCluster(
                                    preset.cluster, {}, widgets::tr("Use %1").arg(widgets::text(preset.name)));
                            }});
    }
}

void addChart(
    std::vector<widgets::Command>& commands, const QString& name, widgets::ChartView* chart, std::function<void()> show)
{
    const auto add = [&](const QString& title, std::function<void()> run, bool needsPicture = true) {
        commands.push_back({title, name, {}, std::move(run), !needsPicture || !chart->isEmpty()});
    };
    add(widgets::tr("Show chart"), std::move(show), false);
    add(widgets::tr("Copy chart as table"), [chart] { chart->copyData(); });
    add(widgets::tr("Copy chart as image"), [chart] { chart->copyImage(); });
    add(widgets::tr("Export chart"), [chart] { chart->exportWithDialog(); });
    add(widgets::tr("View chart as table"), [chart] { chart->showTable(); });
    add(widgets::tr("Fit chart"), [chart] { chart->fit(); });
}

void addCharts(std::vector<widgets::Command>& commands, CentralView& view,
    const std::function<void(session::Perspective)>& setPerspective)
{
    for (widgets::ChartView* chart : view.explore().charts())
        addChart(commands, chart->title(), chart, [&view, setPerspective, chart] {
            setPerspective(session::Perspective::Explore);
            view.explore().showChart(*chart);
        });
    for (widgets::ChartView* chart : view.compare().charts().charts())
        addChart(
            commands, widgets::tr("%1, plans compared").arg(chart->title()), chart, [&view, setPerspective, chart] {
                setPerspective(session::Perspective::Compare);
                view.compare().showBelow(ComparePage::Below::Charts);
                view.compare().charts().showChart(*chart);
            });
}

void connectUndo(Actions& actions, session::ProjectDocument& document)
{
    const auto connectOne = [&](QAction* action, void (session::ProjectDocument::*act)(), auto canChanged,
                                auto textChanged, const QString& verb) {
        QObject::connect(action, &QAction::triggered, &document, act);
        QObject::connect(&document.undoStack(), canChanged, action, &QAction::setEnabled);
        QObject::connect(&document.undoStack(), textChanged, action, [action, verb](const QString& text) {
            action->setText(text.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, text));
        });
        action->setEnabled(false);
    };
    connectOne(actions.undo, &session::ProjectDocument::undo, &QUndoStack::canUndoChanged, &QUndoStack::undoTextChanged,
        widgets::tr("&Undo"));
    connectOne(actions.redo, &session::ProjectDocument::redo, &QUndoStack::canRedoChanged, &QUndoStack::redoTextChanged,
        widgets::tr("&Redo"));
}

/// When there is something for the actions of pins and of the search to do.
void connectEnabled(Actions& actions, session::Workspace& workspace)
{
    session::PlanSearch& search = workspace.search();
    QObject::connect(&search, &session::PlanSearch::findingBestChanged, actions.stopSearch, &QAction::setEnabled);
    const auto updateAdoptBest = [&actions, &search] {
        actions.adoptBest->setEnabled(search.best() != nullptr);
        actions.verify->setEnabled(search.isCurrent() && search.picture()->result && search.picture()->result->proven);
    };
    updateAdoptBest();
    QObject::connect(&search, &session::PlanSearch::changed, &actions, updateAdoptBest);
    QObject::connect(&search, &session::PlanSearch::outdated, &actions, updateAdoptBest);
    QObject::connect(&workspace.pins(), &session::PinnedPlans::changed, &actions,
        [&actions, &workspace] { actions.clearPins->setEnabled(!workspace.document().project().pinned.empty()); });
    actions.clearPins->setEnabled(false);
}

/// There is something to choose where nodes are several.
void connectWhichNodes(QAction& whichNodes, session::ProjectDocument& document)
{
    const auto update = [&whichNodes, &document] {
        const QString why = whyNoMixes(document.plan().cluster);
        whichNodes.setEnabled(why.isEmpty());
        whichNodes.setToolTip(why.isEmpty() ? widgets::tr("How many nodes of each group to use, which of them for the "
                                                          "first stages, and at what price of a step")
                                            : why);
    };
    update();
    QObject::connect(&document, &session::ProjectDocument::changed, &whichNodes, update);
}

/// They do what the buttons of the page do, when those can be pressed.
void connectPartition(Actions& actions, PartitionButtons& buttons, const std::function<bool()>& commit)
{
    using enum PartitionCommand;
    const std::array<std::pair<QAction*, PartitionCommand>, 4> all{{{actions.usePartition, Use},
        {actions.pinPartition, Pin}, {actions.backToMegatron, BackToMegatron}, {actions.exportProgram, Export}}};
    for (const auto& [action, command] : all)
        QObject::connect(action, &QAction::triggered, &buttons, [commit, &buttons, command = command] {
            if (commit())
                buttons.run(command);
        });
    const auto update = [all, &buttons] {
        for (const auto& [action, command] : all)
            action->setEnabled(buttons.isOffered(command));
    };
    QObject::connect(&buttons, &PartitionButtons::offered, &actions, update);
    update();
}

} // namespace

void connectPlanActions(Actions& actions, session::Workspace& workspace, CentralView& view, ViewBinding& binding,
    const std::function<bool()>& commit, const std::function<void(session::Perspective)>& setPerspective)
{
    const auto whenCommitted = [&](QAction* action, const std::function<void()>& act) {
        QObject::connect(action, &QAction::triggered, &actions, [commit, act] {
            if (commit())
                act();
        });
    };
    connectUndo(actions, workspace.document());
    QObject::connect(actions.clusterTable, &QAction::triggered, &view,
        [setPerspective] { setPerspective(session::Perspective::Build); });
    whenCommitted(actions.copyPlan, [&workspace, &messages = view.messages()] {
        session::ProjectDocument& document = workspace.document();
        document.release();
        QApplication::clipboard()->setText(QString::fromStdString(
            exchange::writePlan(document.plan(), document.catalog(), {}, &document.project().capacity)));
        messages.show(widgets::MessageKind::Done, widgets::tr("Copied the plan as JSON."));
    });
    whenCommitted(actions.pin, [&workspace] { workspace.pins().add(false); });
    whenCommitted(actions.setBaseline, [&workspace] { workspace.pins().add(true); });
    whenCommitted(actions.findBest, [&workspace] { workspace.search().findBest(); });
    whenCommitted(actions.whichNodes, [&actions, &binding] { binding.mixes().open(actions.undo, actions.redo); });
    whenCommitted(actions.howSure, [&binding] { binding.sensitivity().open(); });
    whenCommitted(actions.sizeRun, [&actions, &binding] { binding.sizing().open(actions.undo, actions.redo); });
    QObject::connect(actions.clearPins, &QAction::triggered, &workspace.pins(), &session::PinnedPlans::clear);
    QObject::connect(actions.stopSearch, &QAction::triggered, &workspace.search(), &session::PlanSearch::stop);
    QObject::connect(actions.adoptBest, &QAction::triggered, &workspace, &session::Workspace::adoptBest);
    QObject::connect(actions.verify, &QAction::triggered, &workspace, [&workspace, setPerspective] {
        setPerspective(session::Perspective::Search);
        workspace.search().verify();
    });
    connectEnabled(actions, workspace);
    connectWhichNodes(*actions.whichNodes, workspace.document());
    connectPartition(actions, view.partition().buttons(), commit);
}

std::vector<widgets::Command> planCommands(
    session::Workspace& workspace, CentralView& view, const std::function<void(session::Perspective)>& setPerspective)
{
    std::vector<widgets::Command> commands;
    addCharts(commands, view, setPerspective);
    addCanvas(commands, view, setPerspective);
    addElements(commands, workspace, view, setPerspective);
    addPins(commands, workspace);
    addPresets(commands, workspace);
    return commands;
}

} // namespace stratoplan::gui

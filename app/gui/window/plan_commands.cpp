// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/plan_commands.h"

#include "app/gui/explore/explore_page.h"
#include "app/gui/window/central_view.h"
#include "app/session/workspace.h"
#include "widgets/charts/chart_view.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/topology_view.h"

namespace stratoplan {

namespace {

void addElements(std::vector<Command>& commands, const Workspace& workspace, CentralView& view,
    const std::function<void(Perspective)>& setPerspective)
{
    const Cluster& cluster = workspace.plan().cluster;
    for (const std::string& id : elementIds(cluster)) {
        const QString name = tr("%1 × %2").arg(elementCount(cluster, id)).arg(text(elementName(cluster, id)));
        commands.push_back({name, tr("Show in the cluster"), {}, [&view, setPerspective, id] {
                                setPerspective(Perspective::Build);
                                view.canvas().showElement(text(id));
                            }});
    }
}

void addPins(std::vector<Command>& commands, Workspace& workspace)
{
    const auto& pins = workspace.document().project().pinned;
    for (std::size_t i = 0; i < pins.size(); ++i)
        commands.push_back({text(pins[i].name), tr("Adopt pinned plan"), {},
            [&workspace, i] { workspace.adoptPin(static_cast<int>(i)); }});
}

void addPresets(std::vector<Command>& commands, Workspace& workspace)
{
    const Catalog& catalog = workspace.document().catalog();
    for (const ModelPreset& preset : catalog.models) {
        commands.push_back({text(preset.model.name), tr("Use model"), {}, [&workspace, &preset] {
                                workspace.document().release();
                                workspace.editPlan(
                                    withModel(workspace.plan(), preset), tr("Use %1").arg(text(preset.model.name)));
                            }});
    }
    for (const ClusterPreset& preset : catalog.clusters) {
        commands.push_back({text(preset.name), tr("Use cluster"), {},
            [&workspace, &preset] { workspace.editCluster(preset.cluster, {}, tr("Use %1").arg(text(preset.name))); }});
    }
}

void addCharts(
    std::vector<Command>& commands, CentralView& view, const std::function<void(Perspective)>& setPerspective)
{
    for (ChartView* chart : view.explore().charts()) {
        const auto add = [&](const QString& title, std::function<void()> run, bool needsPicture = true) {
            commands.push_back({title, chart->title(), {}, std::move(run), !needsPicture || !chart->isEmpty()});
        };
        add(
            tr("Show chart"),
            [&view, setPerspective, chart] {
                setPerspective(Perspective::Explore);
                view.explore().showChart(*chart);
            },
            false);
        add(tr("Copy chart data"), [chart] { chart->copyData(); });
        add(tr("Copy chart image"), [chart] { chart->copyImage(); });
        add(tr("Export chart"), [chart] { chart->exportWithDialog(); });
        add(tr("View chart as table"), [chart] { chart->showTable(); });
        add(tr("Fit chart"), [chart] { chart->fit(); });
    }
}

} // namespace

std::vector<Command> planCommands(
    Workspace& workspace, CentralView& view, const std::function<void(Perspective)>& setPerspective)
{
    std::vector<Command> commands;
    addCharts(commands, view, setPerspective);
    addElements(commands, workspace, view, setPerspective);
    addPins(commands, workspace);
    addPresets(commands, workspace);
    return commands;
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/pipeline_details.h"

#include "core/cost/communication.h"
#include "core/cost/fleet.h"
#include "core/pipeline/program.h"
#include "core/pipeline/stage_profile.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan::gui {

namespace {

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// Under a heading that speaks of waits: "For an activation".
QString causeName(pipeline::Wait::Cause cause)
{
    return capitalised(widgets::nameOf(cause).remove(QStringLiteral("waiting ")));
}

/// "9.84 s · 12.3 %"
QString withShare(Seconds part, Seconds whole)
{
    return whole > Seconds(0) ? QStringLiteral("%1 · %2").arg(widgets::text(part), widgets::shareText(part / whole))
                              : widgets::text(part);
}

parallel::Route routeOf(const pipeline::PipelineWork& work)
{
    return {shape(work.schedule), static_cast<int>(work.stages.size()), effectiveChunks(work.schedule, work.chunks)};
}

bool isResharding(pipeline::SliceKind kind)
{
    return kind == pipeline::SliceKind::ReshardForward || kind == pipeline::SliceKind::ReshardBackward;
}

/// The stage a transfer goes to, or from which what is resharded has come; nothing where the schedule keeps what it
/// carries on the stage.
std::optional<int> otherStage(const pipeline::Slice& slice, const pipeline::PipelineWork& work)
{
    const parallel::Route route = routeOf(work);
    const bool next =
        slice.kind == pipeline::SliceKind::SendForward || slice.kind == pipeline::SliceKind::ReshardBackward;
    return next ? route.next(slice.stage, slice.chunk) : route.previous(slice.stage, slice.chunk);
}

/// Of all nodes that its ranks lie on.
cost::Machine machineOf(const plan::Plan& plan)
{
    return cost::Fleet(plan, catalog::shippedCatalog()).whole(plan.strategy).machine;
}

/// What joins the ranks of a group that are farthest apart.
QString farthestLink(const parallel::Strategy& strategy, parallel::RankGroup group, const cluster::Topology& topology)
{
    const cluster::Span span = parallel::span(strategy, group, topology);
    std::size_t level = topology.levels.size() - 1;
    while (level > 0 && !crosses(topology, span, level))
        --level;
    return QString::fromStdString(topology.levels.at(level).name);
}

void addTransfer(widgets::DetailSection& section, const pipeline::Slice& slice, const plan::Plan& plan,
    const estimate::Estimate& estimate)
{
    const auto other = otherStage(slice, estimate.pipeline);
    if (!other || plan.cluster.nodes.empty())
        return;
    const cost::Machine itsMachine = machineOf(plan);
    const cost::Deployment deployment(plan, itsMachine);
    const cost::BoundaryTransfer* const transfer = transferOf(slice, routeOf(estimate.pipeline), estimate.boundaries);
    if (transfer == nullptr)
        return;
    const cluster::Topology& topology = itsMachine.topology;
    if (isResharding(slice.kind)) {
        section.rows.push_back({widgets::tr("From"), widgets::tr("stage %1").arg(*other)});
        section.rows.push_back({widgets::tr("Layout"), widgets::tr("slices gathered among the tensor-parallel ranks")});
        section.rows.push_back(
            {widgets::tr("Link"), farthestLink(plan.strategy, parallel::RankGroup::Tensor, topology)});
        return;
    }
    const int stages = static_cast<int>(estimate.pipeline.stages.size());
    const bool down = *other == (slice.stage + 1) % stages;
    const auto level = static_cast<std::size_t>(boundaryLevel(deployment, down ? slice.stage : *other));
    section.rows.push_back({widgets::tr("To"), widgets::tr("stage %1").arg(*other)});
    if (transfer->reshards)
        section.rows.push_back({widgets::tr("Layout"),
            transfer->gather > Seconds{}
                ? widgets::tr("resharded: gathered there in %1").arg(widgets::text(transfer->gather))
                : widgets::tr("resharded on the way")});
    section.rows.push_back({widgets::tr("Bytes per rank"), widgets::text(transfer->bytes)});
    section.rows.push_back({widgets::tr("Link"), QString::fromStdString(topology.levels.at(level).name)});
}

/// `bytes` that each of the ranks which hold the same parameters has in the end, or begins with.
void addReplicas(widgets::DetailSection& section, const plan::Plan& plan, parallel::RankGroup group, Bytes bytes)
{
    const int replicas = groupSize(plan.strategy, group);
    if (replicas <= 1 || plan.cluster.nodes.empty())
        return;
    section.rows.push_back({widgets::tr("Between"), widgets::tr("%1 replicas").arg(replicas)});
    section.rows.push_back({widgets::tr("Bytes per rank"), widgets::text(bytes)});
    section.rows.push_back({widgets::tr("Link"), farthestLink(plan.strategy, group, machineOf(plan).topology)});
}

void addCommunication(widgets::DetailSection& section, const pipeline::Slice& slice, const plan::Plan& plan,
    const estimate::Estimate& estimate)
{
    switch (slice.kind) {
    case pipeline::SliceKind::SendForward:
    case pipeline::SliceKind::SendBackward:
    case pipeline::SliceKind::ReshardForward:
    case pipeline::SliceKind::ReshardBackward:
        addTransfer(section, slice, plan, estimate);
        break;
    case pipeline::SliceKind::GradientSync:
        addReplicas(
            section, plan, parallel::RankGroup::DataContext, estimate.gradients[static_cast<std::size_t>(slice.stage)]);
        break;
    case pipeline::SliceKind::ParameterGather:
        addReplicas(
            section, plan, parallel::RankGroup::Shards, estimate.gathered[static_cast<std::size_t>(slice.stage)]);
        break;
    case pipeline::SliceKind::Forward:
    case pipeline::SliceKind::Backward:
    case pipeline::SliceKind::WeightGradient:
    case pipeline::SliceKind::Recompute:
    case pipeline::SliceKind::Optimizer:
        break;
    }
}

/// The waits that the slice ended; no section if it began at once.
std::optional<widgets::DetailSection> waitSection(const pipeline::Slice& slice, const widgets::GanttIndex& index)
{
    const auto waits = index.waitsBefore(slice);
    if (waits.empty())
        return std::nullopt;
    widgets::DetailSection section{widgets::tr("The wait before it"), {}, {}, {}};
    Seconds sum{};
    for (const pipeline::Wait& wait : waits) {
        section.rows.push_back({causeName(wait.cause), widgets::text(wait.duration)});
        sum += wait.duration;
    }
    if (waits.size() > 1)
        section.rows.push_back({widgets::tr("In all"), widgets::text(sum)});
    if (const auto ender = index.enderOf(waits.back()))
        section.text = widgets::tr("Ended by %1, which ran until %2.")
                           .arg(widgets::titleOf(index.slice(*ender), index.timeline()),
                               widgets::text(Seconds(
                                   static_cast<double>(index.slice(*ender).start) + index.slice(*ender).duration)));
    return section;
}

/// Everything the stage does in the step, and how long it waits: they add up to it.
widgets::DetailSection profileSection(int stage, const pipeline::Timeline& timeline, const estimate::Estimate& estimate)
{
    const pipeline::StageProfile profile = stageProfiles(estimate.pipeline, timeline)[static_cast<std::size_t>(stage)];
    widgets::DetailSection section{widgets::tr("Stage %1 over the step").arg(stage), {}, {}, {}};
    const auto add = [&](const QString& name, Seconds part) {
        section.rows.push_back({name, withShare(part, timeline.step)});
    };
    add(widgets::tr("Forward"), profile.forward);
    add(widgets::tr("Backward"), profile.backward);
    if (profile.recompute > Seconds(0))
        add(widgets::tr("Recomputation"), profile.recompute);
    if (profile.weightGradient > Seconds(0))
        add(widgets::tr("Weight gradients"), profile.weightGradient);
    add(widgets::tr("Exposed gradient sync"), profile.gradientSyncExposed);
    add(widgets::tr("Optimizer"), profile.optimizer);
    if (profile.parameterGather > Seconds(0))
        add(widgets::tr("Parameter gather"), profile.parameterGather);
    add(widgets::tr("Idle"), profile.idle());
    section.remark = widgets::tr("Beside them it sends for %1; of its gradient sync of %2, passes hide %3.")
                         .arg(widgets::text(profile.transfers), widgets::text(profile.gradientSync),
                             widgets::text(std::max(Seconds{}, profile.gradientSync - profile.gradientSyncExposed)));
    return section;
}

widgets::DetailSection stageSection(int stage, const pipeline::Timeline& timeline, const estimate::Estimate& estimate)
{
    const auto i = static_cast<std::size_t>(stage);
    const pipeline::StageWork& work = estimate.pipeline.stages[i];
    widgets::DetailSection section{widgets::tr("One micro-batch on stage %1").arg(stage), {}, {}, {}};
    section.rows.push_back({widgets::tr("Forward"), widgets::text(work.forward)});
    section.rows.push_back({widgets::tr("Backward"), widgets::text(work.backward)});
    if (work.recompute > Seconds(0))
        section.rows.push_back({widgets::tr("of it recomputed"), widgets::text(work.recompute)});
    section.rows.push_back({widgets::tr("Send forward"), widgets::text(work.sendForward)});
    section.rows.push_back({widgets::tr("Send backward"), widgets::text(work.sendBackward)});
    if (timeline.chunks > 1)
        section.remark =
            widgets::tr("Over all %1 chunks of the stage; exposed communication is part of forward and backward.")
                .arg(timeline.chunks);
    else
        section.remark = widgets::tr("Exposed communication is part of forward and backward.");
    return section;
}

} // namespace

widgets::DetailSections sliceDetails(
    std::uint32_t i, const widgets::GanttIndex& index, const plan::Plan& plan, const estimate::Estimate& estimate)
{
    if (i >= index.timeline().slices.size())
        return {};
    const pipeline::Slice& slice = index.slice(i);
    const pipeline::Timeline& timeline = index.timeline();
    QString title = widgets::tr("Stage %1 · %2").arg(slice.stage).arg(widgets::nameOf(slice.kind));
    if (slice.microBatch >= 0)
        title += widgets::tr(" · micro-batch %1").arg(slice.microBatch);
    widgets::DetailSection section{title, {}, {}, {}};
    section.rows.push_back({widgets::tr("Start"), widgets::text(Seconds(slice.start))});
    section.rows.push_back({widgets::tr("Duration"), widgets::text(Seconds(slice.duration))});
    if (timeline.chunks > 1 && slice.microBatch >= 0)
        section.rows.push_back({widgets::tr("Chunk"), widgets::chunkText(slice, timeline).section(u' ', 1)});
    addCommunication(section, slice, plan, estimate);
    if (index.isCritical(i))
        section.remark = widgets::tr("On the critical path: the length of the step hangs on it.");
    widgets::DetailSections sections{section};
    if (auto wait = waitSection(slice, index))
        sections.push_back(std::move(*wait));
    if (static_cast<std::size_t>(slice.stage) < std::min(estimate.pipeline.stages.size(), timeline.busy.size())) {
        sections.push_back(stageSection(slice.stage, timeline, estimate));
        sections.push_back(profileSection(slice.stage, timeline, estimate));
    }
    return sections;
}

widgets::DetailSections waitDetails(
    std::uint32_t i, const widgets::GanttIndex& index, const estimate::Estimate& estimate)
{
    const pipeline::Timeline& timeline = index.timeline();
    if (i >= timeline.waits.size())
        return {};
    const pipeline::Wait& wait = timeline.waits[i];
    const Seconds end = wait.start + wait.duration;
    widgets::DetailSection section{widgets::tr("Stage %1 · idle").arg(wait.stage), {}, {}, {}};
    section.rows = {{widgets::tr("Start"), widgets::text(wait.start)},
        {widgets::tr("Duration"), withShare(wait.duration, timeline.step)}, {widgets::tr("Until"), widgets::text(end)},
        {widgets::tr("Cause"), causeName(wait.cause)}};
    section.text = capitalised(widgets::causeText(wait.cause)) + u'.';
    const auto whenItRan = [&](std::uint32_t slice) {
        return widgets::tr("%1, which ran until %2")
            .arg(widgets::titleOf(index.slice(slice), timeline),
                widgets::text(Seconds(static_cast<double>(index.slice(slice).start) + index.slice(slice).duration)));
    };
    if (const auto ender = index.enderOf(wait))
        section.remark = widgets::tr("Ended by %1.").arg(whenItRan(*ender));
    else if (!timeline.criticalPath.empty())
        section.remark = widgets::tr("It lasts until the step ends. That hangs on %1.")
                             .arg(whenItRan(static_cast<std::uint32_t>(timeline.criticalPath.back())));
    else
        section.remark = widgets::tr("It lasts until the step ends.");
    widgets::DetailSections sections{section};
    if (static_cast<std::size_t>(wait.stage) < std::min(estimate.pipeline.stages.size(), timeline.busy.size()))
        sections.push_back(profileSection(wait.stage, timeline, estimate));
    return sections;
}

namespace {

void addSums(widgets::DetailSections& sections, const widgets::AreaSums& sums, const QString& name)
{
    const auto heading = [&name](const QString& what) {
        return name.isEmpty() ? what : widgets::tr("%1, %2").arg(what, name);
    };
    widgets::DetailSection work{heading(widgets::tr("Sums by kind")), {}, {}, {}};
    for (const auto& sum : sums.kinds)
        work.rows.push_back({QStringLiteral("%1 (%2)").arg(capitalised(widgets::nameOf(sum.kind))).arg(sum.count),
            withShare(sum.total, sums.stageTime())});
    widgets::DetailSection waits{heading(widgets::tr("Waits by cause")), {}, {}, {}};
    Seconds idle{};
    for (const auto& sum : sums.waits) {
        waits.rows.push_back({QStringLiteral("%1 (%2)").arg(causeName(sum.kind)).arg(sum.count),
            withShare(sum.total, sums.stageTime())});
        idle += sum.total;
    }
    if (sums.waits.empty())
        waits.text = widgets::tr("No stage waits in it.");
    else
        waits.rows.push_back({widgets::tr("In all"), withShare(idle, sums.stageTime())});
    waits.remark = widgets::tr(
        "Shares are of the time of its stages together, %1. What reaches out of the area counts with the part inside.")
                       .arg(widgets::text(sums.stageTime()));
    sections.insert(sections.end(), {work, waits});
}

} // namespace

widgets::DetailSections areaDetails(const std::vector<NamedSums>& timelines)
{
    const widgets::GanttArea& area = timelines.front().sums.area;
    const QString stages = area.firstStage == area.lastStage
        ? widgets::tr("stage %1").arg(area.firstStage)
        : widgets::tr("stages %1–%2").arg(area.firstStage).arg(area.lastStage);
    widgets::DetailSection about{widgets::tr("Area of %1").arg(stages), {}, {}, {}};
    about.rows = {{widgets::tr("From"), widgets::text(Seconds(area.time.low))},
        {widgets::tr("To"), widgets::text(Seconds(area.time.high))},
        {widgets::tr("Length"), widgets::text(Seconds(area.time.length()))}};
    widgets::DetailSections sections{about};
    for (const NamedSums& timeline : timelines)
        addSums(sections, timeline.sums, timeline.name);
    return sections;
}

widgets::DetailSections differenceDetails(const widgets::WaitDifference& d, const QString& first, const QString& second)
{
    widgets::DetailSection steps{widgets::tr("%1 against %2").arg(second, first), {}, {}, {}};
    steps.rows = {{widgets::tr("Step, %1").arg(first), widgets::text(d.firstStep)},
        {widgets::tr("Step, %1").arg(second), widgets::text(d.secondStep)},
        {widgets::tr("Difference"),
            QStringLiteral("%1 · %2").arg(
                widgets::changeText(d.firstStep, d.secondStep), widgets::shareChangeText(d.firstStep, d.secondStep))}};
    widgets::DetailSection waits{widgets::tr("Waits of all stages"), {}, {}, {}};
    for (const widgets::WaitDifference::Cause& sum : d.causes)
        waits.rows.push_back(
            {causeName(sum.cause), QStringLiteral("%1 → %2").arg(widgets::text(sum.first), widgets::text(sum.second))});
    waits.rows.push_back(
        {widgets::tr("In all"), QStringLiteral("%1 → %2").arg(widgets::text(d.first), widgets::text(d.second))});
    waits.rows.push_back({widgets::tr("Difference"), widgets::changeText(d.first, d.second)});
    waits.remark = widgets::tr("Shaded in the chart: times that only %1 waits (−), and times that only %2 waits (+).")
                       .arg(first, second);
    return {steps, waits};
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/pipeline_details.h"

#include "core/cost/communication.h"
#include "core/pipeline/program.h"
#include "core/pipeline/stage_profile.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan {

namespace {

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// Under a heading that speaks of waits: "For an activation".
QString causeName(Wait::Cause cause)
{
    return capitalised(nameOf(cause).remove(QStringLiteral("waiting ")));
}

/// "9.84 s · 12.3 %"
QString withShare(Seconds part, Seconds whole)
{
    return whole > Seconds(0) ? QStringLiteral("%1 · %2").arg(text(part), shareText(part / whole)) : text(part);
}

Route routeOf(const PipelineWork& work)
{
    return {shape(work.schedule), static_cast<int>(work.stages.size()), effectiveChunks(work.schedule, work.chunks)};
}

bool isResharding(SliceKind kind)
{
    return kind == SliceKind::ReshardForward || kind == SliceKind::ReshardBackward;
}

/// The stage a transfer goes to, or from which what is resharded has come; nothing where the schedule keeps what it
/// carries on the stage.
std::optional<int> otherStage(const Slice& slice, const PipelineWork& work)
{
    const Route route = routeOf(work);
    const bool next = slice.kind == SliceKind::SendForward || slice.kind == SliceKind::ReshardBackward;
    return next ? route.next(slice.stage, slice.chunk) : route.previous(slice.stage, slice.chunk);
}

void addTransfer(DetailSection& section, const Slice& slice, const Plan& plan, const Estimate& estimate)
{
    const auto other = otherStage(slice, estimate.pipeline);
    if (!other || plan.cluster.nodes.empty())
        return;
    const Machine itsMachine = machine(plan, shippedCatalog());
    const Deployment deployment(plan, itsMachine);
    const BoundaryTransfer* const transfer = transferOf(slice, routeOf(estimate.pipeline), estimate.boundaries);
    if (transfer == nullptr)
        return;
    const NodeGroup& node = plan.cluster.nodes.front();
    if (isResharding(slice.kind)) {
        section.rows.push_back({tr("From"), tr("stage %1").arg(*other)});
        section.rows.push_back({tr("Layout"), tr("slices gathered among the tensor-parallel ranks")});
        const bool crosses = ranksInside(plan.strategy, RankGroup::Tensor, node.scaleUpDomain)
            < groupSize(plan.strategy, RankGroup::Tensor);
        section.rows.push_back({tr("Link"), QString::fromStdString(crosses ? node.nic.name : node.scaleUp.name)});
        return;
    }
    const int stages = static_cast<int>(estimate.pipeline.stages.size());
    const bool down = *other == (slice.stage + 1) % stages;
    const bool leaves = boundaryCrosses(deployment, down ? slice.stage : *other);
    section.rows.push_back({tr("To"), tr("stage %1").arg(*other)});
    if (transfer->reshards)
        section.rows.push_back({tr("Layout"),
            transfer->gather > Seconds{} ? tr("resharded: gathered there in %1").arg(text(transfer->gather))
                                         : tr("resharded on the way")});
    section.rows.push_back({tr("Bytes per rank"), text(transfer->bytes)});
    section.rows.push_back({tr("Link"), QString::fromStdString(leaves ? node.nic.name : node.scaleUp.name)});
}

/// `bytes` that each of the ranks which hold the same parameters has in the end, or begins with.
void addReplicas(DetailSection& section, const Plan& plan, RankGroup group, Bytes bytes)
{
    const int replicas = groupSize(plan.strategy, group);
    if (replicas <= 1 || plan.cluster.nodes.empty())
        return;
    const NodeGroup& node = plan.cluster.nodes.front();
    const bool leaves = ranksInside(plan.strategy, group, node.scaleUpDomain) < replicas;
    section.rows.push_back({tr("Between"), tr("%1 replicas").arg(replicas)});
    section.rows.push_back({tr("Bytes per rank"), text(bytes)});
    section.rows.push_back({tr("Link"), QString::fromStdString(leaves ? node.nic.name : node.scaleUp.name)});
}

void addCommunication(DetailSection& section, const Slice& slice, const Plan& plan, const Estimate& estimate)
{
    switch (slice.kind) {
    case SliceKind::SendForward:
    case SliceKind::SendBackward:
    case SliceKind::ReshardForward:
    case SliceKind::ReshardBackward:
        addTransfer(section, slice, plan, estimate);
        break;
    case SliceKind::GradientSync:
        addReplicas(section, plan, RankGroup::DataContext, estimate.gradients[static_cast<std::size_t>(slice.stage)]);
        break;
    case SliceKind::ParameterGather:
        addReplicas(section, plan, RankGroup::Shards, estimate.gathered[static_cast<std::size_t>(slice.stage)]);
        break;
    case SliceKind::Forward:
    case SliceKind::Backward:
    case SliceKind::WeightGradient:
    case SliceKind::Recompute:
    case SliceKind::Optimizer:
        break;
    }
}

/// The waits that the slice ended; no section if it began at once.
std::optional<DetailSection> waitSection(const Slice& slice, const GanttIndex& index)
{
    const auto waits = index.waitsBefore(slice);
    if (waits.empty())
        return std::nullopt;
    DetailSection section{tr("The wait before it"), {}, {}, {}};
    Seconds sum{};
    for (const Wait& wait : waits) {
        section.rows.push_back({causeName(wait.cause), text(wait.duration)});
        sum += wait.duration;
    }
    if (waits.size() > 1)
        section.rows.push_back({tr("In all"), text(sum)});
    if (const auto ender = index.enderOf(waits.back()))
        section.text =
            tr("Ended by %1, which ran until %2.")
                .arg(titleOf(index.slice(*ender), index.timeline()),
                    text(Seconds(static_cast<double>(index.slice(*ender).start) + index.slice(*ender).duration)));
    return section;
}

/// Everything the stage does in the step, and how long it waits: they add up to it.
DetailSection profileSection(int stage, const Timeline& timeline, const Estimate& estimate)
{
    const StageProfile profile = stageProfiles(estimate.pipeline, timeline)[static_cast<std::size_t>(stage)];
    DetailSection section{tr("Stage %1 over the step").arg(stage), {}, {}, {}};
    const auto add = [&](const QString& name, Seconds part) {
        section.rows.push_back({name, withShare(part, timeline.step)});
    };
    add(tr("Forward"), profile.forward);
    add(tr("Backward"), profile.backward);
    if (profile.recompute > Seconds(0))
        add(tr("Recomputation"), profile.recompute);
    if (profile.weightGradient > Seconds(0))
        add(tr("Weight gradients"), profile.weightGradient);
    add(tr("Exposed gradient sync"), profile.gradientSyncExposed);
    add(tr("Optimizer"), profile.optimizer);
    if (profile.parameterGather > Seconds(0))
        add(tr("Parameter gather"), profile.parameterGather);
    add(tr("Idle"), profile.idle());
    section.remark = tr("Beside them it sends for %1; of its gradient sync of %2, passes hide %3.")
                         .arg(text(profile.transfers), text(profile.gradientSync),
                             text(std::max(Seconds{}, profile.gradientSync - profile.gradientSyncExposed)));
    return section;
}

DetailSection stageSection(int stage, const Timeline& timeline, const Estimate& estimate)
{
    const auto i = static_cast<std::size_t>(stage);
    const StageWork& work = estimate.pipeline.stages[i];
    DetailSection section{tr("One micro-batch on stage %1").arg(stage), {}, {}, {}};
    section.rows.push_back({tr("Forward"), text(work.forward)});
    section.rows.push_back({tr("Backward"), text(work.backward)});
    if (work.recompute > Seconds(0))
        section.rows.push_back({tr("of it recomputed"), text(work.recompute)});
    section.rows.push_back({tr("Send forward"), text(work.sendForward)});
    section.rows.push_back({tr("Send backward"), text(work.sendBackward)});
    if (timeline.chunks > 1)
        section.remark = tr("Over all %1 chunks of the stage; exposed communication is part of forward and backward.")
                             .arg(timeline.chunks);
    else
        section.remark = tr("Exposed communication is part of forward and backward.");
    return section;
}

} // namespace

DetailSections sliceDetails(std::uint32_t i, const GanttIndex& index, const Plan& plan, const Estimate& estimate)
{
    if (i >= index.timeline().slices.size())
        return {};
    const Slice& slice = index.slice(i);
    const Timeline& timeline = index.timeline();
    QString title = tr("Stage %1 · %2").arg(slice.stage).arg(nameOf(slice.kind));
    if (slice.microBatch >= 0)
        title += tr(" · micro-batch %1").arg(slice.microBatch);
    DetailSection section{title, {}, {}, {}};
    section.rows.push_back({tr("Start"), text(Seconds(slice.start))});
    section.rows.push_back({tr("Duration"), text(Seconds(slice.duration))});
    if (timeline.chunks > 1 && slice.microBatch >= 0)
        section.rows.push_back({tr("Chunk"), chunkText(slice, timeline).section(u' ', 1)});
    addCommunication(section, slice, plan, estimate);
    if (index.isCritical(i))
        section.remark = tr("On the critical path: the length of the step hangs on it.");
    DetailSections sections{section};
    if (auto wait = waitSection(slice, index))
        sections.push_back(std::move(*wait));
    if (static_cast<std::size_t>(slice.stage) < std::min(estimate.pipeline.stages.size(), timeline.busy.size())) {
        sections.push_back(stageSection(slice.stage, timeline, estimate));
        sections.push_back(profileSection(slice.stage, timeline, estimate));
    }
    return sections;
}

DetailSections waitDetails(std::uint32_t i, const GanttIndex& index, const Estimate& estimate)
{
    const Timeline& timeline = index.timeline();
    if (i >= timeline.waits.size())
        return {};
    const Wait& wait = timeline.waits[i];
    const Seconds end = wait.start + wait.duration;
    DetailSection section{tr("Stage %1 · idle").arg(wait.stage), {}, {}, {}};
    section.rows = {{tr("Start"), text(wait.start)}, {tr("Duration"), withShare(wait.duration, timeline.step)},
        {tr("Until"), text(end)}, {tr("Cause"), causeName(wait.cause)}};
    section.text = capitalised(causeText(wait.cause)) + u'.';
    const auto whenItRan = [&](std::uint32_t slice) {
        return tr("%1, which ran until %2")
            .arg(titleOf(index.slice(slice), timeline),
                text(Seconds(static_cast<double>(index.slice(slice).start) + index.slice(slice).duration)));
    };
    if (const auto ender = index.enderOf(wait))
        section.remark = tr("Ended by %1.").arg(whenItRan(*ender));
    else if (!timeline.criticalPath.empty())
        section.remark = tr("It lasts until the step ends. That hangs on %1.")
                             .arg(whenItRan(static_cast<std::uint32_t>(timeline.criticalPath.back())));
    else
        section.remark = tr("It lasts until the step ends.");
    DetailSections sections{section};
    if (static_cast<std::size_t>(wait.stage) < std::min(estimate.pipeline.stages.size(), timeline.busy.size()))
        sections.push_back(profileSection(wait.stage, timeline, estimate));
    return sections;
}

namespace {

void addSums(DetailSections& sections, const AreaSums& sums, const QString& name)
{
    const auto heading = [&name](const QString& what) { return name.isEmpty() ? what : tr("%1, %2").arg(what, name); };
    DetailSection work{heading(tr("Sums by kind")), {}, {}, {}};
    for (const auto& sum : sums.kinds)
        work.rows.push_back({QStringLiteral("%1 (%2)").arg(capitalised(nameOf(sum.kind))).arg(sum.count),
            withShare(sum.total, sums.stageTime())});
    DetailSection waits{heading(tr("Waits by cause")), {}, {}, {}};
    Seconds idle{};
    for (const auto& sum : sums.waits) {
        waits.rows.push_back({QStringLiteral("%1 (%2)").arg(causeName(sum.kind)).arg(sum.count),
            withShare(sum.total, sums.stageTime())});
        idle += sum.total;
    }
    if (sums.waits.empty())
        waits.text = tr("No stage waits in it.");
    else
        waits.rows.push_back({tr("In all"), withShare(idle, sums.stageTime())});
    waits.remark = tr(
        "Shares are of the time of its stages together, %1. What reaches out of the area counts with the part inside.")
                       .arg(text(sums.stageTime()));
    sections.insert(sections.end(), {work, waits});
}

} // namespace

DetailSections areaDetails(const std::vector<NamedSums>& timelines)
{
    const GanttArea& area = timelines.front().sums.area;
    const QString stages = area.firstStage == area.lastStage
        ? tr("stage %1").arg(area.firstStage)
        : tr("stages %1–%2").arg(area.firstStage).arg(area.lastStage);
    DetailSection about{tr("Area of %1").arg(stages), {}, {}, {}};
    about.rows = {{tr("From"), text(Seconds(area.time.low))}, {tr("To"), text(Seconds(area.time.high))},
        {tr("Length"), text(Seconds(area.time.length()))}};
    DetailSections sections{about};
    for (const NamedSums& timeline : timelines)
        addSums(sections, timeline.sums, timeline.name);
    return sections;
}

DetailSections differenceDetails(const WaitDifference& d, const QString& first, const QString& second)
{
    DetailSection steps{tr("%1 against %2").arg(second, first), {}, {}, {}};
    steps.rows = {{tr("Step, %1").arg(first), text(d.firstStep)}, {tr("Step, %1").arg(second), text(d.secondStep)},
        {tr("Difference"),
            QStringLiteral("%1 · %2").arg(
                changeText(d.firstStep, d.secondStep), shareChangeText(d.firstStep, d.secondStep))}};
    DetailSection waits{tr("Waits of all stages"), {}, {}, {}};
    for (const WaitDifference::Cause& sum : d.causes)
        waits.rows.push_back({causeName(sum.cause), QStringLiteral("%1 → %2").arg(text(sum.first), text(sum.second))});
    waits.rows.push_back({tr("In all"), QStringLiteral("%1 → %2").arg(text(d.first), text(d.second))});
    waits.rows.push_back({tr("Difference"), changeText(d.first, d.second)});
    waits.remark =
        tr("Shaded in the chart: times that only %1 waits (−), and times that only %2 waits (+).").arg(first, second);
    return {steps, waits};
}

} // namespace stratoplan

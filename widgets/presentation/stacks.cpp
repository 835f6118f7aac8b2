// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/stacks.h"

#include "core/cost/communication.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stratoplan::widgets {

namespace {

struct AxisPart {
    const char* name;
    Seconds pricing::CommunicationSeconds::*part;
    Pattern pattern;
};

constexpr std::array<AxisPart, 5> kAxes{{{"TP", &pricing::CommunicationSeconds::tp, Pattern::HatchForward},
    {"CP", &pricing::CommunicationSeconds::cp, Pattern::HatchVertical},
    {"EP", &pricing::CommunicationSeconds::ep, Pattern::HatchCross},
    {"PP", &pricing::CommunicationSeconds::pp, Pattern::HatchHorizontal},
    {"DP", &pricing::CommunicationSeconds::dp, Pattern::HatchBackward}}};

std::array<double, 16> parts(const pricing::Breakdown& b)
{
    return {b.forward.value(), b.backward.value(), b.recompute.value(), b.optimizer.value(), b.bubble.value(),
        b.other.value(), b.exposed.tp.value(), b.exposed.cp.value(), b.exposed.ep.value(), b.exposed.pp.value(),
        b.exposed.dp.value(), b.hidden.tp.value(), b.hidden.cp.value(), b.hidden.ep.value(), b.hidden.pp.value(),
        b.hidden.dp.value()};
}

bool isFiniteBreakdown(const pricing::Breakdown& b)
{
    const auto all = parts(b);
    return std::all_of(all.begin(), all.end(), [](double v) { return std::isfinite(v) && v >= 0; });
}

bool alike(const pricing::Breakdown& a, const pricing::Breakdown& b, double tolerance)
{
    const auto pa = parts(a);
    const auto pb = parts(b);
    return std::equal(
        pa.begin(), pa.end(), pb.begin(), [tolerance](double x, double y) { return std::abs(x - y) <= tolerance; });
}

QString contextWork(parallel::ContextMethod method)
{
    switch (method) {
    case parallel::ContextMethod::AllGather:
        return QStringLiteral("Keys and values gathered from %1 context-parallel ranks, their gradients reduced.");
    case parallel::ContextMethod::Ulysses:
        return QStringLiteral("All-to-all of tokens for heads and back over %1 context-parallel ranks (Ulysses).");
    case parallel::ContextMethod::Ring:
        break;
    }
    return QStringLiteral("Keys and values passed around %1 context-parallel ranks; attention runs in as many blocks, "
                          "whose outputs and gradients are added up.");
}

QString communicationWork(const QString& axis, const parallel::Strategy& s)
{
    if (axis == u"TP")
        return QStringLiteral(
            "All-reduce (or reduce-scatter and all-gather) of activations over %1 tensor-parallel ranks.")
            .arg(s.tp);
    if (axis == u"CP")
        return contextWork(s.contextMethod).arg(s.cp);
    if (axis == u"EP")
        return QStringLiteral("All-to-all of tokens over %1 expert-parallel ranks.").arg(s.ep);
    if (axis == u"PP")
        return QStringLiteral("Activations and gradients sent between %1 pipeline stages.").arg(s.pp);
    return QStringLiteral("Gradients reduced and parameters gathered over %1 ranks (ZeRO stage %2).")
        .arg(cost::shardRanks(s, false))
        .arg(s.zeroStage);
}

QString perMicroBatch(Seconds value, const pipeline::PipelineWork& work)
{
    return QStringLiteral("%1 micro-batches × %2.")
        .arg(work.microBatches)
        .arg(text(value / std::max(work.microBatches, 1)));
}

class StackBuilder {
public:
    explicit StackBuilder(const estimate::Estimate& e)
        : m_estimate(e)
    {
    }

    Stack build(const pricing::Breakdown& b) const
    {
        Stack stack;
        const pipeline::PipelineWork& work = m_estimate.pipeline;
        add(stack, Mark::Forward, b.forward, QStringLiteral("forward"), perMicroBatch(b.forward, work));
        add(stack, Mark::Backward, b.backward, QStringLiteral("backward"), perMicroBatch(b.backward, work));
        addHidden(stack, b);
        add(stack, Mark::Recompute, b.recompute, QStringLiteral("recompute"),
            QStringLiteral("Forward work done again to save activation memory (%1): ")
                    .arg(recomputeText(m_estimate.strategy.recompute))
                + perMicroBatch(b.recompute, work));
        for (const AxisPart& axis : kAxes) {
            const QString name = QString::fromLatin1(axis.name);
            add(stack, Mark::Exposed, b.exposed.*axis.part, QStringLiteral("exposed %1 communication").arg(name),
                communicationWork(name, m_estimate.strategy)
                    + QStringLiteral(" This part is not hidden behind computation."),
                axis.pattern);
        }
        add(stack, Mark::Bubble, b.bubble, QStringLiteral("bubble"),
            QStringLiteral("Idle while the pipeline fills and drains: %1 stages, %2 micro-batches, %3. Of the step: of "
                           "the stage that sets the pace; the others wait "
                           "longer, and the pipeline chart counts the idle time of all.")
                .arg(std::max<std::size_t>(work.stages.size(), 1))
                .arg(work.microBatches)
                .arg(work.chunks > 1 ? QStringLiteral("%1 chunks per stage").arg(work.chunks)
                                     : QStringLiteral("one chunk per stage")),
            Pattern::Dots);
        add(stack, Mark::Optimizer, b.optimizer, QStringLiteral("optimizer"),
            QStringLiteral("Parameter update at the end of the step, bound by memory bandwidth."));
        add(stack, Mark::Other, b.other, QStringLiteral("other"),
            QStringLiteral("Time the accelerator waits for the host to launch kernels, and what stragglers and network "
                           "noise add."));
        return stack;
    }

private:
    void add(Stack& stack, Mark mark, Seconds value, const QString& name, const QString& explanation,
        Pattern pattern = Pattern::Solid) const
    {
        if (!(value.value() > 0))
            return;
        stack.segments.push_back({mark, pattern, stack.total, value.value(), name, explanation, false});
        stack.total += value.value();
    }

    // Hidden communication runs under computation: a strip that ends where the backward pass does.
    void addHidden(Stack& stack, const pricing::Breakdown& b) const
    {
        double end = stack.total;
        for (const AxisPart& axis : kAxes) {
            const double hidden = std::min((b.hidden.*axis.part).value(), end);
            if (!(hidden > 0))
                continue;
            const QString name = QString::fromLatin1(axis.name);
            end -= hidden;
            stack.segments.push_back(
                {Mark::Hidden, Pattern::Solid, end, hidden, QStringLiteral("hidden %1 communication").arg(name),
                    communicationWork(name, m_estimate.strategy)
                        + QStringLiteral(" It runs behind computation and adds nothing to the step."),
                    true});
        }
    }

    const estimate::Estimate& m_estimate;
};

struct StageGroup {
    int first = 0;
    int last = 0;
};

std::vector<StageGroup> groups(const std::vector<pricing::Breakdown>& stages, double step, int maxRows)
{
    std::vector<StageGroup> result;
    const bool merge = static_cast<int>(stages.size()) > maxRows;
    for (int i = 0; i < static_cast<int>(stages.size()); ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (merge && !result.empty()
            && alike(stages[static_cast<std::size_t>(result.back().first)], stages[index], 0.005 * step))
            result.back().last = i;
        else
            result.push_back({i, i});
    }
    return result;
}

// First, last and those that idle least.
std::vector<StageGroup> thinned(
    const std::vector<StageGroup>& all, const std::vector<pricing::Breakdown>& stages, int maxRows)
{
    if (static_cast<int>(all.size()) <= maxRows || maxRows < 2)
        return all;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto idle = [&](std::size_t i) { return stages[static_cast<std::size_t>(all[i].first)].bubble.value(); };
    const auto rank = [&](std::size_t i) { return i == 0 || i + 1 == all.size() ? -1.0 : idle(i); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    order.resize(static_cast<std::size_t>(maxRows));
    std::sort(order.begin(), order.end());
    std::vector<StageGroup> result;
    for (const std::size_t i : order)
        result.push_back(all[i]);
    return result;
}

QString groupLabel(const StageGroup& g)
{
    return g.first == g.last ? QStringLiteral("stage %1").arg(g.first)
                             : QStringLiteral("stages %1–%2").arg(g.first).arg(g.last);
}

std::vector<LegendEntry> breakdownLegend(const std::vector<Stack>& stacks)
{
    std::vector<LegendEntry> legend;
    struct Kind {
        Mark mark;
        const char* name;
        Pattern pattern;
    };
    for (const Kind& kind :
        {Kind{Mark::Forward, "forward", Pattern::Solid}, Kind{Mark::Backward, "backward", Pattern::Solid},
            Kind{Mark::Recompute, "recompute", Pattern::Solid}, Kind{Mark::Exposed, "exposed", Pattern::HatchForward},
            Kind{Mark::Hidden, "hidden", Pattern::Solid}, Kind{Mark::Bubble, "bubble", Pattern::Dots},
            Kind{Mark::Optimizer, "optimizer", Pattern::Solid}, Kind{Mark::Other, "other", Pattern::Solid}}) {
        const bool occurs = std::any_of(stacks.begin(), stacks.end(), [&](const Stack& s) {
            return std::any_of(
                s.segments.begin(), s.segments.end(), [&](const Segment& g) { return g.mark == kind.mark; });
        });
        if (occurs)
            legend.push_back({QString::fromLatin1(kind.name), kind.mark, kind.pattern, LegendEntry::Shape::Box});
    }
    return legend;
}

} // namespace

std::optional<BreakdownView> breakdownView(const estimate::Estimate& e, int maxRows)
{
    const double step = e.step.value();
    if (!std::isfinite(step) || !(step > 0) || !isFiniteBreakdown(e.breakdown) || !(e.breakdown.total().value() > 0)
        || !std::all_of(e.stages.begin(), e.stages.end(), isFiniteBreakdown))
        return std::nullopt;
    BreakdownView view;
    view.step = e.step;
    const StackBuilder builder(e);
    Stack whole = builder.build(e.breakdown);
    whole.label = QStringLiteral("Step");
    view.sum = Seconds(whole.total);
    view.adds = std::abs(whole.total - step) <= 1e-9 * step;
    view.check = view.adds ? QStringLiteral("parts sum to %1 ✓").arg(text(view.sum))
                           : QStringLiteral("parts sum to %1, the step is %2 ✗").arg(text(view.sum), text(e.step));
    view.stacks.push_back(std::move(whole));
    const std::vector<StageGroup> all = groups(e.stages, step, maxRows);
    const std::vector<StageGroup> shown = thinned(all, e.stages, maxRows);
    for (const StageGroup& g : shown) {
        Stack stack = builder.build(e.stages[static_cast<std::size_t>(g.first)]);
        stack.label = groupLabel(g);
        stack.firstStage = g.first;
        stack.lastStage = g.last;
        view.stacks.push_back(std::move(stack));
    }
    if (shown.size() < all.size())
        view.note = QStringLiteral("%1 of %2 stages: first, last and busiest").arg(shown.size()).arg(e.stages.size());
    else if (shown.size() < e.stages.size())
        view.note = QStringLiteral("%1 stages, alike ones together").arg(e.stages.size());
    view.legend = breakdownLegend(view.stacks);
    return view;
}

std::size_t stepped(std::size_t index, int step, std::size_t count)
{
    const auto moved = static_cast<std::ptrdiff_t>(index) + step;
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(moved, 0, static_cast<std::ptrdiff_t>(count) - 1));
}

namespace {

struct MemoryKind {
    Mark mark;
    const char* name;
    Bytes estimate::StageMemory::*part;
    const char* explanation;
};

constexpr std::array<MemoryKind, 6> kMemoryKinds{{
    {Mark::Weights, "weights", &estimate::StageMemory::weights,
        "Parameters of the layers of this stage, as the tensor-parallel rank holds them."},
    {Mark::Gradients, "gradients", &estimate::StageMemory::gradients,
        "Gradients of those parameters until the optimizer has used them."},
    {Mark::OptimizerState, "optimizer", &estimate::StageMemory::optimizer,
        "Moments and master weights; ZeRO divides them over the data-parallel ranks."},
    {Mark::Activations, "activations", &estimate::StageMemory::activations,
        "What the micro-batches in flight keep for their backward pass; early stages hold more of them."},
    {Mark::Buffers, "buffers", &estimate::StageMemory::buffers, "Communication buffers, logits and working space."},
    {Mark::Reserve, "reserve", &estimate::StageMemory::reserve,
        "Context of the framework and the collectives library."},
}};

bool isFiniteMemory(const estimate::StageMemory& m)
{
    return std::all_of(kMemoryKinds.begin(), kMemoryKinds.end(), [&](const MemoryKind& kind) {
        const double v = (m.*kind.part).value();
        return std::isfinite(v) && v >= 0;
    });
}

Stack memoryStack(const estimate::StageMemory& memory, int stage)
{
    Stack stack;
    stack.label = QString::number(stage);
    stack.firstStage = stack.lastStage = stage;
    for (const MemoryKind& kind : kMemoryKinds) {
        const double value = (memory.*kind.part).value();
        if (!(value > 0))
            continue;
        stack.segments.push_back({kind.mark, Pattern::Solid, stack.total, value, QString::fromLatin1(kind.name),
            QString::fromLatin1(kind.explanation), false});
        stack.total += value;
    }
    return stack;
}

} // namespace

std::optional<MemoryView> memoryView(const estimate::Estimate& e)
{
    const estimate::Memory& m = e.memory;
    if (m.stages.empty() || !std::isfinite(m.capacity.value())
        || !std::all_of(
            m.stages.begin(), m.stages.end(), [](const estimate::StageMemory& s) { return isFiniteMemory(s); }))
        return std::nullopt;
    MemoryView view;
    view.capacity = m.capacity;
    for (std::size_t i = 0; i < m.stages.size(); ++i) {
        view.stacks.push_back(memoryStack(m.stages[i], static_cast<int>(i)));
        view.capacities.push_back(m.stages[i].capacity > Bytes{} ? m.stages[i].capacity : m.capacity);
        const Bytes total(view.stacks.back().total), capacity = view.capacities.back();
        view.largest = std::max({view.largest, total.value(), capacity.value()});
        if (i == 0 || cost::fillsMore({total, capacity}, {view.peak, view.capacity})) {
            view.peak = total;
            view.capacity = capacity;
            view.peakStage = static_cast<int>(i);
        }
    }
    if (!(view.peak.value() > 0))
        return std::nullopt;
    view.fits = view.peak <= view.capacity;
    for (const MemoryKind& kind : kMemoryKinds) {
        const bool occurs = std::any_of(m.stages.begin(), m.stages.end(),
            [&](const estimate::StageMemory& s) { return (s.*kind.part).value() > 0; });
        if (occurs)
            view.legend.push_back({QString::fromLatin1(kind.name), kind.mark, Pattern::Solid, LegendEntry::Shape::Box});
    }
    return view;
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: Apache-2.0
#include "core/partition/states.h"

#include "core/partition/context_exchange.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace stratoplan::partition {
namespace {

/// What each bit of a rank's number is a digit of, two bits of a way each and the highest rank bit first, and how many
/// of the last ones are none.
struct Axes {
    std::vector<Axis> digits;
    int copies = 0;
};
constexpr int kDigit = 2;

int wayOf(const Axes& axes, int bits)
{
    int way = 0;
    for (const Axis axis : axes.digits)
        way = way << kDigit | int(axis);
    return (way << kDigit * axes.copies) | axes.copies << kDigit * bits;
}

Axes axesOf(int way, int bits)
{
    Axes axes;
    axes.copies = way >> kDigit * bits;
    for (int digit = bits - 1; digit >= axes.copies; --digit)
        axes.digits.push_back(Axis(way >> kDigit * digit & 3));
    return axes;
}

Layout layoutOf(const Axes& axes, int bits)
{
    Layout layout{bits};
    int bit = bits;
    for (const Axis axis : axes.digits)
        layout.digits[std::size_t(axis)].append(--bit);
    return layout;
}

bool divides(double size, int digits)
{
    return std::fmod(size, double(1 << digits)) == 0;
}

bool exchangesContext(OperatorKind kind)
{
    return kind == OperatorKind::FusedAttention || kind == OperatorKind::Scores || kind == OperatorKind::Context;
}

/// Parts that the channels of an operator are cut into beside those of its layout: ranks of context parallelism may
/// get whole heads for their tokens.
int partsOfHeads(const Block& block, OperatorKind kind)
{
    const bool swaps = block.context.method == parallel::ContextMethod::Ulysses
        && (exchangesContext(kind) || kind == OperatorKind::Softmax);
    return swaps ? block.context.ranks : 1;
}

bool divides(const Block& block, const BlockOperator& op, const Layout& layout)
{
    const LinearSize& size = op.size;
    const auto digits = [&](Axis axis) { return layout.digits[std::size_t(axis)].count; };
    return divides(size.b, digits(Axis::Batch)) && divides(size.m, digits(Axis::Tokens))
        && divides(size.k / partsOfHeads(block, op.kind), digits(Axis::Channels))
        && divides(size.n, digits(Axis::Keys));
}

std::vector<Axis> axesAlong(OperatorKind kind)
{
    using enum Axis;
    if (kind == OperatorKind::Scores || kind == OperatorKind::Context)
        return {Batch, Tokens, Channels, Keys};
    return {Batch, Tokens, Channels};
}

bool mayCopy(OperatorKind kind)
{
    return kind == OperatorKind::Residual || kind == OperatorKind::Norm || kind == OperatorKind::Activation;
}

/// Whether its channels are heads.
bool namesHeads(OperatorKind kind)
{
    return !mayCopy(kind) && kind != OperatorKind::Experts;
}
constexpr std::string_view kAxisLetters = "BMKJ"; // by Axis
char letterOf(OperatorKind kind, Axis axis)
{
    return axis == Axis::Channels && namesHeads(kind) ? 'H' : kAxisLetters[std::size_t(axis)];
}

/// Whether states() has it: experts see tokens alone; copies are held by the last bits while others cut the batch.
bool isWay(OperatorKind kind, const Axes& axes)
{
    const auto all = [&](Axis axis) { return std::ranges::all_of(axes.digits, [=](Axis a) { return a == axis; }); };
    if (kind == OperatorKind::Experts)
        return axes.copies == 0 && all(Axis::Tokens);
    return axes.copies == 0 || (mayCopy(kind) && all(Axis::Batch));
}

/// Gradients are read, added to and written once for each micro-batch where the product does not accumulate in place.
Seconds accumulation(double parameters, const GroupPricing& pricing)
{
    return Bytes(parameters * pricing.software.gradientAccumulationBytes) / pricing.machine.memory;
}

/// The bits that are digits of an axis.
unsigned bitsOf(const Digits& digits)
{
    unsigned bits = 0;
    for (std::size_t i = 0; i < digits.count; ++i)
        bits |= 1U << digits.bits[i];
    return bits;
}

class StateMaker {
public:
    StateMaker(const Block& block, const BlockOperator& op, const GroupPricing& pricing)
        : m_block(block)
        , m_op(op)
        , m_pricing(pricing)
    {
    }

    [[nodiscard]] PricedState along(const Axes& axes, const Layout& layout) const
    {
        State state;
        state.way = wayOf(axes, m_pricing.bits);
        ports(layout, state);
        PassPrices passes;
        Seconds attention{}, attentionBackward{};
        for (const workload::Operator& whole : m_op.forward) {
            const Seconds time = take(whole, shareOfWork(layout, whole));
            passes.forward.compute += time;
            passes.repeated.compute += time * whole.repeated;
            attention += time * whole.attentionCore;
        }
        for (const workload::Operator& whole : m_op.backward) {
            const Seconds time = take(whole, shareOfWork(layout, whole));
            passes.backward.compute += time;
            attentionBackward += time * whole.attentionCore;
        }
        if (m_block.context.ranks > 1 && exchangesContext(m_op.kind))
            exchange(layout, attention, attentionBackward, passes, state);
        const Seconds addition = accumulation(m_op.parameters, m_pricing);
        passes.backward.compute += addition;
        passes.backward.weightGradient += addition;
        if (const Digits& channels = layout.digits[std::size_t(Axis::Channels)];
            m_op.kind == OperatorKind::Norm && channels.count > 0) {
            const PassPrice sums = statistics(channels, layout);
            passes += {sums, sums, sums.times(m_op.repeated)};
        }
        state.alone = passes.total().value();
        const PassPrice gradients = gradientSum(layout);
        state.sums = gradients.exposed.value();
        state.spread(m_block.microBatches);
        passes.backward += gradients.times(1.0 / m_block.microBatches);
        state.parameters = m_op.parameters;
        state.kept = m_op.kept.value() * layout.share();
        state.remade = m_op.remade.value() * layout.share();
        state.working += m_op.gradients.value() * layout.share();
        return {state, passes};
    }

    /// Its work where ranks share it out evenly.
    void addLeast(LeastCompute& sum) const
    {
        const double share = std::exp2(-m_pricing.bits);
        sum.all += accumulation(m_op.parameters, m_pricing);
        for (const workload::Operator& whole : m_op.forward) {
            const Seconds time = take(whole, share);
            sum.all += time * (1 + whole.repeated);
            sum.attention += time * whole.attentionCore;
        }
        for (const workload::Operator& whole : m_op.backward) {
            const Seconds time = take(whole, share);
            sum.all += time;
            sum.attentionBackward += time * whole.attentionCore;
        }
    }

private:
    [[nodiscard]] const GroupPlace& place() const { return m_pricing.layouts.place(); }

    [[nodiscard]] Seconds take(workload::Operator part, double share) const
    {
        part.flops *= share;
        part.traffic *= share;
        return cost::seconds(part, m_pricing.machine, m_pricing.software);
    }

    /// Two sums of each token, in FP32 (Ba et al., arXiv 1607.06450).
    [[nodiscard]] PassPrice statistics(const Digits& channels, const Layout& layout) const
    {
        const double ranks = 1 << channels.count;
        const Bytes sums(8 * m_op.size.b * m_op.size.m * layout.share() * ranks);
        PassPrice price;
        price.exposed = allReduce(place().topology, spanOfBits(place().span, bitsOf(channels)), sums);
        price.collective = sums * (2 * (ranks - 1) / ranks);
        return price;
    }

    /// Of parameters that every rank holds: what ranks with other tokens make of their gradients is summed up after the
    /// last micro-batch. Where channels are cut, each rank has those of its own alone.
    [[nodiscard]] PassPrice gradientSum(const Layout& layout) const
    {
        const unsigned bits =
            bitsOf(layout.digits[std::size_t(Axis::Batch)]) | bitsOf(layout.digits[std::size_t(Axis::Tokens)]);
        if (m_op.parameters == 0 || bits == 0)
            return {};
        const double ranks = 1 << std::popcount(bits);
        const double slices = 1 << layout.digits[std::size_t(Axis::Channels)].count;
        const Bytes gradients(m_op.parameters / slices * m_block.weightGradient);
        PassPrice price;
        price.exposed = allReduce(place().topology, spanOfBits(place().span, bits), gradients);
        price.collective = gradients * (2 * (ranks - 1) / ranks);
        return price;
    }

    /// With ranks of other tokens. What attention holds of them in any case is counted beside the layer
    /// (DividedLayers).
    void exchange(
        const Layout& layout, Seconds attention, Seconds attentionBackward, PassPrices& passes, State& state) const
    {
        const BlockContext& context = m_block.context;
        for (const workload::Operator& whole : context.between)
            attention += take(whole, shareOfWork(layout, whole)) * (whole.attentionCore / double(context.parts));
        for (const workload::Operator& whole : context.betweenBackward)
            attentionBackward +=
                take(whole, shareOfWork(layout, whole)) * (whole.attentionCore / double(context.parts));
        const Layout keys = keysOf(layout);
        const int cutsOfHeads = 1 << keys.digits[std::size_t(Axis::Channels)].count;
        const ContextExchange exchange =
            contextExchange(context, part(context.tensors, keys.share(), withoutKeys(layout).share(), cutsOfHeads),
                {place().topology, m_pricing.context}, attention, attentionBackward);
        passes += exchange.passes;
        const Bytes counted = leastContextBlocks(context, 1 << m_pricing.bits).all() / double(context.parts);
        state.working += (exchange.blocks.all() - counted).value();
    }

    /// Of the slowest rank: where masked keys are passed over, the last queries see the most. With context parallelism
    /// each rank has one early and one late piece of a sequence, and slices are of both.
    [[nodiscard]] double shareOfWork(const Layout& layout, const workload::Operator& whole) const
    {
        using namespace workload::names;
        if (whole.name == kRingKeys || whole.name == kRingKeyGradients)
            return keysOf(layout).share();
        const int queries = 1 << layout.digits[std::size_t(Axis::Tokens)].count;
        const bool uneven = m_block.causal && (whole.name == kFlashAttention || whole.name == kFlashAttentionGradient);
        const double pieces = m_block.context.ranks > 1 ? 2.0 * m_block.context.ranks : 1;
        return layout.share() * (uneven ? 1 + (1 - 1.0 / queries) / pieces : 1);
    }

    /// Keys and values go with the heads of queries that use them: there may be fewer.
    [[nodiscard]] Layout keysOf(const Layout& layout) const
    {
        Layout keys{layout.bits};
        keys.digits[std::size_t(Axis::Batch)] = layout.digits[std::size_t(Axis::Batch)];
        keys.digits[std::size_t(Axis::Tokens)] = layout.digits[std::size_t(Axis::Keys)];
        const Digits& heads = layout.digits[std::size_t(Axis::Channels)];
        for (std::size_t i = 0; i < heads.count && divides(m_block.keyValueHeads, int(i) + 1); ++i)
            keys.digits[std::size_t(Axis::Channels)].append(heads.bits[i]);
        return keys;
    }
    [[nodiscard]] static Layout withoutKeys(Layout layout)
    {
        layout.digits[std::size_t(Axis::Keys)] = {};
        return layout;
    }
    /// Bits whose ranks hold the same part: of a gradient they make parts of a sum.
    [[nodiscard]] static unsigned copiedBits(const Layout& layout)
    {
        unsigned all = (1U << layout.bits) - 1;
        for (const Digits& digits : layout.digits)
            all &= ~bitsOf(digits);
        return all;
    }

    void ports(const Layout& layout, State& state) const
    {
        Layouts& layouts = m_pricing.layouts;
        const auto number = [&](const Layout& wanted) { return layouts.number(wanted); };
        const auto summed = [&](const Layout& wanted) { return layouts.sums(wanted, copiedBits(wanted)); };
        switch (m_op.kind) {
        case OperatorKind::FusedAttention: {
            const Layout keys = keysOf(layout);
            state.wants = {number(layout), number(keys)};
            state.gives = {layouts.sums(layout, 0), summed(keys)};
            state.makes = layouts.sums(layout, 0);
            return;
        }
        case OperatorKind::Scores: {
            const Layout queries = withoutKeys(layout), keys = keysOf(layout);
            state.wants = {number(queries), number(keys)};
            state.gives = {summed(queries), summed(keys)};
            state.makes = layouts.sums(layout, 0);
            return;
        }
        case OperatorKind::Context: {
            const Layout queries = withoutKeys(layout), values = keysOf(layout);
            state.wants = {number(layout), number(values)};
            state.gives = {layouts.sums(layout, 0), summed(values)};
            state.makes = summed(queries);
            return;
        }
        case OperatorKind::Experts: // and what shared ones make, to add to it
            state.wants = {number(layout), number(layout)};
            state.makes = layouts.sums(layout, 0);
            state.gives = {state.makes, state.makes};
            return;
        default:
            state.wants[0] = number(layout);
            state.gives[0] = state.makes = layouts.sums(layout, 0);
        }
    }

    const Block& m_block;
    const BlockOperator& m_op;
    const GroupPricing& m_pricing;
};

LinearPricing linearPricing(const Block& block, const BlockOperator& op, const GroupPricing& pricing)
{
    return {pricing.machine, pricing.software, pricing.layouts.place(), {block.element, block.weightGradient},
        block.narrow, op.castsInput};
}

bool divides(const LinearSize& size, const LinearTraffic& traffic)
{
    for (const Dimension dimension : kDimensions)
        if (std::fmod(size.along(dimension), traffic.slices[std::size_t(dimension)]) != 0)
            return false;
    return true;
}

/// A phase without what is summed up on the way to the next operator (LayerSteps).
PassPrice passOf(const PhaseCost& phase)
{
    PassPrice price;
    price.compute = phase.compute;
    price.exposed = phase.exposed;
    price.hidden = phase.ring - phase.exposed;
    price.ring = phase.ringBytes;
    return price;
}

/// Without the sums of its weight's gradients: these add up over micro-batches, and are summed over ranks after the
/// last one.
PassPrices linearPasses(const Block& block, const BlockOperator& op, const LinearTraffic& traffic,
    const LinearPricing& linear, const GroupPricing& pricing)
{
    PassPrices passes;
    passes.forward = passOf(phaseCost(traffic, Phase::Forward, op.size, linear));
    passes.repeated = passes.forward.times(op.repeated);
    const PhaseCost gradient = phaseCost(traffic, Phase::Gradient, op.size, linear);
    PassPrice ofWeight = passOf(gradient);
    ofWeight.compute += accumulation(op.parameters / traffic.blocks[std::size_t(Tensor::Weight)], pricing);
    ofWeight.weightGradient = ofWeight.compute;
    passes.backward = passOf(phaseCost(traffic, Phase::Backward, op.size, linear));
    passes.backward += ofWeight;
    // A primitive's weight lies elsewhere after its forward phase. Other micro-batches want it at home, and so does the
    // repetition, which the backward phase follows at once.
    const PassPrice way = passOf(weightHome(traffic, op.size, linear));
    if (block.runsOthersBetween || op.repeated > 0)
        passes.forward += way;
    if (block.runsOthersBetween)
        passes.backward += way.times(1 - op.repeated);
    return passes;
}

PricedState linearState(const Block& block, const BlockOperator& op, const Sequences::Entry& entry,
    const LinearPricing& linear, const GroupPricing& pricing)
{
    PricedState priced;
    State& state = priced.state;
    state.wants[0] = entry.wants;
    state.gives[0] = entry.gives;
    state.makes = entry.makes;
    priced.passes = linearPasses(block, op, entry.traffic, linear, pricing);
    state.alone = priced.passes.total().value();
    const PhaseCost gradient = phaseCost(entry.traffic, Phase::Gradient, op.size, linear);
    state.sums = gradient.allReduce.value();
    state.spread(block.microBatches);
    priced.passes.backward.exposed += gradient.allReduce / double(block.microBatches);
    priced.passes.backward.collective += gradient.collectiveBytes / double(block.microBatches);
    state.parameters = op.parameters / entry.traffic.blocks[std::size_t(Tensor::Weight)];
    state.working = linearBytes(entry.traffic, op.size, linear.element).buffers.value();
    return priced;
}

std::vector<State> linearStates(
    const Block& block, const BlockOperator& op, const Sequences& sequences, const GroupPricing& pricing)
{
    const LinearPricing linear = linearPricing(block, op, pricing);
    std::vector<State> states;
    for (std::size_t way = 0; way < sequences.all().size(); ++way) {
        const Sequences::Entry& entry = sequences.all()[way];
        if (!divides(op.size, entry.traffic))
            continue;
        states.push_back(linearState(block, op, entry, linear, pricing).state);
        states.back().way = int(way);
    }
    return states;
}

/// Of what describe() says of others than linear operators; nothing where a letter is none, or the operator cannot be
/// cut along it.
std::optional<Axes> axesFrom(const BlockOperator& op, const std::string& text, int bits)
{
    if (text.size() % 2 == 0)
        return std::nullopt;
    Axes axes;
    const std::vector<Axis> along = axesAlong(op.kind);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        if (i > 0 && text[i - 1] != ',')
            return std::nullopt;
        if (text[i] == '-') {
            ++axes.copies;
            continue;
        }
        const std::size_t letter = kAxisLetters.find(text[i] == 'H' && namesHeads(op.kind) ? 'K' : text[i]);
        if (letter == std::string_view::npos || axes.copies > 0
            || std::find(along.begin(), along.end(), Axis(letter)) == along.end())
            return std::nullopt;
        axes.digits.push_back(Axis(letter));
    }
    if (bits == 0)
        return Axes{};
    return int(axes.digits.size()) + axes.copies == bits && isWay(op.kind, axes) ? std::optional(axes) : std::nullopt;
}

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// Bits of a rank's number; none where the kind of operator is not divided by the part.
int bitsTaken(OperatorKind kind, const std::string& part)
{
    if (kind == OperatorKind::Linear) {
        const auto sequence = parseSequence(part);
        return sequence ? bits(*sequence) : 0;
    }
    BlockOperator op;
    op.kind = kind;
    return axesFrom(op, part, 1) ? 1 : 0;
}

/// An axis that is not cut evenly; Other where all are.
WayReason unevenAxis(const Block& block, const BlockOperator& op, const Axes& axes, int bits)
{
    const Layout layout = layoutOf(axes, bits);
    const std::array extents{op.size.b, op.size.m, op.size.k, op.size.n}; // by Axis
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const int parts = Axis(axis) == Axis::Channels ? partsOfHeads(block, op.kind) : 1;
        if (const int digits = layout.digits[axis].count; !divides(extents[axis] / parts, digits))
            return {WayReason::Kind::Uneven, {letterOf(op.kind, Axis(axis))}, extents[axis], parts * std::exp2(digits)};
    }
    return {};
}

WayReason unevenDimension(const LinearSize& size, const Sequence& sequence)
{
    const LinearPartition partition(sequence);
    for (const Dimension dimension : kDimensions)
        if (const int slices = partition.slices(dimension); std::fmod(size.along(dimension), slices) != 0)
            return {WayReason::Kind::Uneven, text({{dimension}}), size.along(dimension), double(slices)};
    return {};
}

} // namespace

std::array<int, kAxes> mostDigits(const Block& block)
{
    const LinearSize& size = block.operators.front().size;
    const auto most = [](double extent) {
        int digits = 0;
        while (digits < kMostBits && divides(extent, digits + 1))
            ++digits;
        return digits;
    };
    return {most(size.b), most(size.m), most(size.k), most(size.m)}; // by Axis
}

Sequences::Entry::Entry(Sequence itsSequence, Layouts& layouts)
    : Entry(itsSequence, LinearPartition(itsSequence), layouts)
{
}

Sequences::Entry::Entry(Sequence itsSequence, const LinearPartition& partition, Layouts& layouts)
    : sequence(std::move(itsSequence))
    , traffic(partition, layouts.place().span)
{
    const int last = partition.steps() - 1;
    const auto layoutAt = [&](Tensor tensor, Phase phase, int step) {
        return partition::layoutOf(partition, tensor, phase, step);
    };
    wants = layouts.number(layoutAt(Tensor::Input, Phase::Forward, 0));
    gives = layouts.sums(layoutAt(Tensor::Input, Phase::Backward, last), partition.reducedBits(Phase::Backward));
    makes = layouts.sums(layoutAt(Tensor::Output, Phase::Forward, last), partition.reducedBits(Phase::Forward));
}

Sequences::Sequences(int bits, Layouts& layouts, const std::stop_token& stop)
{
    for (Sequence& sequence : sequences(bits)) {
        if (stop.stop_requested())
            return;
        m_entries.emplace_back(std::move(sequence), layouts);
    }
}

std::vector<State> states(
    const Block& block, const BlockOperator& op, const Sequences& sequences, const GroupPricing& pricing)
{
    if (op.kind == OperatorKind::Linear)
        return linearStates(block, op, sequences, pricing);
    const StateMaker make(block, op, pricing);
    const int bits = pricing.bits;
    std::vector<State> all;
    const auto take = [&](const Axes& axes) {
        if (const Layout layout = layoutOf(axes, bits); divides(block, op, layout))
            all.push_back(make.along(axes, layout).state);
    };
    if (op.kind == OperatorKind::Experts) {
        take({std::vector<Axis>(std::size_t(bits), Axis::Tokens), 0});
        return all;
    }
    const std::vector<Axis> along = axesAlong(op.kind);
    std::vector<std::size_t> odometer(std::size_t(bits), 0);
    for (bool more = true; more;) {
        Axes axes;
        for (const std::size_t digit : odometer)
            axes.digits.push_back(along[digit]);
        take(axes);
        more = false;
        for (std::size_t i = odometer.size(); i-- > 0 && !more;)
            (more = ++odometer[i] < along.size()) || (odometer[i] = 0);
    }
    for (int copies = 1; mayCopy(op.kind) && copies <= bits; ++copies)
        take({std::vector<Axis>(std::size_t(bits - copies), Axis::Batch), copies});
    return all;
}

std::vector<LinearTraffic> cuts(int bits)
{
    const int ranks = 1 << bits;
    std::vector<LinearTraffic> unlike;
    for (const Sequence& sequence : sequences(bits)) {
        if (!std::ranges::is_sorted(
                sequence, {}, [](const Part& part) { return std::pair(part.order, part.dimension); }))
            continue; // another one has the same parts
        LinearTraffic& cut = unlike.emplace_back(LinearPartition(sequence), cluster::Span{ranks, ranks});
        cut.travels = {};
        cut.weightHome = {};
        cut.reducedBits = {};
    }
    return unlike;
}

LeastCompute leastCompute(const Block& block, const std::vector<LinearTraffic>& cuts, const GroupPricing& pricing)
{
    LeastCompute sum;
    for (const BlockOperator& op : block.operators) {
        if (op.kind != OperatorKind::Linear) {
            StateMaker(block, op, pricing).addLeast(sum);
            continue;
        }
        const LinearPricing linear = linearPricing(block, op, pricing);
        Seconds least(INFINITY);
        for (const LinearTraffic& cut : cuts)
            if (divides(op.size, cut))
                least = std::min(least, linearPasses(block, op, cut, linear, pricing).total());
        sum.all += least;
    }
    return sum;
}

std::string describe(const BlockOperator& op, int way, const Sequences& sequences, int bits)
{
    if (op.kind == OperatorKind::Linear)
        return text(sequences.all()[std::size_t(way)].sequence);
    const Axes axes = axesOf(way, bits);
    std::string text;
    for (int i = 0; i < bits; ++i) {
        text += text.empty() ? "" : ",";
        if (i >= int(axes.digits.size())) {
            text += '-';
            continue;
        }
        const Axis axis = axes.digits[std::size_t(i)];
        text += letterOf(op.kind, axis);
    }
    return text.empty() ? "-" : text;
}

std::optional<PricedState> pricedState(
    const Block& block, const BlockOperator& op, const std::string& text, const GroupPricing& pricing)
{
    if (op.kind == OperatorKind::Linear) {
        const auto sequence = parseSequence(text);
        if (!sequence || bits(*sequence) != pricing.bits)
            return std::nullopt;
        const Sequences::Entry entry(*sequence, pricing.layouts);
        if (!divides(op.size, entry.traffic))
            return std::nullopt;
        return linearState(block, op, entry, linearPricing(block, op, pricing), pricing);
    }
    const std::optional<Axes> axes = axesFrom(op, text, pricing.bits);
    if (!axes)
        return std::nullopt;
    const Layout layout = layoutOf(*axes, pricing.bits);
    if (!divides(block, op, layout))
        return std::nullopt;
    return StateMaker(block, op, pricing).along(*axes, layout);
}

WayReason againstWay(const Block& block, const BlockOperator& op, const std::string& text, int bits)
{
    using Kind = WayReason::Kind;
    int taken = 0;
    for (const std::string& part : split(text)) {
        const int takes = bitsTaken(op.kind, part);
        if (takes == 0)
            return {Kind::Part, part};
        taken += takes;
    }
    if (taken != bits)
        return {Kind::Ranks, {}, std::exp2(taken)};
    if (op.kind == OperatorKind::Linear)
        return unevenDimension(op.size, *parseSequence(text));
    const std::optional<Axes> axes = axesFrom(op, text, bits);
    return axes ? unevenAxis(block, op, *axes, bits) : WayReason{};
}

} // namespace stratoplan::partition

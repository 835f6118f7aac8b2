// SPDX-License-Identifier: Apache-2.0
#include "core/partition/states.h"

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

bool divides(const LinearSize& size, const Layout& layout)
{
    const auto digits = [&](Axis axis) { return layout.digits[std::size_t(axis)].count; };
    return divides(size.b, digits(Axis::Batch)) && divides(size.m, digits(Axis::Tokens))
        && divides(size.k, digits(Axis::Channels)) && divides(size.n, digits(Axis::Keys));
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

    [[nodiscard]] State along(const Axes& axes, const Layout& layout) const
    {
        State state;
        state.way = wayOf(axes, m_pricing.bits);
        ports(layout, state);
        const double share = shareOfWork(layout);
        const Taken forward = take(m_op.forward, share);
        state.forward = forward.seconds;
        state.backward = take(m_op.backward, share).seconds;
        state.seconds = state.forward + forward.repeated + state.backward;
        if (const Digits& channels = layout.digits[std::size_t(Axis::Channels)];
            m_op.kind == OperatorKind::Norm && channels.count > 0) {
            // Two sums of each token, in FP32, forward and backward (Ba et al., arXiv 1607.06450).
            const Bytes sums(8 * m_op.size.b * m_op.size.m * layout.share() * (1 << channels.count));
            const double time = allReduce(place().topology, spanOfBits(place().span, bitsOf(channels)), sums).value();
            state.forward += time;
            state.backward += time;
            state.seconds += time * (2 + m_op.repeated);
        }
        state.parameters = m_op.parameters;
        state.kept = m_op.kept.value() * layout.share();
        state.working = m_op.gradients.value() * layout.share();
        return state;
    }

private:
    [[nodiscard]] const GroupPlace& place() const { return m_pricing.layouts.place(); }

    struct Taken {
        double seconds = 0;
        double repeated = 0; ///< of them, by recomputation
    };
    [[nodiscard]] Taken take(const std::vector<workload::Operator>& whole, double share) const
    {
        Taken taken;
        for (workload::Operator part : whole) {
            part.flops *= share;
            part.traffic *= share;
            const double time = cost::seconds(part, m_pricing.machine, m_pricing.software).value();
            taken.seconds += time;
            taken.repeated += time * part.repeated;
        }
        return taken;
    }

    /// Of the slowest rank: where masked keys are passed over, the last queries see the most.
    [[nodiscard]] double shareOfWork(const Layout& layout) const
    {
        const int queries = 1 << layout.digits[std::size_t(Axis::Tokens)].count;
        const bool uneven = m_op.kind == OperatorKind::FusedAttention && m_block.causal;
        return layout.share() * (uneven ? 2 - 1.0 / queries : 1);
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
        default:
            state.wants[0] = number(layout);
            state.gives[0] = state.makes = layouts.sums(layout, 0);
        }
    }

    const Block& m_block;
    const BlockOperator& m_op;
    const GroupPricing& m_pricing;
};

LinearPricing linearPricing(const Block& block, const GroupPricing& pricing)
{
    return {pricing.machine, pricing.software, pricing.layouts.place(), {block.element, block.weightGradient},
        block.narrow};
}

bool divides(const LinearSize& size, const LinearTraffic& traffic)
{
    for (const Dimension dimension : kDimensions)
        if (std::fmod(size.along(dimension), traffic.slices[std::size_t(dimension)]) != 0)
            return false;
    return true;
}

std::vector<State> linearStates(
    const Block& block, const BlockOperator& op, const Sequences& sequences, const GroupPricing& pricing)
{
    const LinearPricing linear = linearPricing(block, pricing);
    std::vector<State> states;
    for (std::size_t way = 0; way < sequences.all().size(); ++way) {
        const Sequences::Entry& entry = sequences.all()[way];
        if (!divides(op.size, entry.traffic))
            continue;
        State state;
        state.way = int(way);
        state.wants[0] = entry.wants;
        state.gives[0] = entry.gives;
        state.makes = entry.makes;
        const auto cost = [&](Phase phase) { return phaseCost(entry.traffic, phase, op.size, linear); };
        // What a phase makes in parts is summed up on the way to the next operator (LayerSteps), but for gradients of
        // weights: they add up over micro-batches, and are summed over ranks after the last one.
        const auto worked = [](const PhaseCost& phase) { return phase.compute + phase.exposed; };
        state.forward = worked(cost(Phase::Forward)).value();
        const PhaseCost gradient = cost(Phase::Gradient);
        state.backward =
            (worked(cost(Phase::Backward)) + worked(gradient) + gradient.allReduce / double(block.microBatches))
                .value();
        state.seconds = state.forward * (1 + op.repeated) + state.backward;
        const LinearBytes bytes = linearBytes(entry.traffic, op.size, linear.element);
        state.parameters = op.parameters / entry.traffic.blocks[std::size_t(Tensor::Weight)];
        state.kept = op.kept.value();
        state.working = bytes.buffers.value();
        states.push_back(state);
    }
    return states;
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

Sequences::Sequences(int bits, Layouts& layouts)
{
    for (Sequence& sequence : sequences(bits)) {
        const LinearPartition partition(sequence);
        const int last = partition.steps() - 1;
        const auto layoutAt = [&](Tensor tensor, Phase phase, int step) {
            return partition::layoutOf(partition, tensor, phase, step);
        };
        const int wants = layouts.number(layoutAt(Tensor::Input, Phase::Forward, 0));
        const Sums gives =
            layouts.sums(layoutAt(Tensor::Input, Phase::Backward, last), partition.reducedBits(Phase::Backward));
        const Sums makes =
            layouts.sums(layoutAt(Tensor::Output, Phase::Forward, last), partition.reducedBits(Phase::Forward));
        m_entries.push_back({std::move(sequence), LinearTraffic(partition, layouts.place().span), wants, gives, makes});
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
        if (const Layout layout = layoutOf(axes, bits); divides(op.size, layout))
            all.push_back(make.along(axes, layout));
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

std::string describe(const BlockOperator& op, int way, const Sequences& sequences, int bits)
{
    if (op.kind == OperatorKind::Linear)
        return text(sequences.all()[std::size_t(way)].sequence);
    const bool heads =
        op.kind != OperatorKind::Residual && op.kind != OperatorKind::Norm && op.kind != OperatorKind::Activation;
    const Axes axes = axesOf(way, bits);
    std::string text;
    for (int i = 0; i < bits; ++i) {
        text += text.empty() ? "" : ",";
        if (i >= int(axes.digits.size())) {
            text += '-';
            continue;
        }
        constexpr std::string_view kAxisLetters = "BMKJ";
        const Axis axis = axes.digits[std::size_t(i)];
        text += axis == Axis::Channels && heads ? 'H' : kAxisLetters[std::size_t(axis)];
    }
    return text.empty() ? "-" : text;
}

} // namespace stratoplan::partition

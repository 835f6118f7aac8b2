// SPDX-License-Identifier: Apache-2.0
#include "core/partition/block.h"

#include <algorithm>
#include <optional>

namespace stratoplan::partition {
namespace {

namespace names = workload::names;

/// Norms read and write the stream, residuals and dropout what is left of its traffic: 8 of 22 bytes per channel
/// forward, 10 of 26 backward.
constexpr double kNormForward = 8.0 / 22, kNormBackward = 10.0 / 26;

using Kept = workload::KeptTensor;

/// What is kept of a tensor, and what recomputation makes again of it.
struct Held {
    Kept as = Kept::NormInputs;
    Bytes kept{}, remade{};
    [[nodiscard]] Held part(double share) const { return {as, kept * share, remade * share}; }
};

class BlockMaker {
public:
    BlockMaker(const plan::Plan& plan, bool experts, parallel::Recompute recompute)
        : m_plan(plan)
        , m_experts(experts)
        , m_recompute(recompute)
        , m_shape(workload::layerShape(plan))
        , m_work(workload::lowerLayer(m_shape, experts))
        , m_kept(workload::keptTensors(m_work.activations, recompute))
        , m_remade(workload::remadeTensors(m_work.activations, recompute))
    {
        m_batch = plan.strategy.microBatch;
        m_tokens = double(plan.training.sequenceLength) / plan.strategy.cp;
        m_hidden = plan.model.hidden;
    }

    [[nodiscard]] Block block()
    {
        m_block.keyValueHeads = m_plan.model.kvHeads;
        m_block.causal = isFlash(m_plan.training.attention) && !m_plan.model.slidingWindow
            && plan::attentionLength(m_plan.training) >= m_plan.training.sequenceLength;
        m_block.element = m_shape.element;
        m_block.narrow = workload::hasNarrowProducts(m_plan.training);
        m_block.weightGradient = m_plan.training.fp32Gradients ? 4 : m_shape.element;
        m_block.microBatches = plan::microBatches(m_plan);
        m_block.runsOthersBetween = m_plan.strategy.pp > 1;
        setContext();
        const int stream = add(residual("residual"));
        const int attention = addAttention(stream);
        addFfn(attention);
        return std::move(m_block);
    }

private:
    [[nodiscard]] Bytes kept(Kept tensor) const { return m_kept[std::size_t(tensor)]; }
    [[nodiscard]] Held held(Kept tensor) const { return {tensor, kept(tensor), m_remade[std::size_t(tensor)]}; }
    static void hold(BlockOperator& op, const Held& held)
    {
        op.keptAs = held.as;
        op.kept = held.kept;
        op.remade = held.remade;
    }
    [[nodiscard]] Bytes stream() const { return Bytes(m_shape.tokens * m_hidden * m_shape.element); }

    [[nodiscard]] static const workload::Operator& find(const workload::Pass& pass, std::string_view name)
    {
        return *std::find_if(pass.operators.begin(), pass.operators.end(),
            [&](const workload::Operator& op) { return op.name == name; });
    }
    [[nodiscard]] double repeated(const workload::Operator& op) const
    {
        return m_recompute == parallel::Recompute::Full     ? 1
            : m_recompute == parallel::Recompute::Selective ? op.repeated
                                                            : 0;
    }

    int add(BlockOperator op)
    {
        m_block.operators.push_back(std::move(op));
        return m_block.size() - 1;
    }
    void join(int from, int to, Bytes bytes, const Held& held = {}, int input = 0)
    {
        m_block.edges.push_back({from, to, input, bytes, held.kept, held.remade, held.as});
    }

    [[nodiscard]] BlockOperator onTokens(
        std::string_view name, OperatorKind kind, double channels, double keys = 1) const
    {
        return {name, kind, {m_batch, m_tokens, keys, channels}};
    }

    /// A share of what the lowering has as one operator of the layer.
    void take(BlockOperator& op, std::string_view forward, std::string_view backward, double ofForward = 1,
        double ofBackward = 1) const
    {
        op.forward.push_back(find(m_work.forward, forward));
        op.backward.push_back(find(m_work.backward, backward));
        op.forward.back().repeated = repeated(op.forward.back());
        op.repeated = std::max(op.repeated, op.forward.back().repeated);
        for (const auto& [part, share] :
            {std::pair{&op.forward.back(), ofForward}, std::pair{&op.backward.back(), ofBackward}}) {
            part->flops *= share;
            part->traffic *= share;
        }
    }
    /// Of norms and residuals, which the lowering has as one operator, either the whole is repeated or the norms are.
    static void repeat(BlockOperator& op, bool whole) { op.forward.back().repeated = op.repeated = whole ? 1 : 0; }

    [[nodiscard]] BlockOperator residual(std::string_view name) const
    {
        BlockOperator op = onTokens(name, OperatorKind::Residual, m_hidden);
        take(op, names::kNorms, names::kNormGradients, (1 - kNormForward) / 2, (1 - kNormBackward) / 2);
        repeat(op, op.repeated == 1);
        hold(op, held(Kept::DropoutMasks).part(0.5));
        return op;
    }

    [[nodiscard]] BlockOperator norm(std::string_view name, bool first) const
    {
        BlockOperator op = onTokens(name, OperatorKind::Norm, m_hidden);
        take(op, names::kNorms, names::kNormGradients, kNormForward / 2, kNormBackward / 2);
        repeat(op, op.repeated > 0);
        op.parameters = m_plan.model.hidden * (m_plan.model.norm == model::Norm::Layer ? 2 : 1);
        hold(op, held(Kept::NormInputs).part(0.5));
        if (m_recompute == parallel::Recompute::Full) { // keeps the layer's input alone
            const Bytes all = op.kept + op.remade;
            op.kept = first ? kept(Kept::NormInputs) : Bytes{};
            op.remade = all - op.kept;
        }
        return op;
    }

    /// `lowered`: what the lowering calls it.
    [[nodiscard]] BlockOperator linear(std::string_view name, std::string_view lowered, double n, double k) const
    {
        BlockOperator op{name, OperatorKind::Linear, {m_batch, m_tokens, n, k}};
        op.repeated = repeated(find(m_work.forward, lowered));
        op.castsInput = find(m_work.forward, lowered).cast > 0;
        if (lowered == names::kFfnDown && m_recompute == parallel::Recompute::Full
            && m_plan.training.software.recomputeEarlyStop)
            op.repeated = 0; // nothing before its gradient reads what it makes
        op.parameters = n * k;
        return op;
    }
    [[nodiscard]] BlockOperator linear(std::string_view name, double n, double k) const
    {
        return linear(name, name, n, k);
    }

    /// From the stream to the one that adds the attention's output to it.
    int addAttention(int stream)
    {
        const int norm = add(this->norm("attention norm", true));
        join(stream, norm, this->stream());
        const double heads = m_plan.model.heads, width = m_plan.model.headDim;
        const double keyValues = m_plan.model.kvHeads * width;
        const int qkv = add(linear(names::kQkv, m_hidden, heads * width + 2 * keyValues));
        join(norm, qkv, this->stream(), held(Kept::ColumnInputs).part(0.5));
        const int core = isFlash(m_plan.training.attention) ? addFused(qkv) : addUnfused(qkv);
        const int projection = add(linear(names::kAttentionOutput, heads * width, m_hidden));
        join(core, projection, Bytes(m_shape.tokens * heads * width * m_shape.element), held(Kept::AttentionOutput));
        const int sum = add(residual("attention residual"));
        join(projection, sum, this->stream());
        join(stream, sum, this->stream());
        return sum;
    }

    void setContext()
    {
        BlockContext& context = m_block.context;
        context.method = m_plan.strategy.contextMethod;
        context.ranks = m_plan.strategy.cp;
        context.tensors = contextTensors(m_shape);
        context.isRepeated = m_recompute == parallel::Recompute::Full
            || (m_recompute == parallel::Recompute::Selective
                && m_plan.training.software.selectiveRecompute == plan::SelectiveRecompute::AttentionCore);
    }

    [[nodiscard]] Bytes queryBytes() const
    {
        return Bytes(m_shape.tokens * m_plan.model.heads * m_plan.model.headDim * m_shape.element);
    }
    [[nodiscard]] Bytes keyBytes() const
    {
        return Bytes(m_shape.tokens * m_plan.model.kvHeads * m_plan.model.headDim * m_shape.element);
    }
    /// Of what is kept of queries, keys and values, the share of so many bytes of them.
    [[nodiscard]] Held heldOfQkv(Bytes bytes) const
    {
        return held(Kept::Qkv).part(bytes / (queryBytes() + keyBytes() * 2));
    }

    int addFused(int qkv)
    {
        BlockOperator op = onTokens("attention", OperatorKind::FusedAttention, m_plan.model.heads, m_tokens);
        take(op, names::kRotary, names::kRotaryGradients);
        take(op, names::kFlashAttention, names::kFlashAttentionGradient);
        if (hasNarrowAttention(m_plan.training))
            take(op, names::kAttentionCasts, names::kAttentionGradientCasts);
        if (workload::isRing(m_plan.strategy)) {
            take(op, names::kRingKeys, names::kRingKeyGradients);
            take(op, names::kRingOutputs, names::kRingQueryGradients);
        }
        hold(op, held(Kept::SoftmaxStatistics));
        op.gradients = m_work.activations.attentionGradients;
        const int attention = add(std::move(op));
        join(qkv, attention, queryBytes(), heldOfQkv(queryBytes()), 0);
        join(qkv, attention, keyBytes() * 2, heldOfQkv(keyBytes() * 2), 1);
        return attention;
    }

    int addUnfused(int qkv)
    {
        const double heads = m_plan.model.heads;
        const Bytes matrix(m_shape.tokens * m_shape.scoreColumns * heads * m_shape.element);
        BlockOperator scores = onTokens("scores", OperatorKind::Scores, heads, m_tokens);
        take(scores, names::kRotary, names::kRotaryGradients);
        take(scores, names::kAttentionProducts, names::kAttentionProductGradients, 0.5, 0.5);
        BlockOperator softmax = onTokens(names::kSoftmax, OperatorKind::Softmax, heads);
        take(softmax, names::kSoftmax, names::kSoftmaxGradient);
        if (m_plan.model.dropout)
            take(softmax, names::kScoreDropout, names::kScoreDropoutGradient);
        hold(softmax, held(Kept::Scores));
        softmax.gradients = m_work.activations.attentionGradients;
        BlockOperator context = onTokens("context", OperatorKind::Context, heads, m_tokens);
        take(context, names::kAttentionProducts, names::kAttentionProductGradients, 0.5, 0.5);
        m_block.context.parts = 2;
        m_block.context.between = softmax.forward;
        m_block.context.betweenBackward = softmax.backward;
        const int first = add(std::move(scores)), second = add(std::move(softmax)), third = add(std::move(context));
        join(qkv, first, queryBytes(), heldOfQkv(queryBytes()), 0);
        join(qkv, first, keyBytes(), heldOfQkv(keyBytes()), 1);
        join(first, second, matrix);
        join(second, third, matrix, {}, 0);
        join(qkv, third, keyBytes(), heldOfQkv(keyBytes()), 1);
        return third;
    }

    /// From the stream to the layer's end.
    void addFfn(int stream)
    {
        const int norm = add(this->norm("FFN norm", false));
        join(stream, norm, this->stream());
        const FfnNames dense{names::kFfnUp, names::kFfnGateAndUp, names::kFfnActivation, names::kFfnDown};
        const int last = m_experts ? addExperts(norm)
                                   : addProducts(norm, dense, m_plan.model.ffnHidden, held(Kept::FfnIntermediates),
                                       m_work.activations.ffnGradients);
        join(last, m_block.size(), this->stream());
        join(stream, m_block.size(), this->stream());
    }

    /// Of a feed-forward network.
    struct FfnNames {
        std::string_view up, gateAndUp, activation, down;
    };

    /// The products of a network of that width and the activation between them: the last one. `all`: what they keep
    /// beside the input of the first one; `gradients`: alive while they are differentiated.
    int addProducts(int norm, const FfnNames& ffn, double width, const Held& all, Bytes gradients)
    {
        const bool gated = m_plan.model.gatedMlp;
        const int up = add(gated ? linear(ffn.gateAndUp, names::kFfnGateAndUp, m_hidden, 2 * width)
                                 : linear(ffn.up, names::kFfnUp, m_hidden, width));
        join(norm, up, this->stream(), held(Kept::ColumnInputs).part(0.5));
        BlockOperator activation = onTokens(ffn.activation, OperatorKind::Activation, width);
        take(activation, names::kFfnActivation, names::kFfnActivationGradient);
        activation.gradients = gradients;
        // Of what the FFN keeps the product behind the activation reads its output, unless that is made again.
        const Bytes output(m_shape.tokens * width * m_shape.element);
        const Bytes unrepeated = std::min(output, all.kept + all.remade);
        Held read{all.as, std::min(activation.repeated > 0 ? Bytes{} : output, all.kept)};
        read.remade = unrepeated - read.kept;
        hold(activation, {all.as, all.kept - read.kept, all.remade - read.remade});
        const int middle = add(std::move(activation));
        join(up, middle, output * (gated ? 2.0 : 1.0));
        const int down = add(linear(ffn.down, names::kFfnDown, width, m_hidden));
        join(middle, down, output, read);
        return down;
    }

    /// Shared experts come first: to what they make each rank adds what its tokens' experts do. Both read the norm, and
    /// keep what they read as they divide it.
    int addExperts(int norm)
    {
        const double ofShared = shareOfShared();
        const Held inside = held(Kept::ExpertIntermediates), tokens = held(Kept::RoutedTokens);
        std::optional<int> shared;
        if (ofShared > 0) {
            const FfnNames ffn{names::kSharedUp, names::kSharedGateAndUp, names::kSharedActivation, names::kSharedDown};
            shared = addProducts(norm, ffn, workload::sharedWidth(*m_plan.model.moe), inside.part(ofShared),
                m_work.activations.ffnGradients * ofShared);
        }
        BlockOperator op = onTokens(names::kExperts, OperatorKind::Experts, m_hidden);
        op.repeated = m_recompute == parallel::Recompute::Full ? 1 : 0;
        op.parameters = m_hidden * m_plan.model.moe->experts;
        const Held routed = inside.part(1 - ofShared);
        hold(op, {inside.as, tokens.kept + routed.kept, tokens.remade + routed.remade});
        op.gradients = m_work.activations.ffnGradients; // those of the shared ones are alive meanwhile
        const int experts = add(std::move(op));
        if (shared)
            join(*shared, experts, this->stream(), {}, 1);
        join(norm, experts, this->stream(), held(Kept::ColumnInputs).part(0.5));
        return experts;
    }

    /// Of what a token's experts have inside, that of the shared ones.
    [[nodiscard]] double shareOfShared() const
    {
        const model::MixtureOfExperts& moe = *m_plan.model.moe;
        const double shared = m_shape.tokens * workload::sharedWidth(moe);
        return shared / (shared + routedTokens(m_shape) * moe.expertFfn / m_plan.strategy.etp);
    }

    const plan::Plan& m_plan;
    bool m_experts;
    parallel::Recompute m_recompute;
    workload::LayerShape m_shape;
    workload::LayerWork m_work;
    workload::TensorBytes m_kept, m_remade;
    double m_batch = 1, m_tokens = 1, m_hidden = 1;
    Block m_block;
};

} // namespace

Block block(const plan::Plan& plan, bool experts, parallel::Recompute recompute)
{
    plan::Plan whole = plan;
    whole.strategy.tp = whole.strategy.ep = 1; // experts are as wide as the plan has them
    whole.strategy.sequenceParallel = false;
    return BlockMaker(whole, experts, recompute).block();
}

} // namespace stratoplan::partition

// SPDX-License-Identifier: Apache-2.0
#include "core/cost/memory.h"

#include "core/cost/communication.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stratoplan::cost {
namespace {

constexpr int kLayersOnTheWay = 2; // the one that works, and the one whose activations travel
constexpr double kSoftmaxBytes = 4; // per logit: what the loss keeps for its gradient, in FP32

/// What the ledger calls the states of the parameters that are experts', or not.
struct StateNames {
    std::string_view weights, gradients, narrow, widened, flattened; // gradients in 16 bits, cast to 32, in one piece
    std::string_view master, first, second, further; // what the optimizer keeps
};
constexpr StateNames kShared{.weights = "weights",
    .gradients = "gradients",
    .narrow = "16-bit gradients",
    .widened = "widened gradients",
    .flattened = "gradients in one piece",
    .master = "master weights",
    .first = "first moments",
    .second = "second moments",
    .further = "further optimizer states"};
constexpr StateNames kOfExperts{.weights = "expert weights",
    .gradients = "expert gradients",
    .narrow = "16-bit expert gradients",
    .widened = "widened expert gradients",
    .flattened = "expert gradients in one piece",
    .master = "expert master weights",
    .first = "expert first moments",
    .second = "expert second moments",
    .further = "further expert optimizer states"};

/// Walks through everything one accelerator of a stage holds and hands each item to `sink`, in the order of the ledger.
template <class Sink>
class Walk {
public:
    Walk(const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage, Sink& sink)
        : m_plan(plan)
        , m_strategy(plan.strategy)
        , m_zeroStage(effectiveZeroStage(plan))
        , m_software(plan.training.software)
        , m_work(work)
        , m_stage(stage)
        , m_sink(sink)
    {
    }

    void parameters()
    {
        states(kShared, false, m_stage.parameters, m_stage.tables());
        if (m_stage.expertParameters > 0)
            states(kOfExperts, true, m_stage.expertParameters, 0);
        gathers();
        buckets();
    }

    void passes()
    {
        activations();
        workingSet();
        loss();
        communication();
        add("framework, context and allocator", MemoryCategory::Reserve, Lifetime::Step, m_software.reserve);
    }

private:
    void add(std::string_view name, MemoryCategory category, Lifetime lifetime, Bytes bytes)
    {
        if (bytes.value() > 0)
            m_sink(LedgerItem{name, category, lifetime, bytes});
    }

    /// Whether the stack's own optimizer, not FSDP, shares out what it updates here.
    [[nodiscard]] bool flattens() const
    {
        return (m_zeroStage == 1 || m_zeroStage == 2) && m_strategy.offload != parallel::Offload::Optimizer;
    }

    /// Flattened gradients between replicas: one bucket on its way and one being filled, of as many gradients as there
    /// are.
    void buckets()
    {
        if (flattens())
            add("reduction buckets", MemoryCategory::Buffers, Lifetime::Step,
                std::min(
                    m_software.reduceBuckets, Bytes((m_stage.parameters + m_stage.expertParameters) * 2 * element())));
        if (streamsGradients(m_plan))
            add("gradients on their way to the host", MemoryCategory::Buffers, Lifetime::Step,
                Bytes(m_software.bucketParameters * element())); // of that size whatever there is
    }

    [[nodiscard]] double element() const { return storageBytes(m_plan.training.precision); }

    /// This rank's share of what the optimizer keeps of so many parameters, `tables` of them in embeddings and output
    /// projection. Weights in FP32 are their own master weights.
    void addStates(
        const StateNames& names, double parameters, double tables, double share, const plan::OptimizerState& ofLayers)
    {
        const plan::OptimizerState ofTables =
            tables > 0 ? optimizerState(m_plan.training, plan::Updated::Tables) : ofLayers;
        const auto addPart = [&](std::string_view name, double plan::OptimizerState::*part) {
            add(name, MemoryCategory::Optimizer, Lifetime::Step,
                Bytes((parameters * ofLayers.*part + tables * (ofTables.*part - ofLayers.*part)) * share));
        };
        if (element() != 4)
            addPart(names.master, &plan::OptimizerState::master);
        addPart(names.first, &plan::OptimizerState::first);
        addPart(names.second, &plan::OptimizerState::second);
        addPart(names.further, &plan::OptimizerState::copies);
    }

    /// `tables`: of `parameters`, in embeddings and output projection.
    void states(const StateNames& names, bool experts, double parameters, double tables)
    {
        using enum MemoryCategory;
        const bool fp32 = element() == 4;
        const int shards = shardRanks(m_strategy, experts);
        const StateBytes bytes = stateBytes(m_zeroStage, shards, m_plan.training.fp32Gradients, fp32);
        const double share = m_zeroStage >= 1 ? 1.0 / std::max(shards, 1) : 1.0;
        const plan::OptimizerState ofLayers = optimizerState(m_plan.training, plan::Updated::Layers);
        const auto add16 = [&](std::string_view name, MemoryCategory category, double each,
                               Lifetime lifetime = Lifetime::Step) {
            add(name, category, lifetime, Bytes(parameters * each));
        };
        const bool away = m_strategy.offload
            == parallel::Offload::Optimizer; // to the host (host_memory.h), which widens gradients itself
        add16(names.weights, Weights, bytes.weights);
        const bool streamed = streamsGradients(m_plan);
        if (!streamed)
            add16(names.gradients, Gradients, bytes.gradients);
        if (!streamed && m_software.narrowGradientsStay && m_plan.training.fp32Gradients && !fp32)
            add16(names.narrow, Gradients, 2 * (m_zeroStage >= 2 ? share : 1));
        if (away)
            return;
        addStates(names, parameters, tables, share, ofLayers);
        // Gradients of 16 bits are widened for the optimizer, which reads FP32, unless copies are there for good.
        if (!fp32 && !m_plan.training.fp32Gradients)
            add16(names.widened, Buffers, std::max(0.0, 4 - ofLayers.copies) * share, Lifetime::Optimizer);
        if (flattens()) // in one piece too large for what passes have given back
            add16(names.flattened, Buffers, m_software.flatGradientBytes * share);
    }

    void activations()
    {
        const bool away = m_strategy.offload
            == parallel::Offload::Activations; // to the host (host_memory.h), but for the embedding's
        addActivations("layer inputs", away ? Bytes{} : workload::sum(ofLayers(parallel::Recompute::Full)));
        workload::TensorBytes kept = away ? workload::TensorBytes{} : ofLayers(parallel::Recompute::None);
        const workload::TensorBytes selective =
            away ? workload::TensorBytes{} : ofLayers(parallel::Recompute::Selective);
        for (std::size_t i = 0; i < workload::kKeptTensors; ++i) {
            const auto tensor = workload::KeptTensor(i);
            kept[i] += selective[i];
            if (tensor == workload::KeptTensor::DropoutMasks && m_stage.embedding
                && m_plan.model.dropout) // that of the embedding, one byte
                kept[i] += Bytes(m_work.tokens * m_plan.model.hidden / replicatedBy());
            addActivations(name(tensor), kept[i]);
        }
        if (away) {
            Bytes each{};
            for (const parallel::Recompute recompute : parallel::kAllRecompute)
                for (const auto& [work, moe] : {std::pair(&m_work.dense, false), std::pair(&m_work.moe, true)})
                    if (layersWith(m_strategy, m_stage, moe, recompute) > 0)
                        each = std::max(each, keptActivations(work->activations, recompute));
            add("activations between accelerator and host", MemoryCategory::Buffers, Lifetime::Pass,
                each * std::min(kLayersOnTheWay, m_stage.layers()));
        }
        // The two normed halves that a prediction module joins, and what they were before.
        const double stream = m_work.tokens * m_plan.model.hidden * element();
        addActivations(
            "prediction module inputs", Bytes(m_stage.predictionModules * (2 * stream + 2 * stream / replicatedBy())));
    }

    /// What the stage's layers of one kind of recomputation keep, by tensor.
    [[nodiscard]] workload::TensorBytes ofLayers(parallel::Recompute recompute) const
    {
        workload::TensorBytes sums{};
        for (const auto& [work, moe] : {std::pair(&m_work.dense, false), std::pair(&m_work.moe, true)}) {
            const int layers = layersWith(m_strategy, m_stage, moe, recompute);
            if (layers == 0)
                continue;
            const workload::TensorBytes kept = keptTensors(work->activations, recompute);
            for (std::size_t i = 0; i < workload::kKeptTensors; ++i)
                sums[i] += kept[i] * layers;
        }
        return sums;
    }

    void addActivations(std::string_view name, Bytes bytes)
    {
        m_microBatch += bytes;
        add(name, MemoryCategory::Activations, Lifetime::MicroBatch, bytes);
    }

    /// What one layer needs beyond its kept activations while it is repeated and differentiated. When its attention is
    /// differentiated its FFN is done.
    [[nodiscard]] static Bytes layerWorkingSet(const workload::LayerActivations& a, parallel::Recompute recompute)
    {
        using enum workload::KeptTensor;
        const auto bytesOf = [&](workload::KeptTensor tensor) { return a.tensors[std::size_t(tensor)]; };
        const Bytes done = bytesOf(FfnIntermediates) + bytesOf(RoutedTokens) + bytesOf(ExpertIntermediates);
        Bytes repeated = workload::sum(workload::remadeTensors(a, recompute));
        if (recompute == parallel::Recompute::Full)
            repeated += a.beyondMean;
        return repeated + std::max({Bytes{}, a.ffnGradients, a.attentionGradients - done});
    }

    void workingSet()
    {
        Bytes largest{};
        bool repeats = false;
        for (const parallel::Recompute recompute : parallel::kAllRecompute) {
            const bool dense = layersWith(m_strategy, m_stage, false, recompute) > 0;
            const bool moe = layersWith(m_strategy, m_stage, true, recompute) > 0;
            if (dense)
                largest = std::max(largest, layerWorkingSet(m_work.dense.activations, recompute));
            if (moe)
                largest = std::max(largest, layerWorkingSet(m_work.moe.activations, recompute));
            repeats = repeats || ((dense || moe) && recompute != parallel::Recompute::None);
        }
        const Bytes layer = largest * m_software.transientLayers;
        const Bytes product(largestProduct() * m_software.gradientCopyBytes);
        add(repeats ? "recomputed layer and its gradients" : "activation gradients of a layer", MemoryCategory::Buffers,
            Lifetime::Backward, layer);
        add("gradient of a product before accumulation", MemoryCategory::Buffers, Lifetime::Backward, product);
        // The embedding's comes last of all, when the layers have given theirs back; at the end of the pipeline its
        // micro-batch too.
        const Bytes freed = layer + product + (m_stage.vocabularyShare ? Bytes{} : m_microBatch);
        add("gradient of the embedding beyond what is free by then", MemoryCategory::Buffers, Lifetime::Backward,
            embeddingGradient() - freed);
    }

    /// It is as large as the table and of its type, whatever sums it up.
    [[nodiscard]] Bytes embeddingGradient() const
    {
        return Bytes(lookUps(m_plan, m_stage) > 0 ? tableSize() * element() : 0);
    }

    /// Parameters of one rank's share of a vocabulary table.
    [[nodiscard]] double tableSize() const
    {
        return double(m_plan.model.vocabulary) * m_plan.model.hidden
            / (double(m_strategy.tp) * vocabularyStages(m_strategy));
    }

    /// Parameters of the largest matrix on one rank: the FFN's column product, the input projection of a state-space
    /// mixer, or the output projection.
    [[nodiscard]] double largestProduct() const
    {
        const model::Transformer& model = m_plan.model;
        const double ffn = m_stage.denseLayers > 0
            ? double(model.ffnHidden) * (model.gatedMlp ? 2 : 1) * model.hidden / m_strategy.tp
            : 0;
        const double mixer = model.mamba2 && m_stage.layers() > 0
            ? (innerWidth(*model.mamba2) + convolvedWidth(*model.mamba2) + model.mamba2->heads) * model.hidden
                / m_strategy.tp
            : 0;
        return std::max({ffn, mixer, predictions(m_plan, m_stage) > 0 ? tableSize() : 0});
    }

    void loss()
    {
        const int predicted = predictions(m_plan, m_stage);
        if (predicted == 0)
            return;
        // Where all stages work on the loss one after the other, each keeps a softmax until the others' are known.
        using enum parallel::VocabularyPlacement;
        const parallel::VocabularyPlacement placement = m_stage.vocabularyShare ? m_strategy.vocabularyPlacement : Ends;
        const Lifetime lifetime = placement == Ends ? Lifetime::Prediction
            : placement == Interlaced               ? Lifetime::Loss
                                                    : Lifetime::Step;
        const double kept = std::min(kSoftmaxBytes, m_software.logitBytes), elements = logits(m_plan, m_work);
        add("softmax of the logits", MemoryCategory::Buffers, lifetime, Bytes(elements * kept * predicted));
        add("logits and loss", MemoryCategory::Buffers, Lifetime::Loss,
            Bytes(elements * (m_software.logitBytes - kept)));
        if (placement == Ends)
            return;
        // The final hidden state as it came (core/workload) and in 16 bits, its gradient, and the embedding with its
        // own.
        const double hidden = m_work.tokens * m_plan.model.hidden / replicatedBy();
        add("hidden states of the divided vocabulary", MemoryCategory::Buffers, Lifetime::Step,
            Bytes(hidden * (3 * element() + (placement == Interlaced ? element() : 4 + element()))));
    }

    /// Two gathered units and one unreduced gradient of FSDP: layers, or the tables at the ends. Of a unit counts what
    /// several ranks share out.
    void gathers()
    {
        if (m_zeroStage < 3)
            return;
        const double shared = shardRanks(m_strategy, false) > 1;
        const double sharedExperts = shardRanks(m_strategy, true) > 1;
        double largest = shared * std::max(m_stage.embeddingParameters, m_stage.headParameters);
        if (m_stage.denseLayers > 0)
            largest = std::max(largest, shared * m_work.dense.largestShared);
        if (m_stage.moeLayers > 0)
            largest = std::max(largest, shared * m_work.moe.largestShared + sharedExperts * m_work.moe.largestExperts);
        add("gathered weights", MemoryCategory::Buffers, Lifetime::Pass, Bytes(largest * 2 * element()));
        add("gradient before it is reduced", MemoryCategory::Buffers, Lifetime::Backward,
            Bytes(largest * (m_plan.training.fp32Gradients ? 4 : element())));
    }

    /// The layers' buffers are used by one after the other.
    void communication()
    {
        const workload::LayerActivations& layer = (m_stage.moeLayers > 0 ? m_work.moe : m_work.dense).activations;
        add("gathered input of a product", MemoryCategory::Buffers, Lifetime::Pass, layer.gatheredColumns);
        add("keys and values of other ranks", MemoryCategory::Buffers, Lifetime::Pass, layer.contextBlocks.blocks);
        add("gradients of keys and values of other ranks", MemoryCategory::Buffers, Lifetime::Backward,
            layer.contextBlocks.gradients);
        if (m_strategy.pp > 1)
            add("pipeline transfers", MemoryCategory::Buffers, Lifetime::Step,
                2 * m_work.boundary * (m_strategy.sequenceParallel ? 1.0 / m_strategy.tp : 1.0));
    }

    [[nodiscard]] double replicatedBy() const { return m_strategy.sequenceParallel ? m_strategy.tp : 1.0; }

    const plan::Plan& m_plan;
    const parallel::Strategy& m_strategy;
    int m_zeroStage;
    const plan::SoftwareProfile& m_software;
    const workload::MicroBatchWork& m_work;
    const workload::StageLayout& m_stage;
    Sink& m_sink;
    Bytes m_microBatch{}; ///< activations of one, as far as walked
};

template <class Sink>
void walk(const plan::Plan& plan, const workload::Workload& workload, int index, Sink sink)
{
    Walk<Sink> through(plan, workload, workload.stages[std::size_t(index)], sink);
    through.parameters();
    through.passes();
}

/// Sums a walk by lifetime.
struct ByLifetime {
    std::array<Bytes, 7> sums{};
    void operator()(const LedgerItem& item) { sums[std::size_t(item.lifetime)] += item.bytes; }
    [[nodiscard]] LifetimeBytes bytes() const
    {
        return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]};
    }
};

} // namespace

std::string_view key(MemoryCategory category)
{
    constexpr std::array<std::string_view, 6> kKeys{
        "weights", "gradients", "optimizer", "activations", "buffers", "reserve"};
    return kKeys[std::size_t(category)];
}

std::string_view key(Lifetime lifetime)
{
    constexpr std::array<std::string_view, 7> kKeys{
        "step", "micro_batch", "prediction", "pass", "loss", "backward", "optimizer"};
    return kKeys[std::size_t(lifetime)];
}

std::string_view key(PeakMoment moment)
{
    constexpr std::array<std::string_view, 3> kKeys{"loss", "backward", "optimizer"};
    return kKeys[std::size_t(moment)];
}

StateBytes stateBytes(int zeroStage, int shards, bool fp32Gradients, bool fp32Training, double optimizerBytes)
{
    const double n = std::max(shards, 1);
    StateBytes bytes{fp32Training ? 4.0 : 2.0, fp32Gradients || fp32Training ? 4.0 : 2.0,
        std::max(0.0, optimizerBytes - (fp32Training ? 4 : 0))};
    if (zeroStage >= 1)
        bytes.optimizer /= n;
    if (zeroStage >= 2)
        bytes.gradients /= n;
    if (zeroStage >= 3)
        bytes.weights /= n;
    return bytes;
}

MemoryLedger memoryLedger(const plan::Plan& plan, const workload::Workload& workload, int stage)
{
    MemoryLedger ledger;
    ledger.reserve(32);
    walk(plan, workload, stage, [&](const LedgerItem& item) { ledger.push_back(item); });
    return ledger;
}

LifetimeBytes& LifetimeBytes::operator+=(const LifetimeBytes& other)
{
    step += other.step;
    microBatch += other.microBatch;
    prediction += other.prediction;
    pass += other.pass;
    loss += other.loss;
    backward += other.backward;
    optimizer += other.optimizer;
    return *this;
}

LifetimeBytes parameterBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage)
{
    ByLifetime sums;
    Walk(plan, work, stage, sums).parameters();
    return sums.bytes();
}

LifetimeBytes passBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage)
{
    ByLifetime sums;
    Walk(plan, work, stage, sums).passes();
    return sums.bytes();
}

double inFlight(const parallel::Strategy& s, int microBatches, int stage, double firstShare)
{
    return pipeline::inFlight(
        s.schedule, s.pp, s.vpp, microBatches, stage, vocabularyLookahead(s), firstShare, s.inFlightLimit);
}

int roomInFlight(const std::vector<LifetimeBytes>& stages, Bytes capacity, int most)
{
    int room = most;
    for (const LifetimeBytes& stage : stages) {
        const auto fits = [&](int held) {
            const Peak highest = peak(stage, held, {});
            return stage.step + highest.activations + highest.above <= capacity;
        };
        while (room > 0 && !fits(room))
            --room;
    }
    return room;
}

int openInFlightLimit(const parallel::Strategy& s, int microBatches, const HeldByCapacity& held)
{
    const int most = pipeline::zeroBubbleLimit(parallel::Schedule::ZbAuto, s.pp, microBatches, vocabularyLookahead(s));
    int room = most;
    for (const auto& [capacity, stages] : held)
        room = std::min(room, roomInFlight(stages, capacity, most));
    return room > 0 ? room : std::min(s.pp, most);
}

double firstChunkShare(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const std::vector<workload::StageLayout>& chunks)
{
    if (shape(plan.strategy.schedule) == parallel::PipelineShape::Loop || chunks.size() != 2)
        return 0.5;
    const auto kept = [&](const workload::StageLayout& chunk) {
        Bytes sum{};
        for (const parallel::Recompute recompute : parallel::kAllRecompute)
            sum +=
                keptActivations(work.dense.activations, recompute) * layersWith(plan.strategy, chunk, false, recompute)
                + keptActivations(work.moe.activations, recompute) * layersWith(plan.strategy, chunk, true, recompute);
        return sum;
    };
    const Bytes first = kept(chunks[0]);
    const Bytes both = first + kept(chunks[1]);
    return both.value() > 0 ? first / both : 0.5;
}

Peak peak(const LifetimeBytes& by, double inFlight, const pipeline::LossesInFlight& losses)
{
    const Bytes activations = by.microBatch * inFlight;
    const Bytes atLoss = activations + by.pass + by.loss + by.prediction * losses.atLoss;
    const Bytes atBackward = activations + by.pass + by.backward + by.prediction * losses.inBackward;
    if (by.optimizer > std::max(atLoss, atBackward))
        return {PeakMoment::Optimizer, Bytes{}, by.optimizer};
    if (atLoss > atBackward)
        return {PeakMoment::Loss, activations, atLoss - activations};
    return {PeakMoment::Backward, activations, atBackward - activations};
}

StageBytes stageBytes(const plan::Plan& plan, const workload::Workload& workload, int stage)
{
    std::array<ByLifetime, 6> sums; // by category
    walk(plan, workload, stage, [&](const LedgerItem& item) { sums[std::size_t(item.category)](item); });
    StageBytes m;
    for (const ByLifetime& category : sums)
        m.byLifetime += category.bytes();
    const parallel::Strategy& s = plan.strategy;
    if (shape(s.schedule) != parallel::PipelineShape::Loop)
        m.firstChunkShare = firstChunkShare(plan, workload, workload::placeChunks(plan)[std::size_t(stage)]);
    m.inFlight = inFlight(s, workload.microBatches, stage, m.firstChunkShare);
    const Peak most = peak(m.byLifetime, m.inFlight, pipeline::lossesInFlight(s.schedule, workload.microBatches));
    const auto held = [&](MemoryCategory category) {
        return sums[std::size_t(category)].sums[std::size_t(Lifetime::Step)];
    };
    m.moment = most.moment;
    m.weights = held(MemoryCategory::Weights);
    m.gradients = held(MemoryCategory::Gradients);
    m.optimizer = held(MemoryCategory::Optimizer);
    m.reserve = held(MemoryCategory::Reserve);
    m.activations = most.activations;
    m.buffers = held(MemoryCategory::Buffers) + most.above;
    return m;
}

} // namespace stratoplan::cost

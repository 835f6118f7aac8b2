// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/dimension_words.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace stratoplan::widgets {
namespace {

constexpr std::array kZeroStages{
    ChoiceWords{0, QT_TRANSLATE_NOOP("stratoplan", "0 · nothing"),
        QT_TRANSLATE_NOOP("stratoplan", "Every replica keeps weights, gradients and optimizer state.")},
    ChoiceWords{1, QT_TRANSLATE_NOOP("stratoplan", "1 · optimizer"),
        QT_TRANSLATE_NOOP("stratoplan", "Optimizer state is split: no extra traffic.")},
    ChoiceWords{2, QT_TRANSLATE_NOOP("stratoplan", "2 · + gradients"),
        QT_TRANSLATE_NOOP("stratoplan", "Gradients too: reduced to their owner as they appear.")},
    ChoiceWords{3, QT_TRANSLATE_NOOP("stratoplan", "3 · + weights"),
        QT_TRANSLATE_NOOP("stratoplan", "Weights too (FSDP): gathered layer by layer, in both passes.")},
};

constexpr std::array kRecomputations{
    ChoiceWords{int(parallel::Recompute::None), QT_TRANSLATE_NOOP("stratoplan", "none"),
        QT_TRANSLATE_NOOP("stratoplan", "Everything is kept.")},
    ChoiceWords{int(parallel::Recompute::Selective), QT_TRANSLATE_NOOP("stratoplan", "selective"),
        QT_TRANSLATE_NOOP("stratoplan", "What the stack picks is computed again: much memory for little time.")},
    ChoiceWords{int(parallel::Recompute::Full), QT_TRANSLATE_NOOP("stratoplan", "full"),
        QT_TRANSLATE_NOOP(
            "stratoplan", "Only the input of each layer is kept: least memory, a third more computation.")},
};

constexpr std::array kOffloads{
    ChoiceWords{int(parallel::Offload::None), QT_TRANSLATE_NOOP("stratoplan", "none"),
        QT_TRANSLATE_NOOP("stratoplan", "Everything stays on the accelerator.")},
    ChoiceWords{int(parallel::Offload::Activations), QT_TRANSLATE_NOOP("stratoplan", "activations"),
        QT_TRANSLATE_NOOP("stratoplan",
            "Kept activations travel layer by layer, out behind the forward and back behind the backward pass.")},
    ChoiceWords{int(parallel::Offload::Optimizer), QT_TRANSLATE_NOOP("stratoplan", "optimizer"),
        QT_TRANSLATE_NOOP("stratoplan", "Master weights and moments live on the host, which updates them.")},
};

constexpr std::array kContextMethods{
    ChoiceWords{int(parallel::ContextMethod::Ring), QT_TRANSLATE_NOOP("stratoplan", "ring"),
        QT_TRANSLATE_NOOP("stratoplan", "Blocks travel round a ring behind attention: least memory.")},
    ChoiceWords{int(parallel::ContextMethod::AllGather), QT_TRANSLATE_NOOP("stratoplan", "all-gather"),
        QT_TRANSLATE_NOOP("stratoplan", "Keys and values of the whole sequence are gathered before attention.")},
    ChoiceWords{int(parallel::ContextMethod::Ulysses), QT_TRANSLATE_NOOP("stratoplan", "Ulysses"),
        QT_TRANSLATE_NOOP("stratoplan", "Tokens are exchanged for heads and back: needs heads that TP × CP divides.")},
};

constexpr std::array kSchedules{
    ChoiceWords{int(parallel::Schedule::GPipe), "GPipe",
        QT_TRANSLATE_NOOP(
            "stratoplan", "All forward passes, then all backward passes: holds every micro-batch's activations.")},
    ChoiceWords{int(parallel::Schedule::OneFOneB), "1F1B",
        QT_TRANSLATE_NOOP(
            "stratoplan", "One forward, one backward: the same bubble, at most PP micro-batches in memory.")},
    ChoiceWords{int(parallel::Schedule::EagerOneFOneB), QT_TRANSLATE_NOOP("stratoplan", "eager 1F1B"),
        QT_TRANSLATE_NOOP("stratoplan",
            "1F1B that runs up to twice as many forward passes ahead, so that transfers hide: more memory.")},
    ChoiceWords{int(parallel::Schedule::Interleaved), QT_TRANSLATE_NOOP("stratoplan", "interleaved 1F1B"),
        QT_TRANSLATE_NOOP(
            "stratoplan", "Several chunks of layers per stage: a smaller bubble for more traffic and memory.")},
    ChoiceWords{int(parallel::Schedule::BreadthFirst), QT_TRANSLATE_NOOP("stratoplan", "breadth-first"),
        QT_TRANSLATE_NOOP("stratoplan",
            "All micro-batches through one chunk after the other: a small bubble, every micro-batch in memory.")},
    ChoiceWords{int(parallel::Schedule::ZbH1), "ZB-H1",
        QT_TRANSLATE_NOOP("stratoplan",
            "Zero bubble: gradients of weights fill the bubble, at most PP micro-batches in memory on every stage.")},
    ChoiceWords{int(parallel::Schedule::ZbH2), "ZB-H2",
        QT_TRANSLATE_NOOP(
            "stratoplan", "Zero bubble with 2 PP − 1 micro-batches in memory; stages begin the next step one by one.")},
    ChoiceWords{int(parallel::Schedule::ZbAuto), "ZB-auto",
        QT_TRANSLATE_NOOP(
            "stratoplan", "Zero bubble made for the plan's own durations, under a limit of micro-batches in memory.")},
    ChoiceWords{int(parallel::Schedule::ZbV), "ZB-V",
        QT_TRANSLATE_NOOP("stratoplan",
            "Zero bubble on two chunks per stage, down the pipeline and back: the memory of 1F1B, even over the "
            "stages.")},
    ChoiceWords{int(parallel::Schedule::VHalf), "V-Half",
        QT_TRANSLATE_NOOP(
            "stratoplan", "Down and back like ZB-V with half the memory of 1F1B: a smaller bubble than 1F1B's.")},
    ChoiceWords{int(parallel::Schedule::VMin), "V-Min",
        QT_TRANSLATE_NOOP(
            "stratoplan", "Down and back like ZB-V with a third of the memory of 1F1B: about the bubble of 1F1B.")},
    ChoiceWords{int(parallel::Schedule::DualPipe), "DualPipe",
        QT_TRANSLATE_NOOP("stratoplan",
            "Micro-batches enter at both ends; each stage holds two chunks, and their passes hide each other's "
            "traffic.")},
    ChoiceWords{int(parallel::Schedule::DualPipeV), "DualPipeV",
        QT_TRANSLATE_NOOP(
            "stratoplan", "DualPipe folded in half: both ends on the first stage, the weights held once.")},
};

constexpr std::array kPlacements{
    ChoiceWords{int(parallel::VocabularyPlacement::Ends), QT_TRANSLATE_NOOP("stratoplan", "at the ends"),
        QT_TRANSLATE_NOOP("stratoplan", "On the first and the last stage.")},
    ChoiceWords{int(parallel::VocabularyPlacement::Vocab1), QT_TRANSLATE_NOOP("stratoplan", "Vocab-1"),
        QT_TRANSLATE_NOOP("stratoplan",
            "Divided over all stages, which agree on the loss twice behind other passes: two more micro-batches in "
            "memory.")},
    ChoiceWords{int(parallel::VocabularyPlacement::Vocab2), QT_TRANSLATE_NOOP("stratoplan", "Vocab-2"),
        QT_TRANSLATE_NOOP("stratoplan",
            "Divided over all stages, which agree on the loss once: one more micro-batch in memory, a little more "
            "work.")},
    ChoiceWords{int(parallel::VocabularyPlacement::Interlaced), QT_TRANSLATE_NOOP("stratoplan", "interlaced"),
        QT_TRANSLATE_NOOP("stratoplan",
            "Divided over all stages, which wait for one another in every micro-batch: half as many again in memory.")},
};

constexpr std::array kPartitions{
    ChoiceWords{int(parallel::TensorPartition::Megatron), "Megatron",
        QT_TRANSLATE_NOOP(
            "stratoplan", "Columns, then rows of each block's matrices; activations are summed up twice.")},
    ChoiceWords{int(parallel::TensorPartition::SpatialTemporal), QT_TRANSLATE_NOOP("stratoplan", "spatial-temporal"),
        QT_TRANSLATE_NOOP("stratoplan",
            "The best: the fastest that fits of all ways to cut every operator along any dimension, and over time.")},
};

constexpr std::array kWords{
    DimensionWords{.id = plan::Dimension::Tp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Tensor"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Tensor parallel"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Each layer's matrices are cut over this many accelerators, which talk twice per block."),
        .heading = "TP",
        .filter = "tp"},
    DimensionWords{.id = plan::Dimension::Pp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Pipeline"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Pipeline parallel"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan", "The layers are cut into this many consecutive stages."),
        .heading = "PP",
        .filter = "pp"},
    DimensionWords{.id = plan::Dimension::Dp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Data"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Data parallel"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "This many replicas each train on their share of the batch and average gradients."),
        .heading = "DP",
        .filter = "dp"},
    DimensionWords{.id = plan::Dimension::Cp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Context"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Context parallel"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Each sequence is cut over this many accelerators, which pass keys and values around."),
        .heading = "CP",
        .filter = "cp"},
    DimensionWords{.id = plan::Dimension::Ep,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Expert"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Expert parallel"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "The routed experts are spread over this many accelerators; tokens travel to them."),
        .heading = "EP",
        .filter = "ep"},
    DimensionWords{.id = plan::Dimension::Etp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Expert tensor"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Expert tensor parallel"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "Each expert's matrices are cut over this many of the tensor-parallel accelerators; the others hold other "
            "experts."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Expert TP"),
        .filter = "etp"},
    DimensionWords{.id = plan::Dimension::Vpp,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Virtual stages"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Virtual stages"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Chunks of layers per pipeline stage: more make the bubble smaller and the traffic larger."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Virtual stages"),
        .filter = "vpp"},
    DimensionWords{.id = plan::Dimension::MicroBatch,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Micro-batch"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Micro-batch size"),
        .explanation =
            QT_TRANSLATE_NOOP("stratoplan", "Sequences that pass through the pipeline together on one replica."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Micro-batch"),
        .filter = "mb"},
    DimensionWords{.id = plan::Dimension::ZeroStage,
        .label = "ZeRO",
        .name = QT_TRANSLATE_NOOP("stratoplan", "ZeRO stage"),
        .explanation =
            QT_TRANSLATE_NOOP("stratoplan", "What the replicas split among themselves instead of each keeping a copy."),
        .heading = "ZeRO",
        .filter = "zero",
        .choices = kZeroStages},
    DimensionWords{.id = plan::Dimension::ZeroShards,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Shard over"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Ranks that ZeRO shards over"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Replicas that split what ZeRO splits, the innermost ones; the others hold copies (HSDP)."),
        .filter = "shards",
        .set = QT_TRANSLATE_NOOP("stratoplan", "Shard over %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Shard over all replicas")},
    DimensionWords{.id = plan::Dimension::Recompute,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Recomputation"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Recomputation"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Activations that are thrown away and computed again in the backward pass."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Recomputation"),
        .choices = kRecomputations,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Set recomputation to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore recomputation")},
    DimensionWords{.id = plan::Dimension::Offload,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Offload"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Offload"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "What waits in the memory of the host: less on the accelerator, for transfers that passes may not hide."),
        .choices = kOffloads,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Set offload to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Offload nothing")},
    DimensionWords{.id = plan::Dimension::ContextMethod,
        .shown = Shown::WhereItMatters,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Context method"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Context parallel method"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan", "How context-parallel ranks see all keys and values."),
        .choices = kContextMethods,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Set the context method to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore the context method")},
    DimensionWords{.id = plan::Dimension::Schedule,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Schedule"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Pipeline schedule"),
        .explanation =
            QT_TRANSLATE_NOOP("stratoplan", "The order in which each stage runs its forward and backward passes."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Schedule"),
        .choices = kSchedules,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Use the %1 schedule"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore the schedule")},
    DimensionWords{.id = plan::Dimension::SequenceParallel,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Sequence parallel"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Sequence parallel"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "Norms and dropout are cut along the sequence over the tensor-parallel group: less memory, same traffic."),
        .heading = QT_TRANSLATE_NOOP("stratoplan", "Sequence parallel"),
        .set = QT_TRANSLATE_NOOP("stratoplan", "Turn sequence parallelism on"),
        .turnOff = QT_TRANSLATE_NOOP("stratoplan", "Turn sequence parallelism off"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore sequence parallelism")},
    DimensionWords{.id = plan::Dimension::TensorPartition,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Tensor partition"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Tensor partition"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "How tensor-parallel accelerators divide each operator: by columns and rows, or in the best way in space "
            "and time, which trades all-reduces for traffic between neighbours that products hide."),
        .choices = kPartitions,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Use the %1 partition"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Use the Megatron partition")},
    DimensionWords{.id = plan::Dimension::InFlightLimit,
        .shown = Shown::WhereItMatters,
        .label = QT_TRANSLATE_NOOP("stratoplan", "In flight"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "In-flight limit"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Micro-batches whose activations a stage of ZB-auto may hold: more leave fewer bubbles."),
        .set = QT_TRANSLATE_NOOP("stratoplan", "Limit what is in flight to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Hold what the memory has room for")},
    DimensionWords{.id = plan::Dimension::TimingPass,
        .shown = Shown::WhereItMattersOrIsSet,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Timing pass"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Timing pass"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "Gradients are reduced beside the passes and not inside the last one, and transfers leave when they are "
            "ready: nobody waits for them in vain."),
        .set = QT_TRANSLATE_NOOP("stratoplan", "Turn the timing pass on"),
        .turnOff = QT_TRANSLATE_NOOP("stratoplan", "Turn the timing pass off"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore the timing pass")},
    DimensionWords{.id = plan::Dimension::EndLayers,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Stage layers"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Layers of the first and the last stage"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "Layers of each stage. Locked, a search leaves the first and the last stage as many fewer or more than "
            "their even share as they have now; the whole space varies them."),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore the even split")},
    DimensionWords{.id = plan::Dimension::VocabularyPlacement,
        .shown = Shown::WhereItMattersOrIsSet,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Vocabulary"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Vocabulary placement"),
        .explanation = QT_TRANSLATE_NOOP(
            "stratoplan", "Where the embedding and the output projection are: large ones slow the stages at the ends."),
        .choices = kPlacements,
        .set = QT_TRANSLATE_NOOP("stratoplan", "Set the vocabulary placement to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Leave the vocabulary at the ends")},
    DimensionWords{.id = plan::Dimension::OrderOfRanks,
        .label = QT_TRANSLATE_NOOP("stratoplan", "Rank order"),
        .name = QT_TRANSLATE_NOOP("stratoplan", "Rank order"),
        .explanation = QT_TRANSLATE_NOOP("stratoplan",
            "Which axis is innermost: ranks that differ only in the first sit next to one another, on the fastest "
            "links."),
        .set = QT_TRANSLATE_NOOP("stratoplan", "Set the rank order to %1"),
        .restore = QT_TRANSLATE_NOOP("stratoplan", "Restore the rank order")},
};

struct Trait {
    plan::Dimension id{};
    const char* pattern = nullptr;
    bool isOfUse = false; ///< told only where it matters
};
constexpr std::array kTraits{Trait{plan::Dimension::ContextMethod, "%1", true},
    Trait{plan::Dimension::Offload, QT_TRANSLATE_NOOP("stratoplan", "%1 on the host")},
    Trait{plan::Dimension::VocabularyPlacement, QT_TRANSLATE_NOOP("stratoplan", "vocabulary %1")},
    Trait{plan::Dimension::TimingPass, QT_TRANSLATE_NOOP("stratoplan", "timing pass")},
    Trait{plan::Dimension::InFlightLimit, QT_TRANSLATE_NOOP("stratoplan", "%1 in flight")},
    Trait{plan::Dimension::StageLayers, QT_TRANSLATE_NOOP("stratoplan", "layers %1")},
    Trait{plan::Dimension::RecomputedLayers, QT_TRANSLATE_NOOP("stratoplan", "first layers recomputed %1")},
    Trait{plan::Dimension::StageRecompute, QT_TRANSLATE_NOOP("stratoplan", "recomputation %1")},
    Trait{plan::Dimension::ReplicaMicroBatches, QT_TRANSLATE_NOOP("stratoplan", "micro-batches %1")},
    Trait{plan::Dimension::StageTp, QT_TRANSLATE_NOOP("stratoplan", "TP of stages %1")},
    Trait{plan::Dimension::TensorPartition, "%1"}, Trait{plan::Dimension::OrderOfRanks, "%1"}};

} // namespace

std::span<const DimensionWords> dimensionWords()
{
    return kWords;
}

const DimensionWords& wordsOf(plan::Dimension id)
{
    return *std::find_if(kWords.begin(), kWords.end(), [id](const DimensionWords& words) { return words.id == id; });
}

QString choiceText(plan::Dimension id, int value)
{
    for (const ChoiceWords& choice : wordsOf(id).choices)
        if (choice.value == value)
            return tr(choice.text);
    return {};
}

QString rareTraits(const parallel::Strategy& strategy)
{
    QStringList traits;
    for (const Trait& trait : kTraits) {
        const plan::DimensionRow& row = dimension(trait.id);
        if (isUsual(row, strategy) || (trait.isOfUse && !matters(row, strategy, {})))
            continue;
        const QString pattern = tr(trait.pattern);
        traits << (isSwitch(row) ? pattern : pattern.arg(QString::fromStdString(valueText(row, strategy))));
    }
    return traits.join(QStringLiteral(" · "));
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: Apache-2.0
#include "core/narration/spaces.h"

#include "core/narration/frameworks.h"
#include "core/narration/problems.h"
#include "core/plan/dimensions.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>

namespace stratoplan::narration {
namespace {

constexpr NameTable<plan::SpacePart, 14> kParts{{
    {plan::SpacePart::StageLayers, "layers per stage"},
    {plan::SpacePart::MiddleStageLayers, "layers of the stages between the first and the last"},
    {plan::SpacePart::FirstStageLayers, "layers of the first stage"},
    {plan::SpacePart::LastStageLayers, "layers of the last stage"},
    {plan::SpacePart::EndLayers, "layers of the first and the last stage"},
    {plan::SpacePart::EvenLayers, "even layers"},
    {plan::SpacePart::ReplicaBatches, "micro-batches per replica"},
    {plan::SpacePart::Nodes, "number of nodes"},
    {plan::SpacePart::Accelerators, "number of accelerators"},
    {plan::SpacePart::AcceleratorsInUse, "accelerators"},
    {plan::SpacePart::Framework, "framework"},
    {plan::SpacePart::OpenSchedules, "V-shaped, two-way and automatic schedules"},
    {plan::SpacePart::ContextPartitions, "spatial-temporal partitions with context parallelism"},
    {plan::SpacePart::Partitions, "spatial-temporal partitions"},
}};

constexpr NameTable<plan::FixedReason, 7> kFixed{{
    {plan::FixedReason::Locked, "locked by the space"},
    {plan::FixedReason::EvenLayers, "even, spare layers in the middle"},
    {plan::FixedReason::WholeCluster, "all of the cluster"},
    {plan::FixedReason::Unasked, "left out; a space file with \"context_partitions\" tries them"},
    {plan::FixedReason::UnlikeNodes, "left out, as the nodes are unlike"},
    {plan::FixedReason::LayersBySpeed,
        "by the speed of the nodes, where stages run on unlike ones; split finds the best"},
    {plan::FixedReason::BatchBySpeed,
        "by the speed of the nodes, where replicas run on unlike ones and do not wait for one another"},
}};

constexpr NameTable<space::OutsideCode, 17> kOutside{{
    {space::OutsideCode::Combination, "this combination of layers, chunks and replicas that share"},
    {space::OutsideCode::NotAllAccelerators, "{amount} accelerators, not all of the cluster"},
    {space::OutsideCode::Accelerators, "accelerators {amount}"},
    {space::OutsideCode::Value, "{phrase}"},
    {space::OutsideCode::Precision, "{precision}"},
    {space::OutsideCode::OrderOfRanks, "its rank order"},
    {space::OutsideCode::StageTp, "TP by stage"},
    {space::OutsideCode::OperatorPartitions, "the partitions that it names for its operators"},
    {space::OutsideCode::ContextPartitions, "a spatial-temporal partition with context parallelism"},
    {space::OutsideCode::NoClosedForm, "{phrase}, which has no closed form"},
    {space::OutsideCode::Limit, "{phrase} with its limit"},
    {space::OutsideCode::TimingPass, "the timing pass, which has no closed form"},
    {space::OutsideCode::StageLayers, "its layers per stage"},
    {space::OutsideCode::ReplicaBatches, "its micro-batches per replica"},
    {space::OutsideCode::StageRecompute, "recomputation by stage"},
    {space::OutsideCode::AllRecomputed, "recomputation of all layers"},
    {space::OutsideCode::SomeRecomputed, "recomputation of {amount} layers of a stage"},
}};

constexpr NameTable<space::ChangeCode, 13> kChanges{{
    {space::ChangeCode::Number, "{phrase} instead of {before}"},
    {space::ChangeCode::TwoNumbers, "{phrase} and {secondPhrase} instead of {before} and {secondBefore}"},
    {space::ChangeCode::Choice, "{phrase} instead of {before}"},
    {space::ChangeCode::On, "with {switch}"},
    {space::ChangeCode::Off, "without {switch}"},
    {space::ChangeCode::Recompute, "recomputation {recompute} instead of {recomputeBefore}"},
    {space::ChangeCode::RecomputeFirst,
        "recomputation of the first {number} layers of each stage instead of {recomputeBefore}"},
    {space::ChangeCode::EvenLayers, "layers spread evenly"},
    {space::ChangeCode::FewerOnFirst, "a layer fewer on the first stage"},
    {space::ChangeCode::FewerOnLast, "a layer fewer on the last stage"},
    {space::ChangeCode::Schedule, "{phrase} instead of {before}"},
    {space::ChangeCode::ScheduleInOneChunk, "{phrase} with one chunk a stage instead of {before}"},
    {space::ChangeCode::ScheduleInTwoChunks, "{phrase} with two chunks a stage instead of {before}"},
}};

std::string nameOf(plan::SpacePart part, plan::Dimension field)
{
    return std::string(part == plan::SpacePart::Dimension ? dimension(field).noun : nameIn(kParts, part));
}

parallel::Strategy having(plan::Dimension field, int number)
{
    parallel::Strategy s;
    setNumber(field, s, number);
    return s;
}

/// "TP 8"
std::string phraseOf(plan::Dimension field, int number)
{
    return phraseOf(field, having(field, number));
}

/// "8", "1f1b"; a ZeRO stage by its whole name.
std::string valueOf(plan::Dimension field, int number)
{
    return field == plan::Dimension::ZeroStage ? phraseOf(field, number)
                                               : valueText(dimension(field), having(field, number));
}

std::string wordOf(const space::StrategyChange& change, std::string_view name)
{
    if (name == "phrase")
        return phraseOf(change.dimension, change.number);
    if (name == "secondPhrase")
        return phraseOf(change.second, change.secondNumber);
    if (name == "before")
        return valueOf(change.dimension, change.before);
    if (name == "secondBefore")
        return valueOf(change.second, change.secondBefore);
    if (name == "switch")
        return std::string(dimension(change.dimension).phrase);
    if (name == "recompute")
        return std::string(key(parallel::Recompute(change.number)));
    if (name == "recomputeBefore")
        return change.mixedBefore ? "of some layers" : std::string(key(parallel::Recompute(change.before)));
    return std::to_string(change.number);
}

} // namespace

PartAndReason describe(const plan::FixedDimension& fixed, std::string_view simulation)
{
    const std::string part = nameOf(fixed.part, fixed.dimension);
    if (fixed.reason == plan::FixedReason::Otherwise)
        return {part, std::string(dimension(fixed.dimension).otherwise)};
    if (fixed.reason != plan::FixedReason::NoClosedForm)
        return {part, std::string(nameIn(kFixed, fixed.reason))};
    const bool several = fixed.part == plan::SpacePart::OpenSchedules;
    return {part,
        filled(several ? "have no closed form; {simulation} tries them" : "has no closed form; {simulation} tries it",
            {{"simulation", {std::string(simulation)}}})};
}

PartAndReason describe(const space::EmptyReason& reason)
{
    const std::string part = nameOf(reason.part, reason.dimension);
    switch (reason.code) {
    case space::EmptyCode::Restricted:
        return {part, "restricted by the space"};
    case space::EmptyCode::NothingFits:
        return {part, "no strategy of the rest of the space goes with these values"};
    case space::EmptyCode::Unasked:
        return {part, "left out; \"context_partitions\": true tries them"};
    case space::EmptyCode::Problem:
        return {part, describe(*reason.problem)};
    case space::EmptyCode::Objection:
        return {part, describe(*reason.objection)};
    case space::EmptyCode::FrameworkRule:
        return {part,
            filled("{framework} {limit}",
                {{"framework", {std::string(catalog::title(reason.framework))}},
                    {"limit", {std::string(limit(reason.framework, reason.rule).limit)}}})};
    case space::EmptyCode::NoClosedForm:
        return {part, "none of these has a closed form; a simulated search tries them"};
    case space::EmptyCode::NoneIdle:
        return {part,
            filled("the cluster has {count}, and the space leaves none of them idle",
                {{"count", {groupedDigits(reason.accelerators)}}})};
    }
    return {part, {}};
}

std::string describe(const space::OutsideReason& reason)
{
    if (reason.code == space::OutsideCode::Objection)
        return foundBy(*reason.objection);
    return filled(nameIn(kOutside, reason.code), [&](std::string_view name) {
        return Word{name == "amount"  ? std::to_string(reason.amount)
                : name == "precision" ? std::string(key(reason.precision))
                                      : phraseOf(reason.dimension, reason.strategy)};
    });
}

std::string describe(const space::StrategyChange& change)
{
    return filled(nameIn(kChanges, change.code), [&](std::string_view name) { return Word{wordOf(change, name)}; });
}

std::string describe(const std::vector<space::StrategyChange>& changes)
{
    std::string text;
    for (const space::StrategyChange& change : changes)
        text += (text.empty() ? "" : "; ") + describe(change);
    return text;
}

} // namespace stratoplan::narration

// SPDX-License-Identifier: Apache-2.0
#include "core/narration/spaces.h"

#include "core/narration/frameworks.h"
#include "core/narration/problems.h"
#include "core/plan/dimensions.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>

namespace stratoplan {
namespace {

constexpr NameTable<SpacePart, 11> kParts{{
    {SpacePart::StageLayers, "layers per stage"},
    {SpacePart::MiddleStageLayers, "layers of the stages between the first and the last"},
    {SpacePart::FirstStageLayers, "layers of the first stage"},
    {SpacePart::LastStageLayers, "layers of the last stage"},
    {SpacePart::EndLayers, "layers of the first and the last stage"},
    {SpacePart::EvenLayers, "even layers"},
    {SpacePart::Nodes, "number of nodes"},
    {SpacePart::Accelerators, "number of accelerators"},
    {SpacePart::AcceleratorsInUse, "accelerators"},
    {SpacePart::Framework, "framework"},
    {SpacePart::OpenSchedules, "V-shaped, two-way and automatic schedules"},
}};

constexpr NameTable<FixedReason, 4> kFixed{{
    {FixedReason::Locked, "locked by the space"},
    {FixedReason::NotModelled, "the spatial-temporal partition is not modelled yet"},
    {FixedReason::EvenLayers, "even, spare layers in the middle"},
    {FixedReason::WholeCluster, "all of the cluster"},
}};

constexpr NameTable<OutsideCode, 14> kOutside{{
    {OutsideCode::Combination, "this combination of layers, chunks and replicas that share"},
    {OutsideCode::NotAllAccelerators, "{amount} accelerators, not all of the cluster"},
    {OutsideCode::Accelerators, "accelerators {amount}"},
    {OutsideCode::Value, "{phrase}"},
    {OutsideCode::Precision, "{precision}"},
    {OutsideCode::OrderOfRanks, "its rank order"},
    {OutsideCode::StageTp, "TP by stage"},
    {OutsideCode::NoClosedForm, "{phrase}, which has no closed form"},
    {OutsideCode::Limit, "{phrase} with its limit"},
    {OutsideCode::TimingPass, "the timing pass, which has no closed form"},
    {OutsideCode::StageLayers, "its layers per stage"},
    {OutsideCode::StageRecompute, "recomputation by stage"},
    {OutsideCode::AllRecomputed, "recomputation of all layers"},
    {OutsideCode::SomeRecomputed, "recomputation of {amount} layers of a stage"},
}};

constexpr NameTable<ChangeCode, 13> kChanges{{
    {ChangeCode::Number, "{phrase} instead of {before}"},
    {ChangeCode::TwoNumbers, "{phrase} and {secondPhrase} instead of {before} and {secondBefore}"},
    {ChangeCode::Choice, "{phrase} instead of {before}"},
    {ChangeCode::On, "with {switch}"},
    {ChangeCode::Off, "without {switch}"},
    {ChangeCode::Recompute, "recomputation {recompute} instead of {recomputeBefore}"},
    {ChangeCode::RecomputeFirst,
        "recomputation of the first {number} layers of each stage instead of {recomputeBefore}"},
    {ChangeCode::EvenLayers, "layers spread evenly"},
    {ChangeCode::FewerOnFirst, "a layer fewer on the first stage"},
    {ChangeCode::FewerOnLast, "a layer fewer on the last stage"},
    {ChangeCode::Schedule, "{phrase} instead of {before}"},
    {ChangeCode::ScheduleInOneChunk, "{phrase} with one chunk a stage instead of {before}"},
    {ChangeCode::ScheduleInTwoChunks, "{phrase} with two chunks a stage instead of {before}"},
}};

std::string nameOf(SpacePart part, Dimension of)
{
    return std::string(part == SpacePart::Dimension ? dimension(of).noun : nameIn(kParts, part));
}

Strategy having(Dimension of, int number)
{
    Strategy s;
    setNumber(of, s, number);
    return s;
}

/// "TP 8"
std::string phraseOf(Dimension of, int number)
{
    return phraseOf(of, having(of, number));
}

/// "8", "1f1b"; a ZeRO stage by its whole name.
std::string valueOf(Dimension of, int number)
{
    return of == Dimension::ZeroStage ? phraseOf(of, number) : valueText(dimension(of), having(of, number));
}

std::string wordOf(const StrategyChange& change, std::string_view name)
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
        return std::string(key(Recompute(change.number)));
    if (name == "recomputeBefore")
        return change.mixedBefore ? "of some layers" : std::string(key(Recompute(change.before)));
    return std::to_string(change.number);
}

} // namespace

PartAndReason describe(const FixedDimension& fixed, std::string_view simulation)
{
    const std::string part = nameOf(fixed.part, fixed.dimension);
    if (fixed.reason == FixedReason::Otherwise)
        return {part, std::string(dimension(fixed.dimension).otherwise)};
    if (fixed.reason != FixedReason::NoClosedForm)
        return {part, std::string(nameIn(kFixed, fixed.reason))};
    const bool several = fixed.part == SpacePart::OpenSchedules;
    return {part,
        filled(several ? "have no closed form; {simulation} tries them" : "has no closed form; {simulation} tries it",
            {{"simulation", {std::string(simulation)}}})};
}

PartAndReason describe(const EmptyReason& reason)
{
    const std::string part = nameOf(reason.part, reason.dimension);
    switch (reason.code) {
    case EmptyCode::Restricted:
        return {part, "restricted by the space"};
    case EmptyCode::NothingFits:
        return {part, "no strategy of the rest of the space goes with these values"};
    case EmptyCode::Problem:
        return {part, describe(*reason.problem)};
    case EmptyCode::Objection:
        return {part, describe(*reason.objection)};
    case EmptyCode::FrameworkRule:
        return {part,
            filled("{framework} {limit}",
                {{"framework", {std::string(title(reason.framework))}},
                    {"limit", {std::string(limit(reason.framework, reason.rule).limit)}}})};
    case EmptyCode::NoClosedForm:
        return {part, "none of these has a closed form; a simulated search tries them"};
    case EmptyCode::NoneIdle:
        return {part,
            filled("the cluster has {count}, and the space leaves none of them idle",
                {{"count", {groupedDigits(reason.accelerators)}}})};
    }
    return {part, {}};
}

std::string describe(const OutsideReason& reason)
{
    if (reason.code == OutsideCode::Objection)
        return foundBy(*reason.objection);
    return filled(nameIn(kOutside, reason.code), [&](std::string_view name) {
        return Word{name == "amount"  ? std::to_string(reason.amount)
                : name == "precision" ? std::string(key(reason.precision))
                                      : phraseOf(reason.dimension, reason.strategy)};
    });
}

std::string describe(const StrategyChange& change)
{
    return filled(nameIn(kChanges, change.code), [&](std::string_view name) { return Word{wordOf(change, name)}; });
}

std::string describe(const std::vector<StrategyChange>& changes)
{
    std::string text;
    for (const StrategyChange& change : changes)
        text += (text.empty() ? "" : "; ") + describe(change);
    return text;
}

} // namespace stratoplan

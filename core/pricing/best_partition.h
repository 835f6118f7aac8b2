// SPDX-License-Identifier: Apache-2.0
// The best way in which a plan's tensor-parallel ranks can divide its layers in space and time: of those that fit into
// memory the one that takes a micro-batch least time, what its parameters take at the end of the step included.
#pragma once

#include "core/cost/machine.h"
#include "core/partition/division.h"
#include "core/partition/programme.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"
#include "core/pricing/cheapest_divisions.h"
#include "core/pricing/divided_layers.h"
#include "core/pricing/parameter_seconds.h"

#include <deque>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::pricing {

using MemoryForms = std::vector<partition::MemoryForm>; ///< of all stages: of a division the highest counts

/// What each stage of the plan holds at its peak, by what its layers do: the fullest first. Exact but where a buffer is
/// as large as the larger of two things. Where stages hold the smaller of two, several: none says less than they hold,
/// and one of them says just that.
[[nodiscard]] std::vector<MemoryForms> memoryForms(const plan::Plan& plan);

/// What a plan asks of a division: of those that fit, which one costs least.
struct Terms {
    MemoryForms memory;
    double capacity = 0; ///< bytes
    double ofParameter = 0; ///< secondsOfParameter()
    std::vector<MemoryForms> otherwise{}; ///< what fits by one of these fits, too
    bool operator==(const Terms&) const = default;
};
[[nodiscard]] Terms termsOf(std::vector<MemoryForms> forms, double capacity, double ofParameter);
/// Of a stage that holds most, bytes.
[[nodiscard]] double peak(const Terms& terms, const partition::Division& division);

/// Of a plan whose layers take that long where their passes alone count (PlanProgramme::fastest()).
[[nodiscard]] Terms terms(const plan::Plan& plan, const cost::Machine& machine, double layer);

/// The programme over the partitions of a plan's layers.
class PlanProgramme {
public:
    /// Refers to the machine. Precondition: dividesLayers(), and notEstimable() has no objection.
    /// As Programme::watch(), from here on. What is not found before a stop is a division of no states, or none.
    PlanProgramme(const plan::Plan& plan, const cost::Machine& machine, const std::stop_token& stop = {},
        partition::ProgrammeProgress progress = {})
        : PlanProgramme(
            plan, machine, tensorSpan(plan.strategy, machine.topology), plan::microBatches(plan), nullptr, stop)
    {
        m_progress = progress;
        m_programme.watch(stop, std::move(progress));
    }
    /// As LayerDivision.
    PlanProgramme(const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group, int microBatches,
        partition::KnownGroups* known = nullptr, const std::stop_token& stop = {});

    /// Of so many micro-batches from now on.
    void spread(int microBatches);

    [[nodiscard]] partition::Programme& programme() { return m_programme; }
    [[nodiscard]] const LayerDivision& division() const { return m_division; }
    [[nodiscard]] std::vector<parallel::OperatorPartition> inWords(const partition::Division& division) const;

    // Each stays until the next one is asked for.
    /// Of all, whatever it needs: that whose passes take least.
    [[nodiscard]] const partition::Division& fastest() { return cheapest(0); }
    /// The same, of passes and what its parameters take in the end (ProgrammeGoal::ofParameter).
    [[nodiscard]] const partition::Division& cheapest(double ofParameter);
    /// The cheapest division that fits; or, where none does, one that needs less than 0.4 % more than any has to: by
    /// these terms, or by others that were asked about before, whose layers hold no less.
    [[nodiscard]] const partition::Division& best(const Terms& terms);
    /// The cheapest division that fits; none where none does, or, if anything is within these corners at most, where it
    /// is in none of them.
    [[nodiscard]] const partition::Division* fitting(
        const Terms& terms, const std::vector<partition::Corner>& within = {});

    /// All that are best in time or in peak, by time; none where that is asked to stop.
    [[nodiscard]] std::vector<partition::Division> front(const MemoryForms& memory);
    /// Of these the fastest, and the fastest of those that need 3 % less than the one before, and so on to the leanest;
    /// more than 3 % where that would be over 32. Of large groups the whole takes minutes.
    [[nodiscard]] std::vector<partition::Division> someOfFront(const MemoryForms& memory);

    /// No more than what the passes of the fastest take, however many micro-batches share what is summed up once a
    /// step.
    [[nodiscard]] Seconds leastFastest();

    /// Whether a division may fit; false: none does.
    [[nodiscard]] bool mayFit(const Terms& terms) const;

private:
    struct Found {
        Terms terms;
        partition::Division division;
        bool fits = true;
    };

    /// No more than the peak of any division.
    [[nodiscard]] double leastPeak(const MemoryForms& memory) const;
    /// Where nothing fits; nothing where that is asked to stop.
    [[nodiscard]] std::optional<partition::Division> leanest(const Terms& terms);
    /// What was found where nothing fitted and there was no less room: nothing fits here.
    [[nodiscard]] const Found* withoutRoom(const Terms& terms) const;
    [[nodiscard]] const partition::Division* fittingWithin(
        const Terms& terms, const std::vector<partition::Corner>& within, const partition::Division* cheapest);
    // Of terms that have others: one after the other is asked.
    [[nodiscard]] const partition::Division* fittingOneOf(
        const Terms& terms, const std::vector<partition::Corner>& within);
    [[nodiscard]] const partition::Division& leanestOfAll(const Terms& terms);

    /// Whether it is known that the cheapest that fits, if any does, is in none of these corners.
    [[nodiscard]] bool areEmpty(const Terms& terms, const std::vector<partition::Corner>& corners) const;
    /// Of those found within some limit; null: none fits.
    [[nodiscard]] const partition::Division* cheapestKnown(const Terms& terms) const;
    /// With a little more room than the terms have; null: none fits even so.
    [[nodiscard]] const partition::Division* cheapestRelaxed(const Terms& terms);

    /// Corners that no division is in which fits and costs no more than another one that fits, and is in none of them.
    struct Empty {
        Terms terms;
        std::vector<partition::Corner> corners;
        std::optional<partition::Division> cheaper; ///< the other; nothing: whatever they cost
    };

    /// What is known of divisions for one number of micro-batches.
    struct Known {
        std::deque<Found> found;
        std::vector<partition::Division> cheap; ///< within some limit
        std::vector<Empty> empty;
    };
    [[nodiscard]] Known& known() { return m_known.at(m_microBatches); }
    [[nodiscard]] const Known& known() const { return m_known.at(m_microBatches); }
    [[nodiscard]] partition::ProgrammeAnswer solve(const partition::ProgrammeGoal& goal);

    LayerDivision m_division;
    partition::Programme m_programme;
    CheapestDivisions m_cheapest; ///< without a limit
    std::map<std::vector<double>, CheapestDivisions> m_relaxed; ///< by forms and capacity
    partition::ProgrammeProgress m_progress; ///< of what is asked for in several steps
    int m_microBatches;
    std::map<int, Known> m_known; ///< by micro-batches
    std::optional<partition::Division> m_oneOf; ///< what fittingOneOf() or leanestOfAll() found last
};

/// The plan with the partition of each operator, as it says or the best, and with what follows for the hidden state.
/// Precondition: dividesLayers(), and notEstimable() has no objection. Asked to stop: a problem that says nothing.
[[nodiscard]] tl::expected<plan::Plan, plan::Problem> withPartition(
    plan::Plan plan, const cost::Machine& machine, const std::stop_token& stop = {});

} // namespace stratoplan::pricing

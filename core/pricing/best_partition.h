// SPDX-License-Identifier: Apache-2.0
// The best way in which a plan's tensor-parallel ranks can divide its layers in space and time: the one that takes a
// micro-batch least time and fits into memory.
#pragma once

#include "core/cost/machine.h"
#include "core/partition/division.h"
#include "core/partition/programme.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"
#include "core/pricing/divided_layers.h"

#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::pricing {

/// What each stage of the plan holds at its peak, by what its layers do: the fullest first. Exact but where a buffer is
/// as large as the larger of two things.
[[nodiscard]] std::vector<partition::MemoryForm> memoryForms(const plan::Plan& plan);

/// The programme over the partitions of a plan's layers.
class PlanProgramme {
public:
    /// Refers to the machine. Precondition: dividesLayers(), and notEstimable() has no objection.
    PlanProgramme(const plan::Plan& plan, const cost::Machine& machine)
        : PlanProgramme(plan, machine, tensorSpan(plan.strategy, machine.topology), plan::microBatches(plan))
    {
    }
    /// As LayerDivision.
    PlanProgramme(const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group, int microBatches);

    [[nodiscard]] partition::Programme& programme() { return m_programme; }
    [[nodiscard]] const LayerDivision& division() const { return m_division; }
    [[nodiscard]] std::vector<parallel::OperatorPartition> inWords(const partition::Division& division) const;

    /// The fastest division that fits into so much memory; or, where none does, one that needs little. Stays until the
    /// next one is asked for, as do the others.
    [[nodiscard]] const partition::Division& best(const std::vector<partition::MemoryForm>& memory, double capacity);
    /// Of all, whatever it needs.
    [[nodiscard]] const partition::Division& fastest();
    /// The fastest division that fits; none where none does, or, if anything is within these corners at most, where it
    /// is in none of them.
    [[nodiscard]] const partition::Division* fitting(
        const std::vector<partition::MemoryForm>& memory, double capacity, std::vector<partition::Corner> within = {});

    /// Whether a division may fit; false: none does.
    [[nodiscard]] bool mayFit(const std::vector<partition::MemoryForm>& memory, double capacity) const;

private:
    struct Found {
        std::vector<partition::MemoryForm> memory;
        double capacity = 0;
        partition::Division division;
        bool fits = true;
    };

    /// What was found where nothing fitted and there was no less room: nothing fits here.
    [[nodiscard]] const Found* withoutRoom(const std::vector<partition::MemoryForm>& memory, double capacity) const;

    /// Whether it is known that nothing is in any of these corners.
    [[nodiscard]] bool areEmpty(
        const std::vector<partition::MemoryForm>& memory, const std::vector<partition::Corner>& corners) const;
    [[nodiscard]] double fastestKnown(const std::vector<partition::MemoryForm>& memory, double capacity) const;

    /// Corners that no division is in which fits.
    struct Empty {
        std::vector<partition::MemoryForm> memory;
        std::vector<partition::Corner> corners;
    };

    LayerDivision m_division;
    partition::Sequences m_sequences;
    partition::Programme m_programme;
    std::vector<Found> m_found; ///< the first without a limit
    std::vector<partition::Division> m_known; ///< that are fast within some limit
    std::vector<Empty> m_empty;
};

/// The plan with the partition of each operator, as it says or the best, and with what follows for the hidden state.
/// Precondition: dividesLayers(), and notEstimable() has no objection.
[[nodiscard]] tl::expected<plan::Plan, plan::Problem> withPartition(plan::Plan plan, const cost::Machine& machine);

} // namespace stratoplan::pricing

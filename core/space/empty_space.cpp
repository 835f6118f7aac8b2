// SPDX-License-Identifier: Apache-2.0
#include "core/space/empty_space.h"

#include "core/plan/dimensions.h"
#include "core/pricing/limits.h"
#include "core/space/space_tree.h"
#include "core/units/text.h"

#include <algorithm>

namespace stratoplan {
namespace {

std::string firstOf(const std::vector<Problem>& problems)
{
    const auto error = std::find_if(
        problems.begin(), problems.end(), [](const Problem& problem) { return problem.severity == Severity::Error; });
    return error == problems.end() ? std::string() : describe(*error);
}

class Restrictions {
public:
    Restrictions(const Plan& plan, const SearchSpace& space, Schedules schedules)
        : m_plan(plan)
        , m_space(space)
        , m_schedules(schedules)
        , m_topology(topology(plan.cluster))
    {
        m_plan.strategy = {};
        m_plan.strategy.contextMethod = plan.strategy.contextMethod;
    }

    // In one piece: it frees one dimension after the other, and asks the same of each.
    std::vector<FixedDimension> run()
    {
        std::vector<FixedDimension> reasons;
        if (const std::string reason = ofPrecisions(); !reason.empty())
            return {{"training precision", reason}};
        if (const std::string reason = ofFramework(); !reason.empty())
            return {{"framework", reason}};
        if (holds(m_space))
            return {};
        std::vector<FixedDimension> all;
        const auto tryFree = [&](std::string_view noun, const SearchSpace& freed, auto reasonOf) {
            if (freed == m_space)
                return;
            all.push_back({std::string(noun), "restricted by the space"});
            if (!holds(freed))
                return;
            const std::string reason = reasonOf();
            reasons.push_back({std::string(noun),
                reason.empty() ? "no strategy of the rest of the space goes with these values" : reason});
        };
        const auto nothing = [] { return std::string(); };
        SearchSpace freed = m_space;
        freed.framework = TargetFramework::Any;
        tryFree("framework", freed, [this] { return ofRules(); });
        freed = m_space;
        freed.accelerators = {};
        tryFree("accelerators", freed, [this] { return ofAccelerators(); });
        for (const DimensionRow& row : dimensions()) {
            if (!row.canEmpty)
                continue;
            freed = m_space;
            makeFree(row, freed);
            tryFree(row.noun, freed, [&] { return row.id == Dimension::Schedule ? ofSchedules() : ofValues(row); });
        }
        freed = m_space;
        freed.firstStageFewer = freed.lastStageFewer = IntChoice::just(0);
        tryFree("layers of the first and the last stage", freed, nothing);
        freed = m_space;
        freed.evenLayers = false;
        tryFree("even layers", freed, nothing);
        return reasons.empty() ? all : reasons;
    }

private:
    [[nodiscard]] bool holds(const SearchSpace& space) const
    {
        return SpaceTree(m_plan, space, m_topology, m_schedules, LargestFirst()).leaves() > 0;
    }

    /// Nothing where one of them is legal.
    [[nodiscard]] std::string ofPrecisions() const
    {
        std::string reason;
        for (const Precision precision : m_space.precisions) {
            Plan plan = m_plan;
            plan.training.precision = precision;
            const std::string problem = firstOf(check(plan, {.remedies = false}));
            if (problem.empty())
                return {};
            reason = reason.empty() ? problem : reason;
        }
        return reason;
    }

    /// Nothing where the target framework has one of the precisions.
    [[nodiscard]] std::string ofFramework() const
    {
        std::string reason;
        for (const Precision precision :
            m_space.precisions.empty() ? std::vector{m_plan.training.precision} : m_space.precisions) {
            Plan plan = m_plan;
            plan.training.precision = precision;
            if (firstObjection(plan, m_space.framework, RuleScope::Precision) == kFrameworkRules)
                return {};
            reason = reason.empty() ? describe(objections(plan, m_space.framework).front()) : reason;
        }
        return reason;
    }

    /// Which of its rules takes out what those before it leave.
    [[nodiscard]] std::string ofRules() const
    {
        const SpaceTree tree(m_plan, m_space, m_topology, m_schedules, LargestFirst());
        const auto last =
            std::find_if(tree.taken().rbegin(), tree.taken().rend(), [](std::int64_t taken) { return taken > 0; });
        if (last == tree.taken().rend())
            return {};
        const auto rule = FrameworkRule(tree.taken().rend() - last - 1);
        return std::string(title(m_space.framework)) + ' ' + std::string(limit(m_space.framework, rule).limit);
    }

    /// Of a strategy that has nothing else.
    [[nodiscard]] std::string problemOf(const Strategy& strategy) const
    {
        Plan plan = m_plan;
        plan.strategy = strategy;
        plan.training.globalBatch *= strategy.pp; // enough for every stage
        if (const std::string problem = firstOf(check(plan, {.remedies = false})); !problem.empty())
            return problem;
        return firstOf(notEstimable(plan));
    }

    /// Of the first of its values that is not legal whatever else a strategy has.
    [[nodiscard]] std::string ofValues(const DimensionRow& row) const
    {
        if (!row.support)
            return {};
        for (const int value : listedValues(row, m_space)) {
            Strategy s;
            setNumber(row.id, s, value);
            row.support(s);
            if (std::string problem = problemOf(s); !problem.empty())
                return problem;
        }
        return {};
    }

    [[nodiscard]] std::string ofSchedules() const
    {
        const auto attains = [](Schedule schedule) { return hasClosedForm(schedule); };
        if (m_schedules == Schedules::WithClosedForm
            && std::none_of(m_space.schedules.begin(), m_space.schedules.end(), attains))
            return "none of these has a closed form; a simulated search tries them";
        return {};
    }

    [[nodiscard]] std::string ofAccelerators() const
    {
        const int all = acceleratorCount(m_plan.cluster);
        if (!m_space.leaveIdle && !m_space.accelerators.allows(all))
            return "the cluster has " + groupedDigits(all) + ", and the space leaves none of them idle";
        return {};
    }

    Plan m_plan;
    const SearchSpace& m_space;
    Schedules m_schedules;
    Topology m_topology;
};

} // namespace

std::vector<FixedDimension> whyEmpty(const Plan& plan, const SearchSpace& space, Schedules schedules)
{
    return Restrictions(plan, space, schedules).run();
}

} // namespace stratoplan

// SPDX-License-Identifier: Apache-2.0
#include "core/space/empty_space.h"

#include "core/cost/machine.h"
#include "core/pricing/limits.h"
#include "core/space/space_tree.h"
#include "core/units/text.h"

#include <algorithm>
#include <functional>

namespace stratoplan {
namespace {

/// A dimension that a space may restrict.
struct Dimension {
    const char* name;
    std::function<void(SearchSpace&)> free;
    std::function<std::string()> reason; ///< may be empty
};

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
        , m_topology(machine(plan).topology)
    {
        m_plan.strategy = {};
        m_plan.strategy.contextMethod = plan.strategy.contextMethod;
    }

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
        for (const Dimension& dimension : dimensions()) {
            SearchSpace freed = m_space;
            dimension.free(freed);
            if (freed == m_space)
                continue;
            all.push_back({dimension.name, "restricted by the space"});
            if (!holds(freed))
                continue;
            const std::string reason = dimension.reason();
            reasons.push_back({dimension.name,
                reason.empty() ? "no strategy of the rest of the space goes with these values" : reason});
        }
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

    Dimension number(const char* name, IntChoice SearchSpace::*choice, int Strategy::*member,
        std::function<void(Strategy&)> rest = {}) const
    {
        const auto reason = [this, choice, member, rest = std::move(rest)] {
            const IntChoice& own = m_space.*choice;
            for (const int value : own.only.empty() ? std::vector{own.least} : own.only) {
                Strategy s;
                s.*member = value;
                if (rest)
                    rest(s);
                if (std::string problem = problemOf(s); !problem.empty())
                    return problem;
            }
            return std::string();
        };
        return {name, [choice](SearchSpace& space) { space.*choice = {}; }, reason};
    }

    template <class Value>
    Dimension list(const char* name, std::vector<Value> SearchSpace::*values, Value Strategy::*member, int pp = 1) const
    {
        const auto reason = [this, values, member, pp] {
            for (const Value value : m_space.*values) {
                Strategy s;
                s.pp = pp;
                s.*member = value;
                if (std::string problem = problemOf(s); !problem.empty())
                    return problem;
            }
            return std::string();
        };
        return {name, [values](SearchSpace& space) { (space.*values).clear(); }, reason};
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

    [[nodiscard]] std::vector<Dimension> dimensions() const
    {
        const auto nothing = [] { return std::string(); };
        return {
            {"framework", [](SearchSpace& space) { space.framework = TargetFramework::Any; },
                [this] { return ofRules(); }},
            {"accelerators", [](SearchSpace& space) { space.accelerators = {}; }, [this] { return ofAccelerators(); }},
            number("tensor parallelism", &SearchSpace::tp, &Strategy::tp),
            number("context parallelism", &SearchSpace::cp, &Strategy::cp),
            number("pipeline parallelism", &SearchSpace::pp, &Strategy::pp),
            number("data parallelism", &SearchSpace::dp, &Strategy::dp),
            number("expert parallelism", &SearchSpace::ep, &Strategy::ep, [](Strategy& s) { s.dp = s.ep; }),
            number("tensor parallelism of the experts", &SearchSpace::etp, &Strategy::etp,
                [](Strategy& s) { s.tp = s.etp; }),
            number("virtual stages", &SearchSpace::vpp, &Strategy::vpp,
                [](Strategy& s) {
                    s.pp = 2;
                    s.schedule = s.vpp > 1 ? Schedule::Interleaved : s.schedule;
                }),
            number("micro-batch", &SearchSpace::microBatch, &Strategy::microBatch),
            {"ZeRO stage", [](SearchSpace& space) { space.zeroStages.clear(); }, nothing},
            {"replicas that share states", [](SearchSpace& space) { space.zeroShards.clear(); }, nothing},
            {"sequence parallelism", [](SearchSpace& space) { space.sequenceParallel.clear(); }, nothing},
            {"recomputation", [](SearchSpace& space) { space.recomputes.clear(); }, nothing},
            {"recomputed layers of a stage", [](SearchSpace& space) { space.recomputedLayers = IntChoice::just(0); },
                nothing},
            {"schedule", [](SearchSpace& space) { space.schedules.clear(); }, [this] { return ofSchedules(); }},
            list("method of context parallelism", &SearchSpace::contextMethods, &Strategy::contextMethod),
            list("vocabulary placement", &SearchSpace::vocabularyPlacements, &Strategy::vocabularyPlacement, 2),
            list("offload", &SearchSpace::offloads, &Strategy::offload),
            {"layers of the first and the last stage",
                [](SearchSpace& space) { space.firstStageFewer = space.lastStageFewer = IntChoice::just(0); }, nothing},
            {"even layers", [](SearchSpace& space) { space.evenLayers = false; }, nothing},
        };
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

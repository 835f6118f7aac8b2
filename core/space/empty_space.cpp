// SPDX-License-Identifier: Apache-2.0
#include "core/space/empty_space.h"

#include "core/cluster/used_part.h"
#include "core/plan/dimensions.h"
#include "core/pricing/limits.h"
#include "core/space/space_tree.h"

#include <algorithm>

namespace stratoplan::space {
namespace {

std::optional<plan::Problem> firstOf(const std::vector<plan::Problem>& problems)
{
    const auto error = std::find_if(problems.begin(), problems.end(),
        [](const plan::Problem& problem) { return problem.severity == plan::Severity::Error; });
    return error == problems.end() ? std::nullopt : std::optional(*error);
}

class Restrictions {
public:
    Restrictions(const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules)
        : m_plan(plan)
        , m_space(space)
        , m_schedules(schedules)
        , m_topology(topology(plan.cluster))
    {
        m_plan.strategy = {};
        m_plan.strategy.contextMethod = plan.strategy.contextMethod;
    }

    /// Frees one part of the space after the other, and asks the same of each.
    std::vector<EmptyReason> run()
    {
        if (auto problem = ofPrecisions())
            return {EmptyReason{
                plan::SpacePart::Dimension, plan::Dimension::Precision, EmptyCode::Problem, std::move(problem)}};
        if (auto objection = ofFramework())
            return {EmptyReason{plan::SpacePart::Framework, {}, EmptyCode::Objection, {}, std::move(objection)}};
        if (holds(m_space))
            return {};
        if (auto problem = ofCables())
            return {EmptyReason{plan::SpacePart::AcceleratorsInUse, {}, EmptyCode::Problem, std::move(problem)}};
        plan::SearchSpace freed = m_space;
        freed.framework = plan::TargetFramework::Any;
        tryFree({plan::SpacePart::Framework}, freed, [this](EmptyReason& reason) { ofRules(reason); });
        freed = m_space;
        freed.accelerators = {};
        tryFree({plan::SpacePart::AcceleratorsInUse}, freed, [this](EmptyReason& reason) { ofAccelerators(reason); });
        for (const plan::DimensionRow& row : plan::dimensions()) {
            if (!row.canEmpty)
                continue;
            freed = m_space;
            makeFree(row, freed);
            tryFree({plan::SpacePart::Dimension, row.id}, freed, [&](EmptyReason& reason) {
                row.id == plan::Dimension::Schedule ? ofSchedules(reason) : ofValues(row, reason);
            });
        }
        const auto nothing = [](EmptyReason&) {};
        freed = m_space;
        freed.firstStageFewer = freed.lastStageFewer = plan::IntChoice::just(0);
        tryFree({plan::SpacePart::EndLayers}, freed, nothing);
        freed = m_space;
        freed.contextPartitions = true;
        tryFree(
            {plan::SpacePart::ContextPartitions}, freed, [](EmptyReason& reason) { reason.code = EmptyCode::Unasked; });
        freed = m_space;
        freed.evenLayers = false;
        tryFree({plan::SpacePart::EvenLayers}, freed, nothing);
        return m_reasons.empty() ? m_all : m_reasons;
    }

private:
    template <class Why>
    void tryFree(EmptyReason reason, const plan::SearchSpace& freed, Why why)
    {
        if (freed == m_space)
            return;
        m_all.push_back(reason);
        if (!holds(freed))
            return;
        reason.code = EmptyCode::NothingFits;
        why(reason);
        m_reasons.push_back(std::move(reason));
    }

    [[nodiscard]] bool holds(const plan::SearchSpace& space) const
    {
        return SpaceTree(m_plan, space, m_topology, m_schedules, LargestFirst()).leaves() > 0;
    }

    /// Nothing where one of them is legal.
    [[nodiscard]] std::optional<plan::Problem> ofPrecisions() const
    {
        std::optional<plan::Problem> first;
        for (const model::Precision precision : m_space.precisions) {
            plan::Plan plan = m_plan;
            plan.training.precision = precision;
            auto problem = firstOf(check(plan, {.remedies = false}));
            if (!problem)
                return {};
            first = first ? std::move(first) : std::move(problem);
        }
        return first;
    }

    /// Where cables do not join all ranks, and none may stay idle.
    [[nodiscard]] std::optional<plan::Problem> ofCables() const
    {
        if (m_space.leaveIdle || joinedAccelerators(m_plan.cluster) >= acceleratorCount(m_plan.cluster))
            return {};
        plan::Plan plan = m_plan;
        plan.strategy.dp = acceleratorCount(plan.cluster);
        for (plan::Problem& problem : check(plan, {.remedies = false}))
            if (problem.code == plan::ProblemCode::Disconnected && problem.severity == plan::Severity::Error)
                return std::move(problem);
        return {};
    }

    /// Nothing where the target framework has no rule against every strategy in one of the precisions. Else what is
    /// against all of them, if anything, as no other precision mends that.
    [[nodiscard]] std::optional<catalog::FrameworkObjection> ofFramework() const
    {
        using enum catalog::FrameworkRule;
        std::optional<catalog::FrameworkObjection> first;
        for (const model::Precision precision :
            m_space.precisions.empty() ? std::vector{m_plan.training.precision} : m_space.precisions) {
            plan::Plan plan = m_plan;
            plan.training.precision = precision;
            if (firstObjection(plan, m_space.framework, catalog::RuleScope::Recipe) == catalog::kFrameworkRules)
                return {};
            for (const catalog::FrameworkObjection& objection : catalog::objections(plan, m_space.framework))
                if (scope(objection.rule) == catalog::RuleScope::Recipe
                    && (!first || (first->rule == Precision && objection.rule != Precision)))
                    first = objection;
        }
        return first;
    }

    /// Which of its rules takes out what those before it leave.
    void ofRules(EmptyReason& reason) const
    {
        const SpaceTree tree(m_plan, m_space, m_topology, m_schedules, LargestFirst());
        const auto last =
            std::find_if(tree.taken().rbegin(), tree.taken().rend(), [](std::int64_t taken) { return taken > 0; });
        if (last == tree.taken().rend())
            return;
        reason.code = EmptyCode::FrameworkRule;
        reason.framework = m_space.framework;
        reason.rule = catalog::FrameworkRule(tree.taken().rend() - last - 1);
    }

    /// Of a strategy that has nothing else.
    [[nodiscard]] std::optional<plan::Problem> problemOf(const parallel::Strategy& strategy) const
    {
        plan::Plan plan = m_plan;
        plan.strategy = strategy;
        plan.training.globalBatch *= strategy.pp; // enough for every stage
        if (auto problem = firstOf(check(plan, {.remedies = false})))
            return problem;
        return firstOf(pricing::notEstimable(plan));
    }

    /// Of the first of its values that is not legal whatever else a strategy has.
    void ofValues(const plan::DimensionRow& row, EmptyReason& reason) const
    {
        if (!row.support)
            return;
        for (const int value : listedValues(row, m_space)) {
            parallel::Strategy s;
            if (m_space.tensorPartitions.size() == 1) // else a strategy may have the usual one
                s.tensorPartition = m_space.tensorPartitions.front();
            setNumber(row.id, s, value);
            row.support(s);
            if (auto problem = problemOf(s)) {
                reason.code = EmptyCode::Problem;
                reason.problem = std::move(problem);
                return;
            }
        }
    }

    void ofSchedules(EmptyReason& reason) const
    {
        const auto attains = [](parallel::Schedule schedule) { return hasClosedForm(schedule); };
        if (m_schedules == Schedules::WithClosedForm
            && std::none_of(m_space.schedules.begin(), m_space.schedules.end(), attains))
            reason.code = EmptyCode::NoClosedForm;
    }

    void ofAccelerators(EmptyReason& reason) const
    {
        reason.accelerators = acceleratorCount(m_plan.cluster);
        if (!m_space.leaveIdle && !m_space.accelerators.allows(reason.accelerators))
            reason.code = EmptyCode::NoneIdle;
    }

    plan::Plan m_plan;
    const plan::SearchSpace& m_space;
    Schedules m_schedules;
    cluster::Topology m_topology;
    std::vector<EmptyReason> m_reasons, m_all;
};

} // namespace

std::vector<EmptyReason> whyEmpty(const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules)
{
    return Restrictions(plan, space, schedules).run();
}

} // namespace stratoplan::space

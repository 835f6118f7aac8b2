// SPDX-License-Identifier: Apache-2.0
#include "core/audit/findings.h"

#include "core/units/named.h"

#include <algorithm>

namespace stratoplan::audit {
namespace {

constexpr double kWorthTelling = 0.01; // of the step
constexpr double kClearly = 1.1; // measured over estimated

constexpr NameTable<FindingCode, 17> kFindings{{
    {FindingCode::Recomputes, "recomputes"},
    {FindingCode::SlowMatmul, "slow_matmul"},
    {FindingCode::SlowAttention, "slow_attention"},
    {FindingCode::SlowComputation, "slow_computation"},
    {FindingCode::SlowOptimizer, "slow_optimizer"},
    {FindingCode::NotOverlapped, "not_overlapped"},
    {FindingCode::SlowCommunication, "slow_communication"},
    {FindingCode::UnknownCommunication, "unknown_communication"},
    {FindingCode::PipelineWaits, "pipeline_waits"},
    {FindingCode::HostBound, "host_bound"},
    {FindingCode::ExposedCopies, "exposed_copies"},
    {FindingCode::StepsVary, "steps_vary"},
    {FindingCode::ProfilerSlows, "profiler_slows"},
    {FindingCode::WithinRange, "within_range"},
    {FindingCode::Faster, "faster"},
    {FindingCode::OtherWorld, "other_world"},
    {FindingCode::PlanOfLog, "plan_of_log"},
}};

/// Looks through the causes of a measured step.
class FindingSearch {
public:
    FindingSearch(const Audit& audit, const catalog::Catalog& catalog)
        : m_audit(audit)
        , m_step(*audit.step)
        , m_estimated(estimatedCauses(audit.plan, audit.estimate, audit.stage, catalog))
        , m_catalog(catalog)
    {
    }

    std::vector<Finding> run()
    {
        lookForRecomputation();
        for (const auto& [cause, code] :
            {std::pair(Cause::Matmul, FindingCode::SlowMatmul), std::pair(Cause::Attention, FindingCode::SlowAttention),
                std::pair(Cause::OtherComputation, FindingCode::SlowComputation),
                std::pair(Cause::Optimizer, FindingCode::SlowOptimizer)})
            lookAtComputation(cause, code);
        for (const Cause cause :
            {Cause::TensorParallel, Cause::ContextParallel, Cause::ExpertParallel, Cause::DataParallel})
            lookAtCommunication(cause);
        add(FindingCode::UnknownCommunication, Cause::OtherCommunication, m_step.causes[Cause::OtherCommunication]);
        add(FindingCode::PipelineWaits, Cause::Pipeline, beyond(Cause::Pipeline));
        const Seconds idle = m_step.causes[Cause::Idle];
        add(FindingCode::HostBound, Cause::Idle, beyond(Cause::Idle), idle / m_step.step);
        add(FindingCode::ExposedCopies, Cause::Copies, beyond(Cause::Copies));
        return std::move(m_found);
    }

private:
    [[nodiscard]] Seconds beyond(Cause cause) const { return m_step.causes[cause] - m_estimated[cause]; }

    void add(FindingCode code, Cause cause, Seconds seconds, double amount = 0, double expected = 0)
    {
        if (seconds > m_step.step * kWorthTelling)
            m_found.push_back({code, cause, seconds, amount, expected});
    }

    /// Fused attention that runs forward clearly more often than backward: the estimate is that of the plan with full
    /// recomputation from then on.
    void lookForRecomputation()
    {
        constexpr double kTwice = 1.5;
        const parallel::Strategy& s = m_audit.plan.strategy;
        const bool recomputes = s.recompute == parallel::Recompute::Full || mixesRecompute(s);
        if (recomputes || m_step.attentionBackward == 0)
            return;
        const double ratio = double(m_step.attentionForward) / double(m_step.attentionBackward);
        plan::Plan then = m_audit.plan;
        recomputeAll(then.strategy, parallel::Recompute::Full);
        const auto answer = ratio < kTwice
            ? tl::expected<estimate::Estimate, std::vector<plan::Problem>>(tl::unexpect, std::vector<plan::Problem>())
            : estimate::estimate(then, {.remedies = false, .waits = false, .range = false, .catalog = &m_catalog});
        if (!answer)
            return;
        const CauseSeconds all = estimatedCauses(then, *answer, m_audit.stage, m_catalog);
        add(FindingCode::Recomputes, Cause::Matmul, all.computation() - m_estimated.computation(), ratio, 1);
        for (const Cause cause : {Cause::Matmul, Cause::Attention, Cause::OtherComputation})
            m_estimated[cause] = all[cause];
    }

    void lookAtComputation(Cause cause, FindingCode code)
    {
        const Seconds measured = m_step.causes[cause], estimated = m_estimated[cause];
        if (measured > estimated * kClearly)
            add(code, cause, measured - estimated, estimated / measured, 1);
    }

    /// Either less of it is hidden, or all of it takes longer: of what is exposed beyond the estimate, each its part.
    void lookAtCommunication(Cause cause)
    {
        const Seconds exposed = beyond(cause);
        const Seconds all = m_step.causes[cause] + m_step.causes.hiddenOf(cause);
        const Seconds expected = m_estimated[cause] + m_estimated.hiddenOf(cause);
        if (exposed < m_step.step * kWorthTelling)
            return;
        const double hidden = m_step.causes.hiddenOf(cause) / all;
        const double hiddenExpected = expected.value() > 0 ? m_estimated.hiddenOf(cause) / expected : 0;
        const Seconds longer = std::clamp((all - expected) * (1 - hiddenExpected), Seconds{}, exposed);
        if (all > expected * kClearly)
            add(FindingCode::SlowCommunication, cause, longer, expected.value() > 0 ? all / expected : 0, 1);
        if (hidden < hiddenExpected)
            add(FindingCode::NotOverlapped, cause, exposed - longer, hidden, hiddenExpected);
    }

    const Audit& m_audit;
    const MeasuredStep& m_step;
    CauseSeconds m_estimated;
    const catalog::Catalog& m_catalog;
    std::vector<Finding> m_found;
};

/// How much the steps of a profile or a log vary.
double spreadOf(const AuditInputs& inputs, const Audit& audit)
{
    if (inputs.log && inputs.log->spread > 0)
        return inputs.log->spread;
    if (!audit.step || audit.step->steps.size() < 3)
        return 0;
    const auto [least, most] = std::ranges::minmax(audit.step->steps);
    return (most - least) / audit.step->step.value();
}

void addRemarks(const AuditInputs& inputs, const Audit& audit, std::vector<Finding>& found)
{
    constexpr double kSteady = 0.05;
    const double spread = spreadOf(inputs, audit);
    if (spread > kSteady)
        found.push_back({FindingCode::StepsVary, Cause::Idle, {}, spread, kSteady});
    if (audit.step && audit.origin != StepOrigin::Profile && audit.step->step > audit.measured * (1 + kSteady))
        found.push_back({FindingCode::ProfilerSlows, Cause::Idle, {}, audit.step->step / audit.measured, 1});
    if (audit.step && audit.step->worldSize && *audit.step->worldSize != rankCount(audit.plan.strategy))
        found.push_back({FindingCode::OtherWorld, Cause::Idle, {}, double(*audit.step->worldSize),
            double(rankCount(audit.plan.strategy))});
    if (inputs.log && !inputs.log->differing.empty())
        found.push_back({FindingCode::PlanOfLog});
    if (audit.measured.value() <= 0)
        return;
    if (audit.measured < audit.estimate.stepLow)
        found.push_back({FindingCode::Faster, Cause::Idle, {}, audit.measured / audit.estimate.step, 1});
    else if (audit.measured <= audit.estimate.stepHigh)
        found.push_back({FindingCode::WithinRange, Cause::Idle, {}, audit.measured / audit.estimate.step, 1});
}

} // namespace

std::string_view key(FindingCode code)
{
    return nameIn(kFindings, code);
}

std::vector<Finding> findingsOf(const AuditInputs& inputs, const Audit& audit, const catalog::Catalog& catalog)
{
    std::vector<Finding> found;
    if (audit.step)
        found = FindingSearch(audit, catalog).run();
    std::ranges::stable_sort(found, std::ranges::greater(), &Finding::seconds);
    addRemarks(inputs, audit, found);
    return found;
}

} // namespace stratoplan::audit

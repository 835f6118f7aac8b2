// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/what_ifs.h"

#include "app/session/known_partition.h"
#include "core/cluster/fabric.h"
#include "core/pricing/pricing_context.h"
#include "core/pricing/unlike_prices.h"

#include <algorithm>
#include <utility>

namespace stratoplan::session {

namespace {

/// As searches divide the batch over replicas on unlike nodes.
plan::Plan withBatchBySpeed(plan::Plan plan)
{
    pricing::PricingContext context(plan, catalog::shippedCatalog());
    plan.strategy = withBalancedBatch(context, plan.strategy);
    return plan;
}

/// With all replicas that the accelerators make, which share out the next smaller batch that they can: by their speed
/// where they did before.
std::optional<plan::Plan> withSmallerBatch(plan::Plan plan)
{
    parallel::Strategy& s = plan.strategy;
    const int replicas = acceleratorCount(plan.cluster) / std::max(1, s.tp * s.pp * s.cp);
    if (replicas < 1 || replicas >= s.dp)
        return std::nullopt;
    s.dp = replicas;
    const bool isUneven = !s.replicaMicroBatches.empty();
    s.replicaMicroBatches.clear(); // they were for other replicas
    const int once = replicas * std::max(1, s.microBatch);
    // Schedules may ask for multiples of the stages.
    for (int tries = 0, batch = plan.training.globalBatch / once * once; tries <= 2 * s.pp && batch >= once; ++tries) {
        plan.training.globalBatch = batch;
        if (!hasErrors(check(plan, {.remedies = false})))
            return isUneven ? withBatchBySpeed(std::move(plan)) : plan;
        batch -= once;
    }
    return std::nullopt;
}

/// The plan on another cluster, and what would make it legal there where it is not.
std::vector<plan::Plan> plansOn(const plan::Plan& plan, const cluster::Cluster& cluster)
{
    plan::Plan there = plan;
    there.cluster = cluster;
    if (!hasErrors(check(there, {.remedies = false})))
        return {there};
    std::vector<plan::Plan> plans;
    for (const plan::Problem& problem : check(there)) {
        if (problem.severity != plan::Severity::Error)
            continue;
        for (const plan::Remedy& remedy : problem.remedies)
            if (!remedy.globalBatch && !remedy.cluster) // a smaller batch follows, and the failure stays
                plans.push_back(mended(there, remedy));
    }
    if (auto smaller = withSmallerBatch(there))
        plans.push_back(std::move(*smaller));
    return plans;
}

/// Those that cables no longer join to the others.
std::vector<std::string> newlyApart(const cluster::Cluster& before, const cluster::Cluster& after)
{
    const std::vector<cluster::Gap> known = gaps(before);
    std::vector<std::string> apart;
    for (const cluster::Gap& gap : gaps(after))
        if (std::ranges::find(known, gap.element, &cluster::Gap::element) == known.end())
            apart.push_back(gap.element);
    return apart;
}

/// What the plan leaves open is found anew, as it is when the change is made; only what takes long is taken as known.
WhatIf whatIf(const plan::Plan& asked, const plan::Plan& known, const cluster::ChangedCluster& changed,
    Seconds sequence, const std::stop_token& stop)
{
    WhatIf best{changed.change, asked};
    best.plan.cluster = changed.cluster;
    for (plan::Plan& plan : plansOn(asked, changed.cluster)) {
        if (stop.stop_requested() || !takeKnownPartition(plan, known))
            continue;
        auto found = priced(changed.change, std::move(plan), sequence, stop);
        if (found && isBetter(*found, best))
            best = std::move(*found);
    }
    best.apart = newlyApart(known.cluster, changed.cluster);
    return best;
}

} // namespace

Seconds ofSequence(Seconds step, const plan::Plan& plan)
{
    return step / double(plan.training.globalBatch);
}

std::optional<WhatIf> priced(
    cluster::ElementChange change, plan::Plan plan, Seconds sequence, const std::stop_token& stop)
{
    const auto found = estimate::estimate(plan, {.remedies = false, .waits = false, .stop = stop});
    if (!found)
        return std::nullopt;
    WhatIf answer{change, std::move(plan), found->step};
    answer.longer = ofSequence(found->step, answer.plan) / sequence - 1;
    answer.fits = found->fits;
    answer.mayNotFit = found->fits && found->memory.peakHigh > found->memory.capacity;
    answer.idle = std::max(0, acceleratorCount(answer.plan.cluster) - rankCount(answer.plan.strategy));
    return answer;
}

bool isBetter(const WhatIf& found, const WhatIf& best)
{
    if (!(best.step > Seconds{}) || found.fits != best.fits)
        return !(best.step > Seconds{}) || found.fits;
    return ofSequence(found.step, found.plan) < ofSequence(best.step, best.plan);
}

std::vector<WhatIf> whatIfs(
    const plan::Plan& plan, const std::vector<cluster::ChangedCluster>& changes, const std::stop_token& stop)
{
    const auto base = estimate::estimate(plan, {.remedies = false, .waits = false, .range = false, .stop = stop});
    if (!base || !(base->step > Seconds{}))
        return {};
    plan::Plan known = plan;
    known.strategy = base->settled;
    std::vector<WhatIf> answers;
    for (const cluster::ChangedCluster& changed : changes) {
        if (stop.stop_requested())
            return {};
        answers.push_back(whatIf(plan, known, changed, ofSequence(base->step, known), stop));
        if (answers.back().plan.strategy == known.strategy) // what the plan leaves open stays so
            answers.back().plan.strategy = plan.strategy;
    }
    return answers;
}

WhatIfWorker::WhatIfWorker(QObject* parent)
    : QObject(parent)
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

WhatIfWorker::~WhatIfWorker() = default;

void WhatIfWorker::ask(plan::Plan plan, std::vector<cluster::ChangedCluster> changes)
{
    m_worker->overtake({std::move(plan), std::move(changes), ++m_number});
}

void WhatIfWorker::forget()
{
    ++m_number;
    m_worker->cancel();
}

void WhatIfWorker::work(const Request& request, const std::stop_token& stop)
{
    const auto answers = std::make_shared<const std::vector<WhatIf>>(whatIfs(request.plan, request.changes, stop));
    if (stop.stop_requested())
        return;
    QMetaObject::invokeMethod(
        this,
        [this, number = request.number, answers] {
            if (number == m_number)
                Q_EMIT answered(answers);
        },
        Qt::QueuedConnection);
}

} // namespace stratoplan::session

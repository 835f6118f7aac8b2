// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/search_texts.h"

#include "core/cluster/used_part.h"
#include "core/narration/estimates.h"
#include "core/narration/frameworks.h"
#include "core/narration/problems.h"
#include "core/narration/searches.h"
#include "core/narration/spaces.h"
#include "core/space/not_varied.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace stratoplan::gui {

namespace {

const QString kDot = QStringLiteral(" · ");

QString words(std::string_view value)
{
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

QString sentence(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString modeText(plan::SearchMode mode)
{
    return mode == plan::SearchMode::Simulated ? widgets::tr("simulated") : widgets::tr("closed form");
}

double shareOf(const search::SearchProgress& progress)
{
    return progress.space > 0 ? std::clamp(double(progress.decided) / double(progress.space), 0.0, 1.0) : 0;
}

/// What is left if it goes on as it has so far.
QString timeLeft(const search::SearchProgress& progress)
{
    const double share = shareOf(progress);
    if (!(share > 0.01) || !(progress.seconds > 0))
        return {};
    return widgets::tr("%1 left").arg(widgets::text(Seconds(progress.seconds * (1 - share) / share)));
}

QString runningText(const session::SearchPicture& picture)
{
    const search::SearchProgress& p = picture.progress;
    if (p.space == 0)
        return picture.rescored ? widgets::tr("%1 strategies of the last front are priced anew; searching…")
                                      .arg(widgets::groupedNumber(qint64(picture.front.size() + picture.lost.size())))
                                : widgets::tr("Laying out the space…");
    const QString decided =
        p.preliminary ? widgets::tr("In closed form first: %1 of %2 decided") : widgets::tr("%1 of %2 decided");
    QStringList parts{decided.arg(widgets::shareText(shareOf(p)), widgets::strategiesText(p.space))};
    if (p.seconds > 0)
        parts << widgets::tr("%1/s").arg(widgets::countText(double(p.decided) / p.seconds));
    const bool isProven = p.best && p.gap <= 0;
    if (const QString left = timeLeft(p); !left.isEmpty() && !isProven) // the rest is decided at another pace
        parts << left;
    if (isProven)
        parts << widgets::tr("best %1, proven; finding the front").arg(widgets::text(p.best->step));
    else if (p.best)
        parts << (p.gap < 1 ? widgets::tr("best so far %1, at most %2 from the optimum")
                                  .arg(widgets::text(p.best->step), widgets::shareText(p.gap))
                            : widgets::tr("best so far %1").arg(widgets::text(p.best->step)));
    return parts.join(kDot);
}

/// Why nothing is left: cables do not join all accelerators, the target framework runs none of the space, or the space
/// holds nothing.
QString emptyText(const session::SearchRequest& asked, const search::SearchResult& result, const QString& outcome)
{
    const cluster::Cluster& cluster = asked.plan.cluster;
    const int joined = cluster::joinedAccelerators(cluster), accelerators = acceleratorCount(cluster);
    if (joined < accelerators && !asked.space.leaveIdle)
        return widgets::tr(
            "%1: cables join %2 of %3 accelerators, and the space takes all of them. Link the others, or remove them.")
            .arg(outcome, widgets::groupedNumber(joined), widgets::groupedNumber(accelerators));
    const std::int64_t all = std::accumulate(result.taken.begin(), result.taken.end(), std::int64_t{0});
    if (all == 0)
        return widgets::tr("%1: unlock a dimension, or take a wider space.").arg(outcome);
    const auto most = std::max_element(result.taken.begin(), result.taken.end());
    return widgets::tr("%1 runs none of %2: %3 %4.")
        .arg(words(catalog::title(asked.space.framework)), widgets::strategiesText(all),
            *most == all ? widgets::tr("all") : widgets::groupedNumber(*most),
            words(narration::describe(catalog::FrameworkRule(most - result.taken.begin()))));
}

QString endText(const session::SearchPicture& picture)
{
    const search::SearchResult& r = *picture.result;
    const QString how = modeText(r.mode) + kDot + widgets::text(Seconds(r.seconds));
    const QString outcome = sentence(widgets::text(narration::outcome(r, picture.request->options)));
    if (r.space == 0)
        return r.proven ? emptyText(*picture.request, r, outcome) : outcome;
    return outcome + kDot + how;
}

widgets::StrategyMeasure measureOf(plan::Objective objective)
{
    switch (objective) {
    case plan::Objective::TokensPerCost:
        return widgets::StrategyMeasure::TokensPerMoney;
    case plan::Objective::TokensPerEnergy:
        return widgets::StrategyMeasure::TokensPerEnergy;
    default:
        return widgets::StrategyMeasure::Throughput;
    }
}

QString setStatus(const session::SearchPicture& picture)
{
    if (!picture.hasEnded())
        return picture.rescored
            ? widgets::tr("priced anew, searching: %1").arg(widgets::shareText(searchShare(picture)))
            : widgets::tr("searching: %1").arg(widgets::shareText(searchShare(picture)));
    if (!picture.result)
        return {};
    const QString count = widgets::strategiesText(picture.result->space);
    return (picture.result->proven ? widgets::tr("proven") : widgets::tr("stopped")) + kDot
        + count; // what matters first, where there is no room for all
}

/// Whether the objective, and the measures of the picture, follow from step, peak memory and GPUs used.
bool makesAllMeasures(const session::SearchPicture& picture)
{
    const plan::Objective objective = picture.request->options.objective;
    const bool ofSteps = objective == plan::Objective::Throughput || objective == plan::Objective::TokensPerCost
        || objective == plan::Objective::TokensPerEnergy;
    return ofSteps && picture.result && picture.result->proven;
}

/// Where all strategies use as many GPUs, all measures follow from step and peak memory, whose front this is.
bool holdsAllFronts(const session::SearchPicture& picture)
{
    return makesAllMeasures(picture) && !picture.request->space.leaveIdle;
}

/// What the target framework does not run, by the first rule that says so.
widgets::DetailSection frameworkSection(const search::SearchResult& result, plan::TargetFramework framework)
{
    widgets::DetailSection section{
        widgets::tr("What %1 does not run").arg(words(catalog::title(framework))), {}, {}, {}};
    std::int64_t all = 0;
    for (std::size_t rule = 0; rule < catalog::kFrameworkRules; ++rule) {
        all += result.taken[rule];
        if (result.taken[rule] > 0)
            section.rows.push_back({sentence(words(narration::describe(catalog::FrameworkRule(rule)))),
                widgets::groupedNumber(result.taken[rule])});
    }
    section.remark = all > 0 ? widgets::tr("%1 of %2; each is counted by the first rule that takes it out.")
                                   .arg(widgets::groupedNumber(all), widgets::strategiesText(all + result.space))
                             : widgets::tr("It runs all of them.");
    return section;
}

} // namespace

bool canFindFronts(const session::SearchPicture& picture)
{
    return makesAllMeasures(picture) && picture.request->space.leaveIdle;
}

widgets::StrategySetPointer strategySet(const session::SearchPicture& picture, const plan::Plan& plan,
    const plan::CapacityInputs& run, const session::FrontsPicture* fronts)
{
    auto set = std::make_shared<widgets::StrategySet>();
    set->rates = widgets::strategyRates(plan, run);
    set->capacity = largestMemory(plan.cluster) * (1 - picture.request->options.headroom);
    set->best = measureOf(picture.request->options.objective);
    set->status = setStatus(picture);
    const bool found = fronts && fronts->result && fronts->result->proven;
    set->allFronts = holdsAllFronts(picture) || found;
    if (fronts && !fronts->result)
        set->status +=
            kDot + widgets::tr("fronts of other measures: %1").arg(widgets::shareText(shareOf(fronts->progress)));
    set->onePrecision = picture.request->space.precisions.size() <= 1;
    set->provisional = picture.provisional;
    std::set<std::pair<double, double>> known;
    for (const search::FoundStrategy& f : picture.front) {
        set->points.push_back({f.strategy, f.precision, f.step, f.peak, widgets::StrategyPoint::Kind::Front});
        known.emplace(f.step.value(), f.peak.value());
    }
    const auto add = [&](const std::vector<search::SampledStrategy>& strategies) {
        for (const search::SampledStrategy& s : strategies) {
            const auto kind =
                s.fits ? widgets::StrategyPoint::Kind::Dominated : widgets::StrategyPoint::Kind::OutOfMemory;
            if (!known.contains({s.step.value(), s.peak.value()}))
                set->points.push_back({s.strategy, s.precision, s.step, s.peak, kind});
        }
    };
    if (found)
        for (const search::FoundStrategy& f : fronts->result->byAccelerators)
            if (known.emplace(f.step.value(), f.peak.value()).second)
                set->points.push_back(
                    {f.strategy, f.precision, f.step, f.peak, widgets::StrategyPoint::Kind::Dominated});
    add(picture.lost);
    if (picture.sampled)
        add(*picture.sampled);
    return set;
}

QString searchStatus(const session::SearchPicture& picture)
{
    if (!picture.faults.empty())
        return widgets::tr("This plan cannot be searched: %1")
            .arg(QString::fromStdString(narration::describe(picture.faults.front())));
    return picture.result ? endText(picture) : runningText(picture);
}

double searchShare(const session::SearchPicture& picture)
{
    return picture.hasEnded() ? 1 : shareOf(picture.progress);
}

QString searchScope(const session::SearchPicture& picture)
{
    const std::int64_t space = picture.result ? picture.result->space : picture.progress.space;
    const session::SearchRequest& request = *picture.request;
    const QString strategies = request.space.leaveIdle
        ? widgets::strategiesText(space)
        : widgets::tr("%1 on all %2 accelerators")
              .arg(widgets::strategiesText(space), widgets::groupedNumber(acceleratorCount(request.plan.cluster)));
    return widgets::tr("%1, %2").arg(strategies, modeText(request.options.mode));
}

VerdictKind verdictKind(const session::VerifyPicture& picture)
{
    if (!picture.verdict)
        return VerdictKind::Running;
    if (!picture.verdict->agrees())
        return VerdictKind::Differs;
    return picture.verdict->complete ? VerdictKind::Agrees : VerdictKind::Stopped;
}

QString verifyStatus(const session::VerifyPicture& picture)
{
    const search::SearchProgress& p = picture.progress;
    const auto front = qint64(picture.answer->front.size());
    const QString done =
        widgets::tr("%1 of %2 priced").arg(widgets::groupedNumber(p.evaluated), widgets::strategiesText(p.space));
    switch (verdictKind(picture)) {
    case VerdictKind::Running: {
        const QString left = timeLeft(p);
        return widgets::tr("Verifying: %1").arg(done) + (left.isEmpty() ? QString() : kDot + left);
    }
    case VerdictKind::Agrees:
        return widgets::tr(
            "Verified: pricing all %1 strategies gives the same best value, the same optimal strategies and the "
            "same front of %2, in %3.")
            .arg(widgets::groupedNumber(p.space), widgets::groupedNumber(front), widgets::text(Seconds(p.seconds)));
    case VerdictKind::Stopped:
        return widgets::tr("Verification stopped, %1: nothing among them contradicts the answer.").arg(done);
    case VerdictKind::Differs:
        break;
    }
    const search::Verification& v = *picture.verdict;
    QStringList differences;
    if (v.complete && !v.sameBest)
        differences << widgets::tr("the best value");
    if (v.complete && !v.sameOptimal)
        differences << widgets::tr("the optimal strategies");
    if (!v.missing.empty())
        differences << widgets::tr("%1 strategies missing on the front, first %2")
                           .arg(widgets::groupedNumber(qint64(v.missing.size())),
                               widgets::strategyText(v.missing.front().strategy));
    if (!v.wrong.empty())
        differences << widgets::tr("%1 on the front that should not be, first %2")
                           .arg(widgets::groupedNumber(qint64(v.wrong.size())),
                               widgets::strategyText(v.wrong.front().strategy));
    return widgets::tr("Pricing everything differs: %1. Please report this plan.")
        .arg(differences.join(QStringLiteral("; ")));
}

namespace {

/// What is asked for, and how it was answered if it was.
widgets::DetailSection searchSection(const session::SearchPicture& picture, const plan::Plan& plan)
{
    const session::SearchRequest& request = *picture.request;
    widgets::DetailSection how{widgets::tr("The search"), {}, {}, {}};
    how.rows = {{widgets::tr("Looks for"), words(narration::describe(request.options.objective))},
        {widgets::tr("Steps"),
            request.options.mode == plan::SearchMode::Simulated ? widgets::tr("simulated, exact")
                                                                : widgets::tr("closed form, exact")},
        {widgets::tr("Space"), QString::fromStdString(request.space.name)}};
    if (request.space.framework != plan::TargetFramework::Any)
        how.rows.push_back({widgets::tr("Run by"), words(catalog::title(request.space.framework))});
    if (request.options.headroom > 0)
        how.rows.push_back({widgets::tr("Memory kept free"), widgets::shareText(request.options.headroom)});
    if (!picture.result) {
        how.text = searchStatus(picture);
        return how;
    }
    const search::SearchResult& r = *picture.result;
    how.rows.push_back({widgets::tr("Answer"),
        r.proven ? widgets::tr("proven") : widgets::tr("stopped, gap %1").arg(widgets::shareText(r.gap))});
    how.rows.push_back({widgets::tr("Time"),
        r.threads == 1 ? widgets::tr("%1 on one thread").arg(widgets::text(Seconds(r.seconds)))
                       : widgets::tr("%1 on %2 threads")
                             .arg(widgets::text(Seconds(r.seconds)), widgets::groupedNumber(r.threads))});
    if (r.best && r.best->precision != plan.training.precision)
        how.rows.push_back({widgets::tr("Precision of the best"), words(key(r.best->precision))});
    return how;
}

/// What became of all the strategies.
widgets::DetailSection countsSection(const search::SearchResult& r)
{
    widgets::DetailSection became{widgets::tr("What became of %1").arg(widgets::strategiesText(r.space)), {}, {}, {}};
    became.rows.push_back({sentence(words(narration::priced(r.mode))), widgets::groupedNumber(r.evaluated)});
    for (std::size_t rule = 0; rule < search::kPruneRules; ++rule)
        if (r.pruned[rule] > 0)
            became.rows.push_back({sentence(words(narration::describe(search::PruneRule(rule)))),
                widgets::groupedNumber(r.pruned[rule])});
    if (r.unvisited > 0)
        became.rows.push_back({sentence(words(narration::kNotReached)), widgets::groupedNumber(r.unvisited)});
    became.remark =
        widgets::tr("Each rule drops only what cannot be better than something known; “Verify” prices them all.");
    return became;
}

} // namespace

widgets::DetailSections searchDetails(const session::SearchPicture& picture, const plan::Plan& plan)
{
    widgets::DetailSections sections{searchSection(picture, plan)};
    if (!picture.result)
        return sections;
    const plan::SearchSpace& space = picture.request->space;
    sections.push_back(countsSection(*picture.result));
    if (space.framework != plan::TargetFramework::Any)
        sections.push_back(frameworkSection(*picture.result, space.framework));
    widgets::DetailSection fixed{widgets::tr("Not varied"), {}, {}, {}};
    for (const plan::FixedDimension& dimension : space::notVaried(space, plan, picture.result->mode)) {
        const auto [part, reason] = narration::describe(dimension);
        fixed.rows.push_back({sentence(widgets::text(part)), widgets::text(reason)});
    }
    sections.push_back(fixed);
    return sections;
}

namespace {

/// What stands in a row of its own for each strategy.
std::vector<widgets::DetailRow> traitRows(const parallel::Strategy& s, const plan::SearchSpace& space)
{
    std::vector<widgets::DetailRow> rows{{widgets::tr("Degrees"), widgets::degreesText(s)},
        {widgets::tr("Micro-batch"), widgets::countText(s.microBatch)}, {widgets::tr("ZeRO"), widgets::zeroText(s)},
        {widgets::tr("Recomputation"), widgets::recomputeText(s.recompute)},
        {widgets::tr("Schedule"), s.pp > 1 ? widgets::scheduleText(s.schedule) : QStringLiteral("–")}};
    const bool isMegatron = s.tensorPartition == parallel::TensorPartition::Megatron;
    if (const bool hasOne = space.tensorPartitions.size() == 1; s.tp > 1 && !(isMegatron && hasOne))
        rows.push_back({widgets::tr("Tensor partition"),
            widgets::choiceText(plan::Dimension::TensorPartition, int(s.tensorPartition))});
    if (isMegatron)
        rows.push_back({widgets::tr("Sequence parallel"), s.sequenceParallel ? widgets::tr("on") : widgets::tr("off")});
    return rows;
}

} // namespace

widgets::DetailSections strategyDetails(const widgets::StrategyPoint& strategy, const widgets::StrategySet& set,
    const plan::SearchSpace& space, const estimate::Estimate& estimate)
{
    widgets::DetailSection section{strategy.kind == widgets::StrategyPoint::Kind::Front
            ? widgets::tr("On the Pareto front")
            : widgets::tr("A strategy tried"),
        {}, {}, {}};
    section.rows = traitRows(strategy.strategy, space);
    for (const widgets::StrategyMeasure measure : widgets::kMeasures)
        section.rows.push_back(
            {measureName(measure, set.rates), measureText(measure, measured(strategy, measure, set.rates), set.rates)});
    section.rows.push_back({widgets::tr("Memory to use"), widgets::text(set.capacity)});
    if (estimate.step > Seconds(0)) {
        const double change = strategy.step / estimate.step - 1;
        section.rows.push_back(
            {widgets::tr("Step against this plan"), widgets::signedText(change, widgets::shareText(std::abs(change)))});
    }
    switch (strategy.kind) {
    case widgets::StrategyPoint::Kind::OutOfMemory:
        section.remark = strategy.peak > set.capacity
            ? widgets::tr("It needs %1 more memory than there is.").arg(widgets::text(strategy.peak - set.capacity))
            : widgets::tr("It needs more memory than there is where it runs.");
        break;
    case widgets::StrategyPoint::Kind::Front:
        section.remark = widgets::tr("Nothing that was found is better with as little memory.");
        break;
    case widgets::StrategyPoint::Kind::Dominated:
        section.remark = widgets::tr("Another one is at least as good and needs no more memory.");
        break;
    }
    return {section};
}

QString peakRangeText(const estimate::Estimate& estimate)
{
    const estimate::Memory& m = estimate.memory;
    return widgets::tr("peak %1").arg(widgets::text(narration::peakAndRange(m.peak, m)));
}

namespace {

/// Two sections: what the best of the space becomes, and what the strategy that is asked about becomes.
widgets::DetailSections worthDetails(const session::WhyAnswer& answer)
{
    widgets::DetailSection best{widgets::tr("With more, the best takes"), {}, {}, {}};
    widgets::DetailSection picked{widgets::tr("With more, this one takes"), {}, {}, {}};
    for (const search::MarginalValue& value : *answer.worth) {
        QString becomes = words(narration::kNoneFits);
        if (value.best && countsAccelerators(answer.options.objective)) {
            becomes = widgets::tr("%1, %2").arg(
                widgets::acceleratorsText(rankCount(value.best->strategy)), widgets::text(value.best->step));
        } else if (value.best) {
            const double change = value.best->value / answer.best.value - 1;
            becomes = QStringLiteral("%1 · %2").arg(widgets::text(value.best->step),
                std::abs(change) < 1e-9 ? QStringLiteral("±0 %")
                                        : widgets::signedText(change, widgets::shareText(std::abs(change))));
        }
        best.rows.push_back({widgets::text(narration::describe(value)), becomes});
        picked.rows.push_back(
            {widgets::text(narration::describe(value)), widgets::text(narration::describe(value.asked))});
    }
    best.remark = widgets::tr("Searched anew with that much of each; the shares are by the objective.");
    return {best, picked};
}

QString whyTitle(const search::Why& why)
{
    switch (why.binding) {
    case search::Binding::Nothing:
        return widgets::tr("Nothing beats it");
    case search::Binding::Outside:
        return widgets::tr("Not in the space");
    case search::Binding::Framework:
        return widgets::tr("Not run by %1").arg(words(catalog::title(why.objections.front().framework)));
    default:
        return widgets::tr("Why it lost to the best");
    }
}

widgets::DetailSection nearestDetails(const search::NearStrategy& nearest)
{
    widgets::DetailSection section{sentence(widgets::text(narration::away(nearest))), {}, {}, {}};
    section.rows = {{widgets::tr("Step"), widgets::text(nearest.found.step)},
        {widgets::tr("Peak memory"), widgets::text(nearest.found.peak)}};
    section.text = sentence(widgets::text(narration::describe(nearest.changes))) + u'.';
    section.remark = nearest.changes.size() == 1
        ? widgets::tr("The best of the space that fits and differs in one dimension.")
        : widgets::tr("The best of the space that was found to fit after so few changes.");
    return section;
}

} // namespace

widgets::DetailSections whyDetails(const session::WhyAnswer& answer)
{
    const search::Why& why = answer.why;
    widgets::DetailSection section{whyTitle(why), {}, {}, {}};
    section.text = widgets::text(describe(why, narration::Asked::It, answer.options, answer.best));
    if (why.binding == search::Binding::Slower || why.binding == search::Binding::Outside)
        for (const search::StepPart& part : why.parts)
            section.rows.push_back({sentence(words(narration::describe(part.term))),
                widgets::signedText(part.share, widgets::shareText(std::abs(part.share)))});
    if (why.binding == search::Binding::Slower)
        section.remark =
            widgets::tr("Shares are of the best step. The bubble is what the stage that sets the pace waits; the "
                        "pipeline chart counts all stages.");
    widgets::DetailSections all{section};
    if (why.nearest)
        all.push_back(nearestDetails(*why.nearest));
    if (answer.worth) {
        for (widgets::DetailSection& part : worthDetails(answer))
            all.push_back(std::move(part));
    }
    return all;
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/search_texts.h"

#include "core/narration/estimates.h"
#include "core/narration/frameworks.h"
#include "core/narration/problems.h"
#include "core/narration/searches.h"
#include "core/narration/spaces.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace stratoplan {

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

QString modeText(SearchMode mode)
{
    return mode == SearchMode::Simulated ? tr("simulated") : tr("closed form");
}

double shareOf(const SearchProgress& progress)
{
    return progress.space > 0 ? std::clamp(double(progress.decided) / double(progress.space), 0.0, 1.0) : 0;
}

/// What is left if it goes on as it has so far.
QString timeLeft(const SearchProgress& progress)
{
    const double share = shareOf(progress);
    if (!(share > 0.01) || !(progress.seconds > 0))
        return {};
    return tr("%1 left").arg(text(Seconds(progress.seconds * (1 - share) / share)));
}

QString runningText(const SearchPicture& picture)
{
    const SearchProgress& p = picture.progress;
    if (p.space == 0)
        return picture.rescored ? tr("%1 strategies of the last front are priced anew; searching…")
                                      .arg(groupedNumber(qint64(picture.front.size() + picture.lost.size())))
                                : tr("Laying out the space…");
    const QString decided = p.preliminary ? tr("In closed form first: %1 of %2 decided") : tr("%1 of %2 decided");
    QStringList parts{decided.arg(shareText(shareOf(p)), strategiesText(p.space))};
    if (p.seconds > 0)
        parts << tr("%1/s").arg(countText(double(p.decided) / p.seconds));
    if (const QString left = timeLeft(p); !left.isEmpty())
        parts << left;
    if (p.best)
        parts << (p.gap < 1
                ? tr("best so far %1, at most %2 from the optimum").arg(text(p.best->step), shareText(p.gap))
                : tr("best so far %1").arg(text(p.best->step)));
    return parts.join(kDot);
}

QString endText(const SearchPicture& picture)
{
    const SearchResult& r = *picture.result;
    const QString how = modeText(r.mode) + kDot + text(Seconds(r.seconds));
    const QString told = sentence(text(outcome(r, picture.request->options)));
    if (r.space == 0)
        return r.proven ? tr("%1: unlock a dimension, or take a wider space.").arg(told) : told;
    return told + kDot + how;
}

StrategyMeasure measureOf(Objective objective)
{
    switch (objective) {
    case Objective::TokensPerCost:
        return StrategyMeasure::TokensPerMoney;
    case Objective::TokensPerEnergy:
        return StrategyMeasure::TokensPerEnergy;
    default:
        return StrategyMeasure::Throughput;
    }
}

QString setStatus(const SearchPicture& picture)
{
    if (!picture.hasEnded())
        return picture.rescored ? tr("priced anew, searching: %1").arg(shareText(searchShare(picture)))
                                : tr("searching: %1").arg(shareText(searchShare(picture)));
    if (!picture.result)
        return {};
    const QString count = strategiesText(picture.result->space);
    return (picture.result->proven ? tr("proven") : tr("stopped")) + kDot
        + count; // what matters first, where there is no room for all
}

/// Whether the objective, and the measures of the picture, follow from step, peak memory and GPUs used.
bool makesAllMeasures(const SearchPicture& picture)
{
    const Objective objective = picture.request->options.objective;
    const bool ofSteps = objective == Objective::Throughput || objective == Objective::TokensPerCost
        || objective == Objective::TokensPerEnergy;
    return ofSteps && picture.result && picture.result->proven;
}

/// Where all strategies use as many GPUs, all measures follow from step and peak memory, whose front this is.
bool holdsAllFronts(const SearchPicture& picture)
{
    return makesAllMeasures(picture) && !picture.request->space.leaveIdle;
}

/// What the target framework does not run, by the first rule that says so.
DetailSection frameworkSection(const SearchResult& result, TargetFramework framework)
{
    DetailSection section{tr("What %1 does not run").arg(words(title(framework))), {}, {}, {}};
    std::int64_t all = 0;
    for (std::size_t rule = 0; rule < kFrameworkRules; ++rule) {
        all += result.taken[rule];
        if (result.taken[rule] > 0)
            section.rows.push_back({sentence(words(describe(FrameworkRule(rule)))), groupedNumber(result.taken[rule])});
    }
    section.remark = all > 0 ? tr("%1 of %2; each is counted by the first rule that takes it out.")
                                   .arg(groupedNumber(all), strategiesText(all + result.space))
                             : tr("It runs all of them.");
    return section;
}

} // namespace

bool canFindFronts(const SearchPicture& picture)
{
    return makesAllMeasures(picture) && picture.request->space.leaveIdle;
}

StrategySetPointer strategySet(
    const SearchPicture& picture, const Plan& plan, const CapacityInputs& run, const FrontsPicture* fronts)
{
    auto set = std::make_shared<StrategySet>();
    set->rates = strategyRates(plan, run);
    set->capacity = smallestMemory(plan.cluster) * (1 - picture.request->options.headroom);
    set->best = measureOf(picture.request->options.objective);
    set->status = setStatus(picture);
    const bool found = fronts && fronts->result && fronts->result->proven;
    set->allFronts = holdsAllFronts(picture) || found;
    if (fronts && !fronts->result)
        set->status += kDot + tr("fronts of other measures: %1").arg(shareText(shareOf(fronts->progress)));
    set->onePrecision = picture.request->space.precisions.size() <= 1;
    set->provisional = picture.provisional;
    std::set<std::pair<double, double>> known;
    for (const FoundStrategy& f : picture.front) {
        set->points.push_back({f.strategy, f.precision, f.step, f.peak, StrategyPoint::Kind::Front});
        known.emplace(f.step.value(), f.peak.value());
    }
    const auto add = [&](const std::vector<SampledStrategy>& strategies) {
        for (const SampledStrategy& s : strategies) {
            const auto kind = s.fits ? StrategyPoint::Kind::Dominated : StrategyPoint::Kind::OutOfMemory;
            if (!known.contains({s.step.value(), s.peak.value()}))
                set->points.push_back({s.strategy, s.precision, s.step, s.peak, kind});
        }
    };
    if (found)
        for (const FoundStrategy& f : fronts->result->byAccelerators)
            if (known.emplace(f.step.value(), f.peak.value()).second)
                set->points.push_back({f.strategy, f.precision, f.step, f.peak, StrategyPoint::Kind::Dominated});
    add(picture.lost);
    if (picture.sampled)
        add(*picture.sampled);
    return set;
}

QString searchStatus(const SearchPicture& picture)
{
    if (!picture.faults.empty())
        return tr("This plan cannot be searched: %1").arg(QString::fromStdString(describe(picture.faults.front())));
    return picture.result ? endText(picture) : runningText(picture);
}

double searchShare(const SearchPicture& picture)
{
    return picture.hasEnded() ? 1 : shareOf(picture.progress);
}

QString searchScope(const SearchPicture& picture)
{
    const std::int64_t space = picture.result ? picture.result->space : picture.progress.space;
    return tr("%1, %2").arg(strategiesText(space), modeText(picture.request->options.mode));
}

VerdictKind verdictKind(const VerifyPicture& picture)
{
    if (!picture.verdict)
        return VerdictKind::Running;
    if (!picture.verdict->agrees())
        return VerdictKind::Differs;
    return picture.verdict->complete ? VerdictKind::Agrees : VerdictKind::Stopped;
}

QString verifyStatus(const VerifyPicture& picture)
{
    const SearchProgress& p = picture.progress;
    const auto front = qint64(picture.answer->front.size());
    const QString done = tr("%1 of %2 priced").arg(groupedNumber(p.evaluated), strategiesText(p.space));
    switch (verdictKind(picture)) {
    case VerdictKind::Running: {
        const QString left = timeLeft(p);
        return tr("Verifying: %1").arg(done) + (left.isEmpty() ? QString() : kDot + left);
    }
    case VerdictKind::Agrees:
        return tr("Verified: pricing all %1 strategies gives the same best value, the same optimal strategies and the "
                  "same front of %2, in %3.")
            .arg(groupedNumber(p.space), groupedNumber(front), text(Seconds(p.seconds)));
    case VerdictKind::Stopped:
        return tr("Verification stopped, %1: nothing among them contradicts the answer.").arg(done);
    case VerdictKind::Differs:
        break;
    }
    const Verification& v = *picture.verdict;
    QStringList differences;
    if (v.complete && !v.sameBest)
        differences << tr("the best value");
    if (v.complete && !v.sameOptimal)
        differences << tr("the optimal strategies");
    if (!v.missing.empty())
        differences << tr("%1 strategies missing on the front, first %2")
                           .arg(groupedNumber(qint64(v.missing.size())), strategyText(v.missing.front().strategy));
    if (!v.wrong.empty())
        differences << tr("%1 on the front that should not be, first %2")
                           .arg(groupedNumber(qint64(v.wrong.size())), strategyText(v.wrong.front().strategy));
    return tr("Pricing everything differs: %1. Please report this plan.").arg(differences.join(QStringLiteral("; ")));
}

DetailSections searchDetails(const SearchPicture& picture, const Plan& plan)
{
    const SearchRequest& request = *picture.request;
    DetailSection how{tr("The search"), {}, {}, {}};
    how.rows = {{tr("Looks for"), words(describe(request.options.objective))},
        {tr("Steps"),
            request.options.mode == SearchMode::Simulated ? tr("simulated, exact") : tr("closed form, exact")},
        {tr("Space"), QString::fromStdString(request.space.name)}};
    if (request.space.framework != TargetFramework::Any)
        how.rows.push_back({tr("Run by"), words(title(request.space.framework))});
    if (request.options.headroom > 0)
        how.rows.push_back({tr("Memory kept free"), shareText(request.options.headroom)});
    if (!picture.result) {
        how.text = searchStatus(picture);
        return {how};
    }
    const SearchResult& r = *picture.result;
    how.rows.push_back({tr("Answer"), r.proven ? tr("proven") : tr("stopped, gap %1").arg(shareText(r.gap))});
    how.rows.push_back({tr("Time"),
        r.threads == 1 ? tr("%1 on one thread").arg(text(Seconds(r.seconds)))
                       : tr("%1 on %2 threads").arg(text(Seconds(r.seconds)), groupedNumber(r.threads))});
    if (r.best && r.best->precision != plan.training.precision)
        how.rows.push_back({tr("Precision of the best"), words(key(r.best->precision))});
    DetailSection became{tr("What became of %1").arg(strategiesText(r.space)), {}, {}, {}};
    became.rows.push_back({sentence(words(priced(r.mode))), groupedNumber(r.evaluated)});
    for (std::size_t rule = 0; rule < kPruneRules; ++rule)
        if (r.pruned[rule] > 0)
            became.rows.push_back({sentence(words(describe(PruneRule(rule)))), groupedNumber(r.pruned[rule])});
    if (r.unvisited > 0)
        became.rows.push_back({sentence(words(kNotReached)), groupedNumber(r.unvisited)});
    became.remark = tr("Each rule drops only what cannot be better than something known; “Verify” prices them all.");
    DetailSections sections{how, became};
    if (request.space.framework != TargetFramework::Any)
        sections.push_back(frameworkSection(r, request.space.framework));
    DetailSection fixed{tr("Not varied"), {}, {}, {}};
    for (const FixedDimension& dimension : fixedDimensions(request.space, plan, r.mode)) {
        const auto [part, reason] = describe(dimension);
        fixed.rows.push_back({sentence(text(part)), text(reason)});
    }
    sections.push_back(fixed);
    return sections;
}

DetailSections strategyDetails(const StrategyPoint& strategy, const StrategySet& set, const Estimate& estimate)
{
    const Strategy& s = strategy.strategy;
    DetailSection section{
        strategy.kind == StrategyPoint::Kind::Front ? tr("On the Pareto front") : tr("A strategy tried"), {}, {}, {}};
    section.rows = {{tr("Degrees"), degreesText(s)}, {tr("Micro-batch"), countText(s.microBatch)},
        {tr("ZeRO"), zeroText(s)}, {tr("Recomputation"), recomputeText(s.recompute)},
        {tr("Schedule"), s.pp > 1 ? scheduleText(s.schedule) : QStringLiteral("–")},
        {tr("Sequence parallel"), s.sequenceParallel ? tr("on") : tr("off")}};
    for (const StrategyMeasure measure : kMeasures)
        section.rows.push_back(
            {measureName(measure, set.rates), measureText(measure, measured(strategy, measure, set.rates), set.rates)});
    section.rows.push_back({tr("Memory to use"), text(set.capacity)});
    if (estimate.step > Seconds(0)) {
        const double change = strategy.step / estimate.step - 1;
        section.rows.push_back({tr("Step against this plan"), signedText(change, shareText(std::abs(change)))});
    }
    switch (strategy.kind) {
    case StrategyPoint::Kind::OutOfMemory:
        section.remark = tr("It needs %1 more memory than there is.").arg(text(strategy.peak - set.capacity));
        break;
    case StrategyPoint::Kind::Front:
        section.remark = tr("Nothing that was found is better with as little memory.");
        break;
    case StrategyPoint::Kind::Dominated:
        section.remark = tr("Another one is at least as good and needs no more memory.");
        break;
    }
    return {section};
}

QString peakRangeText(const Estimate& estimate)
{
    const Memory& m = estimate.memory;
    return tr("peak %1").arg(text(peakAndRange(m.peak, m)));
}

namespace {

bool countsAccelerators(Objective objective)
{
    return objective == Objective::Deadline || objective == Objective::SmallestCluster;
}

/// Two sections: what the best of the space becomes, and what the strategy that is asked about becomes.
DetailSections worthDetails(const WhyAnswer& answer)
{
    DetailSection best{tr("With more, the best takes"), {}, {}, {}};
    DetailSection own{tr("With more, this one takes"), {}, {}, {}};
    for (const MarginalValue& value : *answer.worth) {
        QString becomes = words(kNoneFits);
        if (value.best && countsAccelerators(answer.options.objective)) {
            becomes = tr("%1, %2").arg(acceleratorsText(rankCount(value.best->strategy)), text(value.best->step));
        } else if (value.best) {
            const double change = value.best->value / answer.best.value - 1;
            becomes = QStringLiteral("%1 · %2").arg(text(value.best->step),
                std::abs(change) < 1e-9 ? QStringLiteral("±0 %") : signedText(change, shareText(std::abs(change))));
        }
        best.rows.push_back({text(describe(value)), becomes});
        own.rows.push_back({text(describe(value)), text(describe(value.own))});
    }
    best.remark = tr("Searched anew with that much of each; the shares are by the objective.");
    return {best, own};
}

} // namespace

namespace {

QString whyTitle(const Why& why)
{
    switch (why.binding) {
    case Binding::Nothing:
        return tr("Nothing beats it");
    case Binding::Outside:
        return tr("Not in the space");
    case Binding::Framework:
        return tr("Not run by %1").arg(words(title(why.objections.front().framework)));
    default:
        return tr("Why it lost to the best");
    }
}

DetailSection nearestDetails(const NearStrategy& nearest)
{
    DetailSection section{sentence(text(away(nearest))), {}, {}, {}};
    section.rows = {{tr("Step"), text(nearest.found.step)}, {tr("Peak memory"), text(nearest.found.peak)}};
    section.text = sentence(text(describe(nearest.changes))) + u'.';
    section.remark = nearest.changes.size() == 1
        ? tr("The best of the space that fits and differs in one dimension.")
        : tr("The best of the space that was found to fit after so few changes.");
    return section;
}

} // namespace

DetailSections whyDetails(const WhyAnswer& answer)
{
    const Why& why = answer.why;
    DetailSection section{whyTitle(why), {}, {}, {}};
    section.text = text(describe(why, Asked::It, answer.options, answer.best));
    if (why.binding == Binding::Slower || why.binding == Binding::Outside)
        for (const StepPart& part : why.parts)
            section.rows.push_back(
                {sentence(words(describe(part.term))), signedText(part.share, shareText(std::abs(part.share)))});
    if (why.binding == Binding::Slower)
        section.remark = tr("Shares are of the best step. The bubble is what the stage that sets the pace waits; the "
                            "pipeline chart counts all stages.");
    DetailSections all{section};
    if (why.nearest)
        all.push_back(nearestDetails(*why.nearest));
    if (answer.worth) {
        for (DetailSection& part : worthDetails(answer))
            all.push_back(std::move(part));
    }
    return all;
}

} // namespace stratoplan

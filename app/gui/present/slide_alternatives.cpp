// SPDX-License-Identifier: GPL-3.0-or-later
// The plan and what it is compared with as a table of large numbers, each with a bar and how it differs.
#include "app/gui/present/slide_pictures.h"

#include "app/session/plan_fields.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stratoplan::gui {

namespace {

/// A measure that plans are compared by; less is better in all of them.
struct ComparedMeasure {
    QString title;
    std::function<double(const Alternative&)> amount; ///< 0: not known
    std::function<QString(const Alternative&, double)> write;
    bool isDuration = false; ///< of a run: written as the day it is done on, where its first day is stated
};

std::vector<ComparedMeasure> comparedMeasures(bool hasDates)
{
    const auto days = [](const Alternative& a) { return a.run.days.mid; };
    const auto duration = [](const Alternative&, double value) { return dayCountText(value); };
    const auto money = [](const Alternative& a, double value) { return widgets::moneyText(value, a.inputs.currency); };
    return {{widgets::tr("Step"), [](const Alternative& a) { return a.step ? a.step->value() : 0; },
                [](const Alternative&, double value) { return widgets::text(Seconds(value)); }},
        {hasDates ? widgets::tr("Delivered") : widgets::tr("Duration"), days, duration, true},
        {widgets::tr("Cost"), [](const Alternative& a) { return a.run.isPriced ? a.run.cost.mid : 0; }, money},
        {widgets::tr("Energy"), [](const Alternative& a) { return a.run.energyKwh.mid; },
            [](const Alternative&, double value) { return widgets::energyText(value); }},
        {widgets::tr("Accelerators"), [](const Alternative& a) { return double(a.accelerators); },
            [](const Alternative&, double value) { return widgets::groupedNumber(qint64(std::lround(value))); }}};
}

Alternative presentedPlan(const SlideState& state)
{
    Alternative presented;
    presented.name =
        state.pinnedAs.isEmpty() ? widgets::tr("This plan") : widgets::tr("This plan (%1)").arg(state.pinnedAs);
    presented.detail = session::strategyTitle(state.plan->strategy);
    presented.step = state.priced()->step;
    presented.fits = state.priced()->fits;
    presented.run = state.run;
    presented.inputs = state.inputs;
    presented.accelerators = rankCount(state.plan->strategy);
    return presented;
}

struct ComparedCell {
    QString value, delta;
    SlideTone tone = SlideTone::Neutral;
    double share = 0; ///< of the largest in its column
};

ComparedCell cellOf(
    const ComparedMeasure& measure, const Alternative& plan, const Alternative& presented, double largest)
{
    const double amount = measure.amount(plan);
    if (!(amount > 0) || !std::isfinite(amount))
        return {QStringLiteral("–"), {}, SlideTone::Neutral, 0};
    ComparedCell cell{measure.write(plan, amount), {}, SlideTone::Neutral, largest > 0 ? amount / largest : 0};
    if (measure.isDuration)
        if (const QString done = doneDayText(plan.inputs, amount); !done.isEmpty())
            cell.value = done;
    const double before = measure.amount(presented);
    if (&plan == &presented || !(before > 0))
        return cell;
    if (widgets::sameInThreeFigures(amount, before)) {
        cell.delta = QStringLiteral("=");
        return cell;
    }
    cell.delta = widgets::signedText(amount - before, measure.write(plan, std::abs(amount - before)));
    cell.tone = amount < before ? SlideTone::Good : SlideTone::Bad;
    return cell;
}

void paintCell(const SlidePainter& slide, const QRectF& place, const ComparedCell& cell, bool isOwn)
{
    const double value = place.height() * 0.46, delta = place.height() * 0.28;
    slide.line({place.left(), place.top(), place.width(), value}, cell.value, slide.style(kBodyType + 0.5, isOwn));
    TextStyle style = slide.muted(kSmallType);
    if (cell.tone != SlideTone::Neutral)
        style.colour = slide.colour(cell.tone);
    slide.line({place.left(), place.top() + value, place.width(), delta}, cell.delta, style);
    const QRectF track(place.left(), place.top() + value + delta + slide.px(0.4), place.width() * 0.9, slide.px(0.8));
    if (!(cell.share > 0))
        return;
    slide.painter().fillRect(track, slide.look().sunken);
    slide.painter().fillRect(QRectF(track.topLeft(), QSizeF(track.width() * cell.share, track.height())),
        isOwn ? slide.look().accent : slide.look().secondaryText);
}

void paintName(const SlidePainter& slide, const QRectF& place, const Alternative& plan, bool isOwn)
{
    const double name = place.height() * 0.46;
    slide.line({place.left(), place.top(), place.width(), name}, plan.name, slide.style(kBodyType + 0.5, isOwn));
    const QString detail = plan.isPending ? widgets::tr("estimating…")
        : !plan.step                      ? widgets::tr("cannot be estimated")
        : !plan.fits                      ? widgets::tr("does not fit · %1").arg(plan.detail)
                                          : plan.detail;
    TextStyle style = slide.muted(kSmallType);
    if (!plan.fits || (!plan.step && !plan.isPending))
        style.colour = slide.colour(SlideTone::Bad);
    slide.line({place.left(), place.top() + name, place.width(), place.height() * 0.28}, detail, style);
}

QString comparedHint(const SlideState& state)
{
    if (state.hasPins)
        return widgets::tr("Differences are to this plan; green is for the better.");
    return state.othersAreFound
        ? widgets::tr("The best other strategies of the last search, by their steps. Ctrl+Shift+D pins a plan to "
                      "compare it here instead.")
        : widgets::tr("Nothing to compare yet: Ctrl+Shift+D pins this plan, then change it; or search for the best "
                      "strategy with Ctrl+Return.");
}

} // namespace

void paintAlternatives(const SlidePainter& slide, const QRectF& place, const SlideState& state)
{
    const Alternative presented = presentedPlan(state);
    const std::vector<ComparedMeasure> measures = comparedMeasures(capacity::dayOf(state.inputs.start).has_value());
    std::vector<const Alternative*> rows{&presented};
    for (const Alternative& other : state.others)
        rows.push_back(&other);
    const double head = slide.px(5), gap = slide.px(1.5), foot = slide.px(8.5);
    const double names = place.width() * 0.28;
    const double each = (place.width() - names) / double(measures.size());
    const double height = std::min((place.height() - head - foot) / double(rows.size()), slide.px(16));
    for (std::size_t m = 0; m < measures.size(); ++m)
        slide.line({place.left() + names + double(m) * each, place.top(), each - gap, head}, measures[m].title,
            slide.muted(kBodyType));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const QRectF row(place.left(), place.top() + head + double(r) * height, place.width(), height);
        if (r == 0)
            slide.painter().fillRect(row.adjusted(-gap, 0, gap, -slide.px(0.6)), slide.look().accentSoft);
        const QRectF inside = row.adjusted(0, slide.px(0.7), 0, -slide.px(1.2));
        paintName(slide, {inside.left(), inside.top(), names - gap, inside.height()}, *rows[r], r == 0);
        for (std::size_t m = 0; m < measures.size(); ++m) {
            double largest = 0;
            for (const Alternative* plan : rows)
                largest = std::max(largest, measures[m].amount(*plan));
            paintCell(slide, {place.left() + names + double(m) * each, inside.top(), each - gap, inside.height()},
                cellOf(measures[m], *rows[r], presented, largest), r == 0);
        }
    }
    const double bottom = place.top() + head + double(rows.size()) * height + slide.px(1);
    slide.paragraph({place.left(), bottom, place.width(), foot}, comparedHint(state), slide.muted(kBodyType));
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: Apache-2.0
#include "core/report/figures.h"
#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::report {
namespace {

constexpr double kPlotLeft = 78, kPlotRight = kPictureWidth - 20, kPlotTop = 22, kPlotBottom = 300;

struct Axes {
    Scale x, y;
};

/// A little beyond what is shown, on both sides.
Scale padded(double least, double most, double from, double to)
{
    const bool isSpread = most - least > 1e-9 * std::abs(most);
    const double pad = isSpread ? (most - least) * 0.08 : std::max(std::abs(most) * 0.1, 1e-9);
    return {std::max(0.0, least - pad), most + pad, from, to};
}

void addAxes(Picture& picture, const Axes& axes)
{
    Strokes grid{{}, kLine, 0.6, false};
    for (const double tick : axes.x.ticks()) {
        grid.lines.push_back({{axes.x.at(tick), kPlotTop}, {axes.x.at(tick), kPlotBottom}});
        addText(picture, {axes.x.at(tick), kPlotBottom + 15}, formatNumber(tick), Anchor::Middle, kLetter, kQuiet);
    }
    for (const double tick : axes.y.ticks()) {
        grid.lines.push_back({{kPlotLeft, axes.y.at(tick)}, {kPlotRight, axes.y.at(tick)}});
        addText(picture, {kPlotLeft - 6, axes.y.at(tick) + 4}, formatNumber(tick), Anchor::End, kLetter, kQuiet);
    }
    picture.shapes.insert(picture.shapes.begin(), std::move(grid));
    addText(picture, {(kPlotLeft + kPlotRight) / 2, kPlotBottom + 33}, "Peak memory of an accelerator, GiB",
        Anchor::Middle, kLetter, kQuiet);
    picture.add(Label{
        {16, (kPlotTop + kPlotBottom) / 2}, "Throughput, tokens/s", Anchor::Middle, kLetter, kQuiet, false, true});
}

Point pointOf(const Candidate& candidate)
{
    return {candidate.estimate.memory.peak.value() / kGiB, candidate.estimate.tokensPerSecond};
}

/// The front in the same units.
std::vector<Point> frontOf(const Facts& facts)
{
    std::vector<Point> points;
    const double tokens = tokensPerStep(facts.chosen.plan);
    for (const search::FoundStrategy& found : facts.search.front)
        points.push_back({found.peak.value() / kGiB, tokens / found.step.value()});
    return points;
}

Axes axesOver(const std::vector<Point>& points, double capacity)
{
    double left = points.front().x, right = capacity, bottom = points.front().y, top = bottom;
    for (const Point& point : points) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        bottom = std::min(bottom, point.y);
        top = std::max(top, point.y);
    }
    return {padded(left, right, kPlotLeft, kPlotRight), padded(bottom, top, kPlotBottom, kPlotTop)};
}

/// Named plans, each label on the side where there is room and a line further down where it would lie on another.
void addNamed(Picture& picture, const Axes& axes, const std::vector<const Candidate*>& named)
{
    std::vector<Point> taken;
    for (const Candidate* const candidate : named) {
        const Point amount = pointOf(*candidate);
        const Point at{axes.x.at(amount.x), axes.y.at(amount.y)};
        const bool isPlan = candidate == named.front();
        picture.add(Disc{at, isPlan ? 6.5 : 5.5, isPlan ? kWarning : kAccent, kPaper});
        const double width = textWidth(candidate->name, kLetter, true);
        const bool onRight = at.x + 12 + width < kPlotRight;
        double y = at.y + (at.y < kPlotTop + 16 ? 16 : -9);
        const auto collides = [&](const Point& other) {
            return std::abs(other.x - at.x) < 110 && std::abs(other.y - y) < 13;
        };
        while (std::ranges::any_of(taken, collides) && y < kPlotBottom - 14)
            y += 13;
        taken.push_back({at.x, y});
        addText(picture, {onRight ? at.x + 9 : at.x - 9, y}, candidate->name, onRight ? Anchor::Start : Anchor::End,
            kLetter, isPlan ? kWarning : kAccent, true);
    }
}

// The run

constexpr double kBarLeft = 8, kBarRight = kPictureWidth - 8;

std::string dateOr(const Candidate& candidate, double days)
{
    const auto start = capacity::dayOf(candidate.inputs.start);
    return start ? capacity::dayText(capacity::doneOn(*start, days))
                 : filled("{days} days", {{"days", {formatNumber(days)}}});
}

void addMark(Picture& picture, double x, double top, const std::string& what, const std::string& when, Anchor anchor)
{
    addLine(picture, {x, top - 4}, {x, top + 26}, kInk, 1.2);
    addText(picture, {x, top - 9}, what, anchor, kLetter, kQuiet);
    addText(picture, {x, top + 39}, when, anchor, kLetter, kInk, true);
}

/// The part up to the tenth percentile is certain enough, the rest up to the ninetieth is not.
void addDelivery(Picture& picture, const Candidate& candidate, double top)
{
    const capacity::Spread& days = candidate.run.days;
    const Scale scale{0, std::max(days.high, 1e-9) * 1.06, kBarLeft, kBarRight};
    addBox(picture, {scale.at(0), top, scale.at(days.low) - scale.at(0), 22}, 0x4c78a8);
    addBox(
        picture, {scale.at(days.low), top, scale.at(days.high) - scale.at(days.low), 22}, 0xb9d2ea, Pattern::Forward);
    addText(picture, {scale.at(0), top - 9}, candidate.inputs.start.empty() ? "Start" : candidate.inputs.start);
    constexpr double kRoom = 44; ///< of half a date, and a little
    const bool isNarrow =
        scale.at(days.mid) - scale.at(days.low) < kRoom / 2 || scale.at(days.high) - scale.at(days.mid) < kRoom;
    addMark(picture, scale.at(days.low), top, "p10", dateOr(candidate, days.low), Anchor::End);
    if (!isNarrow)
        addMark(picture, scale.at(days.mid), top, "p50", dateOr(candidate, days.mid), Anchor::Middle);
    addMark(picture, scale.at(days.high), top, "p90", dateOr(candidate, days.high),
        scale.at(days.high) > kBarRight - 60 ? Anchor::End : Anchor::Start);
}

/// The shares of the wall time, which are together 1.
void addLosses(Picture& picture, const capacity::Goodput& goodput, double top)
{
    const double beside = 1 - goodput.stalls;
    const capacity::Losses& l = goodput.losses;
    struct Share {
        const char* name;
        double share;
        Look look;
    };
    std::vector<Share> shares{{"Training", goodput.isStated ? goodput.share : l.training * beside, {0x4c78a8}}};
    if (goodput.isStated)
        shares.push_back({"All losses, as stated", 1 - goodput.share, {0xe45756, Pattern::Forward}});
    else
        for (const Share& share : {Share{"Checkpoints", l.checkpoints * beside, {0xe69f00, Pattern::Backward}},
                 Share{"Work lost to failures", l.lost * beside, {0xe45756, Pattern::Forward}},
                 Share{"Restarts", l.restarts * beside, {0xb279a2, Pattern::Level}},
                 Share{"Evaluation and data", goodput.stalls, {0xd3d7dc, Pattern::Dots}}})
            shares.push_back(share);
    double at = kBarLeft;
    std::vector<LegendItem> legend;
    for (const Share& share : shares) {
        const double width = share.share * (kBarRight - kBarLeft);
        addBox(picture, {at, top, width, 22}, share.look.fill, share.look.pattern);
        at += width;
        if (share.share > 0)
            legend.push_back({share.name + (' ' + formatShare(share.share)), share.look.fill, share.look.pattern});
    }
    picture.height = addLegend(picture, legend, kBarLeft, top + 32);
}

} // namespace

Picture frontPicture(const Facts& facts)
{
    Picture picture;
    picture.title = "Throughput against peak memory";
    picture.height = kPlotBottom + 42;
    std::vector<const Candidate*> named{&facts.chosen};
    for (const std::vector<Candidate>* const list : {&facts.found, &facts.pinned})
        for (const Candidate& candidate : *list)
            named.push_back(&candidate);
    const std::vector<Point> front = frontOf(facts);
    std::vector<Point> all = front;
    for (const Candidate* const candidate : named)
        all.push_back(pointOf(*candidate));
    const double capacity = facts.chosen.estimate.memory.capacity.value() / kGiB;
    const Axes axes = axesOver(all, capacity);
    addAxes(picture, axes);
    addLine(picture, {axes.x.at(capacity), kPlotTop}, {axes.x.at(capacity), kPlotBottom}, kWarning, 1.6, true);
    addText(picture, {axes.x.at(capacity) - 5, kPlotBottom - 6},
        filled("Capacity {bytes}", {{"bytes", {format(facts.chosen.estimate.memory.capacity)}}}), Anchor::End, kLetter,
        kWarning);
    Curve curve{{}, 0x4c78a8, 1.8};
    for (std::size_t i = 0; i < front.size(); ++i) {
        const Point at{axes.x.at(front[i].x), axes.y.at(front[i].y)};
        if (i > 0)
            curve.points.push_back({at.x, axes.y.at(front[i - 1].y)});
        curve.points.push_back(at);
    }
    if (curve.points.size() > 1)
        picture.add(curve);
    for (const Point& point : front)
        picture.add(Disc{{axes.x.at(point.x), axes.y.at(point.y)}, 3, 0x4c78a8, kPaper});
    addNamed(picture, axes, named);
    return picture;
}

Picture runPicture(const Candidate& candidate)
{
    Picture picture;
    picture.title = "When the run is done, and where its wall time goes";
    addText(picture, {kBarLeft, 14}, "Done by then with a probability of 10, 50 and 90 %", Anchor::Start, kLetter + 1,
        kInk, true);
    addDelivery(picture, candidate, 46);
    addText(picture, {kBarLeft, 118}, "Where the wall time goes", Anchor::Start, kLetter + 1, kInk, true);
    addLosses(picture, candidate.run.goodput, 128);
    return picture;
}

Picture evidencePicture(const validation::ValidationReport& report)
{
    constexpr double kNames = 190, kBar = 11;
    Picture picture;
    picture.title = "Mean error of step times, source by source";
    std::vector<std::pair<double, std::string>> bars;
    for (const validation::SourceReport& source : report.sources)
        if (source.time.withoutSource.n > 0)
            bars.emplace_back(source.time.withoutSource.meanAbs, source.source);
    std::ranges::stable_sort(bars, {}, &std::pair<double, std::string>::first);
    if (bars.empty())
        return picture;
    const Scale scale{0, bars.back().first * 1.05, kNames, kPictureWidth - 60};
    double y = 4;
    for (const auto& [error, name] : bars) {
        addText(picture, {kNames - 8, y + kBar - 1}, fitted(name, kNames - 12), Anchor::End);
        addBox(picture, {kNames, y, scale.at(error) - kNames, kBar}, 0x4c78a8);
        addText(picture, {scale.at(error) + 6, y + kBar - 1}, formatShare(error), Anchor::Start, kLetter, kQuiet);
        y += kBar + 6;
    }
    picture.height = y + 4;
    return picture;
}

} // namespace stratoplan::report

// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines as views show them: nothing lost to culling, pixels that merge slices against a straightforward count,
// where rows stand, and what areas, phases and comparisons add up to.
#include "tests/widgets/charts/fixtures.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/gantt_rows.h"
#include "widgets/presentation/gantt_sums.h"
#include "widgets/presentation/gantt_text.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Timeline sampleTimeline()
{
    return simulate(sampleEstimate().pipeline);
}

/// One stage, back to back or apart, of lengths over five decades and any kind of work.
Timeline irregular(unsigned seed, int slices)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0, 1);
    constexpr std::array kKinds{
        SliceKind::Forward, SliceKind::Backward, SliceKind::WeightGradient, SliceKind::Recompute, SliceKind::Optimizer};
    Timeline t;
    t.stages = 1;
    t.microBatches = slices;
    float at = 0;
    for (int i = 0; i < slices; ++i) {
        if (uniform(random) < 0.3f)
            at += 0.01f * uniform(random);
        const float duration = std::pow(10.0f, -5 * uniform(random)) * 0.05f;
        t.slices.push_back({at, duration, i, 0, 0, kKinds[static_cast<std::size_t>(uniform(random) * 4.99f)]});
        at += duration;
    }
    t.makespan = t.step = Seconds(at);
    return t;
}

std::vector<GanttMark> marksOf(
    const GanttIndex& index, Interval view, double width, int stage = 0, LaneKind lane = LaneKind::Work)
{
    std::vector<GanttMark> marks;
    GanttIndex::marks(index.lane(stage, lane), view, width, marks);
    return marks;
}

} // namespace

class TestGantt : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void findsTheSliceAtAnyTime()
    {
        const GanttIndex index(sampleTimeline());
        QVERIFY(!index.empty());
        for (std::uint32_t i = 0; i < index.timeline().slices.size(); i += 7) {
            const Slice& s = index.slice(i);
            if (s.duration <= 0)
                continue;
            const auto found = index.at(s.stage, index.laneOf(s), static_cast<double>(s.start) + s.duration / 2);
            QVERIFY(found);
            QCOMPARE(*found, i);
        }
        QVERIFY(!index.at(0, LaneKind::Work, -1));
        QVERIFY(!index.at(99, LaneKind::Work, 0.1));
        QVERIFY(!index.at(7, LaneKind::Work, 0.0)); // the last stage still waits
    }

    void everySliceStandsOnOneLane()
    {
        const GanttIndex index(sampleTimeline());
        std::set<std::uint32_t> seen;
        for (int stage = 0; stage < index.stages(); ++stage) {
            for (std::size_t kind = 0; kind < kLaneKinds; ++kind) {
                const GanttLane& lane = index.lane(stage, static_cast<LaneKind>(kind));
                QVERIFY(std::is_sorted(lane.start.begin(), lane.start.end())
                    && std::is_sorted(lane.reach.begin(), lane.reach.end()));
                for (const std::uint32_t i : lane.slice)
                    QVERIFY(seen.insert(i).second);
            }
        }
        const auto& slices = index.timeline().slices;
        QCOMPARE(seen.size(), static_cast<std::size_t>(std::count_if(slices.begin(), slices.end(), [](const Slice& s) {
            return s.duration > 0;
        })));
    }

    void slicesInAnyOrderMakeTheSameLanes()
    {
        Timeline shuffled = sampleTimeline();
        const GanttIndex sorted(shuffled);
        std::shuffle(shuffled.slices.begin(), shuffled.slices.end(), std::mt19937(3));
        const GanttIndex index(shuffled);
        for (int stage = 0; stage < index.stages(); ++stage) {
            for (std::size_t kind = 0; kind < kLaneKinds; ++kind) {
                const GanttLane& lane = index.lane(stage, static_cast<LaneKind>(kind));
                QCOMPARE(lane.start, sorted.lane(stage, static_cast<LaneKind>(kind)).start);
                for (std::size_t k = 0; k < lane.size(); ++k)
                    QCOMPARE(index.slice(lane.slice[k]).start, lane.start[k]);
            }
        }
    }

    void syncsThatRunBehindPassesHaveALaneOfTheirOwn()
    {
        Timeline t = plainTimeline(1, 2); // 0–60 ms of work
        t.slices.push_back({0.06f, 0.02f, -1, 0, 0, SliceKind::GradientSync});
        t.makespan = Seconds(0.08);
        const GanttIndex after(t);
        QVERIFY(!after.uses(LaneKind::Sync));
        QCOMPARE(after.lane(0, LaneKind::Work).kind.back(), SliceKind::GradientSync);
        t.slices.back().start = 0.05f;
        const GanttIndex behind(t);
        QVERIFY(behind.uses(LaneKind::Sync));
        QCOMPARE(behind.lane(0, LaneKind::Sync).size(), std::size_t(1));
        QCOMPARE(behind.lane(0, LaneKind::Work).size(), std::size_t(4));
    }

    void cullsToTheView()
    {
        const GanttIndex index(plainTimeline(4, 1000));
        const GanttLane& lane = index.lane(2, LaneKind::Work);
        const auto range = GanttIndex::visible(lane, 1.0, 1.1);
        for (std::size_t k = 0; k < lane.size(); ++k) {
            const bool overlaps = lane.start[k] < 1.1f && lane.end[k] > 1.0f;
            QCOMPARE(k >= range.first && k < range.last, overlaps);
        }
    }

    void noSliceIsLostAtAnyZoom_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("share");
        QTest::addColumn<double>("width");
        for (const double share : {1.0, 0.3, 0.05, 0.004, 1e-4}) {
            for (const double low : {0.0, 0.37, 0.62})
                QTest::addRow("%g from %g", share, low) << low * (1 - share) << share << (share > 0.1 ? 200.0 : 1377.0);
        }
    }
    void noSliceIsLostAtAnyZoom()
    {
        QFETCH(double, low);
        QFETCH(double, share);
        QFETCH(double, width);
        const GanttIndex index(irregular(11, 4000));
        const double whole = index.whole().high;
        const Interval view{low * whole, (low + share) * whole};
        const auto marks = marksOf(index, view, width);
        QVERIFY(static_cast<double>(marks.size()) <= 3 * width + 2);
        const GanttLane& lane = index.lane(0, LaneKind::Work);
        for (std::size_t k = 0; k < lane.size(); ++k) {
            const double left = (lane.start[k] - view.low) / view.length() * width;
            const double right = (lane.end[k] - view.low) / view.length() * width;
            if (right <= 0.01 || left >= width - 0.01)
                continue;
            const bool shown = std::any_of(marks.begin(), marks.end(), [&](const GanttMark& m) {
                return m.merged() ? m.left < right + 0.01 && m.right > left - 0.01 : m.slice == lane.slice[k];
            });
            QVERIFY2(shown, qPrintable(QStringLiteral("slice %1 at pixels %2 to %3").arg(k).arg(left).arg(right)));
        }
    }

    // In one piece: one view, held against a count of its pixels.
    void everyMergedPixelKeepsTheKindThatFillsItMost()
    {
        const GanttIndex index(irregular(5, 20000));
        const Interval view{0.1 * index.whole().high, 0.6 * index.whole().high};
        constexpr int kWidth = 500;
        const double scale = kWidth / view.length();
        const GanttLane& lane = index.lane(0, LaneKind::Work);
        // Pixel by pixel, what slices narrower than a pixel fill of it, by kind; and of each kind the one that fills
        // most.
        std::vector<std::map<SliceKind, double>> filled(kWidth + 2);
        std::vector<std::map<SliceKind, std::pair<double, std::uint32_t>>> longest(kWidth + 2);
        for (std::size_t k = 0; k < lane.size(); ++k) {
            const double left = (lane.start[k] - view.low) * scale;
            const double right = (lane.end[k] - view.low) * scale;
            if (right - left >= 1 || right <= 0 || left >= kWidth)
                continue;
            for (int column = std::max(0, static_cast<int>(std::floor(left))); column <= static_cast<int>(right);
                 ++column) {
                const double inside = std::min(right, column + 1.0) - std::max(left, static_cast<double>(column));
                if (inside <= 0)
                    continue;
                const auto at = static_cast<std::size_t>(column);
                filled[at][lane.kind[k]] += inside;
                auto& most = longest[at][lane.kind[k]];
                most = std::max(most, {inside, lane.slice[k]});
            }
        }
        int checked = 0;
        for (const GanttMark& mark : marksOf(index, view, kWidth)) {
            if (!mark.merged() || mark.left >= kWidth)
                continue;
            const auto at = static_cast<std::size_t>(mark.left);
            QCOMPARE(mark.right, mark.left + 1);
            const auto most = std::max_element(
                filled[at].begin(), filled[at].end(), [](const auto& a, const auto& b) { return a.second < b.second; });
            QVERIFY(filled[at][mark.kind] >= most->second - 1e-3); // floats may take a tie either way
            QVERIFY(longest[at][mark.kind].first - std::min(1.0, index.slice(mark.slice).duration * scale) < 1e-3);
            QCOMPARE(index.slice(mark.slice).kind, mark.kind);
            double total = 0;
            for (const auto& [kind, share] : filled[at])
                total += share;
            QVERIFY(std::abs(std::clamp(total * kFullLevel, 1e-9, double(kFullLevel)) - mark.level + 0.5) <= 0.51);
            ++checked;
        }
        QVERIFY(checked > 200);
    }

    void drawsNoMoreThanPixels()
    {
        const GanttIndex index(plainTimeline(2, 100000, 1e-4));
        const auto marks = marksOf(index, index.whole(), 800);
        QVERIFY(marks.size() <= 801);
        QVERIFY(marks.size() >= 799);
        for (const GanttMark& m : marks)
            QCOMPARE(int(m.level), kFullLevel); // back to back
        // Close up, every slice stands for itself.
        for (const GanttMark& m : marksOf(index, {0.001, 0.002}, 800))
            QVERIFY(!m.merged());
    }

    void stepsAlongTheLane()
    {
        const GanttIndex index(sampleTimeline());
        const GanttLane& lane = index.lane(3, LaneKind::SendForward);
        QVERIFY(lane.size() > 10);
        QCOMPARE(*index.neighbour(lane.slice[4], 1), lane.slice[5]);
        QCOMPARE(*index.neighbour(lane.slice[4], -1), lane.slice[3]);
        QVERIFY(!index.neighbour(lane.slice.front(), -1));
        QVERIFY(!index.neighbour(lane.slice.back(), 1));
    }

    void kinIsAllOfAMicroBatch()
    {
        const GanttIndex index(sampleTimeline());
        const auto kin = index.kin(5);
        QVERIFY(std::all_of(kin.begin(), kin.end(), [&](std::uint32_t i) { return index.slice(i).microBatch == 5; }));
        const auto& slices = index.timeline().slices;
        QCOMPARE(kin.size(), static_cast<std::size_t>(std::count_if(slices.begin(), slices.end(), [](const Slice& s) {
            return s.microBatch == 5 && s.duration > 0;
        })));
        QVERIFY(index.kin(-1).empty() && index.kin(96).empty());
    }

    void opensOnTheFirstMicroBatches()
    {
        const GanttIndex many(plainTimeline(4, 96));
        const Interval opening = many.opening(1e9);
        QCOMPARE(opening.low, 0.0);
        QVERIFY(opening.high < many.whole().high / 4);
        for (const Slice& s : many.timeline().slices) {
            if (s.microBatch < 12)
                QVERIFY(s.start + s.duration <= opening.high);
        }
        QVERIFY(many.opening(400).high < opening.high);
        QVERIFY(many.opening(400).high > 0.03); // still the first backward pass
        const GanttIndex few(plainTimeline(4, 13));
        QCOMPARE(few.opening(800), few.whole());
    }

    void refusesNan()
    {
        Timeline t = plainTimeline(2, 4);
        t.slices[3].start = static_cast<float>(kNan);
        QVERIFY(GanttIndex(t).empty());
        t = plainTimeline(2, 4);
        t.makespan = Seconds(kInf);
        QVERIFY(GanttIndex(t).empty());
        QVERIFY(GanttIndex(Timeline{}).empty());
        QVERIFY(GanttIndex(Timeline{}).whole() == (Interval{0, 0}));
    }

    void waitsAreFoundByTimeAndByTheSliceThatEndsThem()
    {
        const GanttIndex index(plainTimeline(3, 4));
        const Wait* wait = index.waitAt(2, 0.005);
        QVERIFY(wait);
        QCOMPARE(wait->cause, Wait::Cause::WarmUp);
        QVERIFY(!index.waitAt(0, 0.005));
        const std::uint32_t first = index.lane(2, LaneKind::Work).slice.front();
        QCOMPARE(index.waitsBefore(index.slice(first)).size(), std::size_t(1));
        QCOMPARE(index.waitsBefore(index.slice(first)).data(), wait);
        QVERIFY(index.waitsBefore(index.slice(*index.neighbour(first, 1))).empty());
        QCOMPARE(*index.workBeside(2, 0.005, 1), first);
        QVERIFY(!index.workBeside(2, 1e3, 1) && !index.workBeside(2, 0, -1));
        QCOMPARE(summary(plainTimeline(1, 1)).left(24), QStringLiteral("1 stage · 1 micro-batch "));
    }

    void everyWaitOfASimulationIsEndedByAPass()
    {
        PipelineWork work = sampleEstimate().pipeline;
        work.timing = {TransferPath::Queue, true, SyncTime::LastBackward};
        const GanttIndex index(simulate(work));
        std::set<const Wait*> ended;
        std::size_t parts = 0;
        for (const Slice& s : index.timeline().slices) {
            const auto waits = index.waitsBefore(s);
            parts = std::max(parts, waits.size());
            for (const Wait& wait : waits) {
                QVERIFY(ended.insert(&wait).second);
                const auto ender = index.enderOf(wait);
                if (!ender)
                    continue;
                const Slice& by = index.slice(*ender);
                QVERIFY(std::abs(by.start + by.duration - s.start) < 1e-4); // what it waited for ends when it begins
            }
        }
        for (const Wait& wait : index.timeline().waits)
            QVERIFY(wait.cause == Wait::Cause::CoolDown || ended.contains(&wait));
        QVERIFY(parts > 1); // an interval is cut where what it waits for changes
    }

    void theCriticalPathIsMarked()
    {
        const GanttIndex index(sampleTimeline());
        QVERIFY(index.criticalPath().size() > 10);
        std::size_t marked = 0;
        for (std::uint32_t i = 0; i < index.timeline().slices.size(); ++i)
            marked += index.isCritical(i);
        QCOMPARE(marked, index.criticalPath().size());
        Timeline broken = plainTimeline(2, 2);
        broken.criticalPath = {0, 7, 99, -1};
        QCOMPARE(GanttIndex(broken).criticalPath().size(), std::size_t(2));
    }

    void waitMarksAreThoseWideEnough()
    {
        const GanttIndex index(sampleTimeline());
        std::vector<WaitMark> marks;
        const Interval view{0.1, 0.6};
        index.waitMarks(4, view, 1000, 3, marks);
        std::size_t expected = 0;
        for (const Wait& w : index.waits(4))
            expected += (w.start + w.duration).value() >= view.low && w.start.value() < view.high
                && w.duration.value() / view.length() * 1000 >= 3;
        QCOMPARE(marks.size(), expected);
        QVERIFY(expected > 0);
        for (const WaitMark& mark : marks)
            QCOMPARE(index.timeline().waits[mark.wait].stage, 4);
    }

    void everyKindHasALookOfItsOwn()
    {
        std::set<std::pair<Mark, Pattern>> slices;
        for (std::size_t i = 0; i < kSliceKinds; ++i) {
            const auto kind = static_cast<SliceKind>(i);
            QVERIFY(!nameOf(kind).isEmpty());
            QVERIFY2(slices.insert({markOf(kind), patternOf(kind)}).second, qPrintable(nameOf(kind)));
        }
        for (const LegendEntry& entry : ganttLegend(sampleTimeline()))
            QVERIFY(!entry.name.isEmpty());
    }

    void rowsStandUnderOneAnother()
    {
        GanttArrangement a;
        a.stages = 3;
        a.lanes = {true, true, true, false};
        a.memory = true;
        const GanttRows folded(a);
        QCOMPARE(folded.all().size(), std::size_t(3));
        QCOMPARE(folded.height(), 3.0);
        QCOMPARE(folded.at(1.5)->stage, 1);
        QVERIFY(!folded.at(-0.1) && !folded.at(3.1));
        a.unfolded = {false, true};
        const GanttRows unfolded(a);
        QCOMPARE(unfolded.all().size(), std::size_t(6)); // activations, gradients and memory of stage 1
        QVERIFY(unfolded.find(1, LaneKind::SendForward));
        QVERIFY(!unfolded.find(0, LaneKind::SendForward) && !unfolded.find(1, LaneKind::Sync));
        a.compared = true;
        const GanttRows compared(a);
        QCOMPARE(compared.all().size(), std::size_t(12));
        double below = 0;
        for (const GanttRow& row : compared.all()) {
            QVERIFY(row.top >= below);
            below = row.top + row.height;
        }
        QCOMPARE(compared.work(2, 1)->timeline, 1);
        QCOMPARE(compared.extent(0), (Interval{compared.work(0, 0)->top, compared.work(0, 1)->top + 1}));
        const auto stages = compared.stagesIn(compared.work(0, 1)->top + 0.5, compared.work(1, 0)->top + 0.5);
        QCOMPARE(*stages, (GanttRows::Stages{0, 1}));
        QVERIFY(!compared.stagesIn(-3, -1));
    }

    void phasesOfASchedule()
    {
        PipelineWork work{Schedule::OneFOneB, 16, 1, std::vector<StageWork>(4)};
        for (StageWork& stage : work.stages) {
            stage.forward = Seconds(1);
            stage.backward = Seconds(2);
            stage.optimizer = Seconds(3);
        }
        const GanttPhases plain = phases(simulate(work));
        // Four forward passes reach the last stage, whose backward passes reach the first one; both from its side.
        QCOMPARE(plain.steady, 4.0 + 3 * 2.0);
        QVERIFY(plain.drain > plain.steady && plain.apply > plain.drain);
        QCOMPARE(plain.end - plain.apply, 3.0);
        const auto stages = phasesByStage(simulate(work));
        QCOMPARE(stages.back().steady, 4.0);
        QVERIFY(stages.front().drain < stages.back().drain);
        work.schedule = Schedule::GPipe;
        const GanttPhases never = phases(simulate(work));
        QCOMPARE(never.steady, never.drain);
        QCOMPARE(never.steady, 16.0 + 3); // all forward passes first
    }

    void sumsOfAnAreaAreThoseOfItsPieces()
    {
        const GanttIndex index(sampleTimeline());
        const Interval whole = index.whole();
        const AreaSums all = areaSums(index, {whole, 0, index.stages() - 1});
        std::map<SliceKind, double> expected;
        for (const Slice& s : index.timeline().slices) {
            if (s.duration > 0)
                expected[s.kind] += s.duration;
        }
        QCOMPARE(all.kinds.size(), expected.size());
        for (const auto& sum : all.kinds)
            QVERIFY(std::abs(sum.total.value() / expected[sum.kind] - 1) < 1e-6);
        // Cut anywhere, the parts add up to the whole: what reaches over the cut counts on both sides with its part.
        std::map<SliceKind, double> parts;
        std::map<Wait::Cause, double> waits;
        for (const Interval& part : {Interval{0, 0.3141}, Interval{0.3141, 0.9}, Interval{0.9, whole.high}}) {
            for (const auto& [first, last] : {std::pair{0, 2}, std::pair{3, index.stages() - 1}}) {
                const AreaSums sums = areaSums(index, {part, first, last});
                QCOMPARE(sums.stageTime().value(), part.length() * (last - first + 1));
                for (const auto& sum : sums.kinds)
                    parts[sum.kind] += sum.total.value();
                for (const auto& sum : sums.waits)
                    waits[sum.kind] += sum.total.value();
            }
        }
        for (const auto& sum : all.kinds)
            QVERIFY(std::abs(parts[sum.kind] / sum.total.value() - 1) < 1e-9);
        for (const auto& sum : all.waits)
            QVERIFY(std::abs(waits[sum.kind] / sum.total.value() - 1) < 1e-9);
        const ChartTable table = areaTable(all);
        QCOMPARE(static_cast<std::size_t>(table.rows.size()), all.kinds.size() + all.waits.size());
        QVERIFY(std::all_of(table.rows.begin(), table.rows.end(),
            [&](const QStringList& row) { return row.size() == table.columns.size(); }));
    }

    void aSliceCutByAnAreaCountsWithItsPart()
    {
        const GanttIndex index(plainTimeline(1, 4)); // forward 10 ms, backward 20 ms, …
        const AreaSums sums = areaSums(index, {{0.005, 0.020}, 0, 0});
        QCOMPARE(sums.kinds.size(), std::size_t(2));
        QVERIFY(std::abs(sums.kinds[0].total.value() - 0.005) < 1e-8);
        QVERIFY(std::abs(sums.kinds[1].total.value() - 0.010) < 1e-8);
        QCOMPARE(sums.kinds[1].count, std::size_t(1));
    }

    void differencesOfWaitsAddUp()
    {
        PipelineWork work = sampleEstimate().pipeline;
        const Timeline interleaved = simulate(work);
        work.schedule = Schedule::OneFOneB;
        work.chunks = 1;
        const Timeline plain = simulate(work);
        const WaitDifference d = compareWaits(plain, interleaved);
        double first = 0;
        double second = 0;
        for (const WaitDifference::Cause& cause : d.causes) {
            first += cause.first.value();
            second += cause.second.value();
        }
        QVERIFY(std::abs(first - d.first.value()) < 1e-9 && std::abs(second - d.second.value()) < 1e-9);
        double shaded = 0;
        for (const WaitDifference::Stage& stage : d.stages) {
            double own = 0;
            for (const Interval& each : stage.onlyFirst)
                own += each.length();
            for (const Interval& each : stage.onlySecond)
                own -= each.length();
            QVERIFY(std::abs(own - (stage.first - stage.second).value()) < 1e-9);
            shaded += own;
            for (const auto* side : {&stage.onlyFirst, &stage.onlySecond}) {
                for (std::size_t i = 1; i < side->size(); ++i)
                    QVERIFY((*side)[i].low >= (*side)[i - 1].high);
            }
        }
        QVERIFY(std::abs(shaded - (d.first - d.second).value()) < 1e-9);
        QVERIFY(d.second < d.first); // chunks fill the pipeline sooner
        const WaitDifference same = compareWaits(plain, plain);
        for (const WaitDifference::Stage& stage : same.stages)
            QVERIFY(stage.onlyFirst.empty() && stage.onlySecond.empty());
        const ChartTable table = differenceTable(d, QStringLiteral("a"), QStringLiteral("b"));
        QCOMPARE(table.rows.size(), static_cast<qsizetype>(d.causes.size() + d.stages.size() + 2));
    }

    void changesOfRoundingAreNone()
    {
        QCOMPARE(changeText(Seconds(22), Seconds(22 + 3e-14)), QStringLiteral("±0"));
        QCOMPARE(shareChangeText(Seconds(22), Seconds(22 - 3e-14)), QStringLiteral("±0 %"));
        QCOMPARE(changeText(Seconds(2), Seconds(2.5)), QStringLiteral("+500 ms"));
        QCOMPARE(shareChangeText(Seconds(2), Seconds(1.5)), QStringLiteral("−25.0 %"));
        QCOMPARE(changeText(Seconds(0), Seconds(0.25)), QStringLiteral("+250 ms"));
    }

    void intervalsThatMeetInAPixelAreOne()
    {
        const std::vector<Interval> intervals{{0.0, 0.1}, {0.1001, 0.1002}, {0.5, 0.6}, {2.0, 3.0}};
        const auto runs = pixelRuns(intervals, {0, 1}, 100);
        QCOMPARE(runs.size(), std::size_t(2));
        QVERIFY(std::abs(runs[0].high - 10.02) < 1e-9);
        QVERIFY(pixelRuns(intervals, {0.2, 0.4}, 100).empty());
    }
};

QTEST_GUILESS_MAIN(TestGantt)
#include "test_gantt.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What a pipeline chart shows, where it stands, what is marked and where keys lead: all of it without a window.
#include "tests/widgets/charts/fixtures.h"
#include "widgets/presentation/gantt_scene_text.h"
#include "widgets/presentation/gantt_selection.h"

#include <QTest>

using namespace stratoplan::pipeline;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

GanttScene sceneOf(Timeline timeline)
{
    GanttScene scene;
    scene.show(ganttStep(std::move(timeline)), {});
    return scene;
}

/// All of the scene on 1000 × 400 pixels.
GanttLayout wholeOf(const GanttScene& scene)
{
    return {scene, {QRect(40, 30, 1000, 400), scene.whole(), {0, scene.rows().height()}}};
}

GanttSelection selecting(GanttRef ref)
{
    GanttSelection selection;
    selection.selected = ref;
    return selection;
}

} // namespace

class TestGanttScene : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pixelsRoundTrip()
    {
        const GanttView view{QRect(40, 30, 1000, 400), {0.25, 0.75}, {2, 6}};
        QCOMPARE(view.xOf(0.25), 40.0);
        QCOMPARE(view.xOf(0.75), 1040.0);
        QCOMPARE(view.yOf(6), 429.0);
        for (const double x : {40.0, 500.5, 1040.0})
            QVERIFY(std::abs(view.xOf(view.secondsAt(x)) - x) < 1e-9);
        for (const double y : {30.0, 222.25, 429.0})
            QVERIFY(std::abs(view.yOf(view.rowAt(y)) - y) < 1e-9);
    }

    void everySliceIsFoundWhereItStands()
    {
        const GanttScene scene = sceneOf(plainTimeline(4, 12));
        const GanttLayout layout = wholeOf(scene);
        for (std::uint32_t i = 0; i < scene.index().timeline().slices.size(); ++i) {
            const GanttRef ref{0, i};
            QCOMPARE(layout.markAt(layout.sliceRect(ref).center()), std::optional(ref));
        }
        for (std::uint32_t i = 0; i < scene.index().timeline().waits.size(); ++i) {
            const GanttRef ref{0, i, true};
            QCOMPARE(layout.markAt(layout.sliceRect(ref).center()), std::optional(ref));
        }
        QVERIFY(!layout.markAt({30, 200}) && layout.isBesidePlot({30, 200}));
        QVERIFY(GanttScene().isEmpty() && !GanttScene().holds({0, 0}));
    }

    void aSecondStepHasRowsOfItsOwn()
    {
        GanttScene scene = sceneOf(plainTimeline(4, 12));
        scene.compare(QStringLiteral("a"), {QStringLiteral("b"), QStringLiteral("b"), ganttStep(plainTimeline(4, 6))});
        QCOMPARE(scene.rows().all().size(), std::size_t(8));
        QCOMPARE(rowName(scene, scene.rows().all()[1]), QStringLiteral("b"));
        QVERIFY(scene.holds({1, 0}));
        QVERIFY(tipOf(scene, {1, 0}).contains(QStringLiteral(" · b")));
        scene.endComparison();
        QVERIFY(!scene.holds({1, 0}));
        QCOMPARE(scene.rows().all().size(), std::size_t(4));
    }

    void draggingSelectsAnAreaAndTakesItsEdges()
    {
        const GanttScene scene = sceneOf(plainTimeline(4, 12));
        const GanttLayout layout = wholeOf(scene);
        GanttSelection selection;
        const GanttDrag drag = dragFrom(layout, selection, {640, 180}, false);
        QCOMPARE(drag.kind, GanttDrag::Kind::Area);
        dragTo(selection, drag, layout, {240, 280});
        QVERIFY(selection.area);
        QCOMPARE(selection.area->firstStage, 1);
        QCOMPARE(selection.area->lastStage, 2);
        QVERIFY(selection.area->time.low < selection.area->time.high);
        const QRectF rect = layout.areaRect(*selection.area);
        QCOMPARE(edgeAt(layout, selection, rect.center()), GanttDrag::Kind::None);
        QCOMPARE(edgeAt(layout, selection, {rect.left() + 3, rect.center().y()}), GanttDrag::Kind::LowEdge);
        const GanttDrag edge = dragFrom(layout, selection, {rect.right(), rect.center().y()}, false);
        QCOMPARE(edge.kind, GanttDrag::Kind::HighEdge);
        const double low = selection.area->time.low;
        dragTo(selection, edge, layout, {100, 200}); // beyond the other edge
        QCOMPARE(selection.area->time, (Interval{low, low}));
        QVERIFY(scene.confined(*selection.area).time.length() > 0);
    }

    void measuresSnapToSlices()
    {
        const GanttScene scene = sceneOf(plainTimeline(4, 12));
        const GanttLayout layout = wholeOf(scene);
        const QRectF slice = layout.sliceRect({0, 2});
        QVERIFY(
            std::abs(layout.snapped({slice.left() + 3, slice.center().y()}) - scene.placeOf({0, 2}).time.low) < 1e-12);
        GanttSelection selection;
        const GanttDrag drag = dragFrom(layout, selection, {slice.left() + 1, slice.center().y()}, true);
        dragTo(selection, drag, layout, {slice.right() - 1, slice.center().y()});
        QVERIFY(selection.measure
            && std::abs(selection.measure->time().length() - scene.placeOf({0, 2}).time.length()) < 1e-9);
    }

    void keysMeanWhatIsMarked()
    {
        const GanttSelection none;
        const GanttSelection slice = selecting({0, 3});
        GanttSelection area;
        area.area = GanttArea{{0.1, 0.2}, 1, 2};
        QVERIFY(!commandOf(Qt::Key_Escape, {}, none) && !commandOf(Qt::Key_F, {}, none));
        QVERIFY(!commandOf(Qt::Key_W, Qt::ControlModifier, slice) && !commandOf(Qt::Key_Down, {}, none));
        QVERIFY(commandOf(Qt::Key_Escape, {}, area) == GanttCommand::ClearMarks);
        QVERIFY(commandOf(Qt::Key_F, {}, slice) == GanttCommand::FitMarked);
        QVERIFY(commandOf(Qt::Key_F, Qt::ShiftModifier, slice) == GanttCommand::FitAll);
        QVERIFY(commandOf(Qt::Key_A, Qt::ShiftModifier, area) == GanttCommand::StretchArea);
        QVERIFY(commandOf(Qt::Key_A, Qt::ShiftModifier, slice) == GanttCommand::PanLeft);
        QVERIFY(commandOf(Qt::Key_Up, {}, slice) == GanttCommand::RowAbove);
        QVERIFY(!commandOf(Qt::Key_Up, {}, area));
        QVERIFY(commandOf(Qt::Key_I, Qt::ShiftModifier, none) == GanttCommand::PreviousWait);
    }

    void keysLeadToNeighbours()
    {
        const GanttScene scene = sceneOf(plainTimeline(4, 12));
        const auto beside = [&](const GanttSelection& from, int direction) {
            return markBeside(scene, from, scene.whole(), direction);
        };
        QVERIFY(beside({}, 1) == GanttRef{});
        QVERIFY((beside(selecting({0, 5}), 1) == GanttRef{0, 6}));
        const auto wait = waitBeside(scene, {}, 1);
        QVERIFY((wait == GanttRef{0, 0, true}));
        const auto cause = scene.causeOf(*beside(selecting(*wait), 1));
        QCOMPARE(cause, scene.causeOf(*wait));
        const auto below = markOnNextRow(scene, {0, 10}, 1);
        QVERIFY(below && scene.placeOf(*below).stage == scene.placeOf({0, 10}).stage + 1);
        QVERIFY(!markOnNextRow(scene, {0, 10}, -1));
    }

    void aLongStepIsReadInParts()
    {
        const GanttScene small = sceneOf(plainTimeline(4, 12));
        QVERIFY(!readablePart(small, {}, small.whole()));
        const auto [title, part] = *readablePart(small, GanttArea{{0.1, 0.101}, 1, 1}, small.whole());
        QVERIFY(!part.rows.isEmpty() && part.rows.size() < ganttTable(small).rows.size());
        QVERIFY(std::all_of(part.rows.begin(), part.rows.end(), [](const QStringList& row) { return row[0] == u"1"; }));
    }
};

QTEST_GUILESS_MAIN(TestGanttScene)
#include "test_gantt_scene.moc"

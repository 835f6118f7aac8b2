// SPDX-License-Identifier: GPL-3.0-or-later
// The presentation in the window: keys, mouse, live inputs, saved slides.
#include "app/gui/explore/explore_page.h"
#include "app/gui/present/live_strip.h"
#include "app/gui/present/present_page.h"
#include "app/gui/present/slide_area.h"
#include "app/gui/window/central_view.h"
#include "app/session/plan_fields.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QInputDialog>
#include <QLineEdit>
#include <QMenuBar>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestPresentation : public WindowTest {
    Q_OBJECT

    [[nodiscard]] std::unique_ptr<MainWindow> presenting() const
    {
        auto window = openWindow();
        QTest::keyClick(window.get(), Qt::Key_F11);
        return window;
    }

    static void key(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }

    static void name(MainWindow& window, const QString& text)
    {
        QTRY_VERIFY(window.findChild<QInputDialog*>());
        auto* dialog = window.findChild<QInputDialog*>();
        dialog->setTextValue(text);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

private Q_SLOTS:
    void keysStepAndLeave()
    {
        const auto window = presenting();
        PresentPage& page = window->view().present();
        QVERIFY(page.isVisible() && page.hasFocus());
        QCOMPARE(page.counter(), QStringLiteral("1 / 8"));
        key(Qt::Key_Right);
        key(Qt::Key_Space);
        key(Qt::Key_PageDown);
        QCOMPARE(page.current(), 3);
        key(Qt::Key_Left);
        key(Qt::Key_PageUp);
        QCOMPARE(page.current(), 1);
        key(Qt::Key_End);
        QCOMPARE(page.counter(), QStringLiteral("8 / 8"));
        key(Qt::Key_Right); // nothing comes after it
        QCOMPARE(page.current(), 7);
        key(Qt::Key_Home);
        QCOMPARE(page.current(), 0);
        key(Qt::Key_5);
        QVERIFY(page.slide().view == plan::SlideView::Memory);
        key(Qt::Key_9);
        QCOMPARE(page.current(), 4);
        key(Qt::Key_Escape);
        QVERIFY(window->view().perspective() == Perspective::Explore);
        QVERIFY(window->close());
    }

    void itComesBackToWhereItWas()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QTest::keyClick(window.get(), Qt::Key_F11);
        QVERIFY(window->isFullScreen() && !window->menuBar()->isVisible());
        QTest::keyClick(window.get(), Qt::Key_F11);
        QVERIFY(window->view().perspective() == Perspective::Build && !window->isFullScreen());
        QTest::keyClick(window.get(), Qt::Key_F11);
        press(window->view().present(), QStringLiteral("Close"));
        QVERIFY(window->view().perspective() == Perspective::Build);
        QVERIFY(window->menuBar()->isVisible());
        QVERIFY(window->close());
    }

    void theMouseSteps()
    {
        const auto window = presenting();
        PresentPage& page = window->view().present();
        SlideArea& area = page.area();
        const QPoint right(area.width() - 40, area.height() / 2), left(40, area.height() / 2);
        QTest::mouseClick(&area, Qt::LeftButton, {}, right);
        QTest::mouseClick(&area, Qt::LeftButton, {}, right);
        QCOMPARE(page.current(), 2);
        QTest::mouseClick(&area, Qt::LeftButton, {}, left);
        QCOMPARE(page.current(), 1);
        press(page, QStringLiteral("Back"));
        QVERIFY(!isOffered(page, QStringLiteral("Back")));
        press(page, QStringLiteral("Next"));
        QCOMPARE(page.current(), 1);
        QVERIFY(window->close());
    }

    void typeFollowsTheHeight()
    {
        PresentPage page(catalog::shippedCatalog());
        page.show();
        const auto* title = page.findChild<QWidget*>(QStringLiteral("title"));
        for (const QSize size : {QSize(1920, 1080), QSize(1280, 800), QSize(3840, 2160)}) {
            page.resize(size);
            const int type = QFontInfo(title->font()).pixelSize();
            QVERIFY(type > size.height() / 19 && type < size.height() / 17);
        }
    }

    void pictureSlidesShowThePlan()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        for (int slide = 0; slide < int(page.deck().size()); ++slide) {
            page.showSlide(slide);
            QCOMPARE(page.area().accessibleName(), page.slide().title);
            QVERIFY(page.area().accessibleDescription().size() > 20);
            QVERIFY(!page.grab().isNull());
        }
        page.showSlide(5);
        QVERIFY(page.area().pipeline().isVisible() && !page.area().pipeline().isEmpty());
        QVERIFY(window->close());
    }

    /// Arrows on a slider are its own; what it does is one undo step, and the slide tells the effect.
    void aSliderChangesThePlan()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        const plan::Plan before = window->workspace().plan();
        const QString told = page.area().accessibleDescription();
        LegalSlider& tp = page.inputs().slider(plan::Dimension::Tp);
        tp.setFocus();
        key(Qt::Key_Left);
        QCOMPARE(page.current(), 0);
        QVERIFY(window->workspace().plan().strategy.tp < before.strategy.tp);
        QVERIFY(settled(*window));
        QVERIFY(page.area().accessibleDescription() != told);
        key(Qt::Key_Space); // nothing of the slider's
        QCOMPARE(page.current(), 1);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->workspace().plan() == before);
        QCOMPARE(tp.value(), before.strategy.tp);
        LegalSlider& nodes = page.inputs().nodes();
        nodes.setFocus();
        key(Qt::Key_Left);
        QVERIFY(acceleratorCount(window->workspace().plan().cluster) < acceleratorCount(before.cluster));
        QCOMPARE(rankCount(window->workspace().plan().strategy), acceleratorCount(window->workspace().plan().cluster));
        discardAndClose(*window);
    }

    void aBudgetTypedOnASlideIsTheDocuments()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        page.inputs().tokens().setFocus();
        page.inputs().tokens().selectAll();
        QTest::keyClicks(&page.inputs().tokens(), QStringLiteral("2 T"));
        QCOMPARE(page.current(), 0); // digits are the field's
        key(Qt::Key_Return);
        QCOMPARE(window->workspace().document().project().capacity.tokens, 2e12);
        QVERIFY(page.area().accessibleDescription().contains(QStringLiteral("2.00 T tokens")));
        key(Qt::Key_Escape);
        QVERIFY(window->view().perspective() == Perspective::Explore);
        discardAndClose(*window);
    }

    /// Those that a search found until something is pinned.
    void alternativesAreFoundOrPinned()
    {
        const auto window = presenting();
        Workspace& workspace = window->workspace();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        page.showSlide(2);
        const auto found = [&] { return workspace.search().isCurrent() && workspace.search().picture()->hasEnded(); };
        QVERIFY(QTest::qWaitFor(found, kPatience));
        const auto& front = workspace.search().picture()->front;
        const auto other = std::ranges::find_if(
            front, [&](const search::FoundStrategy& one) { return one.strategy != workspace.plan().strategy; });
        QVERIFY(other != front.end());
        const QString before = strategyTitle(workspace.plan().strategy);
        QVERIFY(slideState(workspace).othersAreFound);
        QVERIFY(page.area().accessibleDescription().contains(slideState(workspace).others.front().name));
        QTest::keyClick(window.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(slideState(workspace).pinnedAs, QStringLiteral("A"));
        QVERIFY(slideState(workspace).others.empty());
        QTest::keyClick(&page.inputs().slider(plan::Dimension::Tp), Qt::Key_Left);
        QVERIFY(settled(*window));
        const SlideState state = slideState(workspace);
        QCOMPARE(state.others.size(), std::size_t(1));
        QCOMPARE(state.others.front().detail, before);
        QVERIFY(state.others.front().step && !state.othersAreFound);
        QVERIFY(page.area().accessibleDescription().contains(QStringLiteral("A ") + before));
        QVERIFY(!page.grab().isNull());
        discardAndClose(*window);
    }

    void whatCannotBeEstimatedIsTold()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        parallel::Strategy broken = window->workspace().plan().strategy;
        broken.tp = 7;
        window->workspace().editStrategy(broken, QStringLiteral("Seven"));
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        QVERIFY(page.area().accessibleDescription().contains(QStringLiteral("Error")));
        QVERIFY(!page.grab().isNull());
        discardAndClose(*window);
    }

    void aViewIsSavedAsASlide()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        QTest::keyClick(window.get(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        name(*window, QStringLiteral("Our machines"));
        const auto& slides = window->workspace().document().project().slides;
        QCOMPARE(slides.size(), std::size_t(1));
        QVERIFY(slides[0].view == plan::SlideView::Cluster && slides[0].plan == window->workspace().plan());
        QTest::keyClick(window.get(), Qt::Key_F11);
        PresentPage& page = window->view().present();
        QCOMPARE(page.counter(), QStringLiteral("1 / 9"));
        key(Qt::Key_9);
        QCOMPARE(page.slide().title, QStringLiteral("Our machines"));
        QVERIFY(settled(*window));
        QVERIFY(page.area().accessibleDescription().contains(QStringLiteral("A100")));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(page.counter(), QStringLiteral("8 / 8"));
        QVERIFY(window->workspace().document().isClean());
        QVERIFY(window->close());
    }

    /// Its own plan, whatever becomes of the document's; what is tried on it leaves the document alone.
    void aSavedSlideKeepsItsPlan()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        const plan::Plan first = window->workspace().plan();
        press(page, QStringLiteral("Save as slide"));
        name(*window, QStringLiteral("As it was"));
        QCOMPARE(page.slide().title, QStringLiteral("As it was"));
        parallel::Strategy other = first.strategy;
        other.microBatch = 2;
        window->workspace().editStrategy(other, QStringLiteral("Two"));
        QVERIFY(settled(*window));
        LegalSlider& tp = page.inputs().slider(plan::Dimension::Tp);
        QCOMPARE(page.inputs().slider(plan::Dimension::MicroBatch).value(), first.strategy.microBatch);
        QTest::keyClick(&tp, Qt::Key_Left);
        QVERIFY(tp.value() < first.strategy.tp);
        QCOMPARE(window->workspace().plan().strategy, other);
        QVERIFY(settled(*window));
        page.setFocus();
        press(page, QStringLiteral("As saved"));
        QCOMPARE(tp.value(), first.strategy.tp);
        press(page, QStringLiteral("Use this plan"));
        QVERIFY(window->workspace().plan() == first);
        discardAndClose(*window);
    }

    void savedSlidesAreArranged()
    {
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        const auto names = [&] {
            QString all;
            for (const plan::SavedSlide& slide : window->workspace().document().project().slides)
                all += QString::fromStdString(slide.name) + u' ';
            return all.trimmed();
        };
        for (const char* each : {"a", "b"}) {
            press(page, QStringLiteral("Save as slide"));
            name(*window, QString::fromLatin1(each));
        }
        press(page, QStringLiteral("Earlier"));
        QCOMPARE(names(), QStringLiteral("b a"));
        QCOMPARE(page.slide().title, QStringLiteral("b"));
        QVERIFY(!isOffered(page, QStringLiteral("Earlier")));
        press(page, QStringLiteral("Rename"));
        name(*window, QStringLiteral("c"));
        QCOMPARE(names(), QStringLiteral("c a"));
        press(page, QStringLiteral("Remove"));
        QCOMPARE(names(), QStringLiteral("a"));
        QCOMPARE(page.counter(), QStringLiteral("9 / 9"));
        discardAndClose(*window);
    }

    void itFollowsTheTheme()
    {
        applyTheme(*qApp, ThemeKind::Light);
        const auto window = presenting();
        QVERIFY(settled(*window));
        PresentPage& page = window->view().present();
        const auto corner = [&] { return page.grab().toImage().pixelColor(3, page.height() / 2); };
        QTRY_COMPARE(corner(), tokens(ThemeKind::Light).window);
        applyTheme(*qApp, ThemeKind::Dark);
        QTRY_COMPARE(corner(), tokens(ThemeKind::Dark).window);
        applyTheme(*qApp, ThemeKind::Light);
        QVERIFY(window->close());
    }
};

QTEST_MAIN(TestPresentation)
#include "test_presentation.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/improvements.h"
#include "app/session/plan_fields.h"
#include "app/session/project_document.h"
#include "app/session/recovery_store.h"
#include "app/session/saved_slides.h"
#include "app/session/settings.h"
#include "app/session/workspace.h"
#include "tests/app/gui_test.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <random>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

ProjectChange planChange(const Plan& plan)
{
    ProjectChange change;
    change.plan = plan;
    return change;
}

Plan withTp(Plan plan, int tp)
{
    plan.strategy.tp = tp;
    return plan;
}

/// A random edit of one or two parts; may change nothing.
ProjectChange randomChange(const Project& project, std::mt19937& random)
{
    const auto pick = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
    ProjectChange change;
    switch (pick(7)) {
    case 0:
        change = planChange(withTp(project.plan, 1 << pick(5)));
        break;
    case 1:
        change.plan = project.plan;
        change.plan->cluster.nodes.front().count = 1 + pick(200);
        change.canvas = CanvasPositions{{"nodes", {pick(100) * 8.0, pick(100) * 8.0}}};
        break;
    case 2:
        change.capacity = project.capacity;
        change.capacity->tokens = 1e9 * pick(5);
        break;
    case 3:
        change.pinned = project.pinned;
        change.pinned->push_back({"P" + std::to_string(pick(100)), project.plan, {}, {}});
        break;
    case 4:
        change.pinned = std::vector<PinnedPlan>{};
        break;
    case 5:
        change.slides = project.slides;
        change.slides->push_back(
            {"S" + std::to_string(pick(100)), kSlideViews[std::size_t(pick(9))], project.plan, {}});
        break;
    default:
        change.notes = std::string(static_cast<std::size_t>(pick(4)), 'n');
        break;
    }
    return change;
}

} // namespace

class TestDocument : public GuiTest {
    Q_OBJECT

private Q_SLOTS:
    /// Whatever of the plan it edits.
    void aRemedyIsOneStep()
    {
        Workspace workspace(shippedCatalog());
        workspace.document().load(exampleDocument(), {});
        const Plan before = workspace.plan();
        Remedy remedy{.strategy = before.strategy};
        remedy.strategy.microBatch = 2;
        remedy.software = *shippedCatalog().softwareProfile("jax-xla");
        remedy.cluster = before.cluster;
        remedy.cluster->nodes.front().count *= 2;
        workspace.mend(remedy, QStringLiteral("Use JAX (XLA)"));
        QCOMPARE(workspace.plan().strategy.microBatch, 2);
        QCOMPARE(workspace.plan().training.software.id, std::string("jax-xla"));
        QCOMPARE(workspace.plan().cluster.nodes.front().count, 2 * before.cluster.nodes.front().count);
        QCOMPARE(workspace.document().undoStack().count(), 1);
        workspace.document().undo();
        QVERIFY(workspace.plan() == before);
    }

    /// "Selene, 1,024 A100" is said of no other accelerators; what a person called their cluster stays.
    void anOldNameOfTheCatalogueIsDropped()
    {
        Workspace workspace(shippedCatalog());
        workspace.document().load(exampleDocument(), {});
        const Plan before = workspace.plan();
        const std::string name = shippedCatalog().cluster("selene")->name;
        QCOMPARE(before.cluster.name, name);
        const auto edit = [&](auto change) {
            stratoplan::cluster::Cluster next = before.cluster;
            change(next);
            workspace.editCluster(next, {}, QStringLiteral("Edit"));
            const std::string got = workspace.plan().cluster.name;
            workspace.document().undo();
            return got;
        };
        using stratoplan::cluster::Cluster;
        QCOMPARE(edit([](Cluster& c) { c = Cluster{c.name, {}, {}, {}}; }), std::string());
        QCOMPARE(edit([](Cluster& c) { c.nodes.front().count /= 2; }), std::string());
        QCOMPARE(edit([](Cluster& c) { c.nodes.front().accelerator = *shippedCatalog().accelerator("h100-sxm-80"); }),
            std::string());
        QCOMPARE(edit([](Cluster& c) { c.nodes.front().nicsPerNode = 4; }), name);
        QCOMPARE(edit([](Cluster& c) {
            c.nodes.front().count = 1;
            c.name = "Lab";
        }),
            std::string("Lab"));
        QCOMPARE(workspace.plan(), before);
        Plan own = before;
        own.cluster.name = "Lab";
        workspace.editPlan(own, QStringLiteral("Rename"));
        own.cluster.nodes.front().count = 20;
        workspace.editPlan(own, QStringLiteral("Fewer"));
        QCOMPARE(workspace.plan().cluster.name, std::string("Lab"));
    }

    /// Any sequence of edits, undone, gives every value on the way back; redone, every value on the way forth.
    void undoReturnsEveryValue()
    {
        for (unsigned seed = 0; seed < 60; ++seed) {
            std::mt19937 random(seed);
            ProjectDocument document(shippedCatalog());
            document.load(exampleDocument(), {});
            std::vector<Project> states{document.project()};
            for (int i = 0; i < 40; ++i) {
                const int mergeId = std::uniform_int_distribution(-1, 1)(random);
                const int before = document.undoStack().index();
                document.edit(randomChange(document.project(), random), QStringLiteral("edit"), mergeId);
                if (document.undoStack().index() > before)
                    states.push_back(document.project());
                else if (document.undoStack().index() == before)
                    states.back() = document.project(); // merged, or nothing changed
                else
                    states.pop_back(); // merged into nothing
                if (std::uniform_int_distribution(0, 5)(random) == 0)
                    document.finishEdit();
                QCOMPARE(static_cast<int>(states.size()), document.undoStack().index() + 1);
                QVERIFY(document.project() == states.back());
            }
            for (std::size_t i = states.size() - 1; i-- > 0;) {
                document.undo();
                QVERIFY(document.project() == states[i]);
            }
            QVERIFY(!document.undoStack().canUndo());
            QVERIFY(document.isClean());
            for (std::size_t i = 1; i < states.size(); ++i) {
                document.redo();
                QVERIFY(document.project() == states[i]);
            }
        }
    }

    void aDragIsOneCommand()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        const Plan before = document.plan();
        for (int tp = 1; tp <= 64; ++tp)
            document.edit(planChange(withTp(before, tp)), QStringLiteral("drag"), 7);
        QCOMPARE(document.undoStack().count(), 1);
        document.finishEdit();
        document.edit(planChange(withTp(before, 65)), QStringLiteral("drag"), 7);
        QCOMPARE(document.undoStack().count(), 2);
        document.undo();
        QCOMPARE(document.plan().strategy.tp, 64);
        document.undo();
        QVERIFY(document.plan() == before);
    }

    void aDragBackToItsStartIsNoCommand()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        const Plan before = document.plan();
        document.edit(planChange(withTp(before, 3)), QStringLiteral("drag"), 1);
        document.edit(planChange(before), QStringLiteral("drag"), 1);
        QCOMPARE(document.undoStack().count(), 0);
        QVERIFY(document.isClean());
    }

    void slidesAreKeptInTheirOrder()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        SavedSlides slides(document);
        const auto names = [&] {
            QString all;
            for (const SavedSlide& slide : document.project().slides)
                all += QString::fromStdString(slide.name) + u' ';
            return all.trimmed();
        };
        for (const char* name : {"a", "b", "c"})
            slides.add({name, SlideView::Time, document.plan(), {}});
        QCOMPARE(names(), QStringLiteral("a b c"));
        slides.move(0, 2);
        QCOMPARE(names(), QStringLiteral("b c a"));
        slides.move(2, -7);
        QCOMPARE(names(), QStringLiteral("a b c"));
        slides.rename(1, QStringLiteral(" B "));
        slides.rename(1, QStringLiteral("  "));
        slides.remove(0);
        slides.remove(9);
        QCOMPARE(names(), QStringLiteral("B c"));
        const QString path = inFolder(QStringLiteral("slides.plan.json"));
        QVERIFY(document.save(path));
        ProjectDocument reopened(shippedCatalog());
        QVERIFY(reopened.open(path));
        QVERIFY(reopened.project().slides == document.project().slides);
        while (document.undoStack().canUndo())
            document.undo();
        QVERIFY(document.project().slides.empty());
        slides.add({"", SlideView::Time, document.plan(), {}});
        QCOMPARE(names(), strategyTitle(document.plan().strategy));
    }

    void everyChangeIsToldOnce()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        QSignalSpy changed(&document, &ProjectDocument::changed);
        const Plan before = document.plan();
        document.edit(planChange(withTp(before, 2)), QStringLiteral("edit"));
        document.undo();
        document.edit(planChange(before), QStringLiteral("nothing"));
        QCOMPARE(changed.count(), 2); // nothing changed
        ProjectChange notes;
        notes.notes = "only notes";
        document.edit(notes, QStringLiteral("notes"));
        document.load(exampleDocument(), {});
        QCOMPARE(changed.count(), 4);
    }

    void aHeldEditIsNeverLost()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        const Plan before = document.plan();
        document.hold(planChange(withTp(before, 2)), QStringLiteral("drag"), 1);
        QCOMPARE(document.plan().strategy.tp, before.strategy.tp);
        QVERIFY(!document.isClean());
        document.hold(planChange(withTp(before, 3)), QStringLiteral("drag"), 1);
        document.release();
        QCOMPARE(document.plan().strategy.tp, 3);
        // Whatever else is done, it comes first: another edit, undo, saving.
        document.hold(planChange(withTp(before, 4)), QStringLiteral("drag"), 1);
        ProjectChange notes;
        notes.notes = "n";
        document.edit(notes, QStringLiteral("notes"));
        QCOMPARE(document.plan().strategy.tp, 4);
        QCOMPARE(QString::fromStdString(document.project().notes), QStringLiteral("n"));
        document.hold(planChange(withTp(before, 5)), QStringLiteral("drag"), 2);
        document.undo();
        QCOMPARE(document.plan().strategy.tp, 4);
        document.redo();
        QCOMPARE(document.plan().strategy.tp, 5);
        document.hold(planChange(withTp(before, 6)), QStringLiteral("drag"), 3);
        const QString path = inFolder(QStringLiteral("held.json"));
        QVERIFY(document.save(path));
        QVERIFY(document.isClean());
        ProjectDocument reread(shippedCatalog());
        QVERIFY(reread.open(path));
        QCOMPARE(reread.plan().strategy.tp, 6);
    }

    void savedAndOpenedIsTheSame()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        QSignalSpy clean(&document, &ProjectDocument::cleanChanged);
        QSignalSpy path(&document, &ProjectDocument::pathChanged);
        std::mt19937 random(5);
        for (int i = 0; i < 12; ++i)
            document.edit(randomChange(document.project(), random), QStringLiteral("edit"));
        QCOMPARE(clean.count(), 1);
        QVERIFY(!document.isClean());
        const QString file = inFolder(QStringLiteral("project.json"));
        QVERIFY(document.save(file));
        QVERIFY(document.isClean());
        QCOMPARE(clean.count(), 2);
        QCOMPARE(path.count(), 1);
        ProjectDocument reread(shippedCatalog());
        QVERIFY(reread.open(file));
        QVERIFY(reread.project() == document.project());
        QVERIFY(reread.isClean());
        document.undo();
        QVERIFY(!document.isClean());
        document.redo();
        QVERIFY(document.isClean());
    }

    void unknownFieldsSurvive()
    {
        const Example* example = findExample("gpt3-175b-1024-a100");
        QVERIFY(example);
        QString text = QString::fromStdString(example->text);
        text.insert(text.indexOf(u'{') + 1, QStringLiteral("\n  \"x-other-program\": [1, 2, 3],"));
        const QString file = inFolder(QStringLiteral("other.json"));
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text.toUtf8());
        out.close();
        ProjectDocument document(shippedCatalog());
        QVERIFY(document.open(file));
        document.edit(planChange(withTp(document.plan(), 4)), QStringLiteral("edit"));
        QVERIFY(document.save(file));
        QFile in(file);
        QVERIFY(in.open(QIODevice::ReadOnly));
        QVERIFY(in.readAll().contains("x-other-program"));
    }

    void aBadFileChangesNothing()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        document.edit(planChange(withTp(document.plan(), 4)), QStringLiteral("edit"));
        const Project before = document.project();
        const QString file = inFolder(QStringLiteral("bad.json"));
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("{ \"format\": \"stratoplan-plan\", \"strategy\": ");
        out.close();
        const auto result = document.open(file);
        QVERIFY(!result);
        QVERIFY(!result.error().empty());
        QVERIFY(document.project() == before);
        QVERIFY(!document.isClean());
        QVERIFY(!document.open(inFolder(QStringLiteral("missing.json"))));
        QVERIFY(!document.save(inFolder(QStringLiteral("no/such/folder/plan.json"))));
        QVERIFY(!document.isClean());
        QVERIFY(document.path().isEmpty());
    }

    void recoveryOffersOnlyWhatACrashLeft()
    {
        const QString folder = inFolder(QStringLiteral("recovery"));
        {
            RecoveryStore store(folder);
            store.keep("{}", QStringLiteral("/tmp/plan.json"));
            QTRY_COMPARE(QDir(folder).entryList({QStringLiteral("*.recovery")}).size(), 1);
            RecoveryStore other(folder);
            QVERIFY(other.abandoned().empty()); // its program runs
            store.clear();
        }
        QVERIFY(QDir(folder).entryList({QStringLiteral("*.recovery")}).isEmpty());

        QFile left(folder + QStringLiteral("/left.recovery"));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.write("/data/me/plan.json\n{\"a\": 1}\n");
        left.close();
        const RecoveryStore store(folder);
        const auto found = store.abandoned();
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found.front().documentPath, QStringLiteral("/data/me/plan.json"));
        QCOMPARE(QString::fromStdString(found.front().text), QStringLiteral("{\"a\": 1}\n"));
        const QString place = RecoveryStore::setAside(found.front());
        QVERIFY(store.abandoned().empty());
        QFile aside(place);
        QVERIFY(aside.open(QIODevice::ReadOnly));
        QCOMPARE(aside.readAll(), QByteArray("/data/me/plan.json\n{\"a\": 1}\n"));
        // Only the newest few stay.
        for (int i = 0; i < 14; ++i) {
            QFile old(folder + QStringLiteral("/old%1.recovery").arg(i));
            QVERIFY(old.open(QIODevice::WriteOnly));
            old.write("\n{}\n");
            old.close();
            RecoveryStore::setAside({old.fileName(), {}, {}, {}});
        }
        QCOMPARE(QDir(QFileInfo(place).absolutePath()).entryList(QDir::Files).size(), 10);
    }

    void recentFilesAreBounded()
    {
        for (int i = 0; i < 15; ++i)
            Settings::addRecentFile(QStringLiteral("/plans/%1.json").arg(i));
        Settings::addRecentFile(QStringLiteral("/plans/9.json"));
        const QStringList files = Settings::recentFiles();
        QCOMPARE(files.size(), Settings::kRecentFiles);
        QCOMPARE(files.front(), QStringLiteral("/plans/9.json"));
        QCOMPARE(files.count(QStringLiteral("/plans/9.json")), 1);
        Settings::setTheme(ThemeKind::Dark);
        QVERIFY(Settings::theme() == ThemeKind::Dark);
        Settings::setTheme(std::nullopt);
        QVERIFY(!Settings::theme());
    }

    void plansDifferInWhatIsListed()
    {
        const Plan a = exampleDocument().project.plan;
        Plan b = a;
        b.strategy.tp = 4;
        b.training.globalBatch += 1;
        const auto fields = planFields(a);
        QStringList labels;
        for (const std::size_t i : differingFields({&a, &b}))
            labels << fields[i].label;
        QCOMPARE(labels, QStringList({QStringLiteral("Global batch"), QStringLiteral("TP")}));
        QVERIFY(differingFields({&a, &a, &a}).empty());
        const auto changed = [&](const std::function<void(Plan&)>& change) {
            Plan other = a;
            change(other);
            QStringList result;
            for (const std::size_t i : differingFields({&a, &other}))
                result << fields[i].label;
            return result;
        };
        QCOMPARE(
            changed([](Plan& p) { p.model.gatedMlp = !p.model.gatedMlp; }), QStringList{QStringLiteral("Gated MLP")});
        QCOMPARE(changed([](Plan& p) { p.model.tiedEmbeddings = !p.model.tiedEmbeddings; }),
            QStringList{QStringLiteral("Tied embeddings")});
        QCOMPARE(
            changed([](Plan& p) { p.cluster.nodes.front().scaleUpDomain = 2; }), QStringList{QStringLiteral("Domain")});
        // Labels are the same whatever the plan, or the fields of two plans would be compared with their neighbours.
        QCOMPARE(changed([](Plan& p) { p.strategy.schedule = Schedule::ZbAuto; }),
            QStringList({QStringLiteral("Schedule"), QStringLiteral("In-flight limit")}));
        QCOMPARE(changed([](Plan& p) { p.model.moe = MixtureOfExperts(); }).first(), QStringLiteral("Experts"));
    }

    void improvementsImprove()
    {
        const Plan plan = exampleDocument().project.plan;
        const auto found = improvements(plan);
        QVERIFY(!found.empty());
        QVERIFY(std::is_sorted(found.begin(), found.end(),
            [](const Improvement& a, const Improvement& b) { return a.stepChange < b.stepChange; }));
        for (const Improvement& improvement : found)
            QVERIFY(improvement.stepChange < 0 && improvement.stepChange > -1);
        Plan idle = plan; // which a degree brings into use: the replicas that follow are named
        idle.strategy.dp = 1;
        const std::vector<Improvement> used = improvements(idle);
        QVERIFY(std::ranges::any_of(
            used, [](const Improvement& i) { return i.label.contains(", ") && i.label.contains("DP 1 → "); }));
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(improvements(plan, stopped.get_token()).empty());
        Plan broken = plan;
        broken.strategy.tp = 5;
        QVERIFY(improvements(broken).empty());
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QCoreApplication app(argc, argv);
    TestDocument test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_document.moc"

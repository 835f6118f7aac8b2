// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/details_text.h"
#include "app/gui/explore/pipeline_details.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/window/launch_options.h"
#include "app/session/plan_fields.h"
#include "app/session/project_document.h"
#include "app/session/recovery_store.h"
#include "app/session/settings.h"
#include "core/units/format.h"
#include "tests/app/gui/gui_test.h"
#include "widgets/presentation/fuzzy_match.h"
#include "widgets/shell/message_bar.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <random>

using namespace stratoplan;
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
    switch (pick(6)) {
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
        change.pinned->push_back({"P" + std::to_string(pick(100)), project.plan});
        break;
    case 4:
        change.pinned = std::vector<PinnedPlan>{};
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

    void revisionsNeverComeBack()
    {
        ProjectDocument document(shippedCatalog());
        document.load(exampleDocument(), {});
        QSignalSpy changed(&document, &ProjectDocument::changed);
        const Plan before = document.plan();
        std::vector<std::uint64_t> revisions{document.revision()};
        document.edit(planChange(withTp(before, 2)), QStringLiteral("edit"));
        revisions.push_back(document.revision());
        const std::uint64_t planRevision = document.planRevision();
        document.undo();
        revisions.push_back(document.revision());
        QVERIFY(document.planRevision() > planRevision);
        document.edit(planChange(before), QStringLiteral("nothing"));
        QCOMPARE(document.revision(), revisions.back());
        ProjectChange notes;
        notes.notes = "only notes";
        const std::uint64_t planRevisionBefore = document.planRevision();
        document.edit(notes, QStringLiteral("notes"));
        revisions.push_back(document.revision());
        QCOMPARE(document.planRevision(), planRevisionBefore);
        document.load(exampleDocument(), {});
        revisions.push_back(document.revision());
        QVERIFY(std::is_sorted(revisions.begin(), revisions.end()));
        QVERIFY(std::adjacent_find(revisions.begin(), revisions.end()) == revisions.end());
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

    /// What autosave keeps is what a restore brings back, unsaved.
    void crashedWorkComesBack()
    {
        const QString folder = inFolder(QStringLiteral("recovery"));
        Project edited;
        {
            QWidget window;
            MessageBar messages(&window);
            ProjectDocument document(shippedCatalog());
            FileController files(document, messages, folder, nullptr);
            files.loadExample("gpt3-175b-1024-a100");
            document.edit(planChange(withTp(document.plan(), 4)), QStringLiteral("edit"));
            edited = document.project();
            QTRY_COMPARE_WITH_TIMEOUT(QDir(folder).entryList({QStringLiteral("*.recovery")}).size(), 1, 8000);
            // A crash: the copy stays, its lock dies with the program.
            const QString copy = folder + u'/' + QDir(folder).entryList({QStringLiteral("*.recovery")}).front();
            QVERIFY(QFile::copy(copy, folder + QStringLiteral("/crashed.recovery")));
            files.forgetRecovery();
        }
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, folder, nullptr);
        files.loadExample("gpt2-xl-alpa");
        files.offerRecovery();
        QVERIFY(messages.isVisible());
        const auto buttons = messages.findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 2);
        QTest::mouseClick(buttons.front(), Qt::LeftButton);
        QVERIFY(document.project() == edited);
        QVERIFY(!document.isClean());
        QVERIFY(!QFile::exists(folder + QStringLiteral("/crashed.recovery")));
        files.forgetRecovery();
    }

    void unsavedWorkIsAskedFor()
    {
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, inFolder(QStringLiteral("recovery")), nullptr);
        files.loadExample("gpt3-175b-1024-a100");
        int proceeded = 0;
        files.whenSafe([&] { ++proceeded; });
        QCOMPARE(proceeded, 1);
        const QString path = inFolder(QStringLiteral("asked.json"));
        QVERIFY(document.save(path));
        document.edit(planChange(withTp(document.plan(), 4)), QStringLiteral("edit"));
        const auto answer = [&](QMessageBox::StandardButton button) {
            auto* box = window.findChild<QMessageBox*>();
            QVERIFY(box);
            QTest::mouseClick(box->button(button), Qt::LeftButton);
            QCoreApplication::sendPostedEvents(box, QEvent::DeferredDelete);
        };
        files.whenSafe([&] { ++proceeded; });
        QCOMPARE(proceeded, 1);
        answer(QMessageBox::Cancel);
        QCOMPARE(proceeded, 1);
        QVERIFY(!document.isClean());
        files.whenSafe([&] { ++proceeded; });
        answer(QMessageBox::Save);
        QCOMPARE(proceeded, 2);
        QVERIFY(document.isClean());
        document.edit(planChange(withTp(document.plan(), 2)), QStringLiteral("edit"));
        files.whenSafe([&] { ++proceeded; });
        answer(QMessageBox::Discard);
        QCOMPARE(proceeded, 3);
        files.forgetRecovery();
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

    /// Every figure explains itself with numbers that are numbers.
    void detailsExplain()
    {
        for (const char* name : {"gpt3-175b-1024-a100", "llama3-405b-16384-h100", "gpt2-xl-alpa"}) {
            const Plan plan = exampleDocument(name).project.plan;
            const auto priced = estimate(plan);
            QVERIFY2(priced, name);
            CapacityInputs inputs;
            inputs.tokens = 300e9;
            inputs.pricePerAcceleratorHour = 2;
            std::vector<DetailSections> all{planDetails(plan, *priced)};
            for (const VerdictFigure figure : kVerdictFigures)
                all.push_back(figureDetails(figure, plan, *priced, inputs));
            for (int stage = 0; stage < static_cast<int>(priced->memory.stages.size()); ++stage)
                all.push_back(memoryDetails(stage, plan, *priced));
            const GanttIndex index(simulate(priced->pipeline));
            const auto slices = static_cast<std::uint32_t>(index.timeline().slices.size());
            for (const std::uint32_t slice : {0u, 1u, slices / 2, slices - 1})
                all.push_back(sliceDetails(slice, index, plan, *priced));
            all.push_back(areaDetails({{areaSums(index, {index.whole(), 0, index.stages() - 1}), {}}}));
            all.push_back(differenceDetails(
                compareWaits(index.timeline(), index.timeline()), QStringLiteral("a"), QStringLiteral("b")));
            all.push_back({improvementDetails(improvements(plan), true)});
            for (const DetailSections& sections : all) {
                QVERIFY(!sections.empty());
                for (const DetailSection& section : sections) {
                    QVERIFY(!section.title.isEmpty());
                    for (const DetailRow& row : section.rows)
                        QVERIFY2(
                            !row.value.isEmpty() && !row.value.contains(QStringLiteral("nan"), Qt::CaseInsensitive),
                            qPrintable(row.name));
                    QVERIFY2(!section.text.contains(u'%')
                            || !section.text.contains(QRegularExpression(QStringLiteral("%[0-9]"))),
                        qPrintable(section.text));
                }
            }
            const auto& parts = all.front().back().rows;
            QCOMPARE(parts.back().value, QString::fromStdString(format(priced->step)));
            QVERIFY(memoryDetails(99, plan, *priced).empty());
        }
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
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(improvements(plan, stopped.get_token()).empty());
        Plan broken = plan;
        broken.strategy.tp = 5;
        QVERIFY(improvements(broken).empty());
    }

    void fuzzyMatching_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("word starts win") << "sa"
                                         << "Save as"
                                         << "Reset layout a";
        QTest::newRow("runs win") << "undo"
                                  << "Undo"
                                  << "Run down outer";
        QTest::newRow("case is ignored") << "FTB"
                                         << "Find the best"
                                         << "Left pane table";
        QTest::newRow("no match loses") << "xyz"
                                        << "x y z"
                                        << "Save";
    }

    void fuzzyMatching()
    {
        QFETCH(const QString, pattern);
        QFETCH(const QString, better);
        QFETCH(const QString, worse);
        const auto good = fuzzyMatch(pattern, better);
        const auto bad = fuzzyMatch(pattern, worse);
        QVERIFY(good);
        QVERIFY(!bad || good->score > bad->score);
        QString spelled;
        for (const int i : good->positions)
            spelled += better[i];
        QCOMPARE(spelled.toLower(), pattern.toLower());
        QVERIFY(fuzzyMatch(u"", better));
        QVERIFY(!fuzzyMatch(u"a very long pattern that no text holds", better));
    }

    void argumentsAreRead()
    {
        const auto options = parseArguments(
            {"--theme", "dark", "-platform", "offscreen", "--size", "1280x800", "--perspective", "build", "plan.json"});
        QVERIFY(options);
        QVERIFY(options->theme == ThemeKind::Dark);
        QVERIFY(options->size == QSize(1280, 800));
        QVERIFY(options->perspective == Perspective::Build);
        QCOMPARE(parseArguments({"--select", "leaf"})->select, QStringLiteral("leaf"));
        QCOMPARE(parseArguments({"--schedule", "order.txt"})->schedule, QStringLiteral("order.txt"));
        QCOMPARE(parseArguments({"--example", "gpt2-xl-alpa"})->example, QStringLiteral("gpt2-xl-alpa"));
        const auto study = parseArguments({"--study", "b.jsonl", "a.jsonl", "--perspective", "studies"});
        QVERIFY(study && study->perspective == Perspective::Studies && !study->exampleStudy);
        QCOMPARE(study->study, QStringList({QStringLiteral("b.jsonl"), QStringLiteral("a.jsonl")}));
        QVERIFY(parseArguments({"--study", "example"})->exampleStudy
            && parseArguments({"--study", "example"})->study.isEmpty());
        const auto unknown = parseArguments({"--example", "gpt5"});
        QVERIFY(
            !unknown && unknown.error().code == 2 && unknown.error().text.find("gpt2-xl-alpa") != std::string::npos);
        QCOMPARE(options->planFile, QStringLiteral("plan.json"));
        for (const auto& bad : std::vector<std::vector<std::string>>{
                 {"--size", "big"}, {"--size", "1x1"}, {"--theme", "pink"}, {"--no-such"}, {"a", "b"}}) {
            const auto result = parseArguments(bad);
            QVERIFY(!result);
            QCOMPARE(result.error().code, 2);
            QVERIFY(!result.error().text.empty());
        }
        const auto version = parseArguments({"--version"});
        QVERIFY(!version);
        QCOMPARE(version.error().code, 0);
        QVERIFY(version.error().text.starts_with("stratoplan "));
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    TestDocument test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_document.moc"

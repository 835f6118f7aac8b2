// SPDX-License-Identifier: GPL-3.0-or-later
// Scale-up domains that are tori in the catalogue and in documents, and what is wrong with others.
#include "core/catalog/catalog_json.h"
#include "core/exchange/document.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/plan_json.h"
#include "core/narration/problems.h"
#include "core/plan/problem.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QLocale>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::exchange;
using namespace stratoplan::plan;
using stratoplan::narration::describe;

namespace {

const Torus kPod{{16, 20, 28}, TorusWrap::CubesOf4}; ///< of TPU v5p

Plan onTorus(const Torus& torus, int domain)
{
    Plan plan = fixtures::small();
    NodeGroup& group = plan.cluster.nodes.front();
    group.torus = torus;
    group.scaleUpDomain = domain;
    return plan;
}

/// Nodes of four.
Plan nodesOnTorus(const Torus& torus, int nodes)
{
    Plan plan = onTorus(torus, int(sizeOf(torus)));
    plan.cluster.nodes.front().count = nodes;
    return plan;
}

std::vector<Problem> mismatches(const Plan& plan)
{
    std::vector<Problem> problems = check(plan);
    std::erase_if(problems, [](const Problem& p) { return p.code != ProblemCode::TorusMismatch; });
    return problems;
}

struct Broken {
    Torus torus;
    ProblemCode code;
    const char* where;
    const char* told;
};

/// Of a domain of eight.
const std::vector<Broken> kBroken{
    {Torus{{4, 4, 2}}, ProblemCode::TorusMismatch, "/cluster/nodes/0/torus",
        "The torus of “test node” links 32 accelerators, but its scale-up domain has 8: let the product of its axes be "
        "that number."},
    {Torus{{8, 0}}, ProblemCode::NotPositive, "/cluster/nodes/0/torus/axes/1",
        "/cluster/nodes/0/torus/axes/1 is 0: it must be greater than zero."},
    {Torus{{2048}}, ProblemCode::OutOfRange, "/cluster/nodes/0/torus/axes/0",
        "/cluster/nodes/0/torus/axes/0 is 2,048: use at most 1,024, and no less than zero."},
    {Torus{{2, 2, 2, 1, 1}}, ProblemCode::OutOfRange, "/cluster/nodes/0/torus/axes",
        "/cluster/nodes/0/torus/axes is 5: use at most 4, and no less than zero."},
    {Torus{}, ProblemCode::NotPositive, "/cluster/nodes/0/torus/axes",
        "/cluster/nodes/0/torus/axes is 0: it must be greater than zero."},
};

} // namespace

class TestTori : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void presetsFollowWhatIsWritten()
    {
        const auto read = [](const char* members) {
            auto json = nlohmann::json::parse(members);
            json["preset"] = "tpu-v5p";
            const auto group = parseNodeGroup(json, "/nodes/0");
            if (!group)
                qFatal("%s", stratoplan::catalog::describe(group.error()).c_str());
            return std::pair(group->torus, group->scaleUpDomain);
        };
        const std::optional<Torus> cube(Torus{{4, 4, 4}, TorusWrap::CubesOf4});
        QVERIFY(read("{}") == std::pair(std::optional(kPod), 8960));
        QVERIFY(read(R"({"scale_up_domain": 64})") == std::pair(cube, 64));
        QVERIFY(read(R"({"torus": {"axes": [4, 4, 4]}})") == std::pair(cube, 64));
        QVERIFY(read(R"({"torus": null})") == std::pair(std::optional<Torus>(), 8960));
    }

    void faultsOfTheCatalogueHaveTheirPlace()
    {
        const auto refused = [](const char* torus) {
            const auto json = nlohmann::json{{"preset", "tpu-v5p"}, {"torus", nlohmann::json::parse(torus)}};
            const auto group = parseNodeGroup(json, "/nodes/0");
            return group ? std::string() : stratoplan::catalog::describe(group.error());
        };
        QCOMPARE(refused(R"({"axes": [4, "4"]})"),
            std::string("/nodes/0/torus/axes/1: found \"4\", expected a whole number from 0 to 2147483647"));
        QCOMPARE(refused(R"({"axes": [4], "wraps": "cubes"})"),
            std::string("/nodes/0/torus/wraps: found \"cubes\", expected one of \"every_axis\", \"cubes_of_4\", "
                        "\"axes_of_16\", \"none\""));
    }

    void shippedNodesHaveWholeTori()
    {
        int tori = 0;
        for (const NodePreset& preset : shippedCatalog().nodes) {
            tori += int(preset.node.torus.has_value());
            if (preset.node.torus)
                QVERIFY2(isValid(*preset.node.torus) && sizeOf(*preset.node.torus) == preset.node.scaleUpDomain,
                    preset.id.c_str());
            else
                QVERIFY2(preset.node.scaleUp.kind != LinkKind::Ici, preset.id.c_str());
        }
        QCOMPARE(tori, 7); // five TPUs, two Trainiums
        const TopologyLevel pod = topology(shippedCatalog().cluster("tpu-v5p-1024")->cluster).levels[0];
        QVERIFY(slice(*pod.torus, pod.size) == (Torus{{8, 8, 16}, TorusWrap::CubesOf4}));
    }

    void plansKeepThem()
    {
        for (const TorusWrap wrap : kTorusWraps) {
            const Plan plan = onTorus({{2, 4}, wrap}, 8);
            const auto document = parseDocument(writePlan(plan, shippedCatalog()), shippedCatalog(), "plan.json");
            QVERIFY(document.has_value());
            QVERIFY(document->project.plan.cluster == plan.cluster);
        }
        // Without one as before: switched.
        const Plan switched = fixtures::small();
        const std::string text = writePlan(switched, shippedCatalog());
        QVERIFY(text.find("torus") == std::string::npos);
        QVERIFY(!parseDocument(text, shippedCatalog(), "plan.json")->project.plan.cluster.nodes.front().torus);
    }

    void nodesThatDoNotFillATorusAreTold_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<std::vector<int>>("axes");
        QTest::addColumn<TorusWrap>("wrap");
        QTest::addColumn<QString>("filling");
        QTest::addColumn<QString>("remedies");
        using Axes = std::vector<int>;
        QTest::newRow("far fewer") << 16 << Axes{5, 5, 5} << TorusWrap::EveryAxis << "125"
                                   << "Use a torus of 4×4×4; Use 125 nodes";
        QTest::newRow("far fewer, no cubes") << 16 << Axes{5, 5, 5} << TorusWrap::CubesOf4 << "125"
                                             << "Use a torus of 4×4×4; Use 125 nodes";
        QTest::newRow("half of a mesh") << 8 << Axes{8, 8} << TorusWrap::None << "16"
                                        << "Use a torus of 4×8; Use 16 nodes";
        QTest::newRow("a single node") << 1 << Axes{4, 4} << TorusWrap::EveryAxis << "4"
                                       << "Use a torus of 2×2; Use 4 nodes";
        QTest::newRow("one and a half") << 24 << Axes{4, 4, 4} << TorusWrap::EveryAxis << "32"
                                        << "Use a torus of 4×4×6; Use 32 nodes";
        QTest::newRow("one and a quarter") << 20 << Axes{4, 4, 4} << TorusWrap::EveryAxis << "16 or 32"
                                           << "Use a torus of 4×4×5; Use 16 nodes; Use 32 nodes";
        QTest::newRow("no slice") << 37 << kPod.axes << kPod.wrap << "36 or 38"
                                  << "Use 36 nodes; Use 38 nodes";
        QTest::newRow("more than a pod") << 2241 << kPod.axes << kPod.wrap << "2,240 or 4,480"
                                         << "Use 2,240 nodes; Use 4,480 nodes";
        QTest::newRow("two slices") << 2244 << kPod.axes << kPod.wrap << "2,240 or 4,480"
                                    << "Use a torus of 12×17×22; Use 2,240 nodes; Use 4,480 nodes";
    }
    void nodesThatDoNotFillATorusAreTold()
    {
        QFETCH(const int, nodes);
        QFETCH(const std::vector<int>, axes);
        QFETCH(const TorusWrap, wrap);
        QFETCH(const QString, filling);
        const Plan plan = nodesOnTorus({axes, wrap}, nodes);
        const std::vector<Problem> told = mismatches(plan);
        QCOMPARE(told.size(), std::size_t(1));
        QCOMPARE(told.front().severity, Severity::Warning);
        QCOMPARE(told.front().where, std::string("/cluster/nodes/0/torus"));
        QCOMPARE(QString::fromStdString(describe(told.front())),
            QString("In “test node”, %1 %2, as %3 would.")
                .arg(QLocale(QLocale::English).toString(nodes),
                    nodes == 1 ? "node does not fill its torus" : "nodes do not fill their torus", filling));
        QStringList remedies;
        for (const Remedy& remedy : told.front().remedies) {
            remedies << QString::fromStdString(describe(remedy));
            QVERIFY(mismatches(mended(plan, remedy)).empty());
        }
        QTEST(remedies.join("; "), "remedies");
        const int most = toJson(told.front())["remedies"].back()["cluster"]["nodes"][0]["count"].get<int>();
        QCOMPARE(most, int(told.front().limit));
    }

    /// Fewer than the ranks need are neither a remedy nor told.
    void nodesThatTheRanksNeedStay()
    {
        Plan plan = nodesOnTorus(Torus{{4, 4, 4}}, 20);
        plan.strategy = {};
        plan.strategy.dp = plan.training.globalBatch = 80;
        const Problem told = mismatches(plan).at(0);
        QCOMPARE(describe(told), std::string("In “test node”, 20 nodes do not fill their torus, as 32 would."));
        QStringList remedies;
        for (const Remedy& remedy : told.remedies)
            remedies << QString::fromStdString(describe(remedy));
        QCOMPARE(remedies, (QStringList{"Use a torus of 4×4×5", "Use 32 nodes"}));
    }

    void wholeToriAndSlicesOfPodsAreFine()
    {
        for (const auto& [torus, nodes] :
            std::vector<std::pair<Torus, int>>{{Torus{{5, 5, 4}}, 25}, {Torus{{4, 4, 4}}, 32}, {Torus{{2, 2}}, 7},
                {Torus{{2, 1}}, 3}, {Torus{{4, 4, 4}, TorusWrap::None}, 16}, {kPod, 16}, {kPod, 15}, {kPod, 2240},
                {kPod, 4480}, {Torus{{16, 16}, TorusWrap::AxesOf16}, 32}})
            QVERIFY2(mismatches(nodesOnTorus(torus, nodes)).empty(), axesText(torus.axes).c_str());
        for (const ClusterPreset& preset : shippedCatalog().clusters) {
            Plan plan = fixtures::small();
            plan.cluster = preset.cluster;
            QVERIFY2(mismatches(plan).empty(), preset.id.c_str());
        }
    }

    void rulesAreTold()
    {
        QVERIFY(!hasErrors(check(onTorus({{2, 4}}, 8))));
        for (const Broken& broken : kBroken) {
            const std::vector<Problem> problems = check(onTorus(broken.torus, 8));
            const auto found = std::ranges::find(problems, broken.code, &Problem::code);
            QVERIFY2(found != problems.end(), broken.told);
            QCOMPARE(found->where, std::string(broken.where));
            QCOMPARE(found->severity, Severity::Error);
            QCOMPARE(describe(*found), std::string(broken.told));
        }
    }
};

STRATOPLAN_TEST(TestTori)
#include "test_tori.moc"

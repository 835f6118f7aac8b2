// SPDX-License-Identifier: GPL-3.0-or-later
// Scale-up domains that are tori in the catalogue and in documents, and what is wrong with others.
#include "core/catalog/catalog_json.h"
#include "core/exchange/document.h"
#include "core/exchange/plan_json.h"
#include "core/narration/problems.h"
#include "core/plan/problem.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

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
        QVERIFY(topology(shippedCatalog().cluster("tpu-v5p-1024")->cluster).levels[0].torus
            == std::optional(Torus{{8, 8, 16}, TorusWrap::CubesOf4}));
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

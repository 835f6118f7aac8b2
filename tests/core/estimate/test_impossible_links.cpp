// SPDX-License-Identifier: GPL-3.0-or-later
// Links between what they cannot join are told of, and mended by those that fit.
#include "core/catalog/accelerator_links.h"
#include "core/estimate/estimate.h"
#include "core/narration/problems.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::narration;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

NodeGroup preset(const char* id)
{
    return shippedCatalog().node(id)->node;
}

/// Two nodes under a leaf.
Plan drawn(const NodeGroup& nodes)
{
    Plan plan = fixtures::small();
    plan.cluster.nodes = {nodes};
    plan.cluster.nodes.front().id = "nodes";
    plan.cluster.nodes.front().count = 2;
    plan.cluster.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 1}};
    plan.cluster.connections = {{"nodes", "leaf", nodes.nic, 2 * nodes.nicsPerNode}};
    plan.strategy.dp = acceleratorCount(plan.cluster);
    plan.training.precision = stratoplan::model::Precision::Bf16;
    plan.training.software.vendors.clear();
    return plan;
}

std::vector<Problem> impossible(const Plan& plan)
{
    const auto answer = estimate(plan, {.range = false});
    std::vector<Problem> problems = answer ? answer->problems : answer.error();
    std::erase_if(problems, [](const Problem& p) { return p.code != ProblemCode::ImpossibleLink; });
    return problems;
}

/// One problem of that cause there, whose first remedy leaves none.
void verifyMended(const Plan& plan, ProblemCause cause, const char* where, const char* edit)
{
    const std::vector<Problem> problems = impossible(plan);
    QCOMPARE(problems.size(), std::size_t(1));
    QCOMPARE(problems.front().cause, cause);
    QCOMPARE(problems.front().severity, Severity::Warning);
    QCOMPARE(problems.front().where, std::string(where));
    QVERIFY(!problems.front().remedies.empty());
    QCOMPARE(describe(problems.front().remedies.front()), std::string(edit));
    QVERIFY(impossible(mended(plan, problems.front().remedies.front())).empty());
}

} // namespace

class TestImpossibleLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesOfTheCatalogueHaveNone()
    {
        for (const NodePreset& node : shippedCatalog().nodes)
            QVERIFY2(impossible(drawn(node.node)).empty(), node.id.c_str());
        for (const ClusterPreset& cluster : shippedCatalog().clusters) {
            Plan plan = drawn(preset("dgx-h100"));
            plan.cluster = cluster.cluster;
            plan.strategy.dp = 1;
            QVERIFY2(impossible(plan).empty(), cluster.id.c_str());
        }
    }

    void linksWithinNodesAreThoseOfTheAccelerator()
    {
        Plan plan = drawn(preset("dgx-a100-80"));
        plan.cluster.nodes.front().scaleUp = preset("dgx-h100").scaleUp;
        verifyMended(plan, ProblemCause::LinkOfOthers, "/cluster/nodes/0/scale_up", "Use NVLink 3");
        QCOMPARE(describe(impossible(plan).front()),
            std::string("No node of the catalogue has A100 SXM 80 GB with NVLink 4: it may be the link of another "
                        "accelerator."));
        plan.cluster.nodes.front().scaleUp.id = "my-own"; // of which the catalogue knows nothing
        QVERIFY(impossible(plan).empty());
        plan.cluster.nodes.front().scaleUp = preset("h100-pcie-8").scaleUp; // a PCIe tree is nobody's
        QVERIFY(impossible(plan).empty());
        plan.cluster.nodes.front().scaleUp = preset("mi300x-8").scaleUp;
        verifyMended(plan, ProblemCause::LinkOfVendor, "/cluster/nodes/0/scale_up", "Use NVLink 3");
        plan.cluster.nodes.front().scaleUp = plan.cluster.nodes.front().nic;
        verifyMended(plan, ProblemCause::LinkBetweenNodes, "/cluster/nodes/0/scale_up", "Use NVLink 3");
        plan.cluster.nodes.front().scaleUpDomain = 1; // which it then joins nothing of
        QVERIFY(impossible(plan).empty());
        plan = drawn(preset("mi300x-8"));
        plan.cluster.nodes.front().scaleUp = preset("dgx-h100").scaleUp;
        verifyMended(plan, ProblemCause::LinkOfVendor, "/cluster/nodes/0/scale_up", "Use Infinity Fabric, MI300X");
        plan.cluster.nodes.front().accelerator.id = "own";
        QCOMPARE(impossible(plan).size(), std::size_t(1));
        plan.cluster.nodes.front().accelerator.vendor = "Nvidia Corporation"; // by another name
        QVERIFY(impossible(plan).empty());
        plan.cluster.nodes.front().accelerator.vendor.clear(); // of a person's own
        QVERIFY(impossible(plan).empty());
    }

    /// Cards of one generation of PCIe run in slots of another, and several accelerators have ports of Ethernet.
    void whatFitsIsNotToldOf()
    {
        for (const char* node : {"h100-pcie-8", "a100-pcie-8", "l40s-pcie-8", "dgx-h100"})
            for (const char* link : {"pcie3-x16", "pcie4-x16", "pcie5-x16"}) {
                Plan plan = drawn(preset(node));
                plan.cluster.nodes.front().scaleUp = *shippedCatalog().link(link);
                QVERIFY2(impossible(plan).empty(), link);
            }
        for (const char* vendor : {"Habana Labs", "Tenstorrent", "Intel", ""}) {
            Plan plan = drawn(preset("gaudi3-8"));
            plan.cluster.nodes.front().accelerator.vendor = vendor;
            QVERIFY2(impossible(plan).empty(), vendor);
        }
    }

    void theCatalogueKnowsMore()
    {
        Plan plan = drawn(preset("l40s-pcie-8"));
        plan.cluster.nodes.front().scaleUp = *shippedCatalog().link("nvlink5"); // of which no bridge joins eight
        verifyMended(plan, ProblemCause::LinkOfOthers, "/cluster/nodes/0/scale_up", "Use PCIe 4.0 x16");
        plan = drawn(preset("h100-pcie-8"));
        plan.cluster.nodes.front().scaleUp = *shippedCatalog().link("nvlink4");
        plan.cluster.nodes.front().scaleUpDomain = 2;
        QVERIFY(impossible(plan).empty());
        plan = drawn(preset("dgx-h100"));
        plan.cluster.nodes.front().scaleUp = *shippedCatalog().link("neuronlink2");
        verifyMended(plan, ProblemCause::LinkOfOthers, "/cluster/nodes/0/scale_up", "Use NVLink 4");
        plan = drawn(preset("dgx-h100"));
        plan.cluster.connections.front().link = *shippedCatalog().link("neuronlink3");
        verifyMended(
            plan, ProblemCause::LinkWithinNodes, "/cluster/connections/0/link", "Use cables of InfiniBand NDR");
        plan.cluster.nodes.front().nic = plan.cluster.connections.front().link;
        QCOMPARE(impossible(plan).front().where, std::string("/cluster/nodes/0/nic"));
        for (const Problem& problem : impossible(plan))
            for (const Remedy& remedy : problem.remedies)
                for (const Problem& left : impossible(mended(plan, remedy)))
                    QVERIFY2(left.where != problem.where, describe(remedy).c_str());
        plan = drawn(preset("mi300x-8"));
        plan.cluster.nodes.front().acceleratorsPerNode = plan.cluster.nodes.front().scaleUpDomain = 16;
        plan.strategy.dp = 32;
        QVERIFY(impossible(plan).empty()); // larger nodes there may be
        plan.cluster.nodes.front().acceleratorsPerNode = 8;
        plan.strategy.dp = 16;
        verifyMended(
            plan, ProblemCause::DomainOfOthers, "/cluster/nodes/0/scale_up_domain", "Use Infinity Fabric, MI300X");
        QCOMPARE(describe(impossible(plan).front()),
            std::string(
                "No node of the catalogue joins 16 of MI300X 192 GB by Infinity Fabric, MI300X: 8 are the most."));
    }

    void tori()
    {
        Plan plan = drawn(preset("tpu-v4"));
        NodeGroup& nodes = plan.cluster.nodes.front();
        nodes.accelerator = preset("dgx-h100").accelerator;
        nodes.scaleUp = preset("dgx-h100").scaleUp;
        nodes.count = nodes.scaleUpDomain / nodes.acceleratorsPerNode;
        plan.strategy.dp = 8;
        const std::vector<Problem> problems = impossible(plan);
        QCOMPARE(problems.size(), std::size_t(2)); // its shape, and its size
        QCOMPARE(problems.front().cause, ProblemCause::LinkWithoutTorus);
        const Plan then = mended(plan, problems.front().remedies.front());
        QVERIFY(!then.cluster.nodes.front().torus && impossible(then).empty());
    }

    void leavesTakeCablesOfOneKind()
    {
        Plan plan = drawn(preset("dgx-h100"));
        plan.cluster.nodes.push_back(preset("mosaicml-h100"));
        plan.cluster.nodes.back().id = "roce";
        plan.cluster.connections.push_back({"roce", "leaf", plan.cluster.nodes.back().nic, 8});
        const std::vector<Problem> problems = impossible(plan);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(problems.front().cause, ProblemCause::CablesUnlikeOthers);
        QCOMPARE(describe(problems.front()),
            std::string(
                "No switch takes cables of InfiniBand NDR and of RoCE 400 Gbit/s, which end at the same ones."));
        plan = drawn(preset("dgx-h100"));
        plan.cluster.switches.push_back({"spine", "Spine", SwitchTier::Spine, 64, 1});
        plan.cluster.connections.push_back({"leaf", "spine", preset("mosaicml-h100").nic, 16});
        verifyMended(
            plan, ProblemCause::CablesUnlikeOthers, "/cluster/connections/1/link", "Use cables of InfiniBand NDR");
        plan.cluster.connections.back().link = plan.cluster.connections.front().link;
        plan.cluster.switches.push_back({"core", "Core", SwitchTier::Core, 64, 1}); // a gateway to another site
        plan.cluster.connections.push_back({"spine", "core", preset("mosaicml-h100").nic, 16});
        QVERIFY(impossible(plan).empty());
    }

    void networksHaveLinksOfTheirOwn()
    {
        Plan plan = drawn(preset("dgx-h100"));
        plan.cluster.connections.front().link = preset("dgx-h100").scaleUp;
        verifyMended(
            plan, ProblemCause::LinkWithinNodes, "/cluster/connections/0/link", "Use cables of InfiniBand NDR");
        plan.cluster.connections.front().link = preset("mosaicml-h100").nic;
        verifyMended(
            plan, ProblemCause::CablesUnlikePorts, "/cluster/connections/0/link", "Use cables of InfiniBand NDR");
        QCOMPARE(describe(impossible(plan).front()),
            std::string("Network ports of InfiniBand NDR take no cables of RoCE 400 Gbit/s."));
        plan.cluster.connections.front().link = preset("dgx-a100-80").nic; // slower, of the same kind
        QVERIFY(impossible(plan).empty());
        plan = drawn(preset("dgx-h100"));
        plan.cluster.nodes.front().nic = plan.cluster.connections.front().link = preset("h100-pcie-8").scaleUp;
        const std::vector<Problem> both = impossible(plan); // its ports, and their cables
        QCOMPARE(both.size(), std::size_t(1));
        QCOMPARE(both.front().where, std::string("/cluster/nodes/0/nic"));
        QVERIFY(impossible(mended(plan, both.front().remedies.front())).empty());
        plan.cluster.connections.front().link = preset("mosaicml-h100").nic; // which say what the ports are
        verifyMended(plan, ProblemCause::LinkWithinNodes, "/cluster/nodes/0/nic", "Use RoCE 400 Gbit/s");
    }

    /// Once of all groups that are alike, and their edit is of all.
    void manyGroupsAreToldOfOnce()
    {
        Plan plan = drawn(preset("dgx-a100-80"));
        plan.cluster.nodes.front().scaleUp = preset("dgx-h100").scaleUp;
        plan.cluster.switches.clear();
        plan.cluster.connections.clear();
        for (int i = 1; i < 40; ++i) {
            plan.cluster.nodes.push_back(plan.cluster.nodes.front());
            plan.cluster.nodes.back().id += "-" + std::to_string(i);
        }
        plan.cluster.nodes[7].scaleUp = preset("mi300x-8").scaleUp;
        const std::vector<Problem> problems = impossible(plan);
        QCOMPARE(problems.size(), std::size_t(2));
        QCOMPARE(impossible(mended(plan, problems.front().remedies.front())).size(), std::size_t(1));
        QCOMPARE(impossible(mended(plan, problems.back().remedies.front())).size(), std::size_t(1));
    }

    void theLinkFollowsTheAccelerator()
    {
        const Catalog& catalog = shippedCatalog();
        NodeGroup nodes = preset("dgx-h100");
        setAccelerator(nodes, *catalog.accelerator("a100-sxm-80"), catalog);
        QCOMPARE(nodes.accelerator.id, std::string("a100-sxm-80"));
        QCOMPARE(nodes.scaleUp.id, std::string("nvlink3"));
        setAccelerator(nodes, *catalog.accelerator("h200-sxm-141"), catalog);
        QCOMPARE(nodes.scaleUp.id, std::string("nvlink4"));
        nodes.scaleUp.bandwidth *= 0.5; // a person's own
        const Link own = nodes.scaleUp;
        setAccelerator(nodes, *catalog.accelerator("a100-sxm-80"), catalog);
        QCOMPARE(nodes.scaleUp, own);
        nodes = preset("tpu-v4");
        setAccelerator(nodes, *catalog.accelerator("h100-sxm-80"), catalog); // no torus of thousands
        QVERIFY(!nodes.torus && nodes.scaleUpDomain == nodes.acceleratorsPerNode);
        setAccelerator(nodes, *catalog.accelerator("tpu-v4"), catalog);
        QCOMPARE(nodes.torus, preset("tpu-v4").torus);
        QCOMPARE(nodes.scaleUpDomain, preset("tpu-v4").scaleUpDomain);
        nodes = preset("gb200-nvl72");
        setAccelerator(nodes, *catalog.accelerator("h100-sxm-80"), catalog);
        QCOMPARE(nodes.scaleUpDomain, nodes.acceleratorsPerNode);
        Accelerator unknown = nodes.accelerator;
        unknown.id = "own";
        nodes = preset("dgx-h100");
        setAccelerator(nodes, unknown, catalog);
        QCOMPARE(nodes.scaleUp.id, std::string("nvlink4"));
    }
};

STRATOPLAN_TEST(TestImpossibleLinks)
#include "test_impossible_links.moc"

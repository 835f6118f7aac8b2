// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/catalog.h"
#include "core/catalog/catalog_fields.h"
#include "core/catalog/catalog_json.h"
#include "core/cluster/cuts.h"
#include "core/exchange/schema.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

constexpr double kExact = 0;

/// Published parameter counts: of the released weights to the unit where there are any, else as printed in the paper.
struct Published {
    const char* id;
    double total;
    double tolerance; ///< relative
    double active; ///< 0 = as total
};
const std::vector<Published> kPublished{
    {"gpt2-small", 124439808, kExact, 0},
    {"gpt2-medium", 354823168, kExact, 0},
    {"gpt2-large", 774030080, kExact, 0},
    {"gpt2-xl", 1557611200, kExact, 0},
    {"gpt3-125m", 1.25e+08, 0.013, 0},
    {"gpt3-350m", 3.56e+08, 0.013, 0},
    {"gpt3-760m", 7.6e+08, 0.013, 0},
    {"gpt3-1.3b", 1.3e+09, 0.013, 0},
    {"gpt3-2.7b", 2.65e+09, 0.013, 0},
    {"gpt3-6.7b", 6.65e+09, 0.013, 0},
    {"gpt3-13b", 1.285e+10, 0.013, 0},
    {"gpt3-175b", 174604259328, kExact, 0},
    {"megatron-1.7b", 1.7e+09, 0.03, 0},
    {"megatron-3.6b", 3.6e+09, 0.03, 0},
    {"megatron-7.5b", 7.5e+09, 0.013, 0},
    {"megatron-18b", 1.84e+10, 0.013, 0},
    {"megatron-39b", 3.91e+10, 0.013, 0},
    {"megatron-76b", 7.61e+10, 0.013, 0},
    {"megatron-145b", 1.456e+11, 0.013, 0},
    {"megatron-310b", 3.101e+11, 0.013, 0},
    {"megatron-530b", 5.296e+11, 0.013, 0},
    {"megatron-1t", 1.008e+12, 0.013, 0},
    {"megatron-22b", 2.2e+10, 0.013, 0},
    {"megatron-175b", 1.75e+11, 0.013, 0},
    {"opt-125m", 125239296, kExact, 0},
    {"opt-1.3b", 1315758080, kExact, 0},
    {"opt-2.7b", 2651596800, kExact, 0},
    {"opt-6.7b", 6658473984, kExact, 0},
    {"opt-13b", 12853473280, kExact, 0},
    {"opt-30b", 29974540288, kExact, 0},
    {"opt-66b", 65719701504, kExact, 0},
    {"opt-175b", 1.75e+11, 0.013, 0},
    {"bloom-560m", 559214592, kExact, 0},
    {"bloom-1b1", 1065314304, kExact, 0},
    {"bloom-1b7", 1722408960, kExact, 0},
    {"bloom-3b", 3002557440, kExact, 0},
    {"bloom-7b1", 7069016064, kExact, 0},
    {"bloom-176b", 176247271424, kExact, 0},
    {"llama-7b", 6738415616, kExact, 0},
    {"llama-13b", 13015864320, kExact, 0},
    {"llama-33b", 32528943616, kExact, 0},
    {"llama-65b", 65285660672, kExact, 0},
    {"llama2-7b", 6738415616, kExact, 0},
    {"llama2-13b", 13015864320, kExact, 0},
    {"llama2-70b", 68976648192, kExact, 0},
    {"llama3-1b", 1235814400, kExact, 0},
    {"llama3-3b", 3212749824, kExact, 0},
    {"llama3-8b", 8030261248, kExact, 0},
    {"llama3-70b", 70553706496, kExact, 0},
    {"llama3-405b", 405853388800, kExact, 0},
    {"llama4-scout", 1.078e+11, 0.013, 1.7e+10},
    {"llama4-maverick", 4.007e+11, 0.013, 1.7e+10},
    {"qwen2.5-0.5b", 494032768, kExact, 0},
    {"qwen2.5-1.5b", 1543714304, kExact, 0},
    {"qwen2.5-3b", 3085938688, kExact, 0},
    {"qwen2.5-7b", 7615616512, kExact, 0},
    {"qwen2.5-14b", 14770033664, kExact, 0},
    {"qwen2.5-32b", 32763876352, kExact, 0},
    {"qwen2.5-72b", 72706203648, kExact, 0},
    {"qwen3-0.6b", 596049920, kExact, 0},
    {"qwen3-1.7b", 1720574976, kExact, 0},
    {"qwen3-4b", 4022468096, kExact, 0},
    {"qwen3-8b", 8190735360, kExact, 0},
    {"qwen3-14b", 14768307200, kExact, 0},
    {"qwen3-32b", 32762123264, kExact, 0},
    {"qwen3-30b-a3b", 30532122624, kExact, 3.34e+09},
    {"qwen3-235b-a22b", 235093634560, kExact, 2.22e+10},
    {"mixtral-8x7b", 46702792704, kExact, 1.288e+10},
    {"mixtral-8x22b", 140620634112, kExact, 3.915e+10},
    {"deepseek-v2-lite", 15706484224, kExact, 2.66e+09},
    {"deepseek-v2", 235741434880, kExact, 2.14e+10},
    {"deepseek-v3", 671026419200, kExact, 3.75e+10},
    {"kimi-k2", 1.026e+12, 0.013, 3.29e+10},
    {"mpt-1b", 1.31e+09, 0.013, 0},
    {"mpt-3b", 2.65e+09, 0.013, 0},
    {"mpt-7b", 6.65e+09, 0.013, 0},
    {"mpt-13b", 1.285e+10, 0.013, 0},
    {"mpt-30b", 2.996e+10, 0.013, 0},
    {"mpt-70b", 6.486e+10, 0.013, 0},
    {"gpt-neox-20b", 2.0555e+10, 0.001, 0},
    {"internlm-7b", 7.32e+09, 0.013, 0},
    {"gpt-2.6b", 2.6e+09, 0.03, 0},
    {"internlm-20b", 2.0088e+10, 0.001, 0},
    {"qwen-7b", 7.721e+09, 0.001, 0},
    {"qwen-72b", 7.229e+10, 0.001, 0},
    {"baichuan2-7b", 7.506e+09, 0.001, 0},
    {"baichuan2-13b", 1.3897e+10, 0.001, 0},
    {"nemotron3-8b", 8.54e+09, 0.001, 0},
    {"nemotron4-15b", 1.5628e+10, 0.001, 0},
    {"nemotron4-340b", 3.4102e+11, 0.001, 0},
};

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

nlohmann::json plain(const nlohmann::ordered_json& json)
{
    return nlohmann::json::parse(json.dump());
}

using Addresses = std::vector<const void*>;

/// The members that the fields of a type name, and their keys.
struct Named {
    Addresses members;
    std::vector<std::string_view> keys;
    void operator()(std::string_view key, const auto& member, auto...)
    {
        members.push_back(&member);
        keys.push_back(key);
    }
};

// A structured binding names every member of its type: with one more or less the tests below do not compile.
template <class T>
void checkFields(const T& value, Addresses members)
{
    Named named;
    detail::fields(named, value);
    std::sort(named.members.begin(), named.members.end());
    std::sort(members.begin(), members.end());
    QVERIFY(named.members == members);
    const std::set<std::string_view> unlike(named.keys.begin(), named.keys.end());
    QCOMPARE(unlike.size(), named.keys.size());
}

} // namespace

class TestCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void embedsEveryFile();
    void everyEntryNamesItsSource();
    void acceleratorsAreSane();
    void linksAreSane();
    void nodesAreSane();
    void clustersHaveTheirSize_data();
    void clustersHaveTheirSize();
    void oversubscriptionIsDrawn();
    void nodeRatesMatchMeasurements_data();
    void nodeRatesMatchMeasurements();
    void parameterCounts_data();
    void parameterCounts();
    void modelsAreConsistent();
    void everyMemberOfAClusterHasOneField();
    void everyMemberOfAModelHasOneField();
    void everyMemberOfAProfileHasOneField();
    void softwareFieldsAreThoseOfTheSchema();
    void softwareIsSane();
    void everyVendorHasSoftware();
    void finds();
    void roundTripsInline();
    void writesIdsWhereEqual();
    void nodeGroupsOverrideAPreset();
    void unitsAreExact();
    void measuredKernelsMustExist();
    void plansKeepUnknownKeysOut();
    void brokenEntries_data();
    void brokenEntries();
};

void TestCatalog::embedsEveryFile()
{
    QStringList names;
    for (const EmbeddedFile& file : embedded::catalog()) {
        names << QString::fromUtf8(file.name.data(), qsizetype(file.name.size()));
        QVERIFY(file.content.size() > 100);
        QVERIFY(nlohmann::json::accept(file.content));
        QCOMPARE(nlohmann::json::parse(file.content)["license"].get<std::string>(), std::string("Apache-2.0"));
    }
    QCOMPARE(names,
        (QStringList{"kernels.json", "accelerators.json", "links.json", "nodes.json", "clusters.json", "models.json",
            "software.json"}));
}

void TestCatalog::everyEntryNamesItsSource()
{
    const Catalog& c = shippedCatalog();
    const auto check = [](const auto& entries, const auto& sourceOf) {
        QVERIFY(!entries.empty());
        for (const auto& entry : entries) {
            QVERIFY2(sourceOf(entry).size() > 8, entry.id.c_str());
            QVERIFY2(entry.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos,
                entry.id.c_str());
        }
    };
    const auto own = [](const auto& entry) { return entry.source; };
    check(c.accelerators, own);
    check(c.links, own);
    check(c.nodes, own);
    check(c.clusters, own);
    check(c.software, own);
    check(c.models, [](const ModelPreset& preset) { return preset.model.source; });
}

void TestCatalog::acceleratorsAreSane()
{
    for (const Accelerator& a : shippedCatalog().accelerators) {
        const char* id = a.id.c_str();
        QVERIFY2(!a.name.empty() && !a.vendor.empty(), id);
        QVERIFY2(a.memory >= Bytes(15 * kGiB) && a.memory <= Bytes(300 * kGiB), id);
        QVERIFY2(a.memoryBandwidth >= BytesPerSecond(5e11) && a.memoryBandwidth <= BytesPerSecond(1e13), id);
        QVERIFY2(a.matmulSustained > 0.4 && a.matmulSustained < 1, id);
        QVERIFY2(a.memorySustained > 0.6 && a.memorySustained < 1, id);
        QVERIFY2(a.watts >= 100 && a.watts <= 1500, id);
        QVERIFY2(a.computeUnits > 0, id);
        const auto rate = [&a](Precision p) { return a.peak[p].value(); };
        const double sixteen = std::max(rate(Precision::Fp16), rate(Precision::Bf16));
        QVERIFY2(sixteen >= 1e14 && sixteen <= 3e15, id);
        if (rate(Precision::Fp16) > 0 && rate(Precision::Bf16) > 0)
            QCOMPARE(rate(Precision::Fp16), rate(Precision::Bf16));
        // A printed rate with sparsity would break these ratios of dense rates; some have one rate for two formats.
        const auto isTwiceOrAlike = [](double ratio) {
            return std::abs(ratio - 2) < 0.06 || std::abs(ratio - 1) < 0.01;
        };
        if (rate(Precision::Fp8) > 0)
            QVERIFY2(isTwiceOrAlike(rate(Precision::Fp8) / sixteen), id);
        if (rate(Precision::Int8) > 0)
            QVERIFY2(isTwiceOrAlike(rate(Precision::Int8) / sixteen), id);
        if (rate(Precision::Tf32) > 0)
            QVERIFY2(isTwiceOrAlike(sixteen / rate(Precision::Tf32)), id);
        if (rate(Precision::Mxfp8) > 0)
            QCOMPARE(rate(Precision::Mxfp8), rate(Precision::Fp8));
        if (rate(Precision::Nvfp4) > 0)
            QVERIFY2(rate(Precision::Nvfp4) >= 2 * rate(Precision::Fp8)
                    && rate(Precision::Nvfp4) <= 3.01 * rate(Precision::Fp8),
                id);
        QVERIFY2(rate(Precision::Fp32) < sixteen, id);
    }
}

void TestCatalog::linksAreSane()
{
    for (const Link& link : shippedCatalog().links) {
        const char* id = link.id.c_str();
        QVERIFY2(!link.name.empty(), id);
        QVERIFY2(link.bandwidth >= BytesPerSecond(3e9) && link.bandwidth <= BytesPerSecond(9e11), id);
        QVERIFY2(link.sustained > 0.4 && link.sustained < 1, id);
        QVERIFY2(link.latency >= Seconds(1e-6) && link.latency <= Seconds(5e-5), id);
    }
    // NVLink: each generation at least as fast, counted each direction.
    const Catalog& c = shippedCatalog();
    QCOMPARE(c.link("nvlink2")->bandwidth, BytesPerSecond(150e9));
    QCOMPARE(c.link("nvlink3")->bandwidth, BytesPerSecond(300e9));
    QCOMPARE(c.link("nvlink4")->bandwidth, BytesPerSecond(450e9));
    QCOMPARE(c.link("nvlink5")->bandwidth, BytesPerSecond(900e9));
}

void TestCatalog::nodesAreSane()
{
    const Catalog& c = shippedCatalog();
    for (const NodePreset& preset : c.nodes) {
        const char* id = preset.id.c_str();
        const NodeGroup& node = preset.node;
        QCOMPARE(node.count, 1);
        QCOMPARE(text(node.name), text(preset.name));
        QVERIFY2(node.acceleratorsPerNode >= 1 && node.nicsPerNode >= 1, id);
        QVERIFY2(node.scaleUpDomain >= node.acceleratorsPerNode, id);
        QVERIFY2(node.scaleUpDomain % node.acceleratorsPerNode == 0, id);
        QVERIFY2(
            c.accelerator(node.accelerator.id) != nullptr && *c.accelerator(node.accelerator.id) == node.accelerator,
            id);
        QVERIFY2(c.link(node.scaleUp.id) != nullptr && c.link(node.nic.id) != nullptr, id);
        // The network never outruns the links inside the node.
        QVERIFY2(node.nic.bandwidth * node.nicsPerNode <= node.scaleUp.bandwidth * node.acceleratorsPerNode, id);
    }
    // Every accelerator can be bought in some node.
    for (const Accelerator& a : c.accelerators) {
        const bool used = std::any_of(
            c.nodes.begin(), c.nodes.end(), [&a](const NodePreset& n) { return n.node.accelerator.id == a.id; });
        QVERIFY2(used || a.id == "a100-pcie-40", a.id.c_str());
    }
}

void TestCatalog::clustersHaveTheirSize_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("accelerators");
    QTest::addColumn<int>("domain");
    const auto row = [](const char* id, int accelerators, int domain) {
        QTest::newRow(id) << QString(id) << accelerators << domain;
    };
    row("selene", 1024, 8);
    row("selene-3072", 3072, 8);
    row("eos", 4608, 8);
    row("meta-h100-24k", 24576, 8);
    row("meta-h100-16k", 16384, 8);
    row("deepseek-h800-2048", 2048, 8);
    row("jean-zay-384", 384, 8);
    row("gb200-nvl72-1", 72, 72);
    row("gb200-nvl72-8", 576, 72);
    row("b200-8", 8, 8);
    row("aws-p3-64", 64, 8);
    row("v100-192", 192, 4);
    row("h100-100k", 100000, 8);
    row("ascend-32", 32, 8);
    row("tpu-v4-1024", 1024, 1024);
}

void TestCatalog::clustersHaveTheirSize()
{
    QFETCH(QString, id);
    const ClusterPreset* preset = shippedCatalog().cluster(id.toStdString());
    QVERIFY(preset != nullptr);
    QTEST(acceleratorCount(preset->cluster), "accelerators");
    const Topology levels = topology(preset->cluster);
    QVERIFY(!levels.levels.empty());
    QTEST(levels.levels.front().size, "domain");
}

void TestCatalog::oversubscriptionIsDrawn()
{
    QCOMPARE(uplinkShare(shippedCatalog().cluster("selene")->cluster, SwitchTier::Leaf), 1.0);
    const double meta = uplinkShare(shippedCatalog().cluster("meta-h100-24k")->cluster, SwitchTier::Leaf);
    QVERIFY(std::abs(meta - 1.0 / 7) < 0.001); // arXiv 2407.21783 section 3.3.1
    for (const ClusterPreset& preset : shippedCatalog().clusters)
        for (const SwitchGroup& group : preset.cluster.switches) {
            int cables = 0;
            for (const Connection& connection : preset.cluster.connections)
                cables += connection.from == group.id || connection.to == group.id ? connection.cables : 0;
            QVERIFY2(cables > 0 && cables <= group.ports * group.count, preset.id.c_str());
        }
}

void TestCatalog::nodeRatesMatchMeasurements_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("level");
    QTest::addColumn<double>("gigabytesPerSecond");
    // Rates that fitted the published training runs on these machines.
    QTest::newRow("Selene node, 8 HDR") << "selene" << 1 << 148.0;
    QTest::newRow("Selene NVLink") << "selene" << 0 << 235.0;
    QTest::newRow("Jean Zay node, 4 Omni-Path") << "jean-zay-384" << 1 << 38.0;
    QTest::newRow("MosaicML node, 8 RoCE 200") << "mosaicml-a100-128" << 1 << 144.0;
    QTest::newRow("InternEvo node, 4 RoCE 100") << "a100-roce-1024" << 1 << 45.0;
    QTest::newRow("H100 node, 8 NDR") << "dgx-h100-64" << 1 << 320.0;
    QTest::newRow("H100 NVLink") << "dgx-h100-64" << 0 << 338.0;
    QTest::newRow("B200 NVLink") << "b200-8" << 0 << 645.0;
}

void TestCatalog::nodeRatesMatchMeasurements()
{
    QFETCH(QString, id);
    QFETCH(int, level);
    QFETCH(double, gigabytesPerSecond);
    const Topology levels = topology(shippedCatalog().cluster(id.toStdString())->cluster);
    QVERIFY(levels.levels.size() > std::size_t(level));
    const double rate = levels.levels[std::size_t(level)].bandwidth.value() / 1e9;
    QVERIFY2(std::abs(rate / gigabytesPerSecond - 1) < 0.03, qPrintable(QString::number(rate)));
}

void TestCatalog::parameterCounts_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kPublished.size(); ++i)
        QTest::newRow(kPublished[i].id) << int(i);
}

void TestCatalog::parameterCounts()
{
    QFETCH(int, index);
    const Published& published = kPublished[std::size_t(index)];
    const ModelPreset* preset = shippedCatalog().model(published.id);
    QVERIFY(preset != nullptr);
    const ParameterCount count = parameters(preset->model);
    const double total = double(count.total);
    if (published.tolerance == kExact)
        QCOMPARE(count.total, std::int64_t(published.total));
    QVERIFY2(std::abs(total / published.total - 1) <= published.tolerance, qPrintable(QString::number(total, 'f', 0)));
    if (published.active > 0)
        QVERIFY2(std::abs(double(count.active) / published.active - 1) < 0.015,
            qPrintable(QString::number(double(count.active), 'f', 0)));
    else
        QCOMPARE(count.active, count.total);
}

void TestCatalog::modelsAreConsistent()
{
    for (const ModelPreset& preset : shippedCatalog().models) {
        const Transformer& m = preset.model;
        const char* id = preset.id.c_str();
        QVERIFY2(!preset.family.empty() && !m.name.empty(), id);
        QVERIFY2(m.layers > 0 && m.hidden > 0 && m.ffnHidden > 0 && m.heads > 0 && m.kvHeads > 0 && m.headDim > 0
                && m.vocabulary > 0,
            id);
        QVERIFY2(m.heads % m.kvHeads == 0, id);
        QVERIFY2(preset.sequenceLength >= 1024, id);
        if (m.position == Position::Learned)
            QVERIFY2(m.maxPositions >= preset.sequenceLength, id);
        if (m.mla)
            QCOMPARE(m.headDim, m.mla->ropeHeadDim + m.mla->nopeHeadDim);
        const LayerCounts layers = layerCounts(m);
        QCOMPARE(layers.dense + layers.moe, m.layers);
        QCOMPARE(layers.moe > 0, m.moe.has_value());
    }
    QCOMPARE(layerCounts(shippedCatalog().model("llama4-maverick")->model).moe, 24);
    QCOMPARE(layerCounts(shippedCatalog().model("deepseek-v3")->model).dense, 3);
}

void TestCatalog::everyMemberOfAClusterHasOneField()
{
    {
        const Accelerator value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13});
    }
    {
        const Link value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8});
    }
    {
        const SwitchGroup value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8});
    }
    {
        const Connection value;
        const auto& [m1, m2, m3, m4] = value;
        checkFields(value, {&m1, &m2, &m3, &m4});
    }
    {
        const Cluster value;
        const auto& [m1, m2, m3, m4] = value;
        checkFields(value, {&m1, &m2, &m3, &m4});
    }
    {
        const NodeGroup value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14, &m15, &m16});
    }
    {
        const Torus value;
        const auto& [m1, m2] = value;
        checkFields(value, {&m1, &m2});
    }
}

void TestCatalog::everyMemberOfAModelHasOneField()
{
    {
        const MixtureOfExperts value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10});
    }
    {
        const LatentAttention value;
        const auto& [m1, m2, m3, m4, m5] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5});
    }
    {
        const SparseAttention value;
        const auto& [m1, m2, m3] = value;
        checkFields(value, {&m1, &m2, &m3});
    }
    {
        const Mamba2 value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8});
    }
    {
        const StandIn value;
        const auto& [m1, m2, m3, m4, m5] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5});
    }
    {
        const Transformer value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
            m22, m23, m24, m25, m26, m27, m28] = value;
        checkFields(value,
            {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14, &m15, &m16, &m17, &m18, &m19,
                &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27, &m28});
    }
}

void TestCatalog::everyMemberOfAProfileHasOneField()
{
    {
        const RunExtents value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10});
    }
    {
        const CalibratedOn value;
        const auto& [m1, m2, m3, m4, m5] = value;
        checkFields(value, {&m1, &m2, &m3, &m4, &m5});
    }
    {
        const SoftwareProfile value;
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
            m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42,
            m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63,
            m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76] = value;
        checkFields(value,
            {&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14, &m15, &m16, &m17, &m18, &m19,
                &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27, &m28, &m29, &m30, &m31, &m32, &m33, &m34, &m35, &m36,
                &m37, &m38, &m39, &m40, &m41, &m42, &m43, &m44, &m45, &m46, &m47, &m48, &m49, &m50, &m51, &m52, &m53,
                &m54, &m55, &m56, &m57, &m58, &m59, &m60, &m61, &m62, &m63, &m64, &m65, &m66, &m67, &m68, &m69, &m70,
                &m71, &m72, &m73, &m74, &m75, &m76});
    }
}

void TestCatalog::softwareFieldsAreThoseOfTheSchema()
{
    nlohmann::json properties = schema(DocumentFormat::Plan).at("definitions").at("software").at("properties");
    for (const char* const head : {"base", "license", "format", "version"})
        properties.erase(head);
    std::set<std::string_view> keys;
    for (const SoftwareField& field : softwareFields()) {
        QVERIFY2(properties.contains(field.key), field.key.data());
        const std::string expected = std::visit(
            []<typename T>(SoftwareMember<T>) {
                if (std::is_same_v<T, bool> || std::is_same_v<T, int>)
                    return std::is_same_v<T, bool> ? "boolean" : "integer";
                if (std::is_enum_v<T> || std::is_same_v<T, std::string>)
                    return "string";
                if (std::is_same_v<T, std::vector<std::string>>)
                    return "array";
                return std::is_same_v<T, std::optional<CalibratedOn>> ? "object" : "number";
            },
            field.member);
        const nlohmann::json& property = properties[std::string(field.key)];
        QVERIFY2(property.value("type", property.contains("enum") ? "string" : "") == expected, field.key.data());
        keys.insert(field.key);
    }
    QCOMPARE(keys.size(), properties.size());
}

void TestCatalog::softwareIsSane()
{
    for (const SoftwareProfile& p : shippedCatalog().software) {
        const char* id = p.id.c_str();
        QVERIFY2(p.matmulFactor > 0.7 && p.matmulFactor <= 1.25, id);
        QVERIFY2(p.memoryFactor > 0.8 && p.memoryFactor < 1.2, id);
        for (const double share : {p.flashForward, p.flashBackward, p.unfusedAttention, p.p2pExposed})
            QVERIFY2(share > 0 && share <= 1, id);
        for (const double share :
            {p.tpOverlap, p.dpOverlap, p.dpExposedFloor, p.fsdpHidden, p.overlapContention, p.sequenceParallelRegather})
            QVERIFY2(share >= 0 && share <= 1, id);
        QVERIFY2(p.flashBackward < p.flashForward, id);
        QVERIFY2(p.fp8Factor > 0.8 && p.fp8Factor < 2.4 && p.nvfp4Factor > p.fp8Factor && p.nvfp4Factor < 4.3, id);
        // Up to what a stack's own readings count beside tensors: caches and collectives, as nvidia-smi shows them.
        QVERIFY2(p.reserve >= Bytes(0.5 * kGiB) && p.reserve <= Bytes(12 * kGiB), id);
        QVERIFY2(p.hostForward <= Seconds(5e-3) && p.hostBackward <= Seconds(5e-3), id);
        QVERIFY2(p.rangeLow > 0 && p.rangeLow <= 1.05 && p.rangeHigh >= 0.95, id);
    }
    for (const char* id : {"megatron-lm-2021", "megatron-deepspeed", "megatron-core-2024", "megatron-core-2025", "nemo",
             "llm-foundry-fsdp", "torchtitan", "internevo", "mindspeed", "alpa", "deepspeed"})
        QVERIFY2(shippedCatalog().softwareProfile(id) != nullptr, id);
}

void TestCatalog::everyVendorHasSoftware()
{
    std::set<std::string> vendors;
    for (const Accelerator& accelerator : shippedCatalog().accelerators)
        vendors.insert(accelerator.vendor);
    for (const SoftwareProfile& p : shippedCatalog().software) {
        QVERIFY2(!p.vendors.empty(), p.id.c_str());
        for (const std::string& vendor : p.vendors)
            QVERIFY2(vendors.contains(vendor), (p.id + ": " + vendor).c_str());
    }
    for (const std::string& vendor : vendors)
        QVERIFY2(
            std::ranges::any_of(shippedCatalog().software, [&](const SoftwareProfile& p) { return runsOn(p, vendor); }),
            vendor.c_str());
    QVERIFY(!runsOn(*shippedCatalog().softwareProfile("megatron-core-2025"), "Google"));
    QVERIFY(runsOn(*shippedCatalog().softwareProfile("megatron-core-2025"), "Nvidia Corporation"));
    QVERIFY(runsOn(SoftwareProfile(), "Google"));
}

void TestCatalog::finds()
{
    const Catalog& c = shippedCatalog();
    QCOMPARE(text(c.accelerator("h100-sxm-80")->name), QString("H100 SXM 80 GB"));
    QVERIFY(c.accelerator("h100") == nullptr);
    QVERIFY(c.link("") == nullptr);
    QVERIFY(c.node("dgx-h100") != nullptr);
    QVERIFY(c.cluster("nope") == nullptr);
    QVERIFY(c.model("gpt3-175b") != nullptr);
    QVERIFY(Catalog{}.softwareProfile("megatron-core-2024") == nullptr);
}

void TestCatalog::roundTripsInline()
{
    const Catalog none;
    const Catalog& c = shippedCatalog();
    for (const Accelerator& a : c.accelerators)
        QVERIFY2(parseAccelerator(plain(toJson(a, none)), "", none) == a, a.id.c_str());
    for (const Link& l : c.links)
        QVERIFY2(parseLink(plain(toJson(l, none)), "", none) == l, l.id.c_str());
    for (const SoftwareProfile& p : c.software)
        QVERIFY2(parseSoftwareProfile(plain(toJson(p, none)), "", none) == p, p.id.c_str());
    for (const ModelPreset& m : c.models)
        QVERIFY2(parseTransformer(plain(toJson(m.model, none)), "", none) == m.model, m.id.c_str());
    for (const ClusterPreset& preset : c.clusters)
        for (const Catalog* names : {&none, &c})
            QVERIFY2(
                parseCluster(plain(toJson(preset.cluster, *names)), "", *names) == preset.cluster, preset.id.c_str());
    Cluster drawn = c.cluster("selene")->cluster;
    drawn.nodes.front().accelerator.watts = 123.456789;
    drawn.connections.front().link.latency = Seconds(7.3e-6);
    QVERIFY(parseCluster(plain(toJson(drawn)), "") == drawn);
    Transformer local = c.model("gpt2-xl")->model;
    local.slidingWindow = 512;
    local.moe = MixtureOfExperts{};
    local.mla = LatentAttention{};
    QVERIFY(parseTransformer(plain(toJson(local)), "") == local);
}

void TestCatalog::writesIdsWhereEqual()
{
    const Catalog& c = shippedCatalog();
    QCOMPARE(toJson(*c.accelerator("a100-sxm-80")).dump(), std::string("\"a100-sxm-80\""));
    QCOMPARE(toJson(c.model("gpt3-175b")->model).dump(), std::string("\"gpt3-175b\""));
    QCOMPARE(toJson(c.cluster("selene")->cluster).dump(), std::string("\"selene\""));
    QCOMPARE(toJson(*c.softwareProfile("nemo")).dump(), std::string("\"nemo\""));
    Accelerator faster = *c.accelerator("a100-sxm-80");
    faster.watts = 500;
    QVERIFY(toJson(faster).is_object());
    Cluster wider = c.cluster("selene")->cluster;
    wider.nodes.front().count = 256;
    const auto json = toJson(wider);
    QCOMPARE(json["nodes"][0]["preset"].get<std::string>(), std::string("dgx-a100-80"));
    QCOMPARE(json["nodes"][0]["count"].get<int>(), 256);
    QCOMPARE(json["connections"][0]["link"].get<std::string>(), std::string("ib-hdr"));
}

void TestCatalog::nodeGroupsOverrideAPreset()
{
    const auto json =
        nlohmann::json::parse(R"({"preset": "dgx-h100", "count": 4, "nic": "ib-xdr", "scale_up_domain": 16})");
    const auto group = parseNodeGroup(json, "/cluster/nodes/0");
    QVERIFY(group.has_value());
    NodeGroup expected = shippedCatalog().node("dgx-h100")->node;
    expected.count = 4;
    expected.nic = *shippedCatalog().link("ib-xdr");
    expected.scaleUpDomain = 16;
    QVERIFY(*group == expected);
}

void TestCatalog::unitsAreExact()
{
    const auto link =
        parseLink(nlohmann::json::parse(R"({"name": "x", "bandwidth_gb_s": 537.6, "latency_us": 18})"), "");
    QVERIFY(link.has_value());
    QCOMPARE(link->latency, Seconds(18e-6));
    QCOMPARE(link->bandwidth, BytesPerSecond(537.6e9));
    const auto written = toJson(*link, Catalog{});
    QCOMPARE(written["latency_us"].dump(), std::string("18"));
    QCOMPARE(written["bandwidth_gb_s"].dump(), std::string("537.6"));
    QCOMPARE(shippedCatalog().accelerator("a100-sxm-80")->memory, Bytes(80 * kGiB));
}

void TestCatalog::measuredKernelsMustExist()
{
    const auto link = [](const char* kernels) {
        return parseLink({{"name", "x"}, {"bandwidth_gb_s", 300}, {"kernels", kernels}}, "/scale_up");
    };
    QVERIFY(link("a100-sxm").has_value());
    const auto unknown = link("a100-smx");
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().pointer, std::string("/scale_up/kernels"));
    QVERIFY2(
        unknown.error().expected.find("such as \"a100-sxm\"") != std::string::npos, unknown.error().expected.c_str());
}

void TestCatalog::plansKeepUnknownKeysOut()
{
    const auto json = nlohmann::json::parse(R"({"name": "x", "bandwidth_gb_s": 1, "colour": "red"})");
    QVERIFY(parseLink(json, "").has_value());
    const auto strict = parseLink(json, "/links/0", shippedCatalog(), Strictness::Catalogue);
    QVERIFY(!strict.has_value());
    QCOMPARE(text(strict.error().pointer), QString("/links/0/id"));
}

// In one piece: a table of entries that break the form of a catalogue in one way each.
void TestCatalog::brokenEntries_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<QString>("message");
    const QByteArray link =
        R"({"id": "a", "name": "A", "kind": "nvlink", "bandwidth_gb_s": 1, "sustained": 1, "latency_us": 1,
        "source": "s")";
    const auto row = [](const char* name, const QByteArray& file, const QByteArray& entry, const char* message) {
        QTest::newRow(name) << file << entry << QString::fromUtf8(message);
    };
    row("unknown key", "links.json", link + R"(, "colour": "red"})",
        "links.json#/entries/0/colour: found the unknown key \"colour\", expected one of the keys id, name, kind, "
        "bandwidth_gb_s, sustained, "
        "latency_us, kernels, source");
    row("missing key", "links.json", R"({"id": "a", "name": "A"})",
        "links.json#/entries/0/kind: found nothing, expected a value for \"kind\"");
    row("wrong type", "links.json", R"({"id": "a", "name": 7})",
        "links.json#/entries/0/name: found 7, expected a text");
    row("not an object", "links.json", "[]", "links.json#/entries/0: found an empty array, expected an object");
    row("negative", "links.json", R"({"id": "a", "name": "A", "kind": "pcie", "bandwidth_gb_s": -1})",
        "links.json#/entries/0/bandwidth_gb_s: found -1, expected a number >= 0");
    row("bad choice", "links.json", R"({"id": "a", "name": "A", "kind": "rope"})",
        "links.json#/entries/0/kind: found \"rope\", expected one of \"nvlink\", \"pcie\", \"infiniband\", "
        "\"ethernet\", \"slingshot\", "
        "\"infinity-fabric\", \"hccs\", \"ici\", \"other\"");
    row("twice the same id", "links.json", link + "}, " + link + "}",
        "links.json#/entries/1/id: found \"a\", expected an id that no other entry has");
    row("unknown precision", "accelerators.json",
        R"({"id": "a", "name": "A", "vendor": "V", "memory_gib": 1, "memory_bandwidth_gb_s": 1,
        "peak_tflops": {"bf17": 1}})",
        "accelerators.json#/entries/0/peak_tflops/bf17: found the unknown key \"bf17\", expected an object of dense "
        "peak rates in TFLOP/s by "
        "precision (fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4, int8)");
    row("unknown reference", "nodes.json", R"({"id": "n", "name": "N", "accelerator": "x100"})",
        "nodes.json#/entries/0/accelerator: found \"x100\", expected the id of an accelerator");
    row("unknown preset", "clusters.json",
        R"({"id": "c", "name": "C", "nodes": [{"id": "nodes", "preset": "dgx", "count": 1}]})",
        "clusters.json#/entries/0/nodes/0/preset: found \"dgx\", expected the id of a node");
    row("fraction", "models.json", R"({"id": "m", "family": "F", "sequence_length": 1, "name": "M", "layers": 1.5})",
        "models.json#/entries/0/layers: found 1.5, expected a whole number from 0 to 2147483647");
    row("inside an expert layer", "models.json",
        R"({"id": "m", "family": "F", "sequence_length": 1, "name": "M", "layers": 1, "hidden": 1, "ffn_hidden": 1,
        "heads": 1, "kv_heads": 1,
            "head_dim": 1, "vocabulary": 1, "gated_mlp": true, "tied_embeddings": false, "norm": "rms",
            "position": "rotary",
            "moe": {"experts": 8, "top_k": "two", "expert_ffn": 1}, "source": "s"})",
        "models.json#/entries/0/moe/top_k: found \"two\", expected a whole number from 0 to 2147483647");
    row("text cut to a line", "software.json", "\"" + QByteArray(100, 'x') + "\"",
        ("software.json#/entries/0: found \"" + QByteArray(59, 'x') + "…, expected an object").constData());
    row("not JSON", "software.json", "{", "software.json#: found text that is not JSON, expected a JSON object");
}

void TestCatalog::brokenEntries()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, entry);
    QFETCH(QString, message);
    const std::string content = R"({"license": "Apache-2.0", "entries": [)" + entry.toStdString() + "]}";
    const std::string name = file.toStdString();
    const std::vector<EmbeddedFile> files{{name, content}};
    const auto read = parseCatalog(files);
    QVERIFY(!read.has_value());
    QCOMPARE(text(describe(read.error())), message);
}

STRATOPLAN_TEST(TestCatalog)
#include "test_catalog.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Plans and projects as documents: what is read is what was written, and nothing is lost on the way.
#include "core/catalog/catalog_json.h"
#include "core/cluster/cluster_edits.h"
#include "core/exchange/document.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/plan_json.h"
#include "core/exchange/profile.h"
#include "core/exchange/schema.h"
#include "core/plan/dimensions.h"
#include "tests/registry.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using Json = nlohmann::ordered_json;

namespace {

const Catalog& catalog()
{
    return shippedCatalog();
}

Document parsed(std::string_view text)
{
    auto document = parseDocument(text, catalog(), "test.json");
    if (!document) {
        for (const DocumentError& error : document.error())
            qWarning("%s", describe(error).c_str());
        qFatal("the document must be readable");
    }
    return std::move(*document);
}

Plan examplePlan(std::string_view name = "gpt3-175b-1024-a100")
{
    return parsed(findExample(name)->text).project.plan;
}

/// Every member is other than where nothing is said.
CapacityInputs fullCapacity()
{
    CapacityInputs c;
    c.tokens = 300e9;
    c.ramp = {32, 32, 12e9};
    c.pricePerAcceleratorHour = 2.35;
    c.prices = {{"nodes", 2.5}};
    c.currency = "EUR";
    c.purchase = Purchase::Reserved;
    c.paysForIdle = false;
    c.termDays = 365;
    c.owned = {30'000, 5, 0.1, 0.12, 0.05};
    c.goodput = 0.92;
    c.failures = {50'000, 20'000, 400'000, 600, 48, 4};
    c.checkpoints = {1e11, 1'800, 0.25};
    c.evaluationShare = 0.01;
    c.dataStallShare = 0.02;
    c.pue = 1.15;
    c.powerShare = 0.8;
    c.gridIntensity = 0; // is an amount
    c.start = "2026-12-01";
    return c;
}

Project fullProject()
{
    Project project;
    project.plan = examplePlan();
    project.canvas = {{"nodes", {10.5, -20}}, {"leaves", {0, 0}}};
    project.capacity = fullCapacity();
    project.search = {"whole", SearchMode::ClosedForm, Objective::Deadline, 0.1, Seconds(12.5),
        {Dimension::Tp, Dimension::ZeroStage}};
    project.pinned = {{"Baseline", examplePlan("gpt2-xl-alpa"), {}, {}}, {"Wide", examplePlan("odd-192-v100"), {}, {}}};
    project.pinned[0].capacity.tokens = 15e12;
    project.pinned[0].note = "Nodes are there from May, “perhaps”.\nAsk again.";
    project.pinned[1].plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
    project.slides = {{"The cluster, as it was", SlideView::Cluster, examplePlan("gpt2-xl-alpa"), fullCapacity()},
        {"With TP 4", SlideView::Overview, examplePlan(), {}}};
    project.slides[1].plan.strategy.tp = 4;
    project.notes = "Zwölf Boxkämpfer, “quoted”, \n two lines, and a tab\t.";
    return project;
}

std::string readAll(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> entriesOf(const QTemporaryDir& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path().toStdString()))
        names.push_back(entry.path().filename().string());
    return names;
}

/// Every schema node below `node`, references not followed.
void eachProperty(
    const nlohmann::json& node, const std::function<void(const std::string&, const nlohmann::json&)>& visit)
{
    if (node.is_object() && node.contains("properties")) {
        for (const auto& [name, property] : node.at("properties").items())
            visit(name, property);
    }
    if (node.is_structured()) {
        for (const nlohmann::json& child : node)
            eachProperty(child, visit);
    }
}

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void examplesAreThere()
    {
        const std::vector<std::string> wanted{"gpt3-175b-1024-a100", "llama3-405b-16384-h100", "deepseek-v3-2048-h800",
            "gpt2-xl-alpa", "opt-175b-spatial-temporal", "llama-70b-512-h100", "odd-192-v100", "scale-100k-h100",
            "llama-65b-32-ascend"};
        for (const std::string& name : wanted) {
            const Example* example = findExample(name);
            QVERIFY2(example, name.c_str());
            QVERIFY(!example->title.empty());
        }
        QVERIFY(!findExample("nothing"));
        QCOMPARE(examples().front().name, std::string("gpt3-175b-1024-a100"));
    }

    void examplesRoundTrip_data()
    {
        QTest::addColumn<QString>("name");
        for (const Example& example : examples())
            QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
    }
    void examplesRoundTrip()
    {
        QFETCH(QString, name);
        const Example* example = findExample(name.toStdString());
        const Document document = parsed(example->text);
        QVERIFY(!document.isProject);
        QVERIFY(document.warnings.empty());
        const Plan& plan = document.project.plan;
        QVERIFY(plan.model.layers > 0 && !plan.cluster.nodes.empty() && !plan.name.empty());
        QCOMPARE(rankCount(plan.strategy), acceleratorCount(plan.cluster));
        QVERIFY(!hasErrors(check(plan)) || check(plan).front().code == ProblemCode::NotEstimable);

        QVERIFY(parsed(writePlan(plan, catalog())).project.plan == plan);
        QVERIFY(parsed(writePlan(plan, Catalog{})).project.plan == plan); // everything spelt out
        // Saving without an edit changes no value, no remark and no order.
        const std::string saved = writePlan(plan, catalog(), example->text);
        Json before = Json::parse(example->text);
        if (before["model"].is_object()) // "base" is short for the members that a save spells out
            before["model"] = Json::parse(saved)["model"];
        if (before["training"].contains("software") && before["training"]["software"].is_object())
            before["training"]["software"] = Json::parse(saved)["training"]["software"];
        QCOMPARE(Json::parse(saved).dump(), before.dump());
    }

    void projectRoundTrip()
    {
        Document document;
        document.project = fullProject();
        const std::string text = writeProject(document, catalog());
        QVERIFY(text.back() == '\n');
        const Document again = parsed(text);
        QVERIFY(again.isProject);
        QVERIFY(again.warnings.empty());
        QVERIFY(again.project == document.project);
        QCOMPARE(writeProject(again, catalog()), text);
        // A default project, and one of default parts, are documents too.
        QVERIFY(parsed(writeProject(Document{}, catalog())).project.canvas.empty());
    }

    void emptyPartsRoundTrip()
    {
        Plan plan;
        QVERIFY(parsed(writePlan(plan, catalog())).project.plan == plan);
        plan.cluster.nodes.resize(2);
        plan.cluster.nodes[0].id = "a";
        plan.cluster.nodes[1].id = "b";
        plan.cluster.switches.resize(1);
        plan.cluster.switches[0].id = "s";
        plan.cluster.connections.resize(1);
        plan.cluster.connections[0].from = "a";
        plan.cluster.connections[0].to = "s";
        plan.model.moe = MixtureOfExperts{};
        plan.model.mla = LatentAttention{};
        plan.model.dsa = SparseAttention{.indexHeads = 8, .indexHeadDim = 64, .topK = 512};
        plan.model.mamba2 = Mamba2{.layers = 3, .ffnLayers = 2, .heads = 16, .groups = 4, .chunk = 128};
        plan.model.standIn = StandIn{"recurrent layers", 3, 1e6, 2.5e6};
        plan.model.slidingWindow = 4096;
        plan.training.documentLength = 512;
        plan.training.attention = AttentionKernel::Flash2;
        QVERIFY(parsed(writePlan(plan, catalog())).project.plan == plan);
    }

    void everyCatalogueValueRoundTripsInline()
    {
        Plan plan = examplePlan();
        for (const ModelPreset& preset : catalog().models) {
            plan.model = preset.model;
            plan.model.name += " (edited)";
            QVERIFY2(parsed(writePlan(plan, catalog())).project.plan == plan, preset.id.c_str());
        }
        plan = examplePlan();
        for (const ClusterPreset& preset : catalog().clusters) {
            plan.cluster = preset.cluster;
            for (NodeGroup& group : plan.cluster.nodes) {
                group.accelerator.memorySustained *= 0.99;
                group.scaleUp.latency = group.scaleUp.latency * 1.01;
                group.nic.name += '*';
            }
            QVERIFY2(parsed(writePlan(plan, catalog())).project.plan == plan, preset.id.c_str());
        }
        plan = examplePlan();
        for (const SoftwareProfile& profile : catalog().software) {
            plan.training.software = profile;
            plan.training.software.matmulFactor = 0.123456789;
            QVERIFY2(parsed(writePlan(plan, catalog())).project.plan == plan, profile.id.c_str());
        }
    }

    void strategiesRoundTrip()
    {
        Plan plan = examplePlan();
        for (int i = 0; i <= static_cast<int>(Schedule::DualPipeV); ++i) {
            Strategy& s = plan.strategy;
            s.schedule = static_cast<Schedule>(i);
            s.recompute = static_cast<Recompute>(i % 3);
            s.offload = static_cast<Offload>(i % 3);
            s.contextMethod = static_cast<ContextMethod>(i % 3);
            s.vocabularyPlacement = static_cast<VocabularyPlacement>(i % 4);
            s.tensorPartition = static_cast<TensorPartition>(i % 2);
            s.zeroStage = i % 4;
            s.timingPass = i % 2 == 1;
            s.stageLayers = {i, 96 - i};
            s.recomputedLayers = i % 2 ? std::vector{i, 0} : std::vector<int>();
            s.stageRecompute =
                i % 3 ? std::vector{Recompute::Selective, static_cast<Recompute>(i % 3)} : std::vector<Recompute>();
            s.stageTp = i % 4 ? std::vector{8, 4} : std::vector<int>();
            plan.training.software.resharding = static_cast<ReshardMethod>(i % 2);
            std::next_permutation(s.rankOrder.begin(), s.rankOrder.end());
            plan.training.precision = kPrecisions[static_cast<std::size_t>(i) % kPrecisions.size()];
            plan.training.attention = i % 2 ? AttentionKernel::Flash : AttentionKernel::Unfused;
            plan.training.fp32Gradients = i % 3 == 0;
            plan.training.narrowReduction = i % 4 == 1;
            plan.training.narrowGather = i % 5 == 2;
            plan.training.optimizer = kOptimizers[std::size_t(i) % kOptimizers.size()];
            QVERIFY(parsed(writePlan(plan, catalog())).project.plan == plan);
        }
    }

    void knownValuesAreStoredById()
    {
        Plan plan = examplePlan();
        Json json = Json::parse(writePlan(plan, catalog()));
        QVERIFY(json["model"] == Json("gpt3-175b"));
        QVERIFY(json["cluster"].is_string());
        QVERIFY(json["training"]["software"].is_string());
        QVERIFY(!json.contains("nodes"));

        setNodeCount(plan.cluster, 0, 96);
        json = Json::parse(writePlan(plan, catalog()));
        QVERIFY(json["cluster"].is_string());
        QVERIFY(json["nodes"] == Json(96));

        plan.model.layers = 90;
        json = Json::parse(writePlan(plan, catalog()));
        QVERIFY(json["model"].is_object());
        QVERIFY(json["cluster"].is_string());
    }

    void missingFieldsTakeTheirDefaults()
    {
        const Document document =
            parsed(R"({"format": "stratoplan-plan", "version": 1, "model": {"base": "gpt3-175b", "layers": 90},
            "cluster": "selene", "nodes": 2, "training": {"global_batch": 8, "sequence_length": 1024},
            "strategy": {"tp": 8}})");
        const Plan& plan = document.project.plan;
        Transformer model = catalog().model("gpt3-175b")->model;
        model.layers = 90;
        QVERIFY(plan.model == model);
        QCOMPARE(plan.cluster.nodes.front().count, 2);
        QVERIFY(plan.training.precision == Precision::Bf16);
        QVERIFY(plan.training.software == catalog().software.front());
        QCOMPARE(plan.training.fp32Gradients, plan.training.software.gradientsInFp32);
        QCOMPARE(plan.training.attention == AttentionKernel::Flash, plan.training.software.flashAttention);
        Strategy strategy;
        strategy.tp = 8;
        QVERIFY(plan.strategy == strategy);
    }

    // In one piece: one document with fields of its own everywhere, edited, written and read again.
    void unknownFieldsSurvive()
    {
        Document document;
        document.project = fullProject();
        document.project.plan.cluster.nodes.front().nicsPerNode = 4; // spelt out in the file
        Json json = Json::parse(writeProject(document, catalog()));
        json["x_top"] = {{"deep", {1, 2, 3}}};
        json["plan"]["x_plan"] = "kept";
        json["plan"]["title"] = "A remark";
        json["plan"]["training"]["x_training"] = 1.5;
        json["plan"]["strategy"]["x_strategy"] = nullptr;
        json["plan"]["cluster"]["nodes"][0]["x_rack"] = "B7";
        json["plan"]["model"] = {{"base", "gpt3-175b"}, {"x_model", true}};
        json["plan"]["training"]["software"] = Json(toJson(catalog().software.front(), Catalog{}));
        json["plan"]["training"]["software"]["x_software"] = "kept";
        json["canvas"]["nodes"]["x_colour"] = "red";
        json["pinned"][1]["x_pin"] = 7;
        json["pinned"][1]["plan"]["x_inner"] = 8;
        const std::string text = json.dump();

        Document edited = parsed(text);
        QVERIFY(edited.warnings.empty()); // names that start with x_ are nobody's typing mistake
        edited.project.plan.strategy.tp = 4;
        edited.project.plan.cluster.nodes.insert(
            edited.project.plan.cluster.nodes.begin(), edited.project.plan.cluster.nodes.front());
        edited.project.plan.cluster.nodes.front().id = "new";
        edited.project.pinned.erase(edited.project.pinned.begin()); // the second pinned plan is now the first
        const std::string saved = writeProject(edited, catalog());
        const Json after = Json::parse(saved);
        QCOMPARE(after["x_top"].dump(), json["x_top"].dump());
        QVERIFY(after["plan"]["x_plan"] == Json("kept"));
        QVERIFY(after["plan"]["title"] == Json("A remark"));
        QVERIFY(after["plan"]["training"]["x_training"] == Json(1.5));
        QVERIFY(after["plan"]["strategy"].contains("x_strategy"));
        QVERIFY(after["plan"]["strategy"]["tp"] == Json(4));
        QVERIFY(!after["plan"]["cluster"]["nodes"][0].contains("x_rack"));
        QVERIFY(after["plan"]["cluster"]["nodes"][1]["x_rack"] == Json("B7"));
        QVERIFY(after["plan"]["model"]["x_model"] == Json(true));
        QVERIFY(after["plan"]["training"]["software"]["x_software"] == Json("kept"));
        QVERIFY(after["canvas"]["nodes"]["x_colour"] == Json("red"));
        QCOMPARE(after["pinned"].size(), std::size_t{1});
        QVERIFY(after["pinned"][0]["x_pin"] == Json(7));
        QVERIFY(!after["pinned"][0].contains("note")); // no note is no field
        QVERIFY(after["pinned"][0]["plan"]["x_inner"] == Json(8));
        QVERIFY(parsed(saved).project == edited.project);
        QCOMPARE(writeProject(parsed(saved), catalog()), saved);
    }

    void unknownFieldsOfAPlanMoveIntoItsProject()
    {
        Json json = Json::parse(findExample("gpt2-xl-alpa")->text);
        json["x_extra"] = 1;
        const Document document = parsed(json.dump());
        const Json project = Json::parse(writeProject(document, catalog()));
        QVERIFY(project["format"] == Json("stratoplan-project"));
        QVERIFY(project["plan"]["x_extra"] == Json(1));
        QVERIFY(!project["plan"].contains("format"));
        QVERIFY(parsed(project.dump()).project == document.project);
        // And back: the plan of a project, with the head of a plan.
        const Json plan = Json::parse(writePlan(document.project.plan, catalog(), project.dump()));
        QVERIFY(plan["format"] == Json("stratoplan-plan"));
        QVERIFY(plan["x_extra"] == Json(1));
    }

    void droppedPartsAreNotKept()
    {
        Plan plan = examplePlan("deepseek-v3-2048-h800");
        plan.model.name = "Edited";
        const std::string before = writePlan(plan, catalog());
        QVERIFY(Json::parse(before)["model"].contains("mla"));
        plan.model.mla.reset();
        plan.model.moe.reset();
        const Json after = Json::parse(writePlan(plan, catalog(), before));
        QVERIFY(!after["model"].contains("mla"));
        QVERIFY(!after["model"].contains("moe"));
        QVERIFY(parsed(after.dump()).project.plan == plan);
    }

    void misspeltFieldsAreWarnings()
    {
        Json json = Json::parse(findExample("gpt2-xl-alpa")->text);
        json["strategy"]["micro_bacth"] = 4;
        json["training"]["sofware"] = "alpa";
        const Document document = parsed(json.dump());
        QCOMPARE(document.warnings.size(), std::size_t{2});
        QVERIFY(document.warnings[0].code == DocumentError::Code::UnknownField);
        QCOMPARE(document.warnings[0].pointer, std::string("/training/sofware"));
        QVERIFY(document.warnings[0].expected.find("\"software\"") != std::string::npos);
        QVERIFY(document.warnings[1].expected.find("\"micro_batch\"") != std::string::npos);
    }

    void olderVersionsMigrate()
    {
        const char* const plan = R"({"format": "stratoplan-plan", "version": 0, "model": "gpt2-xl", "cluster": "selene",
            "training": {"batch": 64, "seq_len": 512}, "strategy": {"zero": 2, "mbs": 4, "sp": true, "x_old": 1}})";
        const Document document = parsed(plan);
        QVERIFY(document.warnings.size() == 0);
        QCOMPARE(document.project.plan.training.globalBatch, 64);
        QCOMPARE(document.project.plan.training.sequenceLength, 512);
        QCOMPARE(document.project.plan.strategy.zeroStage, 2);
        QCOMPARE(document.project.plan.strategy.microBatch, 4);
        QVERIFY(document.project.plan.strategy.sequenceParallel);
        const Json saved = Json::parse(writePlan(document.project.plan, catalog(), document.original));
        QVERIFY(saved["version"] == Json(kFormatVersion));
        QVERIFY(!saved["strategy"].contains("zero"));
        QVERIFY(saved["strategy"]["x_old"] == Json(1));

        Json inner = Json::parse(plan);
        const Json project = {{"format", "stratoplan-project"}, {"version", 0}, {"plan", inner},
            {"pinned", {{{"name", "A"}, {"plan", inner}}}}};
        const Document migrated = parsed(project.dump());
        QCOMPARE(migrated.project.plan.strategy.zeroStage, 2);
        QCOMPARE(migrated.project.pinned.at(0).plan.training.sequenceLength, 512);
    }

    void schemaKnowsEveryField()
    {
        Project project = fullProject();
        project.plan.model.moe = MixtureOfExperts{};
        project.plan.model.mla = LatentAttention{};
        project.plan.model.dsa = SparseAttention{};
        project.plan.model.mamba2 = Mamba2{.layers = 1, .ffnLayers = 1, .heads = 8};
        project.plan.model.standIn = StandIn{};
        project.plan.model.slidingWindow = 1;
        Cluster& cluster = project.plan.cluster;
        cluster.switches = {{"s", "S", SwitchTier::Spine, 32, 1}};
        cluster.connections = {{"nodes", "s", cluster.nodes.front().nic, 4}};
        for (const Precision precision : kPrecisions)
            cluster.nodes.front().accelerator.peak[precision] = FlopsPerSecond(1e12);
        Json json = projectToJson(project, Catalog{});
        json["format"] = "stratoplan-project";
        json["version"] = kFormatVersion;
        QVERIFY(checkSchema(json, DocumentFormat::Project).empty());
        for (const DocumentError& error : unknownFields(json, DocumentFormat::Project))
            QFAIL(describe(error).c_str());
    }

    void schemasKnowEveryDimension()
    {
        const SchemaNode strategy = SchemaNode(DocumentFormat::Plan).child("strategy");
        const SchemaNode space(DocumentFormat::SearchSpace);
        for (const Dimension id : dimensionsOfFiles())
            QVERIFY2(strategy.knows(key(id)), key(id).data());
        QCOMPARE(strategy.members().size(), dimensionsOfFiles().size());
        for (const DimensionRow& row : dimensions())
            QVERIFY2(space.knows(row.key) || !isSearched(row), row.key.data());
        std::vector<std::string> locks;
        for (int i = 0; i < kLockableDimensions; ++i)
            locks.emplace_back(key(Dimension(i)));
        QVERIFY(schema(DocumentFormat::SearchSpace).at("definitions").at("lock").at("enum") == nlohmann::json(locks));
    }

    void schemaIsDocumented()
    {
        for (const DocumentFormat format : {DocumentFormat::Plan, DocumentFormat::Project}) {
            QVERIFY(schema(format).at("$schema") == nlohmann::json("http://json-schema.org/draft-07/schema#"));
            int seen = 0;
            eachProperty(schema(format), [&](const std::string& name, const nlohmann::json& property) {
                ++seen;
                if (const auto reference = property.find("$ref"); reference != property.end())
                    QVERIFY2(
                        schema(format).contains(nlohmann::json::json_pointer(reference->get<std::string>().substr(1))),
                        name.c_str());
                else
                    QVERIFY2(property.contains("title"), name.c_str());
            });
            QVERIFY(seen > 100);
        }
    }

    void profilesAreDocumentsOfTheirOwn()
    {
        for (const SoftwareProfile& profile : catalog().software) {
            const auto read = parseProfile(writeProfile(profile), catalog());
            QVERIFY2(read.has_value(), read ? "" : describe(read.error().front()).c_str());
            QVERIFY2(*read == profile, profile.id.c_str());
        }
        const auto fault = [](const char* text) {
            return describe(parseProfile(text, catalog(), "p.json").error().front());
        };
        QCOMPARE(fault("[]"), std::string("p.json: found an empty array, expected an object"));
        QCOMPARE(fault("{\"version\":1,\"id\":\"a\"}"),
            std::string("p.json: /format: found nothing, expected \"stratoplan-profile\""));
        QCOMPARE(fault("{\"format\":\"stratoplan-plan\",\"version\":1,\"id\":\"a\"}"),
            std::string("p.json: /format: found \"stratoplan-plan\", expected \"stratoplan-profile\""));
        QCOMPARE(fault("{\"format\":\"stratoplan-profile\",\"version\":1,\"id\":\"a\",\"tp_overlap\":2}"),
            std::string("p.json: /tp_overlap: found 2, expected a number from 0 to 1"));
        QVERIFY(fault("{").starts_with("p.json: found the end of the text"));
    }

    void aProfileInAPlanKeepsItsHead()
    {
        Json json = Json::parse(findExample("gpt2-xl-alpa")->text);
        Json profile = Json::parse(writeProfile(catalog().software.front()));
        profile["license"] = "CC0-1.0";
        json["training"]["software"] = profile;
        const Document document = parsed(json.dump());
        QVERIFY2(
            document.warnings.empty(), document.warnings.empty() ? "" : describe(document.warnings.front()).c_str());
        QVERIFY(document.project.plan.training.software == catalog().software.front());
        QVERIFY(Json::parse(writePlan(document.project.plan, catalog(), document.original))["training"]["software"]
            == profile);
    }

    void placesAreCheckedWithoutATrace()
    {
        const QTemporaryDir folder;
        const std::string base = folder.path().toStdString();
        QVERIFY(checkWritable(base + "/new.json").has_value());
        QVERIFY(writeFileAtomically(base + "/old.json", "old").has_value());
        QVERIFY(checkWritable(base + "/old.json").has_value());
        QCOMPARE(readAll(base + "/old.json"), std::string("old"));
        QCOMPARE(entriesOf(folder), std::vector<std::string>{"old.json"});
        QVERIFY(checkWritable("/dev/null").has_value());
        for (const std::string& path :
            {base + "/no/such/folder.json", base, base + "/old.json/below", std::string("/proc/plan.json")}) {
            const auto result = checkWritable(path);
            QVERIFY2(!result && result.error().code == DocumentError::Code::Unwritable && result.error().file == path,
                path.c_str());
        }
    }

    void savingReplacesTheWholeFile()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("plan.json").toStdString();
        QVERIFY(writeFileAtomically(path, "first version, long").has_value());
        QCOMPARE(readAll(path), std::string("first version, long"));
        QCOMPARE(::chmod(path.c_str(), 0640), 0);
        QVERIFY(writeFileAtomically(path, "second").has_value());
        QCOMPARE(readAll(path), std::string("second"));
        struct stat info { };
        QCOMPARE(::stat(path.c_str(), &info), 0);
        QCOMPARE(static_cast<int>(info.st_mode & 0777), 0640);
        QCOMPARE(entriesOf(folder), std::vector<std::string>{"plan.json"});

        const std::string link = folder.filePath("link.json").toStdString();
        std::filesystem::create_symlink("plan.json", link);
        QVERIFY(writeFileAtomically(link, "third").has_value());
        QVERIFY(std::filesystem::is_symlink(link));
        QCOMPARE(readAll(path), std::string("third"));
        QCOMPARE(readFile(link).value(), std::string("third"));
    }

    void failedSavesLeaveTheOldFile()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("plan.json").toStdString();
        QVERIFY(writeFileAtomically(path, "precious").has_value());
        // A full disk, as far as this process can tell.
        struct rlimit limit { };
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &limit), 0);
        const struct rlimit tiny {
            1024, limit.rlim_max
        };
        const auto old = std::signal(SIGXFSZ, SIG_IGN);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &tiny), 0);
        const auto result = writeFileAtomically(path, std::string(1 << 20, 'x'));
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &limit), 0);
        std::signal(SIGXFSZ, old);
        QVERIFY(!result);
        QVERIFY(result.error().code == DocumentError::Code::Unwritable);
        QCOMPARE(result.error().file, path);
        QCOMPARE(readAll(path), std::string("precious"));
        QCOMPARE(entriesOf(folder), std::vector<std::string>{"plan.json"});
    }

    void unwritablePlacesAreErrors()
    {
        const QTemporaryDir folder;
        const std::string base = folder.path().toStdString();
        for (const std::string& path :
            {base + "/no/such/folder.json", base, std::string("/proc/plan.json"), std::string("/dev/full")}) {
            const auto result = writeFileAtomically(path, "text");
            QVERIFY2(!result, path.c_str());
            QVERIFY(result.error().code == DocumentError::Code::Unwritable);
            QVERIFY(!result.error().found.empty());
        }
        if (::geteuid() == 0)
            QSKIP("the superuser may write anywhere");
        const std::string path = base + "/plan.json";
        QVERIFY(writeFileAtomically(path, "precious").has_value());
        QCOMPARE(::chmod(path.c_str(), 0444), 0);
        QVERIFY(!writeFileAtomically(path, "text")); // protected by its owner
        QCOMPARE(::chmod(path.c_str(), 0644), 0);
        QCOMPARE(::chmod(base.c_str(), 0555), 0);
        QVERIFY(!writeFileAtomically(path, "text"));
        QCOMPARE(::chmod(base.c_str(), 0755), 0);
        QCOMPARE(readAll(path), std::string("precious"));
    }
};

STRATOPLAN_TEST(TestExchange)
#include "test_exchange.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Broken documents: every kind of fault is told with its place, and no input can bring the reader down.
#include "core/exchange/document.h"
#include "core/exchange/json_text.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using Json = nlohmann::ordered_json;
using Code = DocumentError::Code;

namespace {

DocumentErrors errorsOf(std::string_view text)
{
    const auto document = parseDocument(text, shippedCatalog(), "plan.json");
    return document ? DocumentErrors{} : document.error();
}

Json validPlan()
{
    return Json::parse(R"({"format": "stratoplan-plan", "version": 1, "name": "P",
        "model": {"base": "gpt2-xl"},
        "cluster": {"name": "C", "nodes": [{"id": "n", "preset": "dgx-a100-80", "count": 2}]},
        "training": {"global_batch": 64, "sequence_length": 1024, "precision": "bf16", "software": "megatron-lm-2021"},
        "strategy": {"tp": 1, "pp": 2, "dp": 8, "recompute": "full", "rank_order": ["tp", "cp", "ep", "dp", "pp"]}})");
}

/// A valid plan with the value at `pointer` replaced.
std::string with(const std::string& pointer, const Json& value)
{
    Json plan = validPlan();
    plan[Json::json_pointer(pointer)] = value;
    return plan.dump();
}

/// A valid plan that divides one operator so.
std::string withSequence(const std::string& sequence)
{
    return with("/strategy/operator_partitions", Json::array({{{"operator", "QKV"}, {"sequence", sequence}}}));
}

std::string without(const std::string& parent, const std::string& member)
{
    Json plan = validPlan();
    plan.at(Json::json_pointer(parent)).erase(member);
    return plan.dump();
}

struct Fault {
    const char* name;
    std::string text;
    Code code;
    std::string pointer;
    std::string found;
    std::string expected;
};

std::vector<Fault> faultsOfSyntax()
{
    return {
        {"empty", "", Code::Syntax, "", "no text", "JSON object"},
        {"blank", " \n\t ", Code::Syntax, "", "no text", "JSON object"},
        {"trailing comma", "{\n  \"format\": \"stratoplan-plan\",\n}", Code::Syntax, "", "line 3, column 1",
            "a key in double quotes"},
        {"missing comma", "{\"a\": 1 \"b\": 2}", Code::Syntax, "", "line 1, column 11", "',' or '}'"},
        {"cut short", "{\"format\": \"strato", Code::Syntax, "", "the end of the text", "closing quote"},
        {"rubbish behind", "{} {}", Code::Syntax, "", "line 1, column 4", "the end of the text"},
        {"NaN", "{\"version\": NaN}", Code::Syntax, "", "line 1", "valid JSON"},
        {"huge number", "{\"version\": 1e999}", Code::Syntax, "", "1e999", "1.8e308"},
        {"comment", "{ // no\n}", Code::Syntax, "", "line 1, column 3", "a key in double quotes"},
        {"latin-1", "{\"name\": \"caf\xE9\"}", Code::Syntax, "", "line 1", "UTF-8"},
        {"utf-16", std::string("\xFF\xFE{\0}\0", 6), Code::Syntax, "", "UTF-16", "UTF-8"},
        {"utf-16 without mark", std::string("{\0}\0", 4), Code::Syntax, "", "UTF-16", "UTF-8"},
        {"control character", "{\"name\": \"a\nb\"}", Code::Syntax, "", "line", "escaped control character"},
        {"key twice", R"({"training": {"a/b": {"x": 1, "x": 2}}})", Code::Syntax, "/training/a~1b/x", "twice", "once"},
        {"nesting bomb", std::string(100000, '['), Code::Syntax, "", "levels of nesting", "64"},
        {"object bomb",
            [] {
                std::string s;
                for (int i = 0; i < 100000; ++i)
                    s += "{\"a\":";
                return s;
            }(),
            Code::Syntax, "/a/a", "levels of nesting", "64"},
    };
}

std::vector<Fault> faultsOfSchema()
{
    return {
        {"no object", "[1, 2]", Code::Schema, "", "an array of 2", "an object"},
        {"a number", "42", Code::Schema, "", "42", "an object"},
        {"no format", without("", "format"), Code::Schema, "/format", "nothing",
            "\"stratoplan-plan\" or \"stratoplan-project\""},
        {"other format", with("/format", "launcher"), Code::Schema, "/format", "\"launcher\"", "\"stratoplan-plan\""},
        {"format a number", with("/format", 3), Code::Schema, "/format", "3", "\"stratoplan-plan\""},
        {"no version", without("", "version"), Code::Schema, "/version", "nothing", "an integer"},
        {"version text", with("/version", "1"), Code::Schema, "/version", "\"1\"", "an integer"},
        {"version below 0", with("/version", -1), Code::Schema, "/version", "-1", "from 0"},
        {"version a fraction", with("/version", 1.5), Code::Schema, "/version", "1.5", "an integer"},
        {"newer version", with("/version", 7), Code::NewerVersion, "/version", "7", "newer version of Stratoplan"},
        {"version beyond int", with("/version", 18446744073709551615u), Code::NewerVersion, "/version",
            "18446744073709551615", "newer"},
        {"no model", without("", "model"), Code::Schema, "/model", "nothing", "catalogue entry or an object"},
        {"no training", without("", "training"), Code::Schema, "/training", "nothing", "an object"},
        {"no batch", without("/training", "global_batch"), Code::Schema, "/training/global_batch", "nothing",
            "an integer from 1"},
        {"degree as text", with("/strategy/tp", "eight"), Code::Schema, "/strategy/tp", "\"eight\"",
            "an integer from 1 to 1000000"},
        {"degree zero", with("/strategy/tp", 0), Code::Schema, "/strategy/tp", "0", "from 1"},
        {"degree a fraction", with("/strategy/tp", 1.5), Code::Schema, "/strategy/tp", "1.5", "an integer"},
        {"degree too large", with("/strategy/tp", 4294967297LL), Code::Schema, "/strategy/tp", "4294967297",
            "to 1000000"},
        {"degree beyond int64", with("/strategy/tp", 18446744073709551615u), Code::Schema, "/strategy/tp",
            "18446744073709551615", "to 1000000"},
        {"degree null", with("/strategy/tp", nullptr), Code::Schema, "/strategy/tp", "null", "an integer"},
        {"degrees overflow", with("/strategy", {{"tp", 1000000}, {"pp", 1000000}, {"dp", 1000000}, {"cp", 1000000}}),
            Code::Schema, "/strategy", "product", "16777216"},
    };
}

std::vector<Fault> faultsOfTori()
{
    const auto withTorus = [](const Json& torus) { return with("/cluster/nodes/0/torus", torus); };
    const char* const pointer = "/cluster/nodes/0/torus";
    return {
        {"torus a text", withTorus("4x4"), Code::Schema, pointer, "\"4x4\"", "an object"},
        {"torus without axes", withTorus(Json::object()), Code::Schema, std::string(pointer) + "/axes", "nothing",
            "an array of 1 to 4"},
        {"torus of five axes", withTorus({{"axes", {2, 2, 2, 2, 2}}}), Code::Schema, std::string(pointer) + "/axes",
            "5", "4"},
        {"torus of no axis", withTorus({{"axes", Json::array()}}), Code::Schema, std::string(pointer) + "/axes",
            "an empty array", "1 to 4"},
        {"axis of a torus a text", withTorus({{"axes", {4, "four"}}}), Code::Schema, std::string(pointer) + "/axes/1",
            "\"four\"", "an integer from 1 to 1024"},
        {"axis of a torus zero", withTorus({{"axes", {4, 0}}}), Code::Schema, std::string(pointer) + "/axes/1", "0",
            "an integer from 1 to 1024"},
        {"wrap-around unknown", withTorus({{"axes", {4, 4}}, {"wraps", "both"}}), Code::Schema,
            std::string(pointer) + "/wraps", "\"both\"", "\"cubes_of_4\""},
    };
}

std::vector<Fault> faultsOfValues()
{
    return {
        {"unknown word", with("/strategy/recompute", "some"), Code::Schema, "/strategy/recompute", "\"some\"",
            "one of \"none\", \"selective\", \"full\""},
        {"unknown schedule", with("/strategy/schedule", "2f2b"), Code::Schema, "/strategy/schedule", "\"2f2b\"",
            "\"1f1b\""},
        {"axis twice", with("/strategy/rank_order", {"tp", "tp", "ep", "dp", "pp"}), Code::Schema,
            "/strategy/rank_order", "tp", "each of"},
        {"axis missing", with("/strategy/rank_order", {"tp"}), Code::Schema, "/strategy/rank_order", "an array of 1",
            "an array of 5"},
        {"axis unknown", with("/strategy/rank_order/1", "xp"), Code::Schema, "/strategy/rank_order/1", "\"xp\"",
            "one of \"tp\""},
        {"strategy a list", with("/strategy", Json::array()), Code::Schema, "/strategy", "an empty array", "an object"},
        {"unknown model", with("/model", "gpt3-176b"), Code::UnknownEntry, "/model", "\"gpt3-176b\"", "gpt3-175b"},
        {"unknown base", with("/model/base", "gpt5"), Code::UnknownEntry, "/model/base", "\"gpt5\"",
            "model of the catalogue"},
        {"unknown cluster", with("/cluster", "selena"), Code::UnknownEntry, "/cluster", "\"selena\"", "selene"},
        {"unknown preset", with("/cluster/nodes/0/preset", "dgx-1"), Code::UnknownEntry, "/cluster/nodes/0/preset",
            "\"dgx-1\"", "node"},
        {"unknown accelerator", with("/cluster/nodes/0/accelerator", "a100"), Code::UnknownEntry,
            "/cluster/nodes/0/accelerator", "\"a100\"", "a100-"},
        {"unknown software", with("/training/software", "megatron"), Code::UnknownEntry, "/training/software",
            "\"megatron\"", "megatron"},
        {"empty id", with("/model", ""), Code::Schema, "/model", "\"\"", "catalogue entry"},
        {"incomplete model", with("/model", {{"layers", 4}}), Code::Schema, "/model", "", ""},
        {"negative bandwidth", with("/cluster/nodes/0/nic", {{"name", "N"}, {"bandwidth_gb_s", -5}}), Code::Schema,
            "/cluster/nodes/0/nic/bandwidth_gb_s", "-5", "a number from 0"},
        {"node group without id", with("/cluster/nodes/0", {{"count", 1}}), Code::Schema, "/cluster/nodes/0/id",
            "nothing", "a string"},
        {"too many accelerators",
            with("/cluster/nodes/0",
                {{"id", "n"}, {"preset", "dgx-a100-80"}, {"count", 1000000}, {"accelerators_per_node", 4096}}),
            Code::Schema, "/cluster", "4096000000 accelerators", "16777216"},
    };
}

std::vector<Fault> faultsOfPartitions()
{
    return {
        {"no partition", withSequence(""), Code::Schema, "/strategy/operator_partitions/0/sequence", "\"\"",
            "axes B, M, N, K, H, J, P2x2, P4x4, P8x8, P16x16 or -, as in \"K,P2x2\""},
        {"unknown axis", withSequence("K,X"), Code::Schema, "/strategy/operator_partitions/0/sequence", "\"K,X\"",
            "as in \"K,P2x2\""},
        {"primitive of unequal sides", withSequence("P2x4"), Code::Schema, "/strategy/operator_partitions/0/sequence",
            "\"P2x4\"", "P2x2, P4x4"},
        {"no axis behind a comma", withSequence("K,"), Code::Schema, "/strategy/operator_partitions/0/sequence",
            "\"K,\"", "as in"},
        {"unknown field",
            with(
                "/strategy/operator_partitions", Json::array({{{"operator", "QKV"}, {"sequence", "K"}, {"order", 1}}})),
            Code::Schema, "/strategy/operator_partitions/0/order", "an unknown field", "\"operator\", \"sequence\""},
    };
}

std::vector<Fault> faults()
{
    std::vector<Fault> all = faultsOfSyntax();
    for (const auto more : {faultsOfSchema, faultsOfTori, faultsOfValues, faultsOfPartitions}) {
        for (const Fault& fault : more())
            all.push_back(fault);
    }
    return all;
}

/// Replaces, removes or adds one value anywhere.
void mutate(Json& value, std::mt19937& random)
{
    static const std::vector<Json> kValues{nullptr, true, 0, -1, 1, 2, 3.5, 1e300, -1e300, 4294967296LL,
        18446744073709551615u, "", "x", "gpt3-175b", "full", Json::array(), Json::object(),
        Json::array({1, "a", nullptr}), Json{{"base", "gpt2-xl"}}, Json{{"id", 1}}};
    const auto any = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    Json* place = &value;
    while (place->is_structured() && !place->empty() && any(4) != 0) {
        auto it = place->begin();
        std::advance(it, static_cast<std::ptrdiff_t>(any(place->size())));
        place = &*it;
    }
    switch (any(3)) {
    case 0:
        *place = kValues[any(kValues.size())];
        break;
    case 1:
        if (place->is_structured() && !place->empty()) {
            auto it = place->begin();
            std::advance(it, static_cast<std::ptrdiff_t>(any(place->size())));
            place->erase(it);
        }
        break;
    default:
        if (place->is_object())
            (*place)["added"] = kValues[any(kValues.size())];
        else if (place->is_array())
            place->push_back(kValues[any(kValues.size())]);
    }
}

} // namespace

class TestExchangeFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBaseIsValid()
    {
        for (const DocumentError& error : errorsOf(validPlan().dump()))
            QFAIL(describe(error).c_str());
    }

    void faultsAreTold_data()
    {
        QTest::addColumn<int>("index");
        const auto all = faults();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name) << static_cast<int>(i);
    }
    void faultsAreTold()
    {
        QFETCH(int, index);
        const Fault fault = faults()[static_cast<std::size_t>(index)];
        const DocumentErrors errors = errorsOf(fault.text);
        QVERIFY(!errors.empty());
        const DocumentError& error = errors.front();
        const std::string told = describe(error);
        QVERIFY2(error.code == fault.code, told.c_str());
        QVERIFY2(error.pointer.rfind(fault.pointer, 0) == 0, told.c_str());
        QVERIFY2(error.found.find(fault.found) != std::string::npos, told.c_str());
        QVERIFY2(error.expected.find(fault.expected) != std::string::npos, told.c_str());
        QVERIFY2(!error.expected.empty() && told.rfind("plan.json: ", 0) == 0, told.c_str());
        QVERIFY2(told.size() < 1000, told.c_str());
    }

    void everyFaultIsToldAtOnce()
    {
        Json plan = validPlan();
        plan["strategy"]["tp"] = "eight";
        plan["strategy"]["recompute"] = "some";
        plan["training"].erase("sequence_length");
        plan["training"]["precision"] = "bf17";
        plan["cluster"]["nodes"][0].erase("count");
        std::vector<std::string> pointers;
        for (const DocumentError& error : errorsOf(plan.dump()))
            pointers.push_back(error.pointer);
        std::sort(pointers.begin(), pointers.end());
        const std::vector<std::string> expected{"/cluster/nodes/0/count", "/strategy/recompute", "/strategy/tp",
            "/training/precision", "/training/sequence_length"};
        QCOMPARE(pointers, expected);
    }

    void faultsInsideAProjectHaveTheirPlace()
    {
        Json plan = validPlan();
        plan.erase("format");
        plan.erase("version");
        Json broken = plan;
        broken["strategy"]["tp"] = 0;
        Json unknown = plan;
        unknown["model"] = "gpt2-xm";
        const Json head = {{"format", "stratoplan-project"}, {"version", 1}, {"plan", plan}};
        Json project = head;
        project["pinned"] = {{{"name", "a"}, {"plan", plan}}, {{"name", "b"}, {"plan", broken}}};
        project["capacity"] = {{"goodput", 1.5}};
        project["canvas"] = {{"n", {{"x", 1}}}};
        DocumentErrors errors = errorsOf(project.dump());
        QCOMPARE(errors.size(), std::size_t{3});
        QCOMPARE(errors[0].pointer, std::string("/canvas/n/y"));
        QCOMPARE(errors[1].pointer, std::string("/capacity/goodput"));
        QCOMPARE(errors[1].expected, std::string("a number from 0 to 1"));
        QCOMPARE(errors[2].pointer, std::string("/pinned/1/plan/strategy/tp"));
        project = head;
        project["pinned"] = {{{"name", "a"}, {"plan", unknown}}};
        errors = errorsOf(project.dump());
        QCOMPARE(errors.size(), std::size_t{1});
        QCOMPARE(errors[0].pointer, std::string("/pinned/0/plan/model"));
    }

    void oversizedTextIsRefused()
    {
        const DocumentErrors errors = errorsOf(std::string(kMaxJsonBytes + 1, ' '));
        QCOMPARE(errors.size(), std::size_t{1});
        QVERIFY(errors.front().expected.find("64 MiB") != std::string::npos);
    }

    void byteOrderMarkIsFine() { QVERIFY(errorsOf("\xEF\xBB\xBF" + validPlan().dump()).empty()); }

    void manyFaultsAndManyKeysStayCheap()
    {
        Json plan = validPlan();
        plan["strategy"]["stage_layers"] = std::vector<int>(50000, -1);
        QVERIFY(!errorsOf(plan.dump()).empty());
        std::string text = R"({"format": "stratoplan-plan", "version": 1)";
        for (int i = 0; i < 50000; ++i)
            text += ",\"x_" + std::to_string(i) + "\":0";
        QVERIFY(!errorsOf(text + '}').empty()); // model, cluster, … are missing; must not take quadratic time
    }

    void missingFilesAreErrors()
    {
        for (const char* path : {"/no/such/plan.json", "/", ""}) {
            const auto document = readDocument(path, shippedCatalog());
            QVERIFY2(!document, path);
            QVERIFY(document.error().front().code == Code::Unreadable);
            QCOMPARE(document.error().front().file, std::string(path));
        }
    }

    void mutationsNeverCrash()
    {
        std::mt19937 random(20240229); // fixed: a failure can be repeated
        std::vector<Json> seeds;
        for (const Example& example : examples())
            seeds.push_back(Json::parse(example.text));
        for (const Example& example : examples()) // the same with every reference spelt out
            seeds.push_back(
                Json::parse(writePlan(parseDocument(example.text, shippedCatalog())->project.plan, Catalog{})));
        Document project;
        project.project.plan = parseDocument(examples().front().text, shippedCatalog())->project.plan;
        project.project.pinned = {{"A", project.project.plan, {}, {}}};
        project.project.canvas = {{"nodes", {1, 2}}};
        seeds.push_back(Json::parse(writeProject(project, shippedCatalog())));

        int refused = 0;
        for (int i = 0; i < 1200; ++i) {
            Json document = seeds[static_cast<std::size_t>(i) % seeds.size()];
            for (unsigned n = 0; n <= random() % 3; ++n)
                mutate(document, random);
            std::string text = document.dump();
            if (i % 5 == 0) // and now and then the text itself
                text[random() % text.size()] = static_cast<char>(random() % 256);
            const auto result = parseDocument(text, shippedCatalog(), "m.json");
            if (!result) {
                ++refused;
                QVERIFY(!result.error().empty());
                for (const DocumentError& error : result.error())
                    QVERIFY2(!error.found.empty() && !error.expected.empty(), text.c_str());
            } else {
                // What could be read can be written and read again, without loss.
                const std::string saved = result->isProject
                    ? writeProject(*result, shippedCatalog())
                    : writePlan(result->project.plan, shippedCatalog(), result->original);
                const auto again = parseDocument(saved, shippedCatalog());
                QVERIFY2(again && again->project == result->project, text.c_str());
            }
        }
        QVERIFY(refused > 400 && refused < 1160);
    }
};

STRATOPLAN_TEST(TestExchangeFaults)
#include "test_exchange_faults.moc"

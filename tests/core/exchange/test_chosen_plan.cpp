// SPDX-License-Identifier: GPL-3.0-or-later
// A plan with its answer: every rank stands where placement.h counts it, and what is read again says the same.
#include "core/exchange/chosen_plan.h"
#include "core/parallel/rank_places.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <numeric>
#include <set>

using namespace stratoplan;
using nlohmann::json;

namespace {

exchange::Document exampleDocument(const char* name)
{
    auto document = exchange::parseDocument(exchange::findExample(name)->text, catalog::shippedCatalog());
    return document ? std::move(*document) : exchange::Document{};
}

std::string chosenText(const exchange::Document& document)
{
    const auto estimate = estimate::estimate(document.project.plan);
    return estimate ? exchange::writeChosenPlan(
               document.project, *estimate, {"stratoplan", "9.9"}, catalog::shippedCatalog(), document.original)
                    : std::string();
}

} // namespace

class TestChosenPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itIsReadAsThePlanThatItIs()
    {
        for (const exchange::Example& example : exchange::examples()) {
            if (example.name == "scale-100k-h100")
                continue; // the same in 100,000 rows
            const exchange::Document document = exampleDocument(example.name.c_str());
            const std::string text = chosenText(document);
            const auto again = exchange::parseDocument(text, catalog::shippedCatalog());
            QVERIFY2(again.has_value(), example.name.c_str());
            QVERIFY2(again->project.plan == document.project.plan, example.name.c_str());
            QVERIFY2(again->warnings.empty(), example.name.c_str());
            const auto stated = exchange::statedAnswer(*again);
            QVERIFY(stated.has_value());
            QCOMPARE(stated->step, estimate::estimate(again->project.plan)->step.value());
            QCOMPARE(stated->version, std::string("9.9"));
            QCOMPARE(chosenText(*again), text);
        }
    }

    void everyRankStandsOnce()
    {
        const exchange::Document document = exampleDocument("deepseek-v3-2048-h800");
        const plan::Plan& plan = document.project.plan;
        const json map = json::parse(chosenText(document)).at("answer").at("rank_map");
        QVERIFY(map.at("columns") == json({"rank", "nodes", "node", "accelerator", "tp", "cp", "ep", "dp", "pp"}));
        QCOMPARE(int(map.at("rows").size()), rankCount(plan.strategy));
        const parallel::GroupPlaces pipeline(plan.strategy, parallel::RankGroup::Pipeline);
        std::set<json> accelerators, coordinates;
        for (const json& row : map.at("rows")) {
            accelerators.insert(json::array({row[1], row[2], row[3]}));
            coordinates.insert(json::array({row[4], row[5], row[7], row[8]}));
            QCOMPARE(row[8].get<int>(), pipeline.placeOf(row[0].get<int>()));
        }
        QCOMPARE(int(accelerators.size()), rankCount(plan.strategy));
        QCOMPARE(int(coordinates.size()), rankCount(plan.strategy));
    }

    void itSaysWhatFollows()
    {
        exchange::Document document = exampleDocument("llama3-405b-16384-h100");
        document.project.capacity.tokens = 15.6e12;
        const json answer = json::parse(chosenText(document)).at("answer");
        const auto layers = answer.at("stage_layers").get<std::vector<int>>();
        QCOMPARE(std::accumulate(layers.begin(), layers.end(), 0), document.project.plan.model.layers);
        QCOMPARE(answer.at("capacity").at("tokens").get<double>(), 15.6e12);
        QVERIFY(answer.at("estimate").at("step_range_s").at(0) < answer.at("estimate").at("step_s"));
        std::set<std::string> kinds;
        for (const json& source : answer.at("sources")) {
            kinds.insert(source.at("of").get<std::string>());
            QVERIFY(!source.at("source").get<std::string>().empty());
        }
        QVERIFY((kinds == std::set<std::string>{"accelerator", "link", "model", "software"}));
    }

    void anAnswerDoesNotOutliveItsPlan()
    {
        auto read = exchange::parseDocument(chosenText(exampleDocument("gpt2-xl-alpa")), catalog::shippedCatalog());
        QVERIFY(read.has_value());
        read->project.plan.training.globalBatch *= 2;
        const std::string saved = exchange::writePlan(read->project.plan, catalog::shippedCatalog(), read->original);
        QVERIFY(!json::parse(saved).contains("answer"));
        QVERIFY(!exchange::statedAnswer(exampleDocument("gpt2-xl-alpa")).has_value());
    }

    void brokenAnswersAreFaults()
    {
        json broken = json::parse(chosenText(exampleDocument("gpt2-xl-alpa")));
        broken["answer"].erase("program");
        const auto read = exchange::parseDocument(broken.dump(), catalog::shippedCatalog());
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().front().pointer, std::string("/answer/program"));
    }
};

STRATOPLAN_TEST(TestChosenPlan)
#include "test_chosen_plan.moc"

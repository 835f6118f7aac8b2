// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/estimate/estimate.h"
#include "core/validation/validation.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace stratoplan;
using namespace stratoplan::catalog;
using namespace stratoplan::parallel;
using namespace stratoplan::units;
using namespace stratoplan::validation;

using Json = nlohmann::json;

namespace {

const Json& row()
{
    static const Json base = Json::parse(R"({"id":"a/1","group":"a",
 "software":{"framework":"Megatron-LM","version":"core_r0.8"},
 "model":{"name":"GPT","kind":"dense","layers":24,"hidden":4096,"heads":32,"vocab":51200,"seq_len":2048,
 "gated_mlp":false},
 "hardware":{"accelerator":"A100 SXM","memory_gib":80,"gpus_per_node":8,"total_gpus":64},
 "parallel":{"tp":2,"pp":4,"dp":8,"cp":1,"ep":1,"vpp":1,"sequence_parallel":true,"zero_stage":1,"schedule":"1F1B"},
 "training":{"precision":"bf16","micro_batch":2,"global_batch":128,"recompute":"none","flash_attention":true},
 "measured":{"step_s":2.5,"peak_mem_gib":null}})");
    return base;
}

MeasuredCase read(const char* patch)
{
    Json one = row();
    one.merge_patch(Json::parse(patch));
    const auto set = readCases(Json::array({one}).dump(), shippedCatalog());
    return set && set->cases.size() == 1 ? set->cases[0] : MeasuredCase();
}

double seconds(const MeasuredCase& c)
{
    const auto answer = estimate::estimate(c.plan);
    return answer ? answer->step.value() * c.batchScale : 0;
}

bool lists(const MeasuredCase& c, const std::string& note)
{
    return std::ranges::find(c.filled, note) != c.filled.end();
}

} // namespace

class TestCaseChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// No other values of what is open are faster by more than nobody sweeps for.
    void whatIsOpenIsTheFastestThatFits()
    {
        const MeasuredCase chosen =
            read(R"({"parallel":{"vpp":null,"schedule":null},"training":{"micro_batch":null}})");
        const double step = seconds(chosen);
        QVERIFY(step > 0);
        double least = 1e9, most = 0;
        for (const int chunks : {1, 2, 3, 6})
            for (const int microBatch : {1, 2, 4, 8, 16}) {
                Json patch;
                patch["parallel"]["vpp"] = chunks;
                patch["parallel"]["schedule"] = chunks > 1 ? "interleaved" : "1F1B";
                patch["training"]["micro_batch"] = microBatch;
                const MeasuredCase other = read(patch.dump().c_str());
                const auto answer = estimate::estimate(other.plan);
                if (!answer || !answer->fits)
                    continue;
                least = std::min(least, seconds(other));
                most = std::max(most, seconds(other));
            }
        QVERIFY2(step < 1.02 * least + 1e-9, qPrintable(QStringLiteral("%1 %2").arg(step).arg(least)));
        QVERIFY(most > 1.1 * least); // there was something to choose
        const Strategy& s = chosen.plan.strategy;
        QVERIFY(lists(chosen, "parallel.vpp=" + std::to_string(s.vpp)));
        QVERIFY(lists(chosen, "training.micro_batch=" + std::to_string(s.microBatch)));
        QCOMPARE(s.schedule, s.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB);
        QVERIFY(chosen.nearLow <= 1 && chosen.nearHigh >= 1 && chosen.nearHigh > chosen.nearLow);
    }

    void whatIsStatedIsNotChosen()
    {
        const MeasuredCase stated = read("{}");
        QCOMPARE(stated.plan.strategy.vpp, 1);
        QCOMPARE(stated.plan.strategy.microBatch, 2);
        QCOMPARE(stated.nearLow, 1.0);
        QCOMPARE(stated.nearHigh, 1.0);
        // Nor is a schedule without interleaving, or of a framework that has none.
        QCOMPARE(read(R"({"parallel":{"vpp":null}})").plan.strategy.vpp, 1);
        const char* older = R"({"software":{"version":"2021"},"parallel":{"vpp":null,"schedule":null,"zero_stage":0}})";
        QCOMPARE(read(older).plan.strategy.vpp, 1);
        QVERIFY(read(R"({"parallel":{"vpp":null,"schedule":"interleaved"}})").plan.strategy.vpp > 1);
    }

    /// Rounds of stages that the batch does not fill are no choice: they were not run.
    void noBatchIsRoundedUpFurther()
    {
        const MeasuredCase odd = read(R"({"parallel":{"vpp":null,"schedule":null},
            "training":{"micro_batch":null,"global_batch":8}})");
        QCOMPARE(odd.plan.strategy.vpp, 1);
        QCOMPARE(odd.batchScale, 1.0);
        const MeasuredCase thirteen =
            read(R"({"parallel":{"vpp":null,"schedule":null},"training":{"global_batch":208}})");
        QCOMPARE(thirteen.plan.strategy.vpp, 1);
    }

    void recomputationIsAsLittleAsFits()
    {
        const char* small = R"({"training":{"recompute":null}})";
        QCOMPARE(read(small).plan.strategy.recompute, Recompute::None);
        QVERIFY(lists(read(small), "training.recompute=none"));
        const char* large = R"({"model":{"hidden":8192,"heads":64,"layers":48},
            "training":{"recompute":null,"micro_batch":4,"flash_attention":false}})";
        const MeasuredCase fits = read(large);
        QVERIFY(fits.plan.strategy.recompute != Recompute::None);
        const auto answer = estimate::estimate(fits.plan);
        QVERIFY(answer && answer->memory.peakLow <= answer->memory.capacity);
    }

    /// What ran out of memory was nobody's choice of what fits.
    void failedRunsAreReadByRule()
    {
        const char* failed = R"({"status":"oom-certain","parallel":{"vpp":null},
            "training":{"recompute":null,"micro_batch":null},"measured":{"step_s":null}})";
        const Strategy& s = read(failed).plan.strategy;
        QCOMPARE(s.recompute, Recompute::None);
        QCOMPARE(s.microBatch, 1);
    }
};

STRATOPLAN_TEST(TestCaseChoices)
#include "test_case_choices.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Every dimension of a strategy: read and written, held by a space, and with words of its own.
#include "core/plan/dimensions.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

bool isNumber(const DimensionRow& row)
{
    Strategy changed;
    setNumber(row.id, changed, number(row.id, changed) + 1);
    return changed != Strategy{};
}

/// All members unlike those of Strategy{}.
Strategy unusual()
{
    Strategy s;
    for (const DimensionRow& row : dimensions())
        setNumber(row.id, s, number(row.id, s) + 1);
    s.stageLayers = {3, 1};
    s.stageRecompute = {Recompute::Full, Recompute::None};
    s.recomputedLayers = {1, 0};
    s.stageTp = {2, 4};
    s.replicaMicroBatches = {2, 4};
    s.operatorPartitions = {{"QKV", "K", true, false}};
    s.rankOrder = {Axis::Pp, Axis::Dp, Axis::Ep, Axis::Cp, Axis::Tp};
    return s;
}

} // namespace

class TestDimensions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyDimensionHasOneRow()
    {
        std::set<Dimension> ids;
        std::set<std::string_view> keys;
        for (const DimensionRow& row : dimensions()) {
            QVERIFY(ids.insert(row.id).second && keys.insert(row.key).second && !row.key.empty());
            QVERIFY(&dimension(row.id) == &row);
            QCOMPARE(lockableFromKey(row.key).has_value(), int(row.id) < kLockableDimensions);
        }
        const std::set<Dimension> ofFiles(dimensionsOfFiles().begin(), dimensionsOfFiles().end());
        QCOMPARE(ofFiles.size(), dimensionsOfFiles().size());
        for (const DimensionRow& row : dimensions()) {
            const bool isMember = std::visit([](const auto& place) { return place.field != nullptr; }, row.place);
            QCOMPARE(ofFiles.contains(row.id), isMember);
        }
    }

    /// A member of Strategy without a row would survive.
    void theRowsCoverTheStrategy()
    {
        Strategy s = unusual();
        for (const DimensionRow& row : dimensions()) {
            const bool isMember = std::visit([](const auto& place) { return place.field != nullptr; }, row.place);
            QCOMPARE(isUsual(row, s), !isMember);
            makeUsual(row, s);
            QVERIFY(isUsual(row, s));
        }
        QVERIFY(s == Strategy{});
    }

    void numbersAreSetAndRead()
    {
        const Strategy want = unusual();
        for (const DimensionRow& row : dimensions()) {
            Strategy s;
            setNumber(row.id, s, number(row.id, want));
            QCOMPARE(number(row.id, s), number(row.id, want));
            if (!isNumber(row))
                QVERIFY(s == Strategy{});
            else
                QVERIFY(valueText(row, s) == valueText(row, want) && valueText(row, s) != valueText(row, Strategy{}));
        }
    }

    void choicesAreThoseThatHaveKeys()
    {
        QCOMPARE(choicesOf(dimension(Dimension::Offload)), (std::vector{0, 1, 2}));
        QCOMPARE(choicesOf(dimension(Dimension::TimingPass)), (std::vector{0, 1}));
        QVERIFY(choicesOf(dimension(Dimension::Tp)).empty());
        QCOMPARE(allValues<Schedule>().size(), std::size_t(13));
        QCOMPARE(allValues<Precision>().size(), kPrecisions.size());
        for (const DimensionRow& row : dimensions())
            for (const int choice : choicesOf(row)) {
                Strategy s;
                setNumber(row.id, s, choice);
                QCOMPARE(number(row.id, s), choice);
            }
    }

    void offeredValuesHoldTheOwn()
    {
        Plan plan = fixtures::small();
        plan.strategy.microBatch = 7;
        for (const DimensionRow& row : dimensions())
            if (isNumber(row) && (row.values || !choicesOf(row).empty())) {
                const std::vector<int> values = offeredValues(plan, row.id);
                QVERIFY(std::is_sorted(values.begin(), values.end()));
                QVERIFY(std::binary_search(values.begin(), values.end(), number(row.id, plan.strategy)));
            }
    }

    void aSpaceHoldsWhatItIsRestrictedTo()
    {
        const Strategy want = unusual();
        for (const DimensionRow& row : dimensions()) {
            SearchSpace space;
            QVERIFY(!isRestricted(row, space));
            restrictTo(row, space, want);
            QCOMPARE(isRestricted(row, space), isSearched(row));
            QVERIFY(allows(row, space, want, {}));
            QCOMPARE(allows(row, space, {}, {}), !isSearched(row));
            QVERIFY(!isSearched(row) || isLocked(row, space));
            makeFree(row, space);
            QVERIFY(space == SearchSpace{});
        }
    }

    void anOpenSpaceTriesWhatItSays()
    {
        const Strategy other = unusual();
        for (const DimensionRow& row : dimensions()) {
            if (!isSearched(row) || row.id == Dimension::RecomputedLayers)
                continue;
            QCOMPARE(allows(row, {}, other, {}), row.whereOpen == WhereOpen::All);
            QCOMPARE(allows(row, {}, other, other), row.whereOpen != WhereOpen::Usual);
            SearchSpace every;
            listAll(row, every);
            QVERIFY(allows(row, every, other, {}));
        }
    }

    void whatPlaysNoPartIsAsUsual()
    {
        const Plan plan = fixtures::small();
        Strategy s = unusual();
        s.stageLayers = s.recomputedLayers = s.stageTp = {};
        s.stageRecompute = {};
        s.tp = s.pp = s.dp = s.cp = s.ep = s.etp = 1;
        s.schedule = Schedule::Interleaved;
        const Strategy alone = canonical(s, plan.model);
        for (const DimensionRow& row : dimensions())
            QVERIFY(isUsual(row, alone) || !row.matters);
        QVERIFY(canonical(alone, plan.model) == alone);
        s.pp = 2;
        s.vpp = 1;
        QCOMPARE(canonical(s, plan.model).schedule, Schedule::OneFOneB);
        s.schedule = Schedule::BreadthFirst;
        QCOMPARE(canonical(s, plan.model).schedule, Schedule::GPipe);
    }

    void everyChoiceHasWords()
    {
        for (const DimensionRow& row : dimensions()) {
            const bool isChosen = std::visit([](const auto& place) { return place.choice != nullptr; }, row.place);
            QVERIFY(!isChosen || !row.noun.empty());
            std::set<std::string> phrases;
            for (const int choice : choicesOf(row)) {
                Strategy s;
                setNumber(row.id, s, choice);
                QVERIFY(phrases.insert(phraseOf(row.id, s)).second);
            }
            QVERIFY(row.whereOpen == WhereOpen::All || !row.otherwise.empty());
        }
        Strategy s;
        s.tp = 8;
        s.offload = Offload::Optimizer;
        QCOMPARE(phraseOf(Dimension::Tp, s), "TP 8");
        QCOMPARE(phraseOf(Dimension::ZeroStage, s), "ZeRO-0");
        QCOMPARE(phraseOf(Dimension::TimingPass, s), "no timing pass");
        s.timingPass = true;
        QCOMPARE(phraseOf(Dimension::TimingPass, s), "the timing pass");
        QCOMPARE(phraseOf(Dimension::TensorPartition, s), "the megatron partition");
        QCOMPARE(briefOf(dimension(Dimension::Offload), s), "offload optimizer");
        QVERIFY(briefOf(dimension(Dimension::VocabularyPlacement), s).empty());
    }
};

STRATOPLAN_TEST(TestDimensions)
#include "test_dimensions.moc"

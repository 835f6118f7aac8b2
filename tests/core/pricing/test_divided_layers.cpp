// SPDX-License-Identifier: GPL-3.0-or-later
// Plans whose tensor-parallel ranks divide layers in space and time: the same numbers on every way to them.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/estimate/partitions.h"
#include "core/partition/usual_ways.h"
#include "core/pricing/best_partition.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_pass.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/pricing_context.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <bit>
#include <random>

using namespace stratoplan;
using namespace stratoplan::pricing;
using fixtures::near;

namespace {

class RandomPlans {
public:
    explicit RandomPlans(unsigned seed)
        : m_random(seed)
    {
    }

    [[nodiscard]] int pick(std::initializer_list<int> values) { return values.begin()[m_random() % values.size()]; }
    [[nodiscard]] bool flip() { return pick({0, 1}) == 1; }

    /// Of up to 64 accelerators, memory scarce in some.
    [[nodiscard]] plan::Plan next()
    {
        plan::Plan plan;
        const int heads = pick({8, 16});
        plan.model = fixtures::gpt(8, heads * 128, heads);
        plan.model.gatedMlp = flip();
        plan.model.dropout = flip();
        plan.model.tiedEmbeddings = flip();
        plan.model.kvHeads = heads / pick({1, 2, 8});
        if (pick({0, 0, 1}) == 1) {
            plan.model.moe = model::MixtureOfExperts{};
            plan.model.moe->experts = 8;
            plan.model.moe->topK = 2;
            plan.model.moe->expertFfn = plan.model.ffnHidden / 2;
            plan.model.moe->sharedExperts = plan.model.gatedMlp ? 2 : 0;
            plan.training.software.expertOverlap = plan.model.dropout ? 0.5 : 0;
        }
        plan.training.attention = flip() ? plan::AttentionKernel::Flash : plan::AttentionKernel::Unfused;
        plan.training.fp32Gradients = flip();
        plan.training.sequenceLength = pick({1024, 2048});
        plan.training.software.recomputeEarlyStop = flip();
        plan.training.software.hostForward = Seconds(pick({0, 1}) * 3e-4);
        plan.training.software.gradientAccumulationBytes = pick({0, 8});
        strategy(plan);
        plan.cluster = fixtures::cluster(std::max(1, rankCount(plan.strategy) / m_perNode), m_perNode);
        plan.cluster.nodes[0].accelerator.memory = Bytes(pick({4, 6, 10, 80}) * kGiB);
        return plan;
    }

    [[nodiscard]] partition::Division division(PlanProgramme& layer)
    {
        partition::ChosenStates chosen{};
        for (std::size_t op = 0; op < layer.programme().states().size(); ++op)
            chosen[op] =
                std::int16_t(pick({0, 1, 2, 3, 5, 7, 11, 13, 17}) % int(layer.programme().states()[op].size()));
        return layer.programme().price(chosen, 0);
    }

private:
    void strategy(plan::Plan& plan)
    {
        parallel::Strategy& s = plan.strategy;
        s.tensorPartition = parallel::TensorPartition::SpatialTemporal;
        s.tp = pick({2, 4, 8});
        m_perNode = pick({2, 4, 8});
        s.pp = pick({1, 2, 4});
        s.dp = std::max(m_perNode / s.tp, pick({1, 2}));
        s.cp = pick({1, 1, 2, 4});
        s.contextMethod = std::array{parallel::ContextMethod::Ring, parallel::ContextMethod::AllGather,
            parallel::ContextMethod::Ulysses}[std::size_t(pick({0, 1, 2}))];
        if (plan.model.heads % (s.tp * s.cp) != 0) // Megatron's columns leave too few for Ulysses
            s.contextMethod = parallel::ContextMethod::Ring;
        s.microBatch = pick({1, 2});
        s.zeroStage = s.pp > 1 ? pick({0, 1}) : pick({0, 1, 2, 3});
        s.recompute = parallel::kAllRecompute[std::size_t(pick({0, 1, 2}))];
        if (s.pp > 1)
            s.schedule = std::array{parallel::Schedule::OneFOneB, parallel::Schedule::GPipe, parallel::Schedule::ZbH1,
                parallel::Schedule::ZbAuto}[std::size_t(pick({0, 1, 2, 3}))];
        if (plan.model.moe && s.dp > 1)
            s.ep = 2;
        plan.training.globalBatch = s.dp * s.microBatch * pick({4, 16});
    }

    std::mt19937 m_random;
    int m_perNode = 8;
};

estimate::Estimate estimated(const plan::Plan& plan)
{
    const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
    if (!answer)
        qFatal("no estimate: %s", answer.error().front().where.c_str());
    return *answer;
}

std::optional<plan::ProblemCause> objection(const plan::Plan& plan)
{
    const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
    return answer ? std::nullopt : std::optional(answer.error().front().cause);
}

/// In FP8, attention too.
void makeNarrow(plan::Plan& plan)
{
    plan.training.attention = plan::AttentionKernel::FlashFp8;
    plan.training.precision = model::Precision::Fp8;
    cluster::Accelerator& accelerator = plan.cluster.nodes[0].accelerator;
    accelerator.peak[model::Precision::Fp8] = FlopsPerSecond(624e12);
    accelerator.exponentials = FlopsPerSecond(2.4e12);
}

/// A plan whose layers Megatron's partition in words prices as Megatron's own does.
plan::Plan inWords(plan::Plan plan)
{
    plan.model.moe.reset();
    plan.strategy.ep = 1;
    plan.model.kvHeads = plan.model.heads;
    plan.model.linearBias = false;
    plan.training.software.sequenceParallelRegather = 1;
    plan.strategy.recompute = parallel::Recompute::None;
    plan.training.globalBatch *= 16; // share out sums of norms' gradients: Megatron's are not priced
    return plan;
}

/// That the first stage holds of other ranks of context parallelism.
Bytes contextBlocks(const plan::Plan& plan)
{
    const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
    Bytes sum{};
    for (const cost::LedgerItem& item : cost::memoryLedger(plan, lowered(plan, machine).workload, 0))
        if (item.name.ends_with("keys and values of other ranks"))
            sum += item.bytes;
    return sum;
}

/// What the layers of a stage that runs them alone take of a micro-batch, but for the host.
Seconds ofLayer(const LayerCost& layer)
{
    const auto device = [](const PassCost& pass) { return pass.compute + pass.exposed.tp + pass.exposed.cp; };
    return device(layer.forward) + device(layer.backward) + device(layer.recompute);
}

/// Flattened gradients between replicas, in buckets of so much of all that the best division has.
plan::Plan withBuckets(plan::Plan plan, double share)
{
    parallel::Strategy& s = plan.strategy;
    s.zeroStage = 1;
    if (s.schedule == parallel::Schedule::ZbAuto)
        s.schedule = parallel::Schedule::OneFOneB; // holds more where there is room
    plan.training.software.reduceBuckets = Bytes(partition::kInfinity);
    const estimate::Estimate whole = estimated(plan);
    plan::Plan without = plan;
    without.strategy.operatorPartitions = whole.settled.operatorPartitions;
    without.training.software.reduceBuckets = {};
    const auto buffers = [](const estimate::Estimate& e) { return e.memory.stages.front().buffers; };
    plan.training.software.reduceBuckets = (buffers(whole) - buffers(estimated(without))) * share;
    return plan;
}

} // namespace

class TestDividedLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// An estimate, a search's price, and the plan with what was found written down.
    void everyWayGivesTheSame()
    {
        RandomPlans random(3);
        const catalog::Catalog& catalog = catalog::shippedCatalog();
        for (int round = 0; round < 60; ++round) {
            const plan::Plan plan = random.next();
            const estimate::Estimate e = estimated(plan);
            QVERIFY(near(e.breakdown.total().value(), e.step.value()));
            QCOMPARE(e.settled.operatorPartitions.empty(), false);
            PricingContext context(plan, catalog);
            const auto priced = price(context, plan.strategy, PipelineTime::Simulated);
            QVERIFY(priced.has_value());
            QCOMPARE(priced->step.value(), e.step.value());
            QVERIFY(near(priced->peak.value(), e.memory.peak.value()));
            QVERIFY(price(context, plan.strategy, PipelineTime::ClosedForm)->step <= e.step * (1 + 1e-12));
            plan::Plan written = plan;
            written.strategy.operatorPartitions = e.settled.operatorPartitions;
            const estimate::Estimate again = estimated(written);
            QCOMPARE(again.step.value(), e.step.value());
            QCOMPARE(again.memory.peak.value(), e.memory.peak.value());
            QCOMPARE(price(context, written.strategy, PipelineTime::Simulated)->step.value(), e.step.value());
        }
    }

    /// A layer takes what its programme says, and so does the fullest stage.
    void layersAreThoseOfTheProgramme()
    {
        RandomPlans random(4);
        int full = 0, limited = 0;
        for (int round = 0; round < 60; ++round) {
            plan::Plan plan = random.next();
            plan.model.moe.reset();
            plan.strategy.ep = 1;
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine);
            const Terms asked = terms(plan, machine, layer.fastest().seconds);
            const std::vector<partition::MemoryForm>& forms = asked.memory;
            const double capacity = asked.capacity;
            const partition::Division best = layer.best(asked);
            cost::Fleet fleet(plan, catalog::shippedCatalog());
            const plan::Plan settled = pricing::settled(plan, fleet).value();
            QCOMPARE(settled.strategy.operatorPartitions, layer.inWords(best));
            QVERIFY(near(ofLayer(priceStages(settled, fleet).micro.dense).value(), best.seconds));
            const estimate::Estimate e = estimated(plan);
            const bool fits = peak(forms, best) <= capacity;
            full += int(!fits);
            limited += int(fits && !isSame(best, layer.cheapest(asked.ofParameter)));
            if (plan.strategy.schedule == parallel::Schedule::ZbAuto)
                continue; // holds more where there is room
            if (!settled.strategy.sequenceParallel)
                continue; // its ends hold more
            QVERIFY2(near(e.memory.peak.value(), peak(forms, best)),
                qPrintable(QString::number(e.memory.peak.value() / peak(forms, best) - 1)));
            QCOMPARE(e.fits, fits);
        }
        QVERIFY(full > 0 && limited > 0); // both were tried
    }

    /// No division that fits takes a micro-batch less time, what its parameters take in the end included.
    void noOtherThatFitsCostsLess()
    {
        RandomPlans random(5);
        int others = 0;
        for (int round = 0; round < 12; ++round) {
            plan::Plan plan = random.next();
            const estimate::Estimate e = estimated(plan);
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine);
            const double ofParameter = terms(plan, machine, layer.fastest().seconds).ofParameter;
            const auto costOf = [&](const parallel::Strategy& strategy) {
                plan::Plan divided = plan;
                divided.strategy = strategy;
                const auto layers = dividedLayers(divided, machine);
                return layers->any().passes.total().value() + ofParameter * layers->any().parameters;
            };
            const double best = costOf(e.settled);
            for (int i = 0; i < 40; ++i) {
                plan::Plan other = plan;
                other.strategy.operatorPartitions = layer.inWords(random.division(layer));
                const estimate::Estimate answer = estimated(other);
                if (!answer.fits || !e.fits)
                    continue;
                ++others;
                QVERIFY(costOf(answer.settled) >= best * (1 - 1e-9));
            }
        }
        QVERIFY(others > 50);
    }

    /// Which hold all gradients where these are fewer: stages by stage, as divisions have more parameters or less.
    void bucketsAreCountedAsTheyAre()
    {
        RandomPlans random(15);
        int either = 0, compared = 0, faster = 0;
        for (int round = 0; round < 60; ++round) {
            const plan::Plan plan = withBuckets(random.next(), random.pick({6, 9, 12}) / 10.0);
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine);
            const Terms asked = terms(plan, machine, layer.fastest().seconds);
            either += int(!asked.otherwise.empty());
            const auto cost = [&](const partition::Division& d) {
                return d.seconds + asked.ofParameter * d.parameters;
            };
            for (int i = 0; i < 20; ++i) {
                plan::Plan divided = plan;
                const partition::Division other = random.division(layer);
                divided.strategy.operatorPartitions = layer.inWords(other);
                const estimate::Estimate e = estimated(divided);
                if (!e.settled.sequenceParallel)
                    continue; // its ends hold more
                ++compared;
                QVERIFY(near(e.memory.peak.value(), peak(asked, other)));
                Terms tight = asked; // it just fits
                tight.capacity = peak(asked, other) * (1 + 1e-9);
                const double best = cost(layer.best(tight));
                QVERIFY(best <= cost(other) * (1 + 1e-9));
                tight.otherwise.clear();
                const partition::Division first = layer.best(tight);
                faster += int(peak(tight, first) > tight.capacity || cost(first) > best * (1 + 1e-9));
            }
        }
        QVERIFY2(either > 20 && compared > 200 && faster > 0,
            qPrintable(QString("%1 %2 %3").arg(either).arg(compared).arg(faster)));
    }

    /// Where nothing hides the end of the step and no pipeline fills, steps differ by the cost of their layers alone.
    void stepsDifferByCost()
    {
        RandomPlans random(10);
        int unlike = 0, slower = 0;
        for (int round = 0; round < 80; ++round) {
            plan::Plan plan = random.next();
            plan.model.moe.reset();
            parallel::Strategy& s = plan.strategy;
            s.ep = s.pp = 1;
            s.dp = std::max(s.dp, 8 / s.tp);
            s.schedule = parallel::Schedule::OneFOneB;
            s.zeroStage = random.pick({0, 1, 2, 3});
            plan.training.globalBatch = s.dp * s.microBatch * random.pick({1, 4});
            plan.cluster = fixtures::cluster(std::max(1, rankCount(s) / 4), std::min(4, rankCount(s)));
            plan.training.software.dpOverlap = plan.training.software.fsdpHidden = 0;
            plan.training.software.hostForward = {};
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine);
            const double ofParameter = terms(plan, machine, layer.fastest().seconds).ofParameter;
            bool sharesStream = true; // else what is beside the layers differs, too
            const auto withDivision = [&](const partition::Division& division) {
                plan::Plan divided = plan;
                divided.strategy.operatorPartitions = layer.inWords(division);
                const estimate::Estimate e = estimated(divided);
                sharesStream &= e.settled.sequenceParallel;
                return e.step.value();
            };
            const partition::Division other = random.division(layer), fastest = layer.fastest();
            const double perStep = plan.model.layers * microBatches(plan) * pricing::stretch(plan, machine);
            const double cost = other.seconds - fastest.seconds + ofParameter * (other.parameters - fastest.parameters);
            const double more = withDivision(other) - withDivision(fastest);
            if (!sharesStream)
                continue;
            QVERIFY2(std::abs(more - cost * perStep) < 0.02 * (std::abs(more) + 1e-3 * withDivision(fastest)),
                qPrintable(QString("%1 %2").arg(more).arg(cost * perStep)));
            unlike += int(other.parameters > fastest.parameters * 1.01);
            slower += int(!isSame(layer.cheapest(ofParameter), fastest));
        }
        QVERIFY2(unlike > 10 && slower > 3, qPrintable(QString("%1 %2").arg(unlike).arg(slower)));
    }

    /// A step whose layers are divided anyhow is no shorter than one of the lightest layers that take as long.
    void lightestLayersBoundSteps()
    {
        RandomPlans random(12);
        int near = 0;
        for (int round = 0; round < 60; ++round) {
            plan::Plan plan = random.next();
            parallel::Strategy& s = plan.strategy;
            s.vocabularyPlacement = parallel::VocabularyPlacement::Ends;
            s.zeroStage = s.pp > 1 ? random.pick({0, 1}) : random.pick({0, 1, 2, 3});
            if (s.schedule == parallel::Schedule::ZbAuto)
                s.schedule = parallel::Schedule::OneFOneB;
            PricingContext context(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, context.machine());
            const partition::Division division = random.division(layer);
            const Seconds experts = plan.model.moe ? secondsOfExperts(plan, context.machine()) : Seconds{};
            const auto stepOf = [](const PricedPipeline& pipeline) {
                return pipeline.step(PipelineTime::ClosedForm).value();
            };
            double least = INFINITY;
            for (const bool sharesStream : {false, true}) {
                s.sequenceParallel = sharesStream;
                const PricedDivision lightest = context.lightest(s, Seconds(division.seconds) + experts);
                least = std::min(least, stepOf(PricedPass(lightest, context.groups(s)).lightest()));
            }
            s.operatorPartitions = layer.inWords(division);
            const double step = stepOf(PricedPass(context.division(s), context.groups(s)).pipeline());
            QVERIFY2(least <= step * (1 + 1e-12), qPrintable(QString("%1: %2 %3").arg(round).arg(least).arg(step)));
            near += int(least > 0.8 * step);
        }
        QVERIFY2(near > 20, qPrintable(QString::number(near)));
    }

    /// What is known of other prices of parameters, and of other numbers of micro-batches, says what a programme of its
    /// own says, of divisions that cost the same the same one.
    void pricesOfParametersAreBracketed()
    {
        RandomPlans random(11);
        int unlike = 0;
        for (int round = 0; round < 12; ++round) {
            const plan::Plan plan = random.next();
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine), alone(plan, machine);
            const partition::Division fastest = layer.fastest();
            for (int i = 0; i < 20; ++i) {
                partition::ProgrammeGoal goal;
                goal.ofParameter = random.pick({1, 3, 10, 30, 100, 300, 1000}) * random.pick({7, 8, 9}) * 1e-4
                    * fastest.seconds / fastest.parameters;
                const int microBatches = random.pick({1, 2, 3, 8, 60});
                layer.spread(microBatches);
                alone.programme().spread(microBatches);
                const partition::Division& cheapest = layer.cheapest(goal.ofParameter);
                const partition::Division own = alone.programme().solve(goal).best.front();
                QVERIFY(near(goal.cost(cheapest), goal.cost(own)));
                QVERIFY(isSame(cheapest, own));
                unlike += int(!isSame(cheapest, fastest));
            }
        }
        QVERIFY(unlike > 20);
    }

    /// Megatron's partition in words is Megatron's, but for parameters of norms and biases.
    void megatronInWordsIsMegatron()
    {
        RandomPlans random(6);
        int exchanges = 0;
        for (int round = 0; round < 30; ++round) {
            plan::Plan plan = inWords(random.next());
            const bool isFused = plan.training.attention == plan::AttentionKernel::Flash;
            if (isFused && round % 2 == 0)
                makeNarrow(plan);
            const partition::Block layer = partition::block(plan, false, plan.strategy.recompute);
            plan.strategy.operatorPartitions = megatronWays(layer, std::countr_zero(unsigned(plan.strategy.tp)), true);
            const estimate::Estimate words = estimated(plan);
            QVERIFY(words.settled.sequenceParallel);
            plan.strategy = asMegatron(std::move(plan.strategy));
            plan.strategy.sequenceParallel = true;
            const estimate::Estimate megatron = estimated(plan);
            QVERIFY2(std::abs(words.step / megatron.step - 1) < 0.02,
                qPrintable(QString::number(words.step / megatron.step - 1)));
            QVERIFY(std::abs(words.memory.peak / megatron.memory.peak - 1) < 0.03);
            const Seconds hidden = words.breakdown.hidden.cp, usual = megatron.breakdown.hidden.cp;
            QVERIFY(
                near((words.breakdown.exposed.cp + hidden).value(), (megatron.breakdown.exposed.cp + usual).value()));
            // Unfused products are launched in halves: there is a little more to hide behind.
            QVERIFY(near(hidden.value(), usual.value())
                || (!isFused && hidden > usual && hidden - usual < megatron.step * 0.01));
            const Bytes blocks = contextBlocks(plan);
            plan.strategy = words.settled;
            QVERIFY(near(contextBlocks(plan).value(), blocks.value()));
            QCOMPARE(megatron.breakdown.exposed.cp + megatron.breakdown.hidden.cp > Seconds{}, plan.strategy.cp > 1);
            exchanges += int(plan.strategy.cp > 1);
        }
        QVERIFY(exchanges > 10);
    }

    /// Routed and shared experts compute what Megatron's do, and hide as much of what travels to them. Where tokens are
    /// divided already nothing is gathered for routed ones.
    void megatronInWordsHasItsExperts()
    {
        RandomPlans random(14);
        int rounds = 0, repeated = 0, hides = 0;
        for (int round = 0; round < 60; ++round) {
            plan::Plan plan = random.next();
            if (!plan.model.moe)
                continue;
            const model::MixtureOfExperts experts = *plan.model.moe;
            const int ep = plan.strategy.ep;
            plan = inWords(std::move(plan));
            plan.model.moe = experts;
            plan.model.moe->sharedExperts = random.pick({1, 2});
            plan.strategy.ep = ep;
            plan.training.software.expertOverlap = random.pick({1, 5, 9}) / 10.0;
            plan.strategy.recompute = random.flip() ? parallel::Recompute::Full : parallel::Recompute::None;
            const partition::Block layer = partition::block(plan, true, plan.strategy.recompute);
            plan.strategy.operatorPartitions = megatronWays(layer, std::countr_zero(unsigned(plan.strategy.tp)), true);
            const estimate::Estimate words = estimated(plan);
            plan.strategy = asMegatron(std::move(plan.strategy));
            plan.strategy.sequenceParallel = true;
            const estimate::Estimate megatron = estimated(plan);
            QVERIFY(near(words.breakdown.hidden.ep.value(), megatron.breakdown.hidden.ep.value()));
            QVERIFY(near(words.breakdown.exposed.ep.value(), megatron.breakdown.exposed.ep.value()));
            const double compute = words.breakdown.compute() / megatron.breakdown.compute() - 1;
            QVERIFY2(std::abs(compute) < 0.02, qPrintable(QString::number(compute)));
            const Seconds more = words.breakdown.recompute - megatron.breakdown.recompute;
            QVERIFY2(std::abs(more / megatron.breakdown.compute()) < 0.01, qPrintable(QString::number(more.value())));
            ++rounds;
            repeated += int(plan.strategy.recompute == parallel::Recompute::Full);
            hides += int(megatron.breakdown.hidden.ep > Seconds{});
        }
        QVERIFY(rounds > 10 && repeated > 3 && hides > 3);
    }

    /// The host calls as much for any division as for Megatron's with sequence parallelism, experts included; one that
    /// launches a graph calls nothing.
    void divisionsCostTheHostAsMegatrons()
    {
        const auto stepOf = [](plan::Plan plan, double host, double expert, double call) {
            plan::SoftwareProfile& software = plan.training.software;
            software.hostForward = software.hostBackward = Seconds(host); // of a second: beside it no device counts
            software.hostPerExpert = Seconds(expert);
            software.hostPerCollective = Seconds(call);
            return estimated(plan).step;
        };
        for (const bool shares : {false, true})
            for (const auto& [host, expert] : {std::pair(1.0, 0.0), std::pair(0.0, 1.0), std::pair(1.0, 1.0)}) {
                plan::Plan plan = fixtures::small();
                plan.strategy.tp = 4;
                plan.strategy.dp = 2;
                plan.strategy.sequenceParallel = true;
                if (expert > 0)
                    plan.model.moe = model::MixtureOfExperts{.experts = 4, .topK = 2, .expertFfn = 64};
                const Seconds megatron = stepOf(plan, host, expert, 0.1);
                plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
                const partition::Block layer = partition::block(plan, expert > 0, plan.strategy.recompute);
                plan.strategy.operatorPartitions = megatronWays(layer, 2, shares);
                QVERIFY(std::abs(stepOf(plan, host, expert, 0.1) / megatron - 1) < 1e-3);
                QCOMPARE(stepOf(plan, 0, 0, 0.1).value(), stepOf(plan, 0, 0, 0).value());
            }
    }

    /// Values that pass scores and softmax over, and tokens of routed experts that pass shared ones.
    void operatorsNameWhatElseTheyTake()
    {
        using enum partition::OperatorKind;
        RandomPlans random(16);
        int values = 0, tokens = 0;
        for (int round = 0; round < 40; ++round) {
            plan::Plan plan = random.next();
            plan.strategy.operatorPartitions = estimated(plan).settled.operatorPartitions;
            const bool shared = plan.model.moe && plan.model.moe->sharedExperts > 0;
            const auto layers = dividedLayers(plan, cost::machine(plan, catalog::shippedCatalog()));
            QVERIFY(layers.has_value());
            const std::vector<partition::PricedOperator>& operators = layers->any().operators;
            for (const partition::PricedOperator& op : operators) {
                QCOMPARE(op.alsoFrom >= 0, op.kind == Context || (op.kind == Experts && shared));
                if (op.alsoFrom < 0)
                    continue;
                const partition::PricedOperator& from = operators[std::size_t(op.alsoFrom)];
                QVERIFY(
                    op.kind == Context ? from.chosen.op == "QKV" : from.kind == Norm && from.chosen.op == "FFN norm");
                ++(op.kind == Context ? values : tokens);
            }
        }
        QVERIFY(values > 5 && tokens > 2);
    }

    /// Each is the fastest for what it needs, and they reach from the fastest to about the leanest.
    void someOfTheFrontAreOnIt()
    {
        RandomPlans random(14);
        int between = 0;
        for (int round = 0; round < 20; ++round) {
            const plan::Plan plan = random.next();
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme layer(plan, machine);
            const MemoryForms memory = memoryForms(plan).front();
            const std::vector<partition::Division> whole = layer.front(memory), some = layer.someOfFront(memory);
            for (const partition::Division& division : some) {
                const auto fastest = std::ranges::find_if(
                    whole, [&](const partition::Division& d) { return peak(memory, d) <= peak(memory, division); });
                QVERIFY(fastest != whole.end() && near(fastest->seconds, division.seconds));
            }
            QVERIFY(near(some.front().seconds, whole.front().seconds));
            QVERIFY(some.size() <= 33 && peak(memory, some.back()) * 0.9 <= peak(memory, whole.back()));
            between += int(some.size()) - 2;
        }
        QVERIFY(between > 20);
    }

    /// What partitions are compared with takes what its own step takes of a layer, with what software hides of it.
    void megatronsLayerIsThatOfItsStep()
    {
        RandomPlans random(13);
        for (int round = 0; round < 20; ++round) {
            plan::Plan plan = inWords(random.next());
            plan.training.software.hostForward = {};
            plan.training.software.tpOverlap = random.pick({0, 3, 6, 9}) / 10.0;
            plan.training.attention = plan::AttentionKernel::Flash;
            const estimate::PartitionAnswer answer = estimate::partitions(plan).value();
            plan.strategy = answer.megatron->strategy;
            cost::Fleet fleet(plan, catalog::shippedCatalog());
            const LayerCost layer = priceStages(plan, fleet).micro.dense;
            const double ratio = answer.megatron->layer.passes.total() / ofLayer(layer);
            QVERIFY2(std::abs(ratio - 1) < 0.02, qPrintable(QString::number(ratio)));
        }
    }

    /// With sequence parallelism and without, the one that is compared and the other, as their own estimates have them.
    void bothOfMegatronsAreKnown()
    {
        RandomPlans random(14);
        int others = 0;
        for (int round = 0; round < 10; ++round) {
            plan::Plan plan = random.next();
            const estimate::PartitionAnswer answer = estimate::partitions(plan).value();
            QVERIFY(answer.otherMegatronOf(parallel::spatialTemporal(plan.strategy)) == nullptr);
            for (const bool on : {false, true}) {
                plan.strategy = parallel::asMegatron(plan.strategy);
                plan.strategy.sequenceParallel = on;
                const estimate::PartitionEstimate* const other = answer.otherMegatronOf(plan.strategy);
                QCOMPARE(other != nullptr, answer.otherMegatron && on != answer.sequenceParallel);
                others += other ? 1 : 0;
                if (const auto own = estimate::estimate(plan); own && (other || on == answer.sequenceParallel))
                    QCOMPARE((other ? *other : *answer.megatron).step.value(), own->step.value());
            }
        }
        QVERIFY(others > 5);
    }

    /// Operators add up to what the stages take of a layer, with what its experts compute and exchange.
    void rowsAddUpWithExperts()
    {
        RandomPlans random(8);
        int exchanges = 0, repeats = 0;
        for (int round = 0; round < 12; ++round) {
            plan::Plan plan = random.next();
            while (!plan.model.moe)
                plan = random.next();
            plan.training.software.gradientAccumulationBytes = 0;
            const estimate::PartitionAnswer answer = estimate::partitions(plan).value();
            plan.strategy = answer.best.strategy;
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            cost::Fleet fleet(plan, catalog::shippedCatalog());
            const LayerCost layer = priceStages(plan, fleet).micro.moe;
            const Seconds exchanged = layer.forward.exposed.ep + layer.backward.exposed.ep + layer.recompute.exposed.ep;
            const Seconds experts = secondsOfExperts(plan, machine);
            QVERIFY(near(answer.best.layer.passes.total().value(), (ofLayer(layer) + exchanged).value()));
            std::vector<const estimate::PartitionEstimate*> all{&answer.best, &*answer.megatron};
            for (const estimate::PartitionEstimate& point : answer.front)
                all.push_back(&point);
            for (const estimate::PartitionEstimate* const other : all) {
                partition::PassPrices sum;
                for (const partition::PricedOperator& op : other->layer.operators)
                    sum += op.passes;
                QVERIFY(near(sum.total().value(), other->layer.passes.total().value()));
                const partition::PassPrices& ofExperts = other->layer.operators.back().passes;
                QVERIFY(near(ofExperts.all().compute.value(), experts.value()));
                QVERIFY(ofExperts.all().exposed >= exchanged);
            }
            exchanges += int(exchanged > Seconds{});
            repeats += int(layer.recompute.exposed.ep > Seconds{});
        }
        QVERIFY(exchanges > 0 && repeats > 0);
    }

    void whatCannotBeDividedSaysWhy()
    {
        using enum plan::ProblemCause;
        RandomPlans random(7);
        plan::Plan plan = random.next();
        while (plan.model.moe || plan.strategy.pp == 1 || plan.strategy.tp != 4)
            plan = random.next();
        QVERIFY(!objection(plan));
        plan::Plan other = plan;
        other.strategy.recomputedLayers.assign(std::size_t(plan.strategy.pp), 1);
        other.strategy.recompute = parallel::Recompute::Full;
        QCOMPARE(objection(other), std::optional(PartitionUnlikeRecompute));
        other = plan;
        other.strategy.operatorPartitions = estimated(plan).settled.operatorPartitions;
        QVERIFY(!objection(other));
        other.strategy.operatorPartitions.pop_back();
        QCOMPARE(objection(other), std::optional(PartitionOperatorMissing));
        other.strategy.operatorPartitions.push_back({"FFN down", "P4x4", false, false});
        QCOMPARE(objection(other), std::optional(PartitionRanks));
        other.strategy.operatorPartitions = estimated(plan).settled.operatorPartitions;
        other.strategy.operatorPartitions.push_back(other.strategy.operatorPartitions.front());
        QCOMPARE(objection(other), std::optional(PartitionOperatorTwice));
        other.strategy.operatorPartitions.back().op = "router";
        QCOMPARE(objection(other), std::optional(PartitionOperatorUnknown));
        other.strategy.operatorPartitions.pop_back();
        other.strategy.operatorPartitions.back().sequence = "P4x4";
        other.strategy.tensorPartition = parallel::TensorPartition::Megatron;
        QCOMPARE(objection(other), std::optional(PartitionUnused)); // not left out without a word
        other = plan;
        other.strategy.tp = 1;
        other.strategy.dp *= 4;
        other.training.globalBatch *= 4;
        QVERIFY(!objection(other)); // one rank divides nothing
        other.strategy.operatorPartitions = estimated(plan).settled.operatorPartitions;
        QCOMPARE(objection(other), std::optional(PartitionOneRank));
        other.strategy.operatorPartitions.clear();
        QCOMPARE(estimate::notDivisible(other).front().cause, PartitionOneRank);
        other.model.mla = model::LatentAttention{}; // more ranks would not help
        QCOMPARE(estimate::notDivisible(other).front().cause, PartitionLatentAttention);
    }

    /// Asked within corners of time and memory, the programme gives what is best without them, or nothing where that is
    /// in none: whatever it was asked before.
    void cornersAskForNoOtherDivision()
    {
        RandomPlans random(8);
        int given = 0, left = 0;
        for (int round = 0; round < 80; ++round) {
            plan::Plan plan = random.next();
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme programme(plan, machine), free(plan, machine);
            for (int i = 0; i < 12; ++i) {
                plan.strategy.zeroStage = plan.strategy.pp > 1 ? random.pick({0, 1}) : random.pick({0, 1, 2, 3});
                Terms asked = terms(plan, machine, free.fastest().seconds);
                asked.capacity = random.pick({4, 6, 10, 80}) * kGiB;
                asked.ofParameter *= random.pick({0, 1, 1, 10});
                const std::vector<partition::MemoryForm>& forms = asked.memory;
                const double capacity = asked.capacity;
                const partition::Division& best = free.best(asked);
                const auto about = [&](double value) { return value * random.pick({80, 95, 99, 101, 105, 120}) / 100; };
                std::vector<partition::Corner> corners{{about(best.seconds), INFINITY}};
                while (random.flip())
                    corners.push_back(
                        {corners.back().seconds * 1.05, std::min(corners.back().peak, about(peak(forms, best)))});
                const bool isIn =
                    peak(forms, best) <= capacity && std::ranges::any_of(corners, [&](const partition::Corner& corner) {
                        return best.seconds < corner.seconds && peak(forms, best) < corner.peak;
                    });
                const partition::Division* const found = programme.fitting(asked, corners);
                if (peak(forms, free.cheapest(asked.ofParameter)) <= capacity)
                    QVERIFY(found != nullptr || !isIn); // it may be known before it is asked where it is
                else
                    QCOMPARE(found != nullptr, isIn);
                if (found != nullptr) {
                    QCOMPARE(found->seconds, best.seconds);
                    QVERIFY(found->states == best.states && found->again == best.again);
                }
                (found != nullptr ? given : left) += 1;
            }
        }
        QVERIFY2(given > 40 && left > 40, qPrintable(QString("%1 %2").arg(given).arg(left)));
    }

    /// A corner that holds nothing as cheap as a division that fits may hold the cheapest where that one fits no
    /// longer.
    void whatWasCheaperMustFitToo()
    {
        RandomPlans random(10);
        int found = 0;
        for (int round = 0; round < 150; ++round) {
            const plan::Plan plan = random.next();
            const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
            PlanProgramme free(plan, machine);
            Terms asked = terms(plan, machine, free.fastest().seconds);
            if (!asked.otherwise.empty())
                continue;
            const auto within = [&](double room) {
                Terms narrow = asked;
                narrow.capacity = room;
                return narrow;
            };
            std::vector<partition::Division> best; // by falling room
            for (double room = INFINITY; best.size() < 40; room = peak(asked, best.back()) * (1 - 1e-6)) {
                const partition::Division* const fits = free.fitting(within(room));
                if (fits == nullptr)
                    break;
                best.push_back(*fits);
            }
            for (std::size_t i = 1; i < best.size(); ++i) {
                const partition::Division &first = best[i - 1], &next = best[i];
                if (next.seconds >= first.seconds * (1 - 1e-6))
                    continue;
                const std::vector<partition::Corner> corner{{(first.seconds + next.seconds) / 2, INFINITY}};
                PlanProgramme programme(plan, machine);
                (void)programme.fitting(within(peak(asked, first) * (1 + 1e-5)));
                (void)programme.fitting(within(peak(asked, first) * (1 + 1e-6)), corner);
                const partition::Division* const again =
                    programme.fitting(within(peak(asked, next) * (1 + 1e-6)), corner);
                QVERIFY(again != nullptr);
                QCOMPARE(again->seconds, next.seconds);
                ++found;
            }
        }
        QVERIFY2(found > 10, qPrintable(QString::number(found)));
    }

    /// Wherever ranks are: between links that are alike, two domains may serve a group better than one.
    void noPlaceIsFasterThanTheBound()
    {
        RandomPlans random(9);
        int faster = 0;
        for (int round = 0; round < 60; ++round) {
            plan::Plan plan = random.next();
            plan.model.moe.reset();
            parallel::Strategy& s = plan.strategy;
            s = {};
            s.tensorPartition = parallel::TensorPartition::SpatialTemporal;
            s.tp = 4;
            s.dp = 2;
            s.cp = random.pick({1, 4, 4, 4});
            s.contextMethod = std::array{parallel::ContextMethod::Ring, parallel::ContextMethod::AllGather,
                parallel::ContextMethod::Ulysses}[std::size_t(random.pick({0, 1, 2}))];
            plan.training.globalBatch = 8192;
            plan.training.sequenceLength = random.pick({256, 512, 2048});
            plan.cluster = fixtures::cluster(rankCount(s) / 4, 4);
            cluster::NodeGroup& node = plan.cluster.nodes.front();
            node.scaleUp.latency = node.nic.latency = Seconds(random.pick({5, 50, 500}) * 1e-6);
            node.nic.bandwidth = node.scaleUp.bandwidth;
            PricingContext context(plan, catalog::shippedCatalog());
            const Seconds bound = context.division(asMegatron(s)).dividedPieces(rankCount(s)).denseLayer;
            const Seconds near = context.leastLayer(s);
            std::ranges::reverse(s.rankOrder);
            const Seconds apart = context.leastLayer(s);
            QVERIFY(bound <= near * (1 + 1e-12) && bound <= apart * (1 + 1e-12));
            faster += int(apart < near);
        }
        QVERIFY(faster > 0);
    }
};

STRATOPLAN_TEST(TestDividedLayers)
#include "test_divided_layers.moc"

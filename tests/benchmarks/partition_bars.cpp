// SPDX-License-Identifier: GPL-3.0-or-later
// What the programme over partitions in space and time promises, measured on this machine, and what it says of the
// machines that PrimePar was measured on beside what was published: stratoplan-partition-bars
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"
#include "core/parallel/placement.h"
#include "core/partition/programme.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

/// One layer of a model over 2^bits V100, four to a node (PrimePar, ASPLOS 2024, section 6): FP32, sequences of 2,048
/// tokens. The published figures tell neither the batch, which is 8 in its timeline, nor the attention kernel.
plan::Plan layerPlan(const char* model, int bits, int batch)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    plan::Plan plan =
        exchange::parseDocument(exchange::findExample("opt-175b-spatial-temporal")->text, catalog, "")->project.plan;
    plan.model = catalog.model(model)->model;
    plan.training.globalBatch = batch;
    plan.strategy = {};
    plan.strategy.tp = 1 << bits;
    plan.strategy.microBatch = batch;
    return plan;
}

/// With links as the published timeline has them: 604 MB for each of four GPUs in 24 and in 41 ms inside a node, and in
/// 364 ms between two (figure 9). The catalogue's are faster.
cost::Machine asPublished(cost::Machine machine)
{
    machine.topology.levels[0].bandwidth = BytesPerSecond(2 * 604e6 / (0.024 + 0.041));
    machine.topology.levels[0].curves = nullptr;
    machine.topology.levels[1].bandwidth = BytesPerSecond(4 * 604e6 / 0.364);
    return machine;
}

/// A layer that a group divides, with all that its programme refers to.
class DividedLayer {
public:
    DividedLayer(const plan::Plan& plan, int bits)
        : m_plan(plan)
        , m_bits(bits)
        , m_machine(asPublished(cost::machine(plan, catalog::shippedCatalog())))
        , m_block(block(plan, false, plan.strategy.recompute))
        , m_layouts({m_machine.topology,
                        parallel::GroupSpans(plan.strategy, m_machine.topology)[parallel::RankGroup::Tensor]},
              mostDigits(m_block))
        , m_sequences(bits, m_layouts)
        , m_pricing{m_machine, m_plan.training.software, m_layouts, bits}
        , m_programme(m_block, m_sequences, m_pricing)
    {
    }

    [[nodiscard]] Programme& programme() { return m_programme; }

    /// As Megatron divides it over so many replicas, with tensor parallelism in each; nothing where it cannot.
    [[nodiscard]] std::vector<Division> megatron()
    {
        std::vector<Division> all;
        for (int replicas = 0; replicas <= m_bits; ++replicas) {
            ChosenStates chosen{};
            bool possible = true;
            for (std::size_t op = 0; op < m_block.operators.size(); ++op) {
                const std::string wanted = ofMegatron(m_block.operators[op], replicas);
                const std::vector<State>& states = m_programme.states()[op];
                const auto found = std::find_if(states.begin(), states.end(), [&](const State& state) {
                    return describe(m_block.operators[op], state.way, m_sequences, m_bits) == wanted;
                });
                possible &= found != states.end();
                chosen[op] = std::int16_t(found - states.begin());
            }
            if (possible)
                all.push_back(m_programme.price(chosen, 0));
        }
        return all;
    }

private:
    [[nodiscard]] std::string ofMegatron(const BlockOperator& op, int replicas) const
    {
        const bool row = op.name == "attention output" || op.name == "FFN down";
        const bool stream = op.kind == OperatorKind::Residual || op.kind == OperatorKind::Norm;
        const char tensor = op.kind == OperatorKind::Linear ? (row ? 'N' : 'K')
            : stream                                        ? '-'
            : op.kind == OperatorKind::Activation           ? 'K'
                                                            : 'H';
        std::string text;
        for (int bit = 0; bit < m_bits; ++bit)
            text += std::string(text.empty() ? "" : ",") + (bit < replicas ? 'B' : tensor);
        return text;
    }

    plan::Plan m_plan;
    int m_bits;
    cost::Machine m_machine;
    Block m_block;
    Layouts m_layouts;
    Sequences m_sequences;
    GroupPricing m_pricing;
    Programme m_programme;
};

double elapsed(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void tellSpeed()
{
    struct Bar {
        int bits;
        double published, bar;
    };
    for (const Bar& bar : {Bar{2, 0.0853, 0.0085}, Bar{3, 0.0865, 0.002}, Bar{4, 0.1709, 0.0171},
             Bar{5, 5.3573, 0.5357}, Bar{6, 0, 10}}) {
        const plan::Plan plan = layerPlan("opt-175b", bar.bits, 8);
        double least = 1e9;
        int left = 0;
        for (int round = 0; round < (bar.bits < 5 ? 20 : 2); ++round) {
            const auto start = std::chrono::steady_clock::now();
            DividedLayer layer(plan, bar.bits);
            left = layer.programme().solve({}).statesLeft;
            least = std::min(least, elapsed(start));
        }
        std::printf("OPT-175B over %2d ranks, one thread, nothing known before: %8.4f s, bar %.4f %s (published %.4f); "
                    "%d states left\n",
            1 << bar.bits, least, bar.bar, least <= bar.bar ? "kept" : "MISSED", bar.published, left);
        std::fflush(stdout);
    }
}

/// Of a stage that has 12 of the layers, and up to four micro-batches in flight; limits half way between the least that
/// any division needs and what the fastest does.
void tellLimits()
{
    for (const plan::AttentionKernel kernel : {plan::AttentionKernel::Unfused, plan::AttentionKernel::Flash})
        for (const int bits : {2, 3, 4}) {
            plan::Plan plan = layerPlan("opt-175b", bits, 8);
            plan.training.attention = kernel;
            ProgrammeGoal goal{{{216, 48, 2.4e9}, {216, 12, 2.1e9}, {240, 0, 1e9, 0.5}}};
            goal.front = true;
            const std::vector<Division> front = DividedLayer(plan, bits).programme().solve(goal).best;
            goal.front = false;
            goal.capacity = std::sqrt(peak(goal.memory, front.front()) * peak(goal.memory, front.back()));
            double least = 1e9;
            for (int round = 0; round < 10; ++round) {
                const auto start = std::chrono::steady_clock::now();
                DividedLayer layer(plan, bits);
                if (layer.programme().solve(goal).best.empty())
                    std::printf("nothing fits\n");
                least = std::min(least, elapsed(start));
            }
            std::printf("OPT-175B over %2d ranks, %s attention, within a limit of memory: %8.4f s\n", 1 << bits,
                kernel == plan::AttentionKernel::Flash ? "fused" : "unfused", least);
        }
}

void tellPublished()
{
    struct Row {
        const char* model;
        double speed[4], memory[4]; // over the best Megatron, of 4, 8, 16, 32 GPUs (tables of section 6)
    };
    const Row rows[] = {{"opt-6.7b", {1.16, 1.18, 1.16, 1.20}, {.89, .90, .93, .93}},
        {"opt-175b", {1.11, 1.35, 1.38, 1.39}, {.92, .80, .80, .79}},
        {"llama2-7b", {1.16, 1.19, 1.20, 1.21}, {.90, .91, .93, .92}},
        {"llama2-70b", {1.15, 1.21, 1.24, 1.26}, {.91, .88, .91, .89}},
        {"bloom-7b1", {1.15, 1.18, 1.18, 1.19}, {.89, .90, .93, .92}},
        {"bloom-176b", {1.11, 1.43, 1.68, 1.60}, {.92, .78, .69, .68}}};
    std::printf("\nthroughput of a layer over that of the best Megatron, published in brackets; memory likewise\n");
    double logs[4]{}, off = 0;
    for (const Row& row : rows) {
        std::printf("%-12s", row.model);
        for (int i = 0; i < 4; ++i) {
            DividedLayer layer(layerPlan(row.model, 2 + i, 8), 2 + i);
            const Division best = layer.programme().solve({}).best.front();
            const std::vector<Division> all = layer.megatron();
            const Division megatron = *std::min_element(
                all.begin(), all.end(), [](const Division& a, const Division& b) { return a.seconds < b.seconds; });
            const auto bytes = [](const Division& d) { return 8 * d.parameters + d.kept; };
            const double speed = megatron.seconds / best.seconds;
            logs[i] += std::log(speed) / 6;
            off += std::abs(speed / row.speed[i] - 1) / 24;
            std::printf("  %4.2f (%4.2f) %3.0f (%3.0f) %%", speed, row.speed[i], 100 * bytes(best) / bytes(megatron),
                100 * row.memory[i]);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    std::printf("geo-mean    ");
    const double published[] = {1.14, 1.25, 1.30, 1.30};
    for (int i = 0; i < 4; ++i)
        std::printf("  %4.2f (%4.2f)             ", std::exp(logs[i]), published[i]);
    std::printf("\nmean deviation of the speed-up %.1f %%, bar 10 %s\n", 100 * off, off <= 0.1 ? "kept" : "MISSED");
}

} // namespace

int main()
{
    tellSpeed();
    tellLimits();
    tellPublished();
}

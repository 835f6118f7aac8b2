// SPDX-License-Identifier: GPL-3.0-or-later
// What the programme over partitions in space and time promises, measured on this machine, and what it says of the
// machines that PrimePar was measured on beside what was published: stratoplan-partition-bars [--unlike-layers]
#include "core/partition/layer_doubling.h"
#include "tests/benchmarks/partition_published.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

using namespace stratoplan;
using namespace stratoplan::partition;
using published::DividedLayer;
using published::layerPlan;

namespace {

constexpr int kStageLayers = 12;

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

/// All that are best in time or in memory.
std::vector<Division> frontOf(Programme& programme, ProgrammeGoal goal)
{
    goal.front = true;
    return programme.solve(goal).best;
}

/// Half way, in ratio, between the least that any division needs and what the fastest does.
double capacityBetween(const std::vector<Division>& front, const std::vector<MemoryForm>& memory)
{
    return std::sqrt(peak(memory, front.front()) * peak(memory, front.back()));
}

/// Seconds of the fastest stage that fits and divides some of its layers in one way and the others in another, of the
/// same first state, on average of a layer.
double leastOfMixes(const std::vector<Division>& front, const MemoryForm& form, double capacity)
{
    double least = kInfinity;
    for (const Division& a : front)
        for (const Division& b : front)
            for (int layers = 0; layers <= kStageLayers && a.states[0] == b.states[0]; ++layers) {
                const auto mean = [&](double Division::*part) {
                    return std::lerp(a.*part, b.*part, double(layers) / kStageLayers);
                };
                const double beside = std::max(a.remade + a.working, b.remade + b.working);
                const double held = form.layers(mean(&Division::parameters), mean(&Division::kept), beside);
                if (form.fixed + held <= capacity)
                    least = std::min(least, mean(&Division::seconds));
            }
    return least;
}

/// Of a stage that has kStageLayers layers, and up to four micro-batches in flight.
void tellLimits()
{
    for (const plan::AttentionKernel kernel : {plan::AttentionKernel::Unfused, plan::AttentionKernel::Flash})
        for (const int bits : {2, 3, 4}) {
            plan::Plan plan = layerPlan("opt-175b", bits, 8);
            plan.training.attention = kernel;
            ProgrammeGoal goal{{{216, 48, 2.4e9}, {216, 12, 2.1e9}, {240, 0, 1e9, 0.5}}};
            goal.capacity = capacityBetween(frontOf(DividedLayer(plan, bits).programme(), goal), goal.memory);
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

/// Milliseconds of a layer within a limit of memory: of alike ones, of two kinds, and what unlike ones are no less
/// than.
void tellUnlikeWithin(Programme& programme, const LayerDoubling& layers)
{
    ProgrammeGoal goal{{{216, 48, 2.4e9}}};
    const std::vector<Division> front = frontOf(programme, goal);
    goal.capacity = capacityBetween(front, goal.memory);
    const double alike = programme.solve(goal).best.front().seconds;
    const double mixed = leastOfMixes(front, goal.memory.front(), goal.capacity);
    const double bound = leastMeanWithin(layers, 0, goal.memory.front(), goal.capacity);
    std::printf(
        "; within memory alike %9.3f ms, two kinds %9.3f ms, %.2f %% less, unlike %9.3f ms or more, %.2f %% less",
        alike * 1e3, mixed * 1e3, (1 - mixed / alike) * 100, bound * 1e3, (1 - bound / alike) * 100);
}

/// Milliseconds of a layer where all are divided alike, and on average where they need not be.
void tellUnlike()
{
    constexpr double kRounding = 1e-9;
    for (const char* const model : {"opt-6.7b", "opt-175b", "llama2-7b", "llama2-70b", "bloom-7b1", "bloom-176b"})
        for (const int bits : {2, 3, 4, 5}) {
            DividedLayer layer(layerPlan(model, bits, 8), bits);
            const double alike = layer.programme().solve({}).best.front().seconds;
            const auto start = std::chrono::steady_clock::now();
            LayerSteps steps(layer.block(), layer.layouts());
            const LayerDoubling layers(layer.block(), layer.programme().states(), steps);
            const double mean = layers.layer({}).leastMean(), gain = 1 - mean / alike;
            std::printf("%-10s over %2d ranks: alike %9.3f ms, unlike %9.3f ms, %.4f %% less, in %.4f s", model,
                1 << bits, alike * 1e3, mean * 1e3, gain > kRounding ? gain * 100 : 0, elapsed(start));
            if (bits < 5)
                tellUnlikeWithin(layer.programme(), layers);
            std::printf("\n");
            std::fflush(stdout);
        }
}

} // namespace

int main(int count, char** arguments)
{
    if (count == 2 && arguments[1] == std::string_view("--unlike-layers")) {
        tellUnlike();
        return 0;
    }
    tellSpeed();
    tellLimits();
    tellUnlike();
    published::tell();
}

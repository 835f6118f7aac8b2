// SPDX-License-Identifier: GPL-3.0-or-later
// Values for the charts, built by hand in the shape of real ones.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/presentation/strategy_cloud.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>

namespace stratoplan::test {

/// 96 micro-batches of a 175B model on `stages` pipeline stages; each stage's parts total the step.
// In one piece: one estimate, member by member.
inline estimate::Estimate sampleEstimate(int stages = 8, double step = 9.84)
{
    estimate::Estimate e;
    e.step = units::Seconds(step);
    e.strategy.tp = 8;
    e.strategy.pp = stages;
    e.strategy.dp = 16;
    e.strategy.vpp = 3;
    e.strategy.zeroStage = 1;
    e.strategy.recompute = parallel::Recompute::Selective;
    e.strategy.schedule = parallel::Schedule::Interleaved;
    e.tokensPerSecond = 320e3;
    e.mfu = 0.503;
    e.memory.capacity = units::Bytes(80 * units::kGiB);
    for (int i = 0; i < stages; ++i) {
        pricing::Breakdown b;
        const double load = i == 0 ? 0.985 : i + 1 == stages ? 1.0 : 0.97;
        b.forward = units::Seconds(2.62 * step / 9.84 * load);
        b.backward = units::Seconds(5.05 * step / 9.84 * load);
        b.recompute = units::Seconds(0.31 * step / 9.84 * load);
        b.exposed.tp = units::Seconds(0.29 * step / 9.84);
        b.exposed.pp = units::Seconds(0.08 * step / 9.84);
        b.exposed.dp = units::Seconds(0.11 * step / 9.84);
        b.hidden.tp = units::Seconds(0.12 * step / 9.84);
        b.hidden.dp = units::Seconds(0.38 * step / 9.84);
        b.optimizer = units::Seconds(0.09 * step / 9.84);
        b.other = units::Seconds(0.06 * step / 9.84);
        b.bubble = e.step - b.total();
        e.stages.push_back(b);
        estimate::StageMemory m;
        m.weights = units::Bytes(8.4 * units::kGiB);
        m.gradients = units::Bytes(8.2 * units::kGiB);
        m.optimizer = units::Bytes(3.1 * units::kGiB);
        const double inFlight = 1.0 - 0.55 * i / std::max(stages - 1, 1);
        m.activations = units::Bytes(40.0 * inFlight * units::kGiB);
        m.buffers = units::Bytes((i + 1 == stages ? 3.4 : 1.2) * units::kGiB);
        m.reserve = units::Bytes(6.3 * units::kGiB);
        const double flight = stratoplan::pipeline::inFlight(parallel::Schedule::Interleaved, stages, 3, 96, i);
        m.byLifetime.step = m.weights + m.gradients + m.optimizer + m.reserve;
        m.byLifetime.microBatch = m.activations / flight;
        m.byLifetime.backward = m.buffers;
        e.memory.stages.push_back(m);
        pipeline::StageWork w;
        w.forward = units::Seconds(0.0291 * load);
        w.backward = units::Seconds(0.0575 * load);
        w.recompute = units::Seconds(0.0032 * load);
        w.sendForward = units::Seconds(0.0011);
        w.sendBackward = units::Seconds(0.0011);
        w.gradientSync = units::Seconds(0.11);
        w.optimizer = units::Seconds(0.09);
        e.pipeline.stages.push_back(w);
    }
    e.breakdown = e.stages.back();
    e.memory.peak = e.memory.stages.front().total();
    e.memory.peakStage = 0;
    e.pipeline.schedule = parallel::Schedule::Interleaved;
    e.pipeline.microBatches = 96;
    e.pipeline.chunks = 3;
    return e;
}

/// A timeline by hand: every stage works `microBatches` forwards and backwards back to back, shifted by a slot a stage.
inline pipeline::Timeline plainTimeline(int stages, int microBatches, double slot = 0.01)
{
    pipeline::Timeline t;
    t.stages = stages;
    t.microBatches = microBatches;
    for (int s = 0; s < stages; ++s) {
        double at = s * slot;
        if (s > 0)
            t.waits.push_back({s, units::Seconds(0), units::Seconds(at), pipeline::Wait::Cause::WarmUp});
        for (int m = 0; m < microBatches; ++m) {
            t.slices.push_back({static_cast<float>(at), static_cast<float>(slot), m, static_cast<std::int16_t>(s), 0,
                pipeline::SliceKind::Forward});
            at += slot;
            t.slices.push_back({static_cast<float>(at), static_cast<float>(2 * slot), m, static_cast<std::int16_t>(s),
                0, pipeline::SliceKind::Backward});
            at += 2 * slot;
        }
        t.makespan = std::max(t.makespan, units::Seconds(at));
    }
    t.step = t.makespan;
    t.busy.assign(static_cast<std::size_t>(stages), units::Seconds(3 * slot * microBatches));
    t.idle.assign(static_cast<std::size_t>(stages), t.makespan - units::Seconds(3 * slot * microBatches));
    t.peakInFlight.assign(static_cast<std::size_t>(stages), 1);
    t.bubbleFraction = t.idle.front().value() / t.makespan.value();
    return t;
}

/// A cloud under a concave front, some of it beyond 80 GiB; the front first. Always the same.
inline widgets::StrategySet sampleStrategies(int count = 2000)
{
    widgets::StrategySet set;
    set.capacity = units::Bytes(80 * units::kGiB);
    set.rates.tokensPerStep = 3.1e6;
    set.rates.watts = 400;
    set.rates.modelFlops = units::Flops(3.2e18);
    set.rates.peak[model::Precision::Bf16] = units::FlopsPerSecond(312e12);
    set.status = QStringLiteral("%1 strategies").arg(count);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<widgets::StrategyPoint> all;
    for (int i = 0; i < count; ++i) {
        widgets::StrategyPoint s;
        const double memory = 22 + 88 * std::pow(uniform(random), 0.8);
        const double best = 330e3 - 150e3 * std::exp(-(memory - 20) / 14);
        s.step = units::Seconds(set.rates.tokensPerStep / (best * (1 - 0.5 * std::pow(uniform(random), 2))));
        s.peak = units::Bytes(memory * units::kGiB);
        s.kind = memory <= 80 ? widgets::StrategyPoint::Kind::Dominated : widgets::StrategyPoint::Kind::OutOfMemory;
        s.strategy.tp = 1 << (i % 4);
        s.strategy.pp = 1 << (i / 4 % 5);
        s.strategy.dp = 1024 / (s.strategy.tp * s.strategy.pp);
        s.strategy.microBatch = 1 << (i / 20 % 4);
        s.strategy.recompute = static_cast<parallel::Recompute>(i % 3);
        all.push_back(s);
    }
    std::sort(all.begin(), all.end(),
        [](const widgets::StrategyPoint& a, const widgets::StrategyPoint& b) { return a.peak < b.peak; });
    units::Seconds best(std::numeric_limits<double>::infinity());
    for (widgets::StrategyPoint& s : all) {
        if (s.kind != widgets::StrategyPoint::Kind::OutOfMemory && s.step < best) {
            best = s.step;
            s.kind = widgets::StrategyPoint::Kind::Front;
        }
    }
    std::stable_partition(all.begin(), all.end(),
        [](const widgets::StrategyPoint& s) { return s.kind == widgets::StrategyPoint::Kind::Front; });
    set.points = std::move(all);
    return set;
}

inline widgets::StrategySetPointer sharedStrategies(int count = 2000)
{
    return std::make_shared<const widgets::StrategySet>(sampleStrategies(count));
}

/// Points below the front of sampleStrategies(), in `inAll` parts of which the first `parts` have come. A point stands
/// for a strategy whose micro-batch is its number. Always the same.
inline widgets::StrategyCloudPointer sampleCloud(int count, int inAll = 1, int parts = -1)
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<search::CloudPoint> all;
    for (int i = 0; i < count; ++i) {
        const double memory = 22 + 80 * uniform(random);
        const double best = 325e3 - 150e3 * std::exp(-(memory - 20) / 14);
        search::CloudPoint point;
        point.step = static_cast<float>(3.1e6 / (best * (1 - 0.7 * uniform(random))));
        point.peak = static_cast<float>(memory * units::kGiB);
        point.number = static_cast<std::uint32_t>(i);
        point.ranks = 1024;
        point.precision = static_cast<std::uint32_t>(model::Precision::Bf16);
        point.fits = memory <= 80;
        all.push_back(point);
    }
    auto cloud = std::make_shared<widgets::StrategyCloud>();
    cloud->space = 10 * count;
    cloud->growing = parts >= 0 && parts < inAll;
    cloud->strategyOf = [](std::uint32_t number) {
        search::SpaceCloud::Drawn drawn;
        drawn.strategy.microBatch = static_cast<int>(number);
        return drawn;
    };
    // Those of one call go on in the next.
    static std::map<std::pair<int, int>, std::vector<std::shared_ptr<const std::vector<search::CloudPoint>>>> made;
    auto& pieces = made[{count, inAll}];
    for (int part = static_cast<int>(pieces.size()); part < inAll; ++part)
        pieces.push_back(
            std::make_shared<const std::vector<search::CloudPoint>>(all.begin() + std::ptrdiff_t(count) * part / inAll,
                all.begin() + std::ptrdiff_t(count) * (part + 1) / inAll));
    for (int part = 0; part < (parts < 0 ? inAll : parts); ++part) {
        cloud->parts.push_back(pieces[static_cast<std::size_t>(part)]);
        cloud->size += cloud->parts.back()->size();
    }
    return cloud;
}

} // namespace stratoplan::test

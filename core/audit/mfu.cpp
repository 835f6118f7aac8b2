// SPDX-License-Identifier: Apache-2.0
#include "core/audit/mfu.h"

#include "core/audit/tables.h"
#include "core/cluster/used_part.h"
#include "core/cost/fleet.h"
#include "core/units/named.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stratoplan::audit {
namespace {

constexpr NameTable<FlopConvention, kFlopConventions> kConventions{{
    {FlopConvention::Full, "full"},
    {FlopConvention::Causal, "causal"},
    {FlopConvention::FullRecomputed, "full-recomputed"},
    {FlopConvention::CausalRecomputed, "causal-recomputed"},
    {FlopConvention::SixN, "6n"},
    {FlopConvention::SixNAttention, "6n-attention"},
    {FlopConvention::SixNWithoutEmbedding, "6n-attention-without-embedding"},
}};

std::vector<std::pair<FlopConvention, Flops>> flopsOfStep(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    using enum FlopConvention;
    const Flops full = modelFlops(plan);
    const Flops causal = full - maskedFlops(plan);
    const Flops repeated = full * std::max(0.0, estimate.hfu / estimate.mfu - 1);
    const model::Transformer& m = plan.model;
    const double tokens = tokensPerStep(plan);
    const auto active = double(parameters(m).active);
    const double table = double(m.vocabulary) * m.hidden;
    const double scores = 12.0 * m.layers * double(m.heads) * m.headDim * attentionLength(plan.training);
    const double embedding = m.tiedEmbeddings ? 0 : table; // a tied one is the output projection, which multiplies
    std::vector<std::pair<FlopConvention, Flops>> flops{{Full, full}, {Causal, causal}};
    if (repeated > full * 1e-9)
        flops.insert(flops.end(), {{FullRecomputed, full + repeated}, {CausalRecomputed, causal + repeated}});
    flops.insert(flops.end(),
        {{SixN, Flops(6 * active * tokens)}, {SixNAttention, Flops((6 * active + scores) * tokens)},
            {SixNWithoutEmbedding, Flops((6 * (active - embedding) + scores) * tokens)}});
    return flops;
}

/// The rate with sparsity over the dense one, where the vendor prints one; 1 elsewhere.
double sparseFactor(const cluster::Accelerator& accelerator, model::Precision precision)
{
    static const nlohmann::json table = nlohmann::json::parse(tableText("sparse_peaks.json"));
    for (const nlohmann::json& entry : table.at("entries")) {
        const auto has = [&](const char* field, std::string_view value) {
            return std::ranges::any_of(
                entry.at(field), [&](const nlohmann::json& each) { return each.get<std::string>() == value; });
        };
        if (has("accelerators", accelerator.id) && has("precisions", key(precision)))
            return entry.at("factor");
    }
    return 1;
}

/// Of the accelerators that ranks run on, as an estimate counts unlike ones; 0 where some have no such rate.
template <class RateOf>
FlopsPerSecond meanOfRanks(const plan::Plan& plan, RateOf rateOf)
{
    const std::vector<int> used = usedAccelerators(plan.cluster, rankCount(plan.strategy));
    FlopsPerSecond mean{};
    double ranks = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i] <= 0)
            continue;
        const FlopsPerSecond rate = rateOf(plan.cluster.nodes[i].accelerator);
        if (rate.value() <= 0)
            return {};
        ranks += used[i];
        mean += (rate - mean) * (used[i] / ranks); // exact where all are alike
    }
    return mean;
}

std::vector<PeakConvention> peaksOf(const plan::Plan& plan)
{
    std::vector<PeakConvention> peaks;
    const auto add = [&](model::Precision precision) {
        const auto dense = [&](const cluster::Accelerator& each) { return each.peak[precision]; };
        const auto sparse = [&](const cluster::Accelerator& each) {
            const double factor = sparseFactor(each, precision);
            return factor > 1 ? each.peak[precision] * factor : FlopsPerSecond{};
        };
        if (const FlopsPerSecond mean = meanOfRanks(plan, dense); mean.value() > 0)
            peaks.push_back({precision, false, mean});
        if (const FlopsPerSecond mean = meanOfRanks(plan, sparse); mean.value() > 0)
            peaks.push_back({precision, true, mean});
    };
    // Of a training in 16 bits or fewer the peaks that its products may run at, or be held to.
    const model::Precision trained = plan.training.precision;
    add(trained);
    if (trained == model::Precision::Fp32 || trained == model::Precision::Tf32)
        return peaks;
    for (const model::Precision other : {model::Precision::Bf16, model::Precision::Fp8})
        if (other != trained && !(other == model::Precision::Bf16 && trained == model::Precision::Fp16))
            add(other);
    return peaks;
}

} // namespace

std::string_view key(FlopConvention convention)
{
    return nameIn(kConventions, convention);
}

std::string PeakConvention::key() const
{
    return std::string(model::key(precision)) + (isSparse ? "-sparse" : "");
}

MfuTable mfuTable(const plan::Plan& plan, const estimate::Estimate& estimate, Seconds step)
{
    MfuTable table{step, flopsOfStep(plan, estimate), peaksOf(plan), {}};
    const double ranks = rankCount(plan.strategy);
    for (const auto& [convention, flops] : table.flops)
        for (std::size_t i = 0; i < table.peaks.size(); ++i)
            table.values.push_back({convention, i, flops / (step * ranks) / table.peaks[i].rate});
    return table;
}

std::optional<QuotedMfu> quotedMfu(std::string_view text)
{
    const auto trim = [&] {
        while (!text.empty() && (text.back() == ' ' || text.back() == '%'))
            text.remove_suffix(1);
    };
    const bool isPercent = text.find('%') != std::string_view::npos;
    trim();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1000)
        return std::nullopt;
    const std::size_t point = text.find('.');
    const double decimals = point == std::string_view::npos ? 0 : double(text.size() - point - 1);
    const double unit = isPercent || value > 1 ? 0.01 : 1;
    return QuotedMfu{value * unit, 0.5 * std::pow(10, -decimals) * unit};
}

MfuMatches matches(const MfuTable& table, const QuotedMfu& quoted)
{
    const auto distance = [&](std::size_t i) { return std::abs(table.values[i].mfu - quoted.mfu); };
    MfuMatches result;
    for (std::size_t i = 0; i < table.values.size(); ++i) {
        if (distance(i) < distance(result.nearest))
            result.nearest = i;
        if (distance(i) <= quoted.rounding * (1 + 1e-9))
            result.matching.push_back(i);
    }
    return result;
}

std::optional<std::size_t> conventionNamed(const MfuTable& table, std::string_view name)
{
    const std::size_t slash = name.find('/');
    const auto convention = valueIn(kConventions, name.substr(0, slash));
    if (!convention)
        return std::nullopt;
    std::string_view peak = slash == std::string_view::npos ? std::string_view("dense") : name.substr(slash + 1);
    for (std::size_t i = 0; i < table.values.size(); ++i) {
        const MfuValue& value = table.values[i];
        const PeakConvention& divisor = table.peaks[value.peak];
        const bool isFirst = divisor.precision == table.peaks.front().precision;
        const bool isMeant = peak == divisor.key() || (isFirst && peak == (divisor.isSparse ? "sparse" : "dense"));
        if (value.flops == *convention && isMeant)
            return i;
    }
    return std::nullopt;
}

Seconds stepOf(const MfuTable& table, std::size_t value, double mfu)
{
    return table.step * (table.values[value].mfu / mfu);
}

} // namespace stratoplan::audit

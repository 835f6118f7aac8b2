// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/kernel_fit.h"

#include "core/calibration/calibration.h"
#include "core/calibration/least_squares.h"
#include "core/calibration/sparse_ridge.h"
#include "core/cost/compute.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::calibration {

using namespace detail;

namespace {

constexpr double kMeasuredNoise = 0.05; // of one measured kernel, as a logarithm

/// Shapes of a training step; a fit's error is told for these.
bool ofTrainingSize(const MatmulSample& s)
{
    return std::min({s.m, s.n, s.k}) >= 1024 && s.n < 60000 && s.k < 50000;
}

double operandBytes(model::Precision precision)
{
    return precision == model::Precision::Nvfp4 ? 0.5 : precision == model::Precision::Fp8 ? 1 : 2;
}

double mean(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0 : sum / double(values.size());
}

double quantile(std::vector<double> values, double share)
{
    const auto place = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
    std::ranges::nth_element(values, place);
    return *place;
}

/// What the measured seconds of a product hold beside the product itself. Left out of the table: a training stack has
/// its own launches and casts, and keeps the chip at its power limit, where short kernels run no faster than long ones.
struct Surroundings {
    double launch = 0; ///< seconds
    double castBytes = 0; ///< per element of X, of FP8 and FP4 products
    double boost = 0; ///< share by which kernels far shorter than boostSeconds run faster
    double boostSeconds = 0;
};

struct MatmulFit {
    cluster::MatmulKernels kernels; ///< without the correction
    Surroundings around;
};

MatmulFit unpackMatmul(std::span<const double> x, model::Precision precision)
{
    MatmulFit fit;
    fit.kernels.precision = precision;
    fit.kernels.rate = FlopsPerSecond(x[0]);
    fit.kernels.memory = BytesPerSecond(x[1]);
    fit.kernels.tileDepth = x[2];
    fit.kernels.wholeWaves = x[3];
    fit.around = {x[4], precision == model::Precision::Bf16 ? 0 : x[5], x[6], x[7]};
    return fit;
}

double product(const MatmulFit& fit, const MatmulSample& s, int units)
{
    cluster::MatmulKernels form = fit.kernels;
    form.correction = {};
    return cost::matmulSeconds(s.m, s.n, s.k, form.rate, form.memory, units,
        {operandBytes(s.precision), std::max(2.0, operandBytes(s.precision))}, &form)
        .value();
}

double whole(const MatmulFit& fit, const MatmulSample& s, double core)
{
    const Surroundings& a = fit.around;
    return core * (1 - a.boost / (1 + core / a.boostSeconds)) + a.launch
        + a.castBytes * s.m * s.k / fit.kernels.memory.value();
}

MatmulFit fitForm(const std::vector<MatmulSample>& samples, model::Precision precision, int units, FlopsPerSecond peak)
{
    std::vector<double> rates, bandwidths;
    for (const MatmulSample& s : samples) {
        rates.push_back(2 * s.m * s.n * s.k / s.seconds);
        bandwidths.push_back((operandBytes(precision) * (s.m * s.k + s.n * s.k) + 2 * s.m * s.n) / s.seconds);
    }
    LeastSquares problem;
    problem.constants = {{quantile(rates, 0.9), 0.5, peak.value()}, {quantile(bandwidths, 0.98), 0.1}, {100, 0.5},
        {0.4, 0.5, 1, true}, {2.5e-6, 0.5}, {4, 0.5}, {0.07, 0.5, 1, true}, {3e-4, 0.3}};
    problem.observations = samples.size();
    problem.noise = kMeasuredNoise;
    problem.errors = [&](std::span<const double> x, std::span<double> errors) {
        const MatmulFit fit = unpackMatmul(x, precision);
        for (std::size_t i = 0; i < samples.size(); ++i)
            errors[i] = std::log(whole(fit, samples[i], product(fit, samples[i], units)) / samples[i].seconds);
    };
    return unpackMatmul(solve(problem, {}, {}).constants, precision);
}

/// The knots around a value and their weights.
std::array<std::pair<int, double>, 2> hat(std::span<const double> knots, double value)
{
    const double x = std::clamp(std::log2(value), knots.front(), knots.back());
    int i = 0;
    while (i + 2 < int(knots.size()) && x > knots[std::size_t(i) + 1])
        ++i;
    const double share = (x - knots[std::size_t(i)]) / (knots[std::size_t(i) + 1] - knots[std::size_t(i)]);
    return {{{i, 1 - share}, {i + 1, share}}};
}

void fitCorrection(const std::vector<MatmulSample>& samples, int units, FlopsPerSecond peak, MatmulFit& fit)
{
    constexpr std::size_t corners = 8;
    constexpr double ridge = 1;
    std::vector<int> columns;
    std::vector<double> values, rest;
    for (const MatmulSample& s : samples) {
        const double core = product(fit, s, units);
        const double outside = whole(fit, s, core) - core;
        const double least = std::max(2 * s.m * s.n * s.k / peak.value(), 0.3 * core);
        rest.push_back(std::log(std::max(s.seconds - outside, least) / core));
        for (const auto& [m, wm] : hat(cluster::kMatmulKnotsM, s.m))
            for (const auto& [n, wn] : hat(cluster::kMatmulKnotsNK, s.n))
                for (const auto& [k, wk] : hat(cluster::kMatmulKnotsNK, s.k)) {
                    columns.push_back(
                        (m * int(cluster::kMatmulKnotsNK.size()) + n) * int(cluster::kMatmulKnotsNK.size()) + k);
                    values.push_back(wm * wn * wk);
                }
    }
    const std::vector<double> z =
        sparseRidge(columns, values, corners, rest, cluster::kMatmulKnots, kMeasuredNoise, ridge);
    std::ranges::transform(
        z, fit.kernels.correction.begin(), [](double v) { return float(std::round(v * 1000) / 1000); });
    std::vector<double> errors;
    for (const MatmulSample& s : samples) {
        if (!ofTrainingSize(s))
            continue;
        const double core = product(fit, s, units);
        const double corrected =
            whole(fit, s, core) - core + core * std::exp(matmulCorrection(fit.kernels, s.m, s.n, s.k));
        errors.push_back(std::abs(corrected / s.seconds - 1));
    }
    fit.kernels.fit = {int(samples.size()), roundedTo(mean(errors), 2)};
}

/// With the rate of long kernels, at the power limit.
MatmulFit fitMatmul(
    const std::vector<MatmulSample>& samples, model::Precision precision, int units, FlopsPerSecond peak)
{
    MatmulFit fit = fitForm(samples, precision, units, peak);
    cluster::MatmulKernels& k = fit.kernels;
    k.memory = BytesPerSecond(roundedTo(k.memory.value(), kProfileDigits));
    k.tileDepth = roundedTo(k.tileDepth, kProfileDigits);
    k.wholeWaves = roundedTo(k.wholeWaves, kProfileDigits);
    fitCorrection(samples, units, peak, fit);
    return fit;
}

// In one piece: the seconds of a sample are what is fitted and what the errors are told by, and know its constants by
// their places.
cluster::AttentionKernels fitAttention(const std::vector<AttentionSample>& samples)
{
    std::vector<double> dims;
    for (const AttentionSample& s : samples)
        dims.push_back(s.headDim);
    std::ranges::sort(dims);
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
    // x: ramp, launch, tiles of 128 queries that a last wave costs, then the rate of each head dimension.
    const auto seconds = [&](std::span<const double> x, const AttentionSample& s) {
        const auto d = std::size_t(std::ranges::lower_bound(dims, s.headDim) - dims.begin());
        const double flops = 2 * s.batch * s.heads * s.sequence * s.sequence * s.headDim; // half of 4: the causal mask
        const double tiles = s.batch * s.heads * std::ceil(s.sequence / 128);
        return x[1] + flops / x[3 + d] * (1 + x[0] / s.sequence) * (1 + x[2] / tiles);
    };
    LeastSquares problem;
    problem.constants = {{800, 1}, {5e-6, 1}, {100, 1}};
    for (const double dim : dims) {
        std::vector<double> rates;
        for (const AttentionSample& s : samples)
            if (s.headDim == dim)
                rates.push_back(2 * s.batch * s.heads * s.sequence * s.sequence * s.headDim / s.seconds);
        problem.constants.push_back({quantile(rates, 0.95), 0.5});
    }
    problem.observations = samples.size();
    problem.noise = kMeasuredNoise;
    problem.errors = [&](std::span<const double> x, std::span<double> errors) {
        for (std::size_t i = 0; i < samples.size(); ++i)
            errors[i] = std::log(seconds(x, samples[i]) / samples[i].seconds);
    };
    const std::vector<double> x = solve(problem, {}, {}).constants;
    cluster::AttentionKernels kernels;
    const auto typical = std::size_t(std::ranges::find(dims, 128.0) - dims.begin());
    const double rate = x[3 + std::min(typical, dims.size() - 1)];
    kernels.rate = FlopsPerSecond(roundedTo(rate, kProfileDigits));
    kernels.ramp = roundedTo(x[0], 3);
    kernels.headDims = dims;
    kernels.version = std::ranges::max(samples, {}, &AttentionSample::version).version;
    for (std::size_t d = 0; d < dims.size(); ++d)
        kernels.relative.push_back(roundedTo(x[3 + d] / rate, 3));
    std::vector<double> errors;
    for (const AttentionSample& s : samples)
        if (s.sequence >= 1024)
            errors.push_back(std::abs(seconds(x, s) / s.seconds - 1));
    kernels.fit = {int(samples.size()), roundedTo(mean(errors), 2)};
    return kernels;
}

/// Measured over predicted rate of expert products, median over training-sized ones.
double fitGrouped(const std::vector<ExpertSample>& samples, const cluster::MatmulKernels& plain, int units)
{
    constexpr double fewestTokens = 200; // per expert
    std::vector<double> ratios;
    for (const ExpertSample& s : samples) {
        const double routed = s.tokens * s.topK;
        const double m = routed / s.experts;
        if (m < fewestTokens)
            continue;
        const double bytes = 2 * routed * (3 * s.expertFfn + 2 * s.hidden);
        const double rest = bytes / plain.memory.value();
        const Seconds products =
            cost::matmulSeconds(m, 2 * s.expertFfn, s.hidden, plain.rate, plain.memory, units, {}, &plain, s.experts)
            + cost::matmulSeconds(m, s.hidden, s.expertFfn, plain.rate, plain.memory, units, {}, &plain, s.experts);
        if (s.seconds > 1.05 * rest)
            ratios.push_back(products.value() / (s.seconds - rest));
    }
    return ratios.empty() ? cluster::kTypicalGroupedFactor : roundedTo(std::min(1.0, quantile(ratios, 0.5)), 3);
}

struct CurveFit {
    cluster::CollectiveCurve curve;
    double rate = 0; ///< bus bandwidth
};

CurveFit fitCurve(const std::vector<CollectiveSample>& samples, cluster::CollectiveOp op, int ranks)
{
    const double wire = (op == cluster::CollectiveOp::AllReduce ? 2.0 : 1.0) * (ranks - 1) / ranks;
    double latency = INFINITY, rate = 0;
    for (const CollectiveSample& s : samples) {
        latency = std::min(latency, s.seconds);
        rate = std::max(rate, wire * s.bytes / s.seconds);
    }
    const auto seconds = [&](std::span<const double> x, double bytes) {
        return x[0] + x[1] * bytes / (bytes + x[2]) + wire * bytes / x[3];
    };
    LeastSquares problem;
    problem.constants = {{latency, 0.5}, {3e-5, 1}, {4e6, 1}, {rate, 0.2}};
    problem.observations = samples.size();
    problem.noise = kMeasuredNoise;
    problem.errors = [&](std::span<const double> x, std::span<double> out) {
        for (std::size_t i = 0; i < samples.size(); ++i)
            out[i] = std::log(seconds(x, samples[i].bytes) / samples[i].seconds);
    };
    const std::vector<double> x = solve(problem, {}, {}).constants;
    std::vector<double> errors;
    for (const CollectiveSample& s : samples)
        errors.push_back(std::abs(seconds(x, s.bytes) / s.seconds - 1));
    cluster::CollectiveCurve curve{op, ranks, Seconds(roundedTo(x[0], 3)), Seconds(roundedTo(x[1], 3)),
        Bytes(roundedTo(x[2], 3)), 1, {int(samples.size()), roundedTo(mean(errors), 2)}};
    return {curve, x[3]};
}

void fitCollectives(const std::vector<CollectiveSample>& samples, cluster::KernelTables& tables)
{
    std::map<std::pair<cluster::CollectiveOp, int>, std::vector<CollectiveSample>> groups;
    for (const CollectiveSample& s : samples)
        groups[{s.op, s.ranks}].push_back(s);
    std::vector<double> rates;
    for (const auto& [group, rows] : groups) {
        const CurveFit fit = fitCurve(rows, group.first, group.second);
        tables.collectives.push_back(fit.curve);
        rates.push_back(fit.rate);
        if (group.first == cluster::CollectiveOp::AllGather)
            tables.bus = BytesPerSecond(roundedTo(fit.rate, kProfileDigits)); // groups come by rising ranks
    }
    for (std::size_t i = 0; i < rates.size(); ++i)
        tables.collectives[i].share = roundedTo(rates[i] / tables.bus.value(), 3);
}

} // namespace

cluster::KernelTables fitKernels(const KernelSamples& samples, int computeUnits, const cluster::PeakRates& peak)
{
    cluster::KernelTables tables;
    std::map<model::Precision, std::vector<MatmulSample>> products;
    for (const MatmulSample& s : samples.matmul)
        products[s.precision].push_back(s);
    for (const auto& [precision, rows] : products) {
        const FlopsPerSecond bound = peak[precision].value() > 0 ? peak[precision] : FlopsPerSecond(INFINITY);
        MatmulFit fit = fitMatmul(rows, precision, computeUnits, bound);
        if (precision == model::Precision::Bf16)
            tables.groupedFactor = fitGrouped(samples.experts, fit.kernels, computeUnits);
        const double boosted = fit.kernels.rate.value() / (1 - fit.around.boost);
        fit.kernels.rate = FlopsPerSecond(roundedTo(std::min(boosted, bound.value()), kProfileDigits));
        tables.matmul.push_back(fit.kernels);
    }
    if (!samples.attention.empty())
        tables.attention = fitAttention(samples.attention);
    if (!samples.collectives.empty())
        fitCollectives(samples.collectives, tables);
    return tables;
}

} // namespace stratoplan::calibration

// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/range.h"

#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::estimate {

using namespace detail;

namespace {

// How much a doubling of an extent, or another kind, sets two runs apart. These and the constants below were chosen
// once, so that ranges are narrow and yet hold 80 % of the cases left out by model shape, by source and one by one
// (`stratoplan-cli validate --k-fold` prints it).
constexpr std::array<float, kExtents> kPerDoubling{
    0.15F, 2.5F, 0.2F, 1.2F, 0.15F, 0.4F, 1.8F, 0.08F, 1.8F, 0.7F, 0.1F, 0.7F, 2.5F, 0.15F};
constexpr float kOtherWidth = 1.5F; ///< 32, 16, 8 or 4 bits
constexpr float kOtherFormat = 0.05F; ///< of the same width
constexpr float kOtherRecompute = 0.2F;
constexpr float kOtherSchedule = 1;
constexpr float kOtherSharding = 1; ///< parameters sharded or not
constexpr float kOtherZeroStage = 0.5F;
constexpr float kOtherKernel = 8; ///< flash attention or not
constexpr float kOtherAttention = 1.3F; ///< latent or not, windowed or not
constexpr float kOtherSequenceParallel = 0.05F;

constexpr float kFarthest =
    400; ///< squared distance beyond which cases are all as far: keeps their weights normal numbers
constexpr double kFewCases = 0.6; ///< so many cases, all near, are worth as much as the spread between sources
constexpr double kNearnessPower = 0.2;
constexpr double kBeyond = 1.5; ///< on the spread between sources, which is seen from few of them
constexpr double kWidthOfTimes = 0.86; ///< on the whole: residuals come from fits that miss whole shapes
constexpr double kWidthOfPeaks =
    0.68; ///< the same: peaks come from counters that differ, of what is in use or of what the allocator took
constexpr double kPerDoublingBeyond = 0.05; ///< on the whole, for every doubling beyond the largest measured
constexpr double kPerFilled = 0.05; ///< on the whole, for every field filled in

int bitsOf(model::Precision precision)
{
    switch (precision) {
    case model::Precision::Fp32:
    case model::Precision::Tf32:
        return 32;
    case model::Precision::Fp16:
    case model::Precision::Bf16:
        return 16;
    case model::Precision::Fp8:
    case model::Precision::Mxfp8:
    case model::Precision::Int8:
        return 8;
    case model::Precision::Nvfp4:
        return 4;
    }
    return 16;
}

/// Squared distance between two kinds.
float apart(const RunTraits& a, const RunTraits& b)
{
    float d = 0;
    if (bitsOf(a.precision) != bitsOf(b.precision))
        d += kOtherWidth;
    else if (a.precision != b.precision)
        d += kOtherFormat;
    if ((a.zeroStage == 3) != (b.zeroStage == 3))
        d += kOtherSharding;
    else if (a.zeroStage != b.zeroStage)
        d += kOtherZeroStage;
    d += float(a.recompute != b.recompute) * kOtherRecompute + float(a.schedule != b.schedule) * kOtherSchedule;
    d += float(a.flash != b.flash) * kOtherKernel
        + float(a.sequenceParallel != b.sequenceParallel) * kOtherSequenceParallel;
    return d
        + float(int(a.latentAttention != b.latentAttention) + int(a.slidingWindow != b.slidingWindow))
        * kOtherAttention;
}

double widening(int filled)
{
    return 1 + kPerFilled * std::max(0, filled);
}

bool experts(const RunTraits& traits)
{
    return traits.extent(Extent::Experts) > 1;
}

/// The 10th, 50th and 90th percentile of values in rising order: the first value that enough weight does not exceed. A
/// value of little weight has little say, however far out it is.
template <class Number>
std::array<double, 3> quantiles(const std::vector<Number>& values, const std::vector<Number>& weights)
{
    double total = 0;
    for (const Number weight : weights)
        total += weight;
    constexpr std::array kShares{0.1, 0.5, 0.9};
    std::array<double, 3> result{};
    std::size_t i = 0;
    double upTo = weights.front(); // weight of the values up to i
    for (std::size_t k = 0; k < result.size(); ++k) {
        while (i + 1 < values.size() && upTo < total * kShares[k])
            upTo += weights[++i];
        result[k] = values[i];
    }
    return result;
}

} // namespace

float detail::perDoubling(Extent extent)
{
    return kPerDoubling[static_cast<std::size_t>(extent)];
}

double squaredDistance(const RunTraits& a, const RunTraits& b, bool isSameAccelerator)
{
    double squared = apart(a, b) + (isSameAccelerator ? 0 : kOtherAccelerator);
    for (std::size_t k = 0; k < kExtents; ++k) {
        const double doublings = std::log2(double(std::max(1, a.extents[k])) / std::max(1, b.extents[k]));
        squared += std::pow(kPerDoubling[k] * doublings, 2);
    }
    return squared;
}

double squaredDistance(const plan::Plan& a, const plan::Plan& b)
{
    return squaredDistance(traitsOf(a), traitsOf(b), acceleratorOf(a) == acceleratorOf(b));
}

Evidence::Evidence(std::span<const EvidenceRow> all, Measure measure)
{
    Tables tables;
    tables.width = measure == Measure::StepTime ? kWidthOfTimes : kWidthOfPeaks;
    std::vector<EvidenceRow> rows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
        [measure](const EvidenceRow& row) { return row.measure() == measure && row.weight > 0; });
    std::map<std::string, std::vector<const EvidenceRow*>> stacks;
    std::array<std::map<std::pair<std::string, std::string>, double>, 2> sources; // cases of each, of one kind of model
    for (const EvidenceRow& row : rows) {
        stacks[row.software].push_back(&row);
        sources[experts(row.traits)][{row.source, row.software}] += row.weight;
        tables.addAccelerator(row);
    }
    for (auto& [software, members] : stacks)
        tables.addStack(software, std::move(members));
    for (const bool moe : {false, true}) {
        std::vector<std::pair<double, double>> residuals; // every source weighs the same
        for (const EvidenceRow& row : rows)
            if (experts(row.traits) == moe)
                residuals.emplace_back(row.residualBySource / widening(row.filled),
                    row.weight / sources[moe].at({row.source, row.software}));
        if (residuals.empty()) {
            tables.betweenSources[moe] = tables.betweenSources[0];
            continue;
        }
        std::sort(residuals.begin(), residuals.end());
        std::vector<double> values, weights;
        for (const auto& [value, weight] : residuals) {
            values.push_back(value);
            weights.push_back(weight);
        }
        const auto [low, median, high] = quantiles(values, weights);
        tables.betweenSources[moe] = {low, median, high};
    }
    m_tables = std::make_shared<const Tables>(std::move(tables));
}

Evidence Evidence::without(std::string_view id) const
{
    Evidence rest = *this;
    rest.m_without = id;
    return rest;
}

void Evidence::Tables::addAccelerator(const EvidenceRow& row)
{
    auto known = std::find_if(accelerators.begin(), accelerators.end(),
        [&](const Measured& seen) { return seen.accelerator == row.accelerator; });
    if (known == accelerators.end())
        known = accelerators.insert(known, {row.accelerator, std::string(shippedVendor(row.accelerator))});
    known->experts = known->experts || experts(row.traits);
    known->latentAttention = known->latentAttention || row.traits.latentAttention;
    known->slidingWindow = known->slidingWindow || row.traits.slidingWindow;
}

void Evidence::Tables::addStack(std::string software, std::vector<const EvidenceRow*> rows)
{
    const auto residual = [](const EvidenceRow& row) { return float(row.residual / widening(row.filled)); };
    std::sort(rows.begin(), rows.end(), [&](const EvidenceRow* a, const EvidenceRow* b) {
        return residual(*a) != residual(*b) ? residual(*a) < residual(*b) : a->id < b->id;
    });
    Stack stack;
    for (const EvidenceRow* row : rows) {
        const Kind kind = kindOf(row->accelerator, row->traits);
        const auto known = std::find(stack.kinds.begin(), stack.kinds.end(), kind);
        stack.kindOfRow.push_back(static_cast<std::size_t>(known - stack.kinds.begin()));
        if (known == stack.kinds.end())
            stack.kinds.push_back(kind);
        for (std::size_t i = 0; i < kExtents; ++i) {
            stack.extents[i].push_back(std::log2(float(row->traits.extents[i])));
            stack.largest[i] = std::max(stack.largest[i], row->traits.extents[i]);
        }
        stack.weights.push_back(float(row->weight));
        stack.residuals.push_back(residual(*row));
        stack.ids.push_back(row->id);
    }
    stacks.emplace(std::move(software), std::move(stack));
}

RangeQuery rangeQuery(const plan::Plan& plan)
{
    return {plan.training.software.id, acceleratorOf(plan), traitsOf(plan), firstAccelerator(plan).vendor,
        unmeasuredKinds(plan)};
}

const cluster::Accelerator& firstAccelerator(const plan::Plan& plan)
{
    static const cluster::Accelerator none;
    const auto group = std::find_if(plan.cluster.nodes.begin(), plan.cluster.nodes.end(), cluster::takesPart);
    return group == plan.cluster.nodes.end() ? none : group->accelerator;
}

std::string_view shippedVendor(std::string_view accelerator)
{
    const cluster::Accelerator* shipped = catalog::shippedCatalog().accelerator(accelerator);
    return shipped ? std::string_view(shipped->vendor) : std::string_view();
}

bool Evidence::Tables::hasVendor(std::string_view vendor) const
{
    return std::ranges::any_of(accelerators,
        [&](const Measured& seen) { return !seen.vendor.empty() && units::containsWords(vendor, seen.vendor); });
}

int Evidence::Tables::unmeasuredKinds(const RangeQuery& query) const
{
    const bool known = std::ranges::find(accelerators, query.accelerator, &Measured::accelerator) != accelerators.end();
    return query.unmeasured + (known || query.ofRuns ? 0 : 1 + (hasVendor(query.vendor) ? 0 : 1));
}

Evidence::Kind Evidence::Tables::kindOf(std::string_view accelerator, RunTraits traits) const
{
    const auto place = std::find_if(accelerators.begin(), accelerators.end(),
        [&](const Measured& seen) { return seen.accelerator == accelerator; });
    traits.extents = {};
    return {static_cast<int>(place - accelerators.begin()), traits};
}

std::vector<float> Evidence::nearness(const Stack& stack, const RunTraits& traits, const Kind& kind)
{
    const std::size_t n = stack.residuals.size();
    std::vector<float> kinds(stack.kinds.size());
    std::transform(stack.kinds.begin(), stack.kinds.end(), kinds.begin(), [&](const Kind& other) {
        return apart(other.traits, kind.traits) + (other.accelerator == kind.accelerator ? 0 : kOtherAccelerator);
    });
    std::vector<float> near(n);
    for (std::size_t i = 0; i < n; ++i)
        near[i] = kinds[stack.kindOfRow[i]];
    for (std::size_t k = 0; k < kExtents; ++k) {
        const float logExtent = std::log2(float(traits.extents[k]));
        const float* column = stack.extents[k].data();
        const float squared = kPerDoubling[k] * kPerDoubling[k];
        for (std::size_t i = 0; i < n; ++i)
            near[i] += squared * (column[i] - logExtent) * (column[i] - logExtent);
    }
    for (float& nearness : near) {
        const float fall = 1 / (1 + std::min(nearness, kFarthest) * (1 / kReach));
        const float fourth = fall * fall * fall * fall;
        nearness = fourth * fourth;
    }
    return near;
}

Evidence::Spread Evidence::comparable(
    const Stack& stack, const RangeQuery& query, const Kind& kind, const Spread& far) const
{
    std::vector<float> weights = nearness(stack, query.traits, kind);
    double sum = 0, sumOfSquares = 0, all = 0, allOfSquares = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!m_without.empty() && stack.ids[i] == m_without)
            weights[i] = 0;
        const double near = weights[i];
        sum += near;
        sumOfSquares += near * near;
        all += near * stack.weights[i];
        allOfSquares += near * near * stack.weights[i];
        weights[i] *= stack.weights[i];
    }
    if (sum <= 0)
        return far;
    const auto [low, median, high] = quantiles(stack.residuals, weights);
    const double cases = all * all / allOfSquares;
    const double trust = std::pow(sumOfSquares / sum, kNearnessPower) * cases / (cases + kFewCases);
    return {trust * low + (1 - trust) * std::min(low, far.low), trust * median,
        trust * high + (1 - trust) * std::max(high, far.high)};
}

double Evidence::beyond(const Stack& stack, const RunTraits& traits, const Kind& kind, bool ofRuns)
{
    double doublings = 0;
    for (const Extent extent : {Extent::Layers, Extent::Hidden, Extent::Sequence, Extent::Accelerators, Extent::Tp,
             Extent::Pp, Extent::Cp, Extent::Ep}) {
        const int largest = stack.largest[static_cast<std::size_t>(extent)];
        if (traits.extent(extent) > largest)
            doublings += std::log2(double(traits.extent(extent)) / largest);
    }
    const auto unseen = [&](auto same) { return double(std::none_of(stack.kinds.begin(), stack.kinds.end(), same)); };
    const double kinds = (ofRuns ? 0 : unseen([&](const Kind& seen) { return seen.accelerator == kind.accelerator; }))
        + unseen([&](const Kind& seen) { return bitsOf(seen.traits.precision) == bitsOf(kind.traits.precision); })
        + unseen([&](const Kind& seen) { return seen.traits.latentAttention == kind.traits.latentAttention; })
        + unseen([&](const Kind& seen) { return seen.traits.slidingWindow == kind.traits.slidingWindow; });
    return kPerDoublingBeyond * doublings + kPerKindBeyond * kinds;
}

RangeFactors Evidence::range(const RangeQuery& query) const
{
    const Spread& far = m_tables->betweenSources[experts(query.traits)];
    Spread spread{std::min(0.0, far.low) * kBeyond, 0, std::max(0.0, far.high) * kBeyond};
    double leaves = kPerKindBeyond * m_tables->unmeasuredKinds(query);
    if (const auto stack = m_tables->stacks.find(query.software); stack != m_tables->stacks.end()) {
        const Kind kind = m_tables->kindOf(query.accelerator, query.traits);
        spread = comparable(stack->second, query, kind, spread);
        leaves += beyond(stack->second, query.traits, kind, query.ofRuns);
    }
    const double width = widening(query.filled) * std::min(kMostBeyond, 1 + leaves);
    RangeFactors factors;
    factors.median = std::exp(width * spread.median);
    factors.low = std::exp(std::min(0.0, width * (spread.median + m_tables->width * (spread.low - spread.median))));
    factors.high = std::exp(std::max(0.0, width * (spread.median + m_tables->width * (spread.high - spread.median))));
    return factors;
}

const RangeEvidence& shippedEvidence()
{
    static const RangeEvidence evidence{
        Evidence(shippedEvidenceRows(), Measure::StepTime), Evidence(shippedEvidenceRows(), Measure::PeakMemory)};
    return evidence;
}

} // namespace stratoplan::estimate

// SPDX-License-Identifier: Apache-2.0
// The range of an estimate: where 80 % of measurements of such a run would lie. It comes from the residuals of comparable
// measured cases (same software; near in shape, size, degrees of parallelism, number formats), and goes over into the spread
// between sources as the plan leaves what was measured.
#pragma once

#include "core/estimate/evidence.h"

#include <map>
#include <string>
#include <vector>

namespace stratoplan {

/// Factors on an estimate; low <= median <= high and low <= 1 <= high.
struct RangeFactors {
    double low = 1; ///< 10th percentile of measured over estimated
    double median = 1;
    double high = 1; ///< 90th percentile
    bool operator==(const RangeFactors&) const = default;
};

struct RangeQuery {
    std::string_view software; ///< id
    std::string_view accelerator; ///< id
    RunTraits traits;
    int filled = 0; ///< fields that were filled in by rule: each widens the range
    std::string_view leftOut = {}; ///< id of a measured case that is not to be used: the one that is estimated
};
[[nodiscard]] RangeQuery rangeQuery(const Plan& plan); ///< refers to the plan

/// Measured cases of step times, arranged for fast answers.
class Evidence {
public:
    explicit Evidence(std::span<const EvidenceRow> rows);

    /// Whether there are measured cases of this software profile.
    [[nodiscard]] bool knows(std::string_view software) const { return m_stacks.contains(software); }
    /// For software without measured cases the spread between sources.
    [[nodiscard]] RangeFactors range(const RangeQuery& query) const;
    /// Sentences on where a plan leaves what was measured.
    [[nodiscard]] std::vector<std::string> extrapolations(const Plan& plan) const;

private:
    /// Logarithms of measured over estimated.
    struct Spread {
        double low = 0, median = 0, high = 0;
    };
    /// What is told apart by kind, not by ratio.
    struct Kind {
        int accelerator = 0; ///< place in m_accelerators
        RunTraits traits; ///< but for the extents
        bool operator==(const Kind&) const = default;
    };
    /// The cases of one software profile, by residual, in columns.
    struct Stack {
        std::array<std::vector<float>, kExtents> extents; ///< logarithms to base 2
        std::array<int, kExtents> largest{};
        std::vector<Kind> kinds; ///< each once
        std::vector<std::size_t> kindOfRow;
        std::vector<float> weights;
        std::vector<float> residuals; ///< of what is left when fields filled in are allowed for
        std::vector<std::string> ids;
    };
    /// What was measured on one accelerator, whatever the software.
    struct Measured {
        std::string accelerator;
        bool experts = false, latentAttention = false, slidingWindow = false;
    };
    [[nodiscard]] Kind kindOf(std::string_view accelerator, RunTraits traits) const;
    /// How near each case is: 1 for the same run, falling to 0.
    [[nodiscard]] static std::vector<float> nearness(const Stack& stack, const RunTraits& traits, const Kind& kind);
    /// The spread of the near cases, going over into `far` as they are few and far.
    [[nodiscard]] static Spread comparable(const Stack& stack, const RangeQuery& query, const Kind& kind, const Spread& far);
    /// How far a run leaves the largest and the kinds that were measured: a factor of at least 1 on the width of its range.
    [[nodiscard]] static double beyond(const Stack& stack, const RunTraits& traits, const Kind& kind);
    void addStack(std::string software, std::vector<const EvidenceRow*> rows);
    void addAccelerator(const EvidenceRow& row);

    std::map<std::string, Stack, std::less<>> m_stacks;
    std::vector<Measured> m_accelerators;
    std::array<Spread, 2> m_betweenSources; ///< [0] of dense models, [1] of mixtures of experts
};

/// resources/validation/evidence.csv, as it was built in.
[[nodiscard]] const Evidence& shippedEvidence();

} // namespace stratoplan

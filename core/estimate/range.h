// SPDX-License-Identifier: Apache-2.0
// The range of an estimate: where 80 % of measurements of such a run would lie. It comes from the residuals of
// comparable measured cases (same software; near in shape, size, degrees of parallelism, number formats), and goes over
// into the spread between sources as the plan leaves what was measured.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/evidence.h"
#include "core/estimate/extrapolation.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stratoplan::estimate {

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
    std::string_view vendor{}; ///< of the accelerator; empty: not stated
    int unmeasured = 0; ///< kinds of a plan that no case has: each widens the range
    bool ofRuns = false; ///< the accelerator is one of the runs that the constants come from
    int filled = 0; ///< fields that were filled in by rule: each widens the range
};
[[nodiscard]] RangeQuery rangeQuery(const plan::Plan& plan); ///< refers to the plan
/// The first accelerator in use; one without a name if there is none.
[[nodiscard]] const cluster::Accelerator& firstAccelerator(const plan::Plan& plan);
/// Whose an accelerator of the shipped catalogue is; empty if that does not have it.
[[nodiscard]] std::string_view shippedVendor(std::string_view accelerator);
/// Of offload, another optimizer than Adam, uneven experts, edited constants, … as many as the plan has.
[[nodiscard]] int unmeasuredKinds(const plan::Plan& plan);

/// What of a plan decides how far it is from the runs that a profile was calibrated to.
[[nodiscard]] plan::RunExtents extentsOf(const plan::Plan& plan);
/// How far two runs are apart, squared: the distance by which measured cases count for a range. 0: as alike as can be
/// told.
[[nodiscard]] double squaredDistance(const RunTraits& a, const RunTraits& b, bool isSameAccelerator);
[[nodiscard]] double squaredDistance(const plan::Plan& a, const plan::Plan& b);
/// How far: 0 among them, rising to 1.
[[nodiscard]] double outside(const plan::CalibratedOn& runs, const plan::Plan& plan);
/// Everything in which the plan leaves them.
void addOutside(const plan::CalibratedOn& runs, const plan::Plan& plan, std::vector<Extrapolation>& found);

namespace detail {
/// How much a doubling of an extent sets two runs apart, and what another accelerator adds to the squared distance.
[[nodiscard]] float perDoubling(Extent extent);
/// 1 where runs are not told apart by it.
[[nodiscard]] int extentOf(const plan::RunExtents& extents, Extent extent);
inline constexpr float kOtherAccelerator = 6;
inline constexpr float kReach = 1.4F; ///< squared distance at which a case begins to count less
inline constexpr double kPerKindBeyond = 0.2; ///< on the width of a range, for every kind that was not measured
inline constexpr double kMostBeyond = 2; ///< on the width of a range, for all that was not measured together
} // namespace detail

/// Measured cases of step times or of peaks of memory, arranged for fast answers. Copies share what they hold.
class Evidence {
public:
    explicit Evidence(std::span<const EvidenceRow> rows, Measure measure = Measure::StepTime);

    /// The same, but that one measured case is in no range: what is known of a run that is that case.
    [[nodiscard]] Evidence without(std::string_view id) const;

    /// Whether there are measured cases of this software profile.
    [[nodiscard]] bool knows(std::string_view software) const { return m_tables->stacks.contains(software); }
    /// For software without measured cases the spread between sources.
    [[nodiscard]] RangeFactors range(const RangeQuery& query) const;
    /// That of a plan from the cases of its software, or of the one that is based on, whatever the software states
    /// itself.
    [[nodiscard]] RangeFactors asMeasured(const plan::Plan& plan, int filled = 0) const;
    /// That of the step time of a plan: from the cases of its software; for software based on another from the cases of
    /// that one, around what it was calibrated to, back to the other as the plan leaves those runs, and never narrower
    /// than what it states itself; else what it states.
    [[nodiscard]] RangeFactors range(const plan::Plan& plan, int filled = 0) const;
    /// Where a plan leaves what was measured; the catalogue names the software that its own is based on.
    [[nodiscard]] std::vector<Extrapolation> extrapolations(
        const plan::Plan& plan, const catalog::Catalog& catalog) const;

private:
    /// Logarithms of measured over estimated.
    struct Spread {
        double low = 0, median = 0, high = 0;
    };
    /// What is told apart by kind, not by ratio.
    struct Kind {
        int accelerator = 0; ///< place in Tables::accelerators
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
        std::string vendor; ///< empty: not in the shipped catalogue
        bool experts = false, latentAttention = false, slidingWindow = false;
    };
    struct Tables {
        double width = 1; ///< of every range, on the spread of the cases
        std::map<std::string, Stack, std::less<>> stacks;
        std::vector<Measured> accelerators;
        std::array<Spread, 2> betweenSources; ///< [0] of dense models, [1] of mixtures of experts

        [[nodiscard]] Kind kindOf(std::string_view accelerator, RunTraits traits) const;
        [[nodiscard]] bool hasVendor(std::string_view vendor) const;
        /// Of what no case has, whatever its software: the plan's own, the accelerator, and whose it is.
        [[nodiscard]] int unmeasuredKinds(const RangeQuery& query) const;
        void addStack(std::string software, std::vector<const EvidenceRow*> rows);
        void addAccelerator(const EvidenceRow& row);
    };
    /// How near each case is: 1 for the same run, falling to 0.
    [[nodiscard]] static std::vector<float> nearness(const Stack& stack, const RunTraits& traits, const Kind& kind);
    /// The spread of the near cases, going over into `far` as they are few and far.
    [[nodiscard]] Spread comparable(
        const Stack& stack, const RangeQuery& query, const Kind& kind, const Spread& far) const;
    /// How far a run leaves the largest and the kinds that were measured with its software, in doublings and kinds:
    /// what adds to the width of its range.
    [[nodiscard]] static double beyond(const Stack& stack, const RunTraits& traits, const Kind& kind, bool ofRuns);
    /// A factor on the width of a range that comes from no case, for what of the plan no case has.
    [[nodiscard]] double widthBeyond(const plan::Plan& plan) const;
    /// The range of a plan whose layers are all modelled.
    [[nodiscard]] RangeFactors modelled(const plan::Plan& plan, int filled) const;
    /// Whose cases are evidence for a profile: its own, or those of its base; empty: nobody's.
    [[nodiscard]] std::string_view stackOf(const plan::SoftwareProfile& software) const;

    std::shared_ptr<const Tables> m_tables;
    std::string m_without; ///< id of the case that is in no range; empty: none
};

/// What the ranges of an estimate come from.
struct RangeEvidence {
    Evidence times, peaks;
    [[nodiscard]] RangeEvidence without(std::string_view id) const { return {times.without(id), peaks.without(id)}; }
};

} // namespace stratoplan::estimate

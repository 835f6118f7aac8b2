// SPDX-License-Identifier: Apache-2.0
// Measured cases as evidence for the range of an estimate. A row is one measured case: what was run, and measured over
// estimated step time under constants fitted without that case's group. Rows are written by
// `stratoplan-cli calibrate --shipped --evidence FILE`; resources/validation/evidence.csv is built in.
#pragma once

#include "core/plan/plan.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::estimate {

/// The quantities that decide, by their ratio, how comparable two runs are.
enum class Extent {
    Layers,
    Hidden,
    Heads,
    Experts,
    Sequence,
    Accelerators,
    MicroBatch,
    MicroBatches,
    Tp,
    Pp,
    Dp,
    Cp,
    Ep,
    Vpp
};
inline constexpr std::size_t kExtents = static_cast<std::size_t>(Extent::Vpp) + 1;

/// What a run is, as far as it decides which measured cases are comparable.
struct RunTraits {
    std::array<int, kExtents> extents{};
    model::Precision precision = model::Precision::Bf16;
    parallel::Recompute recompute = parallel::Recompute::None;
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    int zeroStage = 0;
    bool sequenceParallel = false;
    bool flash = true;
    bool latentAttention = false;
    bool slidingWindow = false;
    [[nodiscard]] int extent(Extent which) const { return extents[static_cast<std::size_t>(which)]; }
    bool operator==(const RunTraits&) const = default;
};
[[nodiscard]] RunTraits traitsOf(const plan::Plan& plan);
/// Id of the accelerator that the plan's ranks run on; empty if there is none.
[[nodiscard]] std::string_view acceleratorOf(const plan::Plan& plan);

/// What a measured case is evidence of.
enum class Measure { StepTime, PeakMemory };

struct EvidenceRow {
    bool memory = false; ///< of the peak of memory, else of the step time
    [[nodiscard]] Measure measure() const { return memory ? Measure::PeakMemory : Measure::StepTime; }
    std::string id; ///< of the measured case
    std::string source; ///< who published it
    std::string group; ///< cases that were left out of the fit together, of one profile
    std::string software;
    std::string accelerator;
    RunTraits traits;
    int filled = 0; ///< fields that the source leaves open
    int weight = 1; ///< cases that it stands for in ranges; 0: another stands for it
    double residual = 0; ///< log(measured / estimated), its group left out of the fit
    double residualBySource = 0; ///< the same with its source left out
    bool operator==(const EvidenceRow&) const = default;
};

/// As text, a line per row. Residuals are written to four decimals: what is read is what was written.
[[nodiscard]] std::string writeEvidence(std::span<const EvidenceRow> rows);
/// An error names the line and what is wrong with it.
[[nodiscard]] tl::expected<std::vector<EvidenceRow>, std::string> readEvidence(std::string_view text);

/// resources/validation/evidence.csv, as it was built in.
[[nodiscard]] std::span<const EvidenceRow> shippedEvidenceRows();
struct RangeEvidence; // range.h
[[nodiscard]] const RangeEvidence& shippedEvidence(); ///< those rows

} // namespace stratoplan::estimate

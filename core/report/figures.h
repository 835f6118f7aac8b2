// SPDX-License-Identifier: Apache-2.0
// The pictures of a report.
#pragma once

#include "core/estimate/step_terms.h"
#include "core/report/facts.h"
#include "core/report/report.h"

namespace stratoplan::report {

/// Colour of a part of the step, and the pattern that tells it without colour.
struct Look {
    Rgb fill = 0;
    Pattern pattern = Pattern::Solid;
};
[[nodiscard]] Look lookOfTerm(estimate::StepTerm term);

/// Nodes in their racks with the accelerators coloured by pipeline stage, switches above them, cables between.
[[nodiscard]] Picture clusterPicture(const plan::Plan& plan);
/// Where the seconds of a step go: the whole, and each stage.
[[nodiscard]] Picture breakdownPicture(const estimate::Estimate& estimate);
/// Bytes of each stage by kind against what its accelerators have.
[[nodiscard]] Picture memoryPicture(const estimate::Memory& memory);
/// A lane per stage, from some second of the step to another.
[[nodiscard]] Picture pipelinePicture(const pipeline::Timeline& timeline, double from, double to);
/// Throughput against peak memory: the front that was found, and the plans that are told of.
[[nodiscard]] Picture frontPicture(const Facts& facts);
/// When the run is done, and where its wall time goes.
[[nodiscard]] Picture runPicture(const Candidate& candidate);
/// Mean errors of the sources of measured cases.
[[nodiscard]] Picture evidencePicture(const validation::ValidationReport& report);

/// Stages that a picture with `most` rows shows of so many: all, or the first and the last ones.
[[nodiscard]] std::vector<std::size_t> shownStages(std::size_t stages, std::size_t most);

} // namespace stratoplan::report

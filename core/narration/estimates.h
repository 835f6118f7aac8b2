// SPDX-License-Identifier: Apache-2.0
// What an estimate rests on and where its memory peaks, told to people.
#pragma once

#include "core/cost/memory.h"
#include "core/estimate/extrapolation.h"
#include "core/estimate/memory_timeline.h"
#include "core/estimate/step_terms.h"
#include "core/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::narration {

/// "No measured case with context parallelism in Megatron-LM."
[[nodiscard]] std::string describe(const estimate::Extrapolation& extrapolation);
[[nodiscard]] std::vector<std::string> describe(const std::vector<estimate::Extrapolation>& extrapolations);

[[nodiscard]] std::string_view describe(estimate::StepTerm term); // "bubble", "exposed pipeline transfers", …
/// Of a whole step: "bubble of the stage that sets the pace", else the same.
[[nodiscard]] std::string_view describeInStep(estimate::StepTerm term);
/// Of an exposed term: "hidden pipeline transfers".
[[nodiscard]] std::string_view describeHidden(estimate::StepTerm term);

[[nodiscard]] std::string_view describe(cost::Lifetime lifetime); // "all the time", "per micro-batch in flight", …
[[nodiscard]] std::string_view fitWords(bool fits); // "fits", "does not fit"
/// The same of the accelerators' memory, whose range may end beyond them: "fits, but its range ends beyond: it may not
/// fit"
[[nodiscard]] std::string_view fitWords(const estimate::Memory& memory);
/// The same, or that what is offloaded does not fit.
[[nodiscard]] std::string_view fitWords(bool fits, bool fitsHost);
/// "70.0 GiB of 80.0 GiB, 80 % range 66.0 GiB to 81.0 GiB: it may not fit"
[[nodiscard]] std::string peakAndRange(Bytes peak, const estimate::Memory& memory);

/// "stages 0–1 on DGX H100, stage 2 on DGX A100 and DGX H100"; nothing where all nodes are of one kind.
[[nodiscard]] std::string describeStageNodes(const plan::Plan& plan);
/// "2 replicas on DGX A100: 9 micro-batches in 10.1 s; 4 replicas on DGX H100: 20 micro-batches in 10.2 s"; empty where
/// all run alike.
[[nodiscard]] std::string describeReplicas(const plan::Plan& plan, const std::vector<estimate::ReplicaStep>& replicas);

/// "in the backward pass of micro-batch 3"; with chunks "… of micro-batch 3, chunk 1".
[[nodiscard]] std::string describeMoment(const estimate::MemoryPeak& peak, int chunks);

} // namespace stratoplan::narration

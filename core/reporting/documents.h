// SPDX-License-Identifier: Apache-2.0
// What files of models, schedules and answers say and lack, told to people.
#pragma once

#include "core/exchange/document.h"
#include "core/exchange/schedule_file.h"
#include "core/exchange/simplifications.h"
#include "core/exchange/study_answers.h"

#include <string>
#include <vector>

namespace stratoplan::reporting {

/// "only the language model (text_config) is taken"
[[nodiscard]] std::string describe(const exchange::Simplification& simplification);
[[nodiscard]] std::vector<std::string> describe(const std::vector<exchange::Simplification>& simplifications);
/// What a starting plan has that its model does not say, a line each: cluster, batch, sequence, strategy,
/// recomputation, software.
[[nodiscard]] std::vector<std::string> assumptions(const plan::Plan& plan);
/// What of a strategy became different, by dimension in the order of files: "DP 2 → 6".
[[nodiscard]] std::vector<std::string> changes(const parallel::Strategy& before, const parallel::Strategy& after);

/// "part-2.jsonl, line 7: no JSON: …"
[[nodiscard]] std::string describe(const exchange::StudyFault& fault);

/// A fault of a schedule as that of a document: the line, what stands there and what would be right.
[[nodiscard]] exchange::DocumentError documentError(const exchange::ScheduleFault& fault, const std::string& file = {});

} // namespace stratoplan::reporting

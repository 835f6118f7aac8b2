// SPDX-License-Identifier: Apache-2.0
// A pipeline schedule from a text: a line of passes per stage (resources/schema/schedule.md).
#pragma once

#include "core/exchange/document.h"
#include "core/pipeline/pipeline.h"

namespace stratoplan::exchange {

/// Reads the order of every stage of `work` from a text. Errors name line and token: an unknown token, a pass twice or
/// missing, a backward pass before its forward pass, more or fewer stages than the pipeline has, or an order in which
/// stages wait for each other for ever.
[[nodiscard]] tl::expected<std::vector<pipeline::StageProgram>, DocumentError> parseSchedule(
    std::string_view text, const pipeline::PipelineWork& work, const std::string& file = {});

/// Whether a text is meant as one: its first word that is no remark is a pass.
[[nodiscard]] bool looksLikeSchedule(std::string_view text);

} // namespace stratoplan::exchange

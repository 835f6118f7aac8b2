// SPDX-License-Identifier: Apache-2.0
// A pipeline schedule from a text: a line of passes per stage (resources/schema/schedule.md).
#pragma once

#include "core/pipeline/deadlock.h"
#include "core/pipeline/pipeline.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

enum class ScheduleFaultCode {
    UnknownPass, ///< text
    MicroBatch, ///< text: the pass, limit: the last micro-batch
    Chunk, ///< text: the pass, limit: the last chunk
    WrongWay, ///< text: the pass, limit: the last micro-batch that goes down the pipeline
    PassTwice, ///< text: the pass
    NoInputGradient, ///< text: the pass
    NoForwardPass, ///< text: the pass
    PassMissing, ///< text: the pass
    MoreStages, ///< found: the stage, limit: the stages there are
    FewerStages, ///< found, limit
    Deadlock, ///< stuck
};

/// What is wrong with a schedule: core/reporting makes the sentence.
struct ScheduleFault {
    ScheduleFaultCode code{};
    int line = 0; ///< 0 = the whole file
    std::string text = {}; ///< a pass as a file has it
    std::int64_t found = 0;
    std::int64_t limit = 0;
    std::vector<pipeline::StuckPass> stuck = {};
    int chunks = 1; ///< of the stages that are stuck
};

/// A pass as a file has it: "F0", with several chunks "F0.1".
[[nodiscard]] std::string passName(const pipeline::PipelineStep& pass, int chunks);

/// Reads the order of every stage of `work` from a text. Errors name line and token: an unknown token, a pass twice or
/// missing, a backward pass before its forward pass, more or fewer stages than the pipeline has, or an order in which
/// stages wait for each other for ever.
[[nodiscard]] tl::expected<std::vector<pipeline::StageProgram>, ScheduleFault> parseSchedule(
    std::string_view text, const pipeline::PipelineWork& work);

/// Whether a text is meant as one: its first word that is no remark is a pass.
[[nodiscard]] bool looksLikeSchedule(std::string_view text);

} // namespace stratoplan::exchange

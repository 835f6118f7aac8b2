// SPDX-License-Identifier: Apache-2.0
// The text of a training log of Megatron-LM and its relatives (Megatron-DeepSpeed, Megatron-Bridge, NeMo, MindSpeed) as
// it stands there: the arguments printed at the start, a line per logged iteration, the memory reports. What a line
// means for a plan is core/calibration/megatron_runs.h.
#pragma once

#include "core/calibration/run_faults.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::calibration {

struct LogArgument {
    std::string value; ///< as printed: "8", "None", "torch.bfloat16"
    int line = 0;
};
using LogArguments = std::map<std::string, LogArgument, std::less<>>;

/// One logged iteration.
struct LogStep {
    int line = 0;
    std::int64_t iteration = 0;
    double seconds = 0; ///< of one step: the mean since the line before
    std::optional<int> globalBatch;
    std::optional<double> consumedSamples;
    std::optional<double> teraflops; ///< per accelerator, as the log counts them
    bool bad = false; ///< some of its iterations were skipped or not a number
    bool firstOfStart = false; ///< the first line after the process started
};

/// "[Rank 0] (after 10 iterations) memory (MB) | …", in GiB.
struct LogMemory {
    int line = 0;
    int rank = 0;
    double peak = 0;
    bool reserved = false; ///< the most the allocator reserved; else only what it handed out, as logs of some eras say
};

/// One start of the training program and what it logged.
struct LogSection {
    LogArguments arguments; ///< empty where the log does not begin with them
    std::vector<LogStep> steps;
    std::vector<LogMemory> memory;
};

struct MegatronLog {
    std::vector<LogSection> sections;
    std::vector<FaultyRun> faulty; ///< lines that should say something and do not
};

[[nodiscard]] MegatronLog parseMegatronLog(std::string_view text);

} // namespace stratoplan::calibration

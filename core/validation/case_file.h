// SPDX-License-Identifier: Apache-2.0
// A measured case as its file states it; nothing is filled in here. Fields: resources/docs/validation-fields.md.
#pragma once

#include "core/exchange/document.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::validation {

struct CaseRecord {
    std::string id, group;
    std::string citation; ///< "Title. Reference. Where in it": what of these the file states
    std::string framework, version;

    std::string modelName, modelKind, attention;
    std::optional<int> layers, hidden, ffnHidden, heads, kvHeads, headDim, vocabulary, sequenceLength;
    std::optional<bool> gatedMlp, tiedEmbeddings;
    std::optional<int> experts, topK, moeFfn, sharedExperts, denseLayers;
    std::optional<double> parametersBillion;

    std::string accelerator, intra, inter;
    std::string node; ///< id of the catalogue's preset
    std::optional<double> memoryGib;
    std::optional<int> gpusPerNode, nodes, totalGpus;

    std::optional<int> tp, pp, dp, vpp, cp, ep, zeroStage;
    std::optional<bool> sequenceParallel, distributedOptimizer;
    std::string fsdp, schedule, overlap;

    std::string precision, recompute;
    std::optional<int> microBatch, globalBatch, gradAccum, documentLength;
    std::optional<bool> flashAttention;
    int flashVersion = 0; ///< 0 = not stated
    std::string notes; ///< caveats of the source

    std::optional<double> stepSeconds, peakGib;
    std::string peakDefinition; ///< what was read as the peak
    std::string status; ///< of a run that failed: "oom-certain", "oom-likely"
    std::vector<std::string> filled; ///< "training.micro_batch=2": fields taken from other rows of the source
    /// By what wrote the case; to it come only the profile of an unknown stack and what was chosen (case_choices.h).
    std::optional<std::vector<std::string>> statedFilled;
};

struct SkippedCase {
    std::string id; ///< the JSON pointer of the row where it has no id
    std::string reason;
};

struct CaseFile {
    std::vector<CaseRecord> records;
    std::vector<SkippedCase>
        faulty; ///< rows that cannot be read, with the place, what stands there and what would be right
};

/// A source often states the batch of one run and prints others like it: a row that leaves micro-batch, global batch
/// and gradient accumulation open takes those of the rows of its group with the same model shape, machine and strategy,
/// if all of these agree.
void fillFromAlike(std::vector<CaseRecord>& records);

/// The cases of a file, filled from rows alike: an array of cases, or an object with a "cases" array. A faulty row is
/// left out with its reason; an error is a text that holds no rows at all. `file` is for the error.
[[nodiscard]] tl::expected<CaseFile, exchange::DocumentError> readCaseRecords(
    std::string_view json, std::string_view file = {});

} // namespace stratoplan::validation

// SPDX-License-Identifier: Apache-2.0
// The config.json of a Hugging Face model as a Transformer. What a file lacks is filled by the documented default of
// its model_type and listed; what a Transformer cannot hold (state-space layers, linear attention) is refused by name,
// or, where that is asked for, has layers with a window stand in for it.
#pragma once

#include "core/exchange/document.h"
#include "core/exchange/simplifications.h"
#include "core/model/transformer.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

struct ImportedModel {
    model::Transformer model;
    int longestSequence = 0; ///< max_position_embeddings; 0 = not stated
    std::vector<std::string> filled; ///< "num_key_value_heads=32": not in the file, the default of its model_type
    std::vector<Simplification> simplified; ///< what the file says and the model takes more simply
};

struct ImportOptions {
    bool standIn = false; ///< layers with a window stand in for mixers whose computation is known but not modelled
};

/// Whether a refusal is one that ImportOptions::standIn lifts.
[[nodiscard]] bool mayStandIn(const DocumentErrors& errors);

/// Errors: the syntax; a field that is missing or of the wrong kind; a model_type or a kind of layer that is not known,
/// each with what would be right. `name` is the model's name, e.g. the folder or repository it came from.
[[nodiscard]] tl::expected<ImportedModel, DocumentErrors> importHuggingFace(
    std::string_view text, std::string_view name, std::string_view file = {}, const ImportOptions& options = {});

/// What to call the model of a file: "Qwen3-8B" of "Qwen--Qwen3-8B_config.json"; of a plain config.json the name of its
/// folder.
[[nodiscard]] std::string modelNameOf(const std::string& file);

/// Every model_type that can be read, for help and messages.
[[nodiscard]] std::string huggingFaceModelTypes();

} // namespace stratoplan::exchange

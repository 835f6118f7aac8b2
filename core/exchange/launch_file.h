// SPDX-License-Identifier: Apache-2.0
// Files that start a training, as plans: the round trip of core/launch. Arguments of Megatron-LM and its kin, also in a
// script, the configuration of DeepSpeed, the TOML of torchtitan. What a file does not say comes from a plan that
// stands behind it, or is assumed and listed; what of it has no effect on an estimate is listed, too.
#pragma once

#include "core/catalog/catalog.h"
#include "core/exchange/document.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

enum class LaunchKind { MegatronLm, DeepSpeed, TorchTitan };
[[nodiscard]] std::string_view key(LaunchKind kind); // "megatron-lm", "deepspeed", "torchtitan"
/// By content; nothing for a text that is none of them.
[[nodiscard]] std::optional<LaunchKind> recogniseLaunch(std::string_view text);

struct LaunchOptions {
    const plan::Plan* base = nullptr; ///< has what the file does not say
    const catalog::NodePreset* node = nullptr; ///< of the cluster; null: the base's, or a usual one
    int nodes = 0; ///< 0 = as many as the ranks of the file fill
    std::string_view companion = {}; ///< arguments beside a configuration of DeepSpeed: have what that does not say
};

struct ImportedLaunch {
    LaunchKind kind{};
    plan::Plan plan;
    std::vector<std::string> filled; ///< "vocab-size=50257": not in the file
    std::vector<std::string> unused; ///< "--lr 3e-4": has no effect on an estimate, or is not known
    DocumentErrors warnings; ///< what contradicts itself, or is taken more simply
};

/// `name` is the plan's, of its file. Errors: the syntax; values that are none; what contradicts itself so that the
/// framework would refuse it. The plan may still break rules of check().
[[nodiscard]] tl::expected<ImportedLaunch, DocumentErrors> importLaunch(std::string_view text, LaunchKind kind,
    std::string_view name, std::string_view file, const LaunchOptions& options, const catalog::Catalog& catalog);

/// A size that a name claims ("llama-7b": 7e9), where the model has another by far; nothing where both agree.
struct ClaimedSize {
    std::string text; ///< "7b"
    double parameters = 0;
};
[[nodiscard]] std::optional<ClaimedSize> contradictedSize(std::string_view name, const model::Transformer& model);

} // namespace stratoplan::exchange

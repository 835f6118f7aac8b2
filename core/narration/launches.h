// SPDX-License-Identifier: Apache-2.0
// Launch files told to people: what a format cannot express and what stands in its place, what is to be filled in, and
// the whole text of a file with both at its head.
#pragma once

#include "core/launch/launch.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

/// "Schedule dualpipe: Megatron-Core 0.20 runs 1F1B and interleaving alone; written as
/// --pipeline-model-parallel-size 16."
[[nodiscard]] std::string describe(const launch::Remark& remark, launch::Format format);
/// "lr: the learning rate"
[[nodiscard]] std::string describe(const launch::BlankSetting& blank);
/// "Megatron-LM arguments"
[[nodiscard]] std::string_view describe(launch::Format format);

/// The file of a plan: comments of its head, where the format has comments, and the body.
[[nodiscard]] std::string launchText(const launch::LaunchFile& file, const plan::Plan& plan);
/// A file beside it, whose comments say what JSON cannot.
[[nodiscard]] std::string launchText(
    const launch::LaunchFile& file, const launch::Companion& companion, const plan::Plan& plan);

/// All formats of launch files, "megatron-lm, …".
[[nodiscard]] std::string launchFormats();

} // namespace stratoplan::narration

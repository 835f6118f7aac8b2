// SPDX-License-Identifier: Apache-2.0
// What a file is, told by its content: so that a person can drop any file and need not say which kind it is.
#pragma once

#include <string_view>

namespace stratoplan::exchange {

enum class FileKind {
    Plan, ///< a plan or project, or JSON that may be meant as one
    Profile, ///< a software profile
    HuggingFace, ///< the config.json of a model
    Cases, ///< measured cases
    Kernels, ///< measured kernels
    Study, ///< a grid of plans for `sweep`
    Answers, ///< what `sweep` answered, JSON lines
    Schedule, ///< an order of passes, a line per stage
    Topology, ///< how machines are wired (core/wiring)
    Launch, ///< arguments or a configuration that start a training (core/exchange/launch_file.h)
    Other, ///< no JSON: a table, a log, …
};

/// Looks at the outermost members only; broken JSON is Plan, whose reader says what is wrong with it.
[[nodiscard]] FileKind recogniseFile(std::string_view text);

} // namespace stratoplan::exchange

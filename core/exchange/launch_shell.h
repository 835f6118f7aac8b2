// SPDX-License-Identifier: Apache-2.0
// Arguments as people keep them: a list of "--flag value", or a script of a shell that starts the training. Of the
// shell as much is read as such scripts use: variables, arrays, quotes, continued lines, comments, sums in $(( )).
// Nothing is run: what only a running shell knows stays as it is written.
#pragma once

#include "core/exchange/launch_statements.h"

#include <map>

namespace stratoplan::exchange::launchfile {

struct Script {
    std::vector<Statement> arguments; ///< of the training program
    std::vector<Statement> launcher; ///< of what starts it: torchrun, srun, #SBATCH
    std::map<std::string, std::string> variables; ///< with their last values
    std::vector<Statement> branches; ///< variables that a branch or loop sets anew; the last value counts
    bool isAscend = false; ///< it speaks of accelerators of Huawei
    DocumentErrors errors;
};

[[nodiscard]] Script readScript(std::string_view text, std::string_view file);

/// Whether a text has arguments of Megatron-LM.
[[nodiscard]] bool looksLikeArguments(std::string_view text);

} // namespace stratoplan::exchange::launchfile

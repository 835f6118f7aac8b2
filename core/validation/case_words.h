// SPDX-License-Identifier: Apache-2.0
// What the words of a measured case stand for, as data: resources/validation/stacks.json.
#pragma once

#include <string>
#include <vector>

namespace stratoplan::validation {

/// The software profile of a framework. What is empty fits every case.
struct StackWords {
    std::string framework; ///< as whole words
    std::string version; ///< how the version begins
    int since = 0; ///< year of the release
    std::vector<std::string> accelerators; ///< any of which the printed accelerator has
    std::vector<std::string> words; ///< any of which the remarks on overlap or the precision have
    std::string profile; ///< id
    std::string ofExperts; ///< id of that of mixtures of experts; empty: the same
    std::string like; ///< the framework whose profile it is
};

/// When an accelerator came to market.
struct GenerationWords {
    std::string accelerator; ///< words that the printed accelerator has
    int year = 0;
};

/// The node that printed words mean.
struct NodeWords {
    std::string accelerator; ///< how its id begins
    std::string words; ///< in the links, the accelerator or the framework
    std::string node; ///< id
};

struct CaseWords {
    std::vector<StackWords> stacks; ///< the first that fits counts
    std::vector<GenerationWords> generations; ///< the last of those that fit
    std::vector<NodeWords> nodes; ///< the first that fits counts
};
/// As they were built in. A broken shipped file is a bug.
[[nodiscard]] const CaseWords& shippedCaseWords();

} // namespace stratoplan::validation

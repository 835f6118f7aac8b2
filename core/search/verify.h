// SPDX-License-Identifier: Apache-2.0
// The answer of a search beside that of pricing everything: the same, or what differs.
#pragma once

#include "core/search/search.h"

#include <vector>

namespace stratoplan::search {

struct Verification {
    bool complete = false; ///< everything was priced: the verdicts below are of the whole space
    bool sameBest = false; ///< the least value
    bool sameOptimal = false; ///< the strategies that attain it in the least memory
    bool sameFront = false; ///< every strategy of it, its value and its peak
    std::vector<FoundStrategy> missing; ///< found by pricing everything, and neither in the answer nor beaten by it
    std::vector<FoundStrategy> wrong; ///< in the answer, and not what pricing everything found
    [[nodiscard]] bool agrees() const
    {
        return missing.empty() && wrong.empty() && (!complete || (sameBest && sameOptimal && sameFront));
    }
};

/// `everything`: of the same plan, space and options, but exhaustive. Stopped, it can only contradict what is missing
/// in the answer.
[[nodiscard]] Verification verify(const SearchResult& answer, const SearchResult& everything);

} // namespace stratoplan::search

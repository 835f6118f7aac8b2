// SPDX-License-Identifier: Apache-2.0
#include "core/search/verify.h"

#include <algorithm>

namespace stratoplan::search {
namespace {

/// Strategies of least value.
std::vector<FoundStrategy> optimal(const SearchResult& result)
{
    std::vector<FoundStrategy> all;
    std::copy_if(result.front.begin(), result.front.end(), std::back_inserter(all),
        [&](const FoundStrategy& f) { return result.best && f.value == result.best->value; });
    return all;
}

bool contains(const std::vector<FoundStrategy>& front, const FoundStrategy& found)
{
    return std::find(front.begin(), front.end(), found) != front.end();
}

/// Whether something on the front is better in one and no worse in the other.
bool beaten(const std::vector<FoundStrategy>& front, const FoundStrategy& found)
{
    return std::any_of(front.begin(), front.end(), [&](const FoundStrategy& other) {
        return other.value <= found.value && other.peak <= found.peak
            && (other.value < found.value || other.peak < found.peak);
    });
}

} // namespace

Verification verify(const SearchResult& answer, const SearchResult& everything)
{
    Verification result;
    result.complete = everything.proven;
    result.sameBest = answer.best.has_value() == everything.best.has_value()
        && (!answer.best || answer.best->value == everything.best->value);
    result.sameOptimal = optimal(answer) == optimal(everything);
    result.sameFront = answer.front == everything.front;
    for (const FoundStrategy& found : everything.front)
        if (!contains(answer.front, found) && !beaten(answer.front, found))
            result.missing.push_back(found);
    for (const FoundStrategy& found : answer.front) {
        const bool is = result.complete ? !contains(everything.front, found) : beaten(everything.front, found);
        if (is)
            result.wrong.push_back(found);
    }
    return result;
}

} // namespace stratoplan::search

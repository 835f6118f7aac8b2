// SPDX-License-Identifier: Apache-2.0
// Inside of the search: which ways to shard are known not to fit without pricing their bytes.
#pragma once

#include "core/space/space_tree.h"

#include <array>

namespace stratoplan::search {

/// Shardings that need more memory than one for which there is none. Over all replicas a stage shares out at least as
/// finely as over some of them, and holds as much else; and up to ZeRO-2 each stage shares out what the one below does,
/// and more. (ZeRO-3 also gathers what it shared out, so that it may need more than ZeRO-2; and an optimizer that
/// flattens gradients in ZeRO-1 and 2 may need more than ZeRO-0, which then stands for itself.)
class NoRoom {
public:
    explicit NoRoom(bool flattens)
        : m_from(flattens ? 1 : 0)
    {
    }

    void add(const space::ShardingPick& pick)
    {
        if (pick.shards != 0)
            return;
        m_stages[std::size_t(pick.stage)] = true;
        for (int below = m_from; pick.stage < 3 && below < pick.stage; ++below)
            m_stages[std::size_t(below)] = true;
    }
    [[nodiscard]] bool holds(const space::ShardingPick& pick) const { return m_stages[std::size_t(pick.stage)]; }

private:
    std::array<bool, 4> m_stages{};
    int m_from; ///< the stage from which on each needs no more than the one below
};

} // namespace stratoplan::search

// SPDX-License-Identifier: Apache-2.0
// Inside of the search: threads that go through a list together. What is alike goes to the same one, which remembers
// what it priced.
#pragma once

#include "core/units/hash.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stratoplan::search {

class Workers {
public:
    /// As many as asked for, even above the number of cores.
    explicit Workers(int threads)
        : m_threads(std::size_t(threads))
        , m_allowed(tbb::global_control::max_allowed_parallelism,
              std::max(m_threads, std::size_t(tbb::this_task_arena::max_concurrency())))
        , m_arena(threads)
    {
    }

    [[nodiscard]] std::size_t threads() const { return m_threads; }

    /// visit(place, thread) for every place of a list: by the thread of its key, or by one that has nothing left to do.
    /// No two visits of one thread at a time.
    template <class KeyOf, class Visit>
    void each(std::size_t count, KeyOf keyOf, Visit visit)
    {
        std::vector<std::vector<std::size_t>> queues(m_threads);
        for (std::size_t i = 0; i < count; ++i)
            queues[mixed(keyOf(i)) % m_threads].push_back(i);
        std::vector<std::atomic<std::size_t>> next(m_threads);
        const auto work = [&](std::size_t thread) {
            for (std::size_t step = 0; step < m_threads; ++step) {
                const std::size_t queue = (thread + step) % m_threads;
                for (std::size_t i = next[queue]++; i < queues[queue].size(); i = next[queue]++)
                    visit(queues[queue][i], thread);
            }
        };
        m_arena.execute([&] { tbb::parallel_for(std::size_t(0), m_threads, work, tbb::static_partitioner()); });
    }

private:
    /// Keys that differ little should not share a thread.
    [[nodiscard]] static std::size_t mixed(std::uint64_t key) { return std::size_t(scattered(key) >> 32U); }

    std::size_t m_threads;
    tbb::global_control m_allowed;
    tbb::task_arena m_arena;
};

} // namespace stratoplan::search

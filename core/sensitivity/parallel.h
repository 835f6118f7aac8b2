// SPDX-License-Identifier: Apache-2.0
// Inside of the sensitivity: plans that are priced side by side, each into its own place, so that answers do not depend
// on the number of threads.
#pragma once

#include "core/search/search.h"
#include "core/sensitivity/outcome.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stop_token>

namespace stratoplan::sensitivity::detail {

class Parallel {
public:
    /// `threads` 0: as many as the machine has.
    Parallel(int threads, std::stop_token stop, const Progress& progress)
        : m_threads(threads > 0 ? threads : search::machineThreads())
        , m_allowed(tbb::global_control::max_allowed_parallelism,
              std::size_t(std::max(m_threads, int(tbb::this_task_arena::max_concurrency()))))
        , m_arena(m_threads)
        , m_stop(std::move(stop))
        , m_progress(progress)
    {
    }

    [[nodiscard]] const std::stop_token& stop() const { return m_stop; }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    void expect(std::size_t plans) { m_total += int(plans); }

    /// visit(i) of every place; whether all were visited before it was stopped.
    template <class Visit>
    bool each(std::size_t count, Visit visit)
    {
        m_arena.execute([&] {
            tbb::parallel_for(std::size_t(0), count, [&](std::size_t i) {
                if (isStopped())
                    return;
                visit(i);
                const std::scoped_lock lock(m_mutex);
                ++m_done;
                if (m_progress)
                    m_progress(m_done, std::max(m_done, m_total));
            });
        });
        return !isStopped();
    }

private:
    int m_threads;
    tbb::global_control m_allowed; ///< as many as asked for, even above the number of cores
    tbb::task_arena m_arena;
    std::stop_token m_stop;
    const Progress& m_progress;
    std::mutex m_mutex;
    int m_done = 0, m_total = 0;
};

} // namespace stratoplan::sensitivity::detail

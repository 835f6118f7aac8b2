// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that works on the newest request. While it works, newer requests wait in a single place, so the oldest
// waiting one is forgotten: a slider at 120 Hz can neither pile up work nor keep a running job from finishing.
// The destructor stops the running job through its stop_token and joins.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace stratoplan::session {

template <class Request>
class LatestWorker {
public:
    /// Runs on the worker's thread. It ends early when the token says so.
    using Work = std::function<void(const Request&, std::stop_token)>;

    explicit LatestWorker(Work work)
        : m_state(std::make_shared<State>())
        , m_thread([state = m_state, work = std::move(work)](std::stop_token quit) { run(*state, work, quit); })
    {
    }

    ~LatestWorker()
    {
        cancel();
        m_thread.request_stop();
        m_thread.join();
    }

    LatestWorker(const LatestWorker&) = delete;
    LatestWorker& operator=(const LatestWorker&) = delete;

    /// Replaces the waiting request; the running one goes on.
    void submit(Request request)
    {
        {
            const std::lock_guard lock(m_state->mutex);
            m_state->waiting = std::move(request);
        }
        m_state->wake.notify_one();
    }

    /// Replaces the waiting request and stops the running one.
    void overtake(Request request)
    {
        {
            const std::lock_guard lock(m_state->mutex);
            m_state->running.request_stop();
            m_state->waiting = std::move(request);
        }
        m_state->wake.notify_one();
    }

    /// Forgets the waiting request and stops the running one. True if one was waiting: it will never run.
    bool cancel()
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->running.request_stop();
        return std::exchange(m_state->waiting, std::nullopt).has_value();
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::optional<Request> waiting;
        std::stop_source running{std::nostopstate};
    };

    static void run(State& state, const Work& work, std::stop_token quit)
    {
        std::unique_lock lock(state.mutex);
        while (state.wake.wait(lock, quit, [&] { return state.waiting.has_value(); })) {
            if (quit.stop_requested())
                break;
            const Request request = *std::exchange(state.waiting, std::nullopt);
            const std::stop_source source = state.running = std::stop_source();
            lock.unlock();
            work(request, source.get_token());
            lock.lock();
            state.running = std::stop_source(std::nostopstate);
        }
    }

    std::shared_ptr<State> m_state;
    std::jthread m_thread;
};

} // namespace stratoplan::session

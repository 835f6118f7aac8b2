// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace stratoplan::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction oldInterrupt { };
struct sigaction oldTerminate { };

} // namespace

Interruptible::Interruptible()
{
    struct sigaction action { };
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &oldInterrupt);
    sigaction(SIGTERM, &action, &oldTerminate);
    m_watch = std::jthread([this](const std::stop_token& end) {
        while (!end.stop_requested() && !interrupted)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (interrupted)
            m_stop.request_stop();
    });
}

Interruptible::~Interruptible()
{
    m_watch.request_stop();
    m_watch.join();
    sigaction(SIGINT, &oldInterrupt, nullptr);
    sigaction(SIGTERM, &oldTerminate, nullptr);
}

std::stop_token Interruptible::token()
{
    if (interrupted)
        m_stop.request_stop();
    return m_stop.get_token();
}

void showProgress(int done, int total, std::string_view what, int every)
{
    if (isatty(STDERR_FILENO) && (done % every == 0 || done == total))
        std::fprintf(stderr, "\r%d of %d %.*s%s", done, total, static_cast<int>(what.size()), what.data(),
            done == total ? "\r\033[K" : "");
}

void endProgress()
{
    if (isatty(STDERR_FILENO))
        std::fputs("\r\033[K", stderr);
}

} // namespace stratoplan::cli

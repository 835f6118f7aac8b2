// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+C and termination as a request to stop, and a line of progress on a terminal.
#pragma once

#include <stop_token>
#include <string_view>
#include <thread>

namespace stratoplan::cli {

/// While it lives, the first Ctrl+C or termination asks for the partial answer; the second ends the program.
class Interruptible {
public:
    Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    ~Interruptible();

    /// Asked to stop at the latest a few milliseconds after the signal, and at once if it has come already.
    [[nodiscard]] std::stop_token token();

private:
    std::stop_source m_stop;
    std::jthread m_watch; ///< a signal handler may only set a flag; this thread passes it on
};

/// "\r12 of 40 fits" on standard error if that is a terminal, every `every`; the line goes away when all are done.
void showProgress(int done, int total, std::string_view what, int every = 1);
/// Takes the line away before all are done.
void endProgress();

} // namespace stratoplan::cli

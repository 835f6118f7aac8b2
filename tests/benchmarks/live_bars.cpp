// SPDX-License-Identifier: GPL-3.0-or-later
// What the window promises while a slider moves, measured through the objects that the window has, document, planner
// and search worker, on their own threads: stratoplan-live-bars [--quick]
#include "app/session/workspace.h"
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::plan;
using namespace stratoplan::session;

namespace {

constexpr qint64 kPatience = 120'000; // ms

bool waitUntil(const std::function<bool()>& done)
{
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < kPatience)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
    return done();
}

/// Milliseconds of one thing that was done again and again.
struct Times {
    std::vector<double> all;

    [[nodiscard]] double share(double of) const
    {
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? INFINITY : sorted[std::min(sorted.size() - 1, std::size_t(of * double(sorted.size())))];
    }
};

void tell(const std::string& what, const Times& times, double bar)
{
    const double p95 = times.share(0.95);
    std::printf("%-64s median %7.1f ms   95 %% %7.1f ms   worst %7.1f ms   bar %g ms %s\n", what.c_str(),
        times.share(0.5), p95, times.share(1), bar, p95 <= bar ? "kept" : "MISSED");
    std::fflush(stdout);
}

/// The window without its widgets, on one example.
class Live {
public:
    Live(const char* example, const char* space)
        : m_workspace(shippedCatalog())
    {
        Document document = *parseDocument(findExample(example)->text, shippedCatalog(), example);
        document.project.search.space = space;
        m_workspace.document().load(std::move(document), {});
        QObject::connect(&m_workspace.search(), &PlanSearch::changed, &m_workspace, [this] {
            if (!m_rescored && m_workspace.search().isCurrent() && !m_workspace.search().picture()->front.empty())
                m_rescored = m_clock.nsecsElapsed() * 1e-6;
        });
        QObject::connect(&m_workspace, &Workspace::estimateChanged, &m_workspace, [this] {
            if (!m_estimated && m_workspace.estimatedPlan() && *m_workspace.estimatedPlan() == m_workspace.plan())
                m_estimated = m_clock.nsecsElapsed() * 1e-6;
        });
    }

    [[nodiscard]] bool settle()
    {
        return waitUntil([this] { return m_workspace.isIdle() && !m_workspace.isUpdating(); });
    }
    [[nodiscard]] bool haveFront()
    {
        return waitUntil([this] {
            return m_workspace.search().isCurrent() && m_workspace.search().picture()
                && !m_workspace.search().picture()->front.empty();
        });
    }

    /// Moves the batch, which the search depends on, until its front is priced anew and the plan has its estimate.
    bool move(int step, Times& rescored, Times& estimated)
    {
        Plan plan = m_workspace.plan();
        plan.training.globalBatch += step;
        m_rescored.reset();
        m_estimated.reset();
        m_clock.start();
        m_workspace.editPlan(plan, QStringLiteral("move"));
        if (!waitUntil([this] { return m_rescored && m_estimated; }))
            return false;
        rescored.all.push_back(*m_rescored);
        estimated.all.push_back(*m_estimated);
        return true;
    }

    /// From the wish to stop to the worker's word that it has; false if there was nothing to stop any more.
    bool stop(Times& stopped)
    {
        if (!m_workspace.search().worker().isSearching())
            return false;
        QElapsedTimer clock;
        clock.start();
        m_workspace.search().stop();
        if (!waitUntil([this] { return !m_workspace.search().worker().isSearching(); }))
            return false;
        stopped.all.push_back(double(clock.nsecsElapsed()) * 1e-6);
        return true;
    }

private:
    Workspace m_workspace;
    QElapsedTimer m_clock;
    std::optional<double> m_rescored;
    std::optional<double> m_estimated;
};

void bars(const char* example, const char* space, int step, int moves)
{
    Live live(example, space);
    if (!live.haveFront()) {
        std::printf("%s, %s space: no front in time\n", example, space);
        return;
    }
    Times rescored, estimated, stopped;
    for (int i = 0; i < moves; ++i) {
        if (!live.move(i % 2 == 0 ? step : -step, rescored, estimated))
            break;
        waitUntil([clock = QElapsedTimer(), i]() mutable { // the search is under way, each time a little farther
            if (!clock.isValid())
                clock.start();
            return clock.elapsed() > 5 + 7 * (i % 10);
        });
        if (i % 2 == 1)
            live.stop(stopped);
    }
    const std::string name = std::string(example) + ", " + space + " space";
    tell(name + ": batch moved to front re-scored", rescored, 100);
    tell("  to the new estimate", estimated, 50);
    if (stopped.all.empty())
        std::printf("  nothing to stop: every search had ended before\n");
    else
        tell("  stop to stopped, " + std::to_string(stopped.all.size()) + " times", stopped, 50);
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const int moves = quick ? 10 : 60;
    bars("gpt3-175b-1024-a100", "default", 512, moves);
    bars("gpt3-175b-1024-a100", "whole", 512, moves);
    if (!quick) {
        bars("llama3-405b-16384-h100", "default", 1024, moves);
        bars("deepseek-v3-2048-h800", "whole", 1024, moves);
    }
    return 0;
}

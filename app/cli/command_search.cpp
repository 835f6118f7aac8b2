// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/recheck_answer.h"
#include "app/cli/search_answer.h"
#include "core/capacity/capacity.h"
#include "core/exchange/search_space.h"
#include "core/exchange/strategy_text.h"
#include "core/search/found_plan.h"
#include "core/space/empty_space.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

namespace stratoplan::cli {
namespace {

constexpr double kAtLeastCompared = 10; ///< seconds for the best with the other tensor partition, beside a quick search

/// Asks to stop when a time is up.
class Timer {
public:
    Timer(double seconds, std::stop_source stop)
    {
        if (seconds <= 0)
            return;
        m_thread = std::jthread([seconds, stop](const std::stop_token& end) mutable {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any woken;
            if (!woken.wait_for(
                    lock, end, std::chrono::duration<double>(seconds), [&] { return end.stop_requested(); }))
                stop.request_stop();
        });
    }

private:
    std::jthread m_thread;
};

/// Whether anything is left then.
bool leaveOutOne(plan::IntChoice& choice)
{
    const bool lists = !choice.only.empty();
    choice.least = std::max(choice.least, 2);
    std::erase(choice.only, 1);
    return lists ? !choice.only.empty() : choice.least <= choice.most;
}

void showSearch(const search::SearchProgress& progress)
{
    if (!isatty(STDERR_FILENO) || progress.space == 0)
        return;
    const double share = double(progress.decided) / double(progress.space);
    const double left = share > 0 ? progress.seconds * (1 / share - 1) : 0;
    const std::string best = progress.best ? ", best " + format(progress.best->step) : std::string();
    const bool isProven = progress.best && progress.gap <= 0;
    const std::string rest = isProven ? ", proven; finding the front" : ", " + format(Seconds(left)) + " left";
    std::fprintf(stderr, "\r\033[K%s decided, %s strategies/s%s%s", formatShare(share).c_str(),
        formatNumber(double(progress.decided) / std::max(progress.seconds, 1e-3)).c_str(), best.c_str(), rest.c_str());
}

std::string objectiveKeys()
{
    std::string keys;
    for (int i = 0; !key(static_cast<plan::Objective>(i)).empty(); ++i)
        keys += (i > 0 ? ", " : "") + std::string(key(static_cast<plan::Objective>(i)));
    return keys;
}

std::string frameworkKeys()
{
    std::string keys;
    for (const plan::TargetFramework framework : plan::kTargetFrameworks)
        keys += (keys.empty() ? "" : ", ") + std::string(key(framework));
    return keys;
}

/// A number of an option, or the fault with its flag.
tl::expected<double, std::string> positive(const std::string& text, double most)
{
    const auto number = parseNumber(text, 0);
    if (!number || !(*number >= 0 && *number <= most))
        return tl::unexpected("a number from 0 to " + formatNumber(most));
    return *number;
}

/// The longest step that gets a project's tokens done in so many days.
Seconds stepOfDays(const plan::Project& project, double days)
{
    const plan::Plan& plan = project.plan;
    const double steps = std::ceil(capacity::budgetTokens(plan, project.capacity) / tokensPerStep(plan));
    const double seconds = days * 86400;
    return Seconds(seconds * capacity::goodput(plan, seconds, project.capacity).share / steps);
}

class SearchCommand {
public:
    explicit SearchCommand(const SearchArguments& arguments)
        : m_arguments(arguments)
    {
    }

    int run()
    {
        if (const int refused = read(); refused != kAnswered)
            return refused;
        Interruptible guard;
        std::stop_source stop;
        const std::stop_callback interrupt(guard.token(), [&] { stop.request_stop(); });
        const Timer timer(m_seconds, stop);
        const search::SearchResult result =
            search::search(m_project.plan, m_space, m_options, stop.get_token(), showSearch);
        endProgress();
        const SearchAnswer answer = judged(result, stop.get_token());
        const int exitCode = result.proven ? kAnswered : kStopped;
        const int delivered = m_arguments.json ? deliverJson(toJson(answer), exitCode)
                                               : deliver(describe(answer, m_arguments.pareto), exitCode);
        const int written = write(answer);
        return written == kAnswered ? delivered : written;
    }

private:
    /// The plan, and what the arguments say of the search. The exit code of the first refusal, or kAnswered.
    int read()
    {
        const auto document = readPlan(m_arguments.plan);
        if (!document)
            return refuse(document.error(), m_arguments.json);
        m_project = document->project;
        m_original = document->original;
        if (const auto faults = searchFaults(m_project.plan); !faults.empty())
            return refuse(faults, inputName(m_arguments.plan), m_arguments.json);
        using Part = int (SearchCommand::*)();
        for (const Part part : {&SearchCommand::readSpace, &SearchCommand::readFramework, &SearchCommand::readObjective,
                 &SearchCommand::readNumbers, &SearchCommand::readDeadline, &SearchCommand::readAsked})
            if (const int refused = (this->*part)(); refused != kAnswered)
                return refused;
        return readOutput();
    }

    /// The result with all that is to be told of it: what it comes to when simulated, why nothing was found, and what
    /// keeps the strategy that is asked about from being the best.
    SearchAnswer judged(const search::SearchResult& result, const std::stop_token& stop) const
    {
        const plan::Plan& plan = m_project.plan;
        SearchAnswer answer{plan, m_space, m_options, result};
        answer.locks = m_locks;
        if (result.mode == plan::SearchMode::ClosedForm && result.best)
            answer.recheck = recheck(plan, m_space, m_options, result, stop);
        const bool mayDivide = m_space.framework == plan::TargetFramework::Any; // none has both
        if (result.proven && result.best && mayDivide && variesPartition(m_space))
            answer.otherPartition = otherPartition(result, stop);
        if (m_options.objective == plan::Objective::Deadline && result.proven && !result.best)
            answer.fastest = fastest(stop);
        if (result.counted && result.space == 0)
            answer.empty = whyEmpty(plan, m_space, schedulesOf(m_options));
        if (m_arguments.why) {
            const parallel::Strategy& asked = m_asked.strategy;
            const model::Precision precision = m_asked.training.precision;
            answer.asksOwn = m_arguments.asked.empty();
            answer.why = why(plan, m_space, m_options, asked, precision, result.best, stop);
            answer.marginal = marginalValues(plan, m_space, m_options, asked, precision, stop);
        }
        return answer;
    }

    /// The plan with the best strategy, of a search in closed form the best when it is simulated.
    int write(const SearchAnswer& answer) const
    {
        if (m_arguments.output.empty())
            return kAnswered;
        if (!answer.result.best) {
            complain("nothing to write to " + m_arguments.output + ": no strategy was found");
            return kAnswered;
        }
        const bool simulated = answer.recheck && isAnother(answer.result, *answer.recheck);
        const plan::Plan best = planWith(m_project.plan, simulated ? answer.recheck->best->found : *answer.result.best);
        const std::string text = exchange::writePlan(best, catalog::shippedCatalog(), m_original);
        return writeOutput(m_arguments.output, text, false); // standard output has the answer
    }

    /// Before the search, which nothing of is lost then.
    int readOutput() const
    {
        if (m_arguments.output == "-")
            return refuse("--output", "\"-\"", "a file: standard output has the answer", m_arguments.json);
        return checkOutput(m_arguments.output, m_arguments.json);
    }

    /// What the best's tensor partition is compared with; not proven where that takes long beside what was asked for.
    /// Nothing of spaces that have no strategy with it.
    std::optional<OtherPartition> otherPartition(const search::SearchResult& found, const std::stop_token& stop) const
    {
        using enum parallel::TensorPartition;
        const parallel::Strategy& best = found.best->strategy;
        const bool divides = best.tp > 1 && best.tensorPartition == SpatialTemporal;
        OtherPartition other{divides ? Megatron : SpatialTemporal};
        plan::SearchSpace space = m_space;
        space.tensorPartitions = {other.partition};
        if (!divides && !leaveOutOne(space.tp)) // one tensor rank has nothing to divide
            return std::nullopt;
        search::SearchOptions options = m_options;
        options.keep = search::FrontKind::Best;
        options.byAccelerators = false;
        std::stop_source late;
        const std::stop_callback interrupt(stop, [&late] { late.request_stop(); });
        const double time = std::max(kAtLeastCompared, found.seconds);
        other.time = Seconds(time);
        const Timer timer(time, late);
        const search::SearchResult result = search::search(m_project.plan, space, options, late.get_token());
        if (result.counted && result.space == 0)
            return std::nullopt;
        other.isProven = result.proven;
        other.isStopped = stop.stop_requested();
        if (result.proven)
            other.best = result.best;
        return other;
    }

    /// How far a deadline that nothing meets is out of reach.
    std::optional<search::FoundStrategy> fastest(const std::stop_token& stop) const
    {
        search::SearchOptions options = m_options;
        options.objective = plan::Objective::Throughput;
        options.keep = search::FrontKind::Best;
        const search::SearchResult result = search::search(m_project.plan, m_space, options, stop);
        return result.proven ? result.best : std::nullopt;
    }

    int readSpace()
    {
        if (auto named = namedSpace(m_arguments.space, m_project.plan)) {
            m_space = std::move(*named);
            if (!m_arguments.ignoreLocks) { // a file says itself what is locked
                m_locks = m_project.search.locks;
                m_space = withLocks(std::move(m_space), m_locks, m_project.plan);
            }
            return kAnswered;
        }
        const auto text = readText(m_arguments.space);
        if (!text) {
            const bool path = m_arguments.space.find_first_of("./") != std::string::npos;
            return path ? refuse(text.error(), m_arguments.json)
                        : refuse("--space", '"' + m_arguments.space + '"',
                            "default, calculon, whole, or a file that holds a search space", m_arguments.json);
        }
        auto space = exchange::parseSearchSpace(*text, m_project.plan, inputName(m_arguments.space));
        if (!space)
            return refuse(space.error(), m_arguments.json);
        m_space = std::move(*space);
        return kAnswered;
    }

    /// What the flag says, else the space, else the project.
    int readFramework()
    {
        if (m_arguments.framework.empty()) {
            if (m_space.framework == plan::TargetFramework::Any)
                m_space.framework = m_project.search.framework;
            return kAnswered;
        }
        const auto framework = plan::targetFrameworkFromKey(m_arguments.framework);
        if (!framework)
            return refuse(
                "--framework", '"' + m_arguments.framework + '"', "one of " + frameworkKeys(), m_arguments.json);
        m_space.framework = *framework;
        return kAnswered;
    }

    /// The strategy that is asked about.
    int readAsked()
    {
        m_asked = m_project.plan;
        if (m_arguments.asked.empty())
            return kAnswered;
        const bool inlined = m_arguments.asked.find_first_not_of(" \t\n") == m_arguments.asked.find('{');
        const auto text = inlined ? tl::expected<std::string, exchange::DocumentErrors>(m_arguments.asked)
                                  : readText(m_arguments.asked);
        if (!text)
            return refuse(text.error(), m_arguments.json);
        auto plan = exchange::withStrategy(
            m_project.plan, *text, catalog::shippedCatalog(), inlined ? "--why" : inputName(m_arguments.asked));
        if (!plan)
            return refuse(plan.error(), m_arguments.json);
        m_asked = std::move(*plan);
        return kAnswered;
    }

    int readObjective()
    {
        m_options.mode = m_arguments.simulate ? plan::SearchMode::Simulated : plan::SearchMode::ClosedForm;
        m_options.keep = m_arguments.pareto || m_arguments.fronts ? search::FrontKind::Whole : search::FrontKind::Best;
        m_options.exhaustive = m_arguments.exhaustive;
        m_options.threads = m_arguments.threads;
        const auto objective = plan::objectiveFromKey(m_arguments.objective);
        if (!objective)
            return refuse(
                "--objective", '"' + m_arguments.objective + '"', "one of " + objectiveKeys(), m_arguments.json);
        m_options.objective = *objective;
        m_options.byAccelerators = m_arguments.fronts;
        constexpr std::array kOfFronts{
            plan::Objective::Throughput, plan::Objective::TokensPerCost, plan::Objective::TokensPerEnergy};
        if (m_arguments.fronts && std::find(kOfFronts.begin(), kOfFronts.end(), *objective) == kOfFronts.end())
            return refuse("--fronts", "--objective " + m_arguments.objective,
                "throughput, tokens-per-dollar or tokens-per-joule, which follow from step and accelerators",
                m_arguments.json);
        return kAnswered;
    }

    int readNumbers()
    {
        struct Number {
            const char* flag;
            const std::string& text;
            double most;
            double& value;
        };
        double longestStep = 0;
        const Number numbers[] = {{"--seconds", m_arguments.seconds, 1e9, m_seconds},
            {"--headroom", m_arguments.headroom, 0.99, m_options.headroom},
            {"--longest-step", m_arguments.longestStep, 1e9, longestStep}, {"--days", m_arguments.days, 1e6, m_days}};
        for (const Number& number : numbers) {
            if (number.text.empty())
                continue;
            const auto value = positive(number.text, number.most);
            if (!value)
                return refuse(number.flag, '"' + number.text + '"', value.error(), m_arguments.json);
            number.value = *value;
        }
        m_options.longestStep = Seconds(longestStep);
        if (!m_arguments.seconds.empty() && !(m_seconds > 0))
            return refuse("--seconds", '"' + m_arguments.seconds + '"', "a time above 0; without it there is no limit",
                m_arguments.json);
        if (!m_arguments.longestStep.empty() && !m_arguments.days.empty())
            return refuse("--days", '"' + m_arguments.days + '"', "either --days or --longest-step", m_arguments.json);
        return kAnswered;
    }

    /// The longest step, which the objective of a deadline needs and no other knows.
    int readDeadline()
    {
        if (m_days > 0) {
            if (!hasBudget(m_project.capacity))
                return refuse("--days", "a plan without a token budget",
                    "a project that has one, or --longest-step in its place", m_arguments.json);
            m_options.longestStep = stepOfDays(m_project, m_days);
        }
        const bool deadline = m_options.objective == plan::Objective::Deadline;
        if (deadline != (m_options.longestStep.value() > 0))
            return deadline ? refuse("--longest-step", "nothing",
                       "with --objective deadline the seconds a step may take, or --days", m_arguments.json)
                            : refuse("--objective", '"' + m_arguments.objective + '"',
                                "deadline, with --longest-step or --days", m_arguments.json);
        // The fewest accelerators are looked for among those of the cluster.
        if (deadline || m_options.objective == plan::Objective::SmallestCluster)
            m_space.leaveIdle = true;
        return kAnswered;
    }

    const SearchArguments& m_arguments;
    plan::Project m_project;
    std::string m_original; ///< text of the plan
    plan::Plan m_asked; ///< with the strategy that --why is about
    plan::SearchSpace m_space;
    std::set<plan::Dimension> m_locks; ///< of the project, where they hold in that space
    search::SearchOptions m_options;
    double m_seconds = 0; ///< 0: no limit
    double m_days = 0; ///< of the run; 0: not said
};

} // namespace

int runSearch(const SearchArguments& arguments)
{
    return SearchCommand(arguments).run();
}

} // namespace stratoplan::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/sensitivity_answer.h"
#include "core/exchange/strategy_text.h"
#include "core/narration/sensitivities.h"
#include "core/units/parse.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::cli {

namespace {

using sensitivity::Axis;
using sensitivity::Case;
using sensitivity::Input;

template <class T>
using Read = tl::expected<T, int>; ///< or the exit code of the refusal

/// "KEY=REST"; an empty rest where there is no sign.
struct Keyed {
    std::string key, rest;
};

Keyed keyed(const std::string& text)
{
    const std::size_t sign = text.find('=');
    return sign == std::string::npos ? Keyed{text, {}} : Keyed{text.substr(0, sign), text.substr(sign + 1)};
}

std::vector<std::string> parts(const std::string& text, char separator)
{
    std::vector<std::string> found;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(separator, from), text.size());
        found.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return found;
}

class SensitivityCommand {
public:
    explicit SensitivityCommand(const SensitivityArguments& arguments)
        : m_arguments(arguments)
    {
    }

    int run()
    {
        if (const int refused = read(); refused != kAnswered)
            return refused;
        if (!m_arguments.breakEven.empty())
            return answerBreakEven();
        return m_arguments.sweep.empty() ? answerAnalysis() : answerSweep();
    }

private:
    int refused(const std::string& where, const std::string& found, const std::string& expected) const
    {
        return refuse(where, found, expected, m_arguments.json);
    }

    int read()
    {
        const auto measure = sensitivity::measureFromKey(m_arguments.measure);
        if (!measure)
            return refused("--measure", '"' + m_arguments.measure + '"', "step, peak, days, cost or energy");
        m_asked.measure = *measure;
        if (const int bad = add(m_arguments.plan, nullptr); bad != kAnswered)
            return bad;
        for (const std::string& against : m_arguments.against)
            if (const int bad = add(against, &m_asked.cases.front()); bad != kAnswered)
                return bad;
        for (const std::string& range : m_arguments.ranges)
            if (const int bad = addRange(range); bad != kAnswered)
                return bad;
        const bool needsRun = *measure != sensitivity::Measure::Step && *measure != sensitivity::Measure::Peak;
        if (needsRun && std::ranges::none_of(m_asked.cases, [](const Case& given) { return hasBudget(given.run); }))
            return refused("--tokens", "no token budget", "a number of tokens > 0, e.g. 15T");
        const Case& first = m_asked.cases.front();
        for (const Case& other : m_asked.cases)
            if (!isComparable(first, other, *measure))
                return refused("--measure", "cost in " + first.run.currency + " and in " + other.run.currency,
                    "plans that are paid in one currency");
        return kAnswered;
    }

    /// A plan of a file, or the first one with another strategy.
    int add(const std::string& argument, const Case* first)
    {
        if (first != nullptr && argument.find_first_not_of(" \t\n") == argument.find('{')
            && argument.find('{') != std::string::npos) {
            auto plan = exchange::withStrategy(first->plan, argument, catalog::shippedCatalog(), "--against");
            if (!plan)
                return refuse(plan.error(), m_arguments.json);
            Case other = *first;
            other.plan = std::move(*plan);
            m_asked.cases.push_back(std::move(other));
            m_asked.names.push_back("strategy " + std::to_string(m_asked.cases.size()));
            return kAnswered;
        }
        const auto document = readPlan(argument);
        if (!document)
            return refuse(document.error(), m_arguments.json);
        const plan::Project& project = document->project;
        Case given{project.plan,
            document->hasCapacity ? project.capacity
                                  : capacity::startingInputs(project.plan, catalog::shippedCatalog())};
        if (!m_arguments.tokens.empty()) {
            const auto tokens = parseNumber(m_arguments.tokens, given.run.tokens);
            if (!tokens || !(*tokens > 0 && *tokens <= 1e18))
                return refused("--tokens", '"' + m_arguments.tokens + '"', "a number of tokens > 0, e.g. 15T");
            given.run.tokens = *tokens;
        }
        m_asked.cases.push_back(std::move(given));
        const std::string name = project.plan.name.empty() ? inputName(argument) : project.plan.name;
        const bool isTaken = std::ranges::find(m_asked.names, name) != m_asked.names.end();
        m_asked.names.push_back(isTaken ? name + " (" + inputName(argument) + ')' : name);
        return kAnswered;
    }

    Read<Input> inputOf(const std::string& where, const std::string& key) const
    {
        if (auto input = sensitivity::inputOf(m_asked.cases.front(), key))
            return *input;
        std::string known;
        for (const Input& input : sensitivity::inputsOf(m_asked.cases.front()))
            known += (known.empty() ? "" : ", ") + input.key;
        return tl::unexpected(refused(where, '"' + key + '"', "an input of the plan: " + known));
    }

    /// In the unit of the input; NaN where it is no number that it may be.
    static double valueOf(const Input& input, const std::string& text)
    {
        const auto number = parseNumber(text, input.value / input.perUnit);
        const double value = number ? *number * input.perUnit : std::numeric_limits<double>::quiet_NaN();
        return value >= input.least && value <= input.most ? value : std::numeric_limits<double>::quiet_NaN();
    }

    Read<std::pair<double, double>> ends(
        const std::string& where, const Input& input, const std::string& from, const std::string& to) const
    {
        const double low = valueOf(input, from), high = valueOf(input, to);
        if (low < high)
            return std::pair{low, high};
        return tl::unexpected(refused(where, '"' + from + ':' + to + '"',
            "FROM:TO with FROM < TO, numbers" + (input.unit.empty() ? std::string() : " in " + input.unit) + " from "
                + narration::amountOf(input, input.least) + " on"));
    }

    int addRange(const std::string& text)
    {
        const auto [key, rest] = keyed(text);
        const auto input = inputOf("--range", key);
        if (!input)
            return input.error();
        if (input->isWhole)
            return refused(
                "--range", '"' + text + '"', "an input that is not counted; --sweep takes each value of those");
        if (!(input->value > 0))
            return refused("--range", '"' + text + '"', "an input above 0: it is certain where the plan has it at 0");
        const std::vector<std::string> both = parts(rest, ':');
        if (both.size() != 2)
            return refused("--range", '"' + text + '"', "KEY=LOW:HIGH, its 10th and 90th percentile");
        const auto range = ends("--range", *input, both[0], both[1]);
        if (!range)
            return range.error();
        const bool isInside = range->first > 0 && range->first <= input->value && input->value <= range->second
            && (!input->isShare || range->second < 1);
        if (!isInside)
            return refused("--range", '"' + text + '"',
                "a range above 0 that has the value of the plan in it, " + narration::amountOf(*input, input->value));
        m_stated[key] = *range;
        return kAnswered;
    }

    Read<Axis> axisOf(const std::string& text) const
    {
        const auto [key, rest] = keyed(text);
        const auto input = inputOf("--sweep", key);
        if (!input)
            return tl::unexpected(input.error());
        if (rest.empty())
            return Axis{*input, sensitivity::usualValues(*input)};
        if (rest.find(':') != std::string::npos)
            return spacedAxis(*input, parts(rest, ':'));
        Axis axis{*input, {}};
        for (const std::string& part : parts(rest, ',')) {
            axis.values.push_back(valueOf(*input, part));
            if (!(axis.values.back() == axis.values.back()))
                return tl::unexpected(refused("--sweep", '"' + part + '"',
                    "a number" + (input->unit.empty() ? std::string() : " in " + input->unit)));
        }
        return axis;
    }

    Read<Axis> spacedAxis(const Input& input, const std::vector<std::string>& texts) const
    {
        constexpr int kUsual = 9, kMost = 1000;
        const auto count = texts.size() == 3 ? parseNumber(texts[2]) : Parsed<double>(kUsual);
        if (texts.size() > 3 || !count || !(*count >= 2 && *count <= kMost))
            return tl::unexpected(refused(
                "--sweep", '"' + input.key + '=' + texts.back() + '"', "FROM:TO, or FROM:TO:N with N from 2 to 1000"));
        const auto range = ends("--sweep", input, texts[0], texts[1]);
        if (!range)
            return tl::unexpected(range.error());
        return Axis{input, sensitivity::spaced(input, range->first, range->second, int(*count))};
    }

    int refuseProblems(const sensitivity::AnalysisFault& fault) const
    {
        const std::string argument = fault.plan == 0 ? m_arguments.plan : m_arguments.against[fault.plan - 1];
        return refuse(fault.problems, inputName(argument), m_arguments.json);
    }

    int answerAnalysis()
    {
        Interruptible guard;
        sensitivity::AnalysisOptions options;
        options.draws = m_arguments.draws;
        options.threads = m_arguments.threads;
        options.stated = m_stated;
        options.progress = [](int done, int total) { showProgress(done, total, "estimates", 16); };
        const auto analysis = sensitivity::analyse(m_asked.cases, options, guard.token());
        endProgress();
        if (!analysis)
            return refuseProblems(analysis.error());
        if (analysis->plans.size() < m_asked.cases.size())
            return kStopped;
        const int exitCode = analysis->isStopped ? kStopped : kAnswered;
        return m_arguments.json ? deliverJson(toJson(m_asked, *analysis), exitCode)
                                : deliver(describeSensitivity(m_asked, *analysis), exitCode);
    }

    int answerSweep()
    {
        if (m_arguments.sweep.size() > 2)
            return refused("--sweep", std::to_string(m_arguments.sweep.size()) + " inputs", "one, or two for a map");
        const auto x = axisOf(m_arguments.sweep.front());
        if (!x)
            return x.error();
        SweepAnswer answer{*x, {}, m_arguments.replan, {}};
        if (m_arguments.sweep.size() == 2) {
            const auto y = axisOf(m_arguments.sweep.back());
            if (!y)
                return y.error();
            answer.y = *y;
        }
        Interruptible guard;
        sensitivity::SweepOptions options;
        options.threads = m_arguments.threads;
        if (m_arguments.replan) {
            options.space = namedSpace(m_arguments.space, m_asked.cases.front().plan);
            if (!options.space)
                return refused("--space", '"' + m_arguments.space + '"', "default, calculon or whole");
        }
        options.progress = [](int done, int total) { showProgress(done, total, "points"); };
        answer.points = sensitivity::sweep(m_asked.cases.front(), answer.x, answer.y, options, guard.token());
        endProgress();
        const bool isWhole = std::ranges::all_of(answer.points, &sensitivity::SweepPoint::isDone);
        const int exitCode = isWhole ? kAnswered : kStopped;
        return m_arguments.json ? deliverJson(toJson(m_asked, answer), exitCode)
                                : deliver(describeInputSweep(m_asked, answer), exitCode);
    }

    /// Where the plans as they are do not have the measure that is to break even.
    int refuseUnknown() const
    {
        for (std::size_t k = 0; k < m_asked.cases.size(); ++k) {
            const auto estimate = sensitivity::priced(m_asked.cases[k].plan);
            if (!estimate)
                return refuseProblems({k, estimate.error()});
            if (!sensitivity::outcomeOf(m_asked.cases[k], *estimate).knows(m_asked.measure))
                return refused("--measure", m_arguments.measure + ", which is not known of " + m_asked.names[k],
                    "a measure of both plans: days need a token budget, cost a price, too");
        }
        return kAnswered;
    }

    int answerBreakEven()
    {
        if (m_asked.cases.size() != 2)
            return refused("--break-even", std::to_string(m_asked.cases.size() - 1) + " plans to compare with",
                "one, by --against PLAN2");
        const auto [key, rest] = keyed(m_arguments.breakEven);
        const auto input = inputOf("--break-even", key);
        if (!input)
            return input.error();
        if (!sensitivity::inputOf(m_asked.cases.back(), key))
            return refused("--break-even", '"' + key + "\", which " + m_asked.names.back() + " does not have",
                "an input of both plans");
        constexpr double kWide = 8; // where nothing is said: from an eighth to eight times as much
        std::pair bracket{std::max(input->least, input->value / kWide), std::min(input->most, input->value * kWide)};
        if (!rest.empty()) {
            const std::vector<std::string> both = parts(rest, ':');
            const auto stated = both.size() == 2 ? ends("--break-even", *input, both[0], both[1])
                                                 : Read<std::pair<double, double>>(tl::unexpected(
                                                     refused("--break-even", '"' + rest + '"', "KEY, or KEY=FROM:TO")));
            if (!stated)
                return stated.error();
            bracket = *stated;
        }
        if (!(bracket.first < bracket.second))
            return refused("--break-even",
                '"' + key + "\" without a range, at " + narration::amountOf(*input, input->value), "KEY=FROM:TO");
        if (const int unknown = refuseUnknown(); unknown != kAnswered)
            return unknown;
        Interruptible guard;
        const sensitivity::BreakEven found = sensitivity::breakEven(m_asked.cases.front(), m_asked.cases.back(), *input,
            m_asked.measure, bracket.first, bracket.second, guard.token());
        const int exitCode = found.isStopped ? kStopped : kAnswered;
        return m_arguments.json ? deliverJson(toJson(m_asked, *input, found), exitCode)
                                : deliver(describeBreakEven(m_asked, *input, found), exitCode);
    }

    const SensitivityArguments& m_arguments;
    SensitivityQuestion m_asked;
    sensitivity::StatedRanges m_stated;
};

} // namespace

int runSensitivity(const SensitivityArguments& arguments)
{
    return SensitivityCommand(arguments).run();
}

} // namespace stratoplan::cli

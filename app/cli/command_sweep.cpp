// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/recheck_answer.h"
#include "app/cli/search_answer.h"
#include "core/capacity/capacity.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/study.h"
#include "core/search/found_plan.h"
#include "core/search/recheck.h"
#include "core/search/search.h"
#include "core/space/empty_space.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <set>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

/// "2/16": the third of sixteen parts, as array jobs number them.
struct Shard {
    std::int64_t index = 0;
    std::int64_t count = 1;
};

std::optional<Shard> shardOf(std::string_view text)
{
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    const auto number = [](std::string_view digits, std::int64_t& value) {
        const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return fault == std::errc() && end == digits.data() + digits.size();
    };
    Shard shard;
    if (!number(text.substr(0, slash), shard.index) || !number(text.substr(slash + 1), shard.count))
        return std::nullopt;
    return shard.index >= 0 && shard.index < shard.count ? std::optional(shard) : std::nullopt;
}

Json problemsJson(const std::vector<plan::Problem>& problems)
{
    Json list = Json::array();
    for (const plan::Problem& problem : problems)
        list.push_back(exchange::toJson(problem));
    return list;
}

Json figures(const plan::Project& project, const estimate::Estimate& e)
{
    Json json{{"strategy", exchange::toJson(e.strategy)}, {"step_s", e.step.value()},
        {"step_range_s", {e.stepLow.value(), e.stepHigh.value()}}, {"tokens_per_s", e.tokensPerSecond}, {"mfu", e.mfu},
        {"fits", e.fits}, {"peak_bytes", e.memory.peak.value()},
        {"accelerators", acceleratorCount(project.plan.cluster)}, {"accelerators_used", rankCount(e.strategy)},
        {"precision", std::string(key(project.plan.training.precision))}};
    if (hasBudget(project.capacity)) {
        const capacity::Capacity c = capacity::capacity(project.plan, e, project.capacity);
        json["days"] = c.days.mid;
        json["gpu_hours"] = c.acceleratorHours.mid;
        json["energy_kwh"] = c.energyKwh.mid;
        if (c.isPriced) {
            json["cost"] = c.cost.mid;
            json["currency"] = project.capacity.currency;
        }
    }
    return json;
}

/// What figures are told of: the best strategy, of a search in closed form the best when it is simulated, as all
/// figures are. `json` says if that is another one.
search::FoundStrategy chosen(const plan::Plan& plan, const plan::SearchSpace& space,
    const search::SearchOptions& options, const search::SearchResult& found, Json& json, const std::stop_token& stop)
{
    if (found.mode == plan::SearchMode::Simulated)
        return *found.best;
    const search::Recheck recheck = search::recheck(plan, space, options, found, stop);
    json["closed_form_step_s"] = found.best->step.value();
    json["closed_form_apart"] = recheck.apart;
    for (std::string& note : notes(found, options, recheck))
        json["notes"].push_back(std::move(note));
    if (!isAnother(found, recheck))
        return *found.best;
    json["closed_form_best"] = exchange::toJson(found.best->strategy);
    return recheck.best->found;
}

/// What is told of a search, and what it found if it found any.
struct Searched {
    Json answer;
    std::optional<search::FoundStrategy> best{};
};

/// Nothing if it was stopped before it had an answer.
std::optional<Searched> searchFor(const exchange::Study& study, const plan::Project& project,
    const SweepArguments& arguments, const std::stop_token& stop)
{
    if (const auto faults = searchFaults(project.plan); !faults.empty())
        return Searched{Json{{"problems", problemsJson(faults)}}};
    const search::SearchOptions options{.mode = study.search.mode,
        .objective = study.search.objective,
        .keep = search::FrontKind::Best,
        .headroom = study.search.headroom,
        .longestStep = study.search.longestStep,
        .threads = arguments.threads};
    const plan::SearchSpace space = study.space(project, arguments.ignoreLocks);
    const search::SearchResult found = search::search(project.plan, space, options, stop);
    if (!found.proven)
        return std::nullopt;
    Json json{{"mode", std::string(key(found.mode))}, {"space", found.space}, {"evaluated", found.evaluated}};
    addLocks(study.projectLocks(project, arguments.ignoreLocks), json);
    if (space.framework != plan::TargetFramework::Any)
        json["framework"] = std::string(key(space.framework));
    if (!found.best) {
        if (found.space == 0)
            addEmpty(whyEmpty(project.plan, space, schedulesOf(options)), json);
        return Searched{Json{{"search", std::move(json)}, {"best", nullptr}}};
    }
    const search::FoundStrategy best = chosen(project.plan, space, options, found, json, stop);
    if (stop.stop_requested())
        return std::nullopt;
    return Searched{Json{{"search", std::move(json)}}, best};
}

/// The answer for one plan; nothing if it was stopped before it had one.
std::optional<Json> answerFor(
    const exchange::Study& study, plan::Project project, const SweepArguments& arguments, const std::stop_token& stop)
{
    Json answer = Json::object();
    if (study.answer == exchange::Study::Answer::Search) {
        auto searched = searchFor(study, project, arguments, stop);
        if (!searched)
            return std::nullopt;
        answer = std::move(searched->answer);
        if (!searched->best)
            return answer;
        project.plan = planWith(project.plan, *searched->best);
    }
    const auto e = estimate::estimate(project.plan, {.remedies = false});
    if (!e)
        return Json{{"problems", problemsJson(e.error())}};
    answer["best"] = figures(project, *e);
    return answer;
}

/// Whether a line is about that plan of the study.
bool answers(const exchange::Study& study, const Json& line)
{
    const auto number = line["number"].get<std::int64_t>();
    return number >= 0 && number < study.size() && line.contains("values") && line["values"] == study.values(number)
        && line.value("plan", Json()) == study.baseName();
}

/// Numbers of the plans that a file answers already. A last line that was cut short counts as none.
tl::expected<std::set<std::int64_t>, exchange::DocumentErrors> answered(
    const exchange::Study& study, const std::string& file, std::string& kept)
{
    std::int64_t place = 0;
    std::set<std::int64_t> done;
    const auto text = exchange::readFile(file);
    if (!text)
        return done; // nothing written yet
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = text->find('\n', begin);
        if (end == std::string::npos)
            break;
        const Json line = Json::parse(text->substr(begin, end - begin), nullptr, false);
        if (!line.is_object() || !line.contains("number") || !line["number"].is_number_integer())
            return tl::unexpected(exchange::DocumentErrors{{exchange::DocumentError::Code::Syntax, file, {},
                "a line that is no answer of a sweep", "answers of this study, to go on with"}});
        ++place;
        if (!answers(study, line))
            return tl::unexpected(exchange::DocumentErrors{{exchange::DocumentError::Code::Schema, file, {},
                "line " + std::to_string(place) + ", plan " + line["number"].dump() + " with "
                    + line.value("values", Json()).dump(),
                "answers of this study, to go on with"}});
        done.insert(line["number"].get<std::int64_t>());
        begin = end + 1;
        kept.assign(*text, 0, begin);
    }
    return done;
}

/// Answers go to standard output, or one after the other to the end of a file.
class Lines {
public:
    explicit Lines(std::FILE* file)
        : m_file(file)
    {
    }
    ~Lines()
    {
        if (m_file)
            std::fclose(m_file);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    /// The line and nothing less: a sweep that is killed keeps what it has. False if it cannot be delivered.
    [[nodiscard]] bool write(const Json& line)
    {
        const std::string text = line.dump() + '\n';
        if (!m_file)
            return deliver(text) == kAnswered;
        return std::fwrite(text.data(), 1, text.size(), m_file) == text.size() && std::fflush(m_file) == 0;
    }

private:
    std::FILE* m_file;
};

tl::expected<exchange::Study, exchange::DocumentErrors> readStudy(const std::string& argument)
{
    const auto text = readText(argument);
    if (!text)
        return tl::unexpected(text.error());
    auto study = exchange::parseStudy(*text, inputName(argument));
    if (!study)
        return study;
    exchange::DocumentErrors unknown = study->unknownPointers(catalog::shippedCatalog());
    for (exchange::DocumentError& error : unknown)
        error.file = inputName(argument);
    if (!unknown.empty())
        return tl::unexpected(std::move(unknown));
    return study;
}

/// The file of answers to go on with, null for standard output; else the exit code of the refusal. `done`: the plans
/// that it answers already.
tl::expected<std::FILE*, int> openAnswers(
    const exchange::Study& study, const SweepArguments& arguments, std::set<std::int64_t>& done)
{
    if (arguments.output.empty())
        return nullptr;
    std::string kept;
    if (arguments.resume) {
        auto before = answered(study, arguments.output, kept);
        if (!before)
            return tl::unexpected(refuse(before.error(), arguments.json));
        done = std::move(*before);
    }
    if (const int refused = writeOutput(arguments.output, kept, arguments.json); refused != kAnswered)
        return tl::unexpected(refused);
    std::FILE* const file = std::fopen(arguments.output.c_str(), "ab");
    if (!file)
        return tl::unexpected(refuse("--output", std::strerror(errno), "a file that can be written", arguments.json));
    return file;
}

/// The line of one plan of the study; nothing if it was stopped before it had an answer.
std::optional<Json> lineOf(
    const exchange::Study& study, std::int64_t number, const SweepArguments& arguments, const std::stop_token& stop)
{
    Json line{{"number", number}};
    if (!study.baseName().is_null())
        line["plan"] = study.baseName();
    line["values"] = study.values(number);
    const auto document = study.document(number, catalog::shippedCatalog());
    if (!document) {
        line["problems"] = Json::array();
        for (const exchange::DocumentError& error : document.error())
            line["problems"].push_back({{"where", error.pointer}, {"message", describe(error)}, {"found", error.found},
                {"expected", error.expected}});
        return line;
    }
    const auto answer = answerFor(study, document->project, arguments, stop);
    if (!answer)
        return std::nullopt;
    line.update(*answer);
    return line;
}

} // namespace

int runSweep(const SweepArguments& arguments)
{
    const auto study = readStudy(arguments.study);
    if (!study)
        return refuse(study.error(), arguments.json);
    const auto shard = shardOf(arguments.shard);
    if (!shard)
        return refuse("--shard", '"' + arguments.shard + '"', "I/N, parts numbered from 0, e.g. 3/16", arguments.json);
    if (arguments.resume && arguments.output.empty())
        return refuse("--resume", "no --output", "the file of answers to go on with", arguments.json);
    std::set<std::int64_t> done;
    const auto file = openAnswers(*study, arguments, done);
    if (!file)
        return file.error();
    Lines lines(*file);
    Interruptible guard;
    const std::int64_t plans = study->size();
    for (std::int64_t number = shard->index; number < plans; number += shard->count) {
        if (done.contains(number))
            continue;
        const auto line = lineOf(*study, number, arguments, guard.token());
        if (!line || !lines.write(*line))
            return kStopped;
        showProgress(int(number + 1), int(plans), "plans");
        if (guard.token().stop_requested())
            return number + shard->count < plans ? kStopped : kAnswered;
    }
    endProgress();
    return kAnswered;
}

} // namespace stratoplan::cli

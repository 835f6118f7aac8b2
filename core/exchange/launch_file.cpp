// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_file.h"

#include "core/exchange/json_text.h"
#include "core/exchange/launch_reading.h"
#include "core/plan/problem.h"
#include "core/units/format.h"
#include "core/units/named.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace stratoplan::exchange {
namespace {

using launchfile::Reading;
using launchfile::Script;
using launchfile::Statement;
using launchfile::Statements;

constexpr NameTable<LaunchKind, 3> kLaunchKinds{{{LaunchKind::MegatronLm, "megatron-lm"},
    {LaunchKind::DeepSpeed, "deepspeed"}, {LaunchKind::TorchTitan, "torchtitan"}}};

bool isDeepSpeed(std::string_view text)
{
    const auto document = parseJson(text);
    return document && document->is_object() && !document->contains("format") && !document->contains("model_type")
        && (document->contains("train_batch_size") || document->contains("train_micro_batch_size_per_gpu")
            || document->contains("zero_optimization"));
}

/// Of variables that have to do with an argument.
void tellBranches(Reading& reading, const Script& script)
{
    for (const Statement& branch : script.branches)
        if (reading.file.hasValue(branch.values.front()))
            reading.file.warn("line " + std::to_string(branch.line), branch.name + " set anew inside a branch",
                "a script that sets it once; the last value is taken");
}

void tellClaims(Reading& reading, const Script& script, std::string_view name)
{
    std::vector<std::pair<std::string, std::string>> claims{{"the name of the file", std::string(name)}};
    for (const auto& [variable, value] : script.variables)
        if (variable.find("MODEL") != std::string::npos && variable.find("TOKENIZER") == std::string::npos)
            claims.emplace_back(variable, value);
    for (const auto& [place, claim] : claims)
        if (const auto size = contradictedSize(claim, reading.plan.model))
            reading.file.warn(place, '"' + size->text + '"',
                "a size like the " + formatCount(double(parameters(reading.plan.model).total))
                    + " parameters of the shape");
}

/// Sizes beyond all measure have no exact count.
bool isCountable(const plan::Plan& plan)
{
    const std::vector<plan::Problem> problems = plan::check(plan, {.remedies = false});
    return std::none_of(problems.begin(), problems.end(), [](const plan::Problem& problem) {
        return problem.severity == plan::Severity::Error && problem.where.starts_with("/model");
    });
}

tl::expected<std::vector<Statement>, DocumentErrors> statementsOf(
    std::string_view text, LaunchKind kind, std::string_view file, Script& script)
{
    if (kind == LaunchKind::DeepSpeed)
        return launchfile::jsonStatements(text, file);
    if (kind == LaunchKind::TorchTitan)
        return launchfile::tomlStatements(text, file);
    script = launchfile::readScript(withoutByteOrderMark(text), file);
    if (!script.errors.empty())
        return tl::unexpected(script.errors);
    return std::move(script.arguments);
}

tl::expected<ImportedLaunch, DocumentErrors> importOne(std::string_view text, LaunchKind kind, std::string_view name,
    std::string_view file, const LaunchOptions& options, const catalog::Catalog& catalog)
{
    Script script;
    auto statements = statementsOf(text, kind, file, script);
    if (!statements)
        return tl::unexpected(std::move(statements.error()));
    Statements read(std::move(*statements), file);
    Reading reading{read, options, catalog, {}, {}};
    reading.plan.name = name;
    reading.isAscend = script.isAscend;
    reading.ranks = launchfile::ranksOf(script);
    if (options.nodes > 0)
        reading.ranks = {};
    if (kind == LaunchKind::DeepSpeed)
        readDeepSpeed(reading);
    else if (kind == LaunchKind::TorchTitan)
        readTorchTitan(reading);
    else
        readMegatron(reading);
    if (!read.errors().empty())
        return tl::unexpected(std::move(read.errors()));
    tellBranches(reading, script);
    const bool statesModel = kind != LaunchKind::DeepSpeed || options.base;
    if (statesModel && isCountable(reading.plan))
        tellClaims(reading, script, name);
    return ImportedLaunch{kind, std::move(reading.plan), read.notes(), read.unread(), std::move(read.warnings())};
}

/// What the arguments say beside a configuration, and where both contradict each other.
void takeBeside(ImportedLaunch& imported, ImportedLaunch beside, std::string_view file)
{
    const plan::Plan &ours = imported.plan, &theirs = beside.plan;
    const auto compare = [&](const char* place, const std::string& found, const std::string& expected) {
        if (found != expected)
            imported.warnings.push_back({DocumentError::Code::Schema, std::string(file), place, found,
                expected + ", as the arguments beside it have; the configuration is taken", {}});
    };
    compare("train_batch_size", std::to_string(ours.training.globalBatch), std::to_string(theirs.training.globalBatch));
    compare("train_micro_batch_size_per_gpu", std::to_string(ours.strategy.microBatch),
        std::to_string(theirs.strategy.microBatch));
    compare(
        "zero_optimization.stage", std::to_string(ours.strategy.zeroStage), std::to_string(theirs.strategy.zeroStage));
    compare("pipeline.stages", std::to_string(ours.strategy.pp), std::to_string(theirs.strategy.pp));
    compare("bf16.enabled", std::string(key(ours.training.precision)), std::string(key(theirs.training.precision)));
    for (std::string& line : imported.filled)
        if (std::find(beside.filled.begin(), beside.filled.end(), line) == beside.filled.end())
            beside.filled.push_back(std::move(line));
    imported.filled = std::move(beside.filled);
    imported.unused.insert(imported.unused.begin(), beside.unused.begin(), beside.unused.end());
    for (DocumentError& warning : beside.warnings)
        if (std::find(imported.warnings.begin(), imported.warnings.end(), warning) == imported.warnings.end())
            imported.warnings.push_back(std::move(warning));
}

} // namespace

std::string_view key(LaunchKind kind)
{
    return nameIn(kLaunchKinds, kind);
}

std::optional<LaunchKind> recogniseLaunch(std::string_view text)
{
    text = withoutByteOrderMark(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return std::nullopt;
    if (text[first] == '{')
        return isDeepSpeed(text) ? std::optional(LaunchKind::DeepSpeed) : std::nullopt;
    if (launchfile::looksLikeTorchTitan(text))
        return LaunchKind::TorchTitan;
    return launchfile::looksLikeArguments(text) ? std::optional(LaunchKind::MegatronLm) : std::nullopt;
}

tl::expected<ImportedLaunch, DocumentErrors> importLaunch(std::string_view text, LaunchKind kind, std::string_view name,
    std::string_view file, const LaunchOptions& options, const catalog::Catalog& catalog)
{
    if (kind != LaunchKind::DeepSpeed || options.companion.empty())
        return importOne(text, kind, name, file, options, catalog);
    auto beside = importOne(options.companion, LaunchKind::MegatronLm, name, std::string(file) + ".args",
        {options.base, options.node, options.nodes}, catalog);
    if (!beside)
        return beside;
    auto imported = importOne(text, kind, name, file, {&beside->plan, {}, 0, options.companion}, catalog);
    if (imported)
        takeBeside(*imported, std::move(*beside), file);
    return imported;
}

std::optional<ClaimedSize> contradictedSize(std::string_view name, const model::Transformer& model)
{
    constexpr double kFar = 1.6;
    const model::ParameterCount all = parameters(model);
    const auto isWord = [&](std::size_t at) {
        const char c = at < name.size() ? name[at] : ' ';
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    };
    for (std::size_t begin = 0; begin < name.size(); ++begin) {
        if (name[begin] < '0' || name[begin] > '9' || (begin > 0 && isWord(begin - 1)))
            continue;
        std::size_t end = begin;
        while (end < name.size() && ((name[end] >= '0' && name[end] <= '9') || name[end] == '.'))
            ++end;
        const char unit = end < name.size() ? char(name[end] | 0x20) : ' ';
        const double scale = unit == 'b' ? 1e9 : unit == 'm' ? 1e6 : unit == 't' ? 1e12 : 0;
        if (scale == 0 || (isWord(end + 1) && name[end + 1] != '.') || end - begin > 8)
            continue;
        double claimed = 0;
        std::from_chars(name.data() + begin, name.data() + end, claimed);
        claimed *= scale;
        const auto isFar = [&](double count) { return count > claimed * kFar || count < claimed / kFar; };
        if (claimed > 0 && isFar(double(all.total)) && isFar(double(all.active)))
            return ClaimedSize{std::string(name.substr(begin, end + 1 - begin)), claimed};
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace stratoplan::exchange

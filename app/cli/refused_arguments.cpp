// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/refused_arguments.h"

#include "app/cli/output.h"
#include "app/logging.h"

#include <algorithm>
#include <cctype>

namespace stratoplan::cli {

namespace {

constexpr std::string_view kNoFlag = "Could not convert: ";

std::string commandNames(const CLI::App& program)
{
    std::string names;
    for (const CLI::App* app : program.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : ", ") + app->get_name();
    return names;
}

} // namespace

bool wantsJson(int argc, char** argv)
{
    return std::any_of(argv, argv + argc, [](const char* argument) { return std::string_view(argument) == "--json"; });
}

/// "a plan or project file" of "A plan or project file"; names such as JSON keep their capitals.
std::string lowerFirst(std::string text)
{
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

std::optional<int> refuseCommand(const CLI::App& program, int argc, char** argv)
{
    std::string word;
    for (int i = 1; i < argc && word.empty(); ++i) {
        const std::string argument = argv[i];
        if (argument == "--log-level")
            ++i;
        else if (argument.empty() || argument.front() != '-')
            word = argument;
    }
    for (const CLI::App* app : program.get_subcommands([](const CLI::App*) { return true; })) {
        if (word.empty() || app->get_name() == word)
            return std::nullopt;
    }
    startLogging("stratoplan-cli", app::LogLevel::Warning);
    const int exitCode = refuse("COMMAND", '"' + word + '"', "one of " + commandNames(program), wantsJson(argc, argv));
    app::flushLog();
    return exitCode;
}

int refuseArguments(const CLI::App& program, const CLI::ParseError& fault, bool json)
{
    const auto chosen = program.get_subcommands();
    const CLI::App& command = chosen.empty() ? program : *chosen.front();
    const std::string text = fault.what();
    if (chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&fault))
        return refuse("COMMAND", "nothing", "one of " + commandNames(program) + " (see --help)", json);
    if (text.starts_with(kNoFlag)) { // "Could not convert: --k-fold = x": only flags are converted
        const std::size_t value = text.find(" = ", kNoFlag.size());
        return refuse(text.substr(kNoFlag.size(), value - kNoFlag.size()),
            '"' + text.substr(std::min(value, text.size() - 3) + 3) + '"', "no value: it is a flag", json);
    }
    // The library names the argument and then its trouble: "PLAN is required", "--price: 1 required AMOUNT missing",
    // "--pass: …".
    const std::string name = text.substr(0, text.find_first_of(": "));
    const CLI::Option* const option =
        command.get_option_no_throw(name) ? command.get_option_no_throw(name) : program.get_option_no_throw(name);
    if (const auto found = text.find("found "), expected = text.find(", expected ");
        found != std::string::npos && expected != std::string::npos && option)
        return refuse(name, text.substr(found + 6, expected - found - 6), text.substr(expected + 11), json);
    if (option && option->count() > 1)
        return refuse(name, std::to_string(option->count()) + " values", "one", json);
    if (option)
        return refuse(name, "nothing", lowerFirst(option->get_description()), json);
    std::string known;
    for (const CLI::Option* accepted : command.get_options())
        known += (known.empty() ? "" : ", ") + accepted->get_name(accepted->get_positional());
    const std::vector<std::string> extras = program.remaining(true);
    return refuse(
        command.get_name(), extras.empty() ? '"' + text + '"' : '"' + extras.front() + '"', "only " + known, json);
}

} // namespace stratoplan::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// stratoplan-cli: reads the arguments, hands them to the command, answers with its exit code.
// Contract: the answer on standard output, everything else on standard error; 0 answered, 1 a bug, 2 bad input, 3 stopped.
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/logging.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sstream>
#include <unistd.h>

namespace stratoplan::cli {
namespace {

/// Commands of the contract that this version does not have yet.
constexpr std::array kLaterCommands{"search", "partition", "sweep", "import", "report"};

const char kDescription[] = "Estimates how long a step of training a large transformer takes on a cluster, and what it needs.";
const char kFooter[] = "PLAN is a plan or project file, or - for standard input.\n"
                       "The answer goes to standard output, everything else to standard error.\n"
                       "Exit status: 0 answered, 1 a bug, 2 bad input, 3 stopped before done.\n\n"
                       "  stratoplan-cli examples gpt3-175b-1024-a100 | stratoplan-cli estimate -";

/// The program's arguments and what they select.
class CommandLine {
public:
    CommandLine();

    /// The first word that is no flag, if it is no command: told with what would be right.
    [[nodiscard]] bool refusesCommand(int argc, char** argv) const;
    /// Parses and runs. Returns the exit code.
    int run(int argc, char** argv);

private:
    CLI::App* command(const char* name, const char* description, bool& json, std::function<int()> body);
    void addPlan(CLI::App* app, std::string& plan);

    CLI::App m_app{kDescription, "stratoplan-cli"};
    std::string m_logLevel = "warning";
    std::function<int()> m_body;
    ExamplesArguments m_examples;
    PlanArguments m_estimate;
    SimulateArguments m_simulate;
    OutputArguments m_trace;
    OutputArguments m_export;
    CapacityArguments m_capacity;
    ValidateArguments m_validate;
    CalibrateArguments m_calibrate;
};

CommandLine::CommandLine()
{
    m_app.set_version_flag("--version", std::string("stratoplan-cli " STRATOPLAN_VERSION), "Print the version");
    m_app.set_help_flag("-h,--help", "Print this help");
    m_app.footer(kFooter);
    m_app.require_subcommand(1);
    m_app.add_option("--log-level", m_logLevel, "What standard error shows of the log: " + logLevelKeys())
        ->type_name("LEVEL")
        ->capture_default_str()
        ->check([](const std::string& value) { return logLevelFromKey(value) ? std::string() : "found \"" + value + "\", expected one of " + logLevelKeys(); });

    CLI::App* examples = command("examples", "List the shipped plans, or print one as plan JSON", m_examples.json, [this] { return runExamples(m_examples); });
    examples->add_option("NAME", m_examples.name, "A plan of the list")->type_name("");

    CLI::App* estimate = command("estimate", "Estimate one step of a plan", m_estimate.json, [this] { return runEstimate(m_estimate); });
    addPlan(estimate, m_estimate.plan);

    CLI::App* simulate = command("simulate", "Run the pipeline of a plan event by event", m_simulate.json, [this] { return runSimulate(m_simulate); });
    addPlan(simulate, m_simulate.plan);
    simulate->add_option("--schedule", m_simulate.schedule, "Schedule in place of the plan's, e.g. 1f1b")->type_name("NAME")->check([](const std::string& value) {
        return scheduleFromKey(value) ? std::string() : "found \"" + value + "\", expected a schedule such as gpipe, 1f1b, interleaved";
    });
    simulate->add_option("--pass", m_simulate.pass, "With or without the timing pass, in place of the plan's choice")
        ->type_name("on|off")
        ->check(CLI::IsMember({"on", "off"}));

    CLI::App* trace = command("trace", "Write the simulated pipeline as a Chrome trace", m_trace.json, [this] { return runTrace(m_trace); });
    addPlan(trace, m_trace.plan);
    trace->add_option("-o,--output", m_trace.output, "File to write, - for standard output")->type_name("FILE")->required();

    CLI::App* capacity = command("capacity", "Days, accelerator-hours, money and energy of the whole run", m_capacity.json, [this] { return runCapacity(m_capacity); });
    addPlan(capacity, m_capacity.plan);
    capacity->add_option("--tokens", m_capacity.tokens, "Token budget in place of the project's, e.g. 15T")->type_name("N");
    capacity->add_option("--price", m_capacity.price, "Price per accelerator and hour in place of the project's")->type_name("AMOUNT")->check(CLI::NonNegativeNumber);

    CLI::App* exporter = command("export", "Write a plan for another program", m_export.json, [this] { return runExport(m_export); });
    addPlan(exporter, m_export.plan);
    exporter->add_option("--format", m_export.format, "json")->type_name("F")->required();
    exporter->add_option("-o,--output", m_export.output, "File to write, - for standard output")->type_name("FILE")->required();

    CLI::App* validate = command("validate", "Compare estimates with measured cases", m_validate.json, [this] { return runValidate(m_validate); });
    validate->add_option("CASES", m_validate.cases, "Measured cases (JSON), - for standard input; left out: the shipped ones")->type_name("FILE");

    CLI::App* calibrate = command("calibrate", "Fit the shipped software profiles to the shipped measured cases", m_calibrate.json,
                                  [this] { return runCalibrate(m_calibrate); });
    calibrate->add_option("--priors", m_calibrate.priors, "Profiles to start from: resources/catalog/software_priors.json")->type_name("FILE")->required();
    calibrate->add_option("-o,--output", m_calibrate.output, "Catalogue file to write: resources/catalog/software.json")->type_name("FILE")->required();
}

CLI::App* CommandLine::command(const char* name, const char* description, bool& json, std::function<int()> body)
{
    CLI::App* const app = m_app.add_subcommand(name, description);
    app->fallthrough(); // --log-level may stand after the command as well
    app->set_help_flag("-h,--help", "Print this help");
    app->add_flag("--json", json, "Answer with one JSON object");
    app->callback([this, body = std::move(body)] { m_body = body; });
    return app;
}

void CommandLine::addPlan(CLI::App* app, std::string& plan)
{
    app->add_option("PLAN", plan, "Plan or project file, - for standard input")->type_name("FILE")->required();
}

bool CommandLine::refusesCommand(int argc, char** argv) const
{
    std::string word;
    for (int i = 1; i < argc && word.empty(); ++i) {
        const std::string argument = argv[i];
        if (argument == "--log-level")
            ++i;
        else if (argument.empty() || argument.front() != '-')
            word = argument;
    }
    std::string known;
    for (const CLI::App* app : m_app.get_subcommands([](const CLI::App*) { return true; })) {
        if (word.empty() || app->get_name() == word)
            return false;
        known += (known.empty() ? "" : ", ") + app->get_name();
    }
    const bool later = std::find(kLaterCommands.begin(), kLaterCommands.end(), word) != kLaterCommands.end();
    complain("found the command \"" + word + '"' + (later ? ", which this version does not have yet" : "") + ", expected one of " + known);
    return true;
}

int CommandLine::run(int argc, char** argv)
{
    try {
        m_app.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
        std::ostringstream out;
        std::ostringstream error;
        const bool asked = m_app.exit(outcome, out, error) == 0; // help or version
        if (asked)
            return deliver(out.str());
        std::string message = error.str();
        message.erase(message.find_last_not_of('\n') + 1);
        complain(message);
        return kBadInput;
    }
    startLogging("stratoplan-cli", *logLevelFromKey(m_logLevel));
    const int exitCode = m_body();
    flushLog();
    return exitCode;
}

/// A standard stream that the caller has closed must not become the first file that is opened, the log: its number is
/// taken by a descriptor on which reading, or writing, fails as it should.
void holdStandardStreams()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1)
            [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number free
    }
}

} // namespace
} // namespace stratoplan::cli

int main(int argc, char** argv)
{
    using namespace stratoplan;
    std::signal(SIGPIPE, SIG_IGN); // a reader that leaves early ends the answer, not the program
    cli::holdStandardStreams();
    try {
        cli::CommandLine commandLine;
        return commandLine.refusesCommand(argc, argv) ? cli::kBadInput : commandLine.run(argc, argv);
    } catch (const std::bad_alloc&) {
        cli::complain("out of memory");
    } catch (const std::exception& fault) {
        cli::complain(std::string("internal error: ") + fault.what());
    }
    return cli::kBug;
}

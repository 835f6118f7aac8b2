// SPDX-License-Identifier: GPL-3.0-or-later
// stratoplan-cli: reads the arguments, hands them to the command, answers with its exit code.
// Contract: the answer on standard output, everything else on standard error; 0 answered, 1 a bug, 2 bad input, 3
// stopped.
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/refused_arguments.h"
#include "app/logging.h"
#include "core/units/reading.h"
#include "core/wiring/wiring.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace stratoplan::cli {
namespace {

const char kDescription[] =
    "Estimates how long a step of training a large transformer takes on a cluster, and what it needs.";

/// What import recognises, and the columns of a table of nodes.
std::string filesOfImport()
{
    std::string text =
        "FILE is recognised by its content: the config.json beside a model's weights; arguments of Megatron-LM,\n"
        "Megatron-DeepSpeed or MindSpeed, a line each or in the script that starts them; the JSON of DeepSpeed, with\n"
        "FILE.args beside it where there is one; the TOML of torchtitan; what nvidia-smi topo -m prints; the topology\n"
        "XML of NCCL or RCCL (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE); the topology.conf of Slurm (topology/tree); or a\n"
        "table of nodes (CSV), whose first line names its columns, of which only name must be there, beside it node,\n"
        "accelerator, accelerators, nic, nics or leaf:\n\n";
    for (const wiring::TableColumn& column : wiring::tableColumns())
        text.append("  ").append(column.name).append(14 - column.name.size(), ' ').append(column.meaning) += '\n';
    return text
        + "\nWhat a file leaves open is filled in, and listed; so is what of a launch file has no effect on an "
          "estimate.\n";
}

/// What the files of a command are (lines, or nothing), what holds of every command, and how one is called.
std::string footer(const std::string& files, const std::string& call)
{
    return files
        + "The answer goes to standard output, everything else to standard error.\n"
          "Exit status: 0 answered, 1 a bug, 2 bad input, 3 stopped before done.\n\n  "
        + call;
}

/// `call`: a command and its arguments, which read an example from standard input.
std::string footerOfPlan(const std::string& example, const std::string& call)
{
    return footer("PLAN is a plan or project file, or - for standard input.\n",
        "stratoplan-cli examples " + example + " | stratoplan-cli " + call);
}

const char kFilesOfCases[] =
    "CASES has the form of the shipped ones, resources/validation/cases.json, and so has FILE of --failures, where\n"
    "\"status\": \"oom-certain\" or \"oom-likely\" stands for what was measured.\n";
const char kFilesOfRuns[] =
    "A table has a row for each run: the names of its columns are fields of plans, and what was measured.\n";

// Of options that several commands have.
const char kHeadroom[] = "Share of the memory to leave free, e.g. 0.1";
const char kIgnoreLocks[] = "Search what padlocks saved with a project keep as its plan has it, too; a space of a file "
                            "has locks of its own";

/// Where a name belongs, an empty text is none.
void requireName(CLI::Option* option)
{
    option->check([wanted = lowerFirst(option->get_description())](const std::string& value) {
        return value.empty() ? "found nothing, expected " + wanted : std::string();
    });
}

/// An option that takes a text, and no empty one.
template <class Value>
CLI::Option* addText(CLI::App* app, const char* name, Value& value, const char* type, const std::string& description)
{
    CLI::Option* const option = app->add_option(name, value, description)->type_name(type);
    requireName(option);
    return option;
}

void addThreads(CLI::App* app, int& threads)
{
    app->add_option("--threads", threads, "Threads to use; 0: as many as the machine has")
        ->type_name("N")
        ->check([](const std::string& value) {
            const bool number =
                !value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == std::string::npos;
            return number ? std::string() : "found \"" + value + "\", expected a whole number from 0 to 9999";
        });
}

/// What is searched, and how.
void addSpace(CLI::App* search, SearchArguments& arguments)
{
    addText(search, "--space", arguments.space, "SPACE",
        "Strategies to choose from: default, calculon, whole, or a file with ranges and locks")
        ->capture_default_str();
    search->add_flag(
        "--exhaustive", arguments.exhaustive, "Price every strategy: the same answer without a bound or a rule");
    search->add_flag(
        "--simulate", arguments.simulate, "Simulate the pipeline event by event instead of its closed form");
    search->add_flag("--pareto", arguments.pareto, "Also find the whole front of throughput against peak memory");
    search->add_flag("--fronts", arguments.fronts,
        "Also find the whole front of every two of throughput, peak memory, accelerators in use and tokens per "
        "accelerator-hour");
    search->add_flag("--ignore-locks", arguments.ignoreLocks, kIgnoreLocks);
    addText(search, "--framework", arguments.framework, "F",
        "Only strategies that this framework runs: megatron-core, deepspeed or torchtitan; any: all. Else as the "
        "project has it. Times stay those of the plan's software profile");
}

/// What is known of a run that is audited.
void addRun(CLI::App* audit, AuditArguments& arguments)
{
    addText(audit, "--log", arguments.log, "FILE", "Log of it (Megatron-LM and its relatives), or a table of runs");
    addText(audit, "--profile", arguments.profile, "FILE",
        "Profile of its steps: PyTorch's profiler (.json, .json.gz), or nsys stats --report cuda_gpu_trace (CSV, "
        "JSON)");
    addText(audit, "--step-time", arguments.stepTime, "S", "Seconds of a step, where they are known otherwise");
    addText(audit, "--mfu", arguments.mfu, "X", "MFU that is quoted for it: says by which conventions it is");
    addText(audit, "--mfu-convention", arguments.convention, "C",
        "FLOPS or FLOPS/PEAK by which it is meant, e.g. causal/sparse: gives the step where none is measured");
    audit
        ->add_option(
            "--setting", arguments.settings, "What it sets, e.g. CUDA_DEVICE_MAX_CONNECTIONS=8; again for more")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

std::string faultOfWhole(const std::string& value, int least, int most)
{
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    return whole && number >= least && number <= most
        ? std::string()
        : "found \"" + value + "\", expected " + reading::wholeNumber(least, most);
}

std::string faultOfNodes(const std::string& value)
{
    return faultOfWhole(value, 1, wiring::kMostNodes);
}

std::string faultOfDraws(const std::string& value)
{
    constexpr int kFewest = 32, kMost = 65'536;
    return faultOfWhole(value, kFewest, kMost);
}

/// What is imported, and what it leaves open.
void addImported(CLI::App* importer, ImportArguments& arguments)
{
    addText(importer, "FILE", arguments.file, "FILE",
        "Configuration of a model, launch file, or text of a topology, - for standard input")
        ->required();
    addText(importer, "-o,--output", arguments.output, "PLAN", "Plan to write; left out: standard output");
    importer->add_flag("--stand-in", arguments.standIn,
        "Take attention over a window in place of layers that are not modelled (linear attention, state spaces), say "
        "how far off that is, and widen ranges for it");
    addText(importer, "--plan", arguments.plan, "PLAN",
        "Of a topology: the plan whose cluster it replaces; of a launch file: the plan that has what it does not say");
    addText(importer, "--accelerator", arguments.accelerator, "ID",
        "Of a topology: the accelerator, where the text leaves it open");
    addText(importer, "--node", arguments.node, "ID",
        "The node of the catalogue that has what a topology leaves open, or on which a launch file runs");
    addText(importer, "--nic", arguments.nic, "ID", "Of a topology: the link of a network port");
    importer
        ->add_option("--nodes", arguments.nodes,
            "How many nodes there are: of the topology of a single one, or for a launch file")
        ->type_name("N")
        ->check(faultOfNodes);
}

/// What is asked of a plan that is not certain, and how.
void addSensitivityOptions(CLI::App* sensitivity, SensitivityArguments& arguments)
{
    addText(sensitivity, "--against", arguments.against, "PLAN2",
        "Another plan, or another strategy of the same as JSON: the chance that PLAN is better; may be repeated")
        ->allow_extra_args(false);
    addText(sensitivity, "--measure", arguments.measure, "M", "step, peak, days, cost or energy")
        ->capture_default_str();
    addText(sensitivity, "--range", arguments.ranges, "KEY=LOW:HIGH",
        "The 10th and 90th percentile of an input in its unit, e.g. price=2:3; may be repeated")
        ->allow_extra_args(false);
    addText(sensitivity, "--sweep", arguments.sweep, "KEY[=FROM:TO[:N]]",
        "Price the plan over values of an input, or KEY=A,B,C; twice: over those of two")
        ->allow_extra_args(false);
    sensitivity->add_flag("--replan", arguments.replan, "With --sweep: the best strategy at each point");
    addText(sensitivity, "--space", arguments.space, "SPACE", "With --replan: default, calculon or whole")
        ->capture_default_str();
    addText(sensitivity, "--break-even", arguments.breakEven, "KEY[=FROM:TO]",
        "With --against: the value of an input at which the other plan becomes the better one");
    sensitivity->add_option("--tokens", arguments.tokens, "Token budget in place of the projects', e.g. 15T")
        ->type_name("N");
    sensitivity->add_option("--draws", arguments.draws, "Draws of what inputs may be")
        ->type_name("N")
        ->capture_default_str()
        ->check(faultOfDraws);
    addThreads(sensitivity, arguments.threads);
}

/// The program's arguments and what they select.
class CommandLine {
public:
    CommandLine();

    /// Parses and runs, or tells what is wrong. Returns the exit code.
    int run(int argc, char** argv);

private:
    CLI::App* command(const char* name, const char* description, bool& json, std::function<int()> body);
    /// `call`: the command as its example calls it, which reads `example` from standard input.
    void addPlan(
        CLI::App* app, const std::string& call, std::string& plan, const std::string& example = "gpt3-175b-1024-a100");
    void addSimulated(CLI::App* app, const std::string& call, SimulateArguments& arguments, bool compares);
    void addExamples();
    void addEstimate();
    void addSearch();
    void addSplit();
    void addMix();
    void addSweep();
    void addCatalog();
    void addSimulate();
    void addPartition();
    void addCapacity();
    void addSensitivity();
    void addAudit();
    void addImport();
    void addExport();
    void addReport();
    void addValidate();
    void addCalibrate();

    CLI::App m_app{kDescription, "stratoplan-cli"};
    std::string m_logLevel = "warning";
    std::function<int()> m_body;
    ExamplesArguments m_examples;
    CatalogArguments m_catalog;
    EstimateArguments m_estimate;
    SearchArguments m_search;
    SplitArguments m_split;
    MixArguments m_mix;
    CLI::Option* m_why = nullptr;
    SweepArguments m_sweep;
    SimulateArguments m_simulate;
    TraceArguments m_trace;
    PartitionArguments m_partition;
    OutputArguments m_export;
    OutputArguments m_report;
    ImportArguments m_import;
    CapacityArguments m_capacity;
    SensitivityArguments m_sensitivity;
    AuditArguments m_audit;
    ValidateArguments m_validate;
    CalibrateArguments m_calibrate;
};

CommandLine::CommandLine()
{
    m_app.set_version_flag("--version", std::string("stratoplan-cli " STRATOPLAN_VERSION), "Print the version");
    m_app.set_help_flag("-h,--help", "Print this help");
    m_app.footer(footerOfPlan("gpt3-175b-1024-a100", "estimate -"));
    m_app.require_subcommand(1);
    m_app.add_option("--log-level", m_logLevel, "What standard error shows of the log: " + app::logLevelKeys())
        ->type_name("LEVEL")
        ->capture_default_str()
        ->check([](const std::string& value) {
            return app::logLevelFromKey(value) ? std::string()
                                               : "found \"" + value + "\", expected one of " + app::logLevelKeys();
        });

    addExamples();
    addEstimate();
    addSearch();
    addSplit();
    addMix();
    addSweep();
    addCatalog();
    addSimulate();
    addPartition();
    addCapacity();
    addSensitivity();
    addAudit();
    addImport();
    addExport();
    addReport();
    addValidate();
    addCalibrate();
}

void CommandLine::addExamples()
{
    CLI::App* examples = command("examples", "List the shipped plans, or print one as plan JSON", m_examples.json,
        [this] { return runExamples(m_examples); });
    examples->footer(footer("", "stratoplan-cli examples gpt3-175b-1024-a100 > plan.json"));
    examples->add_option("NAME", m_examples.name, "A plan of the list")->type_name("");
}

void CommandLine::addEstimate()
{
    CLI::App* estimate =
        command("estimate", "Estimate one step of a plan", m_estimate.json, [this] { return runEstimate(m_estimate); });
    addPlan(estimate, "estimate -", m_estimate.plan);
    estimate
        ->add_option("--profile", m_estimate.profile,
            "Software profile in place of the plan's, by id or file: one that calibrate wrote")
        ->type_name("P");
}

void CommandLine::addSearch()
{
    CLI::App* search = command("search", "Find the best strategy for a plan, and prove it", m_search.json, [this] {
        m_search.why = m_why->count() > 0;
        return runSearch(m_search);
    });
    addPlan(search, "search -", m_search.plan);
    addSpace(search, m_search);
    m_why = search
                ->add_option("--why", m_search.asked,
                    "Also say what keeps a strategy, in a file or as JSON, else the plan's own, from being the best, "
                    "and what more of each resource is worth")
                ->type_name("STRATEGY")
                ->expected(0, 1);
    addText(search, "--objective", m_search.objective, "O",
        "throughput, tokens-per-dollar, tokens-per-joule, deadline, smallest-cluster or robust")
        ->capture_default_str();
    addThreads(search, m_search.threads);
    addText(search, "--seconds", m_search.seconds, "S", "Stop after that time with what is known by then");
    addText(search, "--headroom", m_search.headroom, "SHARE", kHeadroom);
    addText(search, "--longest-step", m_search.longestStep, "S", "With --objective deadline: seconds a step may take");
    addText(search, "-o,--output", m_search.output, "PLAN",
        "Plan to write, with the best strategy: the best simulated, where the answer names one");
    addText(
        search, "--days", m_search.days, "D", "With --objective deadline: days for the token budget of the project");
}

void CommandLine::addSplit()
{
    CLI::App* split =
        command("split", "Find the best split of a plan's layers over its stages, and their recomputation",
            m_split.json, [this] { return runSplit(m_split); });
    addPlan(split, "split -", m_split.plan);
    split->add_flag("--tp", m_split.tensorParallel, "Also choose the tensor parallelism of each stage");
    split->add_flag("--keep-recompute", m_split.keepRecomputation, "Leave the recomputation as the plan has it");
    addText(split, "--headroom", m_split.headroom, "SHARE", kHeadroom);
    addText(split, "-o,--output", m_split.output, "PLAN", "Plan to write");
}

void CommandLine::addMix()
{
    CLI::App* mix = command(
        "mix", "Find which nodes of a cluster to use, in which order", m_mix.json, [this] { return runMix(m_mix); });
    addPlan(mix, "mix -", m_mix.plan);
    addText(mix, "--prices", m_mix.prices, "PRICES",
        "Prices of an accelerator-hour by group of nodes or accelerator, e.g. nodes-1=2.5,a100-sxm-80=1.1; without "
        "them one for all");
    mix->add_flag("--every-count", m_mix.everyCount, "Try every number of nodes, not all and powers of two alone");
    addText(mix, "--space", m_mix.space, "SPACE", "Strategies to choose from: default, calculon or whole")
        ->capture_default_str();
    mix->add_flag("--ignore-locks", m_mix.ignoreLocks, kIgnoreLocks);
    mix->add_flag("--closed-form", m_mix.closedForm,
        "Time pipelines by their closed form, which is sooner known and may be below what estimate says");
    mix->add_flag("--exhaustive", m_mix.exhaustive, "Search every mix, and price every strategy: the same answer");
    mix->add_flag("--cheapest", m_mix.cheapest, "Write the plan whose steps cost least, not the fastest");
    addThreads(mix, m_mix.threads);
    addText(mix, "-o,--output", m_mix.output, "PLAN", "Plan to write, with the nodes and the strategy");
}

void CommandLine::addSweep()
{
    CLI::App* sweep = command(
        "sweep", "Answer every plan of a study, a JSON line each", m_sweep.json, [this] { return runSweep(m_sweep); });
    sweep->footer(
        footer("A study names a plan and, field by field, the values to try: resources/examples/study.json is one.\n",
            "stratoplan-cli sweep resources/examples/study.json -o answers.jsonl"));
    addText(sweep, "STUDY", m_sweep.study, "FILE", "Study file, - for standard input")->required();
    addText(sweep, "--shard", m_sweep.shard, "I/N", "Answer part I of N only, numbered from 0")->capture_default_str();
    addText(sweep, "-o,--output", m_sweep.output, "FILE", "File of answers; left out: standard output");
    sweep->add_flag("--ignore-locks", m_sweep.ignoreLocks, kIgnoreLocks);
    sweep->add_flag("--resume", m_sweep.resume, "Leave the answers that the file has and go on after them");
    addThreads(sweep, m_sweep.threads);
}

void CommandLine::addCatalog()
{
    CLI::App* catalog = command("catalog", "List the ids of the catalogue, which plans and options name",
        m_catalog.json, [this] { return runCatalog(m_catalog); });
    catalog->footer(footer("", "stratoplan-cli catalog clusters"));
    catalog
        ->add_option("KIND", m_catalog.kind, "accelerators, links, nodes, clusters, models or software; left out: all")
        ->type_name("");
}

/// To simulate, and to write what was simulated.
void CommandLine::addSimulate()
{
    CLI::App* simulate = command("simulate", "Run the pipeline of a plan event by event", m_simulate.json,
        [this] { return runSimulate(m_simulate); });
    addSimulated(simulate, "simulate -", m_simulate, true);

    CLI::App* trace = command("trace", "Write the simulated pipeline as a Chrome trace", m_trace.simulate.json,
        [this] { return runTrace(m_trace); });
    addSimulated(trace, "trace - -o trace.json", m_trace.simulate, false);
    addText(trace, "-o,--output", m_trace.output, "FILE", "File to write, - for standard output")->required();
}

void CommandLine::addPartition()
{
    CLI::App* partition =
        command("partition", "Divide the layers of a plan in space and time over its tensor-parallel ranks",
            m_partition.json, [this] { return runPartition(m_partition); });
    addPlan(partition, "partition -", m_partition.plan, "opt-175b-spatial-temporal");
    addText(partition, "-o,--output", m_partition.output, "FILE",
        "PyTorch program to write, which carries out the products so divided and checks itself; "
        "- for standard output");
}

void CommandLine::addCapacity()
{
    CLI::App* capacity = command("capacity", "Days, accelerator-hours, money and energy of the whole run",
        m_capacity.json, [this] { return runCapacity(m_capacity); });
    addPlan(capacity, "capacity - --tokens 300B", m_capacity.plan);
    capacity->add_option("--tokens", m_capacity.tokens, "Token budget in place of the project's, e.g. 15T")
        ->type_name("N");
    capacity
        ->add_option("--price", m_capacity.price,
            "Price per accelerator and hour in place of the project's, or of the list price that the catalogue knows")
        ->type_name("AMOUNT");
    capacity
        ->add_option("--goodput", m_capacity.goodput,
            "Share of the wall time that advances the run; without one it is worked out from failures and checkpoints")
        ->type_name("SHARE");
    CLI::Option* const days =
        capacity
            ->add_option("--days", m_capacity.days,
                "Asks from the other end: the fewest accelerators that get the run done in so many days")
            ->type_name("D");
    capacity->add_option("--on", m_capacity.on, "With --days: kinds of nodes of the catalogue, e.g. dgx-h100,dgx-b200")
        ->type_name("NODES")
        ->delimiter(',')
        ->needs(days);
    capacity->add_option("--money", m_capacity.money, "Asks from the other end: the tokens that so much pays for")
        ->type_name("AMOUNT")
        ->excludes(days);
    capacity->add_option("--start", m_capacity.start, "First day of the run, for the day on which it is done")
        ->type_name("DAY");
}

void CommandLine::addSensitivity()
{
    CLI::App* sensitivity =
        command("sensitivity", "How sure a plan is, what that depends on, and whether another one is better",
            m_sensitivity.json, [this] { return runSensitivity(m_sensitivity); });
    addPlan(sensitivity, "sensitivity -", m_sensitivity.plan);
    addSensitivityOptions(sensitivity, m_sensitivity);
}

void CommandLine::addAudit()
{
    CLI::App* audit = command("audit", "Set a run beside the estimate of its plan, by cause", m_audit.json,
        [this] { return runAudit(m_audit); });
    addPlan(audit, "audit - --step-time 8.1", m_audit.plan);
    addRun(audit, m_audit);
}

void CommandLine::addImport()
{
    CLI::App* importer = command("import", "Make a plan of a model, a launch file or a topology", m_import.json,
        [this] { return runImport(m_import); });
    importer->footer(footer(filesOfImport(), "stratoplan-cli import config.json -o plan.json"));
    addImported(importer, m_import);
}

void CommandLine::addExport()
{
    CLI::App* exporter =
        command("export", "Write a plan for another program", m_export.json, [this] { return runExport(m_export); });
    addPlan(exporter, "export - --format json -o plan.json", m_export.plan);
    exporter
        ->add_option("--format", m_export.format,
            "json, or to launch the training: megatron-lm, megatron-bridge, deepspeed, torchtitan, fsdp2, accelerate, "
            "mindspeed, slurm, kubernetes. What a format cannot express is told on standard error, and at the head of "
            "the file")
        ->type_name("F")
        ->required();
    addText(exporter, "-o,--output", m_export.output, "FILE", "File to write, - for standard output")->required();
}

void CommandLine::addReport()
{
    CLI::App* report = command("report", "Write the report of a plan for those who decide", m_report.json,
        [this] { return runReport(m_report); });
    addPlan(report, "report - -o report.html", m_report.plan);
    addText(report, "-o,--output", m_report.output, "FILE",
        "File to write: .html, .pdf (by the window program, without a display), .xlsx or .csv")
        ->required();
}

void CommandLine::addValidate()
{
    CLI::App* validate = command("validate", "Compare estimates with measured cases", m_validate.json,
        [this] { return runValidate(m_validate); });
    addText(validate, "CASES", m_validate.cases, "FILE",
        "Measured cases (JSON), - for standard input; left out: the shipped ones");
    addText(validate, "--profile", m_validate.profile, "P",
        "Software profile of every case, by id or file, in place of each case's own");
    validate->add_flag(
        "--k-fold", m_validate.kFold, "Also fit the constants with groups of cases left out, and compare");
    addText(validate, "--failures", m_validate.failures, "FILE",
        "Runs that ran out of memory, as cases with a status: how many are told not to fit");
    addText(validate, "--page", m_validate.page, "FILE.md",
        "Also write the validation page, with a chart of each source beside it");
    validate->footer(footer(kFilesOfCases, "stratoplan-cli validate cases.json --failures failures.json"));
}

void CommandLine::addCalibrate()
{
    CLI::App* calibrate = command("calibrate", "Fit the constants of a software profile to measured runs",
        m_calibrate.json, [this] { return runCalibrate(m_calibrate); });
    addText(calibrate, "ROWS", m_calibrate.rows, "FILE…",
        "Measured runs: tables (CSV), Megatron-LM logs, measured cases or kernels (JSON), - for standard input");
    addText(calibrate, "-o,--output", m_calibrate.output, "PROFILE", "Profile to write");
    addText(calibrate, "--plan", m_calibrate.plan, "PLAN",
        "Plan that tables change and logs leave things to: a file or a shipped example");
    addText(calibrate, "--profile", m_calibrate.profile, "P",
        "Profile to start from, by id or file, in place of the plan's or the cases'");
    calibrate->add_flag("--shipped", m_calibrate.shipped,
        "For developers: make resources/catalog/software.json from the shipped cases");
    addText(calibrate, "--priors", m_calibrate.priors, "FILE", "With --shipped: the profiles to start from");
    addText(calibrate, "--evidence", m_calibrate.evidence, "FILE",
        "With --shipped: also make resources/validation/evidence.csv, the errors behind the ranges of estimates");
    addText(calibrate, "--kernels", m_calibrate.kernels, "DIR",
        "For developers: make resources/catalog/kernels.json from a folder of measured kernels");
    calibrate->footer(
        footer(kFilesOfRuns, "stratoplan-cli calibrate runs.csv --plan gpt3-175b-1024-a100 -o mine.json"));
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

void CommandLine::addPlan(CLI::App* app, const std::string& call, std::string& plan, const std::string& example)
{
    app->footer(footerOfPlan(example, call));
    addText(app, "PLAN", plan, "FILE", "Plan or project file, - for standard input")->required();
}

/// What is simulated; `compares`: or all schedules.
void CommandLine::addSimulated(CLI::App* app, const std::string& call, SimulateArguments& arguments, bool compares)
{
    addPlan(app, call, arguments.plan);
    const std::string all = compares ? "; or all, to compare them" : "";
    app->add_option("--schedule", arguments.schedule,
           "Schedule in place of the plan's, e.g. 1f1b; a file with a line of passes per stage" + all)
        ->type_name(compares ? "NAME|FILE|all" : "NAME|FILE")
        ->check([compares](const std::string& value) {
            const bool known = parallel::scheduleFromKey(value) || (compares && value == "all")
                || value.find_first_of("./") != std::string::npos || std::filesystem::exists(value);
            return known
                ? std::string()
                : "found \"" + value + "\", expected a schedule such as gpipe, 1f1b, interleaved, a file that is there"
                    + (compares ? ", or all" : "");
        });
    app->add_option("--pass", arguments.pass, "With or without the timing pass, in place of the plan's choice")
        ->type_name("on|off")
        ->check([](const std::string& value) {
            return value == "on" || value == "off" ? std::string() : "found \"" + value + "\", expected on or off";
        });
}

int CommandLine::run(int argc, char** argv)
{
    if (const std::optional<int> refused = refuseCommand(m_app, argc, argv))
        return *refused;
    try {
        m_app.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
        std::ostringstream out;
        std::ostringstream error;
        if (m_app.exit(outcome, out, error) == 0) // help or version
            return deliver(out.str());
        startLogging("stratoplan-cli", app::logLevelFromKey(m_logLevel).value_or(app::LogLevel::Warning));
        return refuseArguments(m_app, outcome, wantsJson(argc, argv));
    }
    startLogging("stratoplan-cli", *app::logLevelFromKey(m_logLevel));
    const int exitCode = m_body();
    app::flushLog();
    return exitCode;
}

/// A standard stream that the caller has closed must not become the first file that is opened, the log: its number is
/// taken by a descriptor on which reading, or writing, fails as it should.
void holdStandardStreams()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1) [[maybe_unused]]
            const int opened =
                ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number free
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
        return commandLine.run(argc, argv);
    } catch (const std::bad_alloc&) {
        cli::complain("out of memory");
    } catch (const std::exception& fault) {
        cli::complain(std::string("internal error: ") + fault.what());
    }
    return cli::kBug;
}

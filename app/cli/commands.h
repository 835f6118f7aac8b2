// SPDX-License-Identifier: GPL-3.0-or-later
// One function per command of stratoplan-cli. Each takes its arguments as values, delivers its answer and returns the
// exit code; what a person did wrong is told, never thrown.
#pragma once

#include <string>
#include <vector>

namespace stratoplan::cli {

struct ExamplesArguments {
    std::string name; ///< empty: list them
    bool json = false;
};
[[nodiscard]] int runExamples(const ExamplesArguments& arguments);

struct PlanArguments {
    std::string plan; ///< file, or "-"
    bool json = false;
};

struct EstimateArguments {
    std::string plan; ///< file, or "-"
    std::string profile; ///< software, by id or file; empty: the plan's
    bool json = false;
};
[[nodiscard]] int runEstimate(const EstimateArguments& arguments);

struct SimulateArguments {
    std::string plan;
    std::string schedule; ///< its key, a file, or "all"; empty: as in the plan
    std::string pass; ///< "on", "off"; empty: as in the plan
    bool json = false;
};
[[nodiscard]] int runSimulate(const SimulateArguments& arguments);

struct TraceArguments {
    SimulateArguments simulate; ///< any schedule but "all"
    std::string output; ///< file
};
[[nodiscard]] int runTrace(const TraceArguments& arguments);
/// Every schedule that the plan allows: bubble, peak memory, step time.
[[nodiscard]] int compareSchedules(const SimulateArguments& arguments);

struct PartitionArguments {
    std::string plan;
    std::string output; ///< PyTorch program to write; empty: none
    bool json = false;
};
[[nodiscard]] int runPartition(const PartitionArguments& arguments);

struct SearchArguments {
    std::string plan;
    std::string space = "default"; ///< its name, or a file
    std::string objective = "throughput";
    std::string framework; ///< its key; empty: as project and space have it
    std::string seconds, headroom, longestStep, days; ///< numbers; empty: none
    int threads = 0; ///< 0: as many as the machine has
    bool exhaustive = false;
    bool simulate = false;
    bool pareto = false;
    bool fronts = false; ///< of every two measures
    bool ignoreLocks = false; ///< of a project
    bool why = false; ///< also judge a strategy
    std::string asked; ///< that one: JSON, or a file of it; empty: the plan's own
    std::string output; ///< plan to write; empty: none
    bool json = false;
};
[[nodiscard]] int runSearch(const SearchArguments& arguments);

struct CatalogArguments {
    std::string kind; ///< "accelerators", …; empty: all
    bool json = false;
};
[[nodiscard]] int runCatalog(const CatalogArguments& arguments);

struct SplitArguments {
    std::string plan;
    std::string output; ///< plan to write; empty: none
    std::string headroom; ///< number; empty: none
    bool tensorParallel = false;
    bool keepRecomputation = false;
    bool json = false;
};
[[nodiscard]] int runSplit(const SplitArguments& arguments);

struct MixArguments {
    std::string plan;
    std::string space = "default";
    std::string prices; ///< "GROUP=PRICE,…"; empty: one for all
    std::string output; ///< plan to write; empty: none
    int threads = 0;
    bool everyCount = false;
    bool ignoreLocks = false;
    bool cheapest = false; ///< is written, in place of the fastest
    bool exhaustive = false;
    bool closedForm = false; ///< in place of simulated
    bool json = false;
};
[[nodiscard]] int runMix(const MixArguments& arguments);

struct SweepArguments {
    std::string study; ///< file, or "-"
    std::string shard = "0/1"; ///< "I/N"
    std::string output; ///< file of JSON lines; empty: standard output
    bool resume = false; ///< leave what is in it
    bool ignoreLocks = false; ///< of projects
    int threads = 0;
    bool json = false; ///< of faults; answers are JSON lines anyway
};
[[nodiscard]] int runSweep(const SweepArguments& arguments);

struct OutputArguments {
    std::string plan;
    std::string output; ///< file
    std::string format; ///< of export
    bool json = false;
};
[[nodiscard]] int runExport(const OutputArguments& arguments);

/// A report of the plan, by the ending of the file.
[[nodiscard]] int runReport(const OutputArguments& arguments);

struct ImportArguments {
    std::string file; ///< or "-"
    std::string output; ///< plan to write; empty or "-": standard output
    std::string plan; ///< whose cluster a topology replaces, or that has what a launch file lacks; empty: its own
    std::string accelerator, node, nic; ///< ids of the catalogue for what a topology leaves open; empty: the usual
    int nodes = 0; ///< alike, of a topology of a single node; 0: not said
    bool standIn = false;
    bool json = false;
};
[[nodiscard]] int runImport(const ImportArguments& arguments);
/// The part of it that reads how machines are wired.
[[nodiscard]] int importTopology(const ImportArguments& arguments, const std::string& text);
/// The part of it that reads what starts a training.
[[nodiscard]] int importLaunchFile(const ImportArguments& arguments, const std::string& text);

struct ValidateArguments {
    std::string cases; ///< file, "-", or empty: the shipped cases
    std::string profile; ///< id of the catalogue or file, for every case; empty: that of each case's own stack
    bool kFold = false; ///< also leave groups of cases out of the fit
    std::string failures; ///< file of runs that ran out of memory; empty: none
    std::string page; ///< Markdown file to write, pictures in a folder of its name beside it; empty: none
    bool json = false;
};
[[nodiscard]] int runValidate(const ValidateArguments& arguments);

struct CalibrateArguments {
    std::vector<std::string> rows; ///< files or "-": tables of runs (CSV), Megatron-LM logs, measured cases (JSON)
    std::string output; ///< the profile to write, or with `shipped` the catalogue file
    std::string plan; ///< what tables and logs change; empty: the plan that a table names
    std::string profile; ///< to start from: id of the catalogue or file; empty: that of the plan or of the cases
    bool shipped = false; ///< make the shipped profiles from the shipped cases instead
    std::string priors; ///< with `shipped`: resources/catalog/software_priors.json
    std::string
        evidence; ///< with `shipped`: also write the residuals of the cases, each left out of the fit; empty: do not
    std::string kernels; ///< folder of measured kernels: make resources/catalog/kernels.json instead
    bool json = false;
};
[[nodiscard]] int runCalibrate(const CalibrateArguments& arguments);
/// The part of it that makes kernel tables.
[[nodiscard]] int runCalibrateKernels(const CalibrateArguments& arguments);

struct CapacityArguments {
    std::string plan;
    std::string price; ///< amount; empty: as in the project
    std::string tokens; ///< "15T"; empty: as in the project
    std::string goodput; ///< share; empty: as in the project
    std::string start; ///< "2026-12-01"; empty: as in the project
    std::string days; ///< asks for accelerators; empty: for days
    std::vector<std::string> on; ///< ids of nodes, for which `days` asks
    std::string money; ///< asks for tokens
    bool json = false;
};
[[nodiscard]] int runCapacity(const CapacityArguments& arguments);

struct SensitivityArguments {
    std::string plan;
    std::vector<std::string> against; ///< plans, or strategies as JSON
    std::string measure = "step";
    std::vector<std::string> ranges; ///< "KEY=LOW:HIGH"
    std::vector<std::string> sweep; ///< "KEY", "KEY=FROM:TO:N" or "KEY=A,B,…"; two: a map
    std::string breakEven; ///< "KEY" or "KEY=FROM:TO"; empty: not asked
    std::string space = "default"; ///< with `replan`: its name
    std::string tokens; ///< budget; empty: the project's
    int draws = 512;
    int threads = 0;
    bool replan = false; ///< the best strategy at each point of a sweep
    bool json = false;
};
[[nodiscard]] int runSensitivity(const SensitivityArguments& arguments);

struct AuditArguments {
    std::string plan;
    std::string log; ///< of a training run, or a table of runs; empty: none
    std::string profile; ///< of a profiler; empty: none
    std::string stepTime; ///< seconds; empty: not stated
    std::string mfu; ///< "43 %"; empty: none quoted
    std::string convention; ///< of that MFU; empty: looked for
    std::vector<std::string> settings; ///< "NAME=VALUE"
    bool json = false;
};
[[nodiscard]] int runAudit(const AuditArguments& arguments);

} // namespace stratoplan::cli

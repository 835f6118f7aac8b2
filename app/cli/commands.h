// SPDX-License-Identifier: GPL-3.0-or-later
// One function per command of stratoplan-cli. Each takes its arguments as values, delivers its answer and returns the
// exit code; what a person did wrong is told, never thrown.
#pragma once

#include <optional>
#include <string>

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
[[nodiscard]] int runEstimate(const PlanArguments& arguments);

struct SimulateArguments {
    std::string plan;
    std::string schedule; ///< empty: as in the plan
    std::string pass;     ///< "on", "off"; empty: as in the plan
    bool json = false;
};
[[nodiscard]] int runSimulate(const SimulateArguments& arguments);

struct OutputArguments {
    std::string plan;
    std::string output; ///< file
    std::string format; ///< of export
    bool json = false;
};
[[nodiscard]] int runTrace(const OutputArguments& arguments);
[[nodiscard]] int runExport(const OutputArguments& arguments);

struct ValidateArguments {
    std::string cases; ///< file, "-", or empty: the shipped cases
    bool json = false;
};
[[nodiscard]] int runValidate(const ValidateArguments& arguments);

/// Regenerates the shipped software profiles from their priors and the shipped measured cases.
struct CalibrateArguments {
    std::string priors; ///< resources/catalog/software_priors.json
    std::string output; ///< resources/catalog/software.json
    bool json = false;
};
[[nodiscard]] int runCalibrate(const CalibrateArguments& arguments);

struct CapacityArguments {
    std::string plan;
    std::optional<double> price;
    std::string tokens; ///< "15T"; empty: as in the project
    bool json = false;
};
[[nodiscard]] int runCapacity(const CapacityArguments& arguments);

} // namespace stratoplan::cli

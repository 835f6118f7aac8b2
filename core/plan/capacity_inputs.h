// SPDX-License-Identifier: Apache-2.0
// What is asked of the whole run, beside its step: how long it is, what is paid and drawn, what fails, when it begins.
// An amount that is not given is worked out, or is that of the catalogue (core/catalog/run_defaults.h), which says
// where it is from.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stratoplan::plan {

/// How accelerators are had.
enum class Purchase {
    OnDemand, ///< paid for by the hour
    Reserved, ///< the same, and for a term at least
    Owned, ///< bought: what they lose in value over the run, their electricity and operation
};
inline constexpr std::array kPurchases{Purchase::OnDemand, Purchase::Reserved, Purchase::Owned};
[[nodiscard]] std::string_view key(Purchase purchase); // "on_demand", "reserved", "owned"
[[nodiscard]] std::optional<Purchase> purchaseFromKey(std::string_view key);

/// Steps of smaller batches before those of the plan's: as Megatron-LM's --rampup-batch-size, which counts samples.
struct BatchRamp {
    int start = 0; ///< sequences; 0: no ramp
    int increment = 0; ///< sequences, from one batch to the next
    double tokens = 0; ///< over all smaller batches, each of as many
    bool operator==(const BatchRamp&) const = default;
};

/// Of accelerators that are bought, with their share of nodes and network.
struct Ownership {
    double pricePerAccelerator = 0; ///< in the currency; 0 = not given
    double years = 4; ///< over which it is written off, evenly
    double residualShare = 0; ///< of the price, that is left then
    double electricityPerKwh = 0; ///< in the currency
    double operationsShare = 0; ///< of the price, a year: people, space, repair
    bool operator==(const Ownership&) const = default;
};

/// Mean hours between failures of one of each, which stop the whole run, and what happens then.
struct Failures {
    std::optional<double> acceleratorMtbf; ///< hours
    std::optional<double> nodeMtbf; ///< hours: host, power, software
    std::optional<double> nicMtbf; ///< hours: NIC, cable, and its share of switches
    std::optional<double> restart; ///< seconds until the run goes on: found, started again, checkpoint read
    std::optional<double> repair; ///< hours until a node that failed is back
    std::optional<int> spareNodes; ///< beside those of the run; not given: there always is one
    bool operator==(const Failures&) const = default;
};

struct Checkpoints {
    std::optional<double> bandwidth; ///< bytes/s, of all nodes together, that storage takes
    std::optional<double> interval; ///< seconds of training between two; not given: the best one
    std::optional<double> blockingShare; ///< of the time to write one, that training stands still
    bool operator==(const Checkpoints&) const = default;
};

struct CapacityInputs {
    // The run is as long as the first of these that is not 0.
    double tokens = 0; ///< token budget
    double steps = 0; ///< optimizer steps of the plan's batch
    double computeFlops = 0; ///< model FLOPs, as MFU counts them
    BatchRamp ramp;

    double pricePerAcceleratorHour = 0; ///< in `currency`; 0 = not given
    std::map<std::string, double> prices; ///< the same of the nodes of some groups, by id
    std::string currency = "USD";
    Purchase purchase = Purchase::OnDemand;
    bool paysForIdle = true; ///< for accelerators of the cluster that the strategy leaves idle
    double termDays = 0; ///< paid for at least, if reserved
    Ownership owned;

    double goodput = 0; ///< share of wall time that advances the run; 0: worked out from what follows
    Failures failures;
    Checkpoints checkpoints;
    double evaluationShare = 0; ///< of wall time without failures
    double dataStallShare = 0; ///< the same

    double pue = 1.2; ///< facility power over IT power
    std::optional<double> powerShare; ///< of what nodes are rated at, that training draws
    std::optional<double> gridIntensity; ///< g of CO2 a kWh
    std::string start; ///< first day, "2026-12-01"; empty: not given
    bool operator==(const CapacityInputs&) const = default;
};

/// Whether a budget is given in any way.
[[nodiscard]] inline bool hasBudget(const CapacityInputs& inputs)
{
    return inputs.tokens > 0 || inputs.steps > 0 || inputs.computeFlops > 0;
}

} // namespace stratoplan::plan

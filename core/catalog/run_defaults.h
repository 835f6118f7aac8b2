// SPDX-License-Identifier: Apache-2.0
// What the inputs of a whole run are where nobody states them (resources/catalog/run_defaults.json): how often parts
// fail, how fast storage is, what nodes draw, what grids emit, list prices. Every entry has a source and a date.
#pragma once

#include "core/catalog/catalog_json.h"
#include "core/catalog/embedded.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::catalog {

struct RunDefault {
    std::string id; ///< "accelerator_mtbf_h"
    double value = 0;
    std::string source;
    std::string date; ///< of the source: "2024-07"
};

struct GridRegion {
    std::string id; ///< "world"
    std::string name;
    double intensity = 0; ///< g of CO2 a kWh
    std::string source;
    std::string date;
};

/// On demand, of one accelerator and hour.
struct ListPrice {
    std::string accelerator; ///< catalogue key
    double perHour = 0;
    std::string currency;
    std::string source;
    std::string date;
};

enum class RunConstant {
    AcceleratorMtbf, ///< hours
    NodeMtbf, ///< hours
    NicMtbf, ///< hours
    Restart, ///< seconds
    Repair, ///< hours
    StorageOfNode, ///< bytes/s that it takes from each node, all writing
    BlockingShare, ///< of the time to write a checkpoint
    PowerShare, ///< of what nodes are rated at
    PowerOverBoards, ///< what a node is rated at, over its boards, where it is not stated
    // Factors between the tenth percentile, the middle and the ninetieth:
    FailureSpread, ///< of what fails
    RateSpread, ///< of the rate that matrix products sustain
    MemoryRateSpread, ///< of memory bandwidth
    LinkRateSpread, ///< of the bandwidth that links sustain
    LatencySpread, ///< of the latency of links
    RestartSpread, ///< of the time to start again
    StorageSpread, ///< of what storage takes
    PowerSpread, ///< of the power share
    PriceSpread, ///< of a list price
};
inline constexpr std::size_t kRunConstants = 18;
[[nodiscard]] std::string_view key(RunConstant constant); // "accelerator_mtbf_h", …

struct RunDefaults {
    std::vector<RunDefault> constants; ///< by RunConstant
    std::vector<GridRegion> grids; ///< the first is the default
    std::vector<ListPrice> prices;

    [[nodiscard]] const RunDefault& entry(RunConstant constant) const { return constants[std::size_t(constant)]; }
    [[nodiscard]] double value(RunConstant constant) const { return entry(constant).value; }
    /// Nothing where none is known.
    [[nodiscard]] const ListPrice* price(std::string_view accelerator) const;
};

[[nodiscard]] CatalogResult<RunDefaults> parseRunDefaults(const EmbeddedFile& file);
/// The embedded ones, parsed once. A broken shipped file is a bug and ends the program with a message.
[[nodiscard]] const RunDefaults& shippedRunDefaults();

} // namespace stratoplan::catalog

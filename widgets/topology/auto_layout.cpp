// SPDX-License-Identifier: GPL-3.0-or-later
// The automatic layout: tiers above one another, and racks side by side. Tiers that no rack joins are rows of their
// own; those that one joins are a band of racks, each with its cards of all of these tiers.
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/cluster_racks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

constexpr double kColumnPitch = 224;
constexpr double kTierGap = 136; ///< at least, between the cards of two tiers
constexpr double kMostTierGap = 400;
constexpr double kRowGap = 48;
constexpr double kRackGap = 48; ///< between racks, beyond what lies between their cards
constexpr std::size_t kNodesPerRow = 8;
constexpr std::size_t kLeastPerRow = 4; ///< of a rack, or of racks, beside others
constexpr std::size_t kTiers = 4;

/// Elements of one tier, left to right.
using Tier = std::vector<std::string>;
using Neighbours = std::unordered_map<std::string, std::vector<std::string>>;
/// Of elements of a tier, from 0 on the left to 1 on the right.
using Places = std::unordered_map<std::string, double>;

/// A rack, or all that is in none: what nothing else stands within.
struct Block {
    std::array<Tier, kTiers> tiers;
    std::size_t perRow = kNodesPerRow; ///< as many at least, if there are so many
};

/// Tiers that racks join, lowest first.
struct Band {
    std::size_t low = 0;
    std::size_t high = 0;
    std::vector<Block> blocks;
};

Neighbours neighbours(const cluster::Cluster& cluster)
{
    Neighbours result;
    for (const cluster::Connection& c : cluster.connections) {
        result[c.from].push_back(c.to);
        result[c.to].push_back(c.from);
    }
    return result;
}

std::array<Tier, kTiers> tiersOf(const cluster::Cluster& cluster)
{
    std::array<Tier, kTiers> tiers;
    for (const cluster::NodeGroup& g : cluster.nodes)
        tiers[0].push_back(g.id);
    for (const cluster::SwitchGroup& s : cluster.switches)
        tiers[1 + static_cast<std::size_t>(s.tier)].push_back(s.id);
    return tiers;
}

/// The racks in their order, then what is in none.
std::vector<Block> blocksOf(const cluster::Cluster& cluster)
{
    std::unordered_map<std::string, std::size_t> blockOf;
    const std::vector<Rack> racks = racksOf(cluster);
    for (std::size_t i = 0; i < racks.size(); ++i) {
        for (const std::string& id : racks[i].elements)
            blockOf[id] = i;
    }
    std::vector<Block> blocks(racks.size() + 1);
    const std::array<Tier, kTiers> tiers = tiersOf(cluster);
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
        for (const std::string& id : tiers[tier]) {
            const auto rack = blockOf.find(id);
            blocks[rack == blockOf.end() ? racks.size() : rack->second].tiers[tier].push_back(id);
        }
    }
    return blocks;
}

std::pair<std::size_t, std::size_t> reachOf(const Block& block)
{
    std::size_t low = kTiers, high = 0;
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
        if (!block.tiers[tier].empty()) {
            low = std::min(low, tier);
            high = tier;
        }
    }
    return {low, high};
}

/// What of a block stands in the band; nothing of others.
Block partIn(const Block& block, const Band& band)
{
    Block part;
    for (std::size_t tier = band.low; tier <= band.high; ++tier)
        part.tiers[tier] = block.tiers[tier];
    return part;
}

std::vector<Band> bandsOf(const std::vector<Block>& blocks)
{
    std::array<bool, kTiers> isJoined{}; ///< to the tier above
    for (std::size_t rack = 0; rack + 1 < blocks.size(); ++rack) {
        const auto [low, high] = reachOf(blocks[rack]);
        for (std::size_t tier = low; tier < high; ++tier)
            isJoined[tier] = true;
    }
    std::vector<Band> bands;
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
        if (tier == 0 || !isJoined[tier - 1])
            bands.push_back({tier, tier, {}});
        bands.back().high = tier;
    }
    for (Band& band : bands) {
        for (const Block& block : blocks) {
            if (Block part = partIn(block, band); reachOf(part).first < kTiers)
                band.blocks.push_back(std::move(part));
        }
        if (band.blocks.size() > 1) {
            for (Block& block : band.blocks)
                block.perRow = kLeastPerRow;
        }
    }
    return bands;
}

Places placesOf(const Tier& tier)
{
    Places places;
    for (std::size_t i = 0; i < tier.size(); ++i)
        places[tier[i]] = tier.size() > 1 ? static_cast<double>(i) / static_cast<double>(tier.size() - 1) : 0.5;
    return places;
}

/// The mean place of its neighbours in the tier below; none of one that has none there.
std::optional<double> barycentre(const std::string& id, const Places& below, const Neighbours& links)
{
    double sum = 0;
    int n = 0;
    if (const auto it = links.find(id); it != links.end()) {
        for (const std::string& other : it->second) {
            if (const auto place = below.find(other); place != below.end()) {
                sum += place->second;
                ++n;
            }
        }
    }
    return n > 0 ? std::optional(sum / n) : std::nullopt;
}

/// Sorts a tier by the mean place of its neighbours in the tier below (the barycentre heuristic of Sugiyama).
void sortByBarycentre(Tier& tier, const Places& below, const Neighbours& links)
{
    Places centre = placesOf(tier);
    for (auto& [id, place] : centre)
        place = barycentre(id, below, links).value_or(place);
    std::stable_sort(
        tier.begin(), tier.end(), [&centre](const auto& a, const auto& b) { return centre[a] < centre[b]; });
}

/// The same of the blocks of a band, by their lowest tier; those without neighbours below stay behind the others.
void sortByBarycentre(std::vector<Block>& blocks, std::size_t tier, const Places& below, const Neighbours& links)
{
    const auto centre = [&](const Block& block) {
        double sum = 0;
        int n = 0;
        for (const std::string& id : block.tiers[tier]) {
            if (const auto place = barycentre(id, below, links)) {
                sum += *place;
                ++n;
            }
        }
        return n > 0 ? sum / n : std::numeric_limits<double>::infinity();
    };
    std::vector<std::pair<double, Block>> sorted;
    for (Block& block : blocks)
        sorted.emplace_back(centre(block), std::move(block));
    std::ranges::stable_sort(sorted, {}, &std::pair<double, Block>::first);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = std::move(sorted[i].second);
}

/// Lowest tier first, so that each finds that below it in its order.
void sortBands(std::vector<Band>& bands, const Neighbours& links)
{
    Places below;
    for (Band& band : bands) {
        for (std::size_t tier = band.low; tier <= band.high; ++tier) {
            if (tier > 0 && tier == band.low)
                sortByBarycentre(band.blocks, tier, below, links);
            Tier all;
            for (Block& block : band.blocks) {
                if (tier > 0)
                    sortByBarycentre(block.tiers[tier], below, links);
                all.insert(all.end(), block.tiers[tier].begin(), block.tiers[tier].end());
            }
            below = placesOf(all);
        }
    }
}

/// Elements per row: a handful side by side, many in a block about twice as wide as high.
std::size_t rowLength(std::size_t count, std::size_t least)
{
    if (count <= least)
        return std::max<std::size_t>(count, 1);
    return std::max(least, static_cast<std::size_t>(std::ceil(std::sqrt(1.6 * static_cast<double>(count)))));
}

struct Grid {
    std::size_t rows = 0;
    std::size_t columns = 0;
};

Grid gridOf(const Block& block, std::size_t tier)
{
    const std::size_t count = block.tiers[tier].size(), length = rowLength(count, block.perRow);
    const std::size_t rows = (count + length - 1) / length;
    return {rows, rows > 0 ? (count + rows - 1) / rows : 0};
}

double widthOf(const Block& block)
{
    std::size_t columns = 1;
    for (std::size_t tier = 0; tier < kTiers; ++tier)
        columns = std::max(columns, gridOf(block, tier).columns);
    return static_cast<double>(columns) * kColumnPitch;
}

double cardHeight(std::size_t tier)
{
    return tier == 0 ? kNodeCardHeight : kSwitchCardHeight;
}

/// Sets a tier of a block as rows about `centre` whose lowest row ends at `bottom`; returns its upper edge. Neighbours
/// in the order stand below one another, so that what shares a switch shares a block of columns.
double placeTier(const Block& block, std::size_t tier, double centre, double bottom, plan::CanvasPositions& positions)
{
    const auto [rows, columns] = gridOf(block, tier);
    const Tier& elements = block.tiers[tier];
    const double height = cardHeight(tier);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::size_t row = i % rows;
        const double x = centre + (static_cast<double>(i / rows) - static_cast<double>(columns - 1) / 2) * kColumnPitch;
        const double y = bottom - height / 2 - static_cast<double>(rows - 1 - row) * (height + kRowGap);
        positions[elements[i]] = snapped({x, y});
    }
    return bottom - static_cast<double>(rows) * height - static_cast<double>(rows - 1) * kRowGap;
}

/// Some blocks of a band.
using Shelf = std::vector<const Block*>;

/// Side by side, centred on x = 0, each tier from the same line upwards; returns the line of what stands above.
double placeShelf(const Shelf& shelf, const Band& band, double bottom, double gap, plan::CanvasPositions& positions)
{
    double width = static_cast<double>(shelf.size() - 1) * kRackGap;
    for (const Block* block : shelf)
        width += widthOf(*block);
    for (std::size_t tier = band.low; tier <= band.high; ++tier) {
        double left = -width / 2;
        std::optional<double> top;
        for (const Block* block : shelf) {
            const double centre = left + widthOf(*block) / 2;
            left += widthOf(*block) + kRackGap;
            if (!block->tiers[tier].empty())
                top = std::min(top.value_or(bottom), placeTier(*block, tier, centre, bottom, positions));
        }
        bottom = top ? *top - gap : bottom;
    }
    return bottom;
}

/// Many racks stand on several shelves, together about twice as wide as high.
std::vector<Shelf> shelvesOf(const Band& band, double gap)
{
    double width = 0, height = 0;
    for (const Block& block : band.blocks) {
        double stack = 0;
        for (std::size_t tier = band.low; tier <= band.high; ++tier) {
            if (const auto rows = static_cast<double>(gridOf(block, tier).rows); rows > 0)
                stack += rows * cardHeight(tier) + (rows - 1) * kRowGap + gap;
        }
        height = std::max(height, stack);
        width += widthOf(block) + kRackGap;
    }
    const auto count = static_cast<double>(band.blocks.size());
    const double wanted = std::ceil(std::sqrt(2 * count * height / (width / count)));
    const std::size_t perShelf = std::max(kLeastPerRow, static_cast<std::size_t>(wanted));
    std::vector<Shelf> shelves;
    for (std::size_t i = 0; i < band.blocks.size(); ++i) {
        if (i % perShelf == 0)
            shelves.emplace_back();
        shelves.back().push_back(&band.blocks[i]);
    }
    return shelves;
}

/// The wider the cluster, the higher: links that run far sideways need room to rise.
double tierGap(const std::vector<Band>& bands)
{
    std::size_t widest = 1;
    for (const Band& band : bands) {
        for (std::size_t tier = band.low; tier <= band.high; ++tier) {
            const std::size_t columns = std::accumulate(
                band.blocks.begin(), band.blocks.end(), std::size_t{0}, [tier](std::size_t sum, const Block& block) {
                    const std::size_t count = block.tiers[tier].size();
                    return sum + std::min(count, rowLength(count, block.perRow));
                });
            widest = std::max(widest, columns);
        }
    }
    const double wanted = 0.14 * static_cast<double>(widest) * kColumnPitch;
    return std::round(std::clamp(wanted, kTierGap, kMostTierGap) / kCanvasGrid) * kCanvasGrid;
}

} // namespace

plan::CanvasPositions autoLayout(const cluster::Cluster& cluster)
{
    std::vector<Band> bands = bandsOf(blocksOf(cluster));
    sortBands(bands, neighbours(cluster));
    const double gap = tierGap(bands);
    plan::CanvasPositions positions;
    double bottom = 0;
    for (const Band& band : bands) {
        if (band.blocks.empty())
            continue;
        const std::vector<Shelf> shelves = shelvesOf(band, gap); // read from the top, as lines are
        for (auto shelf = shelves.rbegin(); shelf != shelves.rend(); ++shelf)
            bottom = placeShelf(*shelf, band, bottom, gap, positions);
    }
    return positions;
}

} // namespace stratoplan::widgets

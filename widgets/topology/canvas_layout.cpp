// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

constexpr double kColumnPitch = 224;
constexpr double kTierGap = 136; ///< at least, between the cards of two tiers
constexpr double kMostTierGap = 400;
constexpr double kRowGap = 48;
constexpr double kClearance = 16;
constexpr std::size_t kNodesPerRow = 8;

/// Elements of one tier, left to right.
using Tier = std::vector<std::string>;
using Neighbours = std::unordered_map<std::string, std::vector<std::string>>;

Neighbours neighbours(const cluster::Cluster& cluster)
{
    Neighbours result;
    for (const cluster::Connection& c : cluster.connections) {
        result[c.from].push_back(c.to);
        result[c.to].push_back(c.from);
    }
    return result;
}

/// Sorts a tier by the mean place of its neighbours in the tier below (the barycentre heuristic of Sugiyama).
void sortByBarycentre(Tier& tier, const Tier& below, const Neighbours& links)
{
    std::unordered_map<std::string, double> place;
    for (std::size_t i = 0; i < below.size(); ++i)
        place[below[i]] = below.size() > 1 ? static_cast<double>(i) / static_cast<double>(below.size() - 1) : 0.5;
    std::unordered_map<std::string, double> centre;
    for (std::size_t i = 0; i < tier.size(); ++i) {
        double sum = 0;
        int n = 0;
        if (const auto it = links.find(tier[i]); it != links.end()) {
            for (const std::string& other : it->second) {
                if (const auto p = place.find(other); p != place.end()) {
                    sum += p->second;
                    ++n;
                }
            }
        }
        const double evenly = tier.size() > 1 ? static_cast<double>(i) / static_cast<double>(tier.size() - 1) : 0.5;
        centre[tier[i]] = n > 0 ? sum / n : evenly;
    }
    std::stable_sort(
        tier.begin(), tier.end(), [&centre](const auto& a, const auto& b) { return centre[a] < centre[b]; });
}

/// Elements per row: a handful side by side, many in a block about twice as wide as high.
std::size_t rowLength(std::size_t count)
{
    if (count <= kNodesPerRow)
        return std::max<std::size_t>(count, 1);
    return std::max(kNodesPerRow, static_cast<std::size_t>(std::ceil(std::sqrt(1.6 * static_cast<double>(count)))));
}

/// Sets a tier as rows centred on x = 0 whose lowest row ends at `bottom`; returns its upper edge. Neighbours in the
/// order stand below one another, so that what shares a switch shares a block of columns.
double placeTier(const Tier& tier, double height, double bottom, plan::CanvasPositions& positions)
{
    const std::size_t rows = (tier.size() + rowLength(tier.size()) - 1) / rowLength(tier.size());
    const std::size_t columns = (tier.size() + rows - 1) / rows;
    for (std::size_t i = 0; i < tier.size(); ++i) {
        const std::size_t row = i % rows;
        const double x = (static_cast<double>(i / rows) - static_cast<double>(columns - 1) / 2) * kColumnPitch;
        const double y = bottom - height / 2 - static_cast<double>(rows - 1 - row) * (height + kRowGap);
        positions[tier[i]] = snapped({x, y});
    }
    return bottom - static_cast<double>(rows) * height - static_cast<double>(rows - 1) * kRowGap;
}

struct Card {
    plan::CanvasPosition centre;
    CanvasSize size;
};

bool collide(const Card& a, const Card& b)
{
    return std::abs(a.centre.x - b.centre.x) < (a.size.width + b.size.width) / 2 + kClearance
        && std::abs(a.centre.y - b.centre.y) < (a.size.height + b.size.height) / 2 + kClearance;
}

std::vector<Card> cards(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    std::vector<Card> result;
    result.reserve(positions.size());
    const auto add = [&](const auto& groups, ElementKind kind) {
        for (const auto& g : groups) {
            if (const auto it = positions.find(g.id); it != positions.end())
                result.push_back({it->second, cardSize(kind)});
        }
    };
    add(cluster.nodes, ElementKind::Nodes);
    add(cluster.switches, ElementKind::Switches);
    return result;
}

bool isFree(const std::vector<Card>& taken, const Card& card)
{
    return std::none_of(taken.begin(), taken.end(), [&card](const Card& other) { return collide(card, other); });
}

plan::CanvasPosition freePlaceAmong(const std::vector<Card>& taken, ElementKind kind, plan::CanvasPosition wish)
{
    Card card{snapped(wish), cardSize(kind)};
    if (isFree(taken, card))
        return card.centre;
    // Square rings around the wish, the nearest place of the first ring that has one.
    const double stepX = card.size.width + 2 * kClearance + kCanvasGrid;
    const double stepY = card.size.height + 2 * kClearance + kCanvasGrid;
    for (int ring = 1; ring < 1000; ++ring) {
        std::optional<plan::CanvasPosition> best;
        double bestDistance = 0;
        for (int j = -ring; j <= ring; ++j) {
            const bool edge = std::abs(j) == ring;
            for (int i = -ring; i <= ring; i += edge ? 1 : 2 * ring) {
                const Card trial{snapped({wish.x + i * stepX, wish.y + j * stepY}), card.size};
                const double distance = std::hypot(trial.centre.x - wish.x, trial.centre.y - wish.y);
                if (isFree(taken, trial) && (!best || distance < bestDistance)) {
                    best = trial.centre;
                    bestDistance = distance;
                }
            }
        }
        if (best)
            return *best;
    }
    return card.centre;
}

} // namespace

CanvasSize cardSize(ElementKind kind)
{
    return kind == ElementKind::Switches ? CanvasSize{kSwitchCardWidth, kSwitchCardHeight}
                                         : CanvasSize{kNodeCardWidth, kNodeCardHeight};
}

plan::CanvasPosition snapped(plan::CanvasPosition position)
{
    // Adding zero turns a negative zero into a plain one, so that equal places compare and print equal.
    return {std::round(position.x / kCanvasGrid) * kCanvasGrid + 0.0,
        std::round(position.y / kCanvasGrid) * kCanvasGrid + 0.0};
}

plan::CanvasPositions autoLayout(const cluster::Cluster& cluster)
{
    std::array<Tier, 4> tiers;
    for (const cluster::NodeGroup& g : cluster.nodes)
        tiers[0].push_back(g.id);
    for (const cluster::SwitchGroup& s : cluster.switches)
        tiers[1 + static_cast<std::size_t>(s.tier)].push_back(s.id);
    const Neighbours links = neighbours(cluster);
    for (std::size_t tier = 1; tier < tiers.size(); ++tier)
        sortByBarycentre(tiers[tier], tiers[tier - 1], links);
    // The wider the cluster, the higher: links that run far sideways need room to rise.
    std::size_t widest = 1;
    for (const Tier& tier : tiers)
        widest = std::max(widest, std::min(tier.size(), rowLength(tier.size())));
    const double gap =
        std::round(std::clamp(0.14 * static_cast<double>(widest) * kColumnPitch, kTierGap, kMostTierGap) / kCanvasGrid)
        * kCanvasGrid;
    plan::CanvasPositions positions;
    double bottom = 0;
    for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
        if (!tiers[tier].empty())
            bottom = placeTier(tiers[tier], tier == 0 ? kNodeCardHeight : kSwitchCardHeight, bottom, positions) - gap;
    }
    return positions;
}

plan::CanvasPositions completed(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    plan::CanvasPositions result;
    std::vector<std::string> missing;
    for (const std::string& id : elementIds(cluster)) {
        if (const auto it = positions.find(id); it != positions.end())
            result.insert(*it);
        else
            missing.push_back(id);
    }
    if (missing.empty())
        return result;
    const plan::CanvasPositions automatic = autoLayout(cluster);
    if (result.empty())
        return automatic;
    std::vector<Card> taken = cards(cluster, result);
    for (const std::string& id : missing) {
        const ElementKind kind = elementKind(cluster, id);
        const plan::CanvasPosition place = freePlaceAmong(taken, kind, automatic.at(id));
        result[id] = place;
        taken.push_back({place, cardSize(kind)});
    }
    return result;
}

plan::CanvasPosition freePlace(const cluster::Cluster& cluster, const plan::CanvasPositions& positions,
    ElementKind kind, plan::CanvasPosition wish)
{
    return freePlaceAmong(cards(cluster, positions), kind, wish);
}

AcceleratorGrid acceleratorGrid(int count, double width, double height)
{
    constexpr double kLargest = 16;
    constexpr double kGapShare = 0.25; // of a square's side
    AcceleratorGrid best;
    for (int rows = 1; rows <= count; ++rows) {
        const int columns = (count + rows - 1) / rows;
        const double side = std::min(
            {kLargest, width / (columns + kGapShare * (columns - 1)), height / (rows + kGapShare * (rows - 1))});
        // Ragged last rows look like missing accelerators: take them only if they make the squares clearly larger.
        const bool whole = columns * rows == count;
        const bool bestWhole = best.columns * best.rows == count;
        const double worth = side * (whole ? 1.25 : 1.0);
        const double bestWorth = best.side * (bestWhole ? 1.25 : 1.0);
        const bool balanced = worth == bestWorth && whole && columns >= rows * 2;
        if (worth > bestWorth || balanced)
            best = {columns, rows, side, side * kGapShare};
        if (columns < rows)
            break;
    }
    return best;
}

double connectionWidth(BytesPerSecond total)
{
    constexpr double kThin = 1.25;
    constexpr double kThick = 6;
    const double low = std::log10(25e9);
    const double high = std::log10(100e12);
    const double value = total.value() > 0 ? std::log10(total.value()) : low;
    return kThin + (kThick - kThin) * std::clamp((value - low) / (high - low), 0.0, 1.0);
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_layout.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kClearance = 16;

std::vector<QRectF> cards(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    std::vector<QRectF> result;
    result.reserve(positions.size());
    const auto add = [&](const auto& groups, ElementKind kind) {
        for (const auto& g : groups) {
            if (const auto it = positions.find(g.id); it != positions.end())
                result.push_back(cardRect(kind, it->second));
        }
    };
    add(cluster.nodes, ElementKind::Nodes);
    add(cluster.switches, ElementKind::Switches);
    return result;
}

bool isFree(const std::vector<QRectF>& taken, CanvasSize size, plan::CanvasPosition centre)
{
    const double width = size.width + 2 * kClearance, height = size.height + 2 * kClearance;
    const QRectF room(centre.x - width / 2, centre.y - height / 2, width, height);
    return std::none_of(taken.begin(), taken.end(), [&room](const QRectF& other) { return other.intersects(room); });
}

} // namespace

CanvasSize cardSize(ElementKind kind)
{
    return kind == ElementKind::Switches ? CanvasSize{kSwitchCardWidth, kSwitchCardHeight}
                                         : CanvasSize{kNodeCardWidth, kNodeCardHeight};
}

QRectF cardRect(ElementKind kind, plan::CanvasPosition centre)
{
    const CanvasSize size = cardSize(kind);
    return {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
}

plan::CanvasPosition snapped(plan::CanvasPosition position)
{
    // Adding zero turns a negative zero into a plain one, so that equal places compare and print equal.
    return {std::round(position.x / kCanvasGrid) * kCanvasGrid + 0.0,
        std::round(position.y / kCanvasGrid) * kCanvasGrid + 0.0};
}

plan::CanvasPosition freePlace(const std::vector<QRectF>& taken, CanvasSize size, plan::CanvasPosition wish)
{
    return freePlaceWhere(taken, size, wish, 1000, [](plan::CanvasPosition) { return true; }).value_or(snapped(wish));
}

std::optional<plan::CanvasPosition> freePlaceWhere(const std::vector<QRectF>& taken, CanvasSize size,
    plan::CanvasPosition wish, int rings, const std::function<bool(plan::CanvasPosition)>& suits)
{
    const plan::CanvasPosition centre = snapped(wish);
    if (isFree(taken, size, centre) && suits(centre))
        return centre;
    // Square rings around the wish, the nearest place of the first ring that has one.
    const double stepX = size.width + 2 * kClearance + kCanvasGrid;
    const double stepY = size.height + 2 * kClearance + kCanvasGrid;
    for (int ring = 1; ring <= rings; ++ring) {
        std::optional<plan::CanvasPosition> best;
        double bestDistance = 0;
        for (int j = -ring; j <= ring; ++j) {
            const bool edge = std::abs(j) == ring;
            for (int i = -ring; i <= ring; i += edge ? 1 : 2 * ring) {
                const plan::CanvasPosition trial = snapped({wish.x + i * stepX, wish.y + j * stepY});
                const double distance = std::hypot(trial.x - wish.x, trial.y - wish.y);
                if ((!best || distance < bestDistance) && isFree(taken, size, trial) && suits(trial)) {
                    best = trial;
                    bestDistance = distance;
                }
            }
        }
        if (best)
            return best;
    }
    return std::nullopt;
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
    std::vector<QRectF> taken = cards(cluster, result);
    for (const std::string& id : missing) {
        const ElementKind kind = elementKind(cluster, id);
        result[id] = freePlace(taken, cardSize(kind), automatic.at(id));
        taken.push_back(cardRect(kind, result[id]));
    }
    return result;
}

bool isAnother(const CanvasValue& shown, const CanvasValue& next)
{
    const bool isRenamed = shown.cluster.name != next.cluster.name;
    return std::ranges::none_of(shown.positions, [&](const auto& card) {
        const auto place = next.positions.find(card.first);
        return place != next.positions.end() && (!isRenamed || place->second == card.second);
    });
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

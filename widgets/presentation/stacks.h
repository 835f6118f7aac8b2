// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked bars of an estimate: the seconds of a step by cause, and the bytes of each stage by kind. Every segment
// carries what a person needs when pointing at it. Nothing that is not finite ever becomes a stack.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/presentation/tokens.h"

#include <QString>
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

/// Meaning is never carried by colour alone: exposed communication is hatched, one direction per axis; the bubble is
/// dotted.
enum class Pattern { Solid, HatchForward, HatchBackward, HatchVertical, HatchHorizontal, HatchCross, Dots };

struct Segment {
    Mark mark = Mark::Other;
    Pattern pattern = Pattern::Solid;
    double start = 0; ///< from the foot of the stack, base units
    double value = 0; ///< length, base units (seconds or bytes)
    QString name; ///< "exposed TP communication"
    QString explanation; ///< one or two sentences with their numbers
    bool inside = false; ///< a strip within the stack that adds nothing to its length (hidden communication)
};

struct Stack {
    QString label; ///< "Step", "stage 3", "stages 1–6"
    int firstStage = -1; ///< -1: the whole step
    int lastStage = -1;
    std::vector<Segment> segments;
    double total = 0; ///< length without the strips
    // Where the stacks are of several plans:
    double step = 0; ///< seconds, of its plan
    QString remark; ///< beside its end
};

struct LegendEntry {
    QString name;
    Mark mark = Mark::Other;
    Pattern pattern = Pattern::Solid;
    /// Ground: the pattern in the mark's colour on the ground of an empty lane.
    enum class Shape { Box, Line, Dot, Cross, Ring, Ground } shape = Shape::Box;
    bool operator==(const LegendEntry&) const = default;
};

struct BreakdownView {
    std::vector<Stack> stacks; ///< the step first, then the stages from 0
    std::vector<LegendEntry> legend; ///< only what occurs
    Seconds step{};
    Seconds sum{}; ///< of the parts of the whole step, added up here
    bool compares = false; ///< the stacks are the steps of several plans, of which `step` is the longest
    bool adds = false; ///< sum equals the step to 1e-9 of it
    QString check; ///< "parts sum to 9.84 s ✓"
    QString note; ///< "" or which stages are shown of how many
    [[nodiscard]] double longest() const ///< seconds
    {
        double longest = step.value();
        for (const Stack& stack : stacks)
            longest = std::max(longest, stack.total);
        return longest;
    }
};

/// Nothing if the step is not positive or any part is not finite. With more than `maxRows` stages, neighbours whose
/// parts differ by less than 0.5 % of the step share a row; if that is not enough, the first, the last and the
/// busiest remain.
[[nodiscard]] std::optional<BreakdownView> breakdownView(const estimate::Estimate& estimate, int maxRows = 16);

struct MemoryView {
    std::vector<Stack> stacks; ///< one per stage, bytes
    std::vector<LegendEntry> legend;
    std::vector<Bytes> capacities; ///< by stage
    Bytes capacity{}; ///< of the stage that fills most of its own
    Bytes peak{}; ///< there
    int peakStage = 0;
    bool fits = true;
    double largest = 0; ///< the highest of capacities and peaks, bytes
    bool compares = false; ///< the stacks are the fullest stages of several plans
    [[nodiscard]] bool areCapacitiesAlike() const
    {
        return std::adjacent_find(capacities.begin(), capacities.end(), std::not_equal_to()) == capacities.end();
    }
};

/// `index` moved by `step` within `count` positions.
[[nodiscard]] std::size_t stepped(std::size_t index, int step, std::size_t count);

[[nodiscard]] std::optional<MemoryView> memoryView(const estimate::Estimate& estimate);

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// What the verdict says, as text: figures of an estimate, and how they differ from a pinned baseline. No widgets.
#pragma once

#include "core/capacity/capacity.h"

#include <QString>
#include <QStringList>
#include <array>
#include <optional>

namespace stratoplan::widgets {

enum class VerdictFigure { StepTime, Throughput, Mfu, PerAccelerator, Memory, Run, Cost };
inline constexpr std::array kVerdictFigures{VerdictFigure::StepTime, VerdictFigure::Throughput, VerdictFigure::Mfu,
    VerdictFigure::PerAccelerator, VerdictFigure::Memory, VerdictFigure::Run, VerdictFigure::Cost};

/// An estimate with what follows from it for the whole run.
struct VerdictState {
    estimate::Estimate estimate;
    std::optional<capacity::Capacity> capacity;
    bool operator==(const VerdictState&) const = default;
};

struct VerdictText {
    QString title;
    QString value; ///< "9.84"; "–" if there is none
    QString unit; ///< "s"
    QString note; ///< beside the value, muted, dropped first: "9.64–10.2"
    QString delta; ///< "▼ −0.610 s"; empty without a baseline
    enum class Tone { Neutral, Good, Bad } tone = Tone::Neutral;
    QStringList details; ///< below, muted, dropped from the end where there is no room: "HFU 51.9 %"
    bool alarm = false; ///< the value itself is bad: over the memory
    std::optional<double> filled; ///< share of a bar, may exceed one
    [[nodiscard]] QString sentence() const; ///< all of it, for assistive technology and the tooltip
    bool operator==(const VerdictText&) const = default;
};

[[nodiscard]] VerdictText verdictText(VerdictFigure figure, const VerdictState& state,
    const plan::CapacityInputs& inputs, const std::optional<VerdictState>& baseline, const QString& baselineName);
/// The same place when nothing can be said: the title stays, the value is "–".
[[nodiscard]] VerdictText unpricedText(VerdictFigure figure);

} // namespace stratoplan::widgets

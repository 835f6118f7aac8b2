// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys mean to every chart.
#pragma once

#include <Qt>
#include <optional>

namespace stratoplan::widgets {

inline constexpr QKeyCombination kCopyImageKeys = Qt::CTRL | Qt::ALT | Qt::Key_C;
inline constexpr QKeyCombination kExportKeys = Qt::CTRL | Qt::ALT | Qt::Key_E;

enum class ChartCommand { ZoomIn, ZoomOut, PanLeft, PanRight, PanUp, PanDown, Fit };

[[nodiscard]] inline std::optional<ChartCommand> chartCommandOf(int key, Qt::KeyboardModifiers modifiers)
{
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return ChartCommand::ZoomIn;
    case Qt::Key_Minus:
        return ChartCommand::ZoomOut;
    case Qt::Key_Left:
        return ChartCommand::PanLeft;
    case Qt::Key_Right:
        return ChartCommand::PanRight;
    case Qt::Key_Up:
        return ChartCommand::PanUp;
    case Qt::Key_Down:
        return ChartCommand::PanDown;
    case Qt::Key_F:
    case Qt::Key_Home:
        if (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)
            return ChartCommand::Fit;
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace stratoplan::widgets

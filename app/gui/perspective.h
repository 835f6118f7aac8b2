// SPDX-License-Identifier: GPL-3.0-or-later
// The four arrangements of the window.
#pragma once

namespace stratoplan {

enum class Perspective {
    Build,   ///< assemble the cluster on the canvas
    Explore, ///< inputs beside the charts
    Compare, ///< pinned plans side by side
    Present, ///< full screen, nothing to edit
};

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
// The arrangements of the window.
#pragma once

namespace stratoplan::session {

enum class Perspective {
    Build, ///< assemble the cluster on the canvas
    Explore, ///< inputs beside the charts
    Search, ///< the strategies of a search, as a picture and as rows
    Studies, ///< what a sweep found
    Compare, ///< pinned plans side by side
    Calibrate, ///< measured runs against estimates, constants fitted to them
    Partition, ///< how tensor-parallel ranks divide a layer
    Present, ///< slides in full screen
};

} // namespace stratoplan::session

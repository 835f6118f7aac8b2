// SPDX-License-Identifier: GPL-3.0-or-later
// What the command palette finds beside the menus: elements of the cluster, pinned plans, models and clusters to plan
// with.
#pragma once

#include "app/session/perspective.h"
#include "widgets/shell/command_palette.h"

#include <functional>
#include <vector>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::gui {

class CentralView;

/// The commands keep references to their arguments: run them while those live.
[[nodiscard]] std::vector<widgets::Command> planCommands(
    session::Workspace& workspace, CentralView& view, const std::function<void(session::Perspective)>& setPerspective);

} // namespace stratoplan::gui

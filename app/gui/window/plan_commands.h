// SPDX-License-Identifier: GPL-3.0-or-later
// What acts on the plan: the actions of the menus, and what the command palette finds beside them (elements of the
// cluster, pinned plans, models and clusters to plan with).
#pragma once

#include "app/session/perspective.h"
#include "widgets/shell/command_palette.h"

#include <functional>
#include <vector>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::gui {

class Actions;
class CentralView;
class MixBinding;
class SizingBinding;

/// What the actions that edit, compare and search do, and when there is something for them to do. `commit` takes what
/// is typed but not entered yet, and is false where that is wrong. Keeps references to its arguments.
void connectPlanActions(Actions& actions, session::Workspace& workspace, CentralView& view, MixBinding& mixes,
    SizingBinding& sizing, const std::function<bool()>& commit,
    const std::function<void(session::Perspective)>& setPerspective);

/// The commands keep references to their arguments: run them while those live.
[[nodiscard]] std::vector<widgets::Command> planCommands(
    session::Workspace& workspace, CentralView& view, const std::function<void(session::Perspective)>& setPerspective);

} // namespace stratoplan::gui

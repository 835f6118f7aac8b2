// SPDX-License-Identifier: GPL-3.0-or-later
// One edit of a project as a value: the parts it replaces. Whole parts are small (a few kilobytes), so an undo
// command keeps the part before and after instead of a difference.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"

#include <QFlags>

#include <optional>
#include <string>
#include <vector>

namespace stratoplan::session {

enum class ProjectPart : unsigned {
    Plan = 1,
    Canvas = 2,
    Capacity = 4,
    Pinned = 8,
    Notes = 16,
    Search = 32,
    Slides = 64
};
Q_DECLARE_FLAGS(ProjectParts, ProjectPart)
Q_DECLARE_OPERATORS_FOR_FLAGS(ProjectParts)

struct ProjectChange {
    std::optional<plan::Plan> plan;
    std::optional<plan::CanvasPositions> canvas;
    std::optional<plan::CapacityInputs> capacity;
    std::optional<plan::SearchSettings> search;
    std::optional<std::vector<plan::PinnedPlan>> pinned;
    std::optional<std::vector<plan::SavedSlide>> slides;
    std::optional<std::string> notes;
    bool operator==(const ProjectChange&) const = default;
};

[[nodiscard]] ProjectParts parts(const ProjectChange& change);
/// The change that `change` would undo: the same parts as they stand in `project`.
[[nodiscard]] ProjectChange inverse(const ProjectChange& change, const plan::Project& project);
/// Without the parts that already stand in `project` as the change wants them.
[[nodiscard]] ProjectChange effective(ProjectChange change, const plan::Project& project);
/// A name that the catalogue gives a cluster says which accelerators it has, and how many: a cluster that gets others
/// by the change, and no name, has none.
[[nodiscard]] ProjectChange withoutOldName(
    ProjectChange change, const plan::Project& project, const catalog::Catalog& catalog);
void applyTo(plan::Project& project, const ProjectChange& change);

} // namespace stratoplan::session

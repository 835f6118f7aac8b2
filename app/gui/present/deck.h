// SPDX-License-Identifier: GPL-3.0-or-later
// The slides of a presentation, in order: those that every one has, then those that a person saved.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <vector>

namespace stratoplan::gui {

struct DeckSlide {
    QString title;
    plan::SlideView view = plan::SlideView::Decision;
    int saved = -1; ///< which of the project's slides; -1: none, it shows the plan as it stands
    bool operator==(const DeckSlide&) const = default;
};
using Deck = std::vector<DeckSlide>;

[[nodiscard]] Deck deckOf(const std::vector<plan::SavedSlide>& saved);
/// What a key means among so many slides, when one of them is shown: another one, or -1 where it means none. Nothing
/// comes before the first or after the last.
[[nodiscard]] int slideOfKey(int key, int current, int count);

} // namespace stratoplan::gui

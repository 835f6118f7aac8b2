// SPDX-License-Identifier: Apache-2.0
// What a slide of a presentation shows of a plan.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace stratoplan::plan {

enum class SlideView {
    Decision, ///< step, days, date, money, energy, accelerators, memory
    Cluster, ///< its picture
    Alternatives, ///< against the pinned plans
    Time, ///< where the step goes
    Memory, ///< against capacity
    Pipeline,
    Risks,
    Evidence, ///< what the numbers were checked against
    Overview, ///< step, memory and pipeline at once
};
/// In the order of a presentation.
inline constexpr std::array kSlideViews{SlideView::Decision, SlideView::Cluster, SlideView::Alternatives,
    SlideView::Time, SlideView::Memory, SlideView::Pipeline, SlideView::Risks, SlideView::Evidence,
    SlideView::Overview};
[[nodiscard]] std::string_view key(SlideView view); // "decision", "cluster", …
[[nodiscard]] std::optional<SlideView> slideViewFromKey(std::string_view key);

} // namespace stratoplan::plan

// SPDX-License-Identifier: Apache-2.0
// Why a space holds no strategy at all.
#pragma once

#include "core/catalog/framework_rules.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"
#include "core/plan/search_space.h"
#include "core/space/schedules.h"

#include <optional>
#include <vector>

namespace stratoplan::space {

/// What is wrong with the values that a space has for a part of it.
enum class EmptyCode {
    Restricted, ///< they leave nothing together with others that the space restricts
    NothingFits, ///< no strategy of the rest of the space goes with them
    Problem, ///< each breaks a rule whatever else a strategy has: `problem`
    Objection, ///< the target framework runs none of them: `objection`
    FrameworkRule, ///< a rule of the target framework takes out what the others leave: `framework`, `rule`
    NoClosedForm, ///< of any of the schedules
    Unasked, ///< the space leaves them out unless it asks for them
    NoneIdle, ///< the space uses all accelerators, and does not allow their number
};

struct EmptyReason {
    plan::SpacePart part{};
    plan::Dimension dimension{}; ///< of SpacePart::Dimension
    EmptyCode code{};
    std::optional<plan::Problem> problem{};
    std::optional<catalog::FrameworkObjection> objection{};
    plan::TargetFramework framework = plan::TargetFramework::Any;
    catalog::FrameworkRule rule{};
    int accelerators = 0; ///< of the cluster
};

/// The parts whose values leave nothing: each one that by itself, were it free, would let some strategy in, with the
/// rule that its values break; or, where no single one would, all that the space restricts. Empty: the space holds
/// strategies. Precondition: check() and notEstimable() find no error in the plan, but for its strategy.
[[nodiscard]] std::vector<EmptyReason> whyEmpty(
    const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules);

} // namespace stratoplan::space

// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about the size of a run: what it takes, what it costs, and where a price is from.
#pragma once

#include "app/session/sizing_worker.h"

#include <QString>

namespace stratoplan::gui {

/// What an accelerator-hour of a kind costs where nobody types a price.
struct UsualPrice {
    QString text; ///< "6.88, list price"
    QString source; ///< a sentence, with its date
};
/// `nodes`: of the catalogue; empty: the plan's own.
[[nodiscard]] UsualPrice usualPrice(
    const plan::Project& project, const catalog::Catalog& catalog, const std::string& nodes);

/// "62.3 d"
[[nodiscard]] QString daysText(double days);
/// The day on which a run is done; empty where no start is stated.
[[nodiscard]] QString doneText(const plan::CapacityInputs& inputs, double days);

/// How long the plan as it is takes, and what it costs. Null: not known yet.
[[nodiscard]] QString planRunText(
    const plan::Plan& plan, const estimate::Estimate* estimate, const plan::CapacityInputs& inputs);

/// What so much money pays for on the plan as it is.
struct PaidTokens {
    QString text;
    double tokens = 0; ///< 0: none, or unknown
};
[[nodiscard]] PaidTokens paidTokens(
    double money, const plan::Plan& plan, const estimate::Estimate* estimate, const plan::CapacityInputs& inputs);

/// Where the look stands, or what came of it.
[[nodiscard]] QString sizingStatus(const session::SizingPicture& picture);
/// Why a kind has no answer.
[[nodiscard]] QString whyNoAnswer(const session::SizedKind& kind);

} // namespace stratoplan::gui

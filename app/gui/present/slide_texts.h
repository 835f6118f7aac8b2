// SPDX-License-Identifier: GPL-3.0-or-later
// What slides say, as texts.
#pragma once

#include "app/gui/present/slide_state.h"
#include "core/plan/problem.h"

#include <QString>

#include <vector>

namespace stratoplan::gui {

enum class SlideTone { Neutral, Good, Warn, Bad };

/// A number of the decision, with what it means.
struct SlideFigure {
    QString title; ///< "Days"
    QString value; ///< "92.1 days"; "–" if there is none
    QString note; ///< "80 % range 88.0–97.0 days"
    SlideTone tone = SlideTone::Neutral;
};

/// A line of a list, with the severity it is marked by.
struct SlideItem {
    std::optional<plan::Severity> severity; ///< none: good
    QString head;
    QString text;
};

/// "371 days"; below one as a time of its own: "7.20 h"
[[nodiscard]] QString dayCountText(double days);
/// Of a whole: "12.0 %", "< 0.1 %"
[[nodiscard]] QString partText(double share);
/// "9.64–10.2 s"; empty where both ends read alike.
[[nodiscard]] QString betweenText(const QString& low, const QString& high);
/// "2 Mar 2027"
[[nodiscard]] QString dateText(std::chrono::sys_days day);
/// The day a run is done on, where its first day is stated: "2 Mar 2027".
[[nodiscard]] QString doneDayText(const plan::CapacityInputs& inputs, double days);

[[nodiscard]] QString titleOf(plan::SlideView view);
/// The plan in one sentence. Precondition: it has an estimate.
[[nodiscard]] QString decisionSentence(const SlideState& state);
/// What is missing to decide, and how to give it; empty where nothing is.
[[nodiscard]] QString budgetHint(const SlideState& state);
[[nodiscard]] std::vector<SlideFigure> decisionFigures(const SlideState& state);
/// "64 × DGX H100: 8 × H100 SXM 80 GB, NVLink 4, 450 GB/s each way; 8 × InfiniBand NDR 400 Gb/s."
[[nodiscard]] QString clusterSentence(const cluster::Cluster& cluster);
[[nodiscard]] std::vector<SlideItem> riskItems(const SlideState& state);
[[nodiscard]] std::vector<SlideItem> evidenceItems(const SlideState& state);
/// Why there is no estimate. Precondition: there is none.
[[nodiscard]] std::vector<SlideItem> faultItems(const SlideState& state);
/// All that a slide says, for assistive technology.
[[nodiscard]] QString spokenText(plan::SlideView view, const SlideState& state);

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// What slides look like that are painted: the decision, the alternatives, step, memory, and lists.
#pragma once

#include "app/gui/present/slide_painter.h"

namespace stratoplan::gui {

/// The sentence and its figures. Precondition of all but lists: the state has an estimate.
void paintDecision(const SlidePainter& slide, const QRectF& place, const SlideState& state);
/// The plan and what it is compared with, a row each; how to get some where there are none.
void paintAlternatives(const SlidePainter& slide, const QRectF& place, const SlideState& state);
/// The parts of the step, each where the ones before it end.
void paintTime(const SlidePainter& slide, const QRectF& place, const estimate::Estimate& estimate);
/// A column for each stage under the line of what there is.
void paintMemory(const SlidePainter& slide, const QRectF& place, const estimate::Estimate& estimate);
/// Smaller where there are many; at worst the last ones are counted only.
void paintItems(const SlidePainter& slide, const QRectF& place, const std::vector<SlideItem>& items);
/// In the middle: "Estimating…"
void paintNotice(const SlidePainter& slide, const QRectF& place, const QString& text);

} // namespace stratoplan::gui

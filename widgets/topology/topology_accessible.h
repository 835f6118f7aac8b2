// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas for assistive technology: its elements and links as items of a list, each with a sentence, a place, and
// whether it is selected. (A graphics view on its own only shows an empty viewport.)
#pragma once

class QString;

namespace stratoplan::widgets {

class TopologyView;

/// Makes Qt ask for the interface of canvases here. May be called any number of times.
void installTopologyAccessibility();

/// Tells assistive technology that the keyboard is at this element or link now.
void announceCurrent(TopologyView& view, const QString& key);

} // namespace stratoplan::widgets

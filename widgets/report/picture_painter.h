// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a picture of a report: the shapes that its SVG has.
#pragma once

#include "core/report/picture.h"

#include <QPainter>

namespace stratoplan::widgets {

/// In the painter's units, from its origin on, kPictureWidth wide.
void paintPicture(QPainter& painter, const report::Picture& picture);

} // namespace stratoplan::widgets

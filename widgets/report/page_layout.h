// SPDX-License-Identifier: GPL-3.0-or-later
// A report laid out on pages of A4, in points: what belongs together stays together, tables go on with their headings.
#pragma once

#include "core/report/report.h"

#include <stop_token>

class QPainter;
class QPdfWriter;

namespace stratoplan::widgets {

/// Draws all pages, and returns how many there are; without a painter it only counts. `pages`: how many there will be.
int layOut(
    const report::Report& report, QPainter* painter, QPdfWriter* writer, int pages, const std::stop_token& stop = {});

} // namespace stratoplan::widgets

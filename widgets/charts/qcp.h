// SPDX-License-Identifier: GPL-3.0-or-later
// The only way to QCustomPlot, for .cpp files only (it costs seconds to parse). It is written with Qt's keywords,
// which the program does without, so they exist while it is read.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach

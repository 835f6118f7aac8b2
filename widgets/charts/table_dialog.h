// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/presentation/table.h"

class QDialog;
class QWidget;

namespace stratoplan::widgets {

/// A window, not modal, that shows the table and copies it; deletes itself when closed.
QDialog* showTableDialog(const QString& title, const ChartTable& table, QWidget* parent);

} // namespace stratoplan::widgets

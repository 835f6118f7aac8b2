// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a PDF on A4: charts as vectors, fonts embedded, a heading and a number on every page.
#pragma once

#include "core/report/report.h"

#include <QByteArray>

#include <functional>
#include <stop_token>

namespace stratoplan::widgets {

/// The content of the file; empty where it was asked to stop. On any thread of a program that has a QGuiApplication.
[[nodiscard]] QByteArray reportPdf(const report::Report& report, const std::stop_token& stop = {});

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/report/report_command.h"

#include "app/gui/report/report_file.h"

#include <cstdio>
#include <unistd.h>

namespace stratoplan::gui {

namespace {

constexpr int kBadInput = 2, kStopped = 3;

void complainOfReport(const std::string& text)
{
    std::fprintf(stderr, "stratoplan: %s\n", text.c_str());
}

} // namespace

int runReportCommand(const QString& plan, const QString& file)
{
    const std::string name = plan == QStringLiteral("-") ? "standard input" : plan.toStdString();
    const auto text = plan == QStringLiteral("-") ? exchange::readDescriptor(STDIN_FILENO, name)
                                                  : exchange::readFile(std::filesystem::path(plan.toStdU16String()));
    if (!text) {
        complainOfReport(describe(text.error()));
        return kBadInput;
    }
    const auto document = exchange::parseDocument(*text, catalog::shippedCatalog(), name);
    if (!document) {
        for (const exchange::DocumentError& error : document.error())
            complainOfReport(describe(error));
        return kBadInput;
    }
    const ReportOutcome outcome = writeReport(*document, std::filesystem::path(file.toStdU16String()));
    if (outcome.end == ReportEnd::Written)
        return 0;
    complainOfReport(outcome.why.toStdString());
    return outcome.end == ReportEnd::Stopped ? kStopped : kBadInput;
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: Apache-2.0
// How far estimates are from what was measured: worked out from the cases that ship when the report is made.
#include "core/report/figures.h"
#include "core/report/sections.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

namespace stratoplan::report {
namespace {

using validation::ErrorStatistics;

Cell meanCell(const ErrorStatistics& errors)
{
    return errors.n > 0 ? shareCell(errors.meanAbs) : textCell("–");
}

void addRow(Table& table, const std::string& name, const validation::ReportPart& part, bool isStrong)
{
    const ErrorStatistics& fit = part.fit;
    const ErrorStatistics& stranger = part.withoutSource;
    table.rows.push_back({{textCell(name), wholeCell(fit.n), meanCell(stranger),
                              stranger.n > 0 ? shareCell(stranger.p90Abs) : textCell("–"), meanCell(fit),
                              part.leftOut.withinRange ? shareCell(*part.leftOut.withinRange) : textCell("–")},
        isStrong});
}

Table errorTable(const validation::ValidationReport& report, validation::ReportPart validation::SourceReport::*part,
    const char* title)
{
    Table table{title, "Validation",
        {"Source", "Cases", "Mean error, source left out", "Nine in ten within", "Mean error, as shipped",
            "In the 80 % range"},
        {}, {0.3, 0.1, 0.16, 0.14, 0.15, 0.15}};
    for (const validation::SourceReport& source : report.sources)
        if ((source.*part).fit.n > 0)
            addRow(table, source.source, source.*part, false);
    addRow(table, "All cases", report.all.*part, true);
    return table;
}

} // namespace

std::string evidenceSentence(const validation::ValidationReport& report)
{
    const ErrorStatistics& stranger = report.all.time.withoutSource;
    if (stranger.n == 0)
        return {};
    return filled("Evidence: on {cases measured case|measured cases} step times are off by {error} on average where "
                  "nothing of their publisher was used to fit constants.",
        {{"cases", numberWord(stranger.n)}, {"error", {formatShare(stranger.meanAbs)}}});
}

Section evidenceSection(const Facts& facts)
{
    const validation::ValidationReport& report = facts.validation;
    Section section{"evidence", "How far to trust the numbers", {}, true};
    if (report.all.time.fit.n == 0)
        return section;
    const ErrorStatistics& held = report.all.time.leftOut;
    section.blocks.emplace_back(Paragraph{
        filled("{estimated} of {total} measured cases that ship with the program were estimated for this report. An "
               "error is "
               "estimated over measured, less one. Each case is estimated with constants that were fitted without "
               "anything "
               "of its publisher: then the mean error of {sources source|sources}, each counting once, is {mean}; over "
               "all "
               "cases it is {all}, and nine in ten cases are within {ninety}.",
            {{"estimated", numberWord(report.estimated)}, {"total", numberWord(report.total)},
                {"sources", numberWord(report.time.sources)}, {"mean", {formatShare(report.time.withoutSource)}},
                {"all", {formatShare(report.all.time.withoutSource.meanAbs)}},
                {"ninety", {formatShare(report.all.time.withoutSource.p90Abs)}}}),
        false});
    if (held.withinRange)
        section.blocks.emplace_back(Paragraph{
            filled("{share} of the cases lie in the 80 % range of their estimate, which their own model shape had no "
                   "part in.",
                {{"share", {formatShare(*held.withinRange)}}}),
            false});
    section.blocks.emplace_back(
        Figure{evidencePicture(report), "Mean absolute error of step times, source left out.", {}});
    section.blocks.emplace_back(errorTable(report, &validation::SourceReport::time, "Step time"));
    if (report.all.memory.fit.n > 0)
        section.blocks.emplace_back(errorTable(report, &validation::SourceReport::memory, "Peak memory"));
    return section;
}

} // namespace stratoplan::report

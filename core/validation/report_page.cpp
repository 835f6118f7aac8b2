// SPDX-License-Identifier: Apache-2.0
#include "core/validation/report_page.h"

#include "core/units/format.h"
#include "core/units/text.h"

#include <cmath>

namespace stratoplan::validation {
namespace {

std::string signedShare(double share)
{
    const std::string size = formatShare(std::abs(share));
    return (share < 0 ? "−" : "+") + size;
}

/// A row of a Markdown table.
std::string row(std::initializer_list<std::string> cells)
{
    std::string text = "|";
    for (const std::string& cell : cells)
        text += ' ' + cell + " |";
    return text + '\n';
}

std::string errorCells(const std::string& source, const ReportPart& part, bool ranged)
{
    const ErrorStatistics& fit = part.fit;
    const ErrorStatistics& out = part.leftOut;
    const auto cell = [](const ErrorStatistics& s, const std::string& text) {
        return s.n > 0 ? text : std::string("–");
    };
    std::string text = row({source, groupedDigits(fit.n), formatShare(fit.meanAbs), formatShare(fit.medianAbs),
        signedShare(fit.bias), formatShare(fit.p90Abs), signedShare(fit.worst), cell(out, groupedDigits(out.n)),
        cell(out, formatShare(out.meanAbs)), cell(out, formatShare(out.medianAbs)), cell(out, signedShare(out.bias)),
        cell(out, formatShare(out.p90Abs)), cell(out, signedShare(out.worst))});
    if (ranged)
        text.insert(text.size() - 1, ' ' + cell(out, formatShare(out.withinRange)) + " |");
    return text;
}

std::string errorTable(const ValidationReport& report, ReportPart SourceReport::*part, bool ranged)
{
    std::string text = "| source | cases | mean | median | bias | 90th pct | worst | left out | mean | median | bias | "
                       "90th pct | worst |";
    text += ranged ? " in range |\n" : "\n";
    text += "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";
    text += ranged ? " --: |\n" : "\n";
    for (const SourceReport& source : report.sources)
        if ((source.*part).fit.n > 0)
            text += errorCells(source.source, source.*part, ranged);
    return text + errorCells("**all**", report.all.*part, ranged);
}

std::string rankingTable(const ValidationReport& report)
{
    std::string text =
        "| source | groups | rank correlation | regret | first choice within 2 % |\n| --- | --: | --: | --: | --: |\n";
    const auto add = [&](const std::string& name, const RankingStatistics& s) {
        if (s.groups > 0)
            text += row({name, groupedDigits(s.groups), fixedDecimals(s.spearmanMean, 3), formatShare(s.regretMean),
                formatShare(s.within2Percent)});
    };
    for (const SourceReport& source : report.sources)
        add(source.source, source.ranking);
    add("**all**", report.all.ranking);
    return text;
}

std::string amount(const WorstCase& worst, double value)
{
    return worst.memory ? format(Bytes(value * kGiB)) : format(Seconds(value));
}

std::string worstTable(const std::vector<WorstCase>& cases)
{
    if (cases.empty())
        return "No case is more than 5 % off.\n";
    std::string text =
        "| case | measured | estimated | error | left out | likely reason |\n| --- | --: | --: | --: | --: | --- |\n";
    for (const WorstCase& one : cases)
        text += row({'`' + one.point.id + '`', amount(one, one.point.measured), amount(one, one.point.estimated),
            signedShare(one.point.error()), one.leftOut ? signedShare(*one.leftOut) : std::string("–"),
            one.reason.empty() ? std::string("not known") : one.reason});
    return text;
}

std::string introduction(const ValidationReport& report)
{
    return "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n# Validation\n\n"
           "This page is made by the program from the measured cases that ship; do not edit it:\n\n"
           "    stratoplan-cli validate --page resources/docs/VALIDATION.md\n\n"
        + groupedDigits(report.estimated) + " of " + groupedDigits(report.total)
        + " measured cases are estimated. An error is estimated / measured − 1. The first numbers of a table are of "
          "the constants as they\n"
          "ship, which were fitted to these very cases; *left out* are the same cases, each estimated with constants "
          "that were fitted\n"
          "without all cases of its model shape. *In range* is the share of the cases left out that lie in the 80 % "
          "range of their\n"
          "estimate, which comes from other model shapes alone. Cases of stacks without a profile of their own are "
          "fitted to nothing and\n"
          "have no numbers left out. What is done with the numbers: [MODEL.md](MODEL.md#the-range-coreestimate).\n\n";
}

} // namespace

ReportPage reportPage(const ValidationReport& report, const std::string& folder)
{
    ReportPage page;
    std::string& text = page.markdown;
    text = introduction(report) + "## Step time\n\n" + errorTable(report, &SourceReport::time, true);
    if (report.all.memory.fit.n > 0)
        text += "\n## Peak memory\n\n" + errorTable(report, &SourceReport::memory, false);
    if (report.all.ranking.groups > 0)
        text += "\n## Ranking of strategies measured side by side\n\nGroups of at least five strategies of one model, "
                "machine and batch. Regret:"
                " how much slower our first choice was than\nthe measured best, mean.\n\n"
            + rankingTable(report);
    text += "\n## The worst cases\n\n" + worstTable(report.all.worst);
    const auto picture = [&](const std::string& source, const char* what, const std::string& name,
                             const std::vector<ReportPoint>& points, const char* unit) {
        if (points.empty())
            return;
        const std::string title =
            source + ", " + what + ", " + groupedDigits(std::ssize(points)) + (points.size() == 1 ? " case" : " cases");
        page.pictures.push_back({name + ".svg", scatterSvg(title, points, unit)});
        text += "![" + title + "](" + folder + '/' + name + ".svg)\n";
    };
    for (const SourceReport& source : report.sources) {
        text += "\n## " + source.source + "\n\n";
        picture(source.source, "step time", source.source, source.time.points, "s");
        picture(source.source, "peak memory", source.source + "-memory", source.memory.points, "GiB");
        text += '\n' + worstTable(source.worst);
    }
    return page;
}

} // namespace stratoplan::validation

// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/validation_page.h"

#include "core/reporting/scatter_chart.h"
#include "core/reporting/signed_share.h"
#include "core/reporting/worst_cases.h"
#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

namespace stratoplan::reporting {
namespace {

using validation::ErrorStatistics;
using validation::RankingStatistics;
using validation::ReportPart;
using validation::SourceReport;
using validation::ValidationReport;
using validation::WorstCase;

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
    const ErrorStatistics& stranger = part.withoutSource;
    const auto cell = [](const ErrorStatistics& s, const std::string& text) {
        return s.n > 0 ? text : std::string("–");
    };
    std::string text = row({source, groupedDigits(fit.n), cell(stranger, formatShare(stranger.meanAbs)),
        cell(stranger, signedShare(stranger.bias)), cell(stranger, formatShare(stranger.p90Abs)),
        cell(part.leftOut, formatShare(part.leftOut.meanAbs)), formatShare(fit.meanAbs), formatShare(fit.medianAbs),
        signedShare(fit.bias), formatShare(fit.p90Abs), signedShare(fit.worst)});
    if (ranged)
        text.insert(
            text.size() - 1, ' ' + (part.leftOut.withinRange ? formatShare(*part.leftOut.withinRange) : "–") + " |");
    return text;
}

std::string errorTable(const ValidationReport& report, ReportPart SourceReport::*part,
    const validation::MeansOfSources& means, bool ranged)
{
    std::string text =
        "| source | cases | source left out: mean | bias | 90th pct | shape left out: mean | fitted: mean | "
        "median | bias | 90th pct | worst |";
    text += ranged ? " in range |\n" : "\n";
    text += "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";
    text += ranged ? " --: |\n" : "\n";
    for (const SourceReport& source : report.sources)
        if ((source.*part).fit.n > 0)
            text += errorCells(source.source, source.*part, ranged);
    text += errorCells("**all cases**", report.all.*part, ranged);
    if (means.sources == 0)
        return text;
    std::string mean = row(
        {"**mean of " + groupedDigits(means.sources) + " sources**", "", "**" + formatShare(means.withoutSource) + "**",
            "", "", formatShare(means.withoutShape), formatShare(means.fit), "", "", "", ""});
    if (ranged)
        mean.insert(mean.size() - 1, "  |");
    return text + mean;
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
    for (const WorstCase& worstCase : cases) {
        const std::string reason = likelyReason(worstCase);
        text += row({'`' + worstCase.point.id + '`', amount(worstCase, worstCase.point.measured),
            amount(worstCase, worstCase.point.estimated), signedShare(worstCase.point.error()),
            worstCase.leftOut ? signedShare(*worstCase.leftOut) : std::string("–"),
            reason.empty() ? std::string("not known") : reason});
    }
    return text;
}

constexpr std::string_view kIntroduction =
    "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n# Validation\n\n"
    "This page is made by the program from the measured cases that ship; do not edit it:\n\n"
    "    stratoplan-cli validate --page resources/docs/VALIDATION.md\n\n"
    "{estimated} of {total} measured cases are estimated. An error is estimated / measured − 1. *Source left out* is "
    "what a "
    "stranger\n"
    "gets: each case estimated with constants that were fitted without all that its publisher measured, or those of "
    "documents where\n"
    "no other publisher ran the like (all tables of a publisher are left out together). *Shape left out*: without all "
    "cases of its model shape. *Fitted*: with the "
    "constants as they ship.\n"
    "*In range* is the share of the cases that lie in the 80 % range of their estimate, which comes from other model "
    "shapes alone. What\n"
    "is fitted, and why so little: [MODEL.md](MODEL.md#what-is-fitted).\n\n";

constexpr std::string_view kRanking =
    "\n## Ranking of strategies measured side by side\n\nGroups of at least five strategies of one model, machine and "
    "batch. Regret: how much slower our first choice was than\nthe measured best, mean.\n\n";

} // namespace

ReportPage reportPage(const ValidationReport& report, const std::string& folder)
{
    ReportPage page;
    std::string& text = page.markdown;
    text = filled(kIntroduction,
               {{"estimated", {groupedDigits(report.estimated)}}, {"total", {groupedDigits(report.total)}}})
        + "## Step time\n\n" + errorTable(report, &SourceReport::time, report.time, true);
    if (report.all.memory.fit.n > 0)
        text += "\n## Peak memory\n\n" + errorTable(report, &SourceReport::memory, report.memory, false);
    if (report.all.ranking.groups > 0)
        text += std::string(kRanking) + rankingTable(report);
    text += "\n## The worst cases\n\n" + worstTable(report.all.worst);
    const auto picture = [&](const std::string& source, const char* pattern, const std::string& name,
                             const std::vector<validation::ReportPoint>& points, const char* unit) {
        if (points.empty())
            return;
        const std::string title = filled(pattern, {{"source", {source}}, {"count", numberWord(double(points.size()))}});
        page.pictures.push_back({name + ".svg", scatterSvg(title, points, unit)});
        text += "![" + title + "](" + folder + '/' + name + ".svg)\n";
    };
    for (const SourceReport& source : report.sources) {
        text += "\n## " + source.source + "\n\n";
        picture(source.source, "{source}, step time, {count case|cases}", source.source, source.time.points, "s");
        picture(source.source, "{source}, peak memory, {count case|cases}", source.source + "-memory",
            source.memory.points, "GiB");
        text += '\n' + worstTable(source.worst);
    }
    return page;
}

} // namespace stratoplan::reporting

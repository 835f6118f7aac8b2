// SPDX-License-Identifier: Apache-2.0
#include "core/report/compose.h"

#include "core/report/sections.h"
#include "core/report/wording.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <array>

namespace stratoplan::report {

Report compose(const Facts& facts)
{
    const plan::Plan& plan = facts.chosen.plan;
    Report report;
    report.title = plan.name.empty() ? plan.model.name : plan.name;
    report.subtitle = filled("{model}, on {accelerators}",
        {{"model", {modelText(plan)}}, {"accelerators", {countedAccelerators(acceleratorCount(plan.cluster))}}});
    report.origin = "Stratoplan " + facts.version;
    for (const auto section : {decisionSection, alternativesSection, stepSection, memorySection, pipelineSection,
             frontSection, runSection, risksSection, assumptionsSection, evidenceSection})
        report.sections.push_back(section(facts));
    std::erase_if(report.sections, [](const Section& section) { return section.blocks.empty(); });
    report.sections.push_back({"appendix", "Appendix: the plan",
        {Paragraph{
             "This is the plan of the report as the program reads it. Saved as a file, it can be checked again by "
             "stratoplan-cli estimate, or opened in the window.",
             false},
            Code{facts.json}},
        true});
    return report;
}

std::optional<FileKind> kindOfFile(std::string_view file)
{
    std::string lower(file);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    constexpr std::array endings{std::pair{".html", FileKind::Html}, std::pair{".htm", FileKind::Html},
        std::pair{".pdf", FileKind::Pdf}, std::pair{".xlsx", FileKind::Xlsx}, std::pair{".csv", FileKind::Csv}};
    for (const auto& [ending, kind] : endings)
        if (lower.ends_with(ending))
            return kind;
    return std::nullopt;
}

} // namespace stratoplan::report

// SPDX-License-Identifier: Apache-2.0
#include "core/validation/reasons.h"

#include "core/catalog/embedded.h"
#include "core/estimate/evidence.h"
#include "core/plan/dimensions.h"
#include "core/units/csv.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stratoplan::validation {
namespace {

constexpr double kContradicted = 1.1; ///< ratio of two measurements of one configuration

/// What the two runs of one configuration share.
std::string configurationOf(const MeasuredCase& c)
{
    std::string text(estimate::acceleratorOf(c.plan));
    const estimate::RunTraits traits = estimate::traitsOf(c.plan);
    const model::Transformer& m = c.plan.model;
    const auto add = [&](long long value) { text += ' ' + std::to_string(value); };
    const parallel::Strategy strategy = plan::canonical(c.plan.strategy, m);
    for (const plan::Dimension id : plan::dimensionsOfFiles())
        add(number(id, strategy)); // of lists nothing
    for (const int extent : traits.extents)
        add(extent);
    for (const int value :
        {m.ffnHidden, m.kvHeads, m.headDim, m.vocabulary, m.moe ? m.moe->topK : 0, m.moe ? m.moe->expertFfn : 0,
            int(traits.precision), int(traits.flash), int(c.plan.training.fp32Gradients), c.plan.training.globalBatch})
        add(value);
    return text;
}

} // namespace

std::vector<KnownReason> readReasons(std::string_view text)
{
    std::vector<KnownReason> reasons;
    for (CsvRow& row : csvRows(text))
        if (row.cells.size() == 3 && row.cells[1].size() == 1)
            reasons.push_back({std::move(row.cells[0]), row.cells[1].front(), std::move(row.cells[2])});
    return reasons;
}

const std::vector<KnownReason>& shippedReasons()
{
    static const std::vector<KnownReason> reasons = [] {
        const auto files = catalog::embedded::validation();
        const auto file = std::find_if(files.begin(), files.end(),
            [](const catalog::EmbeddedFile& embedded) { return embedded.name == "reasons.csv"; });
        assert(file != files.end());
        return readReasons(file->content);
    }();
    return reasons;
}

bool matches(std::string_view id, std::string_view pattern)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return id == pattern;
    if (!id.starts_with(pattern.substr(0, star)))
        return false;
    id.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t i = 0; i <= id.size(); ++i)
        if (matches(id.substr(i), pattern))
            return true;
    return false;
}

std::string knownReason(std::string_view id, double error, const std::vector<KnownReason>& reasons)
{
    const char sign = error < 0 ? '-' : '+';
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const KnownReason& reason) {
        return (reason.sign == '*' || reason.sign == sign) && matches(id, reason.pattern);
    });
    return known == reasons.end() ? std::string() : known->text;
}

std::map<std::string, Contradiction> contradictions(const CaseSet& cases)
{
    std::map<std::string, std::vector<const MeasuredCase*>> alike;
    for (const MeasuredCase& c : cases.cases)
        if (c.stepSeconds && *c.stepSeconds > 0)
            alike[configurationOf(c)].push_back(&c);
    std::map<std::string, Contradiction> found;
    for (const auto& [configuration, members] : alike) {
        for (const MeasuredCase* member : members) {
            const auto distance = [&](const MeasuredCase* other) {
                return std::abs(std::log(*other->stepSeconds / *member->stepSeconds));
            };
            const MeasuredCase* farthest = *std::max_element(members.begin(), members.end(),
                [&](const MeasuredCase* a, const MeasuredCase* b) { return distance(a) < distance(b); });
            if (distance(farthest) > std::log(kContradicted))
                found[member->id] = {Seconds(*member->stepSeconds), Seconds(*farthest->stepSeconds), farthest->id};
        }
    }
    return found;
}

} // namespace stratoplan::validation

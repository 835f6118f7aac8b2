// SPDX-License-Identifier: GPL-3.0-or-later
// What the numbers of a slide were checked against, and where the constants behind them are from.
#include "app/gui/present/slide_texts.h"
#include "core/catalog/catalog.h"
#include "core/estimate/range.h"
#include "core/narration/estimates.h"
#include "core/validation/report.h"
#include "core/validation/statistics.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <cmath>
#include <map>
#include <set>

namespace stratoplan::gui {

namespace {

/// The profile whose measured cases are evidence for this plan: its own, or the one it started from.
QString softwareOf(const plan::SoftwareProfile& software, std::string& id)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    const bool isOwn = software.base.empty() || catalog.softwareProfile(software.id) != nullptr;
    id = isOwn ? software.id : software.base;
    const plan::SoftwareProfile* const known = catalog.softwareProfile(id);
    return widgets::text(known != nullptr ? known->name : software.name);
}

/// Measured cases of one stack, each estimated by constants that it had no part in.
struct StackEvidence {
    std::vector<validation::ErrorRow> rows;
    std::set<std::string> publishers;
    int onAccelerator = 0;
};

StackEvidence evidenceOf(std::string_view software, std::string_view accelerator, estimate::Measure measure)
{
    StackEvidence found;
    for (const estimate::EvidenceRow& row : estimate::shippedEvidenceRows()) {
        if (row.software != software || row.measure() != measure)
            continue;
        found.rows.push_back({row.id, std::exp(-row.residual) - 1, {}});
        found.publishers.insert(validation::publisherOf(row.group));
        found.onAccelerator += row.accelerator == accelerator;
    }
    return found;
}

SlideItem measuredItem(
    const plan::Plan& plan, const QString& software, const StackEvidence& found, estimate::Measure measure)
{
    const QString head = measure == estimate::Measure::StepTime ? widgets::tr("Step times, checked")
                                                                : widgets::tr("Peaks of memory, checked");
    if (found.rows.empty())
        return {plan::Severity::Warning, head,
            widgets::tr("No measured case runs %1: ranges are those between sources.").arg(software)};
    const validation::ErrorStatistics errors = validation::errorStatistics(found.rows);
    const QString accelerator = widgets::text(estimate::firstAccelerator(plan).name);
    const QString text =
        widgets::tr("%1 measured cases of %2 from %3 publishers, %4 of them on %5. Half were met "
                    "within %6, nine in ten within %7, each by constants fitted without its like.")
            .arg(widgets::groupedNumber(errors.n), software)
            .arg(found.publishers.size())
            .arg(found.onAccelerator > 0 ? widgets::groupedNumber(found.onAccelerator) : widgets::tr("none"),
                accelerator, widgets::shareText(errors.medianAbs), widgets::shareText(errors.p90Abs));
    return {found.onAccelerator > 0 ? std::nullopt : std::optional(plan::Severity::Warning), head, text};
}

SlideItem rangeItem(const estimate::Estimate& e)
{
    const QString range = betweenText(widgets::text(e.stepLow), widgets::text(e.stepHigh));
    if (range.isEmpty())
        return {plan::Severity::Note, widgets::tr("Range"), widgets::tr("The step has no range.")};
    return {std::nullopt, widgets::tr("Range"),
        widgets::tr(
            "The step is %1; eight of ten such runs would be measured at %2, by the errors on comparable cases.")
            .arg(widgets::text(e.step), range)};
}

SlideItem extrapolationItem(const estimate::Estimate& e)
{
    if (e.extrapolates.empty())
        return {std::nullopt, widgets::tr("Reach"), widgets::tr("Nothing of the plan leaves what was measured.")};
    QStringList texts;
    for (const std::string& text : narration::describe(e.extrapolates))
        texts << widgets::text(text);
    return {plan::Severity::Warning, widgets::tr("Outside what was measured"), texts.join(u' ')};
}

/// Where a source is long, its beginning says which it is.
QString sourceText(const std::string& source)
{
    QString whole = widgets::text(source).section(QStringLiteral(". "), 0, 0).section(QStringLiteral("; "), 0, 0);
    if (whole.endsWith(u'.'))
        whole.chop(1);
    return whole.isEmpty() ? widgets::tr("stated with the plan") : whole;
}

SlideItem constantsItem(const plan::Plan& plan)
{
    QStringList texts;
    std::set<std::string> named;
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        if (named.insert(group.accelerator.id).second)
            texts << widgets::tr("%1: %2.").arg(
                widgets::text(group.accelerator.name), sourceText(group.accelerator.source));
    texts << widgets::tr("%1: %2.").arg(
        widgets::text(plan.training.software.name), sourceText(plan.training.software.source));
    return {plan::Severity::Note, widgets::tr("Constants"), texts.join(u' ')};
}

/// What an input that nobody stated is called, and how its amount is written.
struct InputWords {
    const char* name;
    enum class Unit { Hours, Seconds, Bandwidth, Share, Factor, Carbon } unit;
};

QString amountOf(const InputWords& words, double value)
{
    switch (words.unit) {
    case InputWords::Unit::Hours:
        return widgets::tr("%1 h").arg(widgets::groupedNumber(qint64(std::llround(value))));
    case InputWords::Unit::Seconds:
        return widgets::text(Seconds(value));
    case InputWords::Unit::Bandwidth:
        return widgets::unitText(widgets::UnitKind::Bandwidth, value);
    case InputWords::Unit::Share:
        return widgets::unitText(widgets::UnitKind::Share, value);
    case InputWords::Unit::Factor:
        return widgets::unitText(widgets::UnitKind::Number, value);
    case InputWords::Unit::Carbon:
        return widgets::tr("%1 g of CO₂ a kWh").arg(widgets::unitText(widgets::UnitKind::Number, value));
    }
    return {};
}

QString assumptionText(const capacity::Assumption& assumed, const plan::CapacityInputs& inputs)
{
    using Unit = InputWords::Unit;
    static const std::map<std::string_view, InputWords> kWords{
        {"accelerator_mtbf_h", {"time between failures of an accelerator", Unit::Hours}},
        {"node_mtbf_h", {"of a node", Unit::Hours}}, {"nic_mtbf_h", {"of a NIC", Unit::Hours}},
        {"restart_s", {"restart", Unit::Seconds}}, {"repair_h", {"repair", Unit::Hours}},
        {"storage_bytes_per_s_of_node", {"storage per node", Unit::Bandwidth}},
        {"blocking_share", {"checkpoint time that stops training", Unit::Share}},
        {"power_share", {"power drawn of what is rated", Unit::Share}},
        {"power_over_boards", {"power of a node over its boards", Unit::Factor}},
        {"grid_g_per_kwh", {"grid", Unit::Carbon}}};
    if (assumed.input.starts_with("prices/"))
        return widgets::tr("price %1 per accelerator-hour (%2)")
            .arg(widgets::moneyText(assumed.value, inputs.currency), widgets::text(assumed.date));
    const auto words = kWords.find(assumed.input);
    return words == kWords.end() ? QString()
                                 : widgets::tr("%1 %2 (%3)")
                                       .arg(widgets::tr(words->second.name), amountOf(words->second, assumed.value),
                                           widgets::text(assumed.date));
}

SlideItem assumptionsItem(const SlideState& state)
{
    QStringList texts;
    for (const capacity::Assumption& assumed : capacity::assumptions(*state.plan, state.inputs))
        if (const QString text = assumptionText(assumed, state.inputs); !text.isEmpty())
            texts << text;
    if (texts.isEmpty())
        return {std::nullopt, widgets::tr("Assumed for the run"), widgets::tr("Nothing: every input is stated.")};
    texts.front()[0] = texts.front()[0].toUpper();
    return {plan::Severity::Note, widgets::tr("Assumed for the run, by the catalogue"),
        texts.join(QStringLiteral("; ")) + u'.'};
}

} // namespace

std::vector<SlideItem> evidenceItems(const SlideState& state)
{
    const plan::Plan& plan = *state.plan;
    const estimate::Estimate& e = *state.priced();
    std::string id;
    const QString software = softwareOf(plan.training.software, id);
    const std::string_view accelerator = estimate::acceleratorOf(plan);
    std::vector<SlideItem> items;
    for (const estimate::Measure measure : {estimate::Measure::StepTime, estimate::Measure::PeakMemory})
        items.push_back(measuredItem(plan, software, evidenceOf(id, accelerator, measure), measure));
    items.push_back(rangeItem(e));
    items.push_back(extrapolationItem(e));
    items.push_back(constantsItem(plan));
    items.push_back(assumptionsItem(state));
    return items;
}

} // namespace stratoplan::gui

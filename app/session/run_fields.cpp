// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_fields.h"

#include "core/catalog/run_defaults.h"
#include "core/cluster/cluster.h"
#include "core/units/format.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QStringList>

#include <optional>

namespace stratoplan::session {

namespace {

using plan::CapacityInputs;

class RunLines {
public:
    explicit RunLines(std::vector<PlanField>& fields)
        : m_fields(fields)
    {
    }

    void add(const QString& label, const QString& value, bool usual = false)
    {
        m_fields.push_back({PlanPart::Run, label, value, usual});
    }
    /// What is not stated is `otherwise`.
    template <class Value, class TextOf>
    void addStated(const QString& label, const std::optional<Value>& value, const QString& otherwise, TextOf textOf)
    {
        add(label, value ? textOf(*value) : otherwise, !value);
    }

private:
    std::vector<PlanField>& m_fields;
};

QString perHour(double price, const CapacityInputs& inputs)
{
    return widgets::tr("%1 %2/h").arg(widgets::text(formatNumber(price)), widgets::text(inputs.currency));
}

QString priceOf(const cluster::NodeGroup& group, const CapacityInputs& inputs)
{
    if (const auto known = inputs.prices.find(group.id); known != inputs.prices.end())
        return perHour(known->second, inputs);
    if (inputs.pricePerAcceleratorHour > 0)
        return perHour(inputs.pricePerAcceleratorHour, inputs);
    const catalog::ListPrice* listed = catalog::shippedRunDefaults().price(group.accelerator.id);
    return listed && listed->currency == inputs.currency
        ? widgets::tr("list price, %1").arg(perHour(listed->perHour, inputs))
        : widgets::tr("not known");
}

/// Of each kind of accelerators that take part.
QString pricesText(const cluster::Cluster& cluster, const CapacityInputs& inputs)
{
    if (inputs.purchase == plan::Purchase::Owned)
        return widgets::tr("%1 %2 each, over %3 years to %4")
            .arg(widgets::countText(inputs.owned.pricePerAccelerator), widgets::text(inputs.currency),
                widgets::text(formatNumber(inputs.owned.years)), widgets::shareText(inputs.owned.residualShare));
    QStringList texts;
    for (const cluster::NodeGroup& group : cluster.nodes)
        if (const QString price = priceOf(group, inputs); cluster::takesPart(group) && !texts.contains(price))
            texts << price;
    return texts.join(QStringLiteral(", "));
}

QString budgetText(const CapacityInputs& inputs)
{
    return inputs.tokens > 0      ? widgets::tr("%1 tokens").arg(widgets::countText(inputs.tokens))
        : inputs.steps > 0        ? widgets::tr("%1 steps").arg(widgets::countText(inputs.steps))
        : inputs.computeFlops > 0 ? widgets::text(Flops(inputs.computeFlops))
                                  : widgets::tr("not given");
}

QString purchaseText(const CapacityInputs& inputs)
{
    switch (inputs.purchase) {
    case plan::Purchase::OnDemand:
        return widgets::tr("on demand");
    case plan::Purchase::Reserved:
        return widgets::tr("reserved, %1 days at least").arg(widgets::text(formatNumber(inputs.termDays)));
    case plan::Purchase::Owned:
        break;
    }
    return widgets::tr("owned");
}

void addMoney(RunLines& lines, const plan::Plan& plan, const CapacityInputs& inputs)
{
    lines.add(widgets::tr("Token budget"), budgetText(inputs));
    lines.add(widgets::tr("Batch ramp"),
        inputs.ramp.start > 0
            ? widgets::tr("from %1 sequences by %2 over %3 tokens")
                  .arg(widgets::groupedNumber(inputs.ramp.start), widgets::groupedNumber(inputs.ramp.increment),
                      widgets::countText(inputs.ramp.tokens))
            : widgets::tr("none"),
        inputs.ramp.start == 0);
    lines.add(widgets::tr("Start"), inputs.start.empty() ? widgets::tr("not given") : widgets::text(inputs.start));
    lines.add(widgets::tr("Price"), pricesText(plan.cluster, inputs));
    lines.add(widgets::tr("Had"), purchaseText(inputs));
    lines.add(widgets::tr("Idle accelerators"), inputs.paysForIdle ? widgets::tr("paid") : widgets::tr("not paid"),
        inputs.paysForIdle);
    lines.add(widgets::tr("Own electricity"),
        widgets::tr("%1 %2/kWh")
            .arg(widgets::text(formatNumber(inputs.owned.electricityPerKwh)), widgets::text(inputs.currency)),
        inputs.purchase != plan::Purchase::Owned);
    lines.add(widgets::tr("Own operations"),
        widgets::tr("%1 a year").arg(widgets::shareText(inputs.owned.operationsShare)),
        inputs.purchase != plan::Purchase::Owned);
}

void addFailures(RunLines& lines, const CapacityInputs& inputs)
{
    const QString standard = widgets::tr("by the catalogue");
    const auto hours = [](double value) { return widgets::tr("%1 h").arg(widgets::countText(value)); };
    const auto seconds = [](double value) { return widgets::text(Seconds(value)); };
    const plan::Failures& f = inputs.failures;
    lines.add(widgets::tr("Goodput"),
        inputs.goodput > 0 ? widgets::shareText(inputs.goodput) : widgets::tr("worked out"), inputs.goodput <= 0);
    lines.addStated(widgets::tr("MTBF of an accelerator"), f.acceleratorMtbf, standard, hours);
    lines.addStated(widgets::tr("MTBF of a node"), f.nodeMtbf, standard, hours);
    lines.addStated(widgets::tr("MTBF of a NIC"), f.nicMtbf, standard, hours);
    lines.addStated(widgets::tr("Restart"), f.restart, standard, seconds);
    lines.addStated(widgets::tr("Repair"), f.repair, standard, hours);
    lines.addStated(widgets::tr("Spare nodes"), f.spareNodes, widgets::tr("always one"),
        [](int nodes) { return widgets::groupedNumber(nodes); });
    lines.addStated(widgets::tr("Storage"), inputs.checkpoints.bandwidth, standard,
        [](double bytes) { return widgets::text(format(BytesPerSecond(bytes))); });
    lines.addStated(widgets::tr("Checkpoint interval"), inputs.checkpoints.interval, widgets::tr("best"), seconds);
    lines.addStated(widgets::tr("Blocking share"), inputs.checkpoints.blockingShare, standard, widgets::shareText);
    lines.add(widgets::tr("Evaluation"), widgets::shareText(inputs.evaluationShare), inputs.evaluationShare == 0);
    lines.add(widgets::tr("Data stalls"), widgets::shareText(inputs.dataStallShare), inputs.dataStallShare == 0);
}

} // namespace

std::vector<PlanField> runFields(const plan::Plan& plan, const plan::CapacityInputs& inputs)
{
    std::vector<PlanField> fields;
    RunLines lines(fields);
    addMoney(lines, plan, inputs);
    addFailures(lines, inputs);
    lines.add(widgets::tr("PUE"), widgets::text(formatNumber(inputs.pue)));
    lines.addStated(
        widgets::tr("Power in training"), inputs.powerShare, widgets::tr("by the catalogue"), widgets::shareText);
    lines.addStated(widgets::tr("Carbon intensity"), inputs.gridIntensity,
        widgets::text(catalog::shippedRunDefaults().grids.front().name),
        [](double grams) { return widgets::tr("%1 g/kWh").arg(widgets::text(formatNumber(grams))); });
    return fields;
}

} // namespace stratoplan::session

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/run_section.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

namespace stratoplan::widgets {

using plan::CapacityInputs;
using plan::Purchase;

MoneySection::MoneySection(QWidget* parent)
    : RunSection(tr("Money"), parent)
{
    addPrice();
    addPurchase();
    addTerm();
    addOwnership();
    addOperation();
    whenShown([this] { refreshPrices(); });
    setCapacity({});
}

void MoneySection::addPrice()
{
    auto* price = new FieldRow(tr("Price"),
        tr("Price of one accelerator for one hour, or, of those that are bought, to buy it with its share of node and "
           "network; without one, the list price that the catalogue knows."));
    UnitField& amount = addAmount(*price, UnitKind::Number,
        {tr("Price per accelerator-hour"), tr("Set the price"),
            [](const CapacityInputs& c) {
                return c.purchase == Purchase::Owned ? c.owned.pricePerAccelerator : c.pricePerAcceleratorHour;
            },
            [](CapacityInputs& c, double value) {
                (c.purchase == Purchase::Owned ? c.owned.pricePerAccelerator : c.pricePerAcceleratorHour) = value;
            },
            1e9, tr("list price"), {}});
    whenShown([this, &amount] {
        const bool isOwned = inputs().purchase == Purchase::Owned;
        amount.setZeroText(isOwned ? tr("not given") : tr("list price"));
        amount.setSuffix((isOwned ? tr("%1 / GPU") : tr("%1 / GPU-h")).arg(text(inputs().currency)));
    });
    addWithDefault(price, tr("Restore the price"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.pricePerAcceleratorHour = standard.pricePerAcceleratorHour;
        c.owned.pricePerAccelerator = standard.owned.pricePerAccelerator;
    });
}

void MoneySection::addPurchase()
{
    auto* had = new FieldRow(tr("Had · idle"),
        tr("How accelerators are had, and whether those that the strategy leaves idle are paid for."));
    auto* purchase = new ChoiceField(had);
    purchase->addChoice(tr("on demand"), int(Purchase::OnDemand), tr("By the hour."));
    purchase->addChoice(tr("reserved"), int(Purchase::Reserved), tr("By the hour, for a term at least."));
    purchase->addChoice(tr("owned"), int(Purchase::Owned), tr("Bought, and written off over years."));
    had->add(purchase, tr("How accelerators are had"));
    connect(purchase, &ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Set how accelerators are had"), [&](CapacityInputs& c) { c.purchase = Purchase(key); });
    });
    auto* idle = new ChoiceField(had);
    idle->addChoice(tr("idle paid"), 1, tr("All accelerators of the cluster are paid for."));
    idle->addChoice(tr("idle not paid"), 0, tr("Only the nodes in use are."));
    had->add(idle, tr("Whether idle accelerators are paid for"));
    connect(idle, &ChoiceField::keyChosen, this,
        [this](int key) { edit(tr("Set what is paid for"), [&](CapacityInputs& c) { c.paysForIdle = key != 0; }); });
    whenShown([this, purchase, idle] {
        purchase->setKey(int(inputs().purchase));
        idle->setKey(inputs().paysForIdle ? 1 : 0);
    });
    addWithDefault(had, tr("Restore what is paid for"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.purchase = standard.purchase;
        c.paysForIdle = standard.paysForIdle;
    });
}

void MoneySection::addTerm()
{
    auto* term = new FieldRow(tr("Term"), tr("Days that reserved accelerators are paid for at least."));
    addAmount(*term, UnitKind::Number,
        {tr("Term"), tr("Set the term"), [](const CapacityInputs& c) { return c.termDays; },
            [](CapacityInputs& c, double value) { c.termDays = value; }, 36525, tr("none"), tr("days")});
    addWithDefault(term, tr("Restore the term"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.termDays = standard.termDays; });
    showWhere(term, [](const CapacityInputs& c) { return c.purchase == Purchase::Reserved; });
}

void MoneySection::addOwnership()
{
    auto* value = new FieldRow(tr("Written off"),
        tr("Years over which the price is written off, evenly, and the share of it that is left then."));
    UnitField& years = addAmount(*value, UnitKind::Number,
        {tr("Years to write off"), tr("Set the years to write off"),
            [](const CapacityInputs& c) { return c.owned.years; },
            [](CapacityInputs& c, double amount) { c.owned.years = amount; }, 100, {}, tr("years")});
    years.setRange(0.1, 100);
    addAmount(*value, UnitKind::Share,
        {tr("Residual value"), tr("Set the residual value"),
            [](const CapacityInputs& c) { return c.owned.residualShare; },
            [](CapacityInputs& c, double amount) { c.owned.residualShare = amount; }, 1, tr("nothing left"), {}});
    addWithDefault(value, tr("Restore how it is written off"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.owned.years = standard.owned.years;
        c.owned.residualShare = standard.owned.residualShare;
    });
    showWhere(value, [](const CapacityInputs& c) { return c.purchase == Purchase::Owned; });
}

void MoneySection::addOperation()
{
    auto* running = new FieldRow(tr("Running it"),
        tr("Price of a kilowatt-hour, and what people, space and repair cost in a year as a share of the price."));
    UnitField& electricity = addAmount(*running, UnitKind::Number,
        {tr("Price of electricity"), tr("Set the price of electricity"),
            [](const CapacityInputs& c) { return c.owned.electricityPerKwh; },
            [](CapacityInputs& c, double amount) { c.owned.electricityPerKwh = amount; }, 1e6, tr("not given"), {}});
    whenShown([this, &electricity] { electricity.setSuffix(tr("%1 / kWh").arg(text(inputs().currency))); });
    addAmount(*running, UnitKind::Share,
        {tr("Operation a year"), tr("Set the cost of operation"),
            [](const CapacityInputs& c) { return c.owned.operationsShare; },
            [](CapacityInputs& c, double amount) { c.owned.operationsShare = amount; }, 10, tr("none"), tr("a year")});
    addWithDefault(running, tr("Restore what running it costs"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.owned.electricityPerKwh = standard.owned.electricityPerKwh;
        c.owned.operationsShare = standard.owned.operationsShare;
    });
    showWhere(running, [](const CapacityInputs& c) { return c.purchase == Purchase::Owned; });
}

bool MoneySection::setPlan(const plan::Plan& plan)
{
    constexpr std::size_t kMostPriced = 16; // more kinds of nodes are priced in the file
    std::vector<std::string> groups;
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        groups.push_back(group.id);
    if (groups.size() < 2 || groups.size() > kMostPriced)
        groups.clear();
    if (groups == m_groups)
        return false;
    for (FieldRow* row : m_priceRows)
        delete row;
    m_priceRows.clear();
    m_groups = groups;
    for (const std::string& group : m_groups)
        m_priceRows.push_back(makePriceOfNodes(group));
    refreshPrices();
    return true;
}

FieldRow* MoneySection::makePriceOfNodes(const std::string& group)
{
    const QString name = text(group);
    auto* row = new FieldRow(tr("Price of %1").arg(name),
        tr("Price of one accelerator of these nodes for one hour; without one, that of all."));
    auto* field = new UnitField(UnitKind::Number, row);
    field->setZeroText(tr("as all"));
    field->setRange(0, 1e9);
    row->add(field, tr("Price per accelerator-hour of %1").arg(name));
    connect(field, &UnitField::valueChanged, this, [this, group](double value) {
        edit(tr("Set the price of nodes"), [&](CapacityInputs& c) {
            if (value > 0)
                c.prices[group] = value;
            else
                c.prices.erase(group);
        });
    });
    addWithDefault(row, tr("Restore the price of nodes"),
        [group](CapacityInputs& c, const CapacityInputs&) { c.prices.erase(group); });
    return row;
}

void MoneySection::refreshPrices()
{
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const auto price = inputs().prices.find(m_groups[i]);
        auto* field = m_priceRows[i]->findChild<UnitField*>();
        field->setValue(price != inputs().prices.end() ? price->second : 0);
        field->setSuffix(tr("%1 / GPU-h").arg(text(inputs().currency)));
        m_priceRows[i]->setVisible(inputs().purchase != Purchase::Owned);
    }
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_section.h"

#include "core/catalog/run_defaults.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/day_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

namespace stratoplan::widgets {

namespace {

using plan::CapacityInputs;

QString titleOfPart(RunSection::Part part)
{
    switch (part) {
    case RunSection::Part::Budget:
        return RunSection::tr("Run");
    case RunSection::Part::Failures:
        return RunSection::tr("Failures and checkpoints");
    case RunSection::Part::Power:
        return RunSection::tr("Power and carbon");
    }
    return {};
}

/// Reads and writes a member that may not be stated.
template <class Member>
auto stated(Member member)
{
    return std::pair(
        [member](
            const CapacityInputs& inputs) { return double(member(const_cast<CapacityInputs&>(inputs)).value_or(0)); },
        [member](CapacityInputs& inputs, double value) {
            auto& optional = member(inputs);
            using Value = typename std::remove_reference_t<decltype(optional)>::value_type;
            optional = value > 0 ? std::optional(Value(value)) : std::nullopt;
        });
}

/// "79.2 k, by the catalogue"
QString byCatalogue(UnitKind kind, catalog::RunConstant constant)
{
    return RunSection::tr("%1, by the catalogue").arg(unitText(kind, catalog::shippedRunDefaults().value(constant)));
}

QString sourceOf(catalog::RunConstant constant)
{
    const catalog::RunDefault& known = catalog::shippedRunDefaults().of(constant);
    return text(known.source + " (" + known.date + ").");
}

} // namespace

RunSection::RunSection(Part part, QWidget* parent)
    : Section(titleOfPart(part), parent)
{
    preset().hide();
    if (part == Part::Budget) {
        addBudget();
        addMoney();
    } else if (part == Part::Failures) {
        addFailures();
        addCheckpoints();
    } else {
        addPower();
    }
    if (part != Part::Budget)
        setCollapsed(true);
    setCapacity({});
}

void RunSection::addBudget()
{
    auto* tokens =
        new FieldRow(tr("Token budget"), tr("Tokens the whole training run shall see; days and cost follow from it."));
    addAmount(*tokens, UnitKind::Tokens,
        {tr("Token budget"), tr("Set the token budget"), [](const CapacityInputs& c) { return c.tokens; },
            [](CapacityInputs& c, double value) {
                c.tokens = value;
                c.steps = c.computeFlops = 0;
            },
            1e18, tr("not given"), tr("tokens")});
    addWithDefault(tokens, tr("Restore the token budget"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.tokens = standard.tokens; });
    auto* start = new FieldRow(tr("Start"), tr("First day of the run; the day on which it is done follows from it."));
    auto* day = new DayField(start);
    start->add(day, tr("First day of the run"));
    connect(day, &DayField::dayChanged, this, [this](const QString& value) {
        edit(tr("Set the start"), [&](CapacityInputs& c) { c.start = value.toStdString(); });
    });
    m_refreshes.emplace_back([this, day] { day->setDay(text(m_inputs.start)); });
    addWithDefault(start, tr("Restore the start"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.start = standard.start; });
    auto* shares = new FieldRow(tr("Goodput · stalls"),
        tr("Share of the time that advances the run in spite of failures, checkpoints and restarts, worked out if it "
           "is "
           "not stated, and the share that evaluation and data stalls take beside these."));
    addAmount(*shares, UnitKind::Share,
        {tr("Goodput"), tr("Set the goodput"), [](const CapacityInputs& c) { return c.goodput; },
            [](CapacityInputs& c, double value) { c.goodput = value; }, 1, tr("worked out"), {}});
    addAmount(*shares, UnitKind::Share,
        {tr("Stalls"), tr("Set the stalls"),
            [](const CapacityInputs& c) { return c.evaluationShare + c.dataStallShare; },
            [](CapacityInputs& c, double value) {
                c.dataStallShare = value;
                c.evaluationShare = 0;
            },
            0.99, tr("none"), {}});
    addWithDefault(shares, tr("Restore goodput and stalls"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.goodput = standard.goodput;
        c.evaluationShare = standard.evaluationShare;
        c.dataStallShare = standard.dataStallShare;
    });
}

void RunSection::addMoney()
{
    auto* price = new FieldRow(tr("Price"),
        tr("Price of one accelerator for one hour, or, of those that are bought, to buy it with its share of node and "
           "network; without one, the list price that the catalogue knows."));
    UnitField& amount = addAmount(*price, UnitKind::Number,
        {tr("Price per accelerator-hour"), tr("Set the price"),
            [](const CapacityInputs& c) {
                return c.purchase == plan::Purchase::Owned ? c.owned.pricePerAccelerator : c.pricePerAcceleratorHour;
            },
            [](CapacityInputs& c, double value) {
                (c.purchase == plan::Purchase::Owned ? c.owned.pricePerAccelerator : c.pricePerAcceleratorHour) = value;
            },
            1e9, tr("list price"), {}});
    m_refreshes.emplace_back([this, &amount] {
        const bool isOwned = m_inputs.purchase == plan::Purchase::Owned;
        amount.setZeroText(isOwned ? tr("not given") : tr("list price"));
        amount.setSuffix((isOwned ? tr("%1 / GPU") : tr("%1 / GPU-h")).arg(text(m_inputs.currency)));
    });
    addWithDefault(price, tr("Restore the price"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.pricePerAcceleratorHour = standard.pricePerAcceleratorHour;
        c.owned.pricePerAccelerator = standard.owned.pricePerAccelerator;
    });
    auto* had = new FieldRow(tr("Had · idle"),
        tr("How accelerators are had, and whether those that the strategy leaves idle are paid for."));
    auto* purchase = new ChoiceField(had);
    purchase->addChoice(tr("on demand"), int(plan::Purchase::OnDemand), tr("By the hour."));
    purchase->addChoice(tr("reserved"), int(plan::Purchase::Reserved), tr("By the hour, for a term at least."));
    purchase->addChoice(tr("owned"), int(plan::Purchase::Owned), tr("Bought, and written off over years."));
    had->add(purchase, tr("How accelerators are had"));
    connect(purchase, &ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Set how accelerators are had"), [&](CapacityInputs& c) { c.purchase = plan::Purchase(key); });
    });
    auto* idle = new ChoiceField(had);
    idle->addChoice(tr("idle paid"), 1, tr("All accelerators of the cluster are paid for."));
    idle->addChoice(tr("idle not paid"), 0, tr("Only the nodes in use are."));
    had->add(idle, tr("Whether idle accelerators are paid for"));
    connect(idle, &ChoiceField::keyChosen, this,
        [this](int key) { edit(tr("Set what is paid for"), [&](CapacityInputs& c) { c.paysForIdle = key != 0; }); });
    m_refreshes.emplace_back([this, purchase, idle] {
        purchase->setKey(int(m_inputs.purchase));
        idle->setKey(m_inputs.paysForIdle ? 1 : 0);
    });
    addWithDefault(had, tr("Restore what is paid for"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.purchase = standard.purchase;
        c.paysForIdle = standard.paysForIdle;
    });
}

void RunSection::addFailures()
{
    using catalog::RunConstant;
    const auto mtbf = [this](const QString& label, RunConstant constant, const QString& action, auto member) {
        auto* row = new FieldRow(
            label, tr("Mean hours between failures of one, each of which stops the run. ") + sourceOf(constant));
        const auto [get, set] = stated(member);
        addAmount(
            *row, UnitKind::Number, {label, action, get, set, 1e12, byCatalogue(UnitKind::Number, constant), tr("h")});
        addWithDefault(row, tr("Restore “%1”").arg(label),
            [member](CapacityInputs& c, const CapacityInputs&) { member(c).reset(); });
    };
    mtbf(
        tr("MTBF of a GPU"), RunConstant::AcceleratorMtbf, tr("Set the MTBF of an accelerator"),
        [](CapacityInputs & c) -> auto& { return c.failures.acceleratorMtbf; });
    mtbf(
        tr("MTBF of a node"), RunConstant::NodeMtbf, tr("Set the MTBF of a node"),
        [](CapacityInputs & c) -> auto& { return c.failures.nodeMtbf; });
    mtbf(
        tr("MTBF of a NIC"), RunConstant::NicMtbf, tr("Set the MTBF of a NIC"),
        [](CapacityInputs & c) -> auto& { return c.failures.nicMtbf; });
    auto* restart = new FieldRow(tr("Restart · spares"),
        tr("Time from a failure until training goes on, and spare nodes beside those of the run; where "
           "none is stated there always is one. ")
            + sourceOf(RunConstant::Restart));
    const auto restartMember = [](CapacityInputs & c) -> auto&
    {
        return c.failures.restart;
    };
    const auto [getRestart, setRestart] = stated(restartMember);
    addAmount(*restart, UnitKind::Time,
        {tr("Restart"), tr("Set the restart"), getRestart, setRestart, 1e7,
            byCatalogue(UnitKind::Time, RunConstant::Restart), {}});
    const auto spareMember = [](CapacityInputs & c) -> auto&
    {
        return c.failures.spareNodes;
    };
    const auto [getSpare, setSpare] = stated(spareMember);
    addAmount(*restart, UnitKind::Number,
        {tr("Spare nodes"), tr("Set the spare nodes"), getSpare, setSpare, 1e6, tr("always one"), {}});
    addWithDefault(restart, tr("Restore restart and spares"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.failures.restart = standard.failures.restart;
        c.failures.spareNodes = standard.failures.spareNodes;
    });
}

void RunSection::addCheckpoints()
{
    using catalog::RunConstant;
    auto* written = new FieldRow(tr("Storage · interval"),
        tr("What storage takes of all nodes together, and the training between two checkpoints, the best one where it "
           "is "
           "not stated. ")
            + sourceOf(RunConstant::StorageOfNode));
    const auto bandwidth = [](CapacityInputs & c) -> auto&
    {
        return c.checkpoints.bandwidth;
    };
    const auto [getBandwidth, setBandwidth] = stated(bandwidth);
    addAmount(*written, UnitKind::Bandwidth,
        {tr("Storage bandwidth"), tr("Set the storage bandwidth"), getBandwidth, setBandwidth, 1e18,
            tr("%1 a node")
                .arg(unitText(UnitKind::Bandwidth, catalog::shippedRunDefaults().value(RunConstant::StorageOfNode))),
            {}});
    const auto interval = [](CapacityInputs & c) -> auto&
    {
        return c.checkpoints.interval;
    };
    const auto [getInterval, setInterval] = stated(interval);
    addAmount(*written, UnitKind::Time,
        {tr("Checkpoint interval"), tr("Set the checkpoint interval"), getInterval, setInterval, 1e9, tr("best"), {}});
    addWithDefault(written, tr("Restore storage and interval"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.checkpoints.bandwidth = standard.checkpoints.bandwidth;
        c.checkpoints.interval = standard.checkpoints.interval;
    });
}

void RunSection::addPower()
{
    using catalog::RunConstant;
    auto* power = new FieldRow(tr("Power · PUE"),
        tr("Share of what nodes are rated at that training draws, and the power of the building over that of the "
           "machines. ")
            + sourceOf(RunConstant::PowerShare));
    const auto share = [](CapacityInputs & c) -> auto&
    {
        return c.powerShare;
    };
    const auto [getShare, setShare] = stated(share);
    addAmount(*power, UnitKind::Share,
        {tr("Power in training"), tr("Set the power in training"), getShare, setShare, 2,
            byCatalogue(UnitKind::Share, RunConstant::PowerShare), {}});
    UnitField& pue = addAmount(*power, UnitKind::Number,
        {tr("PUE"), tr("Set the PUE"), [](const CapacityInputs& c) { return c.pue; },
            [](CapacityInputs& c, double value) { c.pue = value; }, 10, {}, {}});
    pue.setRange(1, 10);
    addWithDefault(power, tr("Restore power and PUE"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.powerShare = standard.powerShare;
        c.pue = standard.pue;
    });
    const catalog::GridRegion& world = catalog::shippedRunDefaults().grids.front();
    auto* grid = new FieldRow(tr("Carbon"), tr("Grams of CO2 a kWh of the grid. %1").arg(text(world.source)));
    const auto intensity = [](CapacityInputs & c) -> auto&
    {
        return c.gridIntensity;
    };
    const auto [getIntensity, setIntensity] = stated(intensity);
    addAmount(*grid, UnitKind::Number,
        {tr("Carbon intensity"), tr("Set the carbon intensity"), getIntensity, setIntensity, 1e5,
            tr("%1 (%2)").arg(unitText(UnitKind::Number, world.intensity), text(world.name)), tr("g/kWh")});
    addWithDefault(grid, tr("Restore the carbon intensity"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.gridIntensity = standard.gridIntensity; });
}

UnitField& RunSection::addAmount(FieldRow& row, UnitKind kind, const Amount& amount)
{
    auto* field = new UnitField(kind, &row);
    field->setZeroText(amount.zeroText);
    field->setSuffix(amount.suffix);
    field->setRange(0, amount.most);
    row.add(field, amount.name);
    connect(field, &UnitField::valueChanged, this, [this, set = amount.set, action = amount.actionText](double value) {
        edit(action, [&](CapacityInputs& c) { set(c, value); });
    });
    m_refreshes.emplace_back([this, field, get = amount.get] { field->setValue(get(m_inputs)); });
    return *field;
}

void RunSection::addWithDefault(FieldRow* row, const QString& actionText,
    const std::function<void(CapacityInputs&, const CapacityInputs&)>& restore)
{
    addRow(row);
    connect(row, &FieldRow::defaultAsked, this,
        [this, actionText, restore] { edit(actionText, [&](CapacityInputs& c) { restore(c, {}); }); });
}

void RunSection::edit(const QString& actionText, const std::function<void(CapacityInputs&)>& change)
{
    CapacityInputs next = m_inputs;
    change(next);
    if (next == m_inputs)
        return;
    setCapacity(next);
    Q_EMIT capacityEdited(m_inputs, actionText);
}

void RunSection::setCapacity(const CapacityInputs& inputs)
{
    m_inputs = inputs;
    for (const std::function<void()>& refresh : m_refreshes)
        refresh();
}

} // namespace stratoplan::widgets

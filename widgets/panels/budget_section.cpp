// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/capacity/run_length.h"
#include "core/model/transformer.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/day_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/run_section.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

namespace stratoplan::widgets {

using plan::CapacityInputs;

BudgetSection::BudgetSection(QWidget* parent)
    : RunSection(tr("Run"), parent)
{
    addBudget();
    addOptimum();
    addStart();
    addShares();
    addRamp();
    setCapacity({});
}

BudgetSection::Budget BudgetSection::budget() const
{
    if (inputs().tokens > 0)
        return Budget::Tokens;
    if (inputs().steps > 0)
        return Budget::Steps;
    return inputs().computeFlops > 0 ? Budget::Flops : m_asked;
}

UnitField& BudgetSection::addBudgetField(
    FieldRow& row, UnitKind kind, const QString& name, double CapacityInputs::*member)
{
    const auto set = [member](CapacityInputs& c, double value) {
        c.tokens = c.steps = c.computeFlops = 0;
        c.*member = value;
    };
    return addAmount(row, kind,
        {name, tr("Set the budget"), [member](const CapacityInputs& c) { return c.*member; }, set, 1e30,
            tr("not given"), {}});
}

void BudgetSection::addBudget()
{
    auto* row = new FieldRow(tr("Budget"),
        tr("How long the whole training run is, as tokens, optimizer steps or model FLOPs; days and cost follow from "
           "it."));
    auto* kind = new ChoiceField(row);
    kind->addChoice(tr("tokens"), int(Budget::Tokens), tr("Tokens that the run shall see."));
    kind->addChoice(tr("steps"), int(Budget::Steps), tr("Optimizer steps of the batch of the plan."));
    kind->addChoice(tr("FLOPs"), int(Budget::Flops), tr("Model FLOPs, as MFU counts them."));
    m_budgets = {&addBudgetField(*row, UnitKind::Tokens, tr("Token budget"), &CapacityInputs::tokens),
        &addBudgetField(*row, UnitKind::Number, tr("Step budget"), &CapacityInputs::steps),
        &addBudgetField(*row, UnitKind::Number, tr("Compute budget"), &CapacityInputs::computeFlops)};
    row->add(kind, tr("How the budget is stated"), 0);
    const auto show = [this](Budget shown) {
        for (std::size_t i = 0; i < m_budgets.size(); ++i)
            m_budgets[i]->setVisible(i == std::size_t(shown));
    };
    whenShown([this, kind, show] {
        kind->setKey(int(budget()));
        show(budget());
    });
    // The budget that is stated stays until another one is: nothing is lost by looking.
    connect(kind, &ChoiceField::keyChosen, this, [this, show](int key) {
        m_asked = Budget(key);
        show(m_asked);
    });
    addWithDefault(row, tr("Restore the budget"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.tokens = standard.tokens;
        c.steps = standard.steps;
        c.computeFlops = standard.computeFlops;
    });
}

void BudgetSection::addOptimum()
{
    m_optimum = new InfoRow(tr("Compute-optimal"),
        tr("Tokens for which a model of so many parameters has the lowest loss for its compute: some 20 a parameter "
           "(Hoffmann et al., arXiv 2203.15556). Models that are to be used much are trained on many more."));
    addRow(m_optimum);
}

void BudgetSection::addStart()
{
    auto* start = new FieldRow(tr("Start"), tr("First day of the run; the day on which it is done follows from it."));
    auto* day = new DayField(start);
    start->add(day, tr("First day of the run"));
    connect(day, &DayField::dayChanged, this, [this](const QString& value) {
        edit(tr("Set the start"), [&](CapacityInputs& c) { c.start = value.toStdString(); });
    });
    whenShown([this, day] { day->setDay(text(inputs().start)); });
    addWithDefault(start, tr("Restore the start"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.start = standard.start; });
}

void BudgetSection::addShares()
{
    auto* goodput = new FieldRow(tr("Goodput"),
        tr("Share of the time that advances the run in spite of failures, checkpoints and restarts, worked out if it "
           "is not stated."));
    addAmount(*goodput, UnitKind::Share,
        {tr("Goodput"), tr("Set the goodput"), [](const CapacityInputs& c) { return c.goodput; },
            [](CapacityInputs& c, double value) { c.goodput = value; }, 1, tr("worked out"), {}});
    addWithDefault(goodput, tr("Restore the goodput"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.goodput = standard.goodput; });
    auto* stalls = new FieldRow(tr("Evaluation · data"),
        tr("Shares of the time without failures that evaluation takes, and waiting for data; of a stated goodput they "
           "are a part."));
    addAmount(*stalls, UnitKind::Share,
        {tr("Evaluation"), tr("Set the share of evaluation"), [](const CapacityInputs& c) { return c.evaluationShare; },
            [](CapacityInputs& c, double value) { c.evaluationShare = value; }, 0.49, tr("none"), {}});
    addAmount(*stalls, UnitKind::Share,
        {tr("Data stalls"), tr("Set the share of data stalls"),
            [](const CapacityInputs& c) { return c.dataStallShare; },
            [](CapacityInputs& c, double value) { c.dataStallShare = value; }, 0.49, tr("none"), {}});
    addWithDefault(stalls, tr("Restore the stalls"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.evaluationShare = standard.evaluationShare;
        c.dataStallShare = standard.dataStallShare;
    });
}

void BudgetSection::addRamp()
{
    auto* ramp = new FieldRow(tr("Batch ramp"),
        tr("Smaller batches at first, as Megatron-LM's --rampup-batch-size: sequences of the first one, and by how "
           "many each is larger than the one before."));
    addAmount(*ramp, UnitKind::Number,
        {tr("First batch"), tr("Set the first batch"), [](const CapacityInputs& c) { return double(c.ramp.start); },
            [](CapacityInputs& c, double value) { c.ramp.start = int(value); }, 1e9, tr("none"), {}});
    addAmount(*ramp, UnitKind::Number,
        {tr("Increment of the batch"), tr("Set the increment of the batch"),
            [](const CapacityInputs& c) { return double(c.ramp.increment); },
            [](CapacityInputs& c, double value) { c.ramp.increment = int(value); }, 1e9, tr("none"), tr("more")});
    addWithDefault(ramp, tr("Restore the batch ramp"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.ramp = standard.ramp; });
    auto* tokens = new FieldRow(tr("Ramp over"), tr("Tokens of all smaller batches together, each of as many."));
    addAmount(*tokens, UnitKind::Tokens,
        {tr("Tokens of the batch ramp"), tr("Set the tokens of the batch ramp"),
            [](const CapacityInputs& c) { return c.ramp.tokens; },
            [](CapacityInputs& c, double value) { c.ramp.tokens = value; }, 1e18, tr("not given"), tr("tokens")});
    addWithDefault(tokens, tr("Restore the tokens of the batch ramp"),
        [](CapacityInputs& c, const CapacityInputs& standard) { c.ramp.tokens = standard.ramp.tokens; });
    showWhere(tokens, [](const CapacityInputs& c) { return c.ramp.start > 0; });
}

bool BudgetSection::setPlan(const plan::Plan& plan)
{
    const double tokens = capacity::computeOptimalTokens(double(model::parameters(plan.model).active));
    m_optimum->setValue(tr("%1 tokens").arg(unitText(UnitKind::Tokens, tokens)));
    return false;
}

} // namespace stratoplan::widgets

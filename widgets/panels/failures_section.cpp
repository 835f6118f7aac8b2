// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/run_defaults.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/run_defaults_text.h"
#include "widgets/panels/run_section.h"
#include "widgets/panels/stated_input.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

namespace stratoplan::widgets {

namespace {

using catalog::RunConstant;
using plan::CapacityInputs;
using plan::Checkpoints;
using plan::Failures;

template <class Value>
StatedInput<Failures, Value> ofFailures(std::optional<Value> Failures::*member)
{
    return {&CapacityInputs::failures, member};
}

StatedInput<Checkpoints, double> ofCheckpoints(std::optional<double> Checkpoints::*member)
{
    return {&CapacityInputs::checkpoints, member};
}

} // namespace

FailuresSection::FailuresSection(QWidget* parent)
    : RunSection(tr("Failures and checkpoints"), parent)
{
    addFailures();
    addRestart();
    addSpares();
    addCheckpoints();
    addBlocking();
    setCollapsed(true);
    setCapacity({});
}

void FailuresSection::addFailures()
{
    const auto mtbf = [this](const QString& label, RunConstant constant, const QString& action,
                          std::optional<double> Failures::*member) {
        auto* row = new FieldRow(
            label, tr("Mean hours between failures of one, each of which stops the run. ") + sourceOf(constant));
        const auto input = ofFailures(member);
        addAmount(*row, UnitKind::Number,
            {label, action, input, input, 1e12, byCatalogue(UnitKind::Number, constant), tr("h")});
        addWithDefault(row, tr("Restore “%1”").arg(label),
            [member](CapacityInputs& c, const CapacityInputs&) { (c.failures.*member).reset(); });
    };
    mtbf(tr("MTBF of a GPU"), RunConstant::AcceleratorMtbf, tr("Set the MTBF of an accelerator"),
        &Failures::acceleratorMtbf);
    mtbf(tr("MTBF of a node"), RunConstant::NodeMtbf, tr("Set the MTBF of a node"), &Failures::nodeMtbf);
    mtbf(tr("MTBF of a NIC"), RunConstant::NicMtbf, tr("Set the MTBF of a NIC"), &Failures::nicMtbf);
}

void FailuresSection::addRestart()
{
    auto* row = new FieldRow(tr("Restart · repair"),
        tr("Time from a failure until training goes on, and hours until a node that failed is back, which count where "
           "spare nodes are stated. ")
            + sourceOf(RunConstant::Restart));
    const auto restart = ofFailures(&Failures::restart);
    addAmount(*row, UnitKind::Time,
        {tr("Restart"), tr("Set the restart"), restart, restart, 1e7, byCatalogue(UnitKind::Time, RunConstant::Restart),
            {}});
    const auto repair = ofFailures(&Failures::repair);
    addAmount(*row, UnitKind::Number,
        {tr("Repair"), tr("Set the repair"), repair, repair, 1e5, byCatalogue(UnitKind::Number, RunConstant::Repair),
            tr("h")});
    addWithDefault(row, tr("Restore restart and repair"), [](CapacityInputs& c, const CapacityInputs&) {
        c.failures.restart.reset();
        c.failures.repair.reset();
    });
}

void FailuresSection::addSpares()
{
    auto* row = new FieldRow(tr("Spare nodes"),
        tr("Nodes beside those of the run, that take the place of failed ones; where they are stated they are paid "
           "for, and a failure that finds none waits for a repair."));
    auto* known = new ChoiceField(row);
    known->addChoice(tr("always one"), 0, tr("A failed node is always replaced at once."));
    known->addChoice(tr("as many as"), 1, tr("So many are kept ready."));
    row->add(known, tr("Whether spare nodes are stated"));
    auto* count = new UnitField(UnitKind::Number, row);
    count->setRange(0, 1e6);
    row->add(count, tr("Spare nodes"));
    const auto set = [this](std::optional<int> spares) {
        edit(tr("Set the spare nodes"), [&](CapacityInputs& c) { c.failures.spareNodes = spares; });
    };
    connect(known, &ChoiceField::keyChosen, this, [set](int key) { set(key == 0 ? std::nullopt : std::optional(0)); });
    connect(count, &UnitField::valueChanged, this, [set](double value) { set(int(value)); });
    whenShown([this, known, count] {
        known->setKey(inputs().failures.spareNodes ? 1 : 0);
        count->setVisible(inputs().failures.spareNodes.has_value());
        count->setValue(inputs().failures.spareNodes.value_or(0));
    });
    addWithDefault(row, tr("Restore the spare nodes"),
        [](CapacityInputs& c, const CapacityInputs&) { c.failures.spareNodes.reset(); });
}

void FailuresSection::addCheckpoints()
{
    auto* written = new FieldRow(tr("Storage · interval"),
        tr("What storage takes of all nodes together, and the training between two checkpoints, the best one where it "
           "is not stated. ")
            + sourceOf(RunConstant::StorageOfNode));
    const auto bandwidth = ofCheckpoints(&Checkpoints::bandwidth);
    const double ofNode = catalog::shippedRunDefaults().value(RunConstant::StorageOfNode);
    addAmount(*written, UnitKind::Bandwidth,
        {tr("Storage bandwidth"), tr("Set the storage bandwidth"), bandwidth, bandwidth, 1e18,
            tr("%1 a node").arg(unitText(UnitKind::Bandwidth, ofNode)), {}});
    const auto interval = ofCheckpoints(&Checkpoints::interval);
    addAmount(*written, UnitKind::Time,
        {tr("Checkpoint interval"), tr("Set the checkpoint interval"), interval, interval, 1e9, tr("best"), {}});
    addWithDefault(written, tr("Restore storage and interval"), [](CapacityInputs& c, const CapacityInputs&) {
        c.checkpoints.bandwidth.reset();
        c.checkpoints.interval.reset();
    });
}

void FailuresSection::addBlocking()
{
    auto* blocking = new FieldRow(tr("Blocking"),
        tr("Share of the time to write a checkpoint that training stands still. ")
            + sourceOf(RunConstant::BlockingShare));
    const auto share = ofCheckpoints(&Checkpoints::blockingShare);
    addAmount(*blocking, UnitKind::Share,
        {tr("Blocking share"), tr("Set the blocking share"), share, share, 1,
            byCatalogue(UnitKind::Share, RunConstant::BlockingShare), {}});
    addWithDefault(blocking, tr("Restore the blocking share"),
        [](CapacityInputs& c, const CapacityInputs&) { c.checkpoints.blockingShare.reset(); });
}

} // namespace stratoplan::widgets

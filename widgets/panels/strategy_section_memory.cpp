// SPDX-License-Identifier: GPL-3.0-or-later
// What the strategy form says of memory: recomputation, offload, and how much a made schedule may hold.
#include "widgets/panels/strategy_section.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"

#include <QSignalBlocker>
#include <algorithm>
#include <set>

namespace stratoplan {

void StrategySection::addRecompute()
{
    auto* recompute = new FieldRow(
        tr("Recomputation"), tr("Activations that are thrown away and computed again in the backward pass."), this);
    m_recompute = new ChoiceField(recompute);
    m_recompute->setObjectName(QStringLiteral("/strategy/recompute"));
    m_recompute->addChoice(tr("none"), int(Recompute::None), tr("Everything is kept."));
    m_recompute->addChoice(tr("selective"), int(Recompute::Selective),
        tr("What the stack picks is computed again: much memory for little time."));
    m_recompute->addChoice(tr("full"), int(Recompute::Full),
        tr("Only the input of each layer is kept: least memory, a third more computation."));
    recompute->add(m_recompute, tr("Recomputation"));
    addLock(*recompute, tr("Recomputation"), SearchDimension::Recompute);
    addRow(recompute);
    connect(recompute, &FieldRow::defaultAsked, this,
        [this] { edit(tr("Restore recomputation"), [](Plan& p) { recomputeAll(p.strategy, Strategy{}.recompute); }); });
    connect(m_recompute, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Set recomputation to %1").arg(m_recompute->currentText()),
            [value](Plan& p) { recomputeAll(p.strategy, static_cast<Recompute>(value)); });
    });
}

void StrategySection::addOffload()
{
    auto* row = new FieldRow(tr("Offload"),
        tr("What waits in the memory of the host: less on the accelerator, for transfers that passes may not hide."),
        this);
    m_offload = new ChoiceField(row);
    m_offload->setObjectName(QStringLiteral("/strategy/offload"));
    m_offload->addChoice(tr("none"), int(Offload::None), tr("Everything stays on the accelerator."));
    m_offload->addChoice(tr("activations"), int(Offload::Activations),
        tr("Kept activations travel layer by layer, out behind the forward and back behind the backward pass."));
    m_offload->addChoice(tr("optimizer"), int(Offload::Optimizer),
        tr("Master weights and moments live on the host, which updates them."));
    row->add(m_offload, tr("Offload"));
    addLock(*row, tr("Offload"), SearchDimension::Offload);
    addRow(row);
    connect(row, &FieldRow::defaultAsked, this,
        [this] { edit(tr("Offload nothing"), [](Plan& p) { p.strategy.offload = Strategy{}.offload; }); });
    connect(m_offload, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Set offload to %1").arg(m_offload->currentText()),
            [value](Plan& p) { p.strategy.offload = static_cast<Offload>(value); });
    });
}

void StrategySection::addInFlightLimit()
{
    m_inFlightRow = new FieldRow(tr("In flight"),
        tr("Micro-batches whose activations a stage of ZB-auto may hold: more leave fewer bubbles."), this);
    m_inFlight = new ChoiceField(m_inFlightRow);
    m_inFlight->setObjectName(QStringLiteral("/strategy/in_flight_limit"));
    m_inFlightRow->add(m_inFlight, tr("In-flight limit"));
    addLock(*m_inFlightRow, tr("In-flight limit"), std::nullopt);
    addRow(m_inFlightRow);
    connect(m_inFlightRow, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Hold what the memory has room for"),
            [](Plan& p) { p.strategy.inFlightLimit = Strategy{}.inFlightLimit; });
    });
    connect(m_inFlight, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Limit what is in flight to %1").arg(m_inFlight->currentText()),
            [value](Plan& p) { p.strategy.inFlightLimit = value; });
    });
}

/// Open, half of the stages, as many, half as many again, and twice as many: from V-Half's memory to that of ZB-H2.
void StrategySection::refreshMemory()
{
    const Strategy& strategy = plan().strategy;
    m_offload->setKey(int(strategy.offload));
    m_inFlightRow->setVisible(strategy.schedule == Schedule::ZbAuto);
    const std::set<int> values{0, std::max(1, strategy.pp / 2), strategy.pp, strategy.pp + strategy.pp / 2,
        2 * strategy.pp, strategy.inFlightLimit};
    std::set<int> offered;
    for (int i = 0; i < m_inFlight->count(); ++i)
        offered.insert(m_inFlight->itemData(i).toInt());
    if (offered != values) {
        const QSignalBlocker quiet(m_inFlight);
        m_inFlight->clear();
        for (const int limit : values)
            m_inFlight->addChoice(limit == 0 ? tr("by memory")
                    : limit == 1             ? tr("1 micro-batch")
                                             : tr("%1 micro-batches").arg(limit),
                limit);
    }
    m_inFlight->setKey(strategy.inFlightLimit);
}

} // namespace stratoplan

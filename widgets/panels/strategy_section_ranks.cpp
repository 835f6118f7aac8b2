// SPDX-License-Identifier: GPL-3.0-or-later
// What the strategy form says of where ranks are: the order of the axes over the machine.
#include "widgets/panels/strategy_section.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"

#include <algorithm>

namespace stratoplan {

namespace {

/// Innermost first.
QString orderText(const std::vector<Axis>& order)
{
    QStringList names;
    for (const Axis axis : order) {
        const std::string_view name = key(axis);
        names << QString::fromUtf8(name.data(), qsizetype(name.size()));
    }
    return names.join(u'-'); // "tp-cp-ep-dp-pp", as Megatron-LM names its order
}

} // namespace

void StrategySection::addRankOrder()
{
    auto* row = new FieldRow(tr("Rank order"),
        tr("Which axis is innermost: ranks that differ only in the first sit next to one another, on the fastest "
           "links."),
        this);
    m_rankOrder = new ChoiceField(row);
    m_rankOrder->setObjectName(QStringLiteral("/strategy/rank_order"));
    const auto offer = [this](std::vector<Axis> order, const QString& explanation) {
        m_rankOrder->addChoice(orderText(order), int(m_rankOrders.size()), explanation);
        m_rankOrders.push_back(std::move(order));
    };
    offer(Strategy{}.rankOrder, tr("As Megatron-LM places them: stages farthest apart, for they send least."));
    offer({Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp},
        tr("Replicas farthest apart: stages of one replica are close."));
    offer({Axis::Tp, Axis::Pp, Axis::Cp, Axis::Ep, Axis::Dp}, tr("Stages right outside tensor parallelism."));
    offer({Axis::Ep, Axis::Tp, Axis::Cp, Axis::Dp, Axis::Pp},
        tr("Experts innermost: tokens travel to them over the fastest links."));
    offer({Axis::Cp, Axis::Tp, Axis::Ep, Axis::Dp, Axis::Pp}, tr("Context parallelism innermost."));
    offer({Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp},
        tr("Replicas innermost: weights and gradients travel over the fastest links."));
    offer({Axis::Pp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp}, tr("Stages innermost."));
    row->add(m_rankOrder, tr("Rank order"));
    addLock(*row, tr("Rank order"), SearchDimension::RankOrder);
    addRow(row);
    connect(row, &FieldRow::defaultAsked, this,
        [this] { edit(tr("Restore the rank order"), [](Plan& p) { p.strategy.rankOrder = Strategy{}.rankOrder; }); });
    connect(m_rankOrder, &ChoiceField::keyChosen, this, [this](int which) {
        edit(tr("Set the rank order to %1").arg(m_rankOrder->currentText()),
            [order = m_rankOrders[std::size_t(which)]](Plan& p) { p.strategy.rankOrder = order; });
    });
}

/// An order that a search found, or a file names, is offered beside the usual ones.
void StrategySection::refreshRankOrder()
{
    const std::vector<Axis>& order = plan().strategy.rankOrder;
    const auto known = std::find(m_rankOrders.begin(), m_rankOrders.end(), order);
    const auto which = int(known - m_rankOrders.begin());
    if (known == m_rankOrders.end()) {
        m_rankOrders.push_back(order);
        m_rankOrder->addChoice(orderText(order), which);
    }
    m_rankOrder->setKey(which);
}

} // namespace stratoplan

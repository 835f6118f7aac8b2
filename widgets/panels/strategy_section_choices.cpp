// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the strategy form whose choices follow from the plan: groups that share states, micro-batches in flight,
// orders of ranks, layers of stages, tensor partitions and what goes with them.
#include "core/estimate/partitions.h"
#include "core/narration/problems.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/strategy_section.h"
#include "widgets/presentation/text.h"
#include "widgets/style/elided_label.h"

#include <QSignalBlocker>
#include <algorithm>
#include <set>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr int kNamedPartition = -1; ///< beside the enumerators: the plan says how each operator is divided

/// Innermost first.
QString orderText(std::vector<parallel::Axis> order)
{
    parallel::Strategy strategy;
    strategy.rankOrder = std::move(order);
    return QString::fromStdString(valueText(dimension(plan::Dimension::OrderOfRanks), strategy));
}

template <class TextOf>
void offerNumbers(ChoiceField& field, const std::vector<int>& values, TextOf textOf)
{
    std::vector<int> offered;
    for (int i = 0; i < field.count(); ++i)
        offered.push_back(field.itemData(i).toInt());
    if (offered == values)
        return;
    const QSignalBlocker quiet(&field);
    field.clear();
    for (const int value : values)
        field.addChoice(textOf(value), value);
}

} // namespace

/// In sight where the states can be shared out among fewer than all replicas.
void StrategySection::refreshShards()
{
    const parallel::Strategy& strategy = plan().strategy;
    std::vector<int> values = plan::shardValues(strategy);
    values.back() = 0; // all of them
    if (std::ranges::find(values, strategy.zeroShards) == values.end())
        values.insert(values.begin(), strategy.zeroShards); // it breaks a rule, and says so there
    const Field& field = m_fields.at(plan::Dimension::ZeroShards);
    offerNumbers(*field.choice, values, [](int ranks) {
        return ranks == 0 ? tr("all replicas") : ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(ranks);
    });
    field.row->setVisible(strategy.zeroShards != 0 || (strategy.zeroStage > 0 && values.size() > 1));
}

/// Open, half of the stages, as many, half as many again, and twice as many: from V-Half's memory to that of ZB-H2.
void StrategySection::refreshInFlightLimit()
{
    const parallel::Strategy& strategy = plan().strategy;
    const std::set<int> values{0, std::max(1, strategy.pp / 2), strategy.pp, strategy.pp + strategy.pp / 2,
        2 * strategy.pp, strategy.inFlightLimit};
    offerNumbers(*m_fields.at(plan::Dimension::InFlightLimit).choice, {values.begin(), values.end()}, [](int limit) {
        return limit == 0 ? tr("by memory") : limit == 1 ? tr("1 micro-batch") : tr("%1 micro-batches").arg(limit);
    });
}

void StrategySection::addLayers(Field& field)
{
    m_layers = new ElidedLabel(field.row);
    field.row->add(m_layers, tr("Layers per stage"));
}

void StrategySection::refreshLayers()
{
    const parallel::Strategy& strategy = plan().strategy;
    QStringList layers;
    for (const int count : strategy.stageLayers)
        layers << QString::number(count);
    m_layers->setText(layers.isEmpty() ? tr("even") : layers.join(u' '));
    m_fields.at(plan::Dimension::EndLayers).row->setVisible(strategy.pp > 1 || !layers.isEmpty());
}

void StrategySection::addRankOrder(Field& field, const DimensionWords& words)
{
    field.choice = new ChoiceField(field.row);
    field.choice->setObjectName(QStringLiteral("/strategy/rank_order"));
    const auto offer = [this, &field](std::vector<parallel::Axis> order, const QString& explanation) {
        field.choice->addChoice(orderText(order), int(m_rankOrders.size()), explanation);
        m_rankOrders.push_back(std::move(order));
    };
    offer(
        parallel::Strategy{}.rankOrder, tr("As Megatron-LM places them: stages farthest apart, for they send least."));
    offer({parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp},
        tr("Replicas farthest apart: stages of one replica are close."));
    offer({parallel::Axis::Tp, parallel::Axis::Pp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Dp},
        tr("Stages right outside tensor parallelism."));
    offer({parallel::Axis::Ep, parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Dp, parallel::Axis::Pp},
        tr("Experts innermost: tokens travel to them over the fastest links."));
    offer({parallel::Axis::Cp, parallel::Axis::Tp, parallel::Axis::Ep, parallel::Axis::Dp, parallel::Axis::Pp},
        tr("Context parallelism innermost."));
    offer({parallel::Axis::Dp, parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp},
        tr("Replicas innermost: weights and gradients travel over the fastest links."));
    offer({parallel::Axis::Pp, parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Dp},
        tr("Stages innermost."));
    field.row->add(field.choice, widgets::tr(words.name));
    connect(field.choice, &ChoiceField::keyChosen, this, [this, &words, choice = field.choice](int which) {
        edit(widgets::tr(words.set).arg(choice->currentText()),
            [order = m_rankOrders[std::size_t(which)]](plan::Plan& p) { p.strategy.rankOrder = order; });
    });
}

/// An order that a search found, or a file names, is offered beside the usual ones.
void StrategySection::refreshRankOrder()
{
    const std::vector<parallel::Axis>& order = plan().strategy.rankOrder;
    ChoiceField& field = *m_fields.at(plan::Dimension::OrderOfRanks).choice;
    const auto known = std::find(m_rankOrders.begin(), m_rankOrders.end(), order);
    const auto which = int(known - m_rankOrders.begin());
    if (known == m_rankOrders.end()) {
        m_rankOrders.push_back(order);
        field.addChoice(orderText(order), which);
    }
    field.setKey(which);
}

/// A partition that the plan names is offered while it has it. Where layers cannot be divided in space and time there
/// is nothing to choose, but the way back.
void StrategySection::refreshTensorPartition()
{
    const parallel::Strategy& strategy = plan().strategy;
    const bool isDivided = strategy.tensorPartition == parallel::TensorPartition::SpatialTemporal;
    const bool isNamed = isDivided && !strategy.operatorPartitions.empty();
    ChoiceField& field = *m_fields.at(plan::Dimension::TensorPartition).choice;
    const int offered = field.findData(kNamedPartition);
    if (isNamed && offered < 0) {
        field.addChoice(tr("pinned"), kNamedPartition,
            tr("Each operator as the plan pins it. Choose spatial-temporal to have the best partition found again."));
    } else if (!isNamed && offered >= 0) {
        const QSignalBlocker quiet(&field);
        field.removeItem(offered);
    }
    field.setKey(isNamed ? kNamedPartition : int(strategy.tensorPartition));
    const std::vector<plan::Problem> reasons = estimate::notDivisible(plan());
    field.setEnabled(isDivided || reasons.empty());
    field.setToolTip(!reasons.empty() ? text(narration::describe(reasons.front()))
            : isNamed                 ? field.currentData(Qt::ToolTipRole).toString()
                                      : widgets::tr(wordsOf(plan::Dimension::TensorPartition).explanation));
}

/// Kept for the way back to Megatron's partition.
void StrategySection::refreshSequenceParallel()
{
    const bool isMegatron = plan().strategy.tensorPartition == parallel::TensorPartition::Megatron;
    const Field& field = m_fields.at(plan::Dimension::SequenceParallel);
    const QString tip = isMegatron
        ? widgets::tr(wordsOf(plan::Dimension::SequenceParallel).explanation)
        : tr("No effect on a spatial-temporal partition, which cuts norms along the sequence where that is best.");
    field.toggle->setEnabled(isMegatron);
    field.toggle->setToolTip(tip);
    field.row->label().setToolTip(tip);
}

} // namespace stratoplan::widgets

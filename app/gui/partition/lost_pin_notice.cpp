// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/lost_pin_notice.h"

#include "core/estimate/partitions.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/translate.h"
#include "widgets/shell/message_bar.h"

namespace stratoplan::gui {

LostPinNotice::LostPinNotice(widgets::MessageBar& messages)
    : m_messages(messages)
{
}

void LostPinNotice::planChanged(const plan::Plan& plan)
{
    const parallel::Strategy& now = plan.strategy;
    const bool isSaid = !m_said.isEmpty() && m_messages.text() == m_said;
    const bool wasPinned = m_before && !m_before->operatorPartitions.empty();
    const bool isOpen =
        now.tensorPartition == parallel::TensorPartition::SpatialTemporal && now.operatorPartitions.empty();
    if (wasPinned)
        m_tp = m_before->tp;
    if (isOpen && m_before && m_before->tp != now.tp && (wasPinned || isSaid))
        say(plan);
    else if (isSaid)
        m_messages.clear();
    m_before = now;
}

void LostPinNotice::say(const plan::Plan& plan)
{
    const QString pattern = estimate::notDivisible(plan).empty()
        ? widgets::tr("The pinned partition was for TP %1; the best is found instead.")
        : widgets::tr("The pinned partition was for TP %1; the plan is without it now.");
    m_said = pattern.arg(widgets::groupedNumber(m_tp));
    m_messages.show(widgets::MessageKind::Offer, m_said);
}

void LostPinNotice::forget()
{
    m_before.reset();
    m_said.clear();
}

} // namespace stratoplan::gui

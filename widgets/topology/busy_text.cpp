// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/busy_text.h"

#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QStringList>

#include <cmath>

namespace stratoplan::widgets {

QString groupName(parallel::RankGroup group)
{
    switch (group) {
    case parallel::RankGroup::Tensor:
        return QStringLiteral("TP");
    case parallel::RankGroup::Context:
        return QStringLiteral("CP");
    case parallel::RankGroup::Expert:
        return QStringLiteral("EP");
    case parallel::RankGroup::Pipeline:
        return QStringLiteral("PP");
    default:
        return QStringLiteral("DP");
    }
}

QString busyText(const estimate::LinkLoad& load, Seconds step)
{
    const QString amount = tr("%1 of %2 (%3 %)").arg(text(load.busy), text(step)).arg(std::lround(load.share * 100));
    return load.isBound ? tr("up to %1").arg(amount) : amount;
}

QString busyExplanation(const estimate::LinkLoad& load)
{
    if (load.groups.empty())
        return tr("No group that crosses these cables communicates.");
    QStringList groups;
    for (const estimate::GroupSeconds& each : load.groups)
        groups << tr("%1 %2").arg(groupName(each.group), text(each.seconds));
    QString sentence =
        tr("%1, hidden communication included, on stage %2.").arg(groups.join(QStringLiteral(", "))).arg(load.stage);
    if (load.isBound)
        sentence += QLatin1Char(' ')
            + tr("An upper bound: it counts what these groups do inside the nodes or below the cables, too, and "
                 "what they do at the same time twice.");
    return sentence;
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/what_if_texts.h"

#include "app/session/plan_fields.h"
#include "core/parallel/crossing.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/busy_text.h"
#include "widgets/topology/cluster_edit.h"

#include <cmath>

namespace stratoplan::gui {

bool isNoChange(double longer)
{
    constexpr double kRounding = 1e-9;
    return std::abs(longer) < kRounding;
}

QString changeText(double longer)
{
    constexpr double kThreeFigures = 0.0005; // from here on
    const double share = std::abs(longer);
    if (share >= kThreeFigures)
        return widgets::signedText(longer, widgets::shareText(share));
    constexpr double kTold = 0.00005; // of what no estimate knows that well
    if (share < kTold)
        return longer < 0 ? widgets::tr("under 0.01 % shorter") : widgets::tr("under 0.01 % longer");
    return widgets::signedText(longer, widgets::tr("%1 %").arg(100 * share, 0, 'f', 2));
}

namespace {

/// "leaves Spare nodes apart"
QString apartText(const std::vector<std::string>& groups, const cluster::Cluster& cluster)
{
    constexpr std::size_t kMostNamed = 2;
    if (groups.size() > kMostNamed)
        return widgets::tr("leaves %1 groups apart").arg(widgets::groupedNumber(groups.size()));
    QStringList names;
    for (const std::string& id : groups)
        names << widgets::text(widgets::elementName(cluster, id));
    return widgets::tr("leaves %1 apart").arg(names.join(widgets::tr(" and ")));
}

} // namespace

widgets::WhatIfLine whatIfLine(const QString& label, const session::WhatIf& answer, const plan::Plan& plan)
{
    using widgets::tr;
    if (!(answer.step > Seconds{}))
        return {label, tr("no plan"), tr("No strategy near this one is legal then.")};
    widgets::WhatIfLine line{label, {}, {}, tr("Try"), tr("Makes it so in the plan, as one step that can be undone.")};
    line.answer = isNoChange(answer.longer) ? tr("no change")
                                            : tr("%1, %2").arg(widgets::text(answer.step), changeText(answer.longer));
    QStringList notes;
    if (!answer.fits)
        notes << tr("out of memory");
    else if (answer.mayNotFit)
        notes << tr("may not fit");
    if (!answer.apart.empty())
        notes << apartText(answer.apart, answer.plan.cluster);
    if (answer.plan.strategy != plan.strategy)
        notes << tr("as %1").arg(session::strategyTitle(answer.plan.strategy));
    if (answer.plan.training.globalBatch != plan.training.globalBatch)
        notes << tr("batch of %1, change per token").arg(widgets::groupedNumber(answer.plan.training.globalBatch));
    if (answer.idle > 0)
        notes << tr("%1 accelerators idle").arg(widgets::groupedNumber(answer.idle));
    line.note = notes.join(tr(", "));
    return line;
}

QString crossingText(const plan::Plan& plan, const QStringList& keys)
{
    using widgets::tr;
    const auto connection =
        keys.size() == 1 ? widgets::connectionIndex(plan.cluster, keys.front().toStdString()) : std::nullopt;
    if (!connection)
        return {};
    QStringList names;
    for (const parallel::RankGroup group : groupsAcross(plan.strategy, plan.cluster, *connection))
        names << widgets::groupName(group);
    return names.isEmpty() ? tr("no group") : names.join(tr(", "));
}

} // namespace stratoplan::gui

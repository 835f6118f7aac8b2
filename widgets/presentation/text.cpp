// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/text.h"

#include "core/units/format.h"

#include <QStringList>
#include <cmath>

namespace stratoplan {

QString text(Seconds value)
{
    return QString::fromStdString(format(value));
}

QString text(Bytes value)
{
    return QString::fromStdString(format(value));
}

QString tokenRateText(double tokensPerSecond)
{
    const QString number = QString::fromStdString(formatNumber(tokensPerSecond));
    return number + QStringLiteral(" tokens/s");
}

QString shareText(double share)
{
    constexpr double kNothing = 5e-5; // rounding noise of sums that cancel
    return QString::fromStdString(formatShare(std::abs(share) < kNothing ? 0.0 : share));
}

QString degreesText(const Strategy& s)
{
    QStringList parts;
    const auto add = [&parts](const char* name, int degree) {
        if (degree > 1)
            parts << QStringLiteral("%1 %2").arg(QString::fromLatin1(name)).arg(degree);
    };
    add("TP", s.tp);
    add("PP", s.pp);
    add("DP", s.dp);
    add("CP", s.cp);
    add("EP", s.ep);
    add("VPP", s.vpp);
    return parts.isEmpty() ? QStringLiteral("one accelerator") : parts.join(QStringLiteral(" · "));
}

QString recomputeText(Recompute value)
{
    switch (value) {
    case Recompute::None:
        return QStringLiteral("no recomputation");
    case Recompute::Selective:
        return QStringLiteral("selective recomputation");
    case Recompute::Full:
        return QStringLiteral("full recomputation");
    }
    return {};
}

QString scheduleText(Schedule value)
{
    switch (value) {
    case Schedule::GPipe:
        return QStringLiteral("GPipe");
    case Schedule::OneFOneB:
        return QStringLiteral("1F1B");
    case Schedule::Interleaved:
        return QStringLiteral("interleaved 1F1B");
    case Schedule::EagerOneFOneB:
        return QStringLiteral("eager 1F1B");
    case Schedule::BreadthFirst:
        return QStringLiteral("breadth-first");
    case Schedule::ZbH1:
        return QStringLiteral("ZB-H1");
    case Schedule::ZbH2:
        return QStringLiteral("ZB-H2");
    case Schedule::ZbV:
        return QStringLiteral("ZB-V");
    case Schedule::VHalf:
        return QStringLiteral("V-Half");
    case Schedule::VMin:
        return QStringLiteral("V-Min");
    case Schedule::DualPipe:
        return QStringLiteral("DualPipe");
    case Schedule::DualPipeV:
        return QStringLiteral("DualPipeV");
    }
    return {};
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/text.h"

#include "core/units/format.h"
#include "core/units/sentence.h"
#include "widgets/presentation/dimension_words.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size()));
}

QString acceleratorsText(qint64 count)
{
    return text(countedAccelerators(count));
}

QString strategiesText(qint64 count)
{
    return text(countedStrategies(count));
}

QString text(Seconds value)
{
    return QString::fromStdString(format(value));
}

QString text(Bytes value)
{
    return QString::fromStdString(format(value));
}

QString text(Flops value)
{
    return QString::fromStdString(format(value));
}

QString text(FlopsPerSecond value)
{
    return QString::fromStdString(format(value));
}

QString countText(double value)
{
    return QString::fromStdString(formatCount(value));
}

QString tokenRateText(double tokensPerSecond)
{
    return countText(tokensPerSecond) + QStringLiteral(" tokens/s");
}

QString shareText(double share)
{
    constexpr double kNothing = 5e-5; // rounding noise of sums that cancel
    return QString::fromStdString(formatShare(std::abs(share) < kNothing ? 0.0 : share));
}

QString pointsText(double share)
{
    return shareText(share).replace(u'%', QStringLiteral("pp"));
}

QString gpuHoursText(double hours)
{
    return countText(hours) + QStringLiteral(" GPU-h");
}

QString energyText(double kilowattHours)
{
    const bool giga = kilowattHours >= 999.5e3;
    const bool mega = kilowattHours >= 999.5;
    const double shown = giga ? kilowattHours / 1e6 : mega ? kilowattHours / 1e3 : kilowattHours;
    return QString::fromStdString(formatNumber(shown))
        + (giga        ? QStringLiteral(" GWh")
                : mega ? QStringLiteral(" MWh")
                       : QStringLiteral(" kWh"));
}

QString moneyText(double amount, const std::string& currency)
{
    const QString number = countText(amount);
    if (currency == "USD")
        return u'$' + number;
    if (currency == "EUR")
        return u'€' + number;
    return number + u' ' + QString::fromStdString(currency);
}

QString rangeText(const QString& low, const QString& high)
{
    if (low == high)
        return {};
    const qsizetype unit = low.lastIndexOf(u' ');
    const bool alike =
        unit >= 0 && high.endsWith(low.mid(unit)) && high.lastIndexOf(u' ') == high.size() - low.size() + unit;
    return (alike ? low.left(unit) : low) + u'–' + high;
}

QString signedText(double difference, const QString& magnitude)
{
    return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + magnitude;
}

QString arrowedText(double difference, const QString& magnitude)
{
    return (difference < 0 ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + signedText(difference, magnitude);
}

QString signedShareText(double share)
{
    return signedText(share, text(formatShare(std::abs(share))));
}

bool sameInThreeFigures(double a, double b)
{
    if (a == b)
        return true;
    const double largest = std::max(std::abs(a), std::abs(b));
    const double digit = std::pow(10.0, std::floor(std::log10(largest)) - 2);
    return std::abs(a - b) < 0.5 * digit;
}

QString degreesText(const parallel::Strategy& s)
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

QString recomputeText(parallel::Recompute value)
{
    switch (value) {
    case parallel::Recompute::None:
        return QStringLiteral("no recomputation");
    case parallel::Recompute::Selective:
        return QStringLiteral("selective recomputation");
    case parallel::Recompute::Full:
        return QStringLiteral("full recomputation");
    }
    return {};
}

QString zeroText(const parallel::Strategy& s)
{
    const QString stage = QString::number(s.zeroStage);
    return s.zeroShards > 0 ? tr("%1 over %2").arg(stage).arg(s.zeroShards) : stage;
}

QString scheduleText(parallel::Schedule value)
{
    return choiceText(plan::Dimension::Schedule, int(value));
}

} // namespace stratoplan::widgets

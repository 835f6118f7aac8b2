// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/strategy_set.h"

#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::widgets {

namespace {

constexpr double kHour = 3600;

/// Of a number of things: "M tokens/$" for millions.
AxisUnit prefixed(double largest, const QString& name)
{
    struct Prefix {
        double factor;
        const char* letter;
    };
    for (const Prefix& prefix : {Prefix{1e12, "T"}, Prefix{1e9, "G"}, Prefix{1e6, "M"}, Prefix{1e3, "k"}})
        if (largest >= prefix.factor)
            return {prefix.factor, QString::fromLatin1(prefix.letter) + u' ' + name};
    return {1, name};
}

QString perMoney(const StrategyRates& rates)
{
    if (!(rates.pricePerHour > 0))
        return tr("tokens/GPU-h");
    return rates.currency == "USD" ? tr("tokens/$") : tr("tokens/%1").arg(QString::fromStdString(rates.currency));
}

} // namespace

StrategyRates strategyRates(const plan::Plan& plan, const plan::CapacityInputs& run)
{
    StrategyRates rates;
    rates.tokensPerStep = tokensPerStep(plan);
    rates.pricePerHour = run.pricePerAcceleratorHour;
    rates.currency = run.currency;
    rates.modelFlops = modelFlops(plan);
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        if (takesPart(group))
            rates.runs.push_back(
                {group.count * group.acceleratorsPerNode, group.accelerator.watts, group.accelerator.peak});
    if (rates.runs.empty())
        return rates;
    rates.watts = rates.runs.front().watts;
    rates.peak = rates.runs.front().peak;
    if (std::ranges::all_of(rates.runs,
            [&](const StrategyRates::Run& each) { return each.watts == rates.watts && each.peak == rates.peak; }))
        rates.runs.clear();
    return rates;
}

double StrategyRates::wattsOf(double ranks) const
{
    double sum = runs.empty() ? ranks * watts : 0;
    for (const Run& run : runs) {
        const double used = std::clamp(ranks, 0.0, double(run.accelerators));
        sum += used * run.watts;
        ranks -= used;
    }
    return sum;
}

double StrategyRates::peakOf(double ranks, model::Precision precision) const
{
    double sum = runs.empty() ? ranks * peak[precision].value() : 0;
    for (const Run& run : runs) {
        const double used = std::clamp(ranks, 0.0, double(run.accelerators));
        sum += used * run.peak[precision].value();
        ranks -= used;
    }
    return sum;
}

QString measureName(StrategyMeasure measure, const StrategyRates& rates)
{
    switch (measure) {
    case StrategyMeasure::Throughput:
        return tr("Throughput");
    case StrategyMeasure::StepTime:
        return tr("Step time");
    case StrategyMeasure::PeakMemory:
        return tr("Peak memory");
    case StrategyMeasure::TokensPerMoney:
        if (!(rates.pricePerHour > 0))
            return tr("Tokens per accelerator-hour");
        return rates.currency == "USD" ? tr("Tokens per $")
                                       : tr("Tokens per %1").arg(QString::fromStdString(rates.currency));
    case StrategyMeasure::TokensPerEnergy:
        return tr("Tokens per joule");
    case StrategyMeasure::Mfu:
        return tr("MFU");
    case StrategyMeasure::Accelerators:
        return tr("Accelerators in use");
    }
    return {};
}

bool largerIsBetter(StrategyMeasure measure)
{
    return measure != StrategyMeasure::StepTime && measure != StrategyMeasure::PeakMemory
        && measure != StrategyMeasure::Accelerators;
}

double measured(const StrategyPoint& point, StrategyMeasure measure, const StrategyRates& rates)
{
    return measured(
        Measurable{point.step.value(), point.peak.value(), double(rankCount(point.strategy)), point.precision}, measure,
        rates);
}

double measured(const Measurable& strategy, StrategyMeasure measure, const StrategyRates& rates)
{
    const auto [step, peak, ranks, precision] = strategy;
    switch (measure) {
    case StrategyMeasure::Throughput:
        return rates.tokensPerStep / step;
    case StrategyMeasure::StepTime:
        return step;
    case StrategyMeasure::PeakMemory:
        return peak;
    case StrategyMeasure::TokensPerMoney:
        return rates.tokensPerStep * kHour / (step * ranks * (rates.pricePerHour > 0 ? rates.pricePerHour : 1));
    case StrategyMeasure::TokensPerEnergy:
        return rates.tokensPerStep / (step * rates.wattsOf(ranks));
    case StrategyMeasure::Mfu:
        return rates.modelFlops.value() / (step * rates.peakOf(ranks, precision));
    case StrategyMeasure::Accelerators:
        return ranks;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

QString measureText(StrategyMeasure measure, double value, const StrategyRates& rates)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    switch (measure) {
    case StrategyMeasure::Throughput:
        return tokenRateText(value);
    case StrategyMeasure::StepTime:
        return text(Seconds(value));
    case StrategyMeasure::PeakMemory:
        return text(Bytes(value));
    case StrategyMeasure::TokensPerMoney:
        return countText(value) + u' ' + perMoney(rates);
    case StrategyMeasure::TokensPerEnergy:
        return countText(value) + u' ' + tr("tokens/J");
    case StrategyMeasure::Mfu:
        return shareText(value);
    case StrategyMeasure::Accelerators:
        return acceleratorsText(static_cast<qint64>(value));
    }
    return {};
}

AxisUnit measureUnit(StrategyMeasure measure, double largest, const StrategyRates& rates)
{
    switch (measure) {
    case StrategyMeasure::Throughput:
        return tokenRateUnit(largest);
    case StrategyMeasure::StepTime:
        return secondsUnit(largest);
    case StrategyMeasure::PeakMemory:
        return bytesUnit(largest);
    case StrategyMeasure::TokensPerMoney:
        return prefixed(largest, perMoney(rates));
    case StrategyMeasure::TokensPerEnergy:
        return prefixed(largest, tr("tokens/J"));
    case StrategyMeasure::Mfu:
        return {0.01, QStringLiteral("%")};
    case StrategyMeasure::Accelerators:
        return {1, tr("accelerators")};
    }
    return {};
}

QString strategyText(const parallel::Strategy& s)
{
    return degreesText(s) + QStringLiteral(" · ") + settingsText(s);
}

QString settingsText(const parallel::Strategy& s)
{
    QString result = tr("micro-batch %1").arg(s.microBatch);
    if (s.etp > 1)
        result += tr(" · expert TP %1").arg(s.etp);
    if (s.zeroStage > 0)
        result += tr(" · ZeRO-%1").arg(s.zeroStage);
    if (s.zeroShards > 0)
        result += tr(" over %1").arg(s.zeroShards);
    if (s.sequenceParallel && s.tensorPartition == parallel::TensorPartition::Megatron) // others cut sequences anyway
        result += tr(" · sequence parallel");
    result += QStringLiteral(" · ") + recomputeText(s.recompute);
    if (s.pp > 1)
        result += QStringLiteral(" · ") + scheduleText(s.schedule);
    const QString rare = rareTraits(s);
    return rare.isEmpty() ? result : result + QStringLiteral(" · ") + rare;
}

StrategyFilter::StrategyFilter(const QString& text)
{
    static const QRegularExpression comparison(QStringLiteral("([A-Za-z]+)\\s*(<=|>=|!=|=|<|>)\\s*([^\\s,]*)"));
    QString rest = text;
    for (auto match = comparison.match(rest); match.hasMatch(); match = comparison.match(rest)) {
        addComparison(match.captured(1).toLower(), match.captured(2), match.captured(3));
        rest.remove(match.capturedStart(), match.capturedLength());
    }
    for (const QString& word : rest.split(QRegularExpression(QStringLiteral("[\\s,]+")), Qt::SkipEmptyParts)) {
        if (word.compare(u"front", Qt::CaseInsensitive) == 0)
            m_front = true;
        else if (word.compare(u"fits", Qt::CaseInsensitive) == 0)
            m_fits = true;
        else
            m_words.push_back(word);
    }
}

QString StrategyFilter::names()
{
    QStringList all;
    for (const DimensionWords& words : dimensionWords())
        if (words.filter)
            all << QString::fromLatin1(words.filter);
    return all.join(QStringLiteral(", "));
}

void StrategyFilter::addComparison(const QString& name, const QString& relation, const QString& number)
{
    const auto words = std::ranges::find_if(
        dimensionWords(), [&](const DimensionWords& w) { return w.filter && name == QLatin1String(w.filter); });
    if (words == dimensionWords().end()) {
        m_error = tr("“%1” is none of %2").arg(name, names());
        return;
    }
    bool isNumber = false;
    Comparison c;
    c.dimension = words->id;
    c.number = number.toInt(&isNumber);
    if (!isNumber) {
        m_error = tr("“%1%2” needs a whole number after it").arg(name, relation);
        return;
    }
    c.less = relation.startsWith(u'<') || relation == u"!=";
    c.greater = relation.startsWith(u'>') || relation == u"!=";
    c.equal = relation.endsWith(u'=') && relation != u"!=";
    m_comparisons.push_back(c);
}

bool StrategyFilter::allows(const StrategyPoint& point) const
{
    if (m_front && point.kind != StrategyPoint::Kind::Front)
        return false;
    if (m_fits && point.kind == StrategyPoint::Kind::OutOfMemory)
        return false;
    for (const Comparison& c : m_comparisons) {
        const int value = plan::number(c.dimension, point.strategy);
        if (!(value < c.number ? c.less : value > c.number ? c.greater : c.equal))
            return false;
    }
    if (m_words.empty())
        return true;
    const QString text = strategyText(point.strategy);
    return std::all_of(
        m_words.begin(), m_words.end(), [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace stratoplan::widgets

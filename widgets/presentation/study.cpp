// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/study.h"

#include "core/units/format.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::widgets {

namespace {

constexpr int kLongestValue = 24; // characters

QString fieldOf(const exchange::StudyAxis& axis)
{
    return QString::fromStdString(axis.pointer.substr(axis.pointer.rfind('/') + 1));
}

/// What of an axis is the number of a point; nothing where it is a text.
std::optional<double> numberOf(const exchange::StudyAnswers& answers, const exchange::StudyPoint& point, int axis)
{
    if (axis == kAcceleratorAxis)
        return point.isPriced() ? std::optional<double>(point.accelerators) : std::nullopt;
    const exchange::StudyAxis& studyAxis = answers.axes[std::size_t(axis)];
    return studyAxis.numbers.empty() ? std::nullopt : std::optional(studyAxis.numbers[point.values[std::size_t(axis)]]);
}

} // namespace

QString measureName(StudyMeasure measure)
{
    switch (measure) {
    case StudyMeasure::StepTime:
        return tr("Step time");
    case StudyMeasure::Throughput:
        return tr("Throughput");
    case StudyMeasure::PerAccelerator:
        return tr("Throughput per accelerator");
    case StudyMeasure::Mfu:
        return tr("MFU");
    case StudyMeasure::PeakMemory:
        return tr("Peak memory");
    case StudyMeasure::Days:
        return tr("Days of training");
    case StudyMeasure::AcceleratorHours:
        return tr("Accelerator-hours of training");
    case StudyMeasure::Energy:
        return tr("Energy of training");
    case StudyMeasure::Cost:
        break;
    }
    return tr("Cost of training");
}

bool largerIsBetter(StudyMeasure measure)
{
    return measure == StudyMeasure::Throughput || measure == StudyMeasure::PerAccelerator
        || measure == StudyMeasure::Mfu;
}

std::optional<double> measured(const exchange::StudyPoint& point, StudyMeasure measure)
{
    if (!point.isPriced())
        return std::nullopt;
    switch (measure) {
    case StudyMeasure::StepTime:
        return point.step.value();
    case StudyMeasure::Throughput:
        return point.tokensPerSecond;
    case StudyMeasure::PerAccelerator:
        return point.accelerators > 0 ? std::optional(point.tokensPerSecond / point.accelerators) : std::nullopt;
    case StudyMeasure::Mfu:
        return point.mfu;
    case StudyMeasure::PeakMemory:
        return point.peak.value();
    case StudyMeasure::Days:
        return point.days;
    case StudyMeasure::AcceleratorHours:
        return point.acceleratorHours;
    case StudyMeasure::Energy:
        return point.energyKwh;
    case StudyMeasure::Cost:
        break;
    }
    return point.cost;
}

QString measureText(StudyMeasure measure, double value, const std::string& currency)
{
    switch (measure) {
    case StudyMeasure::StepTime:
        return text(Seconds(value));
    case StudyMeasure::Throughput:
        return tokenRateText(value);
    case StudyMeasure::PerAccelerator:
        return tr("%1 per accelerator").arg(tokenRateText(value));
    case StudyMeasure::Mfu:
        return shareText(value);
    case StudyMeasure::PeakMemory:
        return text(Bytes(value));
    case StudyMeasure::Days:
        return tr("%1 days").arg(QString::fromStdString(formatNumber(value)));
    case StudyMeasure::AcceleratorHours:
        return gpuHoursText(value);
    case StudyMeasure::Energy:
        return energyText(value);
    case StudyMeasure::Cost:
        break;
    }
    return moneyText(value, currency);
}

AxisUnit measureUnit(StudyMeasure measure, double largest, const std::string& currency)
{
    const auto prefixed = [largest](const QString& name) -> AxisUnit {
        if (largest >= 1e9)
            return {1e9, QStringLiteral("G ") + name};
        if (largest >= 1e6)
            return {1e6, QStringLiteral("M ") + name};
        return largest >= 1e3 ? AxisUnit{1e3, QStringLiteral("k ") + name} : AxisUnit{1, name};
    };
    switch (measure) {
    case StudyMeasure::StepTime:
        return secondsUnit(largest);
    case StudyMeasure::Throughput:
        return tokenRateUnit(largest);
    case StudyMeasure::PerAccelerator:
        return tokenRateUnit(largest);
    case StudyMeasure::Mfu:
        return {0.01, QStringLiteral("%")};
    case StudyMeasure::PeakMemory:
        return bytesUnit(largest);
    case StudyMeasure::Days:
        return {1, tr("days")};
    case StudyMeasure::AcceleratorHours:
        return prefixed(QStringLiteral("GPU-h"));
    case StudyMeasure::Energy:
        return largest >= 1e3 ? AxisUnit{1e3, QStringLiteral("MWh")} : AxisUnit{1, QStringLiteral("kWh")};
    case StudyMeasure::Cost:
        break;
    }
    return prefixed(QString::fromStdString(currency.empty() ? "USD" : currency));
}

std::vector<StudyMeasure> measuresOf(const exchange::StudyAnswers& answers)
{
    std::vector<StudyMeasure> some;
    for (const StudyMeasure measure : kStudyMeasures)
        if (std::any_of(answers.points.begin(), answers.points.end(),
                [&](const exchange::StudyPoint& p) { return measured(p, measure).has_value(); }))
            some.push_back(measure);
    return some;
}

std::optional<double> idealPower(StudyMeasure measure)
{
    switch (measure) {
    case StudyMeasure::Throughput:
        return 1;
    case StudyMeasure::StepTime:
    case StudyMeasure::Days:
        return -1;
    case StudyMeasure::PeakMemory:
        return std::nullopt;
    default:
        return 0;
    }
}

QString axisName(const exchange::StudyAxis& axis)
{
    QString name = fieldOf(axis).replace(u'_', u' ');
    static const std::map<QString, QString> known{{QStringLiteral("tp"), QStringLiteral("TP")},
        {QStringLiteral("pp"), QStringLiteral("PP")}, {QStringLiteral("dp"), QStringLiteral("DP")},
        {QStringLiteral("cp"), QStringLiteral("CP")}, {QStringLiteral("ep"), QStringLiteral("EP")},
        {QStringLiteral("vpp"), tr("Virtual stages")}, {QStringLiteral("micro batch"), tr("Micro-batch")},
        {QStringLiteral("zero stage"), tr("ZeRO stage")},
        {QStringLiteral("price per gpu hour"), tr("Price per accelerator-hour")}};
    if (const auto found = known.find(name); found != known.end())
        return found->second;
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

QString valueText(const exchange::StudyAxis& axis, std::size_t value)
{
    if (!axis.numbers.empty()) {
        const double number = axis.numbers[value];
        return number == std::floor(number) && std::abs(number) < 1e15 ? groupedNumber(qint64(number))
                                                                       : QString::fromStdString(axis.values[value]);
    }
    const QString json = QString::fromStdString(axis.values[value]);
    const QJsonDocument document = QJsonDocument::fromJson(json.toUtf8());
    if (document.isObject())
        for (const char* key : {"name", "id"})
            if (const QString name = document.object().value(QLatin1String(key)).toString(); !name.isEmpty())
                return name;
    const bool isText = json.size() >= 2 && json.startsWith(u'"') && json.endsWith(u'"');
    const QString plain = isText ? json.mid(1, json.size() - 2) : json;
    return plain.size() <= kLongestValue ? plain : plain.left(kLongestValue - 1) + QChar(0x2026);
}

QString outcomeText(exchange::StudyPoint::Outcome outcome)
{
    switch (outcome) {
    case exchange::StudyPoint::Outcome::Fits:
        return tr("fits");
    case exchange::StudyPoint::Outcome::TooLarge:
        return tr("too large");
    case exchange::StudyPoint::Outcome::NothingFits:
        return tr("nothing fits");
    case exchange::StudyPoint::Outcome::Refused:
        break;
    }
    return tr("no plan");
}

QString placeText(const exchange::StudyAnswers& answers, const exchange::StudyPoint& point)
{
    QStringList parts;
    for (std::size_t i = 0; i < answers.axes.size(); ++i)
        parts << axisName(answers.axes[i]) + u' ' + valueText(answers.axes[i], point.values[i]);
    return parts.isEmpty() ? tr("The plan as it is") : parts.join(QStringLiteral(" · "));
}

bool isBetter(const exchange::StudyPoint& a, const exchange::StudyPoint& b, StudyMeasure measure)
{
    if (a.outcome != b.outcome)
        return a.outcome < b.outcome;
    const auto value = measured(a, measure);
    const auto other = measured(b, measure);
    if (!value || !other)
        return value.has_value() && !other;
    return largerIsBetter(measure) ? *value > *other : *value < *other;
}

StudyFilter::StudyFilter(const QString& text, const exchange::StudyAnswers& answers)
{
    static const QRegularExpression comparison(QStringLiteral("([A-Za-z_]+)\\s*(<=|>=|=|<|>)\\s*([^\\s]*)"));
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    QString rest = text;
    for (auto match = comparison.match(rest); match.hasMatch(); match = comparison.match(rest)) {
        addComparison(match.captured(1).toLower(), match.captured(2), match.captured(3), answers);
        rest.remove(match.capturedStart(), match.capturedLength());
    }
    for (const QString& word : rest.split(blanks, Qt::SkipEmptyParts)) {
        if (word.compare(u"fits", Qt::CaseInsensitive) == 0)
            m_fits = true;
        else
            m_words.push_back(word);
    }
}

QStringList StudyFilter::names(const exchange::StudyAnswers& answers)
{
    QStringList all{QStringLiteral("gpus")};
    for (const exchange::StudyAxis& axis : answers.axes)
        if (!axis.numbers.empty())
            all << fieldOf(axis).toLower();
    return all;
}

void StudyFilter::addComparison(
    const QString& name, const QString& relation, const QString& number, const exchange::StudyAnswers& answers)
{
    Comparison c;
    bool known = name == u"gpus";
    for (std::size_t i = 0; i < answers.axes.size() && !known; ++i) {
        known = !answers.axes[i].numbers.empty() && fieldOf(answers.axes[i]).toLower() == name;
        c.axis = known ? int(i) : c.axis;
    }
    bool isNumber = false;
    c.number = QString(number).remove(u',').toDouble(&isNumber);
    c.less = relation.startsWith(u'<');
    c.greater = relation.startsWith(u'>');
    c.equal = relation.endsWith(u'=');
    if (!known)
        m_error = tr("“%1” is none of %2").arg(name, names(answers).join(QStringLiteral(", ")));
    else if (!isNumber)
        m_error = tr("“%1%2” needs a number after it").arg(name, relation);
    else
        m_comparisons.push_back(c);
}

bool StudyFilter::allows(const exchange::StudyAnswers& answers, const exchange::StudyPoint& point) const
{
    if (m_fits && point.outcome != exchange::StudyPoint::Outcome::Fits)
        return false;
    for (const Comparison& c : m_comparisons) {
        const auto number = numberOf(answers, point, c.axis);
        if (!number
            || !((c.less && *number < c.number) || (c.equal && *number == c.number)
                || (c.greater && *number > c.number)))
            return false;
    }
    if (m_words.empty())
        return true;
    const QString known = placeText(answers, point) + u' ' + outcomeText(point.outcome) + u' '
        + QString::fromStdString(point.strategy + ' ' + point.reason);
    return std::all_of(
        m_words.begin(), m_words.end(), [&](const QString& word) { return known.contains(word, Qt::CaseInsensitive); });
}

bool canBeCurve(const exchange::StudyAnswers& answers, int x)
{
    if (x == kAcceleratorAxis)
        return true;
    const exchange::StudyAxis& axis = answers.axes[std::size_t(x)];
    return !axis.numbers.empty() && axis.numbers.front() > 0;
}

std::vector<StudyCurve> studyCurves(const exchange::StudyAnswers& answers, const std::vector<std::size_t>& points,
    StudyMeasure measure, int x, int series)
{
    std::map<std::size_t, std::map<double, std::size_t>> best; // by value of the series, by x
    for (const std::size_t i : points) {
        const exchange::StudyPoint& point = answers.points[i];
        const auto abscissa = numberOf(answers, point, x);
        if (const auto value = measured(point, measure); !abscissa || !value || !(*value > 0))
            continue;
        const std::size_t line = series >= 0 ? point.values[std::size_t(series)] : 0;
        const auto [place, isNew] = best[line].try_emplace(*abscissa, i);
        if (!isNew && isBetter(point, answers.points[place->second], measure))
            place->second = i;
    }
    std::vector<StudyCurve> curves;
    for (const auto& [value, line] : best) {
        StudyCurve& curve = curves.emplace_back();
        if (series >= 0)
            curve.name = valueText(answers.axes[std::size_t(series)], value);
        for (const auto& [at, point] : line)
            curve.points.push_back({at, *measured(answers.points[point], measure), point});
    }
    return curves;
}

StudyGrid studyGrid(
    const exchange::StudyAnswers& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int y)
{
    StudyGrid grid;
    const auto valueOf = [&](std::size_t i, int axis) {
        return axis >= 0 ? answers.points[i].values[std::size_t(axis)] : std::size_t{0};
    };
    for (const std::size_t i : points) {
        grid.columns.push_back(valueOf(i, x));
        grid.rows.push_back(valueOf(i, y));
    }
    for (auto* places : {&grid.columns, &grid.rows}) {
        std::sort(places->begin(), places->end());
        places->erase(std::unique(places->begin(), places->end()), places->end());
    }
    grid.cells.resize(grid.columns.size() * grid.rows.size());
    const auto placeOf = [](const std::vector<std::size_t>& all, std::size_t value) {
        return std::size_t(std::lower_bound(all.begin(), all.end(), value) - all.begin());
    };
    for (const std::size_t i : points) {
        StudyCell& cell =
            grid.cells[placeOf(grid.rows, valueOf(i, y)) * grid.columns.size() + placeOf(grid.columns, valueOf(i, x))];
        if (!cell.point || isBetter(answers.points[i], answers.points[*cell.point], measure))
            cell.point = i;
    }
    bool first = true;
    for (StudyCell& cell : grid.cells) {
        if (!cell.point)
            continue;
        cell.value = measured(answers.points[*cell.point], measure);
        if (!cell.value || answers.points[*cell.point].outcome != exchange::StudyPoint::Outcome::Fits)
            continue;
        grid.low = first ? *cell.value : std::min(grid.low, *cell.value);
        grid.high = first ? *cell.value : std::max(grid.high, *cell.value);
        first = false;
    }
    return grid;
}

} // namespace stratoplan::widgets

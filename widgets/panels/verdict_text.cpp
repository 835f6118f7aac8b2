// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/verdict_text.h"

#include "core/units/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Verdict", text);
}

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

/// "9.84 s" -> {"9.84", "s"}.
struct Figure {
    QString value;
    QString unit;
};
Figure split(const QString& formatted)
{
    const qsizetype space = formatted.lastIndexOf(u' ');
    return space < 0 ? Figure{formatted, {}} : Figure{formatted.left(space), formatted.mid(space + 1)};
}

/// "9.64–10.2" where both ends have the unit of the value, with their units otherwise; empty if there is no range.
QString rangeText(const QString& low, const QString& high, const QString& unit)
{
    if (low == high)
        return {};
    const Figure a = split(low);
    const Figure b = split(high);
    return a.unit == unit && b.unit == unit ? a.value + u'–' + b.value : low + u'–' + high;
}

QString billions(double count)
{
    return text(formatNumber(count)).replace(u'G', u'B');
}

/// Written before the amount; empty for currencies that are written after it.
QString currencySign(const CapacityInputs& inputs)
{
    return inputs.currency == "USD" ? QStringLiteral("$") : inputs.currency == "EUR" ? QStringLiteral("€") : QString();
}

QString money(double amount, const CapacityInputs& inputs)
{
    const QString currency = currencySign(inputs);
    const QString number = text(formatNumber(amount)).replace(u'G', u'B');
    return currency.isEmpty() ? number + u' ' + text(inputs.currency) : currency + number;
}

QString energy(double kwh)
{
    const bool mega = kwh >= 1000;
    const bool giga = kwh >= 1e6;
    const double shown = giga ? kwh / 1e6 : mega ? kwh / 1e3 : kwh;
    return text(formatNumber(shown)) + (giga ? QStringLiteral(" GWh") : mega ? QStringLiteral(" MWh") : QStringLiteral(" kWh"));
}

/// Base units in one `unit`; 1 for a plain number.
double unitFactor(const QString& unit)
{
    static const std::map<QString, double> factors{
        {QStringLiteral("ns"), 1e-9},      {QStringLiteral("µs"), 1e-6},      {QStringLiteral("ms"), 1e-3},      {QStringLiteral("s"), 1},
        {QStringLiteral("min"), 60},       {QStringLiteral("h"), 3600},       {QStringLiteral("d"), 86400},      {QStringLiteral("years"), 365.25 * 86400},
        {QStringLiteral("KiB"), 1024},     {QStringLiteral("MiB"), 1024.0 * 1024}, {QStringLiteral("GiB"), kGiB},
        {QStringLiteral("TiB"), 1024 * kGiB}, {QStringLiteral("%"), 0.01},
        {QStringLiteral("FLOP/s"), 1},     {QStringLiteral("kFLOP/s"), 1e3},  {QStringLiteral("MFLOP/s"), 1e6},  {QStringLiteral("GFLOP/s"), 1e9},
        {QStringLiteral("TFLOP/s"), 1e12}, {QStringLiteral("PFLOP/s"), 1e15}, {QStringLiteral("EFLOP/s"), 1e18},
        {QStringLiteral("k"), 1e3},        {QStringLiteral("M"), 1e6},        {QStringLiteral("B"), 1e9},        {QStringLiteral("T"), 1e12},
    };
    const auto known = factors.find(unit);
    return known == factors.end() ? 1 : known->second;
}

/// Adds the difference to the baseline: an arrow, the sign, the amount in the unit and to the digit of the figure that
/// is shown, and whether it is for the better.
void compare(VerdictText& cell, const Figure& shown, double now, double before, bool lessIsBetter, const QString& prefix = {},
             const QString& unit = {})
{
    const qsizetype point = shown.value.indexOf(u'.');
    const int decimals = point < 0 ? 0 : static_cast<int>(shown.value.size() - point - 1);
    const double change = (now - before) / unitFactor(shown.unit);
    if (!std::isfinite(change))
        return;
    const QString amount = QString::number(std::abs(change), 'f', decimals);
    if (amount.toDouble() == 0) {
        cell.delta = tr("= baseline");
        return;
    }
    cell.delta = (change < 0 ? QStringLiteral("▼ −") : QStringLiteral("▲ +")) + prefix + amount + (unit.isEmpty() ? QString() : u' ' + unit);
    cell.tone = (change < 0) == lessIsBetter ? VerdictText::Tone::Good : VerdictText::Tone::Bad;
}

/// "95.0 %" -> "95 %": what was given is exact.
QString given(QString formatted)
{
    return formatted.replace(QStringLiteral(".00 "), QStringLiteral(" ")).replace(QStringLiteral(".0 "), QStringLiteral(" "));
}

struct Comparison {
    const VerdictState& state;
    const CapacityInputs& inputs;
    const std::optional<VerdictState>& baseline;
    const QString& baselineName;
};

VerdictText stepTime(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    const Figure figure = split(text(format(e.step)));
    VerdictText cell{tr("Step time"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    cell.note = rangeText(text(format(e.stepLow)), text(format(e.stepHigh)), figure.unit);
    if (e.step.value() > 0)
        cell.details << tr("%1 tokens").arg(billions(e.tokensPerSecond * e.step.value()));
    if (c.baseline) {
        compare(cell, figure, e.step.value(), c.baseline->estimate.step.value(), true, {}, figure.unit);
        cell.details = {tr("against %1").arg(c.baselineName.isEmpty() ? tr("the baseline") : c.baselineName)};
    }
    return cell;
}

VerdictText throughput(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    VerdictText cell{tr("Throughput"), billions(e.tokensPerSecond), tr("tokens/s"), {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    const int ranks = rankCount(e.strategy);
    if (ranks > 0)
        cell.details << tr("%1 per GPU").arg(text(formatNumber(e.tokensPerSecond / ranks)));
    if (c.baseline && c.baseline->estimate.tokensPerSecond > 0) {
        const Figure percent{QStringLiteral("0.0"), QStringLiteral("%")};
        compare(cell, percent, e.tokensPerSecond / c.baseline->estimate.tokensPerSecond, 1, false, {}, percent.unit);
    }
    return cell;
}

VerdictText utilisation(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    const Figure figure = split(text(formatShare(e.mfu)));
    VerdictText cell{tr("MFU"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    cell.details << tr("HFU %1").arg(text(formatShare(e.hfu)));
    if (c.baseline)
        compare(cell, figure, e.mfu, c.baseline->estimate.mfu, false, {}, tr("pt"));
    return cell;
}

VerdictText perAccelerator(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    const Figure figure = split(text(format(e.perAccelerator)));
    VerdictText cell{tr("Per GPU"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    if (e.mfu > 0)
        cell.details << tr("of %1 peak").arg(split(text(format(FlopsPerSecond(e.perAccelerator.value() / e.mfu)))).value);
    if (c.baseline)
        compare(cell, figure, e.perAccelerator.value(), c.baseline->estimate.perAccelerator.value(), false);
    return cell;
}

VerdictText memory(const Comparison& c)
{
    const Memory& m = c.state.estimate.memory;
    VerdictText cell;
    cell.title = tr("Peak memory, stage %1").arg(m.peakStage);
    const Figure peak = split(text(format(m.peak)));
    const QString capacity = given(text(format(m.capacity)));
    const bool sameUnit = split(capacity).unit == peak.unit;
    cell.value = peak.value;
    cell.unit = sameUnit ? tr("of %1").arg(capacity) : tr("%1 of %2").arg(peak.unit, capacity);
    const double share = m.capacity.value() > 0 ? m.peak.value() / m.capacity.value() : 0;
    cell.filled = std::isfinite(share) ? std::max(0.0, share) : 0;
    cell.alarm = !c.state.estimate.fits;
    if (cell.alarm)
        cell.note = tr("%1 over").arg(text(format(m.peak - m.capacity)));
    if (c.baseline)
        compare(cell, peak, m.peak.value(), c.baseline->estimate.memory.peak.value(), true, {}, peak.unit);
    return cell;
}

VerdictText run(const Comparison& c)
{
    VerdictText cell;
    if (!(c.inputs.tokens > 0) || !c.state.capacity || !(c.state.capacity->days > 0)) {
        cell.title = tr("Whole run");
        cell.value = QStringLiteral("–");
        cell.details << tr("no token budget given");
        return cell;
    }
    constexpr double kDay = 86400;
    const double days = c.state.capacity->days;
    const Figure figure = split(text(format(Seconds(days * kDay))));
    cell.title = tr("%1 tokens").arg(billions(c.inputs.tokens));
    cell.value = figure.value;
    cell.unit = figure.unit;
    if (c.inputs.goodput < 1)
        cell.note = tr("goodput %1").arg(given(text(formatShare(c.inputs.goodput))));
    const Estimate& e = c.state.estimate;
    if (e.step.value() > 0 && e.stepHigh > e.stepLow) {
        const auto scaled = [&](Seconds bound) { return text(format(Seconds(days * kDay * (bound / e.step)))); };
        cell.details << rangeText(scaled(e.stepLow), scaled(e.stepHigh), figure.unit) + u' ' + figure.unit;
    }
    if (c.baseline && c.baseline->capacity)
        compare(cell, figure, days * kDay, c.baseline->capacity->days * kDay, true, {}, figure.unit);
    return cell;
}

VerdictText cost(const Comparison& c)
{
    VerdictText cell;
    cell.title = tr("Cost");
    cell.value = QStringLiteral("–");
    if (!c.state.capacity || !(c.state.capacity->days > 0)) {
        cell.details << tr("no token budget given");
        return cell;
    }
    const Capacity& run = *c.state.capacity;
    const QString hours = tr("%1 GPU-h").arg(text(formatNumber(run.acceleratorHours)));
    const bool priced = c.inputs.pricePerAcceleratorHour > 0;
    cell.title = priced ? tr("Cost") : tr("GPU time");
    cell.value = priced ? money(run.cost, c.inputs) : split(hours).value;
    cell.unit = priced ? QString() : split(hours).unit;
    QStringList parts;
    if (priced)
        parts << hours;
    if (run.energyKwh > 0)
        parts << energy(run.energyKwh);
    cell.details = parts;
    if (c.baseline && c.baseline->capacity && priced) {
        const Figure shown = split(text(formatNumber(run.cost)).replace(u'G', u'B'));
        compare(cell, shown, run.cost, c.baseline->capacity->cost, true, currencySign(c.inputs), shown.unit);
    }
    return cell;
}

} // namespace

VerdictText verdictText(VerdictFigure figure, const VerdictState& state, const CapacityInputs& inputs,
                        const std::optional<VerdictState>& baseline, const QString& baselineName)
{
    const Comparison c{state, inputs, baseline, baselineName};
    switch (figure) {
    case VerdictFigure::StepTime: return stepTime(c);
    case VerdictFigure::Throughput: return throughput(c);
    case VerdictFigure::Mfu: return utilisation(c);
    case VerdictFigure::PerAccelerator: return perAccelerator(c);
    case VerdictFigure::Memory: return memory(c);
    case VerdictFigure::Run: return run(c);
    case VerdictFigure::Cost: return cost(c);
    }
    return {};
}

VerdictText unpricedText(VerdictFigure figure)
{
    VerdictText cell;
    cell.value = QStringLiteral("–");
    switch (figure) {
    case VerdictFigure::StepTime: cell.title = tr("Step time"); break;
    case VerdictFigure::Throughput: cell.title = tr("Throughput"); break;
    case VerdictFigure::Mfu: cell.title = tr("MFU"); break;
    case VerdictFigure::PerAccelerator: cell.title = tr("Per GPU"); break;
    case VerdictFigure::Memory: cell.title = tr("Peak memory"); break;
    case VerdictFigure::Run: cell.title = tr("Whole run"); break;
    case VerdictFigure::Cost: cell.title = tr("Cost"); break;
    }
    return cell;
}

QString VerdictText::sentence() const
{
    QStringList parts;
    parts << (unit.isEmpty() ? value : value + u' ' + unit);
    for (const QString& part : {note, delta}) {
        if (!part.isEmpty())
            parts << part;
    }
    parts << details;
    return title + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

} // namespace stratoplan

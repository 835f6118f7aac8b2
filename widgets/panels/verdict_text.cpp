// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/verdict_text.h"

#include "core/units/format.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

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

QString money(double amount, const CapacityInputs& inputs)
{
    const QString currency = inputs.currency == "USD" ? QStringLiteral("$") : inputs.currency == "EUR" ? QStringLiteral("€") : QString();
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

/// Adds the difference to the baseline: an arrow, the sign, the amount, and whether it is for the better.
template <class Format>
void compare(VerdictText& cell, double now, double before, bool lessIsBetter, Format amount)
{
    const double change = now - before;
    if (!std::isfinite(change))
        return;
    if (std::abs(change) < 0.0005 * std::abs(before)) { // below the third figure
        cell.delta = tr("= baseline");
        return;
    }
    const QString arrow = change < 0 ? QStringLiteral("▼ −") : QStringLiteral("▲ +");
    cell.delta = arrow + amount(std::abs(change));
    cell.tone = (change < 0) == lessIsBetter ? VerdictText::Tone::Good : VerdictText::Tone::Bad;
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
    VerdictText cell{tr("Step time"), figure.value, figure.unit, {}, {}, {}, {}, false, {}};
    cell.note = rangeText(text(format(e.stepLow)), text(format(e.stepHigh)), figure.unit);
    if (e.step.value() > 0)
        cell.detail = tr("%1 tokens per step").arg(billions(e.tokensPerSecond * e.step.value()));
    if (c.baseline) {
        compare(cell, e.step.value(), c.baseline->estimate.step.value(), true, [](double d) { return text(format(Seconds(d))); });
        cell.detail = tr("against %1").arg(c.baselineName.isEmpty() ? tr("the baseline") : c.baselineName);
    }
    return cell;
}

VerdictText throughput(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    VerdictText cell{tr("Throughput"), billions(e.tokensPerSecond), tr("tokens/s"), {}, {}, {}, {}, false, {}};
    const int ranks = rankCount(e.strategy);
    if (ranks > 0)
        cell.detail = tr("%1 per GPU").arg(text(formatNumber(e.tokensPerSecond / ranks)));
    if (c.baseline) {
        const double before = c.baseline->estimate.tokensPerSecond;
        compare(cell, e.tokensPerSecond, before, false, [before](double d) { return text(formatShare(d / before)); });
    }
    return cell;
}

VerdictText utilisation(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    const Figure figure = split(text(formatShare(e.mfu)));
    VerdictText cell{tr("MFU"), figure.value, figure.unit, {}, {}, {}, {}, false, {}};
    cell.detail = tr("HFU %1").arg(text(formatShare(e.hfu)));
    if (c.baseline)
        compare(cell, e.mfu, c.baseline->estimate.mfu, false, [](double d) { return tr("%1 pt").arg(text(formatNumber(d * 100))); });
    return cell;
}

VerdictText perAccelerator(const Comparison& c)
{
    const Estimate& e = c.state.estimate;
    const Figure figure = split(text(format(e.perAccelerator)));
    VerdictText cell{tr("Per GPU"), figure.value, figure.unit, {}, {}, {}, {}, false, {}};
    if (e.mfu > 0)
        cell.detail = tr("of %1 peak").arg(split(text(format(FlopsPerSecond(e.perAccelerator.value() / e.mfu)))).value);
    if (c.baseline) {
        compare(cell, e.perAccelerator.value(), c.baseline->estimate.perAccelerator.value(), false,
                [](double d) { return split(text(format(FlopsPerSecond(d)))).value; });
    }
    return cell;
}

VerdictText memory(const Comparison& c)
{
    const Memory& m = c.state.estimate.memory;
    VerdictText cell;
    cell.title = tr("Peak memory, stage %1").arg(m.peakStage);
    const Figure peak = split(text(format(m.peak)));
    QString capacity = text(format(m.capacity));
    capacity.replace(QStringLiteral(".00 "), QStringLiteral(" ")).replace(QStringLiteral(".0 "), QStringLiteral(" "));
    const bool sameUnit = split(capacity).unit == peak.unit;
    cell.value = peak.value;
    cell.unit = sameUnit ? tr("of %1").arg(capacity) : tr("%1 of %2").arg(peak.unit, capacity);
    cell.filled = m.capacity.value() > 0 ? m.peak.value() / m.capacity.value() : 0;
    cell.alarm = !c.state.estimate.fits;
    if (cell.alarm)
        cell.note = tr("%1 over").arg(text(format(m.peak - m.capacity)));
    if (c.baseline)
        compare(cell, m.peak.value(), c.baseline->estimate.memory.peak.value(), true, [](double d) { return text(format(Bytes(d))); });
    return cell;
}

VerdictText run(const Comparison& c)
{
    VerdictText cell;
    if (!(c.inputs.tokens > 0) || !c.state.capacity || !(c.state.capacity->days > 0)) {
        cell.title = tr("Whole run");
        cell.value = QStringLiteral("–");
        cell.detail = tr("no token budget given");
        return cell;
    }
    constexpr double kDay = 86400;
    const double days = c.state.capacity->days;
    const Figure figure = split(text(format(Seconds(days * kDay))));
    cell.title = tr("%1 tokens").arg(billions(c.inputs.tokens));
    cell.value = figure.value;
    cell.unit = figure.unit;
    if (c.inputs.goodput < 1)
        cell.note = tr("goodput %1").arg(text(formatShare(c.inputs.goodput)));
    const Estimate& e = c.state.estimate;
    if (e.step.value() > 0 && e.stepHigh > e.stepLow) {
        const auto scaled = [&](Seconds bound) { return text(format(Seconds(days * kDay * (bound / e.step)))); };
        cell.detail = rangeText(scaled(e.stepLow), scaled(e.stepHigh), figure.unit) + u' ' + figure.unit;
    }
    if (c.baseline && c.baseline->capacity)
        compare(cell, days, c.baseline->capacity->days, true, [](double d) { return text(format(Seconds(d * kDay))); });
    return cell;
}

VerdictText cost(const Comparison& c)
{
    VerdictText cell;
    cell.title = tr("Cost");
    cell.value = QStringLiteral("–");
    if (!c.state.capacity || !(c.state.capacity->days > 0)) {
        cell.detail = tr("no token budget given");
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
    cell.detail = parts.join(QStringLiteral(" · "));
    if (c.baseline && c.baseline->capacity && priced)
        compare(cell, run.cost, c.baseline->capacity->cost, true, [&](double d) { return money(d, c.inputs); });
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
    for (const QString& part : {note, delta, detail}) {
        if (!part.isEmpty())
            parts << part;
    }
    return title + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/verdict_text.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

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

/// Adds the difference to the baseline: an arrow, the sign, the amount in three figures with its own unit, and whether
/// it is for the better.
void compare(VerdictText& cell, double now, double before, bool lessIsBetter, const QString& magnitude)
{
    const double change = now - before;
    if (!std::isfinite(change))
        return;
    if (sameInThreeFigures(now, before)) {
        cell.delta = tr("= baseline");
        return;
    }
    cell.delta = arrowedText(change, magnitude);
    cell.tone = (change < 0) == lessIsBetter ? VerdictText::Tone::Good : VerdictText::Tone::Bad;
}

/// The same for a quantity: `Value` makes one of a double.
template <class Value>
void compare(VerdictText& cell, Value now, Value before, bool lessIsBetter)
{
    compare(cell, now.value(), before.value(), lessIsBetter, text(Value(std::abs((now - before).value()))));
}

/// "95.0 %" -> "95 %": what was given is exact.
QString given(QString formatted)
{
    return formatted.replace(QStringLiteral(".00 "), QStringLiteral(" "))
        .replace(QStringLiteral(".0 "), QStringLiteral(" "));
}

struct Comparison {
    const VerdictState& state;
    const plan::CapacityInputs& inputs;
    const std::optional<VerdictState>& baseline;
    const QString& baselineName;
};

VerdictText stepTime(const Comparison& c)
{
    const estimate::Estimate& e = c.state.estimate;
    const Figure figure = split(text(e.step));
    VerdictText cell{tr("Step time"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    cell.note = rangeText(text(e.stepLow), text(e.stepHigh));
    if (e.step.value() > 0)
        cell.details << tr("%1 tokens").arg(countText(e.tokensPerSecond * e.step.value()));
    if (c.baseline) {
        compare(cell, e.step, c.baseline->estimate.step, true);
        cell.details = {tr("against %1").arg(c.baselineName.isEmpty() ? tr("the baseline") : c.baselineName)};
    }
    return cell;
}

VerdictText throughput(const Comparison& c)
{
    const estimate::Estimate& e = c.state.estimate;
    VerdictText cell{tr("Throughput"), countText(e.tokensPerSecond), tr("tokens/s"), {}, {}, VerdictText::Tone::Neutral,
        {}, false, {}};
    const int ranks = rankCount(e.strategy);
    if (ranks > 0)
        cell.details << tr("%1 per accelerator").arg(countText(e.tokensPerSecond / ranks));
    if (c.baseline && c.baseline->estimate.tokensPerSecond > 0) {
        const double before = c.baseline->estimate.tokensPerSecond;
        compare(cell, e.tokensPerSecond, before, false, shareText(std::abs(e.tokensPerSecond / before - 1)));
    }
    return cell;
}

VerdictText utilisation(const Comparison& c)
{
    const estimate::Estimate& e = c.state.estimate;
    const Figure figure = split(shareText(e.mfu));
    VerdictText cell{tr("MFU"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    cell.details << tr("HFU %1").arg(shareText(e.hfu));
    if (c.baseline)
        compare(cell, e.mfu, c.baseline->estimate.mfu, false, pointsText(std::abs(e.mfu - c.baseline->estimate.mfu)));
    return cell;
}

VerdictText perAccelerator(const Comparison& c)
{
    const estimate::Estimate& e = c.state.estimate;
    const Figure figure = split(text(e.perAccelerator));
    VerdictText cell{
        tr("Per accelerator"), figure.value, figure.unit, {}, {}, VerdictText::Tone::Neutral, {}, false, {}};
    if (e.mfu > 0) {
        const QString peak = text(FlopsPerSecond(e.perAccelerator.value() / e.mfu));
        cell.details << tr("of %1 peak").arg(split(peak).unit == figure.unit ? split(peak).value : peak);
    }
    if (c.baseline)
        compare(cell, e.perAccelerator, c.baseline->estimate.perAccelerator, false);
    return cell;
}

VerdictText memory(const Comparison& c)
{
    const estimate::Memory& m = c.state.estimate.memory;
    VerdictText cell;
    cell.title = tr("Peak memory, stage %1").arg(m.peakStage);
    const Figure peak = split(text(m.peak));
    const QString capacity = given(text(m.capacity));
    const bool sameUnit = split(capacity).unit == peak.unit;
    cell.value = peak.value;
    cell.unit = sameUnit ? tr("of %1").arg(capacity) : tr("%1 of %2").arg(peak.unit, capacity);
    const double share = m.capacity.value() > 0 ? m.peak.value() / m.capacity.value() : 0;
    cell.filled = std::isfinite(share) ? std::max(0.0, share) : 0;
    cell.alarm = !c.state.estimate.fits;
    cell.note = !m.fitsAccelerator() ? tr("%1 over").arg(text(m.peak - m.capacity))
        : !m.fitsHost()              ? tr("host memory %1 over").arg(text(m.hostPeak - m.hostCapacity))
                                     : rangeText(text(m.peakLow), text(m.peakHigh));
    if (c.baseline)
        compare(cell, m.peak, c.baseline->estimate.memory.peak, true);
    return cell;
}

VerdictText run(const Comparison& c)
{
    VerdictText cell;
    if (!c.state.capacity || !(c.state.capacity->days.mid > 0)) {
        cell.title = tr("Whole run");
        cell.value = QStringLiteral("–");
        cell.details << tr("no token budget given");
        return cell;
    }
    constexpr double kDay = 86400;
    const double days = c.state.capacity->days.mid;
    const Figure figure = split(text(Seconds(days * kDay)));
    cell.title = tr("%1 tokens").arg(countText(c.state.capacity->tokens));
    cell.value = figure.value;
    cell.unit = figure.unit;
    const capacity::Capacity& run = *c.state.capacity;
    if (run.goodput.share < 1)
        cell.note = tr("goodput %1").arg(given(shareText(run.goodput.share)));
    if (run.days.high > run.days.low) {
        const QString range = rangeText(text(Seconds(run.days.low * kDay)), text(Seconds(run.days.high * kDay)));
        if (!range.isEmpty())
            cell.details << range;
    }
    if (c.baseline && c.baseline->capacity)
        compare(cell, Seconds(days * kDay), Seconds(c.baseline->capacity->days.mid * kDay), true);
    return cell;
}

VerdictText cost(const Comparison& c)
{
    VerdictText cell;
    cell.title = tr("Cost");
    cell.value = QStringLiteral("–");
    if (!c.state.capacity || !(c.state.capacity->days.mid > 0)) {
        cell.details << tr("no token budget given");
        return cell;
    }
    const capacity::Capacity& run = *c.state.capacity;
    const QString hours = gpuHoursText(run.acceleratorHours.mid);
    const bool priced = run.isPriced;
    cell.title = priced ? tr("Cost") : tr("Accelerator time");
    cell.value = priced ? moneyText(run.cost.mid, c.inputs.currency) : split(hours).value;
    cell.unit = priced ? QString() : split(hours).unit;
    QStringList parts;
    if (priced)
        parts << hours;
    if (run.idle > 0) // so that a run does not look cheaper for what failed
        parts << (c.inputs.paysForIdle ? tr("%1 idle paid") : tr("%1 idle not counted")).arg(groupedNumber(run.idle));
    if (run.energyKwh.mid > 0)
        parts << energyText(run.energyKwh.mid);
    cell.details = parts;
    if (c.baseline && c.baseline->capacity) {
        const capacity::Capacity& before = *c.baseline->capacity;
        if (priced)
            compare(cell, run.cost.mid, before.cost.mid, true,
                moneyText(std::abs(run.cost.mid - before.cost.mid), c.inputs.currency));
        else
            compare(cell, run.acceleratorHours.mid, before.acceleratorHours.mid, true,
                gpuHoursText(std::abs(run.acceleratorHours.mid - before.acceleratorHours.mid)));
    }
    return cell;
}

} // namespace

VerdictText verdictText(VerdictFigure figure, const VerdictState& state, const plan::CapacityInputs& inputs,
    const std::optional<VerdictState>& baseline, const QString& baselineName)
{
    const Comparison c{state, inputs, baseline, baselineName};
    switch (figure) {
    case VerdictFigure::StepTime:
        return stepTime(c);
    case VerdictFigure::Throughput:
        return throughput(c);
    case VerdictFigure::Mfu:
        return utilisation(c);
    case VerdictFigure::PerAccelerator:
        return perAccelerator(c);
    case VerdictFigure::Memory:
        return memory(c);
    case VerdictFigure::Run:
        return run(c);
    case VerdictFigure::Cost:
        return cost(c);
    }
    return {};
}

VerdictText unpricedText(VerdictFigure figure)
{
    VerdictText cell;
    cell.value = QStringLiteral("–");
    switch (figure) {
    case VerdictFigure::StepTime:
        cell.title = tr("Step time");
        break;
    case VerdictFigure::Throughput:
        cell.title = tr("Throughput");
        break;
    case VerdictFigure::Mfu:
        cell.title = tr("MFU");
        break;
    case VerdictFigure::PerAccelerator:
        cell.title = tr("Per accelerator");
        break;
    case VerdictFigure::Memory:
        cell.title = tr("Peak memory");
        break;
    case VerdictFigure::Run:
        cell.title = tr("Whole run");
        break;
    case VerdictFigure::Cost:
        cell.title = tr("Cost");
        break;
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

} // namespace stratoplan::widgets

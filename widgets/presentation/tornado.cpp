// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/tornado.h"

#include "core/narration/sensitivities.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

using sensitivity::Measure;

namespace {

AxisUnit unitOfFigure(Measure measure, double largest, const std::string& currency)
{
    constexpr double kThousand = 1e3, kMillion = 1e6;
    switch (measure) {
    case Measure::Step:
        return secondsUnit(largest);
    case Measure::Peak:
        return bytesUnit(largest);
    case Measure::Days:
        return {1, tr("days")};
    case Measure::Cost:
        return largest >= kMillion ? AxisUnit{kMillion, tr("million %1").arg(text(currency))}
                                   : AxisUnit{kThousand, tr("thousand %1").arg(text(currency))};
    case Measure::Energy:
        return {kThousand, tr("MWh")};
    }
    return {};
}

TornadoRow rowOf(const sensitivity::Bar& bar, Measure measure)
{
    const sensitivity::Input& input = bar.input;
    TornadoRow row;
    row.name = text(narration::nameOfInput(input.key));
    row.lowText = text(narration::amountOf(input, input.low));
    row.highText = text(narration::amountOf(input, input.high));
    row.low = bar.low.at(measure);
    row.high = bar.high.at(measure);
    row.source = text(input.source);
    row.isStated = input.isStated;
    return row;
}

/// Of the step and of the peak; other figures have it by the step.
std::optional<TornadoRow> unexplained(const sensitivity::Answer& answer, Measure measure)
{
    if (measure != Measure::Step && measure != Measure::Peak)
        return std::nullopt;
    const sensitivity::Residual& left = measure == Measure::Peak ? answer.peak : answer.step;
    TornadoRow row;
    row.name = tr("what no input explains");
    row.low = answer.base.at(measure) * std::exp(left.low);
    row.high = answer.base.at(measure) * std::exp(left.high);
    row.source = tr("Measured runs differ from their estimates by more than these inputs do.");
    row.isUnexplained = true;
    return row;
}

} // namespace

std::optional<TornadoView> tornadoView(
    const sensitivity::Answer& answer, Measure measure, const std::string& currency, bool isDrawn, std::size_t most)
{
    TornadoView view{measure, currency, answer.base.at(measure), {}, 0, {}, {}};
    if (!answer.base.knows(measure) || !std::isfinite(view.base))
        return std::nullopt;
    const std::vector<sensitivity::Bar> bars = byEffect(answer.bars, measure, answer.base);
    for (const sensitivity::Bar& bar : bars) {
        TornadoRow row = rowOf(bar, measure);
        if (view.rows.size() < most && std::isfinite(row.low) && std::isfinite(row.high))
            view.rows.push_back(std::move(row));
        else
            ++view.left;
    }
    if (auto row = unexplained(answer, measure); row && isDrawn)
        view.rows.push_back(std::move(*row));
    if (view.rows.empty())
        return std::nullopt;
    view.range = {view.base, view.base};
    for (const TornadoRow& row : view.rows) {
        view.range.low = std::min({view.range.low, row.low, row.high});
        view.range.high = std::max({view.range.high, row.low, row.high});
    }
    view.unit = unitOfFigure(measure, view.range.high, currency);
    return view;
}

QString figureText(Measure measure, double value, const std::string& currency)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    switch (measure) {
    case Measure::Step:
        return text(Seconds(value));
    case Measure::Peak:
        return text(Bytes(value));
    case Measure::Cost:
        return moneyText(value, currency);
    case Measure::Energy:
        return energyText(value);
    case Measure::Days:
        break;
    }
    return text(narration::amountOf(measure, value, currency));
}

QString figureName(Measure measure)
{
    switch (measure) {
    case Measure::Step:
        return tr("Step");
    case Measure::Peak:
        return tr("Peak memory");
    case Measure::Days:
        return tr("Days");
    case Measure::Cost:
        return tr("Cost");
    case Measure::Energy:
        return tr("Energy");
    }
    return {};
}

ChartTable tornadoTable(const TornadoView& view)
{
    const QString unit = view.unit.name;
    ChartTable table;
    table.columns = {tr("Input"), tr("At 10 %"), tr("At 90 %"),
        tr("%1 at 10 %, %2").arg(figureName(view.measure), unit),
        tr("%1 at 90 %, %2").arg(figureName(view.measure), unit), tr("From the estimate at 10 %, %"),
        tr("From the estimate at 90 %, %"), tr("Source")};
    for (const TornadoRow& row : view.rows)
        table.rows << QStringList{row.name, row.lowText, row.highText, cell(row.low / view.unit.factor),
            cell(row.high / view.unit.factor), cell(100 * (row.low / view.base - 1)),
            cell(100 * (row.high / view.base - 1)), row.source};
    return table;
}

QString tornadoText(const TornadoView& view)
{
    QStringList parts;
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 0; i < std::min(kNamed, view.rows.size()); ++i) {
        const TornadoRow& row = view.rows[i];
        parts << tr("%1 %2 to %3")
                     .arg(row.name, signedShareText(std::min(row.low, row.high) / view.base - 1),
                         signedShareText(std::max(row.low, row.high) / view.base - 1));
    }
    return tr("%1 of %2; moved most by %3.")
        .arg(figureName(view.measure), figureText(view.measure, view.base, view.currency),
            parts.join(QStringLiteral(", ")));
}

QString tornadoTip(const TornadoView& view, std::size_t place)
{
    const TornadoRow& row = view.rows[place];
    const auto line = [&](const QString& at, double value) {
        return tr("%1: %2 (%3)")
            .arg(at, figureText(view.measure, value, view.currency), signedShareText(value / view.base - 1));
    };
    const QString low = row.lowText.isEmpty() ? tr("10th percentile") : row.lowText.toHtmlEscaped();
    const QString high = row.highText.isEmpty() ? tr("90th percentile") : row.highText.toHtmlEscaped();
    QString tip = QStringLiteral("<div style='max-width:340px'><b>%1</b><br>%2<br>%3")
                      .arg(row.name.toHtmlEscaped(), line(low, row.low), line(high, row.high));
    if (!row.source.isEmpty())
        tip += QStringLiteral("<br><br>") + row.source.toHtmlEscaped();
    return tip + QStringLiteral("</div>");
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/validate/validation_model.h"

#include "core/reporting/worst_cases.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace stratoplan::gui {

namespace {

QString shareText(double share)
{
    return QString::fromStdString(formatShare(share));
}

QString signedPercent(double share)
{
    const QString size = QString::fromStdString(fixedDecimals(std::abs(100 * share), 1));
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size + QStringLiteral(" %");
}

const QString& dash()
{
    static const QString text = QStringLiteral("–");
    return text;
}

QVariant rightOf(int column, int lefts)
{
    return QVariant::fromValue(Qt::Alignment((column < lefts ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
}

struct Cell {
    double value = 0;
    QString text;
};

Cell errorCell(const validation::ErrorStatistics& s, double validation::ErrorStatistics::*value, bool isSigned)
{
    return s.n > 0 ? Cell{s.*value, isSigned ? signedPercent(s.*value) : shareText(s.*value)} : Cell{-1, dash()};
}

Cell sourceCell(const validation::SourceReport& source, const validation::ReportPart& part, bool memory, int column)
{
    switch (column) {
    case SourcesModel::Cases:
        return {double(part.fit.n), QString::fromStdString(groupedDigits(part.fit.n))};
    case SourcesModel::Mean:
        return errorCell(part.fit, &validation::ErrorStatistics::meanAbs, false);
    case SourcesModel::Bias:
        return errorCell(part.fit, &validation::ErrorStatistics::bias, true);
    case SourcesModel::P90:
        return errorCell(part.fit, &validation::ErrorStatistics::p90Abs, false);
    case SourcesModel::Worst:
        return errorCell(part.fit, &validation::ErrorStatistics::worst, true);
    case SourcesModel::LeftOut:
        return errorCell(part.leftOut, &validation::ErrorStatistics::meanAbs, false);
    case SourcesModel::WithoutSource:
        return errorCell(part.withoutSource, &validation::ErrorStatistics::meanAbs, false);
    case SourcesModel::WithoutSourceBias:
        return errorCell(part.withoutSource, &validation::ErrorStatistics::bias, true);
    case SourcesModel::InRange:
        return memory || !part.leftOut.withinRange
            ? Cell{-1, dash()}
            : Cell{*part.leftOut.withinRange, shareText(*part.leftOut.withinRange)};
    case SourcesModel::Rank:
    case SourcesModel::Regret:
        break;
    default:
        return {};
    }
    if (memory || source.ranking.groups == 0)
        return {-2, dash()};
    if (column == SourcesModel::Regret)
        return {source.ranking.regretMean, shareText(source.ranking.regretMean)};
    return {source.ranking.spearmanMean, QString::fromStdString(fixedDecimals(source.ranking.spearmanMean, 3))};
}

} // namespace

QString amountText(double value, double reference, bool memory)
{
    struct Unit {
        double size;
        const char* name;
    };
    static constexpr Unit kTime[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}};
    static constexpr Unit kMemory[] = {{1, "GiB"}, {1.0 / 1024, "MiB"}};
    const auto choose = [reference](std::span<const Unit> units) {
        const auto fits = std::find_if(units.begin(), units.end(),
            [reference](const Unit& candidate) { return std::abs(reference) >= candidate.size; });
        return fits == units.end() ? units.back() : *fits;
    };
    const Unit unit = memory ? choose(kMemory) : choose(kTime);
    const double amount = value / unit.size;
    const int whole = amount > 0 ? int(std::floor(std::log10(amount))) : 0;
    return QString::fromStdString(fixedDecimals(amount, std::max(0, 2 - whole))) + u' ' + QString::fromUtf8(unit.name);
}

void SourcesModel::show(const session::ValidationReportPointer& report, bool memory)
{
    beginResetModel();
    m_report = report;
    m_memory = memory;
    m_rows.clear();
    const auto shown = [&](const validation::SourceReport& source) {
        return (memory ? source.memory : source.time).fit.n > 0;
    };
    if (report && shown(report->all))
        m_rows.push_back(&report->all);
    if (report)
        for (const validation::SourceReport& source : report->sources)
            if (shown(source))
                m_rows.push_back(&source);
    endResetModel();
}

const validation::SourceReport* SourcesModel::source(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)] : nullptr;
}

const validation::ReportPart& SourcesModel::part(int row) const
{
    return m_memory ? source(row)->memory : source(row)->time;
}

int SourcesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SourcesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SourcesModel::data(const QModelIndex& index, int role) const
{
    const validation::SourceReport* report = source(index.row());
    if (!report)
        return {};
    if (role == Qt::TextAlignmentRole)
        return rightOf(index.column(), 1);
    if (index.column() == Source) {
        if (role == Qt::DisplayRole)
            return report == &m_report->all ? tr("All sources") : QString::fromStdString(report->source);
        // All sources together stay on top of the names.
        return role == SortRole
            ? QVariant(report == &m_report->all ? QString() : QString::fromStdString(report->source))
            : QVariant();
    }
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    const Cell cell = sourceCell(*report, part(index.row()), m_memory, index.column());
    if (role == Qt::DisplayRole)
        return cell.text;
    const bool isSigned = index.column() == Bias || index.column() == Worst || index.column() == WithoutSourceBias;
    return isSigned ? std::abs(cell.value) : cell.value; // the largest errors, of either sign, come together
}

// In one piece: a table: what stands above each column, and what is told of it.
QVariant SourcesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return rightOf(section, 1);
    struct Heading {
        QString text, tip;
    };
    const auto heading = [&]() -> Heading {
        switch (section) {
        case Source:
            return {tr("Source"), tr("Who measured it; revisions of one table are one source")};
        case Cases:
            return {tr("Cases"), tr("Measured cases that are estimated")};
        case Mean:
            return {tr("Fitted"), tr("Mean absolute error, on the cases that the constants were fitted to")};
        case Bias:
            return {tr("Bias"), tr("Mean signed error: above 0 is estimated too slow, or too large")};
        case P90:
            return {tr("90th"), tr("Nine of ten cases are off by no more")};
        case Worst:
            return {tr("Worst"), tr("Error of the worst case")};
        case LeftOut:
            return {tr("Left out"), tr("Mean absolute error when the model shape of the case is left out of the fit")};
        case WithoutSource:
            return {tr("Unseen"),
                tr("Mean absolute error when all that its publisher measured is left out of the fit: what a stranger "
                   "gets")};
        case WithoutSourceBias:
            return {tr("its bias"), tr("Mean signed error with the source left out")};
        case InRange:
            return {tr("In range"), tr("Share of the cases left out that lie in the 80 % range of their estimate")};
        case Rank:
            return {tr("Rank"),
                tr("Rank correlation of strategies measured side by side (Spearman, mean over groups of five and "
                   "more)")};
        case Regret:
            return {
                tr("Regret"), tr("How much slower our first choice was than the measured best, mean over the groups")};
        default:
            return {};
        }
    }();
    return role == Qt::DisplayRole ? QVariant(heading.text)
        : role == Qt::ToolTipRole  ? QVariant(heading.tip)
                                   : QVariant();
}

void WorstModel::show(std::vector<validation::WorstCase> cases)
{
    beginResetModel();
    m_cases = std::move(cases);
    endResetModel();
}

int WorstModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_cases.size());
}

int WorstModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant WorstModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const validation::WorstCase& worstCase = m_cases[static_cast<std::size_t>(index.row())];
    const auto amount = [&](double value) { return amountText(value, worstCase.point.measured, worstCase.memory); };
    if (role == Qt::TextAlignmentRole)
        return rightOf(index.column() == Reason ? 0 : index.column(), 1);
    const std::string known = reporting::likelyReason(worstCase);
    const QString reason = known.empty() ? tr("Not known") : QString::fromStdString(known);
    if (role == Qt::ToolTipRole)
        return index.column() == Reason ? QVariant(reason)
            : index.column() == Case    ? QVariant(QString::fromStdString(worstCase.point.id))
                                        : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Case:
        return QString::fromStdString(worstCase.point.id);
    case Measured:
        return amount(worstCase.point.measured);
    case Estimated:
        return amount(worstCase.point.estimated);
    case Error:
        return signedPercent(worstCase.point.error());
    case LeftOut:
        return worstCase.leftOut ? signedPercent(*worstCase.leftOut) : dash();
    case Reason:
        return reason;
    default:
        return {};
    }
}

QVariant WorstModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return rightOf(section == Reason ? 0 : section, 1);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Case:
        return tr("Worst cases");
    case Measured:
        return tr("Measured");
    case Estimated:
        return tr("Estimated");
    case Error:
        return tr("Error");
    case LeftOut:
        return tr("Left out");
    case Reason:
        return tr("Likely reason");
    default:
        return {};
    }
}

} // namespace stratoplan::gui

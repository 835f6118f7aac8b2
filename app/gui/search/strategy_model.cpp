// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/strategy_model.h"

#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace stratoplan::gui {

namespace {

bool isLeft(int column)
{
    return column == StrategyModel::Standing || (column >= StrategyModel::Sequence && column <= StrategyModel::Rare);
}

/// Of the columns that hold one number of the strategy.
constexpr std::array kNumbers{std::pair(StrategyModel::Tp, plan::Dimension::Tp),
    std::pair(StrategyModel::Pp, plan::Dimension::Pp), std::pair(StrategyModel::Dp, plan::Dimension::Dp),
    std::pair(StrategyModel::Cp, plan::Dimension::Cp), std::pair(StrategyModel::Ep, plan::Dimension::Ep),
    std::pair(StrategyModel::Vpp, plan::Dimension::Vpp),
    std::pair(StrategyModel::MicroBatch, plan::Dimension::MicroBatch),
    std::pair(StrategyModel::Zero, plan::Dimension::ZeroStage),
    std::pair(StrategyModel::Sequence, plan::Dimension::SequenceParallel),
    std::pair(StrategyModel::Recomputed, plan::Dimension::Recompute),
    std::pair(StrategyModel::Scheduled, plan::Dimension::Schedule)};

std::optional<plan::Dimension> dimensionOf(int column)
{
    const auto found = std::ranges::find(kNumbers, column, [](const auto& number) { return int(number.first); });
    return found == kNumbers.end() ? std::nullopt : std::optional(found->second);
}

QString standingText(widgets::StrategyPoint::Kind kind)
{
    switch (kind) {
    case widgets::StrategyPoint::Kind::Front:
        return StrategyModel::tr("front");
    case widgets::StrategyPoint::Kind::Dominated:
        return StrategyModel::tr("dominated");
    case widgets::StrategyPoint::Kind::OutOfMemory:
        break;
    }
    return StrategyModel::tr("too large");
}

} // namespace

StrategyModel::StrategyModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void StrategyModel::setStrategies(widgets::StrategySetPointer set)
{
    beginResetModel();
    m_set = std::move(set);
    m_best = 0;
    const bool more = m_set && largerIsBetter(m_set->best);
    for (const widgets::StrategyPoint& point : m_set ? m_set->points : std::vector<widgets::StrategyPoint>()) {
        if (point.kind != widgets::StrategyPoint::Kind::Front)
            continue;
        const double value = measured(point, m_set->best, m_set->rates);
        m_best = m_best == 0 ? value : more ? std::max(m_best, value) : std::min(m_best, value);
    }
    arrange();
    endResetModel();
}

void StrategyModel::setFilter(const widgets::StrategyFilter& filter, const std::optional<widgets::ParetoBrush>& brush)
{
    beginResetModel();
    m_filter = filter;
    m_brush = brush;
    arrange();
    endResetModel();
}

void StrategyModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= Columns)
        return;
    beginResetModel();
    m_column = column;
    m_order = order;
    arrange();
    endResetModel();
}

int StrategyModel::rowOf(std::size_t strategy) const
{
    const auto row = std::find(m_rows.begin(), m_rows.end(), static_cast<std::uint32_t>(strategy));
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

void StrategyModel::arrange()
{
    m_rows.clear();
    if (!m_set)
        return;
    // What does not fit is fast for nothing: where strategies are told by how good they are it comes last.
    const bool byWorth = m_column == Objective || m_column == AgainstBest || m_column >= Throughput;
    std::vector<std::tuple<bool, double, std::uint32_t>> keys;
    for (std::size_t i = 0; i < m_set->points.size(); ++i) {
        const widgets::StrategyPoint& point = m_set->points[i];
        if (m_filter.allows(point) && (!m_brush || m_brush->contains(point, m_set->rates)))
            keys.emplace_back(byWorth && point.kind == widgets::StrategyPoint::Kind::OutOfMemory,
                sortKey(point, m_column), static_cast<std::uint32_t>(i));
    }
    const double sign = m_order == Qt::AscendingOrder ? 1 : -1;
    std::stable_sort(keys.begin(), keys.end(), [sign](const auto& a, const auto& b) {
        return std::get<0>(a) != std::get<0>(b) ? std::get<0>(b) : sign * std::get<1>(a) < sign * std::get<1>(b);
    });
    m_rows.reserve(keys.size());
    for (const auto& [tooLarge, key, place] : keys)
        m_rows.push_back(place);
}

/// Texts sort by what they stand for.
double StrategyModel::sortKey(const widgets::StrategyPoint& point, int column) const
{
    const parallel::Strategy& s = point.strategy;
    double key = 0;
    switch (column) {
    case Standing:
        key = point.kind == widgets::StrategyPoint::Kind::Front     ? 0
            : point.kind == widgets::StrategyPoint::Kind::Dominated ? 1
                                                                    : 2;
        break;
    case Objective:
    case AgainstBest:
        key = measured(point, m_set->best, m_set->rates);
        break;
    case PeakMemory:
        key = point.peak.value();
        break;
    case Throughput:
        key = measured(point, widgets::StrategyMeasure::Throughput, m_set->rates);
        break;
    case StepTime:
        key = point.step.value();
        break;
    case Money:
        key = measured(point, widgets::StrategyMeasure::TokensPerMoney, m_set->rates);
        break;
    case Rare:
        key = double(widgets::rareTraits(s).count(u'·')) + !widgets::rareTraits(s).isEmpty();
        break;
    default:
        key = number(*dimensionOf(column), s);
        break;
    }
    return std::isfinite(key) ? key : 0;
}

double StrategyModel::against(const widgets::StrategyPoint& point) const
{
    return m_best > 0 ? measured(point, m_set->best, m_set->rates) / m_best - 1 : 0;
}

QString StrategyModel::textOf(const widgets::StrategyPoint& point, int column) const
{
    const parallel::Strategy& s = point.strategy;
    const auto amount = [&](widgets::StrategyMeasure measure) {
        return measureText(measure, measured(point, measure, m_set->rates), m_set->rates);
    };
    switch (column) {
    case Standing:
        return standingText(point.kind);
    case Objective:
        return amount(m_set->best);
    case AgainstBest:
        return against(point) == 0 ? tr("best")
                                   : widgets::signedText(against(point), widgets::shareText(std::abs(against(point))));
    case PeakMemory:
        return amount(widgets::StrategyMeasure::PeakMemory);
    case Throughput:
        return amount(widgets::StrategyMeasure::Throughput);
    case StepTime:
        return amount(widgets::StrategyMeasure::StepTime);
    case Money:
        return amount(widgets::StrategyMeasure::TokensPerMoney);
    case Zero:
        return widgets::zeroText(s);
    case Sequence:
        return s.tensorPartition != parallel::TensorPartition::Megatron ? QStringLiteral("–")
            : s.sequenceParallel                                        ? tr("yes")
                                                                        : tr("no");
    case Recomputed:
        return widgets::choiceText(plan::Dimension::Recompute, int(s.recompute));
    case Scheduled:
        return s.pp > 1 ? widgets::scheduleText(s.schedule) : QStringLiteral("–");
    case Rare:
        return widgets::rareTraits(s);
    default:
        return widgets::groupedNumber(number(*dimensionOf(column), s));
    }
}

int StrategyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StrategyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant StrategyModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const widgets::StrategyPoint& point = m_set->points[strategyOf(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(point, index.column());
    case Qt::ToolTipRole:
        return widgets::strategyText(point.strategy);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isLeft(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case widgets::RowDelegate::MutedRole:
        return point.kind != widgets::StrategyPoint::Kind::Front;
    default:
        return {};
    }
}

// In one piece: what stands above each column, and what is told of it.
QVariant StrategyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isLeft(section) ? Qt::AlignLeft : Qt::AlignRight)));
    const widgets::StrategyRates none;
    const widgets::StrategyRates& rates = m_set ? m_set->rates : none;
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Standing:
            return tr("On the front: nothing is better in as little memory. Dominated: something is. Too large: it "
                      "does not fit.");
        case AgainstBest:
            return tr("Against the best strategy found");
        case Rare:
            return tr("What few strategies have: ways of context parallelism, offload, places of the vocabulary, "
                      "uneven stages, other rank orders");
        case Zero:
            return tr("ZeRO stage, and the replicas that share out where it is not all of them");
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Standing:
        return tr("Standing");
    case Objective:
        return measureName(m_set ? m_set->best : widgets::StrategyMeasure::Throughput, rates);
    case AgainstBest:
        return tr("Against best");
    case PeakMemory:
        return measureName(widgets::StrategyMeasure::PeakMemory, rates);
    case Throughput:
        return measureName(widgets::StrategyMeasure::Throughput, rates);
    case StepTime:
        return measureName(widgets::StrategyMeasure::StepTime, rates);
    case Money:
        return measureName(widgets::StrategyMeasure::TokensPerMoney, rates);
    case Rare:
        return tr("Besides");
    default:
        break;
    }
    const std::optional<plan::Dimension> id = dimensionOf(section);
    return id ? widgets::tr(widgets::wordsOf(*id).heading) : QVariant();
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/cost_model.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QPainter>
#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr int kFirstMargin = 12, kColumnMargin = 7;
constexpr int kLeastMeasure = 92; ///< so that names of alternatives have room over few measures

int marginsOf(int column)
{
    return kColumnMargin + (column == 0 ? kFirstMargin : kColumnMargin) + 2;
}

} // namespace

void CostModel::set(
    QStringList operators, std::vector<PartitionAlternative> alternatives, std::vector<CostMeasure> measures)
{
    beginResetModel();
    m_operators = std::move(operators);
    m_alternatives = std::move(alternatives);
    m_measures = std::move(measures);
    endResetModel();
}

void CostModel::setMeasures(std::vector<CostMeasure> measures)
{
    beginResetModel();
    m_measures = std::move(measures);
    endResetModel();
}

int CostModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_operators.isEmpty() ? 0 : int(m_operators.size()) + 1;
}

int CostModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + int(m_alternatives.size()) * measures();
}

int CostModel::alternativeOf(int column) const
{
    return column == 0 || m_measures.empty() ? -1 : (column - 1) / measures();
}

QString CostModel::alternativeName(int alternative) const
{
    return m_alternatives[std::size_t(alternative)].name;
}

CostMeasure CostModel::measureOf(int column) const
{
    return m_measures[std::size_t(column - 1) % m_measures.size()];
}

PartitionCost CostModel::cost(int row, int alternative) const
{
    const PartitionAlternative& costs = m_alternatives[std::size_t(alternative)];
    if (row == m_operators.size())
        return costs.total;
    return std::size_t(row) < costs.operators.size() ? costs.operators[std::size_t(row)] : PartitionCost();
}

bool CostModel::isShortest(int row, int column) const
{
    const auto value = costValue(cost(row, alternativeOf(column)), CostMeasure::Time);
    if (!value || measureOf(column) != CostMeasure::Time)
        return false;
    int known = 0;
    for (int other = 0; other < int(m_alternatives.size()); ++other) {
        const auto time = costValue(cost(row, other), CostMeasure::Time);
        known += int(time.has_value());
        if (time && *time < *value)
            return false;
    }
    return known > 1;
}

QString CostModel::tip(int row, int column) const
{
    const int alternative = alternativeOf(column);
    const CostMeasure measure = measureOf(column);
    const QString name = row < m_operators.size() ? m_operators[row] : tr("Layer");
    QString tip = tr("%1, %2, %3: %4")
                      .arg(name, alternativeName(alternative), measureName(measure).toLower(),
                          costText(cost(row, alternative), measure));
    const auto value = costValue(cost(row, alternative), measure), first = costValue(cost(row, 0), measure);
    if (alternative > 0 && value && first && *first > 0 && measure != CostMeasure::Hidden)
        tip += tr(" (%1 against %2)").arg(signedShareText(*value / *first - 1), alternativeName(0));
    return tip;
}

QVariant CostModel::data(const QModelIndex& index, int role) const
{
    const int row = index.row(), column = index.column();
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (column == 0)
        return role == StrongRole                                ? QVariant(row == m_operators.size())
            : role != Qt::DisplayRole && role != Qt::ToolTipRole ? QVariant()
            : row < m_operators.size()                           ? QVariant(m_operators[row])
                                                                 : QVariant(tr("Layer"));
    const PartitionCost value = cost(row, alternativeOf(column));
    switch (role) {
    case Qt::DisplayRole:
        return costText(value, measureOf(column));
    case Qt::ToolTipRole:
        return tip(row, column);
    case StrongRole:
        return isShortest(row, column) || row == m_operators.size();
    default:
        return {};
    }
}

QVariant CostModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole)
        return section == 0 ? tr("Operator") : measureName(measureOf(section));
    if (role == Qt::ToolTipRole)
        return section == 0 ? tr("Up and Down choose an operator, Ctrl+C copies all")
                            : tr("%1\n%2: %3")
                                  .arg(alternativeName(alternativeOf(section)), measureName(measureOf(section)),
                                      measureTip(measureOf(section)));
    return {};
}

CostHeader::CostHeader(const CostModel& model, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
    , m_costs(model)
{
    connect(this, &QHeaderView::sectionResized, this, [this] { viewport()->update(); });
}

QSize CostHeader::sectionSizeFromContents(int section) const
{
    const QFontMetrics plain(font()), strong(scaledFont(font(), 1, true));
    int width = plain.horizontalAdvance(model()->headerData(section, Qt::Horizontal).toString()) + marginsOf(section);
    if (const int alternative = m_costs.alternativeOf(section); alternative >= 0) {
        const int name = strong.horizontalAdvance(m_costs.alternativeName(alternative)) + marginsOf(section);
        width = std::max({width, name / m_costs.measures(), m_costs.measures() == 1 ? kLeastMeasure : 0});
    }
    return {width, 2 * plain.height() + 10};
}

void CostHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Tokens& t = currentTokens();
    const int half = rect.height() / 2;
    painter->save();
    painter->fillRect(rect, t.surface);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.border);
    painter->setPen(t.secondaryText);
    painter->drawText(rect.adjusted(section == 0 ? kFirstMargin : kColumnMargin, half - 2, -kColumnMargin, -1),
        Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight),
        model()->headerData(section, Qt::Horizontal).toString());
    if (const int alternative = m_costs.alternativeOf(section); alternative >= 0) {
        const int first = 1 + alternative * m_costs.measures(), last = first + m_costs.measures() - 1;
        const int left = sectionViewportPosition(first), right = sectionViewportPosition(last) + sectionSize(last);
        painter->setClipRect(rect); // each column paints its part of the name
        painter->setFont(scaledFont(font(), 1, true));
        painter->setPen(t.text);
        const QRect line(left + kColumnMargin, rect.top() + 2, right - left - 2 * kColumnMargin, half);
        painter->drawText(line, Qt::AlignVCenter | (m_costs.measures() == 1 ? Qt::AlignRight : Qt::AlignHCenter),
            painter->fontMetrics().elidedText(m_costs.alternativeName(alternative), Qt::ElideRight, line.width()));
        painter->fillRect(QRect(left, rect.top(), 1, rect.height()), t.border);
    }
    painter->restore();
}

CostDelegate::CostDelegate(const CostModel& model, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_costs(model)
{
}

QSize CostDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QFontMetrics metrics(scaledFont(option.font, 1, true));
    return {metrics.horizontalAdvance(index.data().toString()) + marginsOf(index.column()), metrics.height()};
}

void CostDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = currentTokens();
    const QRect& cell = option.rect;
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(cell, t.accentSoft);
    painter->fillRect(QRect(cell.left(), cell.bottom(), cell.width(), 1), t.border);
    const int column = index.column();
    if (column > 0 && m_costs.alternativeOf(column) != m_costs.alternativeOf(column - 1))
        painter->fillRect(QRect(cell.left(), cell.top(), 1, cell.height()), t.border);
    const QString text = index.data().toString();
    painter->setFont(scaledFont(option.font, 1, index.data(CostModel::StrongRole).toBool()));
    painter->setPen(text == QStringLiteral("–") ? t.secondaryText : t.text);
    const QRect line = cell.adjusted(column == 0 ? kFirstMargin : kColumnMargin, 0, -kColumnMargin, 0);
    painter->drawText(line, column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(text, Qt::ElideRight, line.width()));
    if (option.state.testFlag(QStyle::State_Selected) && option.widget && showsFocus(*option.widget))
        paintRowFocus(*painter, cell, column == 0, column == m_costs.columnCount() - 1, t);
    painter->restore();
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/audit/audit_models.h"

#include "core/reporting/audits.h"
#include "core/units/sentence.h"
#include "widgets/panels/panel_style.h"
#include "widgets/presentation/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

QVariant sideOf(int column, int lefts)
{
    return QVariant::fromValue(Qt::Alignment((column < lefts ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
}

QString orDash(const std::optional<Seconds>& seconds)
{
    return seconds ? widgets::text(*seconds) : QStringLiteral("–");
}

} // namespace

void CausesModel::show(session::AuditPointer audit)
{
    beginResetModel();
    m_audit = std::move(audit);
    m_longest = 0;
    if (m_audit)
        for (const audit::CauseRow& row : m_audit->rows)
            m_longest = std::max({m_longest, row.estimated.value(), row.measured.value_or(Seconds{}).value()});
    endResetModel();
}

int CausesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_audit ? 0 : static_cast<int>(m_audit->rows.size());
}

int CausesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString CausesModel::cell(const audit::CauseRow& row, int column) const
{
    const bool hides = row.hiddenEstimated.value() > 0 || row.hiddenMeasured.value_or(Seconds{}).value() > 0;
    switch (column) {
    case CauseColumn:
        return widgets::text(asSentence(std::string(reporting::describe(row.cause))));
    case MeasuredColumn:
        return orDash(row.measured);
    case EstimatedColumn:
        return widgets::text(row.estimated);
    case DifferenceColumn:
        return row.measured ? widgets::signedText(
                   row.difference.value(), widgets::text(row.difference.value() < 0 ? -row.difference : row.difference))
                            : orDash(std::nullopt);
    case HiddenColumn:
        return hides ? orDash(row.hiddenMeasured) + QStringLiteral(" / ") + widgets::text(row.hiddenEstimated)
                     : QString();
    default:
        return {};
    }
}

QVariant CausesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const audit::CauseRow& row = m_audit->rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cell(row, index.column());
    case Qt::TextAlignmentRole:
        return sideOf(index.column(), MeasuredColumn);
    case Qt::ToolTipRole:
        return row.measured ? tr("%1 of the measured step").arg(widgets::shareText(row.share)) : QVariant();
    case MeasuredShareRole:
        return row.measured && m_longest > 0 ? row.measured->value() / m_longest : -1;
    case EstimatedShareRole:
        return m_longest > 0 ? row.estimated.value() / m_longest : 0;
    default:
        return {};
    }
}

QVariant CausesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return sideOf(section, MeasuredColumn);
    if (role == Qt::ToolTipRole && section == HiddenColumn)
        return tr("Communication behind computation, measured / estimated: no part of the step");
    if (role != Qt::DisplayRole)
        return {};
    const QStringList headings{
        tr("Cause"), tr("Measured above estimated"), tr("Measured"), tr("Estimated"), tr("Difference"), tr("Hidden")};
    return headings.value(section);
}

void CauseBars::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const widgets::Tokens& t = widgets::tokensOf(*option.widget);
    widgets::RowDelegate::paint(painter, option, index);
    constexpr double kSide = 8, kBetween = 2;
    const QRectF room = QRectF(option.rect).adjusted(kSide, 4, -kSide, -4);
    const double height = (room.height() - kBetween) / 2;
    const double measured = index.data(CausesModel::MeasuredShareRole).toDouble();
    const double estimated = index.data(CausesModel::EstimatedShareRole).toDouble();
    const auto bar = [&](double share, double top, const QColor& colour) {
        if (share > 0)
            painter->fillRect(QRectF(room.left(), top, std::max(1.0, share * room.width()), height), colour);
    };
    bar(measured, room.top(), t.mark(widgets::Mark::Forward));
    bar(estimated, room.top() + height + kBetween, t.mark(widgets::Mark::Bubble));
}

QSize CauseBars::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    constexpr int kWidth = 160;
    return {kWidth, widgets::RowDelegate::sizeHint(option, index).height()};
}

void MfuModel::show(session::AuditPointer audit)
{
    beginResetModel();
    m_audit = std::move(audit);
    endResetModel();
}

int MfuModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_audit ? 0 : static_cast<int>(m_audit->mfu.flops.size());
}

int MfuModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_audit ? 0 : 1 + static_cast<int>(m_audit->mfu.peaks.size());
}

QVariant MfuModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return sideOf(index.column(), 1);
    if (role != Qt::DisplayRole)
        return {};
    const audit::MfuTable& table = m_audit->mfu;
    const auto row = static_cast<std::size_t>(index.row());
    if (index.column() == 0)
        return widgets::text(asSentence(std::string(reporting::describe(table.flops[row].first))));
    const std::size_t value = row * table.peaks.size() + static_cast<std::size_t>(index.column()) - 1;
    const std::vector<std::size_t>& matching = m_audit->quotedMatches.matching;
    const bool isQuoted = m_audit->quoted && std::ranges::find(matching, value) != matching.end();
    return widgets::shareText(table.values[value].mfu) + (isQuoted ? QStringLiteral(" ✓") : QString());
}

QVariant MfuModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || !m_audit)
        return {};
    if (role == Qt::TextAlignmentRole)
        return sideOf(section, 1);
    if (role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("FLOPs of a step")
                        : widgets::text(reporting::describe(m_audit->mfu.peaks[static_cast<std::size_t>(section) - 1]));
}

} // namespace stratoplan::gui

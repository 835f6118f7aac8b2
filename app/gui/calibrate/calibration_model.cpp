// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibrate/calibration_model.h"

#include "core/reporting/runs.h"
#include "core/units/format.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::gui {

namespace {

QString joined(const std::vector<std::string>& parts)
{
    QStringList list;
    const auto says = [](const std::string& part) { // a degree of 1 is not used
        return part != "cp=1" && part != "ep=1" && part != "etp=1" && part != "vpp=1";
    };
    for (const std::string& part : parts)
        if (says(part))
            list << widgets::text(part).replace(u'_', u' ').replace(u'=', u' ');
    return list.join(QStringLiteral(" · "));
}

QString fittedAmountText(double amount, plan::CalibrationTarget target)
{
    return widgets::text(
        target == plan::CalibrationTarget::StepTime ? format(Seconds(amount)) : format(Bytes(amount * kGiB)));
}

/// "Optimizer fixed" and "ms" of "optimizer_fixed_ms".
struct ConstantName {
    QString name;
    QString unit;
};
ConstantName constantName(const std::string& key)
{
    static constexpr std::array kUnits{std::pair("_ms", "ms"), std::pair("_us", "µs"), std::pair("_gib", "GiB")};
    ConstantName result{widgets::text(key), {}};
    for (const auto& [ending, unit] : kUnits)
        if (result.name.endsWith(QLatin1String(ending))) {
            result.name.chop(static_cast<qsizetype>(qstrlen(ending)));
            result.unit = QString::fromUtf8(unit);
        }
    if (result.name.contains(QStringLiteral("bytes")))
        result.unit = QStringLiteral("B");
    result.name.replace(u'_', u' ');
    result.name[0] = result.name[0].toUpper();
    return result;
}

QString constantText(const calibration::FittedParameter& p, double value)
{
    const QString unit = constantName(p.key).unit;
    if (p.share)
        return widgets::text(formatShare(value));
    return widgets::text(formatNumber(value / p.unit)) + (unit.isEmpty() ? QString() : QStringLiteral(" ") + unit);
}

/// A spread in logarithms is a factor, one in logits moves a share.
QString spreadText(const calibration::FittedParameter& p, double spread)
{
    const double before = p.identified ? p.after : p.before;
    return p.share
        ? CalibrationModel::tr("± %1 points").arg(widgets::text(formatNumber(100 * spread * before * (1 - before))))
        : QStringLiteral("± ") + widgets::text(formatShare(spread));
}

constexpr double kClose = 0.05; ///< an error that nobody need look at

} // namespace

CalibrationModel::CalibrationModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void CalibrationModel::setRows(session::ReadRunsPointer rows, std::vector<bool> used)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_used = std::move(used);
    m_fit.reset();
    endResetModel();
}

void CalibrationModel::setFit(session::OwnFitPointer fit)
{
    m_fit = std::move(fit);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void CalibrationModel::setUsed(std::vector<bool> used)
{
    m_used = std::move(used);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

bool CalibrationModel::isUsed(int row) const
{
    const session::RunEntry& entry = m_rows->entries[static_cast<std::size_t>(row)];
    return !entry.unread && entry.index < m_used.size() && m_used[entry.index];
}

bool CalibrationModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole || isUnread(index.row()))
        return false;
    Q_EMIT useWanted(key(index.row()), value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags CalibrationModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == RunColumn && !isUnread(index.row()))
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

void CalibrationModel::setTarget(plan::CalibrationTarget target)
{
    m_target = target;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int CalibrationModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_rows ? 0 : static_cast<int>(m_rows->entries.size());
}

int CalibrationModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const calibration::FittedRow* CalibrationModel::rowOf(std::size_t run, bool fitted) const
{
    if (fitted && !m_fit)
        return nullptr;
    const bool time = m_target == plan::CalibrationTarget::StepTime;
    const calibration::Calibration& c =
        fitted ? (time ? m_fit->fitted.time : m_fit->fitted.memory) : (time ? m_rows->time : m_rows->memory);
    const auto found =
        std::find_if(c.rows.begin(), c.rows.end(), [&](const calibration::FittedRow& row) { return row.run == run; });
    return found == c.rows.end() ? nullptr : &*found;
}

std::optional<double> CalibrationModel::amount(std::size_t run, int column) const
{
    const calibration::MeasuredRun& measured = m_rows->runs[run];
    if (column == MeasuredColumn)
        return m_target == plan::CalibrationTarget::StepTime ? measured.stepSeconds : measured.peakGib;
    const calibration::FittedRow* const row = rowOf(run, column != StartColumn);
    if (!row)
        return std::nullopt;
    return column == LeftOutColumn ? row->leftOut : std::optional(column == StartColumn ? row->before : row->after);
}

QString CalibrationModel::toolTip(std::size_t run, int column) const
{
    const calibration::MeasuredRun& measuredRun = m_rows->runs[run];
    QStringList lines;
    if (column <= UnderstoodColumn) {
        lines << tr("%1, %2").arg(widgets::text(measuredRun.id), widgets::text(measuredRun.place));
        if (!measuredRun.stated.empty())
            lines << tr("Understood: %1").arg(joined(measuredRun.stated));
        if (!measuredRun.filled.empty())
            lines << tr("From the plan or derived: %1").arg(joined(measuredRun.filled));
        for (const calibration::RunDoubt& doubt : measuredRun.doubts)
            lines << widgets::text(reporting::describe(doubt));
        for (const calibration::RunRemark& remark : measuredRun.remarks)
            lines << widgets::text(reporting::describe(remark));
    } else if (const auto value = amount(run, column)) {
        const double measured = amount(run, MeasuredColumn).value_or(0);
        lines << (column == MeasuredColumn
                ? tr("Measured %1").arg(fittedAmountText(*value, m_target))
                : tr("Estimated %1, measured %2: %3")
                      .arg(fittedAmountText(*value, m_target), fittedAmountText(measured, m_target),
                          widgets::signedShareText(*value / measured - 1)));
    }
    return lines.join(u'\n');
}

QVariant CalibrationModel::runData(std::size_t run, int column, int role) const
{
    const calibration::MeasuredRun& measuredRun = m_rows->runs[run];
    const std::optional<double> value = column >= MeasuredColumn ? amount(run, column) : std::nullopt;
    const double measured = amount(run, MeasuredColumn).value_or(0);
    switch (role) {
    case Qt::DisplayRole:
        if (column == RunColumn)
            return widgets::text(measuredRun.id);
        if (column == UnderstoodColumn)
            return measuredRun.stated.empty() ? tr("all from the plan") : joined(measuredRun.stated);
        return value ? fittedAmountText(*value, m_target) : QStringLiteral("–");
    case widgets::RowDelegate::SecondLineRole:
        if (column == RunColumn)
            return measuredRun.remarks.empty()
                ? (widgets::text(measuredRun.id).endsWith(widgets::text(measuredRun.place))
                        ? QString()
                        : widgets::text(measuredRun.place))
                : widgets::text(reporting::describe(measuredRun.remarks.front()));
        if (column == UnderstoodColumn)
            return measuredRun.doubts.empty()
                ? tr("plan: %1").arg(joined(measuredRun.filled))
                : tr("In doubt: %1").arg(widgets::text(reporting::describe(measuredRun.doubts.front())));
        return value && measured > 0 && column > MeasuredColumn ? widgets::signedShareText(*value / measured - 1)
                                                                : QString();
    case widgets::RowDelegate::JudgementRole:
        if (column == UnderstoodColumn)
            return measuredRun.doubts.empty() ? 0 : -1;
        if (!value || measured <= 0 || column <= MeasuredColumn)
            return 0;
        return std::abs(*value / measured - 1) <= kClose ? 1 : std::abs(*value / measured - 1) > 3 * kClose ? -1 : 0;
    case Qt::ToolTipRole:
        return toolTip(run, column);
    default:
        return {};
    }
}

QVariant CalibrationModel::unreadData(const session::UnreadRun& unread, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return unread.reason;
    if (column == RunColumn && role == Qt::DisplayRole)
        return unread.id;
    if (column == RunColumn && role == widgets::RowDelegate::SecondLineRole)
        return unread.source == unread.id ? QString() : unread.source;
    if (column == UnderstoodColumn && role == Qt::DisplayRole)
        return tr("Not used");
    if (column == UnderstoodColumn && role == widgets::RowDelegate::SecondLineRole)
        return unread.reason;
    if (column == UnderstoodColumn && role == widgets::RowDelegate::JudgementRole)
        return -1;
    return {};
}

QVariant CalibrationModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_rows)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            index.column() <= UnderstoodColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    const session::RunEntry& entry = m_rows->entries[static_cast<std::size_t>(index.row())];
    if (entry.unread)
        return unreadData(m_rows->unread[entry.index], index.column(), role);
    if (role == Qt::CheckStateRole)
        return index.column() == RunColumn ? QVariant(isUsed(index.row()) ? Qt::Checked : Qt::Unchecked) : QVariant();
    if (role == widgets::RowDelegate::MutedRole)
        return !isUsed(index.row());
    return runData(entry.index, index.column(), role);
}

QVariant CalibrationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            section <= UnderstoodColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case RunColumn:
        return tr("Run");
    case UnderstoodColumn:
        return tr("Understood");
    case MeasuredColumn:
        return tr("Measured");
    case StartColumn:
        return tr("Estimated");
    case FittedColumn:
        return tr("Fitted");
    case LeftOutColumn:
        return tr("Left out");
    default:
        return {};
    }
}

void ConstantsModel::setFit(session::OwnFitPointer fit)
{
    beginResetModel();
    m_parameters.clear();
    if (fit) {
        for (const calibration::Calibration* c : {&fit->fitted.time, &fit->fitted.memory})
            m_parameters.insert(m_parameters.end(), c->parameters.begin(), c->parameters.end());
        std::stable_partition(m_parameters.begin(), m_parameters.end(),
            [](const calibration::FittedParameter& p) { return p.identified; });
    }
    endResetModel();
}

int ConstantsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_parameters.size());
}

int ConstantsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ConstantsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const calibration::FittedParameter& p = m_parameters[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            index.column() == NameColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return p.identified
            ? tr("%1: the rows say something about it").arg(widgets::text(p.key))
            : tr("%1: the rows say too little about it, so it stays at its prior").arg(widgets::text(p.key));
    if (role == widgets::RowDelegate::MutedRole)
        return !p.identified;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case NameColumn:
        return constantName(p.key).name;
    case BeforeColumn:
        return constantText(p, p.before);
    case AfterColumn:
        return p.identified ? constantText(p, p.after) : tr("as before");
    case PriorColumn:
        return spreadText(p, p.priorSpread);
    case SpreadColumn:
        return p.identified ? spreadText(p, p.spread) : QStringLiteral("–");
    default:
        return {};
    }
}

QVariant ConstantsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            section == NameColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn:
        return tr("Constant");
    case BeforeColumn:
        return tr("Before");
    case AfterColumn:
        return tr("Fitted");
    case PriorColumn:
        return tr("Prior spread");
    case SpreadColumn:
        return tr("Now");
    default:
        return {};
    }
}

} // namespace stratoplan::gui

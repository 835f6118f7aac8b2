// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/command_model.h"

#include "widgets/style/theme.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

CommandModel::CommandModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void CommandModel::setCommands(std::vector<Command> commands)
{
    beginResetModel();
    m_rows.clear();
    m_commands = std::move(commands);
    endResetModel();
}

void CommandModel::filter(const QString& text)
{
    beginResetModel();
    m_rows.clear();
    for (std::size_t i = 0; i < m_commands.size(); ++i) {
        const Command& command = m_commands[i];
        // The context may be typed too ("file save"), but a fit of the title alone is worth more.
        if (auto match = fuzzyMatch(text, command.title)) {
            match->score += 20;
            m_rows.push_back({i, std::move(*match)});
        } else if (auto wide = fuzzyMatch(text, QString(command.context + u' ' + command.title))) {
            m_rows.push_back({i, {wide->score, {}}});
        }
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), [this](const Row& a, const Row& b) {
        const bool enabledA = m_commands[a.command].enabled;
        const bool enabledB = m_commands[b.command].enabled;
        return enabledA != enabledB ? enabledA : a.match.score > b.match.score;
    });
    endResetModel();
}

const Command* CommandModel::command(const QModelIndex& index) const
{
    return index.isValid() ? &m_commands[m_rows[static_cast<std::size_t>(index.row())].command] : nullptr;
}

int CommandModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant CommandModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const Command& item = m_commands[row.command];
    switch (role) {
    case Qt::DisplayRole:
        return item.title;
    case Qt::AccessibleTextRole:
        return QString(item.context + QStringLiteral(": ") + item.title + u' ' + item.shortcut);
    case ContextRole:
        return item.context;
    case ShortcutRole:
        return item.shortcut;
    case PositionsRole:
        return QVariant::fromValue(QList<int>(row.match.positions.begin(), row.match.positions.end()));
    default:
        return {};
    }
}

Qt::ItemFlags CommandModel::flags(const QModelIndex& index) const
{
    const Command* item = command(index);
    if (!item)
        return Qt::NoItemFlags;
    return item->enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsSelectable;
}

// In one piece: each text is drawn in the room that those before it left: title, shortcut, context.
void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = currentTokens();
    const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.accentSoft);
        painter->drawRoundedRect(option.rect, 4, 4);
    }
    const QRect row = option.rect.adjusted(8, 0, -8, 0);
    const QString title = index.data(Qt::DisplayRole).toString();
    const auto positions = index.data(CommandModel::PositionsRole).value<QList<int>>();
    QFont strong = option.font;
    strong.setWeight(QFont::DemiBold);
    int x = row.left();
    for (qsizetype from = 0; from < title.size();) { // runs of matched and of other letters
        const bool matched = positions.contains(static_cast<int>(from));
        qsizetype to = from + 1;
        while (to < title.size() && positions.contains(static_cast<int>(to)) == matched)
            ++to;
        const QString run = title.mid(from, to - from);
        painter->setFont(matched ? strong : option.font);
        painter->setPen(enabled ? (matched ? t.accent : t.text) : t.disabledText);
        painter->drawText(
            QRect(x, row.top(), row.right() - x, row.height()), Qt::AlignVCenter | Qt::TextSingleLine, run);
        x += painter->fontMetrics().horizontalAdvance(run);
        from = to;
    }
    painter->setFont(option.font);
    painter->setPen(enabled ? t.secondaryText : t.disabledText);
    const QString shortcut = index.data(CommandModel::ShortcutRole).toString();
    const int shortcutWidth = painter->fontMetrics().horizontalAdvance(shortcut);
    painter->drawText(row, Qt::AlignVCenter | Qt::AlignRight, shortcut);
    const QRect context(x + 12, row.top(), std::max(0, row.right() - shortcutWidth - 12 - x - 12), row.height());
    painter->drawText(context, Qt::AlignVCenter | Qt::AlignLeft,
        painter->fontMetrics().elidedText(
            index.data(CommandModel::ContextRole).toString(), Qt::ElideRight, context.width()));
    painter->restore();
}

QSize CommandDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 12};
}

} // namespace stratoplan::widgets

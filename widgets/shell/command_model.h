// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the palette as rows, best fit first, and how a row is painted.
#pragma once

#include "widgets/presentation/fuzzy_match.h"
#include "widgets/shell/command_palette.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace stratoplan::widgets {

class CommandModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { ContextRole = Qt::UserRole, ShortcutRole, PositionsRole };

    explicit CommandModel(QObject* parent = nullptr);

    void setCommands(std::vector<Command> commands);
    /// Keeps what fits `text`; what cannot be done now comes last.
    void filter(const QString& text);
    /// nullptr for an invalid index.
    [[nodiscard]] const Command* command(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row {
        std::size_t command = 0;
        FuzzyMatch match;
    };
    std::vector<Command> m_commands;
    std::vector<Row> m_rows;
};

/// Title with the matched letters strong, the menu it comes from in grey, the shortcut at the right.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace stratoplan::widgets

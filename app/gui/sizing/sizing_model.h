// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of nodes that a run was sized on as rows: how many each takes, how long, at what cost, and which is best in
// what.
#pragma once

#include "app/session/sizing_worker.h"
#include "widgets/presentation/table.h"

#include <QAbstractTableModel>

#include <array>
#include <optional>

namespace stratoplan::gui {

class SizingModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Kind,
        Accelerators, ///< below it the nodes
        Days, ///< below it their range, as below cost and energy
        Done,
        Cost,
        Energy,
        Verdict, ///< in time or not; below it whether that is proven
        Strategy,
        Columns,
    };
    /// A number where the column has one; invalid where the row has none.
    static constexpr int SortRole = Qt::UserRole + 16;

    explicit SizingModel(QObject* parent = nullptr);

    /// Null: nothing. Rows of the same request stay.
    void setPicture(session::SizingPicturePointer picture);
    /// The rows are of another plan or question than stands there now.
    void setStale(bool stale);

    /// Null where it has no answer.
    [[nodiscard]] const sizing::SizingAnswer* answerAt(int row) const;
    [[nodiscard]] const session::SizingKind& kindAt(int row) const;
    [[nodiscard]] bool hasStart() const;
    /// Why the row has no answer, or all of its strategy.
    [[nodiscard]] QString details(int row) const;
    /// Of these rows, in plain numbers.
    [[nodiscard]] widgets::ChartTable table(const std::vector<int>& rows) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] std::optional<double> number(int row, int column) const;
    void findBest();
    [[nodiscard]] bool isBest(int row, int column) const;
    [[nodiscard]] QString textOf(int row, int column) const;
    [[nodiscard]] QString secondLine(int row, int column) const;
    [[nodiscard]] QString spreadOf(int row, int column) const;
    [[nodiscard]] QString verdict(int row) const;
    [[nodiscard]] QString proof(int row) const;
    [[nodiscard]] const session::SizedKind& sizedAt(int row) const { return m_picture->kinds[std::size_t(row)]; }
    [[nodiscard]] QString money(double amount) const;

    session::SizingPicturePointer m_picture;
    std::array<std::optional<double>, Columns> m_best; ///< of what is done in time, where several are
    bool m_stale = false;
};

} // namespace stratoplan::gui

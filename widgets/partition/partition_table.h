// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of a layer by what alternative divisions of them cost: an operator a row and the layer last, the
// alternatives side by side. The shortest time of a row is bold; Ctrl+C copies all of it.
#pragma once

#include "widgets/presentation/partition_costs.h"

#include <QWidget>

class QButtonGroup;
class QTableView;
class QToolButton;

namespace stratoplan::widgets {

class CostModel;

class PartitionTable : public QWidget {
    Q_OBJECT
public:
    explicit PartitionTable(QWidget* parent = nullptr);

    void setCosts(const QStringList& operators, const std::vector<PartitionAlternative>& alternatives);
    /// Tells nobody; -1: none.
    void setCurrentRow(int row);
    enum class Columns { Overview, Divisions, All };
    void setColumns(Columns columns);
    [[nodiscard]] Columns columns() const { return m_columns; }
    [[nodiscard]] QTableView& view() const { return *m_view; }
    /// In the order of the Tab key.
    [[nodiscard]] std::vector<QWidget*> tabStops() const;
    /// All that there is, in base units.
    [[nodiscard]] const ChartTable& table() const { return m_table; }

    QSize minimumSizeHint() const override; ///< with several rows

public Q_SLOTS:
    void copy() const;
    void exportTable();

Q_SIGNALS:
    /// Of an operator, by a person.
    void operatorChosen(int row);
    /// What came of an export.
    void reported(bool good, const QString& text);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void makeButtons();

    CostModel* m_model;
    QTableView* m_view;
    QButtonGroup* m_choice;
    QToolButton* m_copy;
    Columns m_columns = Columns::Overview;
    ChartTable m_table;
    bool m_choosing = false; ///< a selection that nobody made
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// Rows below a line that filters them: what is typed, a note beside it, buttons, what is wrong with the filter, and
// words in place of the rows where none is left. Whose the rows are decides what passes the filter; a row is chosen by
// click and arrow, opened by Enter and double click, let go by Esc.
#pragma once

#include <QWidget>

class QAbstractItemModel;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace stratoplan::widgets {

class ElidedLabel;
class ToneLabel;

class FilteredTable : public QWidget {
    Q_OBJECT

public:
    /// `name`: of the rows, "Strategies".
    FilteredTable(QAbstractItemModel* model, const QString& name, QWidget* parent);

    /// `terms`: what can be typed, as a tooltip.
    void setFilterHelp(const QString& placeholder, const QString& terms);
    void setFilterError(const QString& error);
    void setNote(const QString& note);
    /// In place of the rows, while there are none.
    void setEmptyText(const QString& text);
    QPushButton* addButton(const QString& text, const QString& tip);
    /// Tells nobody. None: -1.
    void selectRow(int row);

    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QLineEdit& filterLine() const { return *m_filter; }
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    void filterChanged(const QString& text);
    /// By a person. None any more: -1.
    void rowChosen(int row);
    /// The chosen one.
    void rowOpened();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void makeTop(const QString& name);
    void showRows();

    QLineEdit* m_filter;
    ElidedLabel* m_note;
    QHBoxLayout* m_top;
    ToneLabel* m_error;
    QTableView* m_table;
    QLabel* m_empty;
    QStackedLayout* m_rows;
    bool m_restoring = false; ///< a selection that nobody made just now
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The size of a run, from either end: what is asked on the left, beside it how many accelerators of each kind of nodes
// are done in time, and at what cost. One of them can be adopted while they are of the plan in the document.
#pragma once

#include "app/gui/sizing/sizing_model.h"

#include <QDialog>

class QAction;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace stratoplan::widgets {
class ElidedLabel;
class ToneLabel;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class SizingForm;

/// What the rows are of.
enum class SizingStanding {
    Current, ///< the document and the question as they stand
    Adopted, ///< the document before one of them was adopted
    OtherPlan,
    OtherQuestion,
};

class SizingDialog : public QDialog {
    Q_OBJECT

public:
    SizingDialog(const catalog::Catalog& catalog, QWidget* parent);

    [[nodiscard]] SizingForm& form() { return *m_form; }
    /// They work here, too.
    void setUndo(QAction& undo, QAction& redo);
    /// Null: nobody asked yet.
    void setPicture(const session::SizingPicturePointer& picture, bool running);
    void setStanding(SizingStanding standing);

    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] QString status() const;
    [[nodiscard]] QString notice() const; ///< why nothing can be adopted; empty where it can
    /// What stands in the place of the rows; empty while they are shown.
    [[nodiscard]] QString message() const;

Q_SIGNALS:
    void searchWanted(const session::SizingQuestion& question);
    void stopWanted();
    void adoptWanted(const session::SizingKind& kind, const sizing::SizingAnswer& found);

private:
    QWidget* makeQuestion();
    QWidget* makeAnswer();
    void makeTable();
    void makeActions();
    QWidget* makeFoot();
    void search();
    void showState();
    void fitColumns();
    void adopt();
    void copy() const;
    void showMenu(const QPoint& at);
    [[nodiscard]] int selectedRow() const; ///< of the model; -1: none
    [[nodiscard]] bool canAdopt() const;
    [[nodiscard]] QString noticeText() const;

    session::SizingPicturePointer m_picture;
    SizingStanding m_standing = SizingStanding::Current;
    bool m_running = false;
    QString m_undoKey; ///< "Ctrl+Z"

    SizingForm* m_form;
    SizingModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QPushButton* m_search;
    widgets::ElidedLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    widgets::ToneLabel* m_notice = nullptr;
    QStackedWidget* m_stack = nullptr;
    widgets::ToneLabel* m_message = nullptr;
    QTableView* m_table = nullptr;
    widgets::ElidedLabel* m_details = nullptr;
    QAction* m_copyRows = nullptr; ///< of the table, as m_adoptRow
    QAction* m_adoptRow = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_adopt = nullptr;
};

} // namespace stratoplan::gui

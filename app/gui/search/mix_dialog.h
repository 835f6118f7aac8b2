// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes of the cluster to use: what is asked on the left, beside it the mixes that were found, what is known of
// them, and how they compare with the plan as it is. One of them can be adopted while they are of the plan in the
// document.
#pragma once

#include "app/gui/search/mix_model.h"

#include <QDialog>

#include <optional>

class QAction;
class QLabel;
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

class MixForm;

/// What the rows are of.
enum class MixStanding {
    Current, ///< the plan as it stands, and the prices that stand there
    Adopted, ///< the plan before one of them was adopted
    OtherPlan,
    OtherPrices,
};

class MixDialog : public QDialog {
    Q_OBJECT

public:
    explicit MixDialog(QWidget* parent);

    [[nodiscard]] MixForm& form() { return *m_form; }
    /// They work here, too.
    void setUndo(QAction& undo, QAction& redo);
    /// How mixes are searched, in a few words.
    void setScope(const QString& scope);
    /// Null: nobody asked yet. `currency`: of its prices.
    void setPicture(const session::MixPicturePointer& picture, const std::string& currency, bool running);
    void setStanding(MixStanding standing);
    /// Nothing while it is unknown.
    void setPlanStep(std::optional<PlanStep> step);

    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] QString status() const;
    [[nodiscard]] QString notice() const; ///< why nothing can be adopted; empty where it can
    /// What stands in the place of the rows; empty while they are shown.
    [[nodiscard]] QString message() const;
    [[nodiscard]] QString planLine() const;

Q_SIGNALS:
    void searchWanted(const search::MixOptions& options);
    void stopWanted();
    void adoptWanted(const search::FoundMix& found);

private:
    QWidget* makeQuestion();
    QWidget* makeAnswer();
    void makeTable();
    void makeActions();
    QWidget* makeFoot();
    void search();
    void showRows();
    void fitColumns();
    void showState();
    void showPlan();
    void adopt();
    void copy() const;
    void showMenu(const QPoint& at);
    [[nodiscard]] const search::FoundMix* selected() const;
    [[nodiscard]] bool canAdopt() const;
    [[nodiscard]] QString noticeText() const;

    session::MixPicturePointer m_picture;
    MixStanding m_standing = MixStanding::Current;
    bool m_running = false;
    std::optional<PlanStep> m_planStep;
    QString m_undoKey; ///< "Ctrl+Z"

    MixForm* m_form;
    MixModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QPushButton* m_search;
    QLabel* m_scope = nullptr;
    widgets::ElidedLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    widgets::ToneLabel* m_notice = nullptr;
    QStackedWidget* m_stack = nullptr;
    widgets::ToneLabel* m_message = nullptr;
    QTableView* m_table = nullptr;
    widgets::ElidedLabel* m_plan = nullptr;
    QAction* m_copyRows = nullptr; ///< of the table, as m_adoptRow
    QAction* m_adoptRow = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_adopt = nullptr;
};

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// What is infeasible or doubtful, each with its amounts and one-click remedies.
#pragma once

#include "core/plan/problem.h"

#include <QAbstractButton>
#include <QWidget>
#include <vector>

class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace stratoplan::widgets {

class ElidedLabel;
class StaleVeil;

/// The sentence of a problem; a click leads to the field it is about.
class ProblemSentence : public QAbstractButton {
    Q_OBJECT

public:
    explicit ProblemSentence(const QString& text, bool leadsSomewhere, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool m_leadsSomewhere;
};

/// An outlined button with a small text, as wide as the text.
class RemedyButton : public QAbstractButton {
    Q_OBJECT

public:
    explicit RemedyButton(const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

class ProblemRow : public QWidget {
    Q_OBJECT

public:
    explicit ProblemRow(const plan::Problem& problem, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void remedyChosen(const plan::Remedy& remedy, const QString& label);
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void openRemedies();
    plan::Problem m_problem;
    ProblemSentence* m_sentence;
    std::vector<RemedyButton*> m_remedies;
    RemedyButton* m_more = nullptr; ///< a menu of the remedies for which there is no room
    std::size_t m_shown = 0;
};

class ProblemsPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(QWidget* parent = nullptr);

    /// Pales what is not of the plan as it stands, and writes `notice` over it; "" ends it.
    void setStale(const QString& notice);
    [[nodiscard]] QString staleNotice() const;
    /// Errors first; within a severity the order stays.
    void setProblems(std::vector<plan::Problem> problems);
    [[nodiscard]] const std::vector<plan::Problem>& problems() const { return m_problems; }
    /// What there is to check elsewhere: "1 thing to check on the canvas"; "" = nothing.
    void setAside(const QString& note);
    void setExpanded(bool expanded);
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void remedyChosen(const plan::Remedy& remedy, const QString& label);
    /// The person wants to see where the problem is.
    void problemActivated(const plan::Problem& problem);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void describe();
    void updateHeight();
    void showSummary();
    std::vector<plan::Problem> m_problems;
    QString m_aside;
    QScrollArea* m_scroll;
    QVBoxLayout* m_rows;
    ElidedLabel* m_summary;
    QToolButton* m_toggle;
    StaleVeil* m_veil;
    bool m_expanded = false;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The Search perspective: what is searched for and how, how far it is, the strategies as a picture and as rows. Picture
// and table show one selection; what is brushed in the picture is what the table lists.
#pragma once

#include "widgets/presentation/strategy_set.h"

#include <QWidget>

#include <optional>

class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;

namespace stratoplan::widgets {
class ChoiceField;
class ElidedLabel;
class FilteredTable;
class ParetoChart;
class ToneLabel;
class UnitField;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class StrategyModel;

class SearchPage : public QWidget {
    Q_OBJECT

public:
    explicit SearchPage(QWidget* parent = nullptr);

    void setSettings(const plan::SearchSettings& settings);
    /// What a deadline starts with when it is chosen: the step of the plan.
    void setUsualStep(Seconds step) { m_usualStep = step; }
    /// Null: nothing to show. The selected strategy stays selected if it is there again.
    void setStrategies(const widgets::StrategySetPointer& set);
    /// A line, and how much of the work is done; nothing: no work is going on.
    void setStatus(const QString& text, std::optional<double> share);
    enum class Verification { None, Possible, Running };
    /// What the button does, and what came of it; `good`: nothing if there is no verdict.
    void setVerification(Verification state, const QString& text, std::optional<bool> good);

    [[nodiscard]] widgets::ParetoChart& chart() const { return *m_chart; }
    [[nodiscard]] QTableView& table() const;
    [[nodiscard]] StrategyModel& model() const { return *m_model; }
    [[nodiscard]] QLineEdit& filterLine() const;
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] QString verificationText() const;
    [[nodiscard]] QString countText() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {360, 240}; }

Q_SIGNALS:
    void settingsEdited(const plan::SearchSettings& settings, const QString& actionText);
    void verifyWanted();
    void stopVerifyingWanted();
    void picked(const widgets::StrategyPoint& strategy);
    void adopted(const widgets::StrategyPoint& strategy);
    /// Esc: nothing is selected any more.
    void deselected();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* makeSettings();
    void makeChoices(QWidget* bar);
    void connectSettings();
    QWidget* makeStatus();
    void makeTable();
    void edit(const QString& text, const std::function<void(plan::SearchSettings&)>& change);
    void applyFilter();
    void showCount();
    void showSelection();
    void select(std::optional<std::size_t> strategy);
    void adoptSelected();

    plan::SearchSettings m_settings;
    Seconds m_usualStep{};
    widgets::StrategySetPointer m_set;
    std::optional<std::size_t> m_selected;

    widgets::ChoiceField* m_objective;
    widgets::ChoiceField* m_mode;
    widgets::ChoiceField* m_space;
    widgets::ChoiceField* m_framework;
    widgets::UnitField* m_headroom;
    widgets::UnitField* m_longest;
    widgets::ElidedLabel* m_status;
    QProgressBar* m_progress;
    QPushButton* m_verify;
    widgets::ToneLabel* m_verified;
    Verification m_verification = Verification::None;
    QSplitter* m_splitter;
    widgets::ParetoChart* m_chart;
    widgets::FilteredTable* m_list;
    QPushButton* m_clearBrush;
    QPushButton* m_adopt;
    StrategyModel* m_model;
};

} // namespace stratoplan::gui

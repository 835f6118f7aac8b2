// SPDX-License-Identifier: GPL-3.0-or-later
// The Studies perspective: what a sweep found, as a scaling curve, a heat map and rows, of one figure that is chosen on
// top. What the filter keeps is what all three show; one point is chosen in all three, and can be opened as a plan.
#pragma once

#include "app/session/study_worker.h"
#include "widgets/presentation/study.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace stratoplan::widgets {
class ChoiceField;
class ElidedLabel;
class FilteredTable;
class HeatMap;
class ScalingChart;
class ToneLabel;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class StudyModel;

class StudyPage : public QWidget {
    Q_OBJECT

public:
    explicit StudyPage(QWidget* parent = nullptr);

    void setStudy(const session::OpenedStudyPointer& study);
    /// Something was chosen that needs time to be read.
    void setReading(bool reading);

    [[nodiscard]] const exchange::StudyAnswers& answers() const { return *m_answers; }
    [[nodiscard]] std::optional<std::size_t> chosen() const { return m_chosen; }
    [[nodiscard]] widgets::ScalingChart& scaling() const { return *m_scaling; }
    [[nodiscard]] widgets::HeatMap& heatMap() const { return *m_heat; }
    [[nodiscard]] QTableView& table() const;
    [[nodiscard]] StudyModel& model() const { return *m_model; }
    [[nodiscard]] QLineEdit& filterLine() const;
    [[nodiscard]] QString titleText() const;
    [[nodiscard]] QString faultText() const;
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {480, 300}; }

Q_SIGNALS:
    void openWanted();
    void addWanted();
    void exampleWanted();
    void exportWanted();
    /// A place in the answers' points.
    void planWanted(std::size_t point);

private:
    QWidget* makeHeader();
    QLayout* makeTitles();
    QLayout* makeChoices();
    void makeTable();
    QWidget* makeEmptyState();
    QWidget* makeStudy();
    void connectCharts();
    void offerAxes();
    void showTitle();
    void showFaults();
    void applyFilter();
    void showCharts();
    void choose(std::optional<std::size_t> point);
    [[nodiscard]] widgets::StudyMeasure measure() const;

    session::OpenedStudyPointer m_study;
    widgets::StudyPointer m_answers = std::make_shared<const exchange::StudyAnswers>();
    std::optional<std::size_t> m_chosen;

    StudyModel* m_model;
    widgets::ScalingChart* m_scaling;
    widgets::HeatMap* m_heat;
    widgets::ElidedLabel* m_title;
    widgets::ToneLabel* m_faults;
    widgets::ChoiceField* m_measure;
    widgets::ChoiceField* m_over;
    widgets::ChoiceField* m_series;
    widgets::ChoiceField* m_columns;
    widgets::ChoiceField* m_rows;
    widgets::FilteredTable* m_list;
    QPushButton* m_openPlan;
    QPushButton* m_add;
    QPushButton* m_export;
    QLabel* m_emptyTitle;
    QLabel* m_emptyHint;
    QStackedLayout* m_stack;
};

} // namespace stratoplan::gui

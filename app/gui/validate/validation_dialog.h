// SPDX-License-Identifier: GPL-3.0-or-later
// The validation window: measured cases against estimates, by source. A table of errors, which is the list of sources
// as well; of the chosen one a scatter chart and the worst cases. Estimates run when it opens, off the GUI thread.
#pragma once

#include "app/session/validation_worker.h"

#include <QDialog>

class QLabel;
class QModelIndex;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace stratoplan::widgets {
class ScatterChart;
class ToneLabel;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class SourcesModel;
class WorstModel;

class ValidationDialog : public QDialog {
    Q_OBJECT

public:
    explicit ValidationDialog(QWidget* parent, std::string_view cases = validation::shippedCases());

    /// The one of this window, to the front; made if there is none. Deletes itself when it is closed.
    static ValidationDialog& openFor(QWidget& window);

    [[nodiscard]] bool isRunning() const { return m_worker.isRunning(); }
    [[nodiscard]] QTableView& sourcesTable() { return *m_sourcesTable; }
    [[nodiscard]] QTableView& worstTable() { return *m_worstTable; }
    [[nodiscard]] widgets::ScatterChart& chart() { return *m_chart; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString reason() const; ///< what is known of the chosen worst case
    /// What stands in the place of the tables; empty while they are shown.
    [[nodiscard]] QString message() const;

Q_SIGNALS:
    /// A case is to be opened as a plan of its own.
    void planWanted(const plan::Plan& plan);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    void makeStack();
    void hearWorker();
    QWidget* makeWorst();
    QWidget* makeBody();
    void run();
    void stop();
    void showRunning(bool running);
    void showMessage(const QString& text, bool wrong);
    void showReport(const session::ValidationReportPointer& report);
    void showMeasure(bool memory);
    void showSource(const QModelIndex& index);
    void showSummary();
    void fitSources();
    void openCase(const QModelIndex& index);
    void showCaseMenu(const QPoint& at);

    SourcesModel* m_sources;
    WorstModel* m_worst;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_sourcesTable = nullptr;
    QTableView* m_worstTable = nullptr;
    widgets::ScatterChart* m_chart = nullptr;
    QSplitter* m_cases = nullptr; ///< the chart, and the worst cases beside it
    QStackedWidget* m_stack = nullptr;
    widgets::ToneLabel* m_message = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_reason = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_time = nullptr;
    QPushButton* m_memory = nullptr;
    QPushButton* m_run = nullptr;
    session::ValidationReportPointer m_report;
    session::ValidationWorker m_worker;
};

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The Calibrate perspective: a person's measured runs, what was understood of them, the fit, and what it changes.
// It shows values and says what the person asks for; reading, fitting and the plan are others' business.
#pragma once

#include "app/session/calibration_worker.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace stratoplan::widgets {
class Picker;
class ToneLabel;
struct PickerItem;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class CalibrationModel;
class ConstantsModel;

class CalibrationPage : public QWidget {
    Q_OBJECT

public:
    explicit CalibrationPage(QWidget* parent = nullptr);

    /// The profiles that a fit can start from; `current` is an id of them.
    void setStarts(std::vector<widgets::PickerItem> starts, const QString& current, const QString& name);
    /// What the sources say; null while there are none. `used`: which runs a fit takes. A fit that is shown stays where
    /// `keepFit`.
    void setRows(const session::ReadRunsPointer& rows, std::vector<bool> used, bool keepFit);
    /// Forgets the fit, which was of others.
    void setUsed(std::vector<bool> used);
    /// The keyboard to the rows, or to the page while there are none.
    void takeFocus();
    void setReading(bool reading);
    /// total = 0: no fit is running.
    void setFitting(bool fitting, int done = 0, int total = 0);
    /// Null: none.
    void setFit(const session::OwnFitPointer& fit);

    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] CalibrationModel& rows() { return *m_model; }
    [[nodiscard]] ConstantsModel& constants() { return *m_constants; }
    [[nodiscard]] QString status() const;
    [[nodiscard]] QString errorSummary() const;

Q_SIGNALS:
    void pasteRequested();
    void openRequested();
    void clearRequested();
    void loadProfileRequested();
    void startChosen(const QString& id);
    /// Keys of entries.
    void deleteRequested(const QStringList& keys);
    void useRequested(const QStringList& keys, bool used);
    void fitRequested();
    void stopRequested();
    void applyRequested();
    void saveRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeResults();
    QWidget* makeFooter();
    void showTarget(plan::CalibrationTarget target);
    void showErrors();
    void updateButtons();
    void showMenu(const QPoint& at);
    [[nodiscard]] QStringList keysOf(const std::vector<int>& rows) const;
    [[nodiscard]] int usedCount() const;
    [[nodiscard]] QString statusText() const;

    CalibrationModel* m_model;
    ConstantsModel* m_constants;
    QStackedWidget* m_stack;
    QTableView* m_table = nullptr;
    QTableView* m_constantsTable = nullptr;
    QSplitter* m_splitter = nullptr;
    QWidget* m_results = nullptr;
    widgets::Picker* m_start = nullptr;
    QPushButton* m_clear = nullptr;
    QPushButton* m_time = nullptr;
    QPushButton* m_memory = nullptr;
    QPushButton* m_fitButton = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_save = nullptr;
    widgets::ToneLabel* m_status = nullptr;
    QLabel* m_errors = nullptr;
    session::ReadRunsPointer m_rows;
    std::vector<bool> m_used;
    session::OwnFitPointer m_fit;
    bool m_reading = false;
    bool m_fitting = false;
};

} // namespace stratoplan::gui

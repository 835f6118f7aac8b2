// SPDX-License-Identifier: GPL-3.0-or-later
// The audit window: a run beside the estimate of the plan. A person opens its log and a profile of its steps, or types
// what is known; lanes, causes, findings, settings, edits and MFU by convention answer. Works off the GUI thread.
#pragma once

#include "app/session/audit_worker.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;
class QVBoxLayout;

namespace stratoplan::widgets {
class LegendRow;
class StepLanes;
class ToneLabel;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class CausesModel;
class MfuModel;

class AuditDialog : public QDialog {
    Q_OBJECT

public:
    AuditDialog(std::shared_ptr<const plan::Plan> plan, QWidget* parent);

    /// The one of this window, to the front, with the plan as it is now; made if there is none.
    static AuditDialog& openFor(QWidget& window, std::shared_ptr<const plan::Plan> plan);

    void setPlan(std::shared_ptr<const plan::Plan> plan);
    void openLog(const QString& path);
    void openProfile(const QString& path);
    [[nodiscard]] bool isRunning() const { return m_worker.isRunning(); }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QTableView& causesTable() { return *m_causesTable; }
    [[nodiscard]] QTableView& mfuTable() { return *m_mfuTable; }
    [[nodiscard]] widgets::StepLanes& lanes() { return *m_lanes; }
    [[nodiscard]] QLineEdit& stepField() { return *m_step; }
    [[nodiscard]] QLineEdit& mfuField() { return *m_mfu; }

Q_SIGNALS:
    /// An edit is to be made.
    void planWanted(const plan::Plan& plan);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeBody();
    QWidget* makeLanes();
    QWidget* makeTexts();
    QLineEdit* makeField(const QString& name, const QString& placeholder);
    void hearWorker();
    void chooseFile(bool ofProfile);
    void ask();
    void showRunning(bool running);
    void showAudit(const session::AuditPointer& audit);
    void showTexts(const audit::Audit& audit);
    /// Of what an earlier audit said, where there is none now.
    void clear();
    void clearTexts();
    void addSection(const QString& heading, const QStringList& lines);
    void addEdits(const audit::Audit& audit);

    session::AuditQuestion m_question;
    CausesModel* m_causes;
    MfuModel* m_conventions;
    widgets::ToneLabel* m_summary = nullptr;
    QLabel* m_about = nullptr; ///< by what the step is told
    QString m_unread; ///< what is typed and cannot be read
    QProgressBar* m_progress = nullptr;
    QPushButton* m_log = nullptr;
    QPushButton* m_profile = nullptr;
    QLineEdit* m_step = nullptr;
    QLineEdit* m_mfu = nullptr;
    widgets::StepLanes* m_lanes = nullptr;
    widgets::LegendRow* m_legend = nullptr;
    QTableView* m_causesTable = nullptr;
    QTableView* m_mfuTable = nullptr;
    QLabel* m_quoted = nullptr;
    QSplitter* m_split = nullptr;
    QWidget* m_texts = nullptr;
    QVBoxLayout* m_textsColumn = nullptr;
    session::AuditWorker m_worker;
};

} // namespace stratoplan::gui

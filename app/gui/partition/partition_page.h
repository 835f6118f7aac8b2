// SPDX-License-Identifier: GPL-3.0-or-later
// The Partition perspective: how the tensor-parallel ranks of the plan divide a layer, what other divisions would cost,
// and what of them the plan is to have. Shows values and says what the person asks for.
#pragma once

#include "app/gui/partition/partition_texts.h"
#include "core/exchange/torch_module.h"

#include <QTimer>
#include <QWidget>

class QBoxLayout;
class QLabel;

namespace stratoplan::widgets {
class ChoiceField;
class ElidedLabel;
class PartitionExplorer;
class StaleVeil;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class FindingRow;
class PartitionButtons;
enum class PartitionCommand;

class PartitionPage : public QWidget {
    Q_OBJECT

public:
    explicit PartitionPage(QWidget* parent = nullptr);

    /// Whose strategy the buttons start from; what is shown is of an older plan until setReport().
    void setPlan(const plan::Plan& plan);
    /// Running: an answer is on its way, or what its report still lacks; after half a second it says how far that is.
    /// Cancelled: nothing is on its way, and it is offered.
    enum class Finding { Settled, Running, Cancelled };
    void setFinding(Finding finding);
    void setProgress(const estimate::PartitionProgress& progress);
    /// Of the plan as it stands. The division that was looked at stays where the answer has it, or will have it once
    /// its front is known, unless the plan names another one now. Null: nothing.
    void setReport(const session::PartitionReportPointer& report);
    /// The division shown; null: none.
    [[nodiscard]] const PartitionChoice* shown() const;

    [[nodiscard]] widgets::PartitionExplorer& explorer() const { return *m_explorer; }
    [[nodiscard]] widgets::ChoiceField& choice() const { return *m_choice; }
    [[nodiscard]] QString comparison() const;
    [[nodiscard]] QLabel& frontNote() const { return *m_frontNote; } ///< in sight where only some of it is offered
    [[nodiscard]] QString notice() const; ///< over a picture that is of an older plan
    [[nodiscard]] FindingRow& findingRow() const { return *m_row; }
    [[nodiscard]] PartitionButtons& buttons() const { return *m_buttons; }

Q_SIGNALS:
    /// The plan is to divide its layers so.
    void strategyWanted(const parallel::Strategy& strategy, const QString& actionText);
    void exportWanted(const exchange::TorchModule& module);
    void cancelWanted();
    void findWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeHeader();
    void makeTimers();
    void offerChoices();
    [[nodiscard]] int wantedChoice() const;
    void choose(int choice);
    void show(int choice);
    void showFinding();
    void showCancelled();
    void updateButtons();
    void carryOut(PartitionCommand command);
    void useBest();
    void pinShown();
    void backToMegatron();
    void exportShown();

    plan::Plan m_plan;
    session::PartitionReportPointer m_report;
    std::vector<PartitionChoice> m_choices; ///< of the report; none without a result
    int m_shown = -1;
    /// What is looked at where there is such a choice.
    PartitionChoice::Kind m_wantedKind = PartitionChoice::Kind::Best;
    std::vector<parallel::OperatorPartition> m_wantedOperators;
    bool m_isCurrent = false; ///< what is shown is of the plan
    Finding m_finding = Finding::Settled;
    QTimer m_patience; ///< quick answers need no notice
    QTimer m_longPatience; ///< nor do others need progress
    QWidget* m_header;
    QBoxLayout* m_bar;
    widgets::ChoiceField* m_choice;
    PartitionButtons* m_buttons;
    widgets::ElidedLabel* m_comparison;
    QLabel* m_frontNote;
    FindingRow* m_row;
    widgets::PartitionExplorer* m_explorer;
    widgets::StaleVeil* m_veil;
};

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// How a group of ranks divides the operators of a layer in space and time: the layer's operators, the ranks with their
// blocks at a step, a bar to move through the steps, what a rank holds, and what other divisions would cost.
#pragma once

#include "widgets/partition/partition_picture.h"
#include "widgets/partition/step_track.h"
#include "widgets/presentation/partition_legend.h"
#include "widgets/style/picture_file.h"

#include <QWidget>
#include <memory>

class QButtonGroup;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace stratoplan::widgets {

class ElidedLabel;
class GridLegend;
class PartitionGrid;
class PartitionPanes;
class PartitionTable;
class RankPanel;
class StepBar;

class PartitionExplorer : public QWidget {
    Q_OBJECT
public:
    explicit PartitionExplorer(QWidget* parent = nullptr);

    /// The operator, the rank and the step that a person has chosen stay where the new picture has them; at first the
    /// first linear operator is shown.
    void setPicture(PartitionPicture picture);
    [[nodiscard]] const PartitionPicture& picture() const { return m_picture; }
    /// Tells nobody; a name that no operator has changes nothing.
    void setOperator(const QString& name);
    [[nodiscard]] QString currentOperator() const;
    /// A step of a phase, numbered from the first of the forward phase; tells nobody.
    void setMoment(int moment);
    /// Which tensor the grid shows; none: all three.
    void setShownTensor(std::optional<partition::Tensor> tensor);
    [[nodiscard]] std::optional<partition::Tensor> shownTensor() const { return m_shown; }

    [[nodiscard]] PartitionGrid& grid() const { return *m_grid; }
    [[nodiscard]] StepBar& steps() const { return *m_steps; }
    [[nodiscard]] BlockDiagram& diagram() const { return *m_diagram; }
    [[nodiscard]] PartitionTable& table() const { return *m_table; }
    [[nodiscard]] RankPanel& rankPanel() const { return *m_rank; }
    [[nodiscard]] PartitionPanes& panes() const { return *m_panes; }
    [[nodiscard]] GridLegend& legend() const { return *m_legend; }
    [[nodiscard]] QLabel& message() const { return *m_message; }
    [[nodiscard]] QLabel& note() const { return *m_note; }
    [[nodiscard]] QLabel& sentence() const { return *m_sentence; }
    /// Of the ranks, at the step shown.
    [[nodiscard]] Picture pictureOfRanks() const;

    QSize sizeHint() const override { return {1240, 720}; }

Q_SIGNALS:
    /// By a person.
    void operatorChosen(const QString& name);
    void rankChosen(int rank); ///< -1: none any more
    /// What came of an export.
    void reported(bool good, const QString& text);

private:
    QWidget* makeCentre();
    QWidget* makeHeader();
    void makeParts();
    void makeExports();
    void joinParts();
    void orderTabs();
    void showOperator(int index);
    void presentOperator();
    void presentFacts();
    void setLegend(PartitionLegend legend);
    void presentMoment();
    void presentRank();
    void chooseOperator(int index);
    [[nodiscard]] GroupLook look() const;
    [[nodiscard]] StepStrip strip() const;
    [[nodiscard]] const PartitionOperator& shownOperator() const { return m_picture.operators[std::size_t(m_current)]; }

    PartitionPicture m_picture;
    std::shared_ptr<const PartitionScene> m_scene; ///< of the operator shown; none unless it is linear
    int m_current = -1;
    std::optional<partition::Tensor> m_shown;
    unsigned m_columnBits = 0;

    QStackedLayout* m_pages;
    QLabel* m_message;
    QLabel* m_note;
    ElidedLabel* m_title;
    ElidedLabel* m_size;
    ElidedLabel* m_facts;
    QLabel* m_sentence;
    GridLegend* m_legend;
    QButtonGroup* m_tensors;
    QToolButton* m_help;
    BlockDiagram* m_diagram;
    PartitionGrid* m_grid;
    StepBar* m_steps;
    RankPanel* m_rank;
    PartitionTable* m_table;
    PartitionPanes* m_panes = nullptr;
};

} // namespace stratoplan::widgets

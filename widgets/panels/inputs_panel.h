// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs of the planner: what model, on what cluster, trained how, divided how, for how long. It shows a plan and
// says which plan each gesture leads to; it owns neither the document nor an estimate.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/dimensions.h"
#include "core/plan/plan.h"
#include "widgets/presentation/slider_stop.h"

#include <QScrollArea>
#include <optional>
#include <set>
#include <vector>

namespace stratoplan::widgets {

class ClusterSection;
class InputsSection;
class LegalSlider;
class ModelSection;
class RunSection;
class Section;
class StrategySection;
class TrainingSection;

class InputsPanel : public QScrollArea {
    Q_OBJECT

public:
    /// `catalog` is what the choosers offer; it must outlive the panel.
    explicit InputsPanel(const catalog::Catalog& catalog = catalog::shippedCatalog(), QWidget* parent = nullptr);

    /// A plan that is shown already leaves the fields as they are.
    void setPlan(const plan::Plan& plan);
    void setCapacity(const plan::CapacityInputs& inputs);
    /// Verdicts on the values of a slider, as computed for the plan shown; matched by value.
    void setZones(plan::Dimension field, const std::vector<SliderStop>& zones);

    /// The dimensions of the strategy that a search is to keep.
    void setLocks(const std::set<plan::Dimension>& locks);

    /// Unfolds the section, scrolls to the field that a JSON pointer of the plan names ("/strategy/tp") and gives it
    /// the focus. False if the form has no such field.
    bool showField(const QString& pointer);

    /// Takes what is typed but not entered yet. Why a field is wrong, which then has the focus; empty if all are right.
    [[nodiscard]] QString commitPending();

    [[nodiscard]] std::vector<Section*> sections() const;
    [[nodiscard]] LegalSlider* slider(plan::Dimension field) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The panel shows the plan already. mergeId >= 0 while a slider is held: edits with the same id are one undo step.
    void planEdited(const plan::Plan& plan, const QString& actionText, int mergeId);
    void capacityEdited(const plan::CapacityInputs& inputs, const QString& actionText);
    void lockEdited(plan::Dimension dimension, bool locked, const QString& actionText);

protected:
    void changeEvent(QEvent* event) override;

private:
    void connectRun();
    void reveal(QWidget& field);
    ModelSection* m_model;
    ClusterSection* m_cluster;
    TrainingSection* m_training;
    StrategySection* m_strategy;
    std::vector<RunSection*> m_run;
    std::optional<plan::Plan> m_shown;
    int m_labelWidth = 0;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// A part of the form. It shows a plan and says which plan a gesture leads to; the panel owns what is shown.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"
#include "widgets/panels/section.h"

#include <functional>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

class ChoiceField;
class CountField;
class FieldRow;
class InfoRow;
class LockButton;
class LinkField;
class ToggleSwitch;
class UnitField;

class InputsSection : public Section {
    Q_OBJECT

public:
    InputsSection(const QString& title, const catalog::Catalog& catalog, QWidget* parent = nullptr);
    void setPlan(const plan::Plan& plan);

Q_SIGNALS:
    void planEdited(const plan::Plan& plan, const QString& actionText, int mergeId);

protected:
    /// Shows plan() in the fields, without signals.
    virtual void refresh() = 0;
    [[nodiscard]] const plan::Plan& plan() const { return m_plan; }
    [[nodiscard]] const catalog::Catalog& catalog() const { return *m_catalog; }
    /// Announces the plan that `change` makes of this one, unless it is the same.
    void edit(const QString& actionText, const std::function<void(plan::Plan&)>& change, int mergeId = -1);
    /// A whole number of the plan: its widget is named by the JSON pointer, so that a problem can lead to it.
    CountField* addCount(FieldRow& row, const QString& pointer, const QString& name,
        const std::function<void(plan::Plan&, int)>& change);

private:
    const catalog::Catalog* m_catalog;
    plan::Plan m_plan;
};

class ModelSection : public InputsSection {
    Q_OBJECT
public:
    explicit ModelSection(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void addSizes();
    void addSwitches();
    /// A double-click on the label of `row` copies its part from the published model.
    void restore(FieldRow* row, const QString& what,
        const std::function<void(model::Transformer&, const model::Transformer&)>& copy);
    void choose(const QString& id);
    [[nodiscard]] const catalog::ModelPreset* origin() const; ///< the preset the model came from, by name
    CountField* m_layers;
    CountField* m_hidden;
    CountField* m_heads;
    CountField* m_kvHeads;
    CountField* m_ffn;
    CountField* m_vocabulary;
    CountField* m_prediction;
    ToggleSwitch* m_gated;
    ToggleSwitch* m_tied;
    InfoRow* m_kinds; ///< of layers, where not all are transformer blocks
    InfoRow* m_experts;
    InfoRow* m_parameters;
};

class ClusterSection : public InputsSection {
    Q_OBJECT
public:
    explicit ClusterSection(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void addMachines();
    void addLinks();
    void addPorts();
    void addNodeRow(QWidget* row);
    void setLists();
    void choose(const QString& id);
    void editCluster(const QString& text, const std::function<cluster::Cluster(cluster::Cluster)>& change);
    /// A double-click on the label of `row` copies its part from the known node; `copy` gets the index of the group.
    void restore(FieldRow* row, const QString& what,
        const std::function<cluster::Cluster(cluster::Cluster, std::size_t, const cluster::NodeGroup&)>& copy);
    [[nodiscard]] std::optional<cluster::NodeGroup> origin() const; ///< what the catalogue has of the group shown
    [[nodiscard]] std::size_t group() const;
    [[nodiscard]] QString clusterName() const;
    FieldRow* m_groupRow;
    ChoiceField* m_group;
    Picker* m_accelerator;
    CountField* m_nodes;
    CountField* m_perNode;
    LinkField* m_inNode;
    LinkField* m_between;
    CountField* m_nics;
    CountField* m_domain;
    InfoRow* m_total;
    QWidget* m_empty;
    std::vector<QWidget*> m_nodeRows; ///< about the nodes: hidden while there are none
};

class TrainingSection : public InputsSection {
    Q_OBJECT
public:
    explicit TrainingSection(const catalog::Catalog& catalog, QWidget* parent = nullptr);
    /// Shuts or opens the padlock of the precision, without a signal.
    void setLocks(const std::set<plan::Dimension>& locks);

Q_SIGNALS:
    /// The padlock was shut or opened.
    void lockEdited(plan::Dimension dimension, bool locked, const QString& actionText);

protected:
    void refresh() override;

private:
    void addCounts();
    void addPrecision();
    void addReplicas();
    void addOptimizer();
    void addAttention();
    /// A double-click on the label of the row gives what it shows its default.
    void restoreBy(FieldRow& row, const QString& what, const std::function<void(plan::Training&)>& change);

    CountField* m_batch;
    CountField* m_sequence;
    CountField* m_documents;
    ChoiceField* m_precision;
    LockButton* m_precisionLock;
    ChoiceField* m_gradients;
    ChoiceField* m_reduction;
    ChoiceField* m_gather;
    ChoiceField* m_optimizer;
    ChoiceField* m_attention;
};

} // namespace stratoplan::widgets

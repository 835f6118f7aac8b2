// SPDX-License-Identifier: GPL-3.0-or-later
// One page of the inspector: the properties of what is selected. A page edits all selected elements of its kind and
// shows the values of the first; where they differ, its label says so.
#pragma once

#include "widgets/panels/unit_field.h"
#include "widgets/topology/cluster_edit.h"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace stratoplan::widgets {

class ChoiceField;
class CountField;
class FieldRow;
class InfoRow;
class LinkField;
class Picker;
class ToggleSwitch;
class TorusField;

class InspectorPage : public QWidget {
    Q_OBJECT
public:
    InspectorPage(const catalog::Catalog& catalog, QWidget* parent);

    /// `keys`: what of the cluster to show and edit.
    void setElements(const cluster::Cluster& cluster, const std::vector<std::string>& keys);
    /// Puts the keyboard into the first field.
    void focusName();
    /// Takes what is typed but not entered yet. Why a field is wrong, which then has the focus; empty if all are right.
    [[nodiscard]] QString commitPending();

Q_SIGNALS:
    /// The cluster after one edit.
    void edited(const cluster::Cluster& cluster, const QString& actionText);

protected:
    using Change = std::function<void(cluster::Cluster&, const std::string& key)>;

    virtual void refresh() = 0;
    /// Changes every selected element; one signal if anything became different.
    void apply(const QString& actionText, const Change& change);
    void addTitle();
    void setTitle(const QString& title, const QString& kind);
    void addName(const QString& explanation);
    void commitName();
    void showName(const QString& name);
    FieldRow* addField(const QString& label, const QString& explanation, QWidget* field);
    /// A number with its edit.
    CountField* addCount(const QString& label, const QString& explanation, const QString& actionText,
        const std::function<void(cluster::Cluster&, const std::string&, int)>& change);
    /// An amount with a unit; `actionText` takes it as it is shown.
    UnitField* addAmount(const QString& label, const QString& explanation, UnitKind kind, const QString& actionText,
        const std::function<void(cluster::Cluster&, const std::string&, double)>& change);
    /// A link of the catalogue, and its bandwidth.
    LinkField* addLink(const QString& label, const QString& explanation, bool network, const QString& actionText,
        const std::function<const cluster::Link*(const cluster::Cluster&, const std::string&)>& current,
        const std::function<void(cluster::Cluster&, const std::string&, const cluster::Link&)>& change);
    InfoRow* addInfo(const QString& label, const QString& explanation);
    void addSeparator();
    /// Marks rows whose values differ over the selection.
    void markMixed(FieldRow* row, bool mixed);
    [[nodiscard]] FieldRow* rowOf(QWidget* field) const;
    [[nodiscard]] bool linkEdited(const cluster::Link& link) const;

    [[nodiscard]] const catalog::Catalog& catalog() const { return *m_catalog; }
    [[nodiscard]] const cluster::Cluster& cluster() const { return m_cluster; }
    [[nodiscard]] const std::vector<std::string>& keys() const { return m_keys; }

private:
    const catalog::Catalog* m_catalog;
    cluster::Cluster m_cluster;
    std::vector<std::string> m_keys;
    QVBoxLayout* m_column;
    QLabel* m_title = nullptr;
    QLabel* m_kind = nullptr;
    QLineEdit* m_name = nullptr;
};

class NodesPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit NodesPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void showTotals(const std::vector<const cluster::NodeGroup*>& groups);
    void addInside();
    void addDomain();
    void addOutside();
    void addHost();
    CountField* m_count;
    Picker* m_accelerator;
    CountField* m_perNode;
    LinkField* m_scaleUp;
    CountField* m_domain;
    TorusField* m_torus;
    LinkField* m_nic;
    CountField* m_nics;
    UnitField* m_hostMemory;
    UnitField* m_hostBandwidth;
    UnitField* m_hostLink;
    InfoRow* m_total;
    InfoRow* m_peak;
    InfoRow* m_memory;
    InfoRow* m_linked;
};

class SwitchesPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit SwitchesPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void addStructure();
    ChoiceField* m_tier;
    CountField* m_count;
    CountField* m_ports;
    CountField* m_blocks;
    ToggleSwitch* m_reduces;
    InfoRow* m_used;
    InfoRow* m_down;
    InfoRow* m_up;
};

class ConnectionPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit ConnectionPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    /// Which groups of the plan send over the link; empty: not known, as of several links.
    void setCrossing(const QString& groups);

protected:
    void refresh() override;

private:
    LinkField* m_link;
    CountField* m_cables;
    InfoRow* m_total;
    InfoRow* m_perLower;
    InfoRow* m_latency;
    InfoRow* m_crossing;
};

/// The whole cluster: what it adds up to.
class TotalsPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit TotalsPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    std::vector<InfoRow*> m_rows;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// One page of the inspector: the properties of what is selected. A page edits all selected elements of its kind and
// shows the values of the first; where they differ, its label says so.
#pragma once

#include "widgets/topology/cluster_fields.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace stratoplan::widgets {

class FieldRow;
class InfoRow;

class InspectorPage : public QWidget {
    Q_OBJECT
public:
    InspectorPage(const catalog::Catalog& catalog, QWidget* parent);

    /// `rows`: what of the cluster to show and edit.
    void setRows(const cluster::Cluster& cluster, const std::vector<std::size_t>& rows);
    /// Puts the keyboard into the first field.
    void focusName();
    /// Takes what is typed but not entered yet. Why a field is wrong, which then has the focus; empty if all are right.
    [[nodiscard]] QString commitPending();

Q_SIGNALS:
    /// The cluster after one edit.
    void edited(const cluster::Cluster& cluster, const QString& actionText);
    /// The person is done with the field that had the keyboard.
    void finished();

protected:
    virtual void refresh() = 0;
    void addTitle();
    void setTitle(const QString& title, const QString& kind);
    /// Every property of these that is edited, in groups.
    void addFields(RowKind kind);
    /// Their values, those of the first row; labels of those that differ say so.
    void showFields();
    InfoRow* addInfo(const QString& label, const QString& explanation);
    void addSeparator();

    [[nodiscard]] const catalog::Catalog& catalog() const { return *m_catalog; }
    [[nodiscard]] const cluster::Cluster& cluster() const { return m_cluster; }
    [[nodiscard]] const std::vector<std::size_t>& rows() const { return m_rows; }

    void addName(const ClusterField& field);
    void showName();

private:
    struct Line {
        const ClusterField* field;
        FieldRow* row;
        QWidget* editor;
    };
    /// Changes every selected element; one signal if anything became different.
    void apply(const ClusterField& field, const QVariant& value);
    void commitName();
    void addField(const ClusterField& field, QWidget* editor);

    const catalog::Catalog* m_catalog;
    cluster::Cluster m_cluster;
    std::vector<std::size_t> m_rows;
    std::vector<Line> m_lines;
    QVBoxLayout* m_column;
    QLabel* m_title = nullptr;
    QLabel* m_subtitle = nullptr;
    QLineEdit* m_name = nullptr;
    FieldRow* m_nameRow = nullptr;
    const ClusterField* m_nameField = nullptr;
};

class NodesPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit NodesPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void showTotals();
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
    /// How long it is in use in a step, and what that counts; empty: not known.
    void setBusy(const QString& busy, const QString& explanation);

protected:
    void refresh() override;

private:
    InfoRow* m_total;
    InfoRow* m_perLower;
    InfoRow* m_latency;
    InfoRow* m_crossing;
    InfoRow* m_busy;
};

/// The whole cluster, in one row: its name, and what it adds up to.
class TotalsPage final : public InspectorPage {
    Q_OBJECT
public:
    explicit TotalsPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    std::vector<InfoRow*> m_totals;
};

} // namespace stratoplan::widgets

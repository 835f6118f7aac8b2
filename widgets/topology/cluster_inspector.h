// SPDX-License-Identifier: GPL-3.0-or-later
// The properties of what is selected on the canvas, editable; with nothing selected, what the cluster adds up to and
// what is doubtful about it. Speaks of edits as the canvas does: one clusterEdited() each.
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QScrollArea>
#include <QStringList>

namespace stratoplan::widgets {

class ConnectionPage;
class InspectorPage;
class IssueList;
class MixedPage;
class NodesPage;
class SwitchesPage;
class TotalsPage;
class WhatIfList;

class ClusterInspector final : public QScrollArea {
    Q_OBJECT
public:
    /// The catalogue must outlive the inspector.
    explicit ClusterInspector(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    void setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions);
    /// Ids of elements and keys of connections, as TopologyView::selection() names them.
    void setSelection(const QStringList& keys);
    /// Shows the element and puts the keyboard into its name.
    void edit(const QString& key);
    /// Takes what is typed but not entered yet. Why a field is wrong, which then has the focus; empty if all are right.
    [[nodiscard]] QString commitPending();
    [[nodiscard]] InspectorPage* currentPage() const;

    /// Of the link that is selected, by whoever knows the plan.
    void setCrossing(const QString& groups);
    /// How long it is in use in a step, and what that counts; empty: not known.
    void setBusy(const QString& busy, const QString& explanation);
    /// Of what is selected; whoever knows the plan fills it.
    [[nodiscard]] WhatIfList& whatIfs() const { return *m_whatIfs; }

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void clusterEdited(
        const cluster::Cluster& cluster, const plan::CanvasPositions& positions, const QString& actionText);
    /// The person is done with a field: the keyboard belongs to the canvas again.
    void finished();
    /// The person wants to see this element on the canvas.
    void elementRequested(const QString& id);
    /// It can be seen from now on.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    template <class Page>
    void addPage(Page* page, QLayout& column);

    CanvasValue m_value;
    QStringList m_selection;
    NodesPage* m_nodes;
    SwitchesPage* m_switches;
    ConnectionPage* m_connection;
    TotalsPage* m_totals;
    MixedPage* m_mixed;
    WhatIfList* m_whatIfs;
    IssueList* m_issues;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster as a table, for those who prefer one to a canvas: sections of nodes, switches and links, a property a
// cell. It shows a cluster value and tells edits of it, as the canvas does. What it has in common with the canvas
// (copies, what is removed, where something new stands) it asks for: whoever owns both lets the canvas do it, which
// has the same selection.
#pragma once

#include "widgets/topology/canvas_edits.h"
#include "widgets/topology/cluster_review.h"

#include <QStringList>
#include <QWidget>

#include <array>
#include <memory>

class QAction;
class QSplitter;

namespace stratoplan::widgets {

class ClusterRows;
class NewLinkBar;
class Picker;

class ClusterTable final : public QWidget {
    Q_OBJECT
public:
    /// The catalogue must outlive the table.
    explicit ClusterTable(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    void setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions);
    /// Ids of elements and keys of connections.
    [[nodiscard]] QStringList selection() const;
    void setSelection(const QStringList& keys);
    /// Takes what is typed but not entered yet. Why a cell is wrong, which then has the focus; empty if all are right.
    [[nodiscard]] QString commitPending();
    /// Stands above the table at the right.
    void addTool(QAction* action);
    /// Of the section that has the keyboard, or had it last.
    void add();
    void cut();
    void copy();
    void paste();

    /// Nodes, switches, links.
    [[nodiscard]] const std::array<ClusterRows*, 3>& sections() const { return m_sections; }
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void edited(const CanvasEdit& edit);
    void selectionChanged(const QStringList& keys);
    /// What was asked cannot be.
    void refused(const QString& why);
    /// A preset (a key as in preset_key.h) is to be placed.
    void presetWanted(const QString& key);
    // Of what is selected.
    void removeWanted();
    void duplicateWanted();
    void cutWanted();
    void copyWanted();
    /// Elements are on the clipboard.
    void pasteWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void makeSections(const catalog::Catalog& catalog);
    void makeActions();
    void addControls(const catalog::Catalog& catalog);
    void showValue();
    void fitSections();
    void selectionMoved(ClusterRows& section, bool adds);
    [[nodiscard]] ClusterRows& current() const;

    std::shared_ptr<const CanvasValue> m_value;
    bool m_isStale = false; ///< shows an older value, unseen
    bool m_isSized = false; ///< a person gave the sections their heights
    std::array<ClusterRows*, 3> m_sections{};
    ClusterRows* m_lastSection = nullptr;
    std::array<Picker*, 2> m_presets{}; ///< of nodes, of switches
    NewLinkBar* m_newLink = nullptr;
    QSplitter* m_splitter;
    QStringList m_selection; ///< as last told or set
    QAction* m_add = nullptr;
    QAction* m_duplicate = nullptr;
    QAction* m_remove = nullptr;
    QAction* m_cut = nullptr;
    QAction* m_copy = nullptr;
    QAction* m_paste = nullptr;
};

} // namespace stratoplan::widgets

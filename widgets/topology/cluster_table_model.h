// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of nodes, groups of switches or the links of a cluster as rows, their properties as columns. An edit of a cell
// is told as the edit of the cluster that it comes to; the rows change when the cluster does.
#pragma once

#include "widgets/topology/cluster_cells.h"
#include "widgets/topology/cluster_review.h"

#include <QAbstractTableModel>

#include <map>
#include <memory>

namespace stratoplan::widgets {

class ClusterTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { SeverityRole = Qt::UserRole + 8 }; ///< int, of plan::Severity; not valid: nothing is wrong

    /// The catalogue must outlive the model.
    ClusterTableModel(RowKind kind, const catalog::Catalog& catalog, QObject* parent);

    /// Rows of the same keys are changed, others take their place.
    void setValue(const std::shared_ptr<const CanvasValue>& value, const std::vector<ClusterIssue>& issues);
    [[nodiscard]] RowKind kind() const { return m_kind; }
    [[nodiscard]] const catalog::Catalog& catalog() const { return *m_catalog; }
    [[nodiscard]] const CanvasValue& value() const { return *m_value; }
    [[nodiscard]] const ClusterField& field(int column) const;
    /// Id of an element or key of a link.
    [[nodiscard]] const std::string& key(int row) const { return m_keys.at(static_cast<std::size_t>(row)); }
    [[nodiscard]] std::vector<int> rowsOf(const QStringList& keys) const;
    /// From that cell on.
    void paste(const QModelIndex& at, const QList<QStringList>& texts);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void edited(const CanvasEdit& edit);
    void refused(const QString& why);

private:
    struct Fault {
        plan::Severity severity;
        QString text;
        bool isOfPorts = false;
    };
    bool take(const CellEdit& edit);
    /// Of the cell; nullptr: nothing is wrong.
    [[nodiscard]] const Fault* faultAt(const QModelIndex& index) const;
    [[nodiscard]] QString toolTip(const QModelIndex& index) const;

    RowKind m_kind;
    const catalog::Catalog* m_catalog;
    std::shared_ptr<const CanvasValue> m_value;
    std::vector<std::string> m_keys;
    std::map<std::string, Fault, std::less<>> m_faults; ///< by element
};

} // namespace stratoplan::widgets

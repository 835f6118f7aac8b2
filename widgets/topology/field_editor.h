// SPDX-License-Identifier: GPL-3.0-or-later
// The controls that properties of a cluster are edited with: in a row of the inspector, or in a cell of the table.
#pragma once

#include "widgets/panels/picker.h"
#include "widgets/topology/cluster_fields.h"

#include <tl/expected.hpp>

class QWidget;

namespace stratoplan::widgets {

/// What a link can end at.
[[nodiscard]] std::vector<PickerItem> elementItems(const cluster::Cluster& cluster);

/// What the person gave the property.
using FieldEdited = std::function<void(const ClusterField&, const QVariant&)>;

/// Of one value. The ends of links are chosen among the elements of the cluster. The field must outlive the control.
[[nodiscard]] QWidget* makeCellEditor(const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, QWidget* parent, const FieldEdited& edited);
/// Tells nobody.
void showCellValue(QWidget& editor, const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row);

/// The same, of a link with its bandwidth; nullptr for what has no row of its own.
[[nodiscard]] QWidget* makeRowEditor(
    const ClusterField& field, const catalog::Catalog& catalog, QWidget* parent, const FieldEdited& edited);
void showRowValue(QWidget& editor, const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row);

/// The value that `text` means, typed over that of the row as into the control; else what is wrong with it.
[[nodiscard]] tl::expected<QVariant, QString> readCell(const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row, const QString& text);

} // namespace stratoplan::widgets

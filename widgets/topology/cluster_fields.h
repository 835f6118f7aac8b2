// SPDX-License-Identifier: GPL-3.0-or-later
// The properties of nodes, switches and links that a person edits, each described once: what it is called and means,
// its limits, how it is read, and what an edit of it does to the cluster. Rows of the inspector and cells of the table
// are made of one.
#pragma once

#include "widgets/panels/unit_field.h"
#include "widgets/topology/cluster_edit.h"

#include <QStringList>
#include <QVariant>

#include <functional>
#include <vector>

namespace stratoplan::widgets {

/// What stands in rows: groups of nodes, groups of switches, links; a row is its place in the value.
enum class RowKind { Nodes, Switches, Links };
inline constexpr RowKind kRowKinds[] = {RowKind::Nodes, RowKind::Switches, RowKind::Links};

[[nodiscard]] std::size_t rowCount(const cluster::Cluster& cluster, RowKind kind);
/// Ids of elements or keys of links, a row each.
[[nodiscard]] std::vector<std::string> rowKeys(const cluster::Cluster& cluster, RowKind kind);
/// Rows of those of the keys that are of the kind, in the order of the keys.
[[nodiscard]] std::vector<std::size_t> rowsOf(
    const cluster::Cluster& cluster, RowKind kind, const std::vector<std::string>& keys);

/// What the value of a property is.
enum class FieldKind {
    Name, ///< text
    Rack, ///< text, empty: none
    Count, ///< int
    Amount, ///< double, in base units
    Accelerator, ///< its id in the catalogue
    Link, ///< the same, empty: none; written as a double, it is the bandwidth
    Choice, ///< int, one of its choices
    Toggle, ///< bool
    Torus, ///< QVariantList of int, accelerators along each axis; none: switched
    End, ///< id of an element
    Total ///< text, told and not edited
};

/// One of the values of a Choice, and its word.
struct FieldChoice {
    int value = 0;
    QString text;
    QString explanation = {};
};

struct ClusterField {
    FieldKind kind = FieldKind::Total;
    QString label = {};
    QString explanation = {};
    QString actionText = {}; ///< names an edit; %1: the value as it is shown
    std::vector<FieldChoice> choices = {}; ///< of a Choice
    QString offText = {}; ///< names the edit that turns a Toggle off, or leaves no Torus
    /// Not valid where there is nothing to edit, as the bandwidth of no link.
    std::function<QVariant(const cluster::Cluster&, std::size_t row)> value = {};
    /// May leave the cluster as it is.
    std::function<void(const catalog::Catalog&, cluster::Cluster&, std::size_t row, const QVariant&)> write = {};
    /// Of a Link and of the Amount behind it that is its bandwidth; nullptr: none.
    std::function<const cluster::Link*(const cluster::Cluster&, std::size_t row)> link = {};
    QString missing = {}; ///< why there is nothing to edit where the value is not valid
    double least = 0; ///< of a Count or an Amount, as the next
    double most = 0;
    UnitKind unit = UnitKind::Number; ///< of an Amount, or of the bandwidth of a Link
    QString zeroText = {}; ///< in place of an Amount of zero, or of no Link
    bool isNetwork = false; ///< of a Link: those between nodes are offered first
    bool isPorts = false; ///< what is wrong with ports is wrong with it
    bool startsGroup = false; ///< of properties that belong together
};

/// In the order of the columns.
[[nodiscard]] const std::vector<ClusterField>& clusterFields(RowKind kind);

/// The name of the whole cluster, in any row.
[[nodiscard]] const ClusterField& clusterNameField();

/// The value of a Torus.
[[nodiscard]] std::vector<int> axesOf(const QVariant& value);
/// A number, a word or a name as it is shown.
[[nodiscard]] QString valueText(const ClusterField& field, const QVariant& value);
inline constexpr QLatin1String kEditedMark{" *"}; ///< behind a link that is not as the catalogue has it
/// The same of a row, and names of what is chosen, with that mark.
[[nodiscard]] QString fieldText(
    const ClusterField& field, const catalog::Catalog& catalog, const cluster::Cluster& cluster, std::size_t row);
/// The edit that gives it the value, for the undo menu.
[[nodiscard]] QString editText(const ClusterField& field, const catalog::Catalog& catalog, const QVariant& value);
/// Whether two rows have the same.
[[nodiscard]] bool isSame(
    const ClusterField& field, const cluster::Cluster& cluster, std::size_t row, std::size_t other);
/// Not as the catalogue has it.
[[nodiscard]] bool isEdited(const catalog::Catalog& catalog, const cluster::Link& link);
inline constexpr int kMostOfName = 200; ///< letters
/// What it means that an element names a rack.
[[nodiscard]] QString rackExplanation();
/// A name as it is kept: on one line; may be empty.
[[nodiscard]] QString keptName(const QString& typed);

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette offers as rows: switches, racks, nodes and whole clusters under headings, filtered by words.
#pragma once

#include "widgets/topology/preset_key.h"

#include <QAbstractListModel>

#include <vector>

namespace stratoplan::widgets {

struct PaletteEntry {
    PresetKind kind = PresetKind::None; ///< None: a heading
    QString key;
    QString name;
    QString detail;
    QString toolTip;
    int accelerators = 0;
    int colour = 0;
};

class PaletteModel final : public QAbstractListModel {
    Q_OBJECT
public:
    explicit PaletteModel(const catalog::Catalog& catalog, QObject* parent = nullptr);

    /// Shows what has every word in its name or detail; headings of what is left stay.
    void setFilter(const QString& filter);
    [[nodiscard]] const PaletteEntry& entry(const QModelIndex& index) const;
    /// Row of the first preset, invalid if nothing is left.
    [[nodiscard]] QModelIndex firstPreset() const;
    [[nodiscard]] QModelIndex indexOf(const QString& key) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;

private:
    std::vector<PaletteEntry> m_all;
    std::vector<PaletteEntry> m_shown;
};

} // namespace stratoplan::widgets

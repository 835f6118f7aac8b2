// SPDX-License-Identifier: GPL-3.0-or-later
// The palette beside the canvas: tiles of switches, racks, nodes and whole clusters. Drag a tile onto the canvas; or
// click it and then the canvas; or press Enter (double-click) to have it placed in the middle.
#pragma once

#include "widgets/topology/preset_key.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListView;

namespace stratoplan::widgets {

class PaletteModel;

class NodePalette final : public QWidget {
    Q_OBJECT
public:
    /// The catalogue is read once, here.
    explicit NodePalette(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    [[nodiscard]] PaletteModel& model() const { return *m_model; }
    /// No tile is down any more: its preset was placed or given up.
    void disarm();

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// A click: the next click on the canvas places this.
    void presetArmed(const QString& key);
    /// Enter or a double click: place it in the middle.
    void presetActivated(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeList();
    void filter(const QString& text);
    void activate(const QModelIndex& index);
    QLineEdit* m_search;
    PaletteModel* m_model;
    QListView* m_list;
    QLabel* m_nothing;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of what is selected on a canvas: beside it, or on the clipboard, as JSON text that any program can take and
// give.
#pragma once

#include "core/catalog/catalog.h"
#include "widgets/topology/canvas_edits.h"

#include <QObject>
#include <QString>

#include <tl/expected.hpp>

namespace stratoplan::widgets {

class TopologyScene;

/// At least one element; else what stands there in its place, and where.
[[nodiscard]] tl::expected<CanvasValue, QString> partOfText(const catalog::Catalog& catalog, const QString& text);

class CanvasClipboard final : public QObject {
    Q_OBJECT
public:
    /// Refers to both.
    CanvasClipboard(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent);

    // Of the selected elements and the links among them; nothing happens where there are none.
    void copy() const;
    void cut();
    void duplicate();
    /// What is on the clipboard.
    void paste();

Q_SIGNALS:
    void edited(const CanvasEdit& edit);
    /// Nothing can be pasted, or duplicated.
    void refused(const QString& why);

private:
    /// Unless a document could not hold the whole then.
    void insert(const CanvasValue& part, const std::optional<CanvasEdit>& edit);
    [[nodiscard]] CanvasValue shown() const; ///< with what is being moved where it is

    const catalog::Catalog& m_catalog;
    TopologyScene& m_scene;
};

} // namespace stratoplan::widgets

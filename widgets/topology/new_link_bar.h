// SPDX-License-Identifier: GPL-3.0-or-later
// Two elements to choose and what a link between them would be, or why there can be none: the link tool without a
// canvas.
#pragma once

#include "widgets/topology/canvas_edits.h"

#include <QWidget>

#include <memory>

class QToolButton;

namespace stratoplan::widgets {

class ElidedLabel;
class Picker;

class NewLinkBar final : public QWidget {
    Q_OBJECT
public:
    /// The catalogue must outlive the bar.
    NewLinkBar(const catalog::Catalog& catalog, QWidget* parent);

    /// An element that is gone is chosen no more.
    void setValue(const std::shared_ptr<const CanvasValue>& value);
    /// Opens the list of the first end.
    void begin();

Q_SIGNALS:
    void linked(const CanvasEdit& edit);

private:
    void choose(std::string& end, const QString& id);
    void showVerdict();
    void add();

    const catalog::Catalog* m_catalog;
    std::shared_ptr<const CanvasValue> m_value;
    std::string m_from;
    std::string m_to;
    Picker* m_fromPicker;
    Picker* m_toPicker;
    QToolButton* m_add;
    ElidedLabel* m_verdict;
};

} // namespace stratoplan::widgets

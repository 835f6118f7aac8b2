// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of link and its bandwidth in one frame: "NVLink 3   300 GB/s". Either part can be changed.
#pragma once

#include "core/cluster/cluster.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/unit_field.h"

#include <QWidget>

namespace stratoplan::widgets {

class LinkField : public QWidget {
    Q_OBJECT

public:
    /// `rate`: Bandwidth inside a node, BitRate for a network port, as people speak of them.
    explicit LinkField(UnitKind rate, QWidget* parent = nullptr);

    /// Shows `link`; `edited`: it differs from the catalogue's entry of its id: a star, and why in the tooltip.
    void setLink(const cluster::Link& link, bool edited);
    /// Shows that there is none, which has no bandwidth.
    void setNone(const QString& text);
    [[nodiscard]] Picker& picker() const { return *m_picker; }
    [[nodiscard]] UnitField& rate() const { return *m_rate; }
    void setNames(const QString& kind, const QString& rate, const QString& explanation);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitRate();
    Picker* m_picker;
    UnitField* m_rate;
    QString m_explanation;
};

/// "InfiniBand HDR" -> "HDR", as it is said beside its bandwidth.
[[nodiscard]] QString shortLinkName(const QString& name);

} // namespace stratoplan::widgets

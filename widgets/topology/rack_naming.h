// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a rack, edited where it stands on the canvas: Enter or leaving takes it, Esc gives up.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

class QLineEdit;

namespace stratoplan::widgets {

class RackFrame;
class TopologyView;

class RackNaming final : public QObject {
    Q_OBJECT
public:
    /// It belongs to the view, whose frames ask for it.
    explicit RackNaming(TopologyView& view);

    /// That of another rack is taken first; of the same it is selected.
    void begin(QString rack);
    /// Takes what is typed, as Enter does.
    void commit() { end(true); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place(QLineEdit& editor, const RackFrame& frame) const;
    void end(bool takes);

    TopologyView& m_view;
    QPointer<QLineEdit> m_editor;
    QString m_rack;
};

} // namespace stratoplan::widgets

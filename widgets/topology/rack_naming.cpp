// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_naming.h"

#include "widgets/topology/card_paint.h"
#include "widgets/topology/cluster_fields.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/topology_view.h"

#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr int kLeastWidth = 160;
constexpr int kMostWidth = 320;
constexpr int kMargin = 8; ///< to the edges of the canvas

/// A key that it has no use for is none for the canvas below it.
class RackNameEdit final : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        QLineEdit::keyPressEvent(event);
        event->accept();
    }
};

} // namespace

RackNaming::RackNaming(TopologyView& view)
    : QObject(&view)
    , m_view(view)
{
    connect(&view.topologyScene()->racks(), &RackFrames::renameWanted, this, &RackNaming::begin);
    view.viewport()->installEventFilter(this);
}

void RackNaming::begin(QString rack)
{
    if (m_editor && rack == m_rack) {
        m_editor->selectAll();
        m_editor->setFocus(Qt::OtherFocusReason);
        return;
    }
    commit(); // frames may go by that
    const RackFrame* frame = m_view.topologyScene()->racks().frame(rack.toStdString());
    if (!frame)
        return;
    m_rack = std::move(rack);
    m_editor = new RackNameEdit(m_rack, m_view.viewport());
    m_editor->setAccessibleName(tr("Name of the rack"));
    m_editor->setAccessibleDescription(tr("Enter takes it, Escape gives up; without a name the rack dissolves"));
    m_editor->setPlaceholderText(tr("Empty: no rack"));
    m_editor->setMaxLength(kMostOfName);
    m_editor->setFont(cardFont(CardText::Name));
    m_editor->setCursor(Qt::IBeamCursor);
    m_editor->installEventFilter(this);
    m_view.bringIntoView(*frame, kCanvasMargin);
    place(*m_editor, *frame);
    m_editor->selectAll();
    m_editor->show();
    m_editor->setFocus(Qt::OtherFocusReason);
}

void RackNaming::place(QLineEdit& editor, const RackFrame& frame) const
{
    const QRect title = m_view.mapFromScene(frame.title()).boundingRect();
    const QRect all = m_view.mapFromScene(frame.frame()).boundingRect();
    const int width = all.right() - title.left() - kMargin; // over what stands beside the name
    const QSize size(std::clamp(width, kLeastWidth, kMostWidth), editor.sizeHint().height());
    QRect box(QPoint(title.left() - kMargin / 2, title.center().y() - size.height() / 2), size);
    const QRect room = m_view.viewport()->rect().adjusted(kMargin, kMargin, -kMargin, -kMargin);
    box.moveLeft(std::clamp(box.left(), room.left(), std::max(room.left(), room.right() - size.width())));
    box.moveTop(std::clamp(box.top(), room.top(), std::max(room.top(), room.bottom() - size.height())));
    editor.setGeometry(box);
}

void RackNaming::end(bool takes)
{
    if (!m_editor)
        return;
    QLineEdit* const editor = m_editor;
    m_editor = nullptr; // it loses the focus now
    const bool isTyped = editor->isModified(); // else it may be another: documents have names that nobody could type
    const QString name = keptName(editor->text());
    const bool hadFocus = editor->hasFocus();
    editor->hide();
    editor->deleteLater();
    if (hadFocus)
        m_view.setFocus(Qt::OtherFocusReason);
    if (takes && isTyped)
        m_view.propose(renamedRack(m_view.value(), m_rack, name));
}

bool RackNaming::eventFilter(QObject* watched, QEvent* event)
{
    if (!m_editor)
        return false;
    if (watched == m_view.viewport()) {
        if (event->type() == QEvent::Wheel || event->type() == QEvent::Resize)
            end(true); // the frame goes elsewhere
        return false;
    }
    if (event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason) {
        end(true);
        return false;
    }
    const int key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
    const bool takes = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (!takes && key != Qt::Key_Escape)
        return false;
    end(takes);
    return true;
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/entry_field.h"

#include "widgets/panels/panel_style.h"

#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>

namespace stratoplan::widgets {

namespace {
constexpr int kOwnMargin = 2; ///< of QLineEdit, on each side
constexpr int kPadding = 5; ///< beside it
} // namespace

EntryField::EntryField(QWidget* parent)
    : QLineEdit(parent)
{
    setFrame(false);
    setFocusPolicy(Qt::StrongFocus);
    QPalette clear;
    clear.setColor(QPalette::Base, Qt::transparent); // the frame is painted below the text
    setPalette(clear);
    updateMargins();
    // A text that has become right loses its mark at once; a wrong one is marked when it is committed.
    connect(this, &QLineEdit::textEdited, this, [this] { setError({}); });
    connect(this, &QLineEdit::textChanged, this, &EntryField::updateMargins);
}

void EntryField::setSuffix(const QString& suffix)
{
    m_suffix = suffix;
    updateMargins();
    update();
}

void EntryField::setFrameless(bool frameless)
{
    m_frameless = frameless;
    updateMargins();
    update();
}

void EntryField::updateMargins()
{
    const int padding = m_frameless ? 2 : kPadding;
    const int suffix = m_suffix.isEmpty() ? 0 : fontMetrics().horizontalAdvance(m_suffix) + 4;
    const int room = width() - 2 * (padding + kOwnMargin) - suffix;
    m_suffixShown = suffix > 0 && fontMetrics().horizontalAdvance(displayText()) < room; // below: room for the cursor
    setTextMargins(padding, 0, padding + (m_suffixShown ? suffix : 0), 0);
}

QSize EntryField::sizeHint() const
{
    return {72, rowHeight(*this)};
}

QSize EntryField::minimumSizeHint() const
{
    return {32, rowHeight(*this)};
}

bool EntryField::commit()
{
    if (!isPending()) {
        setError({});
        return true;
    }
    const QString problem = take(text());
    setError(problem);
    if (!problem.isEmpty())
        return false;
    refresh(true);
    return true;
}

void EntryField::revert()
{
    refresh(true);
    selectAll();
}

void EntryField::refresh(bool force)
{
    const bool typing = hasFocus() && isModified();
    if (!force && (typing || !m_error.isEmpty()))
        return;
    const QString shown = shownText();
    if (text() != shown) {
        setText(shown);
        setCursorPosition(0); // the leading digits matter if the field is narrow
    }
    setModified(false);
    setError({});
    refreshed();
}

void EntryField::setError(const QString& error)
{
    if (error == m_error)
        return;
    m_error = error;
    setAccessibleDescription(error);
    update();
    Q_EMIT errorChanged(error);
}

bool EntryField::event(QEvent* event)
{
    // While nothing is typed, undo and redo belong to the document.
    if (event->type() == QEvent::ShortcutOverride && !isModified()) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::FontChange)
        updateMargins();
    return QLineEdit::event(event);
}

void EntryField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (commit()) {
            selectAll();
            Q_EMIT finished();
        }
        return;
    case Qt::Key_Escape:
        if (isModified() || !m_error.isEmpty()) {
            revert();
            Q_EMIT finished();
            return;
        }
        Q_EMIT finished();
        break;
    case Qt::Key_Up:
        stepNow(1, event->modifiers());
        return;
    case Qt::Key_Down:
        stepNow(-1, event->modifiers());
        return;
    case Qt::Key_PageUp:
        stepNow(1, Qt::ControlModifier);
        return;
    case Qt::Key_PageDown:
        stepNow(-1, Qt::ControlModifier);
        return;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void EntryField::stepNow(int steps, Qt::KeyboardModifiers modifiers)
{
    if (isReadOnly() || !commit()) // from what stands there
        return;
    const Step size = modifiers & Qt::ShiftModifier ? Step::Fine
        : modifiers & Qt::ControlModifier           ? Step::Coarse
                                                    : Step::Normal;
    step(steps, size);
    refresh(true);
}

void EntryField::wheelEvent(QWheelEvent* event)
{
    if (!hasFocus()) { // the panel scrolls
        event->ignore();
        return;
    }
    const QPoint delta = event->angleDelta();
    m_wheelRest += delta.y() != 0 ? delta.y() : delta.x(); // Shift turns the wheel sideways on some platforms
    const int steps = m_wheelRest / QWheelEvent::DefaultDeltasPerStep;
    m_wheelRest -= steps * QWheelEvent::DefaultDeltasPerStep;
    if (steps != 0)
        stepNow(steps, event->modifiers());
    event->accept();
}

void EntryField::focusInEvent(QFocusEvent* event)
{
    m_wheelRest = 0;
    m_selectOnRelease = event->reason() == Qt::MouseFocusReason;
    QLineEdit::focusInEvent(event);
    Q_EMIT focusChanged(true);
}

void EntryField::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        commit();
    deselect();
    Q_EMIT focusChanged(false);
}

void EntryField::mouseReleaseEvent(QMouseEvent* event)
{
    QLineEdit::mouseReleaseEvent(event);
    if (std::exchange(m_selectOnRelease, false) && !hasSelectedText())
        selectAll();
}

void EntryField::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    updateMargins();
}

void EntryField::enterEvent(QEnterEvent* event)
{
    QLineEdit::enterEvent(event);
    update();
}

void EntryField::leaveEvent(QEvent* event)
{
    QLineEdit::leaveEvent(event);
    update();
}

void EntryField::paintEvent(QPaintEvent* event)
{
    const Tokens& t = tokensOf(*this);
    if (!m_frameless) {
        QPainter painter(this);
        paintFieldFrame(painter, rect(), t, frameState(*this, hasFocus(), !m_error.isEmpty()));
    }
    QLineEdit::paintEvent(event);
    if (m_suffixShown) {
        QPainter painter(this);
        painter.setPen(isEnabled() ? t.secondaryText : t.disabledText);
        painter.drawText(
            rect().adjusted(0, 0, -(m_frameless ? 4 : kPadding + 2), 0), Qt::AlignRight | Qt::AlignVCenter, m_suffix);
    }
}

} // namespace stratoplan::widgets

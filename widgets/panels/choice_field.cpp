// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/choice_field.h"

#include "widgets/panels/panel_style.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QWheelEvent>

namespace stratoplan::widgets {

ChoiceField::ChoiceField(QWidget* parent)
    : QComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    view()->setAccessibleName(tr("Choices"));
    setAttribute(Qt::WA_Hover);
    connect(this, &QComboBox::currentIndexChanged, this, [this] {
        if (currentIndex() < 0 || key() == m_key)
            return;
        m_key = key();
        Q_EMIT keyChosen(m_key);
    });
}

void ChoiceField::addChoice(const QString& text, int key, const QString& toolTip)
{
    const QSignalBlocker blocker(this);
    addItem(text, key);
    setItemData(count() - 1, toolTip, Qt::ToolTipRole);
    m_key = this->key();
}

void ChoiceField::addHeading(const QString& text)
{
    const QSignalBlocker blocker(this);
    addItem(text);
    const QModelIndex index = model()->index(count() - 1, modelColumn());
    static_cast<QStandardItemModel*>(model())->itemFromIndex(index)->setEnabled(false);
}

void ChoiceField::setKey(int key)
{
    const QSignalBlocker blocker(this);
    m_key = key;
    setCurrentIndex(findData(key));
}

QSize ChoiceField::sizeHint() const
{
    return {120, rowHeight(*this)};
}

QSize ChoiceField::minimumSizeHint() const
{
    return {48, rowHeight(*this)};
}

void ChoiceField::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    paintFieldFrame(painter, rect(), t, frameState(*this, hasFocus()));
    const QRect words = rect().adjusted(7, 0, -18, 0);
    painter.setPen(isEnabled() ? t.text : t.disabledText);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(currentText(), Qt::ElideRight, words.width()));
    paintChevron(
        painter, QPointF(width() - 10.5, rect().center().y() + 1), isEnabled() ? t.secondaryText : t.disabledText);
}

void ChoiceField::wheelEvent(QWheelEvent* event)
{
    if (hasFocus())
        QComboBox::wheelEvent(event);
    else
        event->ignore();
}

namespace {
constexpr QSizeF kTrack(28, 16);
}

ToggleSwitch::ToggleSwitch(QWidget* parent)
    : QCheckBox(parent)
{
    setAttribute(Qt::WA_Hover);
}

void ToggleSwitch::setOn(bool on)
{
    const QSignalBlocker blocker(this);
    setChecked(on);
    update();
}

QSize ToggleSwitch::sizeHint() const
{
    const int words = std::max(fontMetrics().horizontalAdvance(tr("on")), fontMetrics().horizontalAdvance(tr("off")));
    return {static_cast<int>(kTrack.width()) + kGrid + words + 2, rowHeight(*this)};
}

bool ToggleSwitch::hitButton(const QPoint& position) const
{
    return rect().contains(position);
}

void ToggleSwitch::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF track(QPointF(1, (height() - kTrack.height()) / 2), kTrack);
    const double radius = track.height() / 2;
    const QColor off = t.kind == ThemeKind::Light ? t.secondaryText : t.frame;
    const QColor fill = !isEnabled() ? t.border
        : isChecked()                ? t.accent
        : underMouse()               ? blend(off, t.text, 0.85)
                                     : off;
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(track, radius, radius);
    painter.setBrush(isChecked() && isEnabled() ? t.onAccent : t.surface);
    const double x = isChecked() ? track.right() - radius : track.left() + radius;
    painter.drawEllipse(QPointF(x, track.center().y()), radius - 3, radius - 3);
    if (hasFocus()) {
        painter.setPen(QPen(t.accent, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(track.adjusted(-0.2, -2.5, 0.2, 2.5), radius + 2, radius + 2);
    }
    painter.setPen(isEnabled() ? t.text : t.disabledText);
    const QRectF words(track.right() + kGrid, 0, width() - track.right() - kGrid, height());
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, isChecked() ? tr("on") : tr("off"));
}

} // namespace stratoplan::widgets

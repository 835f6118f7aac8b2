// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/section.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace stratoplan::widgets {

namespace {
constexpr int kGutter = 16; ///< left margin of the rows; the fold mark stands in it
}

SectionTitle::SectionTitle(const QString& title, QWidget* parent)
    : QAbstractButton(parent)
{
    setText(title);
    setAccessibleName(title);
    setCheckable(true);
    setChecked(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setToolTip(tr("Fold or unfold %1").arg(title));
}

QSize SectionTitle::sizeHint() const
{
    return {
        QFontMetrics(scaledFont(font(), 1, true)).horizontalAdvance(text()) + kGutter + kGrid, rowHeight(*this) + 6};
}

void SectionTitle::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    paintChevron(
        painter, QPointF(8, height() / 2.0), underMouse() || showsFocus(*this) ? t.text : t.disabledText, isChecked());
    painter.setFont(scaledFont(font(), 1, true));
    painter.setPen(t.text);
    painter.drawText(rect().adjusted(kGutter, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
    if (showsFocus(*this))
        paintFocusRing(painter, QRectF(rect()).adjusted(1, 3, -1, -3), t);
}

Section::Section(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(new SectionTitle(title, this))
    , m_preset(new Picker(Picker::Look::Header, this))
    , m_body(new QWidget(this))
    , m_rows(new QVBoxLayout(m_body))
{
    m_preset->setAccessibleName(tr("%1 preset").arg(title));
    auto* header = new QHBoxLayout;
    header->setContentsMargins(0, 0, kGrid - 4, 0);
    header->setSpacing(kGrid);
    header->addWidget(m_title);
    header->addStretch(1);
    header->addWidget(m_preset);
    m_rows->setContentsMargins(kGutter, 0, kGrid, 0);
    m_rows->setSpacing(kRowGap);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(header);
    column->addWidget(m_body);
    connect(m_title, &QAbstractButton::toggled, this, [this](bool open) {
        m_body->setVisible(open);
        m_title->update();
    });
}

void Section::setCollapsed(bool collapsed)
{
    m_title->setChecked(!collapsed);
}

bool Section::isCollapsed() const
{
    return !m_title->isChecked();
}

void Section::addRow(QWidget* row)
{
    m_rows->addWidget(row);
}

} // namespace stratoplan::widgets

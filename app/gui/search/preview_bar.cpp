// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/preview_bar.h"

#include "widgets/style/elided_label.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace stratoplan::gui {

PreviewBar::PreviewBar(QWidget* parent)
    : QWidget(parent)
    , m_text(new widgets::ElidedLabel(this))
    , m_adopt(new QPushButton(tr("Adopt"), this))
    , m_back(new QPushButton(tr("Back to the plan"), this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->addWidget(m_text, 1);
    row->addWidget(m_adopt);
    row->addWidget(m_back);
    m_adopt->setToolTip(tr("Puts this strategy into the plan; undo takes it back"));
    m_back->setToolTip(tr("Shows the plan as it stands again (Esc)"));
    connect(m_adopt, &QPushButton::clicked, this, &PreviewBar::adoptWanted);
    connect(m_back, &QPushButton::clicked, this, &PreviewBar::backWanted);
    hide();
}

void PreviewBar::setText(const QString& text)
{
    m_text->setText(text);
    setAccessibleName(text);
    setVisible(!text.isEmpty());
}

QString PreviewBar::text() const
{
    return m_text->text();
}

void PreviewBar::paintEvent(QPaintEvent*)
{
    const widgets::Tokens& t = widgets::currentTokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.accentSoft);
    painter.fillRect(0, 0, 3, height(), t.accent);
    painter.fillRect(0, height() - 1, width(), 1, t.border);
}

} // namespace stratoplan::gui

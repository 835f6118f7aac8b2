// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/what_if_list.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/style/theme.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace stratoplan::widgets {

WhatIfList::WhatIfList(QWidget* parent)
    : QWidget(parent)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(kPanelMargin, 0, kPanelMargin, kPanelMargin);
    m_column->setSpacing(kRowGap);
    setAccessibleName(tr("What if"));
    auto* heading = new QLabel(tr("What if"), this);
    setTextRole(*heading, TextRole::Section);
    heading->setToolTip(
        tr("The step time of the whole plan with that one change. Where the strategy is no longer legal, with the "
           "fastest of the nearest ones that are, or with fewer replicas of a smaller batch. Re-planned: with the best "
           "strategy that a search finds for what is left."));
    m_column->addWidget(heading);
    hide();
}

void WhatIfList::addRow()
{
    const int line = static_cast<int>(m_rows.size());
    auto* whole = new QWidget(this);
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 2, 0, 2);
    column->setSpacing(2);
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    auto* what = new QLabel(whole);
    what->setTextFormat(Qt::PlainText);
    what->setWordWrap(true);
    auto* answer = new QLabel(whole);
    answer->setTextFormat(Qt::PlainText);
    answer->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* button = new RemedyButton(QString(), whole);
    QSizePolicy keepsPlace = button->sizePolicy();
    keepsPlace.setRetainSizeWhenHidden(true);
    button->setSizePolicy(keepsPlace);
    head->addWidget(what, 1);
    head->addWidget(answer);
    head->addWidget(button);
    column->addLayout(head);
    auto* note = new ToneLabel(QString(), ToneLabel::Tone::Secondary, whole);
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    column->addWidget(note);
    connect(button, &QAbstractButton::clicked, this, [this, line] { Q_EMIT pressed(line); });
    m_column->addWidget(whole);
    m_rows.push_back({whole, what, answer, note, button});
}

void WhatIfList::setLines(const std::vector<WhatIfLine>& lines)
{
    if (lines == m_lines)
        return;
    m_lines = lines;
    while (m_rows.size() < lines.size())
        addRow();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        row.whole->setVisible(i < lines.size());
        if (i >= lines.size())
            continue;
        const WhatIfLine& line = lines[i];
        row.what->setText(line.what);
        const bool isPending = line.answer.isEmpty() && line.button.isEmpty();
        row.answer->setText(isPending ? QStringLiteral("…") : line.answer);
        row.note->setText(line.note);
        row.note->setVisible(!line.note.isEmpty());
        row.button->setVisible(!line.button.isEmpty());
        row.button->setText(line.button);
        row.button->setToolTip(line.explanation);
        row.button->setAccessibleName(tr("%1: %2").arg(line.button, line.what));
        row.button->setAccessibleDescription(line.note.isEmpty() ? line.answer : line.answer + tr(", ") + line.note);
    }
    setVisible(!lines.empty());
}

QAbstractButton* WhatIfList::button(int line) const
{
    const bool has = line >= 0 && std::size_t(line) < m_lines.size() && !m_lines[std::size_t(line)].button.isEmpty();
    return has ? m_rows[std::size_t(line)].button : nullptr;
}

} // namespace stratoplan::widgets

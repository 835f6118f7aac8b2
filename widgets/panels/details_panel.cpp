// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/details_panel.h"

#include "widgets/panels/panel_style.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

namespace stratoplan {

namespace {

constexpr qsizetype kLongValue = 22; ///< characters

class Rule : public QWidget {
public:
    explicit Rule(QWidget* parent = nullptr)
        : QWidget(parent)
    {
        setFixedHeight(1 + 2 * kGrid);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(0, kGrid, width(), 1, tokensOf(*this).border);
    }
};

ToneLabel* label(const QString& text, ToneLabel::Tone tone)
{
    auto* made = new ToneLabel(text, tone);
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return made;
}

} // namespace

DetailsPanel::DetailsPanel(QWidget* parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus); // arrows scroll, Ctrl+C copies
    setAccessibleName(tr("Details"));
    viewport()->setAutoFillBackground(false);
    setMinimumWidth(180);
    rebuild();
}

void DetailsPanel::setRows(const QString& title, const std::vector<DetailRow>& rows, const QString& explanation)
{
    std::vector<DetailSection> sections{{title, rows, {}, {}}};
    if (!explanation.isEmpty())
        sections.push_back({tr("How was this computed?"), {}, explanation, {}});
    setSections(std::move(sections));
}

void DetailsPanel::setSections(std::vector<DetailSection> sections)
{
    if (sections == m_sections)
        return;
    m_sections = std::move(sections);
    rebuild();
}

void DetailsPanel::clear()
{
    setSections({});
}

void DetailsPanel::rebuild()
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    column->setSpacing(0);
    if (m_sections.empty()) {
        auto* empty = label(tr("Click a bar, a slice or a figure to see what it is made of and how it was computed."), ToneLabel::Tone::Secondary);
        column->addWidget(empty);
    }
    for (std::size_t i = 0; i < m_sections.size(); ++i)
        addSection(*column, m_sections[i], i == 0);
    column->addStretch(1);
    setWidget(body); // deletes the former
    body->setAutoFillBackground(false);
    setAccessibleDescription(plainText());
}

void DetailsPanel::addSection(QVBoxLayout& column, const DetailSection& section, bool first)
{
    if (!first)
        column.addWidget(new Rule);
    auto* title = label(section.title, ToneLabel::Tone::Normal);
    title->setFont(scaledFont(font(), 1, true));
    column.addWidget(title);
    column.addSpacing(4);
    if (!section.rows.empty()) {
        auto* grid = new QGridLayout;
        grid->setContentsMargins(0, 0, 0, 0);
        grid->setHorizontalSpacing(kGrid);
        grid->setVerticalSpacing(2);
        grid->setColumnStretch(0, 1);
        for (const DetailRow& row : section.rows) {
            const int at = grid->rowCount();
            auto* name = label(row.name, ToneLabel::Tone::Secondary);
            auto* value = label(row.value, ToneLabel::Tone::Normal);
            value->setAlignment(Qt::AlignRight | Qt::AlignTop);
            value->setAccessibleName(row.name);
            value->setWordWrap(row.value.size() > kLongValue); // an amount is never broken, a sentence may be
            grid->addWidget(name, at, 0, Qt::AlignTop);
            grid->addWidget(value, at, 1);
        }
        column.addLayout(grid);
    }
    if (!section.text.isEmpty())
        column.addWidget(label(section.text, ToneLabel::Tone::Normal));
    if (!section.remark.isEmpty()) {
        column.addSpacing(4);
        column.addWidget(label(section.remark, ToneLabel::Tone::Secondary));
    }
}

QString DetailsPanel::plainText() const
{
    QStringList lines;
    for (const DetailSection& section : m_sections) {
        lines << section.title;
        for (const DetailRow& row : section.rows)
            lines << row.name + u'\t' + row.value;
        for (const QString& text : {section.text, section.remark}) {
            if (!text.isEmpty())
                lines << text;
        }
    }
    return lines.join(u'\n');
}

QSize DetailsPanel::sizeHint() const
{
    return {256, 480};
}

void DetailsPanel::copy() const
{
    QGuiApplication::clipboard()->setText(plainText());
}

void DetailsPanel::contextMenuEvent(QContextMenuEvent* event)
{
    if (m_sections.empty())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy details"), this, &DetailsPanel::copy);
    menu->popup(event->globalPos());
}

void DetailsPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy) && !m_sections.empty())
        copy();
    else
        QScrollArea::keyPressEvent(event);
}

} // namespace stratoplan

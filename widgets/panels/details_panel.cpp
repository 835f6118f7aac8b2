// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/details_panel.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/stale_veil.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr qsizetype kLongValue = 22; ///< characters
constexpr int kWidest = 340; ///< that the panel asks for

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

/// The same headings over as many rows: the labels can stay, and with them scroll, focus and selection.
bool sameShape(const std::vector<DetailSection>& a, const std::vector<DetailSection>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const DetailSection& x, const DetailSection& y) {
        return x.title == y.title && x.rows.size() == y.rows.size() && x.text.isEmpty() == y.text.isEmpty()
            && x.remark.isEmpty() == y.remark.isEmpty();
    });
}

void fill(ToneLabel& name, ToneLabel& value, const DetailRow& row)
{
    name.setText(row.name);
    value.setText(row.value);
    value.setAccessibleName(row.name);
    value.setWordWrap(row.value.size() > kLongValue); // an amount is never broken, a sentence may be
}

} // namespace

DetailsPanel::DetailsPanel(QWidget* parent)
    : QScrollArea(parent)
    , m_veil(new StaleVeil(this))
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus); // arrows scroll, Ctrl+C copies
    setAccessibleName(tr("Details"));
    viewport()->setAutoFillBackground(false);
    m_veil->setBackgroundRole(QPalette::Window);
    rebuild();
}

void DetailsPanel::setSections(std::vector<DetailSection> sections)
{
    if (sections == m_sections)
        return;
    const bool refills = !m_sections.empty() && sameShape(sections, m_sections);
    const bool sameSubject =
        !sections.empty() && !m_sections.empty() && sections.front().title == m_sections.front().title;
    const int scrolled = sameSubject ? verticalScrollBar()->value() : 0;
    m_sections = std::move(sections);
    if (refills) {
        refill();
        return;
    }
    rebuild();
    if (scrolled > 0) {
        widget()->adjustSize(); // so that there is as much to scroll as will be
        verticalScrollBar()->setValue(scrolled);
    }
}

void DetailsPanel::clear()
{
    setSections({});
}

void DetailsPanel::setStale(const QString& notice)
{
    m_stale = notice;
    applyStale();
}

QString DetailsPanel::staleNotice() const
{
    return m_veil->notice();
}

void DetailsPanel::applyStale()
{
    const QString stale = m_sections.empty() ? QString() : m_stale;
    m_veil->setGeometry(rect());
    m_veil->setNotice(stale);
    setAccessibleDescription(stale.isEmpty() ? plainText() : tr("%1\n%2").arg(stale, plainText()));
}

void DetailsPanel::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    m_veil->setGeometry(rect());
}

void DetailsPanel::rebuild()
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    column->setSpacing(0);
    if (m_sections.empty()) {
        auto* empty = label(tr("Click a bar, a slice or a figure to see what it is made of and how it was computed."),
            ToneLabel::Tone::Secondary);
        column->addWidget(empty);
    }
    m_shown.clear();
    for (std::size_t i = 0; i < m_sections.size(); ++i)
        m_shown.push_back(addSection(*column, m_sections[i], i == 0));
    column->addStretch(1);
    setWidget(body); // deletes the former
    body->setAutoFillBackground(false);
    measure(true);
    applyStale();
}

void DetailsPanel::refill()
{
    for (std::size_t i = 0; i < m_sections.size(); ++i) {
        const DetailSection& section = m_sections[i];
        for (std::size_t k = 0; k < section.rows.size(); ++k)
            fill(*m_shown[i].rows[k].first, *m_shown[i].rows[k].second, section.rows[k]);
        if (m_shown[i].text)
            m_shown[i].text->setText(section.text);
        if (m_shown[i].remark)
            m_shown[i].remark->setText(section.remark);
    }
    measure(false);
    applyStale();
}

DetailsPanel::Shown DetailsPanel::addSection(QVBoxLayout& column, const DetailSection& section, bool first)
{
    Shown shown;
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
            const int line = grid->rowCount();
            auto* name = label({}, ToneLabel::Tone::Secondary);
            auto* value = label({}, ToneLabel::Tone::Normal);
            value->setAlignment(Qt::AlignRight | Qt::AlignTop);
            fill(*name, *value, row);
            shown.rows.emplace_back(name, value);
            grid->addWidget(name, line, 0, Qt::AlignTop);
            grid->addWidget(value, line, 1);
        }
        column.addLayout(grid);
    }
    if (!section.text.isEmpty() && !section.rows.empty())
        column.addSpacing(4);
    if (!section.text.isEmpty())
        column.addWidget(shown.text = label(section.text, ToneLabel::Tone::Normal));
    if (!section.remark.isEmpty()) {
        column.addSpacing(4);
        column.addWidget(shown.remark = label(section.remark, ToneLabel::Tone::Secondary));
    }
    return shown;
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

// While only the values change, the panel widens but never narrows: a column must not tremble under a drag.
void DetailsPanel::measure(bool anew)
{
    const int needed = widget()->layout()->totalMinimumSize().width() + verticalScrollBar()->sizeHint().width();
    const int least = std::max(needed, anew ? 0 : m_leastWidth);
    if (std::exchange(m_leastWidth, least) != least)
        updateGeometry();
}

QSize DetailsPanel::minimumSizeHint() const
{
    return {std::clamp(m_leastWidth, 180, kWidest), 80};
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

} // namespace stratoplan::widgets

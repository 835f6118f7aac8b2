// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_frame.h"

#include "widgets/charts/legend_row.h"
#include "widgets/charts/qcp.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/stale_veil.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStackedLayout>
#include <QTimer>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kMargin = 12;
constexpr int kUpdatingDelayMs = 120;

// Two pixels of accent over the plot.
class UpdatingBar final : public QWidget {
public:
    explicit UpdatingBar(QWidget* parent)
        : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), currentTokens().accent); }
};

} // namespace

ChartFrame::ChartFrame(QWidget& chart, QCustomPlot& plot, const QString& title, const QString& emptyText)
    : m_chart(chart)
    , m_column(new QVBoxLayout(&chart))
{
    makeHeader(title);
    makeStack(plot);
    setEmptyText(emptyText);
    m_legend = new LegendRow;
    m_legend->hide();
    m_column->setContentsMargins(kMargin, 8, kMargin, 8);
    m_column->setSpacing(4);
    m_column->addWidget(m_header);
    m_column->addWidget(m_stackHost, 1);
    m_column->addWidget(m_legend);
    makeCovers();
}

void ChartFrame::makeHeader(const QString& title)
{
    m_header = new QWidget;
    m_headerLayout = new QHBoxLayout(m_header);
    m_headerLayout->setContentsMargins(0, 0, 0, 0);
    // Charts side by side start at one height, with buttons or without.
    m_header->setFixedHeight(m_chart.fontMetrics().height() + 8);
    m_title = new ElidedLabel;
    m_title->setText(title);
    setTextRole(*m_title, TextRole::Section);
    m_note = new ElidedLabel;
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_headerLayout->addWidget(m_title);
    m_headerLayout->addWidget(m_note, 1);
}

void ChartFrame::makeStack(QCustomPlot& plot)
{
    m_stackHost = new QWidget;
    m_stack = new QStackedLayout(m_stackHost);
    m_emptyLabel = new QLabel;
    m_emptyLabel->setAlignment(Qt::AlignCenter);
    m_emptyLabel->setWordWrap(true);
    setTextRole(*m_emptyLabel, TextRole::Secondary);
    m_stack->addWidget(&plot);
    m_stack->addWidget(m_emptyLabel);
    m_stack->setCurrentWidget(m_emptyLabel);
}

void ChartFrame::makeCovers()
{
    m_updatingBar = new UpdatingBar(&m_chart);
    m_veil = new StaleVeil(&m_chart);
    m_updatingTimer = new QTimer(&m_chart);
    m_updatingTimer->setSingleShot(true);
    m_updatingTimer->setInterval(kUpdatingDelayMs);
    QObject::connect(m_updatingTimer, &QTimer::timeout, &m_chart, [this] {
        placeOverPicture();
        m_updatingBar->show();
        m_updatingBar->raise();
    });
}

QString ChartFrame::title() const
{
    return m_title->text();
}

QFont ChartFrame::titleFont() const
{
    return m_title->font();
}

QString ChartFrame::note() const
{
    return m_note->text();
}

void ChartFrame::setNote(const QString& note)
{
    m_note->setText(note);
}

void ChartFrame::setFont(const QFont& font)
{
    m_header->setFixedHeight(m_chart.fontMetrics().height() + 8);
    m_legend->setFont(font);
    m_note->setFont(font);
}

QString ChartFrame::emptyText() const
{
    return m_awaited.isEmpty() ? m_emptyText : m_awaited;
}

void ChartFrame::setEmptyText(const QString& text)
{
    m_emptyText = text;
    m_emptyLabel->setText(emptyText());
}

void ChartFrame::setAwaited(const QString& notice)
{
    m_awaited = notice;
    m_emptyLabel->setText(emptyText());
}

void ChartFrame::setEmpty(bool empty)
{
    m_empty = empty;
    m_stack->setCurrentIndex(empty ? 1 : 0);
    m_legend->setVisible(!empty && !m_legend->entries().empty());
    setStale({}); // a new picture, or none
    if (empty)
        setNote({});
}

void ChartFrame::setLegend(std::vector<LegendEntry> entries)
{
    m_legend->setVisible(!m_empty && !entries.empty());
    m_legend->setEntries(std::move(entries));
}

void ChartFrame::addHeaderWidget(QWidget* widget)
{
    m_headerLayout->addWidget(widget);
}

void ChartFrame::addLine(QWidget* widget)
{
    m_column->insertWidget(1, widget);
}

void ChartFrame::setUpdating(bool updating)
{
    if (updating == m_updating)
        return;
    m_updating = updating;
    if (updating) {
        m_updatingTimer->start();
    } else {
        m_updatingTimer->stop();
        m_updatingBar->hide();
    }
}

QString ChartFrame::staleNotice() const
{
    return m_veil->notice();
}

void ChartFrame::setStale(const QString& notice)
{
    m_veil->setNotice(m_empty ? QString() : notice);
    m_note->setEnabled(m_veil->notice().isEmpty()); // it has figures, too
    placeOverPicture();
}

void ChartFrame::place()
{
    placeOverPicture();
    fitTitle();
}

void ChartFrame::placeOverPicture()
{
    m_updatingBar->setGeometry(0, 0, m_chart.width(), 2);
    m_veil->setGeometry(0, m_stackHost->y(), m_chart.width(), m_chart.height() - m_stackHost->y());
}

// The note gives way first, then the title.
void ChartFrame::fitTitle()
{
    int room = m_chart.width() - 2 * kMargin;
    for (int i = 0; i < m_headerLayout->count(); ++i) {
        const QWidget* each = m_headerLayout->itemAt(i)->widget();
        if (each && each != m_title && each != m_note)
            room -= each->sizeHint().width() + m_headerLayout->spacing();
    }
    m_title->setMinimumWidth(std::clamp(room, 0, m_title->sizeHint().width()));
}

} // namespace stratoplan::widgets

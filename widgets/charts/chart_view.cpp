// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_view.h"

#include "widgets/charts/legend_row.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/charts/stale_veil.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStackedLayout>
#include <QTextDocumentFragment>
#include <QTimer>
#include <QToolTip>

namespace stratoplan {

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

Interval toInterval(const QCPRange& range)
{
    return {range.lower, range.upper};
}

} // namespace

ChartView::ChartView(const QString& title, const QString& emptyText, QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(title);

    m_header = new QWidget;
    m_headerLayout = new QHBoxLayout(m_header);
    m_headerLayout->setContentsMargins(0, 0, 0, 0);
    m_header->setFixedHeight(
        fontMetrics().height() + 8); // charts side by side start at one height, with buttons or without
    m_title = new ElidedLabel;
    m_title->setText(title);
    setTextRole(*m_title, TextRole::Section);
    m_note = new ElidedLabel;
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_headerLayout->addWidget(m_title);
    m_headerLayout->addWidget(m_note, 1);

    m_stackHost = new QWidget;
    m_stack = new QStackedLayout(m_stackHost);
    m_plot = new QCustomPlot;
    m_plot->setMinimumSize(8, 8); // never laid out to nothing: QCustomPlot would paint on an empty pixmap
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMouseTracking(true);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->installEventFilter(this);
    m_plot->setAccessibleName(title);
    m_plot->plotLayout()->setMargins(QMargins(0, 0, 0, 0));
    m_plot->axisRect()->setMinimumMargins(QMargins(2, 9, 8, 2));
    m_emptyLabel = new QLabel(emptyText);
    m_emptyLabel->setAlignment(Qt::AlignCenter);
    m_emptyLabel->setWordWrap(true);
    setTextRole(*m_emptyLabel, TextRole::Secondary);
    m_stack->addWidget(m_plot);
    m_stack->addWidget(m_emptyLabel);
    m_stack->setCurrentWidget(m_emptyLabel);

    m_legend = new LegendRow;
    m_legend->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kMargin, 8, kMargin, 8);
    layout->setSpacing(4);
    layout->addWidget(m_header);
    layout->addWidget(m_stackHost, 1);
    layout->addWidget(m_legend);

    m_updatingBar = new UpdatingBar(this);
    m_veil = new StaleVeil(this);
    m_updatingTimer = new QTimer(this);
    m_updatingTimer->setSingleShot(true);
    m_updatingTimer->setInterval(kUpdatingDelayMs);
    connect(m_updatingTimer, &QTimer::timeout, this, [this] {
        placeOverPicture();
        m_updatingBar->show();
        m_updatingBar->raise();
    });
    connect(m_plot, &QCustomPlot::afterLayout, this, &ChartView::fitLayout);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis})
        connect(
            axis, static_cast<void (QCPAxis::*)(const QCPRange&)>(&QCPAxis::rangeChanged), this, [this] { confine(); });
    installChartAccessibility();
    applyLook();
}

ChartView::~ChartView()
{
    m_plot->removeEventFilter(this); // its children outlive this destructor
}

QString ChartView::title() const
{
    return m_title->text();
}

QString ChartView::note() const
{
    return m_note->text();
}

QString ChartView::emptyText() const
{
    return m_emptyLabel->text();
}

void ChartView::setNote(const QString& note)
{
    m_note->setText(note);
}

void ChartView::setLegend(std::vector<LegendEntry> entries)
{
    m_legend->setVisible(!m_empty && !entries.empty());
    m_legend->setEntries(std::move(entries));
}

void ChartView::setEmpty(bool empty)
{
    m_empty = empty;
    m_stack->setCurrentWidget(empty ? static_cast<QWidget*>(m_emptyLabel) : m_plot);
    m_legend->setVisible(!empty && !m_legend->entries().empty());
    setStale({}); // a new picture, or none
    if (empty)
        setNote({});
    setAccessibleDescription(empty ? emptyText() : description());
}

void ChartView::setEmptyText(const QString& text)
{
    m_emptyLabel->setText(text);
    if (m_empty)
        setAccessibleDescription(text);
}

void ChartView::addHeaderWidget(QWidget* widget)
{
    m_headerLayout->addWidget(widget);
}

void ChartView::addLine(QWidget* widget)
{
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, widget);
}

void ChartView::setUpdating(bool updating)
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

QString ChartView::staleNotice() const
{
    return m_veil->notice();
}

void ChartView::setStale(const QString& notice)
{
    m_veil->setNotice(m_empty ? QString() : notice);
    placeOverPicture();
}

void ChartView::placeOverPicture()
{
    m_updatingBar->setGeometry(0, 0, width(), 2);
    m_veil->setGeometry(0, m_stackHost->y(), width(), height() - m_stackHost->y());
}

// QCustomPlot makes the ticks before it lays out, so after a change of size they are those of the size before.
void ChartView::fitLayout()
{
    constexpr int kMostRounds = 3; // the labels of the new ticks may in turn change the margins, by a little
    for (int round = 0; round < kMostRounds && m_plot->axisRect()->size() != m_ticksFor; ++round) {
        m_ticksFor = m_plot->axisRect()->size();
        for (const auto phase :
            {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
            m_plot->plotLayout()->update(phase);
    }
    fitAxisTexts();
}

void ChartView::setAxisTexts(Qt::Orientation axis, QStringList texts)
{
    (axis == Qt::Horizontal ? m_plot->xAxis : m_plot->yAxis)->setLabel(texts.first());
    (axis == Qt::Horizontal ? m_axisTextsX : m_axisTextsY) = std::move(texts);
}

void ChartView::fitAxisTexts()
{
    const QRectF inner(m_plot->axisRect()->rect());
    const auto fit = [](QCPAxis& axis, const QStringList& texts, double room) {
        if (texts.isEmpty())
            return;
        const QFontMetricsF metrics(axis.labelFont());
        const auto fitting = std::find_if(
            texts.begin(), texts.end(), [&](const QString& each) { return metrics.horizontalAdvance(each) <= room; });
        axis.setLabel(fitting != texts.end() ? *fitting : metrics.elidedText(texts.last(), Qt::ElideRight, room));
    };
    // Centred on the axis, a label may reach as far over its ends as the plot does.
    fit(*m_plot->xAxis, m_axisTextsX, 2 * std::min(inner.center().x(), m_plot->width() - inner.center().x()));
    fit(*m_plot->yAxis, m_axisTextsY, 2 * std::min(inner.center().y(), m_plot->height() - inner.center().y()));
}

// The note gives way first, then the title.
void ChartView::fitTitle()
{
    int room = width() - 2 * kMargin;
    for (int i = 0; i < m_headerLayout->count(); ++i) {
        const QWidget* each = m_headerLayout->itemAt(i)->widget();
        if (each && each != m_title && each != m_note)
            room -= each->sizeHint().width() + m_headerLayout->spacing();
    }
    m_title->setMinimumWidth(std::clamp(room, 0, m_title->sizeHint().width()));
}

void ChartView::setBounds(Interval x, Interval y, double shortestX, double shortestY)
{
    m_boundsX = x;
    m_boundsY = y;
    m_shortestX = shortestX;
    m_shortestY = shortestY;
}

void ChartView::setZoomDirections(Qt::Orientations wheel, Qt::Orientations controlWheel)
{
    m_wheel = wheel;
    m_controlWheel = controlWheel;
}

void ChartView::showRange(Interval x, Interval y)
{
    m_plot->xAxis->setRange(x.low, x.high);
    m_plot->yAxis->setRange(y.low, y.high);
}

Interval ChartView::shownX() const
{
    return toInterval(m_plot->xAxis->range());
}

Interval ChartView::shownY() const
{
    return toInterval(m_plot->yAxis->range());
}

void ChartView::confine()
{
    const Interval x = confined(shownX(), m_boundsX, m_shortestX);
    const Interval y = confined(shownY(), m_boundsY, m_shortestY);
    if (!(x == shownX()))
        m_plot->xAxis->setRange(x.low, x.high);
    if (!(y == shownY()))
        m_plot->yAxis->setRange(y.low, y.high);
}

void ChartView::fit()
{
    m_moved = false;
    if (m_empty)
        return;
    fitView();
    replot();
}

void ChartView::replot()
{
    if (m_plot->size().isEmpty())
        return; // on a page not laid out yet: the first resize draws
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

const Tokens& ChartView::look() const
{
    return m_exportTokens ? *m_exportTokens : currentTokens();
}

QFont ChartView::plotFont() const
{
    QFont f = font();
    f.setPointSizeF(f.pointSizeF() * 0.9);
    return f;
}

void ChartView::applyLook()
{
    m_legend->setFont(plotFont());
    m_note->setFont(plotFont());
    applyPlotTheme(*m_plot, look(), plotFont());
    restyle();
}

void ChartView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (!m_updatingTimer)
        return; // still under construction
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange
        || event->type() == QEvent::StyleChange) {
        applyLook();
        replot();
    }
}

void ChartView::setLinkedStage(int stage)
{
    if (stage == m_linkedStage)
        return;
    m_linkedStage = stage;
    replotOverlay(*m_plot);
}

void ChartView::hoverStage(int stage)
{
    if (stage == m_hoveredStage)
        return;
    m_hoveredStage = stage;
    Q_EMIT stageHovered(stage);
}

void ChartView::announce(QPointF at, const QString& tip)
{
    const QRect rect = m_plot->axisRect()->rect();
    const QPoint shown(
        std::clamp(qRound(at.x()), rect.left(), rect.right()), std::clamp(qRound(at.y()), rect.top(), rect.bottom()));
    QToolTip::showText(m_plot->mapToGlobal(shown) + QPoint(4, 8), tip, m_plot);
    m_pointedText = QTextDocumentFragment::fromHtml(tip).toPlainText();
    QAccessibleValueChangeEvent event(this, m_pointedText);
    QAccessible::updateAccessibility(&event);
}

void ChartView::zoom(Qt::Orientation orientation, double factor, double anchorPixels)
{
    QCPAxis* axis = orientation == Qt::Horizontal ? m_plot->xAxis : m_plot->yAxis;
    const double anchor = axis->pixelToCoord(anchorPixels);
    const Interval bounds = orientation == Qt::Horizontal ? m_boundsX : m_boundsY;
    const double shortest = orientation == Qt::Horizontal ? m_shortestX : m_shortestY;
    const QCPRange range = axis->range();
    // The length is limited before the range is set, so that the value at the pointer stays there at the limits, too.
    const double length = std::clamp(range.size() / factor, std::min(shortest, bounds.length()), bounds.length());
    const double share = (anchor - range.lower) / range.size();
    m_moved = true;
    axis->setRange(anchor - share * length, anchor + (1 - share) * length);
}

void ChartView::pan(Qt::Orientation orientation, double share)
{
    QCPAxis* axis = orientation == Qt::Horizontal ? m_plot->xAxis : m_plot->yAxis;
    m_moved = true;
    axis->moveRange(share * axis->range().size());
}

} // namespace stratoplan

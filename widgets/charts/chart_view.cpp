// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_view.h"

#include "widgets/charts/axis_texts.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/chart_keys.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/style/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QToolTip>

namespace stratoplan::widgets {

namespace {

constexpr double kKeyZoom = 1.4;
constexpr double kKeyPan = 0.15;

bool isKey(const QKeyEvent& event, QKeyCombination keys)
{
    return event.keyCombination() == keys;
}

} // namespace

ChartView::ChartView(const QString& title, const QString& emptyText, QWidget* parent)
    : QWidget(parent)
    , m_plot(new QCustomPlot)
    , m_range(new PlotRange(*m_plot, this))
    , m_pointer(new PlotPointer(*m_plot, *m_range, *this, this))
    , m_axisTexts(new AxisTexts(*m_plot, this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(title);
    m_plot->setMinimumSize(8, 8); // never laid out to nothing: QCustomPlot would paint on an empty pixmap
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMouseTracking(true);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setAccessibleName(title);
    m_plot->plotLayout()->setMargins(QMargins(0, 0, 0, 0));
    m_plot->axisRect()->setMinimumMargins(QMargins(2, 9, 8, 2));
    m_frame = std::make_unique<ChartFrame>(*this, *m_plot, title, emptyText);
    connectPlot();
    installChartAccessibility();
    applyLook();
}

ChartView::~ChartView()
{
    m_plot->removeEventFilter(m_pointer); // the plot outlives this destructor
}

void ChartView::connectPlot()
{
    connect(m_pointer, &PlotPointer::pressed, this, [this] { setFocus(Qt::MouseFocusReason); });
    connect(m_pointer, &PlotPointer::left, this, [this] { hoverStage(-1); });
    connect(m_pointer, &PlotPointer::moved, this, &ChartView::replot);
    connect(m_pointer, &PlotPointer::fitWanted, this, [this] { fit(); });
    connect(m_pointer, &PlotPointer::resized, this, [this] {
        if (!isEmpty() && !isMoved())
            fitView(); // how much fits may depend on the size
    });
    connect(
        m_pointer, &PlotPointer::menuWanted, this, [this](QPoint at, QPoint global) { makeMenu(at)->popup(global); });
}

void ChartView::setEmpty(bool empty)
{
    m_frame->setEmpty(empty);
    setAccessibleDescription(empty ? emptyText() : description());
}

void ChartView::setEmptyText(const QString& text)
{
    m_frame->setEmptyText(text);
    if (isEmpty())
        setAccessibleDescription(text);
}

void ChartView::setAxisTexts(Qt::Orientation axis, QStringList texts)
{
    m_axisTexts->setTexts(axis, std::move(texts));
}

void ChartView::fit()
{
    m_range->setMoved(false);
    if (isEmpty())
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
    m_frame->setFont(plotFont());
    applyPlotTheme(*m_plot, look(), plotFont());
    restyle();
}

void ChartView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (!m_frame)
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

void ChartView::keyPressEvent(QKeyEvent* event)
{
    const auto command = chartCommandOf(event->key(), event->modifiers());
    if (isEmpty())
        QWidget::keyPressEvent(event);
    else if (event->matches(QKeySequence::Copy))
        copyData();
    else if (isKey(*event, kCopyImageKeys))
        copyImage();
    else if (isKey(*event, kExportKeys))
        exportWithDialog();
    else if (keyPressed(*event))
        replot();
    else if (command)
        perform(*command);
    else
        QWidget::keyPressEvent(event);
}

void ChartView::perform(ChartCommand command)
{
    const double up = m_plot->yAxis->rangeReversed() ? -kKeyPan : kKeyPan;
    switch (command) {
    case ChartCommand::ZoomIn:
    case ChartCommand::ZoomOut:
        m_range->zoomAll(
            command == ChartCommand::ZoomIn ? kKeyZoom : 1 / kKeyZoom, m_plot->axisRect()->rect().center());
        break;
    case ChartCommand::PanLeft:
    case ChartCommand::PanRight:
        pan(Qt::Horizontal, command == ChartCommand::PanRight ? kKeyPan : -kKeyPan);
        break;
    case ChartCommand::PanUp:
    case ChartCommand::PanDown:
        pan(Qt::Vertical, command == ChartCommand::PanUp ? up : -up);
        break;
    case ChartCommand::Fit:
        return fit();
    }
    replot();
}

void ChartView::paintEvent(QPaintEvent*)
{
    if (!hasFocus() || !window()->testAttribute(Qt::WA_KeyboardFocusChange))
        return;
    QPainter painter(this);
    painter.setPen(QPen(currentTokens().accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void ChartView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_frame->place();
}

void ChartView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ChartView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace stratoplan::widgets

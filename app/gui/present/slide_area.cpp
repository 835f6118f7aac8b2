// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/slide_area.h"

#include "app/gui/present/slide_pictures.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/topology_scene.h"

#include <QGraphicsView>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr double kSideMargin = 4; // hundredths of the screen's height
constexpr double kPointsPerInch = 72;

QGraphicsView* makePicture(QGraphicsScene& scene, QWidget* parent)
{
    auto* view = new QGraphicsView(&scene, parent);
    view->setInteractive(false);
    view->setAttribute(Qt::WA_TransparentForMouseEvents);
    view->setFocusPolicy(Qt::NoFocus);
    view->setFrameShape(QFrame::NoFrame);
    view->setRenderHint(QPainter::Antialiasing);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setBackgroundRole(QPalette::Window);
    view->setAccessibleName(SlideArea::tr("Picture of the cluster"));
    return view;
}

} // namespace

SlideArea::SlideArea(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_scene(new widgets::TopologyScene(this))
    , m_cluster(makePicture(*m_scene, this))
    , m_pipeline(new widgets::PipelineChart(this))
{
    m_scene->setCatalog(catalog);
    m_pipeline->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_pipeline->setFocusPolicy(Qt::NoFocus);
    for (QWidget* part : m_pipeline->findChildren<QWidget*>())
        part->setFocusPolicy(Qt::NoFocus);
    for (QWidget* part : m_pipeline->findChildren<QToolButton*>())
        part->hide(); // nothing is pressed there
    arrange();
}

void SlideArea::show(plan::SlideView view, const SlideState& state)
{
    m_view = view;
    m_state = state;
    setAccessibleName(titleOf(view));
    setAccessibleDescription(spokenText(view, state));
    showCluster();
    showPipeline();
    arrange();
    update();
}

void SlideArea::setUnit(double unit)
{
    m_unit = unit;
    QFont type = font();
    type.setPointSizeF(std::max(1.0, kSmallType * unit * kPointsPerInch / logicalDpiY()));
    m_pipeline->setFont(type);
    arrange();
    update();
}

QRectF SlideArea::inside() const
{
    const double side = kSideMargin * m_unit;
    return QRectF(rect()).adjusted(side, m_unit, -side, -m_unit);
}

double SlideArea::captionHeight() const
{
    constexpr double kLine = 4.4, kMost = 18;
    const double lines = m_state.plan ? double(m_state.plan->cluster.nodes.size()) : 1;
    return std::min(kMost, kLine * lines + 1) * m_unit;
}

void SlideArea::showCluster()
{
    if (m_view != plan::SlideView::Cluster || !m_state.plan)
        return;
    const cluster::Cluster& cluster = m_state.plan->cluster;
    m_scene->setValue({cluster, widgets::completed(cluster, m_state.canvas)});
}

void SlideArea::showPipeline()
{
    const estimate::Estimate* const estimate = m_state.priced();
    if (!estimate || !m_state.timeline) {
        m_drawn.reset();
        m_pipeline->clear(tr("This step is too long to draw, or is still being placed in time."));
    } else if (m_drawn != m_state.timeline) {
        m_drawn = m_state.timeline;
        m_pipeline->setStep(m_drawn, estimate->memory.capacity);
    }
}

/// What is shown where: of pictures that are widgets.
void SlideArea::arrange()
{
    const bool priced = m_state.priced() != nullptr;
    const bool overview = m_view == plan::SlideView::Overview;
    m_cluster->setVisible(m_view == plan::SlideView::Cluster && m_state.plan);
    m_pipeline->setVisible(priced && (overview || m_view == plan::SlideView::Pipeline));
    QRectF place = inside();
    if (overview)
        place.setTop(place.center().y() + m_unit);
    m_pipeline->setGeometry(place.toRect());
    QRectF picture = inside();
    picture.setBottom(picture.bottom() - captionHeight());
    m_cluster->setGeometry(picture.toRect());
    if (m_view != plan::SlideView::Cluster)
        return;
    constexpr double kAround = 16;
    m_cluster->setSceneRect(m_scene->contentRect().adjusted(-kAround, -kAround, kAround, kAround));
    m_cluster->fitInView(m_cluster->sceneRect(), Qt::KeepAspectRatio);
}

void SlideArea::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const SlidePainter slide(painter, m_unit, font());
    if (!m_state.plan || !m_state.estimate)
        return paintNotice(slide, inside(), tr("Estimating…"));
    paintView(slide);
}

void SlideArea::paintView(const SlidePainter& slide)
{
    const QRectF place = inside();
    if (m_view == plan::SlideView::Cluster) {
        slide.paragraph({place.left(), place.bottom() - captionHeight() + m_unit, place.width(), captionHeight()},
            clusterSentence(m_state.plan->cluster), slide.style(kBodyType));
        return;
    }
    const estimate::Estimate* const estimate = m_state.priced();
    if (!estimate) {
        TextStyle bad = slide.style(kLeadType, true);
        bad.colour = slide.colour(SlideTone::Bad);
        const double head = slide.paragraph(place, tr("This plan cannot be estimated."), bad) + slide.px(2);
        return paintItems(slide, place.adjusted(0, head, 0, 0), faultItems(m_state));
    }
    switch (m_view) {
    case plan::SlideView::Decision:
        return paintDecision(slide, place, m_state);
    case plan::SlideView::Alternatives:
        return paintAlternatives(slide, place, m_state);
    case plan::SlideView::Time:
        return paintTime(slide, place, *estimate);
    case plan::SlideView::Memory:
        return paintMemory(slide, place, *estimate);
    case plan::SlideView::Risks:
        return paintItems(slide, place, riskItems(m_state));
    case plan::SlideView::Evidence:
        return paintItems(slide, place, evidenceItems(m_state));
    case plan::SlideView::Overview:
        return paintOverview(slide, place);
    case plan::SlideView::Cluster:
    case plan::SlideView::Pipeline:
        break;
    }
}

void SlideArea::paintOverview(const SlidePainter& slide, const QRectF& place)
{
    constexpr double kSmaller = 0.68;
    const SlidePainter half(slide.painter(), m_unit * kSmaller, font());
    const double gap = slide.px(3);
    const double width = (place.width() - gap) / 2;
    const double height = place.height() / 2 - slide.px(1);
    paintTime(half, {place.left(), place.top(), width, height}, *m_state.priced());
    paintMemory(half, {place.left() + width + gap, place.top(), width, height}, *m_state.priced());
}

void SlideArea::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void SlideArea::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        update();
}

void SlideArea::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !rect().contains(event->position().toPoint()))
        return event->ignore();
    if (event->position().x() < width() / 3.0)
        Q_EMIT backWanted();
    else
        Q_EMIT nextWanted();
}

} // namespace stratoplan::gui

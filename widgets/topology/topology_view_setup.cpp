// SPDX-License-Identifier: GPL-3.0-or-later
// Actions, menus and what floats over the canvas.
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/ghost_card.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QActionGroup>
#include <QContextMenuEvent>
#include <QGraphicsPathItem>
#include <QKeySequence>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <array>
#include <cmath>

namespace stratoplan {

namespace {

constexpr int kOverlayMargin = 12;
constexpr int kRoomyWidth = 480; ///< smaller canvases show no map and no legend
constexpr int kRoomyHeight = 400;

/// What an empty canvas says: a picture of the first step, what to do, and another way.
class EmptyState final : public QWidget {
public:
    explicit EmptyState(QWidget* parent)
        : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        auto* column = new QVBoxLayout(this);
        column->setSpacing(8);
        auto* picture = new QLabel(this);
        picture->setPixmap(icon(QStringLiteral("cluster")).pixmap(QSize(48, 48)));
        picture->setAlignment(Qt::AlignCenter);
        m_picture = picture;
        auto* title = new QLabel(TopologyView::tr("Drag a node from the palette"), this);
        setTextRole(*title, TextRole::Title);
        title->setAlignment(Qt::AlignCenter);
        auto* more = new QLabel(
            TopologyView::tr("or choose a preset cluster there. Link nodes to switches with the link tool (L)."), this);
        setTextRole(*more, TextRole::Secondary);
        more->setAlignment(Qt::AlignCenter);
        more->setWordWrap(true);
        column->addStretch();
        column->addWidget(picture);
        column->addWidget(title);
        column->addWidget(more);
        column->addStretch();
        setAccessibleName(title->text() + QLatin1Char(' ') + more->text());
    }

protected:
    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::PaletteChange)
            m_picture->setPixmap(icon(QStringLiteral("cluster")).pixmap(QSize(48, 48)));
        QWidget::changeEvent(event);
    }

private:
    QLabel* m_picture = nullptr;
};

} // namespace

QAction* TopologyView::addTool(
    const QString& text, const QString& iconName, const QKeySequence& key, const QString& toolTip)
{
    auto* action = new QAction(icon(iconName), text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (key.count() == 1 && key[0].keyboardModifiers() == Qt::NoModifier)
        action->setIconText(text + QStringLiteral("  ") + key.toString(QKeySequence::NativeText));
    action->setToolTip(key.isEmpty() ? toolTip : tr("%1 (%2)").arg(toolTip, key.toString(QKeySequence::NativeText)));
    addAction(action);
    return action;
}

void TopologyView::createActions()
{
    auto* tools = new QActionGroup(this);
    const auto tool = [&](QAction* action, Tool which) {
        action->setCheckable(true);
        tools->addAction(action);
        connect(action, &QAction::triggered, this, [this, which] { setTool(which); });
        return action;
    };
    m_selectTool =
        tool(addTool(tr("Select"), QStringLiteral("select"), Qt::Key_V, tr("Select and move elements")), Tool::Select);
    m_linkTool = tool(addTool(tr("Link"), QStringLiteral("link"), Qt::Key_L, tr("Link two elements")), Tool::Link);
    m_panTool = tool(addTool(tr("Pan"), QStringLiteral("pan"), Qt::Key_H, tr("Move the view")), Tool::Pan);
    m_selectTool->setChecked(true);
    // L on a selected element starts the link there; pressing it again gives the tool back.
    m_linkTool->disconnect(this);
    connect(
        m_linkTool, &QAction::triggered, this, [this] { setTool(m_tool == Tool::Link ? Tool::Select : Tool::Link); });

    m_delete = addTool(
        tr("Delete"), QStringLiteral("delete"), QKeySequence::Delete, tr("Delete the selected elements and links"));
    m_delete->setShortcuts({QKeySequence(Qt::Key_Delete), QKeySequence(Qt::Key_Backspace)});
    connect(m_delete, &QAction::triggered, this, &TopologyView::removeSelection);
    m_duplicate = addTool(
        tr("Duplicate"), QStringLiteral("duplicate"), Qt::CTRL | Qt::Key_D, tr("Duplicate the selected elements"));
    connect(m_duplicate, &QAction::triggered, this, &TopologyView::duplicateSelection);
    m_delete->setEnabled(false);
    m_duplicate->setEnabled(false);
    QAction* all =
        addTool(tr("Select all"), QStringLiteral("select"), QKeySequence::SelectAll, tr("Select all elements"));
    connect(all, &QAction::triggered, this, [this] { m_scene->select(m_scene->walkOrder()); });
}

void TopologyView::createOverlays()
{
    m_linkPreview = new QGraphicsPathItem;
    m_linkPreview->setZValue(8); // behind the cards
    m_linkPreview->hide();
    m_scene->addItem(m_linkPreview);
    m_ghost = new GhostCard;
    m_ghost->hide();
    m_scene->addItem(m_ghost);

    m_empty = new EmptyState(this);
    m_legend = new CanvasLegend(this);
    m_map = new CanvasMap(this);
    connect(m_map, &CanvasMap::centreRequested, this, [this](const QPointF& at) {
        m_autoFit = false;
        centerOn(at);
        viewChanged();
    });
    m_hint = new CanvasHint(this);
    m_toolBar = new CanvasToolBar(this);
    m_toolBar->addTool(m_selectTool);
    m_toolBar->addTool(m_linkTool);
    m_toolBar->addTool(m_panTool);
    m_toolBar->addSeparator();
    QAction* fitAction = addTool(tr("Fit"), QStringLiteral("fit"), Qt::Key_F, tr("Bring the whole cluster into view"));
    connect(fitAction, &QAction::triggered, this, &TopologyView::fit);
    QAction* tidyAction = addTool(
        tr("Arrange"), QStringLiteral("layout"), Qt::Key_A, tr("Arrange the cluster: nodes below, switches above"));
    connect(tidyAction, &QAction::triggered, this, &TopologyView::tidy);
    m_toolBar->addTool(fitAction);
    m_toolBar->addTool(tidyAction);
    m_toolBar->addSeparator();

    auto* zooms = new QMenu(this);
    QAction* in = addTool(tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_Plus, tr("Zoom in"));
    in->setShortcuts({QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_Equal)});
    connect(in, &QAction::triggered, this, [this] { setZoom(zoom() * 1.25); });
    QAction* out = addTool(tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_Minus, tr("Zoom out"));
    connect(out, &QAction::triggered, this, [this] { setZoom(zoom() / 1.25); });
    zooms->addActions({in, out});
    zooms->addSeparator();
    for (const int percent : {50, 75, 100, 150, 200})
        zooms->addAction(tr("%1 %").arg(percent), this, [this, percent] { setZoom(percent / 100.0); });
    zooms->addSeparator();
    zooms->addAction(fitAction);
    m_zoomButton = m_toolBar->addZoom(zooms);
}

void TopologyView::layoutOverlays()
{
    const QList<QToolButton*> buttons = m_toolBar->findChildren<QToolButton*>();
    const auto style = [&](Qt::ToolButtonStyle s) {
        for (QToolButton* b : buttons) {
            if (b != m_zoomButton)
                b->setToolButtonStyle(s);
        }
        m_toolBar->adjustSize();
    };
    style(Qt::ToolButtonTextBesideIcon);
    if (m_toolBar->width() + 2 * kOverlayMargin > width())
        style(Qt::ToolButtonIconOnly);
    m_toolBar->move(kOverlayMargin, kOverlayMargin);
    m_empty->setGeometry(rect().adjusted(2 * kOverlayMargin, 60, -2 * kOverlayMargin, -kOverlayMargin));
    m_legend->resize(m_legend->sizeHint());
    m_legend->move(kOverlayMargin, height() - kOverlayMargin - m_legend->height());
    m_map->move(width() - kOverlayMargin - m_map->width(), height() - kOverlayMargin - m_map->height());
    if (m_hint->isVisible())
        m_hint->move(kOverlayMargin, m_toolBar->geometry().bottom() + 8);
    updateOverlays();
}

void TopologyView::updateOverlays()
{
    const QRectF visible = mapToScene(viewport()->rect()).boundingRect();
    const QRectF content = m_scene->contentRect();
    const bool roomy = width() >= kRoomyWidth && height() >= kRoomyHeight;
    // A map of what is in view already would only cover it.
    m_map->setVisible(roomy && !content.isEmpty() && !visible.contains(content));
    m_map->setView(m_scene, visible);
    m_legend->setVisible(legendShows());
    m_zoomButton->setText(tr("%1 %").arg(std::lround(zoom() * 100)));
    m_zoomButton->setAccessibleDescription(m_zoomButton->text());
}

bool TopologyView::legendShows() const
{
    const int room = width() - 3 * kOverlayMargin - (width() >= kRoomyWidth ? m_map->width() : 0);
    return height() >= kRoomyHeight && !m_legend->isEmpty() && m_legend->sizeHint().width() <= room;
}

void TopologyView::updateEmptyState()
{
    m_empty->setVisible(m_value.positions.empty());
}

void TopologyView::contextMenuEvent(QContextMenuEvent* event)
{
    const QStringList keys = selection();
    QMenu menu(this);
    if (!keys.isEmpty()) {
        const bool elements = m_scene->element(keys.constFirst().toStdString()) != nullptr;
        menu.addAction(
            icon(QStringLiteral("edit")), tr("Edit"), this, [this, keys] { Q_EMIT editRequested(keys.constFirst()); });
        if (elements) {
            QMenu* many = menu.addMenu(tr("Make how many of these"));
            for (const int count : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
                many->addAction(groupedNumber(count), this, [this, count] { setSelectionCount(count); });
            menu.addAction(m_linkTool);
            menu.addAction(m_duplicate);
        }
        menu.addAction(m_delete);
        menu.addSeparator();
    }
    for (QAction* action : actions()) {
        if (action->shortcut() == QKeySequence(QKeySequence::SelectAll) || action->shortcut() == QKeySequence(Qt::Key_F)
            || action->shortcut() == QKeySequence(Qt::Key_A))
            menu.addAction(action);
    }
    menu.exec(event->globalPos());
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_actions.h"

#include "widgets/style/icons.h"
#include "widgets/topology/canvas_clipboard.h"
#include "widgets/topology/canvas_picture.h"
#include "widgets/topology/canvas_plates.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_accessible.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/topology_view.h"
#include "widgets/topology/torus_array.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

using Tool = TopologyView::Tool;

constexpr const char* kNeedsCanvas = "needsCanvas"; ///< property of an action

QString viewText(const char* text)
{
    return TopologyView::tr(text);
}

void addTools(TopologyView& view, CanvasActions& actions)
{
    auto* tools = new QActionGroup(&view);
    const auto add = [&](Tool tool, const QString& text, const char* iconName, Qt::Key key, const QString& toolTip) {
        QAction* action = addCanvasAction(view, text, iconName, {key}, toolTip);
        action->setCheckable(true);
        tools->addAction(action);
        // L on a selected element starts the link there; pressing it again gives the tool back.
        QObject::connect(action, &QAction::triggered, &view,
            [&view, tool] { view.setTool(tool == Tool::Link && view.tool() == Tool::Link ? Tool::Select : tool); });
        return action;
    };
    actions.select = add(Tool::Select, viewText("Select"), "select", Qt::Key_V, viewText("Select and move elements"));
    actions.link = add(Tool::Link, viewText("Link"), "link", Qt::Key_L, viewText("Link two elements"));
    actions.pan = add(Tool::Pan, viewText("Pan"), "pan", Qt::Key_H, viewText("Move the view"));
    actions.select->setChecked(true);
}

void addEdits(TopologyView& view, CanvasActions& actions)
{
    actions.remove = addCanvasAction(view, viewText("Delete"), "delete", {Qt::Key_Delete, Qt::Key_Backspace},
        viewText("Delete the selected elements and links"));
    QObject::connect(actions.remove, &QAction::triggered, &view, &TopologyView::removeSelection);
    actions.duplicate = addCanvasAction(
        view, viewText("Duplicate"), "duplicate", {Qt::CTRL | Qt::Key_D}, viewText("Duplicate the selected elements"));
    QObject::connect(actions.duplicate, &QAction::triggered, &view.clipboard(), &CanvasClipboard::duplicate);
    actions.cut = addCanvasAction(view, viewText("Cut"), "delete", {QKeySequence::Cut},
        viewText("Copy the selected elements, as JSON, and delete them with their links"));
    QObject::connect(actions.cut, &QAction::triggered, &view.clipboard(), &CanvasClipboard::cut);
    actions.copy = addCanvasAction(
        view, viewText("Copy"), "copy", {QKeySequence::Copy}, viewText("Copy the selected elements, as JSON"));
    QObject::connect(actions.copy, &QAction::triggered, &view.clipboard(), &CanvasClipboard::copy);
    actions.paste = addCanvasAction(view, viewText("Paste"), "plus", {QKeySequence::Paste},
        viewText("Add the elements on the clipboard, of this or another cluster"));
    QObject::connect(actions.paste, &QAction::triggered, &view.clipboard(), &CanvasClipboard::paste);
    for (QAction* action : {actions.remove, actions.cut, actions.copy, actions.duplicate})
        action->setEnabled(false);
    actions.selectAll = addCanvasAction(
        view, viewText("Select all"), "select", {QKeySequence::SelectAll}, viewText("Select all elements"));
    QObject::connect(actions.selectAll, &QAction::triggered, &view,
        [&view] { view.topologyScene()->select(view.topologyScene()->walkOrder()); });
}

void addViews(TopologyView& view, CanvasActions& actions)
{
    actions.fit =
        addCanvasAction(view, viewText("Fit"), "fit", {Qt::Key_F}, viewText("Bring the whole cluster into view"));
    QObject::connect(actions.fit, &QAction::triggered, &view, &TopologyView::fit);
    actions.arrange = addCanvasAction(
        view, viewText("Arrange"), "layout", {Qt::Key_A}, viewText("Arrange the cluster: nodes below, switches above"));
    QObject::connect(
        actions.arrange, &QAction::triggered, &view, [&view] { view.rearrange(arrangedCards(view.value())); });
    actions.zoomIn =
        addCanvasAction(view, viewText("Zoom in"), "zoom-in", {Qt::Key_Plus, Qt::Key_Equal}, viewText("Zoom in"));
    QObject::connect(actions.zoomIn, &QAction::triggered, &view, [&view] { view.setZoom(view.zoom() * 1.25); });
    actions.zoomOut = addCanvasAction(view, viewText("Zoom out"), "zoom-out", {Qt::Key_Minus}, viewText("Zoom out"));
    QObject::connect(actions.zoomOut, &QAction::triggered, &view, [&view] { view.setZoom(view.zoom() / 1.25); });
    actions.copyImage = addCanvasAction(view, viewText("Copy as image"), "image", {Qt::CTRL | Qt::ALT | Qt::Key_C},
        viewText("Copy the picture of the whole cluster"));
    QObject::connect(actions.copyImage, &QAction::triggered, &view, [&view] { copyCanvas(view); });
    actions.exportImage = addCanvasAction(view, viewText("Export picture…"), "export", {Qt::CTRL | Qt::ALT | Qt::Key_E},
        viewText("Write the picture of the whole cluster as PNG, SVG or PDF"));
    QObject::connect(actions.exportImage, &QAction::triggered, &view, [&view] { exportCanvas(view); });
}

QString noNetworkText()
{
    return viewText("There is no such network of 64-port switches for these nodes: it takes nodes with NICs, at most "
                    "65,536 of them, and nodes of one group where there are more than 64 leaves.");
}

void wire(TopologyView& view, cluster::NetworkShape shape)
{
    if (wired(view.value().cluster, shape))
        view.rearrange(wiredNetwork(view.value(), shape));
    else
        Q_EMIT view.refused(noNetworkText());
}

void addNetworks(TopologyView& view, CanvasActions& actions)
{
    const auto add = [&](cluster::NetworkShape shape, const QString& text, Qt::Key key, const QString& toolTip) {
        QAction* action = addCanvasAction(view, text, "switch", {key}, toolTip);
        QObject::connect(action, &QAction::triggered, &view, [&view, shape] { wire(view, shape); });
        return action;
    };
    actions.fatTree = add(cluster::NetworkShape::FatTree, viewText("Wire as a fat tree"), Qt::Key_T,
        viewText("Replace all switches and cables: the NICs of a node at one leaf of 64 ports, spines and core one to "
                 "one"));
    actions.rails = add(cluster::NetworkShape::RailOptimised, viewText("Wire rail-optimised"), Qt::Key_R,
        viewText("Replace all switches and cables: each NIC of a node at a leaf of its own, blocks of 32 nodes, spines "
                 "and core one to one"));
}

/// "Accelerator", "TP", …; the checked one is in use.
QMenu* coloursMenu(TopologyView& view)
{
    auto* menu = new QMenu(viewText("Colour by"), &view);
    auto* group = new QActionGroup(menu);
    PlanOverlays& overlays = view.topologyScene()->overlays();
    const auto add = [&](std::optional<parallel::Axis> axis, const QString& text) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        group->addAction(action);
        QObject::connect(action, &QAction::triggered, &overlays, [&overlays, axis] { overlays.setAxis(axis); });
        const auto show = [&overlays, action, axis] { action->setChecked(overlays.axis() == axis); };
        QObject::connect(&overlays, &PlanOverlays::changed, action, show);
        show();
    };
    add({}, viewText("&Accelerator"));
    menu->addSeparator();
    for (const parallel::Axis axis : kRankAxes)
        add(axis, QLatin1Char('&') + rankAxisName(axis));
    return menu;
}

/// Of the card that is selected, or of the first one.
void traceGroup(TopologyView& view)
{
    TopologyScene& scene = *view.topologyScene();
    const QStringList keys = view.selection();
    const std::string selected = keys.isEmpty() ? std::string() : keys.constFirst().toStdString();
    const auto& nodes = view.value().cluster.nodes;
    if (nodes.empty())
        return;
    const std::string card = findNodes(view.value().cluster, selected) ? selected : nodes.front().id;
    scene.overlays().toggleTrace(card);
    announceCurrent(view, fromText(card)); // its name tells what is traced
}

void addOverlays(TopologyView& view, CanvasActions& actions)
{
    PlanOverlays& overlays = view.topologyScene()->overlays();
    actions.colours = coloursMenu(view);
    actions.colourBy = addCanvasAction(view, viewText("Colour by …"), "theme", {Qt::Key_C},
        viewText("Colour accelerators by the place of their rank on an axis of the plan"));
    QObject::connect(actions.colourBy, &QAction::triggered, &view,
        [&view, menu = actions.colours] { menu->popup(view.mapToGlobal(view.viewport()->rect().center())); });
    actions.trace = addCanvasAction(view, viewText("Trace a group"), "select", {Qt::Key_G},
        viewText("Show the ranks that one forms a group with on the axis that colours them; arrows go on to others"));
    QObject::connect(actions.trace, &QAction::triggered, &view, [&view] { traceGroup(view); });
    actions.load = addCanvasAction(view, viewText("Load"), "chart-scaling", {Qt::Key_B},
        viewText("Colour links by the share of the step in which they are in use"));
    actions.load->setCheckable(true);
    QObject::connect(actions.load, &QAction::triggered, &overlays, &PlanOverlays::setShowsLoad);
    const auto show = [&overlays, actions] {
        actions.trace->setEnabled(overlays.places() > 0);
        actions.load->setChecked(overlays.showsLoad());
    };
    QObject::connect(&overlays, &PlanOverlays::changed, &view, show);
    show();
}

void addAlignments(TopologyView& view, CanvasActions& actions)
{
    constexpr std::array kAlignments{std::pair(Alignment::Row, "Align in a row"),
        std::pair(Alignment::Column, "Align in a column"), std::pair(Alignment::EvenlyAcross, "Spread evenly across"),
        std::pair(Alignment::EvenlyDown, "Spread evenly down")};
    for (std::size_t i = 0; i < kAlignments.size(); ++i) {
        const auto [alignment, text] = kAlignments[i];
        actions.align[i] = addCanvasAction(view, viewText(text), "layout", {}, viewText(text));
        QObject::connect(actions.align[i], &QAction::triggered, &view,
            [&view, alignment = alignment] { view.propose(alignedCards(view.value(), view.selection(), alignment)); });
    }
}

/// Networks that there are none of are told so while the menu is open; their keys are answered in words.
QMenu* makeArrayMenu(const CanvasActions& actions, TopologyView& view)
{
    auto* menu = new QMenu(viewText("Array"), &view);
    menu->setIcon(icon(QStringLiteral("switch")));
    menu->setToolTipsVisible(true);
    menu->addActions({actions.fatTree, actions.rails});
    menu->addMenu(actions.torus);
    menu->addSeparator();
    menu->addActions({actions.align.begin(), actions.align.end()});
    menu->addSeparator();
    menu->addActions(listed(actions.racks));
    const std::array networks{std::tuple(actions.fatTree, cluster::NetworkShape::FatTree, actions.fatTree->toolTip()),
        std::tuple(actions.rails, cluster::NetworkShape::RailOptimised, actions.rails->toolTip())};
    QObject::connect(menu, &QMenu::aboutToShow, &view, [networks, &view] {
        for (const auto& [action, shape, toolTip] : networks) {
            action->setEnabled(wired(view.value().cluster, shape).has_value());
            action->setToolTip(action->isEnabled() ? toolTip : noNetworkText());
        }
    });
    QObject::connect(menu, &QMenu::aboutToHide, &view, [networks] {
        for (const auto& [action, shape, toolTip] : networks)
            action->setEnabled(true);
    });
    return menu;
}

} // namespace

QAction* addCanvasAction(TopologyView& view, const QString& text, const char* iconName, const QList<QKeySequence>& keys,
    const QString& toolTip)
{
    const QKeySequence key = keys.value(0);
    auto* action = new QAction(icon(QString::fromLatin1(iconName)), text, &view);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (key.count() == 1 && key[0].keyboardModifiers() == Qt::NoModifier)
        action->setIconText(text + QStringLiteral("  ") + key.toString(QKeySequence::NativeText));
    action->setToolTip(
        key.isEmpty() ? toolTip : viewText("%1 (%2)").arg(toolTip, key.toString(QKeySequence::NativeText)));
    view.addAction(action);
    return action;
}

CanvasActions makeCanvasActions(TopologyView& view)
{
    CanvasActions actions{};
    addTools(view, actions);
    addEdits(view, actions);
    addViews(view, actions);
    addNetworks(view, actions);
    actions.torus = makeTorusMenu(view);
    addOverlays(view, actions);
    addAlignments(view, actions);
    actions.racks = makeRackActions(view);
    for (QAction* action : {actions.select, actions.link, actions.pan, actions.fit, actions.arrange, actions.zoomIn,
             actions.zoomOut, actions.copyImage, actions.exportImage, actions.colourBy, actions.trace, actions.load})
        action->setProperty(kNeedsCanvas, true);
    for (QAction* action : actions.align)
        action->setProperty(kNeedsCanvas, true);
    actions.racks.rename->setProperty(kNeedsCanvas, true);
    return actions;
}

bool needsCanvas(const QAction& action)
{
    return action.property(kNeedsCanvas).toBool();
}

void fillToolBar(CanvasPlates& plates, CanvasActions& actions, TopologyView& view)
{
    CanvasToolBar& bar = plates.toolBar();
    for (QAction* tool : {actions.select, actions.link, actions.pan})
        bar.addTool(tool);
    bar.addSeparator();
    plates.addSpare({bar.addTool(actions.fit), bar.addTool(actions.arrange)});
    actions.arrays = bar.addMenu(makeArrayMenu(actions, view), viewText("Array"), {});
    plates.addSpare({actions.arrays});
    bar.addSeparator();
    plates.setOverlayTools(actions.colours, actions.load);
    QObject::connect(&view.topologyScene()->overlays(), &PlanOverlays::changed, &view, [&view] {
        if (view.keepsAllInView()) // beside the legend that came or went
            view.fit();
    });
    bar.addSeparator();
    auto* zooms = new QMenu(&view);
    zooms->addActions({actions.zoomIn, actions.zoomOut});
    zooms->addSeparator();
    for (const int percent : {50, 75, 100, 150, 200})
        zooms->addAction(viewText("%1 %").arg(percent), &view, [&view, percent] { view.setZoom(percent / 100.0); });
    zooms->addSeparator();
    zooms->addAction(actions.fit);
    plates.setZoomMenu(zooms);
}

void updateCanvasActions(const CanvasActions& actions, const TopologyView& view)
{
    const QStringList keys = view.selection();
    const auto elements = std::ranges::count_if(
        keys, [&view](const QString& key) { return view.value().positions.contains(key.toStdString()); });
    actions.remove->setEnabled(!keys.isEmpty());
    for (QAction* action : {actions.cut, actions.copy, actions.duplicate})
        action->setEnabled(elements > 0);
    for (std::size_t i = 0; i < actions.align.size(); ++i) {
        const bool spreads = i >= 2;
        QAction& action = *actions.align[i];
        action.setEnabled(elements >= (spreads ? 3 : 2));
        action.setToolTip(action.isEnabled() ? action.text()
                : spreads                    ? viewText("Select three elements or more to spread them")
                                             : viewText("Select two elements or more to align them"));
    }
    updateRackActions(actions.racks, view);
    const bool isEmpty = view.value().positions.empty();
    for (QAction* action : {actions.copyImage, actions.exportImage})
        action->setEnabled(!isEmpty);
    actions.arrays->setEnabled(!isEmpty);
    actions.arrays->setToolTip(isEmpty
            ? viewText("Nothing to wire, align or group yet: place nodes first")
            : viewText("Wire all nodes as a network, align, spread or group what is selected"));
}

void fillCanvasMenu(QMenu& menu, const CanvasActions& actions, TopologyView& view)
{
    const QStringList keys = view.selection();
    if (!keys.isEmpty()) {
        const QString first = keys.constFirst();
        menu.addAction(icon(QStringLiteral("edit")), viewText("Edit"), &view,
            [&view, first] { Q_EMIT view.editRequested(first); });
        if (view.topologyScene()->element(first.toStdString())) {
            QMenu* many = menu.addMenu(viewText("Make how many of these"));
            for (const int count : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
                many->addAction(groupedNumber(count), &view,
                    [&view, count] { view.propose(countedElements(view.value(), view.selection(), count)); });
            menu.addAction(actions.link);
            if (keys.size() > 1)
                menu.addMenu(viewText("Align"))->addActions({actions.align.begin(), actions.align.end()});
            QMenu* racks = menu.addMenu(viewText("Rack"));
            racks->setToolTipsVisible(true);
            racks->addActions(listed(actions.racks));
            menu.addActions({actions.cut, actions.copy, actions.duplicate});
        }
        menu.addAction(actions.remove);
        menu.addSeparator();
    }
    menu.addActions({actions.paste, actions.selectAll, actions.fit, actions.arrange});
    menu.addSeparator();
    menu.addActions({actions.copyImage, actions.exportImage});
    menu.addSeparator();
    menu.addActions({actions.fatTree, actions.rails});
    menu.addMenu(actions.torus);
    menu.addSeparator();
    menu.addMenu(actions.colours);
    menu.addActions({actions.trace, actions.load});
}

} // namespace stratoplan::widgets

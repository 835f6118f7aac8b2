// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_table.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"
#include "widgets/shell/thin_splitter.h"
#include "widgets/style/icons.h"
#include "widgets/topology/cell_view.h"
#include "widgets/topology/cluster_rows.h"
#include "widgets/topology/new_link_bar.h"
#include "widgets/topology/palette_model.h"
#include "widgets/topology/topology_text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace stratoplan::widgets {

namespace {

/// What the palette offers of the kind, as a list to pick from.
std::vector<PickerItem> presetItems(const catalog::Catalog& catalog, PresetKind kind)
{
    std::vector<PickerItem> items;
    const PaletteModel palette(catalog);
    for (int row = 0; row < palette.rowCount(); ++row) {
        const PaletteEntry& entry = palette.entry(palette.index(row, 0));
        if (entry.kind == kind)
            items.push_back({entry.key, entry.name, {}, entry.detail, entry.toolTip});
    }
    return items;
}

QToolButton* makeButton(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->toolTip());
    return button;
}

} // namespace

ClusterTable::ClusterTable(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_value(std::make_shared<const CanvasValue>())
    , m_splitter(new ThinSplitter(Qt::Vertical, this))
{
    setAccessibleName(tr("Cluster table"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    makeSections(catalog);
    makeActions();
    addControls(catalog);
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_isSized = true; });
}

void ClusterTable::makeSections(const catalog::Catalog& catalog)
{
    m_sections = {new ClusterRows(RowKind::Nodes, catalog,
                      tr("No nodes yet: add some of the catalogue (Insert), or choose a whole cluster in the palette."),
                      m_splitter),
        new ClusterRows(RowKind::Switches, catalog,
            tr("No switches drawn: a network that blocks nothing is assumed. Add some to say what there is."),
            m_splitter),
        new ClusterRows(RowKind::Links, catalog,
            tr("No links yet: choose the two elements above. Nodes link to leaf switches, those to spines."),
            m_splitter)};
    m_lastSection = m_sections.front();
    for (ClusterRows* section : m_sections) {
        m_splitter->addWidget(section);
        m_splitter->setCollapsible(m_splitter->indexOf(section), false);
        section->setMinimumHeight(fontMetrics().height() * 4);
        connect(&section->model(), &ClusterTableModel::edited, this, &ClusterTable::edited);
        connect(&section->model(), &ClusterTableModel::refused, this, &ClusterTable::refused);
        connect(section, &ClusterRows::selectionChanged, this,
            [this, section](bool adds) { selectionMoved(*section, adds); });
    }
}

void ClusterTable::makeActions()
{
    const auto make = [this](
                          const QString& text, const char* iconName, const QKeySequence& key, const QString& toolTip) {
        auto* action = new QAction(icon(QString::fromLatin1(iconName)), text, this);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(tr("%1 (%2)").arg(toolTip, key.toString(QKeySequence::NativeText)));
        addAction(action);
        return action;
    };
    m_add = make(tr("Add rows"), "plus", Qt::Key_Insert, tr("Add nodes, switches or a link, where the keyboard is"));
    m_duplicate = make(tr("Duplicate"), "copy", Qt::CTRL | Qt::Key_D, tr("Duplicate the selected elements"));
    m_remove = make(tr("Delete rows"), "delete", Qt::Key_Delete, tr("Delete the selected elements and links"));
    m_cut =
        make(tr("Cut rows"), "delete", QKeySequence::Cut, tr("Copy the selected elements, as JSON, and delete them"));
    m_copy = make(tr("Copy"), "copy", QKeySequence::Copy,
        tr("Copy whole rows of elements as JSON, other cells as a spreadsheet takes them"));
    m_paste = make(tr("Paste"), "plus", QKeySequence::Paste,
        tr("Add the elements on the clipboard, or write its cells over these"));
    connect(m_add, &QAction::triggered, this, &ClusterTable::add);
    connect(m_duplicate, &QAction::triggered, this, &ClusterTable::duplicateWanted);
    connect(m_remove, &QAction::triggered, this, &ClusterTable::removeWanted);
    connect(m_cut, &QAction::triggered, this, &ClusterTable::cut);
    connect(m_copy, &QAction::triggered, this, &ClusterTable::copy);
    connect(m_paste, &QAction::triggered, this, &ClusterTable::paste);
    for (QAction* action : {m_duplicate, m_remove, m_cut, m_copy})
        action->setEnabled(false);
}

void ClusterTable::addControls(const catalog::Catalog& catalog)
{
    const std::array kinds{PresetKind::Node, PresetKind::Switch};
    const std::array texts{tr("Add nodes"), tr("Add switches")};
    for (std::size_t i = 0; i < m_presets.size(); ++i) {
        m_presets[i] = new Picker(Picker::Look::Header, m_sections[i]);
        m_presets[i]->setItems(presetItems(catalog, kinds[i]));
        m_presets[i]->setCurrent({}, texts[i]);
        m_presets[i]->setAccessibleName(texts[i]);
        m_presets[i]->setExplanation(tr("Of the catalogue, to edit as you like (Insert)"));
        connect(m_presets[i], &Picker::picked, this, &ClusterTable::presetWanted);
        m_sections[i]->addControl(m_presets[i]);
    }
    auto* nothing = new QWidget(m_sections[0]);
    m_sections[0]->addControl(nothing, 1);
    m_sections[0]->addControl(makeButton(m_duplicate, m_sections[0]));
    m_sections[0]->addControl(makeButton(m_remove, m_sections[0]));
    m_sections[1]->addControl(new QWidget(m_sections[1]), 1);
    m_newLink = new NewLinkBar(catalog, m_sections[2]);
    m_sections[2]->addControl(m_newLink, 1);
    connect(m_newLink, &NewLinkBar::linked, this, &ClusterTable::edited);
}

void ClusterTable::addTool(QAction* action)
{
    QToolButton* button = makeButton(action, m_sections[0]);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_sections[0]->addControl(button);
}

void ClusterTable::setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    CanvasValue next{cluster, positions};
    if (next == *m_value)
        return; // what is typed stays
    m_value = std::make_shared<const CanvasValue>(std::move(next));
    m_isStale = true;
    if (isVisible())
        showValue();
}

void ClusterTable::showValue()
{
    m_isStale = false;
    const cluster::Cluster& cluster = m_value->cluster;
    std::vector<ClusterIssue> issues;
    if (!cluster.nodes.empty() || !cluster.switches.empty())
        issues = reviewCluster(cluster);
    for (ClusterRows* section : m_sections)
        section->setValue(m_value, issues);
    m_newLink->setValue(m_value);
    if (!m_isSized)
        fitSections();
}

/// Each as high as its rows wish, as far as there is room.
void ClusterTable::fitSections()
{
    QList<int> heights;
    for (const ClusterRows* section : m_sections)
        heights << std::min(section->wantedHeight(), height());
    m_splitter->setSizes(heights);
}

void ClusterTable::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        showValue();
    for (ClusterRows* section : m_sections)
        section->setSelection(m_selection);
}

QSize ClusterTable::minimumSizeHint() const
{
    return {240, 180};
}

QStringList ClusterTable::selection() const
{
    QStringList keys;
    for (const ClusterRows* section : m_sections)
        keys << section->selection();
    return keys;
}

void ClusterTable::setSelection(const QStringList& keys)
{
    m_selection = keys;
    std::vector<std::string> ids;
    for (const QString& key : keys)
        ids.push_back(key.toStdString());
    const bool hasElements = !rowsOf(m_value->cluster, RowKind::Nodes, ids).empty()
        || !rowsOf(m_value->cluster, RowKind::Switches, ids).empty();
    m_duplicate->setEnabled(hasElements);
    m_cut->setEnabled(hasElements);
    m_remove->setEnabled(!keys.isEmpty());
    m_copy->setEnabled(!keys.isEmpty());
    if (!isVisible())
        return; // as it is shown
    for (ClusterRows* section : m_sections)
        section->setSelection(keys);
}

void ClusterTable::selectionMoved(ClusterRows& section, bool adds)
{
    m_lastSection = &section;
    if (!adds) {
        for (ClusterRows* other : m_sections)
            if (other != &section)
                other->setSelection({});
    }
    const QStringList keys = selection();
    setSelection(keys);
    Q_EMIT selectionChanged(keys);
}

ClusterRows& ClusterTable::current() const
{
    for (ClusterRows* section : m_sections) {
        if (section->isAncestorOf(QApplication::focusWidget()))
            return *section;
    }
    return *m_lastSection;
}

void ClusterTable::add()
{
    const RowKind kind = current().model().kind();
    if (kind == RowKind::Links)
        m_newLink->begin();
    else
        m_presets[kind == RowKind::Nodes ? 0 : 1]->openList();
}

void ClusterTable::cut()
{
    if (current().selectsRows())
        Q_EMIT cutWanted();
    else
        Q_EMIT refused(tr("Only whole rows are cut: select them first (Shift+Space)."));
}

void ClusterTable::copy()
{
    const ClusterRows& section = current();
    if (section.selectsRows() && section.model().kind() != RowKind::Links)
        Q_EMIT copyWanted();
    else if (!section.selection().isEmpty())
        QApplication::clipboard()->setText(section.selectedText());
}

void ClusterTable::paste()
{
    const QString text = QApplication::clipboard()->text();
    const QModelIndex at = current().view().currentIndex();
    if (text.trimmed().startsWith(u'{') || text.isEmpty() || !at.isValid())
        Q_EMIT pasteWanted();
    else
        current().model().paste(at, cellsOfText(text));
}

QString ClusterTable::commitPending()
{
    for (ClusterRows* section : m_sections) {
        if (const QString wrong = section->view().commitPending(); !wrong.isEmpty())
            return wrong;
    }
    return {};
}

void ClusterTable::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addActions({m_add, m_duplicate, m_remove});
    menu.addSeparator();
    menu.addActions({m_cut, m_copy, m_paste});
    menu.exec(event->globalPos());
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/partition_explorer.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/panel_style.h"
#include "widgets/partition/grid_legend.h"
#include "widgets/partition/grid_picture.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/partition/partition_panes.h"
#include "widgets/partition/partition_table.h"
#include "widgets/partition/rank_panel.h"
#include "widgets/partition/step_bar.h"
#include "widgets/presentation/partition_text.h"
#include "widgets/presentation/text.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QAction>
#include <QButtonGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QTabBar>
#include <QTableWidget>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace stratoplan::widgets {

using namespace partition;

namespace {

QLabel* makeLabel(QWidget* parent, TextRole role)
{
    auto* label = new QLabel(parent);
    setTextRole(*label, role);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QString divisionOf(const PartitionOperator& op)
{
    return op.kind == DiagramOperator::Kind::Linear ? text(partition::text(op.sequence)) : op.axes;
}

QString factsOf(const PartitionScene& scene)
{
    QStringList facts;
    for (const Tensor tensor : kTensors)
        facts << blocksText(scene, tensor);
    return facts.join(QStringLiteral("  ·  "));
}

} // namespace

PartitionExplorer::PartitionExplorer(QWidget* parent)
    : QWidget(parent)
    , m_pages(new QStackedLayout(this))
    , m_message(makeLabel(this, TextRole::Secondary))
    , m_note(makeLabel(this, TextRole::Secondary))
    , m_title(new ElidedLabel(this))
    , m_size(new ElidedLabel(this))
    , m_facts(new ElidedLabel(this))
    , m_sentence(new QLabel(this))
    , m_legend(new GridLegend(this))
    , m_tensors(new QButtonGroup(this))
    , m_help(new QToolButton(this))
    , m_diagram(new BlockDiagram(this))
    , m_grid(new PartitionGrid(this))
    , m_steps(new StepBar(this))
    , m_rank(new RankPanel(this))
    , m_table(new PartitionTable(this))
{
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setMargin(40);
    setTextRole(*m_title, TextRole::Title);
    setTextRole(*m_size, TextRole::Secondary);
    setTextRole(*m_facts, TextRole::Secondary);
    makeParts();
    makeExports();
    joinParts();
    orderTabs();
    setPicture({});
}

void PartitionExplorer::makeParts()
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_panes = new PartitionPanes({m_diagram, makeCentre(), m_rank, m_table}, this);
    connect(m_panes, &PartitionPanes::shortChanged, this, &PartitionExplorer::presentFacts);
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(kPanelMargin, kRowGap, kPanelMargin, kRowGap);
    column->addWidget(m_note);
    column->addWidget(m_panes, 1);
    m_pages->addWidget(m_message);
    m_pages->addWidget(content);
}

/// In the menu of the ranks, and by keys where these have the focus.
void PartitionExplorer::makeExports()
{
    const auto add = [this](const QString& text, const char* iconName, QKeyCombination keys, auto act) {
        auto* action = new QAction(icon(QString::fromLatin1(iconName)), text, m_grid);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        m_grid->addAction(action);
    };
    add(tr("Copy as image"), "image", Qt::CTRL | Qt::ALT | Qt::Key_C,
        [this] { QGuiApplication::clipboard()->setImage(imageOf(pictureOfRanks())); });
    add(tr("Export picture…"), "export", Qt::CTRL | Qt::ALT | Qt::Key_E, [this] {
        askForPicture(*this,
            {.title = tr("Export the picture of the ranks"),
                .name = QStringLiteral("partition"),
                .hasTable = false,
                .write = [this](const QString& path,
                             double pngScale) { return writePicture(pictureOfRanks(), path, pngScale); },
                .report = [this](bool good, const QString& text) { Q_EMIT reported(good, text); }});
    });
    m_grid->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_table, &PartitionTable::reported, this, &PartitionExplorer::reported);
}

Picture PartitionExplorer::pictureOfRanks() const
{
    return gridPicture(*m_grid, *m_legend, m_title->text(), m_sentence->text());
}

QWidget* PartitionExplorer::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(kPanelMargin, kGrid, kGrid, 0);
    row->setSpacing(2);
    row->addWidget(m_title);
    row->addSpacing(kGrid);
    m_size->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // the title counts more
    row->addWidget(m_size, 1);
    const std::array names{tr("All"), tr("Input"), tr("Weight"), tr("Output")};
    for (int i = 0; i < int(names.size()); ++i) {
        auto* button = new QToolButton(header);
        button->setText(names[std::size_t(i)]);
        button->setToolTip(i == 0 ? tr("Show all three tensors") : tr("Show this tensor and its gradient alone"));
        button->setCheckable(true);
        button->setChecked(i == 0);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        m_tensors->addButton(button, i);
        row->addWidget(button);
    }
    m_help->setIcon(icon(QStringLiteral("help")));
    m_help->setAutoRaise(true);
    m_help->setFocusPolicy(Qt::TabFocus);
    m_help->setAccessibleName(tr("How to read the ranks"));
    connect(m_help, &QToolButton::clicked, this, [this] { // for those who do not wait for a tooltip
        QToolTip::showText(m_help->mapToGlobal(m_help->rect().bottomLeft()), m_help->toolTip(), m_help);
    });
    row->addWidget(m_help);
    return header;
}

QWidget* PartitionExplorer::makeCentre()
{
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(makeHeader());
    auto* texts = new QVBoxLayout;
    texts->setContentsMargins(kPanelMargin, 0, kPanelMargin, 0);
    texts->setSpacing(0);
    texts->addWidget(m_facts);
    texts->addWidget(m_sentence);
    column->addLayout(texts);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_sentence->setFixedHeight(2 * m_sentence->fontMetrics().lineSpacing() + 2); // the grid stays while steps pass
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_grid, 1);
    column->addWidget(m_legend);
    column->addWidget(m_steps);
    return centre;
}

/// As a person reads the picture: from the left to the right, then below.
void PartitionExplorer::orderTabs()
{
    std::vector<QWidget*> stops{&m_panes->tabs(), m_diagram};
    for (QAbstractButton* button : m_tensors->buttons())
        stops.push_back(button);
    const auto append = [&stops](
                            const std::vector<QWidget*>& more) { stops.insert(stops.end(), more.begin(), more.end()); };
    append({m_help, m_grid});
    append(m_steps->tabStops());
    stops.push_back(&m_rank->chooser());
    stops.push_back(&m_rank->table());
    append(m_table->tabStops());
    for (std::size_t i = 1; i < stops.size(); ++i)
        setTabOrder(stops[i - 1], stops[i]);
}

void PartitionExplorer::joinParts()
{
    connect(m_diagram, &BlockDiagram::operatorChosen, this, &PartitionExplorer::chooseOperator);
    connect(m_table, &PartitionTable::operatorChosen, this, &PartitionExplorer::chooseOperator);
    connect(m_grid, &PartitionGrid::rankChosen, this, [this](int rank) {
        presentRank();
        Q_EMIT rankChosen(rank);
    });
    connect(m_grid, &PartitionGrid::playWanted, m_steps, &StepBar::togglePlaying);
    connect(m_steps, &StepBar::momentChanged, this, &PartitionExplorer::presentMoment);
    connect(m_steps, &StepBar::travelChanged, m_grid, &PartitionGrid::setTravel);
    connect(m_rank, &RankPanel::momentChosen, this, &PartitionExplorer::setMoment);
    connect(m_rank, &RankPanel::rankChosen, this, [this](int rank) {
        m_grid->setSelectedRank(rank);
        presentRank();
        Q_EMIT rankChosen(rank);
    });
    connect(m_tensors, &QButtonGroup::idClicked, this,
        [this](int id) { setShownTensor(id == 0 ? std::nullopt : std::optional(Tensor(id - 1))); });
}

void PartitionExplorer::setPicture(PartitionPicture picture)
{
    const QString name = currentOperator();
    m_picture = std::move(picture);
    assert(m_picture.ranksPerDomain > 0);
    m_message->setText(m_picture.message);
    m_note->setText(m_picture.message);
    m_note->setVisible(!m_picture.message.isEmpty());
    const auto& operators = m_picture.operators;
    m_pages->setCurrentIndex(operators.empty() ? 0 : 1);
    std::vector<DiagramOperator> boxes;
    std::vector<Sequence> sequences;
    QStringList names;
    for (const PartitionOperator& op : operators) {
        boxes.push_back({op.name, op.kind, divisionOf(op), op.alsoFrom});
        names << op.name;
        if (op.kind == DiagramOperator::Kind::Linear)
            sequences.push_back(op.sequence);
    }
    m_columnBits = columnBits(sequences, m_picture.bits);
    m_diagram->setOperators(std::move(boxes));
    m_rank->setRanks(operators.empty() ? 0 : 1 << m_picture.bits, m_picture.ranksPerDomain);
    m_table->setCosts(names, m_picture.alternatives);
    m_panes->setHasCosts(!m_picture.alternatives.empty());
    auto chosen = std::find_if(operators.begin(), operators.end(), [&](const auto& op) { return op.name == name; });
    if (chosen == operators.end())
        chosen = std::find_if(operators.begin(), operators.end(),
            [](const auto& op) { return op.kind == DiagramOperator::Kind::Linear; });
    showOperator(operators.empty() ? -1 : chosen == operators.end() ? 0 : int(chosen - operators.begin()));
}

QString PartitionExplorer::currentOperator() const
{
    return m_current < 0 ? QString() : shownOperator().name;
}

void PartitionExplorer::setOperator(const QString& name)
{
    for (int index = 0; index < int(m_picture.operators.size()); ++index)
        if (m_picture.operators[std::size_t(index)].name == name)
            return showOperator(index);
}

void PartitionExplorer::setMoment(int moment)
{
    m_steps->setMoment(moment);
    presentMoment();
}

void PartitionExplorer::chooseOperator(int index)
{
    if (index == m_current)
        return;
    showOperator(index);
    Q_EMIT operatorChosen(currentOperator());
}

void PartitionExplorer::setShownTensor(std::optional<Tensor> tensor)
{
    m_shown = tensor;
    m_tensors->button(tensor ? 1 + int(*tensor) : 0)->setChecked(true);
    if (m_scene) {
        m_steps->setStrip(strip());
        presentMoment();
    }
}

GroupLook PartitionExplorer::look() const
{
    return {m_picture.bits, m_columnBits, m_picture.ranksPerDomain};
}

void PartitionExplorer::showOperator(int index)
{
    m_current = index;
    m_scene = nullptr;
    if (index >= 0 && shownOperator().kind == DiagramOperator::Kind::Linear) {
        assert(partition::bits(shownOperator().sequence) == m_picture.bits);
        m_scene = std::make_shared<const PartitionScene>(PartitionScene::Setting{
            shownOperator().sequence, shownOperator().size, m_picture.bytesPerElement, m_picture.ranksPerDomain});
    }
    m_diagram->setCurrent(index);
    m_table->setCurrentRow(index);
    presentOperator();
}

void PartitionExplorer::presentOperator()
{
    const bool linear = m_scene != nullptr;
    m_steps->setVisible(linear);
    for (QAbstractButton* button : m_tensors->buttons())
        button->setVisible(linear);
    presentFacts();
    m_size->setVisible(linear);
    if (m_current < 0) {
        m_grid->setFrame({});
        return;
    }
    const QString division = divisionOf(shownOperator());
    m_title->setText(division.isEmpty() || m_picture.bits == 0 ? shownOperator().name
                                                               : tr("%1 · %2").arg(shownOperator().name, division));
    if (linear) {
        m_size->setText(sizeText(shownOperator().size));
        m_facts->setText(factsOf(*m_scene));
        m_steps->setStrip(strip());
    } else {
        QStringList axes;
        for (const AxisSlice& slice : axisSlices(shownOperator().axes, 0))
            axes << tr("%1 %2 in %3").arg(slice.axis).arg(axisName(slice.axis)).arg(slice.slices);
        m_sentence->setText(axes.isEmpty() ? tr("Every rank holds all of it.")
                                           : tr("Cut along %1; it works in one step.").arg(axes.join(tr(", "))));
        m_grid->setFrame(axesFrame(shownOperator().axes, look()));
        setLegend(axesLegend(shownOperator().axes, look()));
    }
    presentMoment();
    presentRank();
}

void PartitionExplorer::setLegend(PartitionLegend legend)
{
    m_help->setToolTip(legend.explanation);
    m_help->setAccessibleDescription(QTextDocumentFragment::fromHtml(legend.explanation).toPlainText());
    m_legend->setLegend(std::move(legend));
}

void PartitionExplorer::presentFacts()
{
    m_legend->setLines(m_panes->isShort() ? 1 : 2);
    m_facts->setVisible(m_scene && !m_panes->isShort()); // the grid needs the room more
}

void PartitionExplorer::presentMoment()
{
    if (!m_scene)
        return;
    const Moment moment = m_scene->momentAt(m_steps->moment());
    m_grid->setFrame(partitionFrame(*m_scene, look(), moment, m_shown));
    setLegend(partitionLegend(*m_scene, look(), moment.phase, m_shown));
    const QString where = momentText(*m_scene, moment);
    m_sentence->setText(tr("%1: %2").arg(where.front().toUpper() + where.mid(1), momentSentence(*m_scene, moment)));
    m_rank->setMoment(m_steps->moment());
}

void PartitionExplorer::presentRank()
{
    const int rank = m_grid->selectedRank();
    m_panes->setRank(rank);
    if (m_scene)
        m_rank->setRank(m_scene, rank);
    else
        m_rank->setText(
            rank, rank >= 0 ? m_grid->frame().tips[std::size_t(rank)] : tr("Choose a rank to see its part."));
}

StepStrip PartitionExplorer::strip() const
{
    StepStrip strip{m_picture.bits, m_columnBits, {}};
    for (int index = 0; index < m_scene->moments(); ++index) {
        const Moment moment = m_scene->momentAt(index);
        const QString where = momentText(*m_scene, moment);
        strip.moments.push_back({tonesAt(*m_scene, moment, m_shown), !m_scene->transfers(moment).empty(),
            !m_scene->sumGroups(moment).empty(),
            tr("%1: %2").arg(where.front().toUpper() + where.mid(1), momentSentence(*m_scene, moment))});
    }
    return strip;
}

} // namespace stratoplan::widgets

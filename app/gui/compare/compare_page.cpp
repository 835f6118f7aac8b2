// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compare_page.h"

#include "app/gui/compare/compared_charts.h"
#include "app/gui/compare/inputs_delegate.h"
#include "app/gui/compare/plans_delegate.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/shell/thin_splitter.h"
#include "widgets/style/icons.h"
#include "widgets/style/picture_file.h"
#include "widgets/style/theme.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedLayout>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kFigureMargin = 8; ///< of headings, as that of the cells
constexpr int kLeastName = 76; ///< pixels
constexpr int kMostName = 340;
constexpr int kWideHeader = 760; ///< from which on the buttons of pins have room

} // namespace

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent)
    , m_model(new PlansModel(this))
    , m_inputs(new InputsModel(this))
    , m_stack(new QStackedLayout)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    makeTables();
    makeActions();
    m_charts = new ComparedCharts(this);
    auto* rows = new widgets::ThinSplitter(Qt::Vertical, this);
    rows->addWidget(m_table);
    rows->addWidget(makeBelow());
    rows->setChildrenCollapsible(false);
    rows->setStretchFactor(0, 1);
    rows->setStretchFactor(1, 1);
    rows->setSizes({300, 320});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_stack->addWidget(rows);
    m_stack->addWidget(makeEmptyState());
    column->addLayout(m_stack, 1);
    updateButtons();
}

void ComparePage::makeTables()
{
    m_table = widgets::makeRowTable(m_model, new widgets::RowHeader(nullptr, kFigureMargin),
        PlansDelegate::rowHeight(fontMetrics()), tr("Plans side by side"), this);
    m_table->setItemDelegate(new PlansDelegate(m_table));
    m_table->setMinimumHeight(100);
    m_table->viewport()->installEventFilter(this);
    m_inputsTable = widgets::makeRowTable(m_inputs, new widgets::RowHeader(nullptr), fontMetrics().height() + 10,
        tr("Inputs of the plans side by side"), this);
    m_inputsTable->setItemDelegate(new InputsDelegate(m_inputsTable));
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        updateButtons();
        updateCharts();
    });
    connect(m_table, &QTableView::doubleClicked, this, [this] {
        if (const int pin = chosenPin(); pin >= 0)
            Q_EMIT adoptRequested(pin);
    });
}

/// In the menu of the table, and by keys where it has the focus.
void ComparePage::makeActions()
{
    const auto add = [this](const QString& text, const char* iconName, const QKeySequence& keys, auto act) {
        auto* action = new QAction(text, m_table);
        if (iconName)
            action->setIcon(widgets::icon(QString::fromLatin1(iconName)));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        m_table->addAction(action);
        return action;
    };
    m_pinActions = {add(tr("Adopt"), "ok", Qt::Key_Return, [this] { Q_EMIT adoptRequested(chosenPin()); }),
        add(tr("Make baseline"), nullptr, Qt::Key_B, [this] { Q_EMIT baselineRequested(chosenPin()); }),
        add(tr("Rename…"), "edit", Qt::Key_F2, [this] { rename(); }),
        add(tr("Note…"), nullptr, Qt::Key_N, [this] { editNote(); }),
        add(tr("Remove"), "delete", Qt::Key_Delete, [this] { Q_EMIT removeRequested(chosenPin()); })};
    auto* separator = new QAction(m_table);
    separator->setSeparator(true);
    m_table->addAction(separator);
    add(tr("Copy as table"), "copy", QKeySequence::Copy, [this] { copyTable(); });
    add(tr("Export table…"), "export", Qt::CTRL | Qt::ALT | Qt::Key_E, [this] { exportTable(); });
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void ComparePage::addPinButtons(QWidget& header, QBoxLayout& row)
{
    for (QAction* action : m_pinActions) {
        auto* button = new QPushButton(action->text(), &header);
        button->setToolTip(
            tr("%1 the plan that is selected (%2)")
                .arg(action->text().remove(u'…'), action->shortcut().toString(QKeySequence::NativeText)));
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::enabledChanged, button, &QPushButton::setEnabled);
        row.addWidget(button);
        m_pinButtons.push_back(button);
    }
}

QWidget* ComparePage::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 12, 12, 8);
    row->setSpacing(8);
    auto* title = new QLabel(tr("Plans"), header);
    setTextRole(*title, widgets::TextRole::Title);
    row->addWidget(title);
    row->addStretch(1);
    addPinButtons(*header, *row);
    const auto addTool = [&](const char* iconName, const QString& name) {
        auto* button = new QToolButton(header);
        button->setIcon(widgets::icon(QString::fromLatin1(iconName)));
        button->setAutoRaise(true);
        button->setToolTip(name);
        button->setAccessibleName(name);
        row->addWidget(button);
        return button;
    };
    m_more = addTool("more", tr("What can be done with a pinned plan"));
    auto* menu = new QMenu(m_more);
    menu->addActions(m_table->actions());
    m_more->setMenu(menu);
    m_more->setPopupMode(QToolButton::InstantPopup);
    connect(addTool("copy", tr("Copy all that is compared as a table (Ctrl+C)")), &QToolButton::clicked, this,
        &ComparePage::copyTable);
    connect(addTool("export", tr("Export all that is compared as a table (Ctrl+Alt+E)")), &QToolButton::clicked, this,
        &ComparePage::exportTable);
    auto* pin = new QPushButton(widgets::icon(QStringLiteral("pin")), tr("Pin this plan"), header);
    connect(pin, &QPushButton::clicked, this, &ComparePage::pinRequested);
    row->addWidget(pin);
    return header;
}

QWidget* ComparePage::makeBelow()
{
    auto* below = new QWidget(this);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(0, 0, 12, 0);
    m_tabs = new QTabBar(below);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(tr("Charts"));
    m_tabs->addTab(tr("What differs"));
    m_tabs->setAccessibleName(tr("Below the plans"));
    line->addWidget(m_tabs);
    line->addStretch(1);
    m_all = new QPushButton(tr("Show all inputs"), below);
    m_all->setCheckable(true);
    m_all->setToolTip(tr("Otherwise only the inputs that differ are listed"));
    m_all->hide();
    line->addWidget(m_all);
    column->addLayout(line);
    m_below = new QStackedLayout;
    m_below->addWidget(m_charts);
    m_below->addWidget(m_inputsTable);
    column->addLayout(m_below, 1);
    connect(m_all, &QPushButton::toggled, this, [this](bool all) {
        m_inputs->setShowsAll(all);
        m_inputsTable->resizeColumnsToContents();
    });
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_below->setCurrentIndex(tab);
        m_all->setVisible(tab == int(Below::Inputs));
    });
    return below;
}

QWidget* ComparePage::makeEmptyState()
{
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setSpacing(12);
    auto* text = new QLabel(tr("Nothing to compare yet"), page);
    setTextRole(*text, widgets::TextRole::Title);
    auto* hint = new QLabel(tr("Pin the plan as it stands, change it, and see here what the change brings.\nThe first "
                               "pinned plan is the baseline: "
                               "every number is shown against it."),
        page);
    setTextRole(*hint, widgets::TextRole::Secondary);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    auto* pin = new QPushButton(tr("Pin this plan"), page);
    pin->setProperty("primary", true);
    connect(pin, &QPushButton::clicked, this, &ComparePage::pinRequested);
    column->addStretch(2);
    column->addWidget(text, 0, Qt::AlignCenter);
    column->addWidget(hint);
    column->addWidget(pin, 0, Qt::AlignCenter);
    column->addStretch(3);
    return page;
}

void ComparePage::setPlans(const ComparedPlan& current, const std::vector<ComparedPlan>& pinned)
{
    std::vector<ComparedPlan> rows{current};
    rows.insert(rows.end(), pinned.begin(), pinned.end());
    const int selected = m_table->currentIndex().row();
    const int baseline = pinned.empty() ? -1 : 1;
    m_inputs->setPlans(rows, baseline);
    m_model->setPlans(std::move(rows), baseline);
    m_stack->setCurrentIndex(pinned.empty() ? 1 : 0);
    m_tabs->setTabText(int(Below::Inputs),
        m_inputs->differing() == 1 ? tr("1 input differs") : tr("%1 inputs differ").arg(m_inputs->differing()));
    fitColumns();
    m_inputsTable->resizeColumnsToContents();
    if (selected >= 0 && selected < m_model->rowCount())
        m_table->selectRow(selected);
    updateButtons();
    updateCharts();
}

/// The name has what the figures leave.
void ComparePage::fitColumns()
{
    m_table->resizeColumnsToContents();
    int figures = 0;
    for (int column = 1; column < m_model->columnCount(); ++column)
        figures += m_table->columnWidth(column);
    const int room = m_table->viewport()->width() - figures;
    m_table->setColumnWidth(PlansModel::NameColumn, std::clamp(room, kLeastName, kMostName));
}

bool ComparePage::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitColumns(); // of the table: narrower once a scroll bar stands beside it
    return QWidget::eventFilter(object, event);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool isWide = width() >= kWideHeader;
    for (QWidget* button : m_pinButtons)
        button->setVisible(isWide);
    m_more->setVisible(!isWide);
}

std::vector<ComparedPlan> ComparePage::plansOfCharts() const
{
    std::vector<ComparedPlan> shown;
    for (const std::size_t row : comparedRows(m_model->plans().size(), m_table->currentIndex().row()))
        shown.push_back(m_model->plans()[row]);
    return shown;
}

void ComparePage::updateCharts()
{
    m_charts->setPlans(plansOfCharts(), m_model->baseline());
    Q_EMIT chartsChanged();
}

void ComparePage::showBelow(Below below)
{
    m_tabs->setCurrentIndex(int(below));
}

widgets::ChartTable ComparePage::comparison() const
{
    return comparedTable(m_model->plans(), m_model->baseline());
}

void ComparePage::copyTable()
{
    widgets::copyTable(comparison());
    Q_EMIT reported(true, tr("Copied the comparison as a table."));
}

void ComparePage::exportTable()
{
    widgets::askForPicture(*this,
        {.title = tr("Export the comparison"),
            .name = QStringLiteral("comparison"),
            .hasPicture = false,
            .write = [this](const QString& path, double) { return widgets::writeTable(comparison(), path); },
            .report = [this](bool good, const QString& text) { Q_EMIT reported(good, text); }});
}

int ComparePage::chosenPin() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.front().row() - 1;
}

void ComparePage::updateButtons()
{
    for (QAction* action : m_pinActions)
        action->setEnabled(chosenPin() >= 0);
    for (QWidget* button : m_pinButtons)
        button->setEnabled(chosenPin() >= 0);
}

void ComparePage::rename()
{
    const int pin = chosenPin();
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename the pinned plan"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(m_model->plans()[std::size_t(pin + 1)].name);
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, pin](const QString& name) { Q_EMIT renameRequested(pin, name.trimmed()); });
    dialog->open();
}

void ComparePage::editNote()
{
    const int pin = chosenPin();
    const ComparedPlan& plan = m_model->plans()[std::size_t(pin + 1)];
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note on a pinned plan"));
    dialog->setLabelText(tr("Note on %1").arg(plan.name));
    dialog->setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog->setTextValue(plan.note);
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, pin](const QString& note) { Q_EMIT noteRequested(pin, note.trimmed()); });
    dialog->open();
}

} // namespace stratoplan::gui

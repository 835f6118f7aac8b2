// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/partition_table.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_table.h"
#include "widgets/partition/cost_model.h"
#include "widgets/style/icons.h"
#include "widgets/style/picture_file.h"
#include "widgets/style/theme.h"

#include <QButtonGroup>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QToolButton>

namespace stratoplan::widgets {

namespace {

constexpr int kLeastRows = 5;

std::vector<CostMeasure> measuresOf(PartitionTable::Columns columns)
{
    using enum CostMeasure;
    switch (columns) {
    case PartitionTable::Columns::Overview:
        return {Time, Traffic, Hidden, Memory};
    case PartitionTable::Columns::Divisions:
        return {Division};
    case PartitionTable::Columns::All:
        break;
    }
    return {Division, Forward, Backward, Ring, Collective, Hidden, Memory};
}

} // namespace

PartitionTable::PartitionTable(QWidget* parent)
    : QWidget(parent)
    , m_model(new CostModel(this))
    , m_view(makeRowTable(m_model, new CostHeader(*m_model, nullptr), 0, tr("Costs of partitions"), this))
    , m_choice(new QButtonGroup(this))
{
    m_view->setItemDelegate(new CostDelegate(*m_model, m_view));
    m_view->verticalHeader()->setDefaultSectionSize(rowHeight(*this) + 2);
    m_view->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeButtons();
    column->addWidget(m_view, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!m_choosing && now.isValid() && now.row() < m_model->rowCount() - 1)
            Q_EMIT operatorChosen(now.row());
    });
}

QSize PartitionTable::minimumSizeHint() const
{
    const int rows = kLeastRows * m_view->verticalHeader()->defaultSectionSize();
    const int buttons = layout()->itemAt(0)->minimumSize().height();
    return {300, buttons + m_view->horizontalHeader()->sizeHint().height() + rows};
}

std::vector<QWidget*> PartitionTable::tabStops() const
{
    std::vector<QWidget*> stops;
    for (QAbstractButton* button : m_choice->buttons())
        stops.push_back(button);
    stops.insert(stops.end(), {m_copy, m_view});
    return stops;
}

void PartitionTable::makeButtons()
{
    auto* row = new QHBoxLayout;
    row->setContentsMargins(kPanelMargin, kRowGap, kGrid, 0);
    row->setSpacing(2);
    auto* title = new QLabel(tr("Beside other partitions, a rank's micro-batch"), this);
    setTextRole(*title, TextRole::Section);
    row->addWidget(title, 1);
    const auto add = [&](const QString& text) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
        return button;
    };
    const std::array names{tr("Overview"), tr("Partitions"), tr("All columns")};
    for (int i = 0; i < int(names.size()); ++i) {
        QToolButton* button = add(names[std::size_t(i)]);
        button->setCheckable(true);
        button->setChecked(i == 0);
        m_choice->addButton(button, i);
    }
    connect(m_choice, &QButtonGroup::idClicked, this, [this](int id) { setColumns(Columns(id)); });
    m_copy = add({});
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copy the table with all columns (Ctrl+C)"));
    m_copy->setAccessibleName(m_copy->toolTip());
    connect(m_copy, &QToolButton::clicked, this, &PartitionTable::copy);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void PartitionTable::setCosts(const QStringList& operators, const std::vector<PartitionAlternative>& alternatives)
{
    m_table = costTable(operators, alternatives);
    const int row = m_view->currentIndex().row();
    m_choosing = true;
    m_model->set(operators, alternatives, measuresOf(m_columns));
    m_choosing = false;
    m_view->resizeColumnsToContents();
    m_view->doItemsLayout(); // before the row is scrolled to
    setCurrentRow(row);
}

void PartitionTable::setColumns(Columns columns)
{
    m_columns = columns;
    m_choice->button(int(columns))->setChecked(true);
    const int row = m_view->currentIndex().row();
    m_choosing = true;
    m_model->setMeasures(measuresOf(columns));
    m_choosing = false;
    setCurrentRow(row);
    m_view->resizeColumnsToContents();
}

void PartitionTable::setCurrentRow(int row)
{
    m_choosing = true;
    m_view->setAutoScroll(isVisible()); // there is nothing to scroll before it has a size
    if (row >= 0 && row < m_model->rowCount())
        m_view->setCurrentIndex(m_model->index(row, 0));
    else
        m_view->selectionModel()->clear();
    m_choosing = false;
}

void PartitionTable::copy() const
{
    copyTable(m_table);
}

void PartitionTable::exportTable()
{
    askForPicture(*this,
        {.title = tr("Export the table of costs"),
            .name = QStringLiteral("partitions"),
            .hasPicture = false,
            .write = [this](const QString& path, double) { return writeTable(m_table, path); },
            .report = [this](bool good, const QString& text) { Q_EMIT reported(good, text); }});
}

bool PartitionTable::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
        return QWidget::eventFilter(object, event);
    copy();
    return true;
}

void PartitionTable::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* action = menu->addAction(icon(QStringLiteral("copy")), tr("Copy as table"), this, &PartitionTable::copy);
    action->setShortcut(QKeySequence::Copy);
    menu->addAction(icon(QStringLiteral("export")), tr("Export table…"), this, &PartitionTable::exportTable);
    menu->popup(event->globalPos());
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compare_page.h"

#include "app/gui/compare/plans_delegate.h"
#include "widgets/panels/row_header.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace stratoplan::gui {

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent)
    , m_model(new PlansModel(this))
    , m_table(new QTableView(this))
    , m_stack(new QStackedLayout)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new PlansDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Plans side by side"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(2 * fontMetrics().height() + 16);
    m_table->setHorizontalHeader(new widgets::RowHeader(m_table));
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_stack->addWidget(m_table);
    m_stack->addWidget(makeEmptyState());
    column->addLayout(m_stack, 1);

    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ComparePage::updateButtons);
    connect(m_table, &QTableView::doubleClicked, this, [this] {
        if (const int pin = chosenPin(); pin >= 0)
            Q_EMIT adoptRequested(pin);
    });
    updateButtons();
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
    row->addSpacing(8);
    m_all = new QPushButton(tr("Show all inputs"), header);
    m_all->setCheckable(true);
    m_all->setToolTip(tr("Otherwise only the inputs that differ are listed"));
    connect(m_all, &QPushButton::toggled, this, [this](bool all) {
        m_model->setShowsAll(all);
        m_table->resizeColumnsToContents();
    });
    row->addWidget(m_all);
    row->addStretch(1);
    const auto addPinButton = [&](const QString& text, auto&& act) {
        auto* button = new QPushButton(text, header);
        connect(button, &QPushButton::clicked, this, std::forward<decltype(act)>(act));
        row->addWidget(button);
        m_pinButtons.push_back(button);
    };
    addPinButton(tr("Adopt"), [this] { Q_EMIT adoptRequested(chosenPin()); });
    addPinButton(tr("Make baseline"), [this] { Q_EMIT baselineRequested(chosenPin()); });
    addPinButton(tr("Rename"), [this] { rename(); });
    addPinButton(tr("Remove"), [this] { Q_EMIT removeRequested(chosenPin()); });
    auto* pin = new QPushButton(widgets::icon(QStringLiteral("pin")), tr("Pin this plan"), header);
    connect(pin, &QPushButton::clicked, this, &ComparePage::pinRequested);
    row->addWidget(pin);
    return header;
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
    auto* pin = new QPushButton(tr("Pin this plan"), page);
    pin->setProperty("primary", true);
    connect(pin, &QPushButton::clicked, this, &ComparePage::pinRequested);
    column->addStretch(2);
    column->addWidget(text, 0, Qt::AlignCenter);
    column->addWidget(hint, 0, Qt::AlignCenter);
    column->addWidget(pin, 0, Qt::AlignCenter);
    column->addStretch(3);
    return page;
}

void ComparePage::setPlans(const ComparedPlan& current, const std::vector<ComparedPlan>& pinned)
{
    std::vector<ComparedPlan> rows{current};
    rows.insert(rows.end(), pinned.begin(), pinned.end());
    const int selected = m_table->currentIndex().row();
    m_model->setPlans(std::move(rows), pinned.empty() ? -1 : 1);
    m_stack->setCurrentIndex(pinned.empty() ? 1 : 0);
    m_table->resizeColumnsToContents();
    if (selected >= 0 && selected < m_model->rowCount())
        m_table->selectRow(selected);
    updateButtons();
}

int ComparePage::chosenPin() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.front().row() - 1;
}

void ComparePage::updateButtons()
{
    for (QPushButton* button : m_pinButtons)
        button->setEnabled(chosenPin() >= 0);
}

void ComparePage::rename()
{
    const int pin = chosenPin();
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename the pinned plan"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(m_model->data(m_model->index(pin + 1, PlansModel::NameColumn), Qt::DisplayRole).toString());
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, pin](const QString& name) { Q_EMIT renameRequested(pin, name.trimmed()); });
    dialog->open();
}

} // namespace stratoplan::gui

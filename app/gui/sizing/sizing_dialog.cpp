// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/sizing_dialog.h"

#include "app/gui/sizing/sizing_form.h"
#include "app/gui/sizing/sizing_texts.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/icons.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kFormWidth = 332;
constexpr int kPartsOfKind = 1000; ///< of the progress of one

QString keysOf(const QAction& action)
{
    return action.shortcut().toString(QKeySequence::NativeText);
}

/// Rows without a number stay below, however the others are sorted.
class SizedOrder : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override
    {
        const bool hasLeft = left.data(sortRole()).isValid(), hasRight = right.data(sortRole()).isValid();
        if (hasLeft && hasRight)
            return QSortFilterProxyModel::lessThan(left, right);
        return hasLeft != hasRight && hasLeft == (sortOrder() == Qt::AscendingOrder);
    }
};

} // namespace

SizingDialog::SizingDialog(const catalog::Catalog& catalog, QWidget* parent)
    : QDialog(parent)
    , m_form(new SizingForm(catalog))
    , m_model(new SizingModel(this))
    , m_sorted(new SizedOrder(this))
    , m_search(new QPushButton(this))
{
    setWindowTitle(tr("Size the run"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizeGripEnabled(true);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SizingModel::SortRole);
    m_search->setAutoDefault(false);
    m_search->setProperty("primary", true);
    connect(m_search, &QPushButton::clicked, this, [this] {
        if (m_running)
            Q_EMIT stopWanted();
        else
            search();
    });
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeQuestion());
    row->addWidget(makeAnswer(), 1);
    connect(m_form, &SizingForm::changed, this, &SizingDialog::showState);
    resize(QSize(1280, 760).boundedTo(parent->screen()->availableGeometry().size() - QSize(24, 48)));
    showState();
}

QWidget* SizingDialog::makeQuestion()
{
    auto* question = new QWidget(this);
    question->setFixedWidth(kFormWidth);
    question->setAutoFillBackground(true);
    question->setBackgroundRole(QPalette::Window);
    auto* column = new QVBoxLayout(question);
    column->setContentsMargins(0, 0, 0, widgets::kPanelMargin);
    column->setSpacing(widgets::kGrid);
    auto* asked = new QWidget(question);
    auto* parts = new QVBoxLayout(asked);
    parts->setContentsMargins(widgets::kPanelMargin, widgets::kPanelMargin, widgets::kPanelMargin, 0);
    parts->addWidget(m_form);
    parts->addStretch(1);
    auto* scroll = new QScrollArea(question);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(asked);
    column->addWidget(scroll, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    foot->addWidget(m_search);
    column->addLayout(foot);
    return question;
}

QWidget* SizingDialog::makeAnswer()
{
    auto* answer = new QWidget(this);
    auto* column = new QVBoxLayout(answer);
    column->setContentsMargins(0, widgets::kPanelMargin, 0, 0);
    column->setSpacing(widgets::kRowGap);
    m_status = new widgets::ElidedLabel(answer);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    line->addWidget(m_status);
    column->addLayout(line);
    m_progress = new QProgressBar(answer);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setAccessibleName(tr("Kinds of nodes looked at"));
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(policy);
    column->addWidget(m_progress);
    m_notice = new widgets::ToneLabel(widgets::ToneLabel::Tone::Warn, answer);
    m_notice->setWordWrap(true);
    m_notice->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    column->addWidget(m_notice);
    m_stack = new QStackedWidget(answer);
    m_message = new widgets::ToneLabel(
        tr("How many accelerators of which kind are done in so many days, and what does it cost?\nEach kind of nodes "
           "that is checked has its fewest accelerators, with their best strategy."),
        widgets::ToneLabel::Tone::Secondary, answer);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setMargin(24);
    m_stack->addWidget(m_message);
    makeTable();
    makeActions();
    m_stack->addWidget(m_table);
    column->addWidget(m_stack, 1);
    column->addWidget(makeFoot());
    return answer;
}

void SizingDialog::makeTable()
{
    m_table = makeRowTable(
        m_sorted, new widgets::SortedHeader(this), 2 * fontMetrics().height() + 16, tr("Sizes of the run"), this);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->sortByColumn(SizingModel::Accelerators, Qt::AscendingOrder);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SizingDialog::showState);
    connect(
        m_table, &QTableView::doubleClicked, this, &SizingDialog::adopt); // activated: by one click on some desktops
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &SizingDialog::showMenu);
}

/// They have their keys while the table has the focus.
void SizingDialog::makeActions()
{
    m_adoptRow = new QAction(tr("Adopt"), m_table);
    m_adoptRow->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    connect(m_adoptRow, &QAction::triggered, this, &SizingDialog::adopt);
    m_copyRows = new QAction(widgets::icon(QStringLiteral("copy")), tr("Copy data"), m_table);
    m_copyRows->setShortcut(QKeySequence::Copy);
    connect(m_copyRows, &QAction::triggered, this, &SizingDialog::copy);
    for (QAction* action : {m_adoptRow, m_copyRows}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        m_table->addAction(action);
    }
}

QWidget* SizingDialog::makeFoot()
{
    auto* foot = new QWidget(this);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(widgets::kPanelMargin, widgets::kGrid, widgets::kPanelMargin, widgets::kPanelMargin);
    row->setSpacing(widgets::kGrid);
    m_details = new widgets::ElidedLabel(foot);
    row->addWidget(m_details, 1);
    m_copy = new QPushButton(widgets::icon(QStringLiteral("copy")), tr("Copy"), foot);
    m_copy->setToolTip(tr("Copy the table for a spreadsheet (%1)").arg(keysOf(*m_copyRows)));
    connect(m_copy, &QPushButton::clicked, this, &SizingDialog::copy);
    m_adopt = new QPushButton(tr("Adopt"), foot);
    m_adopt->setToolTip(tr("The cluster becomes these nodes, the strategy and the price theirs, as one step that can "
                           "be undone (%1, or a double click)")
                            .arg(keysOf(*m_adoptRow)));
    connect(m_adopt, &QPushButton::clicked, this, &SizingDialog::adopt);
    for (QPushButton* button : {m_copy, m_adopt}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    return foot;
}

void SizingDialog::setUndo(QAction& undo, QAction& redo)
{
    addActions({&undo, &redo});
    m_undoKey = keysOf(undo);
}

void SizingDialog::setPicture(const session::SizingPicturePointer& picture, bool running)
{
    const auto answers = [](const session::SizingPicturePointer& known) {
        return known ? std::ranges::count_if(known->kinds, [](const auto& kind) { return kind.answer != nullptr; }) : 0;
    };
    const bool sameRequest = m_picture && picture && m_picture->request == picture->request;
    const bool areMore = answers(picture) > (sameRequest ? answers(m_picture) : 0);
    m_picture = picture;
    m_running = running;
    m_model->setPicture(picture);
    m_table->setColumnHidden(SizingModel::Done, !m_model->hasStart());
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
    if (areMore || (!sameRequest && picture))
        fitColumns();
    showState();
}

void SizingDialog::setStanding(SizingStanding standing)
{
    m_standing = standing;
    showState();
}

void SizingDialog::search()
{
    if (m_form->commit() && m_form->question())
        Q_EMIT searchWanted(*m_form->question());
}

/// They are as wide as what stands in them; the strategy has what they leave.
void SizingDialog::fitColumns()
{
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setStretchLastSection(false); // it is as wide as its words now: once more
    m_table->horizontalHeader()->setStretchLastSection(true);
}

void SizingDialog::showState()
{
    const bool ended = m_picture && m_picture->hasEnded;
    m_search->setText(m_running ? tr("Stop") : ended ? tr("Size again") : tr("Size the run"));
    m_search->setEnabled(m_running || m_form->question());
    m_search->setToolTip(m_search->isEnabled() ? QString() : m_form->note());
    m_status->setText(m_picture ? sizingStatus(*m_picture) : QString());
    m_progress->setVisible(m_running);
    double share = 0;
    for (const session::SizedKind& kind : m_picture ? m_picture->kinds : std::vector<session::SizedKind>())
        share += kind.share;
    m_progress->setRange(0, m_picture ? int(m_picture->kinds.size()) * kPartsOfKind : 0);
    m_progress->setValue(int(share * kPartsOfKind));
    const QString notice = m_picture ? noticeText() : QString();
    m_notice->setText(notice);
    m_notice->setVisible(!notice.isEmpty());
    m_model->setStale(m_standing != SizingStanding::Current);
    const int row = selectedRow();
    m_details->setText(row >= 0 ? m_model->details(row) : QString());
    m_copy->setEnabled(m_model->rowCount() > 0);
    m_copyRows->setEnabled(m_copy->isEnabled());
    m_adopt->setEnabled(canAdopt());
    m_adoptRow->setEnabled(m_adopt->isEnabled());
}

QString SizingDialog::noticeText() const
{
    switch (m_standing) {
    case SizingStanding::Current:
        return {};
    case SizingStanding::Adopted:
        return m_undoKey.isEmpty()
            ? tr("Adopted. These are of the plan before: undo to choose another, or size again.")
            : tr("Adopted. These are of the plan before: undo (%1) to choose another, or size again.").arg(m_undoKey);
    case SizingStanding::OtherPlan:
        return tr("These are of an earlier plan: it, its budget, its prices or how it is searched is another now. Size "
                  "again.");
    case SizingStanding::OtherQuestion:
        return tr("These are of other days, kinds of nodes or prices than stand there now. Size again.");
    }
    return {};
}

int SizingDialog::selectedRow() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? m_sorted->mapToSource(index).row() : -1;
}

bool SizingDialog::canAdopt() const
{
    const int row = selectedRow();
    return row >= 0 && m_model->answerAt(row) && m_standing == SizingStanding::Current;
}

void SizingDialog::adopt()
{
    if (!canAdopt())
        return;
    const int row = selectedRow(); // the rows may be others while it is adopted
    Q_EMIT adoptWanted(session::SizingKind(m_model->kindAt(row)), sizing::SizingAnswer(*m_model->answerAt(row)));
}

void SizingDialog::copy() const
{
    std::vector<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row)
        rows.push_back(m_sorted->mapToSource(m_sorted->index(row, 0)).row());
    if (!rows.empty())
        QApplication::clipboard()->setText(toTsv(m_model->table(rows)));
}

void SizingDialog::showMenu(const QPoint& at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions({m_adoptRow, m_copyRows});
    menu->popup(m_table->viewport()->mapToGlobal(at));
}

QString SizingDialog::status() const
{
    return m_status->text();
}

QString SizingDialog::notice() const
{
    return m_notice->isHidden() ? QString() : m_notice->text();
}

QString SizingDialog::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

} // namespace stratoplan::gui

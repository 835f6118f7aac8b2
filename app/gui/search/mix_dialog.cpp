// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/mix_dialog.h"

#include "app/gui/search/mix_form.h"
#include "core/narration/mixes.h"
#include "core/narration/problems.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

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

constexpr int kQuestionWidth = 280;
constexpr int kCellMargins = 28;
constexpr double kWidestNodes = 0.4; ///< share of the table
constexpr int kParts = 100; ///< of a mix, of those decided

QString keyText(const QAction& action)
{
    return action.shortcut().toString(QKeySequence::NativeText);
}

QString statusText(const session::MixPicture& picture)
{
    if (picture.result)
        return picture.result->mixes == 0 ? MixDialog::tr("Stopped before it began")
                                          : widgets::text(narration::outcome(*picture.result));
    if (!picture.faults.empty())
        return MixDialog::tr("The plan cannot be searched");
    if (picture.mixes == 0)
        return MixDialog::tr("Counting the mixes");
    QString status = MixDialog::tr("%1 of %2 mixes decided")
                         .arg(widgets::groupedNumber(picture.decided), widgets::groupedNumber(picture.mixes));
    if (picture.next > 0)
        status += MixDialog::tr(" and %1 of the next").arg(widgets::shareText(picture.next));
    if (!picture.front->empty())
        status += MixDialog::tr(" · best so far %1 a step").arg(widgets::text(picture.front->front().best.step));
    return status;
}

QString messageText(const session::MixPicture& picture)
{
    if (!picture.faults.empty()) {
        QStringList lines;
        for (const plan::Problem& problem : picture.faults)
            lines << widgets::text(narration::describe(problem));
        return lines.join(u'\n');
    }
    if (!picture.result)
        return MixDialog::tr("Searching: mixes appear here as they are found.");
    return picture.result->proven ? MixDialog::tr("%1 More memory, a smaller model or fewer padlocks would help.")
                                        .arg(widgets::text(narration::kNoMixFits))
                                  : MixDialog::tr("Stopped before a mix was found that fits.");
}

} // namespace

MixDialog::MixDialog(QWidget* parent)
    : QDialog(parent)
    , m_form(new MixForm)
    , m_model(new MixModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_search(new QPushButton(this))
{
    setWindowTitle(tr("Which nodes to use"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizeGripEnabled(true);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(MixModel::SortRole);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_search->setAutoDefault(false);
    m_search->setProperty("primary", true);
    connect(m_search, &QPushButton::clicked, this, [this] {
        if (m_running)
            Q_EMIT stopWanted();
        else
            search();
    });
    row->addWidget(makeQuestion());
    row->addWidget(makeAnswer(), 1);
    connect(m_form, &MixForm::changed, this, &MixDialog::showState);
    resize(QSize(1180, 600).boundedTo(parent->screen()->availableGeometry().size() - QSize(24, 48)));
    showState();
    showPlan();
}

QWidget* MixDialog::makeQuestion()
{
    auto* question = new QWidget(this);
    question->setFixedWidth(kQuestionWidth);
    question->setAutoFillBackground(true);
    question->setBackgroundRole(QPalette::Window);
    auto* column = new QVBoxLayout(question);
    column->setContentsMargins(0, 0, 0, widgets::kPanelMargin);
    column->setSpacing(widgets::kGrid);
    auto* asked = new QWidget(question);
    auto* parts = new QVBoxLayout(asked);
    parts->setContentsMargins(widgets::kPanelMargin, widgets::kPanelMargin, widgets::kPanelMargin, 0);
    parts->setSpacing(widgets::kGrid);
    parts->addWidget(m_form);
    m_scope = new QLabel(asked);
    m_scope->setWordWrap(true);
    m_scope->setToolTip(tr("The space, the locks and how steps are timed are those of the Search perspective"));
    setTextRole(*m_scope, widgets::TextRole::Secondary);
    parts->addWidget(m_scope);
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

QWidget* MixDialog::makeAnswer()
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
    m_progress->setAccessibleName(tr("Mixes decided"));
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(policy);
    column->addWidget(m_progress);
    m_notice = new widgets::ToneLabel(widgets::ToneLabel::Tone::Warn, answer);
    m_notice->setWordWrap(true);
    m_notice->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    column->addWidget(m_notice);
    m_stack = new QStackedWidget(answer);
    m_message = new widgets::ToneLabel(widgets::ToneLabel::Tone::Secondary, answer);
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

void MixDialog::makeTable()
{
    m_table = makeRowTable(
        m_sorted, new widgets::SortedHeader(this), 2 * fontMetrics().height() + 16, tr("Mixes of nodes"), this);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->sortByColumn(MixModel::Step, Qt::AscendingOrder);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &MixDialog::showState);
    connect(m_table, &QTableView::doubleClicked, this, &MixDialog::adopt); // activated: by one click on some desktops
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &MixDialog::showMenu);
}

/// They have their keys while the table has the focus.
void MixDialog::makeActions()
{
    m_adoptRow = new QAction(tr("Adopt"), m_table);
    m_adoptRow->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    connect(m_adoptRow, &QAction::triggered, this, &MixDialog::adopt);
    m_copyRows = new QAction(widgets::icon(QStringLiteral("copy")), tr("Copy data"), m_table);
    m_copyRows->setShortcut(QKeySequence::Copy);
    connect(m_copyRows, &QAction::triggered, this, &MixDialog::copy);
    for (QAction* action : {m_adoptRow, m_copyRows}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        m_table->addAction(action);
    }
}

QWidget* MixDialog::makeFoot()
{
    auto* foot = new QWidget(this);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(widgets::kPanelMargin, widgets::kGrid, widgets::kPanelMargin, widgets::kPanelMargin);
    row->setSpacing(widgets::kGrid);
    m_plan = new widgets::ElidedLabel(foot);
    row->addWidget(m_plan, 1);
    m_copy = new QPushButton(widgets::icon(QStringLiteral("copy")), tr("Copy"), foot);
    m_copy->setToolTip(tr("Copy the table for a spreadsheet (%1)").arg(keyText(*m_copyRows)));
    connect(m_copy, &QPushButton::clicked, this, &MixDialog::copy);
    m_adopt = new QPushButton(tr("Adopt"), foot);
    m_adopt->setToolTip(
        tr("The cluster becomes these nodes, the strategy theirs, as one step that can be undone (%1, or "
           "a double click)")
            .arg(keyText(*m_adoptRow)));
    connect(m_adopt, &QPushButton::clicked, this, &MixDialog::adopt);
    for (QPushButton* button : {m_copy, m_adopt}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    return foot;
}

void MixDialog::setUndo(QAction& undo, QAction& redo)
{
    addActions({&undo, &redo});
    m_undoKey = keyText(undo);
}

void MixDialog::setScope(const QString& scope)
{
    m_scope->setText(scope);
}

void MixDialog::setPicture(const session::MixPicturePointer& picture, const std::string& currency, bool running)
{
    const bool sameRequest = m_picture && picture && m_picture->request == picture->request;
    const bool areFirst = !sameRequest || m_picture->front->empty();
    std::optional<search::NodeMix> improved; // the mix that is selected, of which better is known
    if (const search::FoundMix* found = selected();
        found && !(picture && std::ranges::count(*picture->front, *found) > 0)) {
        improved = found->mix;
        m_table->selectionModel()->clear(); // else a neighbour would take its place
    }
    m_picture = picture;
    m_running = running;
    m_model->setPicture(picture, currency);
    for (int row = 0; improved && sameRequest && row < m_model->rowCount(); ++row)
        if (m_model->mixAt(row).mix == *improved)
            m_table->selectRow(m_sorted->mapFromSource(m_model->index(row, 0)).row());
    showRows();
    if (areFirst && m_model->rowCount() > 0)
        fitColumns();
    showState();
    showPlan();
}

void MixDialog::setStanding(MixStanding standing)
{
    m_standing = standing;
    showState();
    showPlan();
}

void MixDialog::setPlanStep(std::optional<PlanStep> step)
{
    m_planStep = step;
    showPlan();
}

void MixDialog::search()
{
    if (m_form->commit() && m_form->options())
        Q_EMIT searchWanted(*m_form->options());
}

void MixDialog::showRows()
{
    const bool any = m_model->rowCount() > 0;
    m_stack->setCurrentIndex(any ? 1 : 0);
    m_message->setTone(m_picture && m_picture->hasEnded() && !any ? widgets::ToneLabel::Tone::Bad
                                                                  : widgets::ToneLabel::Tone::Secondary);
    m_message->setText(m_picture
            ? messageText(*m_picture)
            : tr("How many nodes of each group, and which of them for the first stages?\nEach mix has its best "
                 "strategy; those that others beat in step and price are left out."));
}

/// They are as wide as what stands in them; the strategy has what they leave.
void MixDialog::fitColumns()
{
    m_table->resizeColumnsToContents();
    const QFontMetrics names(widgets::scaledFont(m_table->font(), 1, true));
    const int least = m_table->columnWidth(MixModel::Nodes);
    int width = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        width = std::max(width, names.horizontalAdvance(m_model->index(row, MixModel::Nodes).data().toString()));
    m_table->setColumnWidth(
        MixModel::Nodes, std::max(least, std::min(width + kCellMargins, int(m_stack->width() * kWidestNodes))));
}

void MixDialog::showState()
{
    const bool ended = m_picture && m_picture->hasEnded();
    m_search->setText(m_running ? tr("Stop") : ended ? tr("Search again") : tr("Search"));
    m_search->setEnabled(m_running || m_form->options());
    m_search->setToolTip(m_search->isEnabled() ? QString() : m_form->note());
    m_status->setText(m_picture ? statusText(*m_picture) : QString());
    m_progress->setVisible(m_running);
    m_progress->setRange(0, m_picture ? int(m_picture->mixes) * kParts : 0);
    m_progress->setValue(m_picture ? int((double(m_picture->decided) + m_picture->next) * kParts) : 0);
    const QString notice = m_picture ? noticeText() : QString();
    m_notice->setText(notice);
    m_notice->setVisible(!notice.isEmpty());
    m_model->setStale(m_standing != MixStanding::Current);
    m_copy->setEnabled(m_model->rowCount() > 0);
    m_copyRows->setEnabled(m_copy->isEnabled());
    m_adopt->setEnabled(canAdopt());
    m_adoptRow->setEnabled(m_adopt->isEnabled());
}

QString MixDialog::noticeText() const
{
    switch (m_standing) {
    case MixStanding::Current:
        return {};
    case MixStanding::Adopted:
        return m_undoKey.isEmpty()
            ? tr("Adopted. These are of the plan before: undo to choose another, or search again.")
            : tr("Adopted. These are of the plan before: undo (%1) to choose another, or search again.").arg(m_undoKey);
    case MixStanding::OtherPlan:
        return tr(
            "These are of an earlier plan: it, what is locked or how it is searched is another now. Search again.");
    case MixStanding::OtherPrices:
        return tr("These are of other prices or numbers of nodes than stand there now. Search again.");
    }
    return {};
}

/// The plan beside its mixes, while they are of it.
void MixDialog::showPlan()
{
    const bool shown = m_planStep && m_picture && m_standing == MixStanding::Current;
    m_model->setPlanStep(shown ? m_planStep : std::nullopt);
    if (!shown)
        return m_plan->setText({});
    const QString price = m_model->priceText(m_model->planPrice(*m_planStep));
    const QString time = widgets::text(m_planStep->time);
    const QString line = m_planStep->fits
        ? tr("The plan as it is: %1 and %2 a step").arg(time, price)
        : tr("The plan as it is, which does not fit: %1 and %2 a step").arg(time, price);
    m_plan->setText(m_model->rowCount() > 0 ? tr("%1; percentages are against it").arg(line) : line);
}

const search::FoundMix* MixDialog::selected() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? &m_model->mixAt(m_sorted->mapToSource(index).row()) : nullptr;
}

bool MixDialog::canAdopt() const
{
    return selected() && m_standing == MixStanding::Current;
}

void MixDialog::adopt()
{
    if (canAdopt())
        Q_EMIT adoptWanted(search::FoundMix(*selected())); // the rows may be others while it is
}

void MixDialog::copy() const
{
    std::vector<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row)
        rows.push_back(m_sorted->mapToSource(m_sorted->index(row, 0)).row());
    if (!rows.empty())
        QApplication::clipboard()->setText(toTsv(m_model->table(rows)));
}

void MixDialog::showMenu(const QPoint& at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions({m_adoptRow, m_copyRows});
    menu->popup(m_table->viewport()->mapToGlobal(at));
}

QString MixDialog::status() const
{
    return m_status->text();
}

QString MixDialog::notice() const
{
    return m_notice->isHidden() ? QString() : m_notice->text();
}

QString MixDialog::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

QString MixDialog::planLine() const
{
    return m_plan->text();
}

} // namespace stratoplan::gui

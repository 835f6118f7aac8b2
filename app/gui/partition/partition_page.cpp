// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/partition_page.h"

#include "app/gui/partition/finding_row.h"
#include "app/gui/partition/partition_buttons.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/panel_style.h"
#include "widgets/partition/partition_explorer.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/stale_veil.h"
#include "widgets/style/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr std::chrono::milliseconds kNoticeAfter{200};
constexpr std::chrono::milliseconds kProgressAfter{500};
constexpr int kChoiceWidth = 420;
constexpr int kNarrowPartition = 640; ///< the buttons stand below what they act on

widgets::PartitionPicture noPicture(const QString& message)
{
    widgets::PartitionPicture picture;
    picture.message = message;
    return picture;
}

} // namespace

PartitionPage::PartitionPage(QWidget* parent)
    : QWidget(parent)
    , m_header(new QWidget(this))
    , m_bar(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_choice(new widgets::ChoiceField(this))
    , m_buttons(new PartitionButtons(this)) // the next for the Tab key
    , m_comparison(new widgets::ElidedLabel(this))
    , m_frontNote(new QLabel(tr("Some of the front"), this))
    , m_row(new FindingRow(this))
    , m_explorer(new widgets::PartitionExplorer(this))
    , m_veil(new widgets::StaleVeil(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFocusPolicy(Qt::ClickFocus); // for Esc
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeHeader();
    column->addWidget(m_header);
    auto* room = new QScrollArea(this);
    room->setWidget(m_explorer);
    room->setWidgetResizable(true);
    room->setFrameShape(QFrame::NoFrame);
    auto* layers = new QGridLayout;
    layers->addWidget(room, 0, 0);
    layers->addWidget(m_veil, 0, 0);
    layers->addWidget(&m_row->bar(), 0, 0, Qt::AlignTop);
    column->addLayout(layers, 1);
    makeTimers();
    connect(m_row, &FindingRow::cancelWanted, this, &PartitionPage::cancelWanted);
    connect(m_row, &FindingRow::findWanted, this, &PartitionPage::findWanted);
    connect(m_choice, &widgets::ChoiceField::keyChosen, this, &PartitionPage::choose);
    connect(m_buttons, &PartitionButtons::wanted, this, &PartitionPage::carryOut);
    setReport(nullptr);
}

void PartitionPage::makeTimers()
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kNoticeAfter);
    connect(&m_patience, &QTimer::timeout, this, &PartitionPage::showFinding);
    m_longPatience.setSingleShot(true);
    m_longPatience.setInterval(kProgressAfter);
    connect(&m_longPatience, &QTimer::timeout, this, [this] {
        m_row->showWork(true);
        updateButtons();
    });
}

void PartitionPage::makeHeader()
{
    auto* column = new QVBoxLayout(m_header);
    column->setContentsMargins(widgets::kPanelMargin, widgets::kGrid, widgets::kGrid, widgets::kRowGap);
    column->setSpacing(widgets::kRowGap);
    auto* line = new QHBoxLayout;
    line->setSpacing(widgets::kPanelMargin);
    line->addWidget(m_comparison, 2);
    line->addWidget(m_frontNote);
    setTextRole(*m_frontNote, widgets::TextRole::Secondary);
    line->addWidget(m_row, 3); // which cannot be read elsewhere
    column->addLayout(line);
    m_comparison->setMinimumHeight(m_row->height()); // nothing jumps where one takes the other's place
    column->addLayout(m_bar);
    m_bar->setSpacing(widgets::kGrid);
    m_choice->setAccessibleName(tr("Partition shown"));
    m_choice->setToolTip(
        tr("The partition shown: the best, others of the front of time and memory, and those that are usual"));
    m_choice->setMaximumWidth(kChoiceWidth);
    m_bar->addWidget(m_choice, 1);
    m_bar->addWidget(m_buttons, 0, Qt::AlignLeft);
}

QString PartitionPage::comparison() const
{
    return m_comparison->text();
}

QString PartitionPage::notice() const
{
    return m_veil->notice();
}

const PartitionChoice* PartitionPage::shown() const
{
    return m_shown < 0 ? nullptr : &m_choices[std::size_t(m_shown)];
}

void PartitionPage::setPlan(const plan::Plan& plan)
{
    using enum PartitionChoice::Kind;
    const auto& named = plan.strategy.operatorPartitions;
    if (named != m_plan.strategy.operatorPartitions && (!named.empty() || m_wantedKind == Planned))
        m_wantedKind = named.empty() ? Best : Planned;
    m_plan = plan;
    m_isCurrent = false;
    updateButtons();
}

void PartitionPage::setFinding(Finding finding)
{
    const bool isNew = m_finding != Finding::Running; // else one follows another
    m_finding = finding;
    if (finding == Finding::Running) {
        if (isNew || !m_isCurrent)
            m_row->showProgress(m_isCurrent ? estimate::PartitionProgress{estimate::PartitionPhase::Front}
                                            : estimate::PartitionProgress{});
        if (isNew)
            m_longPatience.start();
        if (!m_report)
            showFinding();
        else if (!m_isCurrent)
            m_patience.start();
    } else {
        m_patience.stop();
        m_longPatience.stop();
        m_veil->setNotice({});
        m_row->showWork(false);
    }
    if (finding == Finding::Cancelled)
        showCancelled();
    updateButtons();
}

void PartitionPage::setProgress(const estimate::PartitionProgress& progress)
{
    m_row->showProgress(progress);
}

void PartitionPage::showCancelled()
{
    if (m_isCurrent)
        return m_row->showCancelled(tr("Cancelled before the front was finished"), tr("Go on"),
            tr("Goes on with the front: the best for more memory or less"));
    const QString again = tr("Find it again"), tip = tr("Finds the best partition of the plan as it is");
    if (m_choices.empty()) {
        m_row->showCancelled(tr("Cancelled"), again, tip);
        m_explorer->setPicture(noPicture(tr("The best partition of this plan is not known")));
    } else {
        m_row->showCancelled(tr("Cancelled: what is shown is of the plan as it was before"), again, tip);
    }
}

void PartitionPage::showFinding()
{
    const QString notice = tr("Finding the best partition…");
    if (m_choices.empty())
        m_explorer->setPicture(noPicture(notice));
    else
        m_veil->setNotice(notice);
}

void PartitionPage::setReport(const session::PartitionReportPointer& report)
{
    m_report = report;
    m_isCurrent = report != nullptr;
    m_patience.stop();
    m_veil->setNotice({});
    m_choices = report && *report->result ? partitionChoices(*report) : std::vector<PartitionChoice>();
    m_comparison->setText(m_choices.empty() ? QString() : comparisonText(**report->result));
    m_frontNote->setToolTip(m_choices.empty() ? QString() : frontText(**report->result));
    m_frontNote->setAccessibleDescription(m_frontNote->toolTip());
    offerChoices();
    if (m_choices.empty()) {
        m_shown = -1;
        using enum PartitionChoice::Kind;
        m_wantedKind = m_plan.strategy.operatorPartitions.empty() ? Best : Planned;
        m_explorer->setPicture(noPicture(report ? reasonsText(report->result->error()) : QString()));
        return updateButtons();
    }
    const int shown = wantedChoice();
    m_choice->setKey(shown);
    // What is wanted and not known yet, or not possible as the plan is now, may be both again.
    const bool waits = m_wantedKind == PartitionChoice::Kind::Planned && !m_plan.strategy.operatorPartitions.empty();
    if ((*report->result)->lacksFront() || waits)
        show(shown);
    else
        choose(shown);
}

/// The best, where there is none.
int PartitionPage::wantedChoice() const
{
    const auto index = [this](const auto& isWanted) {
        return int(std::ranges::find_if(m_choices, isWanted) - m_choices.begin());
    };
    const int wanted = index([this](const PartitionChoice& c) {
        return c.kind == m_wantedKind
            && (m_wantedKind != PartitionChoice::Kind::Front
                || c.estimate->strategy.operatorPartitions == m_wantedOperators);
    });
    return wanted < int(m_choices.size())
        ? wanted
        : index([](const PartitionChoice& c) { return c.kind == PartitionChoice::Kind::Best; });
}

void PartitionPage::offerChoices()
{
    const QSignalBlocker quiet(m_choice);
    m_choice->clear();
    for (int i = 0; i < int(m_choices.size()); ++i) {
        const PartitionChoice& choice = m_choices[std::size_t(i)];
        const bool beginsFront = choice.kind == PartitionChoice::Kind::Front
            && m_choices[std::size_t(i) - 1].kind != PartitionChoice::Kind::Front; // the best stands before it
        if (beginsFront && !m_frontNote->toolTip().isEmpty())
            m_choice->addHeading(m_frontNote->toolTip());
        m_choice->addChoice(tr("%1 · %2").arg(choice.name, figuresText(*choice.estimate)), i);
    }
}

void PartitionPage::choose(int choice)
{
    m_wantedKind = m_choices[std::size_t(choice)].kind;
    m_wantedOperators = m_choices[std::size_t(choice)].estimate->strategy.operatorPartitions;
    show(choice);
}

void PartitionPage::show(int choice)
{
    m_shown = choice;
    m_explorer->setPicture(partitionPicture(*m_report, m_choices, choice));
    updateButtons();
}

void PartitionPage::updateButtons()
{
    const bool isDivided = m_plan.strategy.tensorPartition == parallel::TensorPartition::SpatialTemporal;
    const bool hasAnswer = shown() != nullptr;
    m_choice->setVisible(hasAnswer);
    m_frontNote->setVisible(hasAnswer && m_row->isHidden() && !m_frontNote->toolTip().isEmpty());
    m_comparison->setVisible(hasAnswer && (m_isCurrent || m_row->isHidden()));
    m_header->setVisible(hasAnswer || isDivided || !m_row->isHidden()); // what cannot be divided may go back
    m_buttons->offer({m_plan.strategy, shown(), hasAnswer ? &**m_report->result : nullptr, m_isCurrent});
}

void PartitionPage::carryOut(PartitionCommand command)
{
    switch (command) {
    case PartitionCommand::Use:
        return useBest();
    case PartitionCommand::Pin:
        return pinShown();
    case PartitionCommand::BackToMegatron:
        return backToMegatron();
    case PartitionCommand::Export:
        return exportShown();
    }
}

void PartitionPage::useBest()
{
    m_wantedKind = PartitionChoice::Kind::Best;
    const int best = wantedChoice();
    m_choice->setKey(best);
    show(best);
    Q_EMIT strategyWanted(spatialTemporal(m_plan.strategy), tr("Use the best spatial-temporal partition"));
}

void PartitionPage::pinShown()
{
    Q_EMIT strategyWanted(spatialTemporal(m_plan.strategy, shown()->estimate->strategy.operatorPartitions),
        tr("Pin the partition of each operator"));
}

/// That which the best is compared with.
void PartitionPage::backToMegatron()
{
    parallel::Strategy strategy = asMegatron(m_plan.strategy);
    if (!m_choices.empty() && (*m_report->result)->megatron)
        strategy.sequenceParallel = (*m_report->result)->sequenceParallel;
    Q_EMIT strategyWanted(strategy, tr("Use the Megatron partition"));
}

void PartitionPage::exportShown()
{
    Q_EMIT exportWanted(exchange::torchModuleOf(shown()->estimate->layer, (*m_report->result)->ranks, m_plan.name));
}

void PartitionPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_finding == Finding::Running)
        Q_EMIT cancelWanted();
    else
        QWidget::keyPressEvent(event);
}

void PartitionPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int width = event->size().width();
    m_buttons->setRoom(width);
    m_bar->setDirection(width < kNarrowPartition ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace stratoplan::gui

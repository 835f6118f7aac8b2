// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/search_page.h"

#include "app/gui/search/strategy_model.h"
#include "core/narration/searches.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/filtered_table.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/numbers.h"
#include "widgets/shell/thin_splitter.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stratoplan::gui {

namespace {

constexpr std::array kSpaces{"default", "calculon", "whole"};
constexpr int kProgressHeight = 3;

QString objectiveText(plan::Objective objective)
{
    switch (objective) {
    case plan::Objective::Throughput:
        return SearchPage::tr("Shortest step");
    case plan::Objective::TokensPerCost:
        return SearchPage::tr("Most tokens for the money");
    case plan::Objective::TokensPerEnergy:
        return SearchPage::tr("Most tokens for the energy");
    case plan::Objective::Deadline:
        return SearchPage::tr("Fewest accelerators in time");
    case plan::Objective::SmallestCluster:
        return SearchPage::tr("Fewest accelerators that fit");
    case plan::Objective::Robust:
        break;
    }
    return SearchPage::tr("Shortest pessimistic step");
}

QString frameworkText(plan::TargetFramework framework)
{
    const std::string_view words = catalog::title(framework);
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

} // namespace

SearchPage::SearchPage(QWidget* parent)
    : QWidget(parent)
    , m_splitter(new widgets::ThinSplitter(Qt::Vertical, this))
    , m_chart(new widgets::ParetoChart(m_splitter))
    , m_model(new StrategyModel(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeSettings());
    column->addWidget(makeStatus());
    makeTable();
    m_splitter->addWidget(m_list);
    m_splitter->setStretchFactor(0, 5);
    m_splitter->setStretchFactor(1, 4);
    m_splitter->setSizes({500, 400});
    m_splitter->setChildrenCollapsible(false);
    column->addWidget(m_splitter, 1);
    m_chart->offerMeasures();
    m_chart->offerBrush();
    connect(m_chart, &widgets::ParetoChart::picked, this, [this](std::size_t strategy) { select(strategy); });
    connect(m_chart, &widgets::ParetoChart::pickedOfCloud, this, [this](const widgets::StrategyPoint& strategy) {
        m_selected.reset(); // the table does not list it
        m_list->selectRow(-1);
        m_adopt->setEnabled(false);
        Q_EMIT picked(strategy);
    });
    connect(m_chart, &widgets::ParetoChart::brushChanged, this, &SearchPage::applyFilter);
    m_chart->installEventFilter(this);
    showCount();
}

QWidget* SearchPage::makeSettings()
{
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(widgets::kPanelMargin, widgets::kGrid, widgets::kPanelMargin, 4);
    row->setSpacing(widgets::kGrid);
    makeChoices(bar);
    m_longest = new widgets::UnitField(widgets::UnitKind::Time, bar);
    m_longest->setRange(1e-6, 1e9);
    m_headroom = new widgets::UnitField(widgets::UnitKind::Share, bar);
    m_headroom->setRange(0, 0.99);
    m_headroom->setFixedWidth(64);
    auto* headroom = new widgets::ToneLabel(tr("keep free"), widgets::ToneLabel::Tone::Secondary, bar);
    headroom->setBuddy(m_headroom);
    const auto add = [row](QWidget* field, const QString& name, const QString& tip) {
        field->setAccessibleName(name);
        field->setToolTip(tip);
        row->addWidget(field);
    };
    add(m_objective, tr("What is best"), tr("What the best strategy is best in"));
    add(m_longest, tr("Longest step"), tr("A step may take no longer than this"));
    add(m_mode, tr("How a step is timed"), tr("How the step of a strategy is timed; the answer is exact for it"));
    add(m_space, tr("Space"), tr("Which strategies are considered; padlocks in the form narrow it"));
    add(m_framework, tr("Framework"),
        tr("The training framework that has to run the strategies; others are left out, and the details say by which "
           "rules"));
    row->addWidget(headroom);
    add(m_headroom, tr("Memory kept free"),
        tr("Share of each accelerator's memory that the best strategy leaves free"));
    row->addStretch(1);
    connectSettings();
    return bar;
}

void SearchPage::makeChoices(QWidget* bar)
{
    m_objective = new widgets::ChoiceField(bar);
    for (const plan::Objective objective :
        {plan::Objective::Throughput, plan::Objective::TokensPerCost, plan::Objective::TokensPerEnergy,
            plan::Objective::Deadline, plan::Objective::SmallestCluster, plan::Objective::Robust}) {
        const std::string_view words = narration::describe(objective);
        m_objective->addChoice(
            objectiveText(objective), int(objective), QString::fromUtf8(words.data(), qsizetype(words.size())));
    }
    m_mode = new widgets::ChoiceField(bar);
    m_mode->addChoice(tr("simulated"), int(plan::SearchMode::Simulated),
        tr("Exact for the simulated step, which the estimate shows. All schedules take part."));
    m_mode->addChoice(tr("closed form"), int(plan::SearchMode::ClosedForm),
        tr("Exact for the closed form of the pipeline: faster, but no V-shaped or two-way schedules, and steps a "
           "little too short."));
    m_space = new widgets::ChoiceField(bar);
    m_space->addChoice(tr("default space"), 0,
        tr("All degrees, micro-batches, schedules, ZeRO stages, recomputations and rank orders, on all accelerators."));
    m_space->addChoice(
        tr("Calculon's space"), 1, tr("What Calculon enumerates: 1F1B and interleaving, ZeRO-1, one rank order."));
    m_space->addChoice(tr("whole space"), 2,
        tr("Also fewer nodes, every shard group, ways of context parallelism, offload, places of the vocabulary, "
           "the timing pass, other layers on the stages at the ends, first layers recomputed, narrower precisions."));
    m_framework = new widgets::ChoiceField(bar);
    for (const plan::TargetFramework framework : plan::kTargetFrameworks) {
        const bool any = framework == plan::TargetFramework::Any;
        m_framework->addChoice(frameworkText(framework), int(framework),
            any ? tr("All strategies that are priced, whatever runs them.")
                : tr("Only strategies that it runs, by the rules of that version."));
    }
}

void SearchPage::connectSettings()
{
    connect(m_objective, &widgets::ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Search for: %1").arg(m_objective->currentText().toLower()), [&](plan::SearchSettings& s) {
            s.objective = static_cast<plan::Objective>(key);
            if (s.objective == plan::Objective::Deadline && !(s.longestStep > Seconds(0)))
                s.longestStep = m_usualStep;
        });
    });
    connect(m_mode, &widgets::ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Time steps: %1").arg(m_mode->currentText()),
            [&](plan::SearchSettings& s) { s.mode = static_cast<plan::SearchMode>(key); });
    });
    connect(m_space, &widgets::ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Search the %1").arg(m_space->currentText()),
            [&](plan::SearchSettings& s) { s.space = kSpaces[static_cast<std::size_t>(key)]; });
    });
    connect(m_framework, &widgets::ChoiceField::keyChosen, this, [this](int key) {
        edit(tr("Search for %1").arg(m_framework->currentText()),
            [&](plan::SearchSettings& s) { s.framework = static_cast<plan::TargetFramework>(key); });
    });
    connect(m_headroom, &widgets::UnitField::valueChanged, this,
        [this](double share) { edit(tr("Keep memory free"), [&](plan::SearchSettings& s) { s.headroom = share; }); });
    connect(m_longest, &widgets::UnitField::valueChanged, this, [this](double seconds) {
        edit(tr("Set the longest step"), [&](plan::SearchSettings& s) { s.longestStep = Seconds(seconds); });
    });
}

QWidget* SearchPage::makeStatus()
{
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    row->setSpacing(widgets::kGrid);
    m_status = new widgets::ElidedLabel(box);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_verify = new QPushButton(tr("Verify"), box);
    m_verify->setToolTip(
        tr("Prices every strategy of the space, and compares the best value, the optimal strategies and the front"));
    connect(m_verify, &QPushButton::clicked, this, [this] {
        if (m_verification == Verification::Running)
            Q_EMIT stopVerifyingWanted();
        else
            Q_EMIT verifyWanted();
    });
    row->addWidget(m_status, 1);
    row->addWidget(m_verify);
    column->addLayout(row);
    m_verified = new widgets::ToneLabel(widgets::ToneLabel::Tone::Secondary, box);
    m_verified->setWordWrap(true);
    m_verified->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 2);
    m_verified->hide();
    column->addWidget(m_verified);
    m_progress = new QProgressBar(box);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(kProgressHeight);
    m_progress->setAccessibleName(tr("Share of the space decided"));
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps when a search begins
    m_progress->setSizePolicy(policy);
    column->addWidget(m_progress);
    setVerification(Verification::None, {}, std::nullopt);
    return box;
}

void SearchPage::makeTable()
{
    m_list = new widgets::FilteredTable(m_model, tr("Strategies"), m_splitter);
    m_list->setFilterHelp(tr("Filter: tp>=4 zero=1 front selective …"),
        tr("Words that must occur, “front”, “fits”, and comparisons with %1").arg(widgets::StrategyFilter::names()));
    m_clearBrush = m_list->addButton(
        tr("Clear the brush"), tr("Lists all strategies again, not only those brushed with Shift in the picture"));
    m_clearBrush->hide();
    connect(m_clearBrush, &QPushButton::clicked, this, [this] { m_chart->clearBrush(); });
    m_adopt =
        m_list->addButton(tr("Adopt"), tr("Puts the selected strategy into the plan (Enter); undo takes it back"));
    connect(m_adopt, &QPushButton::clicked, this, &SearchPage::adoptSelected);
    table().sortByColumn(StrategyModel::Objective, Qt::DescendingOrder);
    connect(m_list, &widgets::FilteredTable::filterChanged, this, &SearchPage::applyFilter);
    connect(m_list, &widgets::FilteredTable::rowOpened, this, &SearchPage::adoptSelected);
    connect(m_list, &widgets::FilteredTable::rowChosen, this,
        [this](int row) { select(row >= 0 ? std::optional(m_model->strategyOf(row)) : std::nullopt); });
    connect(m_model, &QAbstractItemModel::modelReset, this, &SearchPage::showSelection);
}

void SearchPage::edit(const QString& text, const std::function<void(plan::SearchSettings&)>& change)
{
    plan::SearchSettings next = m_settings;
    change(next);
    if (next == m_settings)
        setSettings(m_settings); // the field goes back
    else
        Q_EMIT settingsEdited(next, text);
}

void SearchPage::setSettings(const plan::SearchSettings& settings)
{
    m_settings = settings;
    m_objective->setKey(int(settings.objective));
    m_mode->setKey(int(settings.mode));
    for (std::size_t i = 0; i < kSpaces.size(); ++i)
        if (settings.space == kSpaces[i])
            m_space->setKey(int(i));
    m_framework->setKey(int(settings.framework));
    m_headroom->setValue(settings.headroom);
    m_longest->setValue(settings.longestStep.value());
    m_longest->setVisible(settings.objective == plan::Objective::Deadline);
}

void SearchPage::setStrategies(const widgets::StrategySetPointer& set)
{
    std::optional<std::size_t> again;
    if (m_selected && m_set && set) {
        const widgets::StrategyPoint& before = m_set->points[*m_selected];
        for (std::size_t i = 0; i < set->points.size() && !again; ++i)
            if (set->points[i].strategy == before.strategy && set->points[i].precision == before.precision)
                again = i;
    }
    const bool firstColumns = !m_set || m_set->points.empty();
    if (set && (!m_set || m_set->best != set->best))
        m_chart->setMeasures(widgets::StrategyMeasure::PeakMemory, set->best);
    m_set = set;
    m_selected = again;
    m_chart->setStrategies(set);
    m_model->setStrategies(set);
    if (set) {
        table().setColumnHidden(StrategyModel::Throughput, set->best == widgets::StrategyMeasure::Throughput);
        table().setColumnHidden(StrategyModel::Money, set->best == widgets::StrategyMeasure::TokensPerMoney);
        if (firstColumns)
            table().resizeColumnsToContents();
        // Rows of what is not on the front come later, and their words are longer.
        const int before = table().columnWidth(StrategyModel::Standing);
        table().resizeColumnToContents(StrategyModel::Standing);
        table().setColumnWidth(StrategyModel::Standing, std::max(before, table().columnWidth(StrategyModel::Standing)));
    }
    showSelection();
    showCount();
}

void SearchPage::applyFilter()
{
    const widgets::StrategyFilter filter(filterLine().text());
    m_list->setFilterError(filter.error());
    m_clearBrush->setVisible(m_chart->brush().has_value());
    m_model->setFilter(filter, m_chart->brush());
    showCount();
}

void SearchPage::showCount()
{
    const int all = m_set ? int(m_set->points.size()) : 0;
    const int rows = m_model->rowCount();
    m_list->setNote(all == 0 ? QString()
            : rows == all    ? tr("%1 shown").arg(widgets::groupedNumber(rows))
                             : tr("%1 of %2 shown").arg(widgets::groupedNumber(rows), widgets::groupedNumber(all)));
    m_list->setEmptyText(all == 0
            ? tr("The front appears here while a search runs, then a fair sample of all other strategies.\nPress “Find "
                 "the best”.")
            : tr("No strategy passes the filter: clear it, or brush a wider part of the picture."));
    m_adopt->setEnabled(m_selected.has_value());
}

/// In picture and table, without a signal.
void SearchPage::showSelection()
{
    m_chart->setSelected(m_selected);
    m_list->selectRow(m_selected ? m_model->rowOf(*m_selected) : -1);
    m_adopt->setEnabled(m_selected.has_value());
}

void SearchPage::select(std::optional<std::size_t> strategy)
{
    m_selected = strategy;
    showSelection();
    if (strategy)
        Q_EMIT picked(m_set->points[*strategy]);
    else
        Q_EMIT deselected();
}

void SearchPage::adoptSelected()
{
    if (m_selected)
        Q_EMIT adopted(m_set->points[*m_selected]);
}

bool SearchPage::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape || m_chart->brush()
        || !m_selected)
        return QWidget::eventFilter(object, event);
    select(std::nullopt);
    return true;
}

QTableView& SearchPage::table() const
{
    return m_list->table();
}

QLineEdit& SearchPage::filterLine() const
{
    return m_list->filterLine();
}

void SearchPage::setStatus(const QString& text, std::optional<double> share)
{
    m_status->setText(text);
    m_progress->setVisible(share.has_value());
    if (share)
        m_progress->setValue(static_cast<int>(*share * m_progress->maximum()));
}

void SearchPage::setVerification(Verification state, const QString& text, std::optional<bool> good)
{
    m_verification = state;
    m_verify->setEnabled(state != Verification::None);
    m_verify->setText(state == Verification::Running ? tr("Stop verifying") : tr("Verify"));
    m_verified->setText(text);
    m_verified->setVisible(!text.isEmpty());
    m_verified->setTone(!good ? widgets::ToneLabel::Tone::Secondary
            : *good           ? widgets::ToneLabel::Tone::Good
                              : widgets::ToneLabel::Tone::Bad);
}

QString SearchPage::statusText() const
{
    return m_status->text();
}

QString SearchPage::verificationText() const
{
    return m_verified->isHidden() ? QString() : m_verified->text();
}

QString SearchPage::countText() const
{
    return m_list->note();
}

} // namespace stratoplan::gui

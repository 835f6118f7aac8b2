// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/studies/study_page.h"

#include "app/gui/studies/study_axes.h"
#include "app/gui/studies/study_model.h"
#include "core/reporting/documents.h"
#include "widgets/charts/heat_map.h"
#include "widgets/charts/scaling_chart.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/filtered_table.h"
#include "widgets/panels/panel_style.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/strategy_set.h"
#include "widgets/shell/thin_splitter.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr std::size_t kFaultsShown = 3;
constexpr int kHintWidth = 560;

/// "part-0.jsonl, part-1.jsonl" or "16 files"
QString fileNames(const QStringList& files)
{
    constexpr qsizetype kNamed = 3;
    if (files.size() > kNamed)
        return StudyPage::tr("%1 files").arg(files.size());
    QStringList names;
    for (const QString& file : files)
        names << QFileInfo(file).fileName();
    return files.isEmpty() ? StudyPage::tr("shipped example") : names.join(QStringLiteral(", "));
}

} // namespace

StudyPage::StudyPage(QWidget* parent)
    : QWidget(parent)
    , m_model(new StudyModel(this))
    , m_stack(new QStackedLayout(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_stack->addWidget(makeEmptyState());
    m_stack->addWidget(makeStudy());
    connectCharts();
    setStudy(nullptr);
}

QWidget* StudyPage::makeEmptyState()
{
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setSpacing(12);
    m_emptyTitle = new QLabel(page);
    setTextRole(*m_emptyTitle, widgets::TextRole::Title);
    m_emptyHint = new QLabel(page);
    setTextRole(*m_emptyHint, widgets::TextRole::Secondary);
    m_emptyHint->setAlignment(Qt::AlignCenter);
    m_emptyHint->setWordWrap(true);
    m_emptyHint->setFixedWidth(kHintWidth);
    auto* open = new QPushButton(tr("Open answers…"), page);
    open->setProperty("primary", true);
    connect(open, &QPushButton::clicked, this, &StudyPage::openWanted);
    auto* example = new QPushButton(tr("Show the example"), page);
    connect(example, &QPushButton::clicked, this, &StudyPage::exampleWanted);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(open);
    row->addWidget(example);
    row->addStretch(1);
    column->addStretch(2);
    column->addWidget(m_emptyTitle, 0, Qt::AlignCenter);
    auto* hint = new QHBoxLayout; // aligned by itself it would not get the height of its lines
    hint->addStretch(1);
    hint->addWidget(m_emptyHint);
    hint->addStretch(1);
    column->addLayout(hint);
    column->addLayout(row);
    column->addStretch(3);
    return page;
}

QWidget* StudyPage::makeStudy()
{
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    auto* parts = new widgets::ThinSplitter(Qt::Vertical, page);
    auto* charts = new widgets::ThinSplitter(Qt::Horizontal, parts);
    m_scaling = new widgets::ScalingChart(charts);
    m_heat = new widgets::HeatMap(charts);
    charts->setChildrenCollapsible(false);
    charts->setSizes({500, 500});
    makeTable();
    parts->addWidget(m_list);
    parts->setChildrenCollapsible(false);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setSizes({420, 280});
    column->addWidget(parts, 1);
    return page;
}

QWidget* StudyPage::makeHeader()
{
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(widgets::kPanelMargin, widgets::kGrid, widgets::kPanelMargin, 4);
    column->setSpacing(6);
    column->addLayout(makeTitles());
    column->addLayout(makeChoices());
    m_faults = new widgets::ToneLabel(widgets::ToneLabel::Tone::Bad, header);
    m_faults->setWordWrap(true);
    m_faults->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_faults);
    return header;
}

QLayout* StudyPage::makeTitles()
{
    auto* titles = new QHBoxLayout;
    titles->setSpacing(widgets::kGrid);
    m_title = new widgets::ElidedLabel(this);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setTextRole(*m_title, widgets::TextRole::Section);
    titles->addWidget(m_title, 1);
    const auto addButton = [&](const QString& text, const QString& tip, auto signal) {
        auto* button = new QPushButton(text, this);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, signal);
        titles->addWidget(button);
        return button;
    };
    m_export = addButton(tr("Export table…"),
        tr("Writes the listed rows as CSV; a chart's own menu exports its picture"), &StudyPage::exportWanted);
    m_add =
        addButton(tr("Add parts…"), tr("Other parts of the same study, or the study itself"), &StudyPage::addWanted);
    addButton(tr("Open answers…"), tr("What stratoplan-cli sweep wrote: JSON lines, one file or all parts at once"),
        &StudyPage::openWanted);
    return titles;
}

QLayout* StudyPage::makeChoices()
{
    auto* choices = new QHBoxLayout;
    choices->setSpacing(widgets::kGrid);
    const auto addChoice = [&](const QString& word, const QString& name) {
        auto* label = new widgets::ToneLabel(word, widgets::ToneLabel::Tone::Secondary, this);
        auto* field = new widgets::ChoiceField(this);
        field->setAccessibleName(name);
        label->setBuddy(field);
        choices->addWidget(label);
        choices->addWidget(field, 1);
        return field;
    };
    m_measure = addChoice(tr("Show"), tr("Figure to show"));
    m_over = addChoice(tr("curve over"), tr("Horizontal axis of the curve"));
    m_series = addChoice(tr("for each"), tr("Series of the curve"));
    m_columns = addChoice(tr("map of"), tr("Columns of the heat map"));
    m_rows = addChoice(tr("by"), tr("Rows of the heat map"));
    for (widgets::ChoiceField* field : {m_measure, m_over, m_series, m_columns, m_rows})
        connect(field, &widgets::ChoiceField::keyChosen, this, &StudyPage::showCharts);
    return choices;
}

void StudyPage::makeTable()
{
    m_list = new widgets::FilteredTable(m_model, tr("Plans of the study"), this);
    m_list->setEmptyText(tr("No plan passes the filter."));
    m_list->table().horizontalHeader()->setStretchLastSection(true);
    m_openPlan = m_list->addButton(
        tr("Open as a plan"), tr("Opens the chosen point with the strategy that was found, as a new plan (Enter)"));
    const auto open = [this] {
        if (m_chosen)
            Q_EMIT planWanted(*m_chosen);
    };
    connect(m_openPlan, &QPushButton::clicked, this, open);
    connect(m_list, &widgets::FilteredTable::rowOpened, this, open);
    connect(m_list, &widgets::FilteredTable::filterChanged, this, &StudyPage::applyFilter);
    connect(m_list, &widgets::FilteredTable::rowChosen, this,
        [this](int row) { choose(row >= 0 ? std::optional(m_model->pointOf(row)) : std::nullopt); });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] { choose(m_chosen); });
}

void StudyPage::connectCharts()
{
    for (widgets::StudyChart* chart :
        {static_cast<widgets::StudyChart*>(m_scaling), static_cast<widgets::StudyChart*>(m_heat)}) {
        connect(chart, &widgets::StudyChart::chosen, this, [this](std::size_t point) { choose(point); });
        connect(chart, &widgets::StudyChart::opened, this, &StudyPage::planWanted);
    }
}

void StudyPage::setReading(bool reading)
{
    m_scaling->setUpdating(reading);
    m_heat->setUpdating(reading);
}

void StudyPage::setStudy(const session::OpenedStudyPointer& study)
{
    m_study = study;
    m_answers = study ? study->answers : std::make_shared<const exchange::StudyAnswers>();
    m_chosen.reset();
    const bool empty = m_answers->points.empty();
    m_stack->setCurrentIndex(empty ? 0 : 1);
    showFaults();
    if (empty)
        return;
    showTitle();
    offerAxes();
    m_list->filterLine().clear();
    const QString second = widgets::StudyFilter::names(*m_answers).last();
    m_list->setFilterHelp(
        tr("Filter: gpus>=512 %1 fits …").arg(second == u"gpus" ? QString() : second + QStringLiteral("=…")),
        tr("Words that must occur, “fits”, and comparisons with %1")
            .arg(widgets::StudyFilter::names(*m_answers).join(QStringLiteral(", "))));
    table().horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    applyFilter();
    table().resizeColumnsToContents();
    // The last one as well: it takes again what room is left.
    table().horizontalHeader()->setStretchLastSection(false);
    table().horizontalHeader()->setStretchLastSection(true);
}

void StudyPage::showTitle()
{
    const auto answered = qint64(m_answers->points.size());
    const QString name = m_answers->name.empty() ? tr("Study") : QString::fromStdString(m_answers->name);
    const QString count = m_answers->size > answered
        ? tr("%1 of %2 plans answered").arg(widgets::groupedNumber(answered), widgets::groupedNumber(m_answers->size))
        : tr("%1 plans").arg(widgets::groupedNumber(answered));
    m_title->setText(QStringLiteral("%1 · %2 · %3").arg(name, count, fileNames(m_study->files)));
}

void StudyPage::showFaults()
{
    QStringList lines;
    for (const exchange::StudyFault& fault : m_study ? m_study->faults : std::vector<exchange::StudyFault>())
        lines << QString::fromStdString(reporting::describe(fault));
    const qint64 all = m_study ? m_study->faulty : 0;
    const QString more = all > qint64(kFaultsShown)
        ? tr("and %1 more").arg(widgets::groupedNumber(all - qint64(kFaultsShown)))
        : QString();
    QStringList shown = lines.mid(0, qsizetype(kFaultsShown));
    if (!more.isEmpty())
        shown << more;
    m_faults->setText(shown.join(u'\n'));
    m_faults->setToolTip(lines.size() > qsizetype(kFaultsShown) ? lines.join(u'\n') : QString());
    m_faults->setVisible(!lines.isEmpty());
    const bool studyAlone = m_study && lines.isEmpty() && m_answers->points.empty() && m_answers->size > 0;
    const QString file = m_study && !m_study->files.isEmpty() ? m_study->files.first() : QStringLiteral("STUDY.json");
    if (studyAlone) {
        m_emptyTitle->setText(tr("A study of %1 plans, not answered yet").arg(widgets::groupedNumber(m_answers->size)));
        m_emptyHint->setText(tr("Let it be answered, then open the answers:\nstratoplan-cli sweep %1 -o answers.jsonl")
                                 .arg(QFileInfo(file).fileName()));
    } else if (m_study) {
        m_emptyTitle->setText(lines.isEmpty() ? tr("No answers in %1").arg(fileNames(m_study->files))
                                              : tr("None of these lines is an answer"));
        m_emptyHint->setText(lines.isEmpty()
                ? tr("A sweep that was stopped early leaves an empty file; --resume goes on with it.")
                : shown.join(u'\n'));
    } else {
        m_emptyTitle->setText(tr("No study is open"));
        m_emptyHint->setText(
            tr("A study asks for the best strategy of a whole grid of plans: sizes of cluster, batches, models. "
               "stratoplan-cli sweep "
               "answers it, on one machine or in parts on many. Open what it wrote, or drop the files here."));
    }
}

void StudyPage::offerAxes()
{
    const StudyAxes offered = studyAxes(*m_answers);
    const auto fill = [&](widgets::ChoiceField* field, const std::vector<int>& axes, int key) {
        field->clear();
        for (const int axis : axes)
            field->addChoice(axis == widgets::kAcceleratorAxis ? tr("Accelerators")
                    : axis == widgets::kNoAxis                 ? tr("nothing")
                                                               : widgets::axisName(m_answers->axes[std::size_t(axis)]),
                axis);
        field->setKey(key);
        field->setEnabled(axes.size() > 1);
    };
    fill(m_over, offered.curves, offered.over);
    fill(m_series, offered.series, offered.each);
    fill(m_columns, offered.cells, offered.columns);
    fill(m_rows, offered.series, offered.rows);
    const int before =
        m_measure->count() > 0 ? m_measure->key() : int(widgets::StudyMeasure::PerAccelerator); // where losses show
    const std::vector<widgets::StudyMeasure> measures = widgets::measuresOf(*m_answers);
    m_measure->clear();
    for (const widgets::StudyMeasure measure : measures)
        m_measure->addChoice(measureName(measure), int(measure));
    const bool still = std::find(measures.begin(), measures.end(), widgets::StudyMeasure(before)) != measures.end();
    m_measure->setKey(still || measures.empty() ? before : int(measures.front()));
}

widgets::StudyMeasure StudyPage::measure() const
{
    return m_measure->count() > 0 ? widgets::StudyMeasure(m_measure->key()) : widgets::StudyMeasure::StepTime;
}

void StudyPage::applyFilter()
{
    const widgets::StudyFilter filter(filterLine().text(), *m_answers);
    m_list->setFilterError(filter.error());
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < m_answers->points.size(); ++i)
        if (filter.allows(*m_answers, m_answers->points[i]))
            shown.push_back(i);
    m_model->setPoints(m_answers, std::move(shown));
    showCharts();
}

void StudyPage::showCharts()
{
    const int series = m_series->key() == m_over->key() ? widgets::kNoAxis : m_series->key();
    const int rows = m_rows->key() == m_columns->key() ? widgets::kNoAxis : m_rows->key();
    m_scaling->setPoints(m_answers, m_model->shown(), measure(),
        m_over->count() > 0 ? m_over->key() : widgets::kAcceleratorAxis, series);
    m_heat->setPoints(
        m_answers, m_model->shown(), measure(), m_columns->count() > 0 ? m_columns->key() : widgets::kNoAxis, rows);
    choose(m_chosen);
}

void StudyPage::choose(std::optional<std::size_t> point)
{
    m_chosen = point;
    m_scaling->setChosen(point);
    m_heat->setChosen(point);
    m_list->selectRow(point ? m_model->rowOf(*point) : -1);
    m_openPlan->setEnabled(point.has_value());
    const auto rows = qint64(m_model->rowCount());
    const auto all = qint64(m_answers->points.size());
    if (point) {
        const exchange::StudyPoint& p = m_answers->points[*point];
        m_list->setNote(widgets::placeText(*m_answers, p) + QStringLiteral(": ")
            + (p.isPriced() ? widgets::strategyText(p.found) : widgets::outcomeText(p.outcome)));
    } else if (rows == 0) {
        m_list->setNote(tr("No plan passes the filter"));
    } else {
        m_list->setNote(rows == all
                ? tr("%1 shown").arg(widgets::groupedNumber(rows))
                : tr("%1 of %2 shown").arg(widgets::groupedNumber(rows), widgets::groupedNumber(all)));
    }
}

QTableView& StudyPage::table() const
{
    return m_list->table();
}

QLineEdit& StudyPage::filterLine() const
{
    return m_list->filterLine();
}

QString StudyPage::titleText() const
{
    return m_title->text();
}

QString StudyPage::faultText() const
{
    return m_faults->text();
}

QString StudyPage::emptyText() const
{
    return m_stack->currentIndex() == 0 ? m_emptyTitle->text() + u'\n' + m_emptyHint->text() : QString();
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/validate/validation_dialog.h"

#include "app/gui/validate/case_dialog.h"
#include "app/gui/validate/validation_model.h"
#include "core/units/format.h"
#include "core/units/text.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/presentation/text.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kNarrow = 720; ///< below it the worst cases stand under the chart
constexpr int kReason = 120;
constexpr int kLowest = 420; ///< of tables and chart; in lower windows they scroll

constexpr const char* kChoose =
    QT_TRANSLATE_NOOP("ValidationDialog", "Choose a case to see it in the chart; Enter or a double click opens it.");

/// All sources together stay on top, however the others are sorted.
class SourceOrder : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override
    {
        if (left.row() == 0 || right.row() == 0)
            return (left.row() == 0) == (sortOrder() == Qt::AscendingOrder) && left.row() != right.row();
        return QSortFilterProxyModel::lessThan(left, right);
    }
};

} // namespace

ValidationDialog::ValidationDialog(QWidget* parent, std::string_view cases)
    : QDialog(parent)
    , m_sources(new SourcesModel(this))
    , m_worst(new WorstModel(this))
    , m_sorted(new SourceOrder(this))
    , m_worker(cases)
{
    setWindowTitle(tr("Validation"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizeGripEnabled(true);
    m_sorted->setSourceModel(m_sources);
    m_sorted->setSortRole(SourcesModel::SortRole);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_progress = new QProgressBar(this);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setAccessibleName(tr("Cases estimated"));
    column->addWidget(m_progress);
    makeStack();
    column->addWidget(m_stack, 1);
    const QScreen* const here = parent ? parent->screen() : screen();
    resize(QSize(1200, 860).boundedTo(here->availableGeometry().size() - QSize(24, 48))); // the frame of the window
    hearWorker();
    run();
}

void ValidationDialog::makeStack()
{
    m_stack = new QStackedWidget(this);
    m_message = new widgets::ToneLabel(widgets::ToneLabel::Tone::Secondary, this);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setMargin(24);
    m_stack->addWidget(m_message);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(makeBody());
    m_stack->addWidget(scroll);
}

void ValidationDialog::hearWorker()
{
    connect(&m_worker, &session::ValidationWorker::progress, this, [this](int done, int total) {
        m_progress->setRange(0, total);
        m_progress->setValue(done);
    });
    connect(&m_worker, &session::ValidationWorker::reported, this, &ValidationDialog::showReport);
    connect(&m_worker, &session::ValidationWorker::failed, this, [this](const QString& why) {
        showRunning(false);
        showMessage(tr("The measured cases cannot be read: %1.").arg(why), true);
    });
}

ValidationDialog& ValidationDialog::openFor(QWidget& window)
{
    auto* dialog = window.findChild<ValidationDialog*>(QString(), Qt::FindDirectChildrenOnly);
    if (!dialog) {
        dialog = new ValidationDialog(&window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    return *dialog;
}

QWidget* ValidationDialog::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 12, 12, 8);
    row->setSpacing(8);
    m_summary = new QLabel(header);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_summary, 1);
    m_time = new QPushButton(tr("Step time"), header);
    m_memory = new QPushButton(tr("Peak memory"), header);
    for (auto* button : {m_time, m_memory}) {
        button->setCheckable(true);
        button->setAutoExclusive(true);
        row->addWidget(button);
    }
    m_time->setChecked(true);
    m_time->setToolTip(tr("Show errors of the seconds of a step"));
    m_memory->setToolTip(tr("Show errors of the memory of the fullest accelerator"));
    connect(m_time, &QPushButton::clicked, this, [this] { showMeasure(false); });
    connect(m_memory, &QPushButton::clicked, this, [this] { showMeasure(true); });
    m_run = new QPushButton(header);
    m_run->setAutoDefault(false);
    connect(m_run, &QPushButton::clicked, this, [this] { m_worker.isRunning() ? stop() : run(); });
    row->addWidget(m_run);
    for (auto* button : {m_time, m_memory})
        button->setAutoDefault(false);
    return header;
}

QWidget* ValidationDialog::makeWorst()
{
    m_worstTable =
        makeRowTable(m_worst, new widgets::RowHeader(this), fontMetrics().height() + 12, tr("Worst cases"), this);
    m_worstTable->horizontalHeader()->setStretchLastSection(true);
    connect(m_worstTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& index) {
            if (index.isValid())
                m_chart->setChosen(index.siblingAtColumn(WorstModel::Case).data().toString());
            m_reason->setText(
                index.isValid() ? index.siblingAtColumn(WorstModel::Reason).data().toString() : tr(kChoose));
        });
    // Enter, or a double click. Queued: the same Enter would press the default button of what it opens.
    connect(m_worstTable, &QTableView::activated, this, &ValidationDialog::openCase, Qt::QueuedConnection);
    m_worstTable->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_worstTable, &QTableView::customContextMenuRequested, this, &ValidationDialog::showCaseMenu);
    m_reason = new QLabel(tr(kChoose), this);
    m_reason->setWordWrap(true);
    m_reason->setMargin(8);
    m_reason->setMinimumHeight(2 * fontMetrics().height() + 16);
    setTextRole(*m_reason, widgets::TextRole::Secondary);
    auto* worst = new QWidget(this);
    auto* column = new QVBoxLayout(worst);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_worstTable, 1);
    column->addWidget(m_reason);
    return worst;
}

QWidget* ValidationDialog::makeBody()
{
    m_sourcesTable = makeRowTable(
        m_sorted, new widgets::SortedHeader(this), fontMetrics().height() + 12, tr("Errors by source"), this);
    m_sourcesTable->setSortingEnabled(true);
    m_sourcesTable->horizontalHeader()->setSectionsClickable(true);
    m_sourcesTable->sortByColumn(SourcesModel::Source, Qt::AscendingOrder);
    m_sourcesTable->viewport()->installEventFilter(this); // narrower once a scroll bar stands beside it
    connect(
        m_sourcesTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ValidationDialog::showSource);
    QWidget* const worst = makeWorst();
    m_chart = new widgets::ScatterChart(this);
    connect(m_chart, &widgets::ScatterChart::chosen, this, [this](const QString& name) {
        m_chart->setChosen(name);
        for (int row = 0; row < m_worst->rowCount(); ++row)
            if (m_worst->index(row, WorstModel::Case).data().toString() == name)
                m_worstTable->selectRow(row);
    });

    connect(
        m_chart, &widgets::ChartView::reported, this, [this](bool, const QString& text) { m_reason->setText(text); });
    m_cases = new QSplitter(Qt::Horizontal, this);
    m_cases->setChildrenCollapsible(false);
    m_cases->addWidget(m_chart);
    m_cases->addWidget(worst);
    m_cases->setSizes({420, 680});
    auto* body = new QSplitter(Qt::Vertical, this);
    body->setChildrenCollapsible(false);
    body->addWidget(m_sourcesTable);
    body->addWidget(m_cases);
    body->setStretchFactor(0, 2);
    body->setStretchFactor(1, 3);
    body->setMinimumHeight(kLowest);
    return body;
}

void ValidationDialog::openCase(const QModelIndex& index)
{
    const auto row = static_cast<std::size_t>(index.row());
    if (!index.isValid() || row >= m_worst->cases().size())
        return;
    const validation::WorstCase& worst = m_worst->cases()[row];
    if (const validation::MeasuredCase* measured = m_worker.caseNamed(worst.point.id)) {
        auto* dialog = new CaseDialog(*measured, worst, this);
        connect(dialog, &CaseDialog::planWanted, this, &ValidationDialog::planWanted);
        dialog->open();
    }
}

void ValidationDialog::showCaseMenu(const QPoint& at)
{
    const QModelIndex index = m_worstTable->currentIndex();
    if (!index.isValid())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Details…"), this, [this, index] { openCase(index); });
    if (const validation::MeasuredCase* measured =
            m_worker.caseNamed(m_worst->cases()[static_cast<std::size_t>(index.row())].point.id))
        menu->addAction(tr("Open as plan"), this, [this, plan = measured->plan] { Q_EMIT planWanted(plan); });
    menu->popup(m_worstTable->viewport()->mapToGlobal(at));
}

void ValidationDialog::run()
{
    showMessage(tr("Estimating the measured cases that ship…"), false);
    m_progress->setRange(0, 0);
    m_worker.run();
    showRunning(true);
}

void ValidationDialog::stop()
{
    m_worker.stop();
    showRunning(false);
    if (m_report)
        showReport(m_report);
    else
        showMessage(tr("Stopped. Press “Run again” to estimate the measured cases."), false);
}

void ValidationDialog::showRunning(bool running)
{
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(policy);
    m_progress->setVisible(running);
    m_run->setText(running ? tr("Stop") : tr("Run again"));
    m_run->setIcon(widgets::icon(running ? QStringLiteral("stop") : QStringLiteral("redo")));
    m_run->setToolTip(running ? tr("Stop estimating") : tr("Estimate the measured cases once more"));
    for (QPushButton* button : {m_time, m_memory})
        button->setEnabled(!running && m_report != nullptr);
    showSummary();
}

void ValidationDialog::showMessage(const QString& message, bool wrong)
{
    m_message->setTone(wrong ? widgets::ToneLabel::Tone::Bad : widgets::ToneLabel::Tone::Secondary);
    m_message->setText(message);
    m_stack->setCurrentIndex(0);
}

void ValidationDialog::showReport(const session::ValidationReportPointer& report)
{
    m_report = report;
    showRunning(false);
    if (report->estimated == 0) {
        showMessage(tr("No measured case can be estimated."), false);
        return;
    }
    m_stack->setCurrentIndex(1);
    showMeasure(m_memory->isChecked());
}

void ValidationDialog::showMeasure(bool memory)
{
    m_sources->show(m_report, memory);
    fitSources();
    m_sourcesTable->selectRow(0);
    showSource(m_sourcesTable->currentIndex());
    showSummary();
}

/// The names of the sources take the room that the numbers leave; a name gives way before a number does.
void ValidationDialog::fitSources()
{
    constexpr int kName = 130;
    m_sourcesTable->resizeColumnsToContents();
    const int others = m_sourcesTable->horizontalHeader()->length() - m_sourcesTable->columnWidth(SourcesModel::Source);
    m_sourcesTable->setColumnWidth(SourcesModel::Source, std::max(kName, m_sourcesTable->viewport()->width() - others));
}

void ValidationDialog::showSource(const QModelIndex& index)
{
    const int row = m_sorted->mapToSource(index).row();
    m_reason->setText(tr(kChoose)); // of a case of another source
    const validation::SourceReport* source = m_sources->source(row);
    if (!source) {
        m_chart->setPoints({}, widgets::ScatterChart::Measure::StepTime, {});
        m_worst->show({});
        return;
    }
    const bool memory = m_memory->isChecked();
    const double unit = memory ? kGiB : 1;
    std::vector<widgets::ScatterPoint> points;
    for (const validation::ReportPoint& point : m_sources->part(row).points)
        points.push_back({widgets::text(point.id), point.measured * unit, point.estimated * unit});
    m_chart->setPoints(std::move(points),
        memory ? widgets::ScatterChart::Measure::PeakMemory : widgets::ScatterChart::Measure::StepTime,
        index.siblingAtColumn(SourcesModel::Source).data().toString());
    std::vector<validation::WorstCase> worst;
    for (const validation::WorstCase& worstCase : source->worst)
        if (worstCase.memory == memory)
            worst.push_back(worstCase);
    m_worst->show(std::move(worst));
    m_worstTable->resizeColumnsToContents();
    m_worstTable->setColumnWidth(
        WorstModel::Reason, kReason); // at least; it takes what the others leave, and stands below in full
}

void ValidationDialog::showSummary()
{
    if (!m_report || m_worker.isRunning() || m_report->estimated == 0) {
        m_summary->setText(tr("Estimates against the measurements that ship with the program"));
        return;
    }
    const validation::SourceReport& all = m_report->all;
    const bool ofMemory = m_memory->isChecked();
    const validation::ReportPart& part = ofMemory ? all.memory : all.time;
    const validation::MeansOfSources& means = ofMemory ? m_report->memory : m_report->time;
    QString line = tr("%1 of %2 measured cases")
                       .arg(widgets::text(groupedDigits(part.fit.n)), widgets::text(groupedDigits(m_report->total)));
    if (means.sources > 0)
        line += tr(" · mean error of %1 sources: %2 left out of the fit, %3 fitted")
                    .arg(widgets::text(groupedDigits(means.sources)), widgets::text(formatShare(means.withoutSource)),
                        widgets::text(formatShare(means.fit)));
    if (!m_memory->isChecked() && all.ranking.groups > 0)
        line += tr(" · rank correlation %1, regret %2")
                    .arg(widgets::text(fixedDecimals(all.ranking.spearmanMean, 3)),
                        widgets::text(formatShare(all.ranking.regretMean)));
    m_summary->setText(line);
}

QString ValidationDialog::summary() const
{
    return m_summary->text();
}

QString ValidationDialog::reason() const
{
    return m_reason->text();
}

QString ValidationDialog::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

bool ValidationDialog::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::Resize && object == m_sourcesTable->viewport())
        fitSources();
    return QDialog::eventFilter(object, event);
}

void ValidationDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    const bool narrow = width() < kNarrow;
    m_cases->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
    m_cases->parentWidget()->setMinimumHeight(narrow ? kLowest + 200 : kLowest);
}

} // namespace stratoplan::gui

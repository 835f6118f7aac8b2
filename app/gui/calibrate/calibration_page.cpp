// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibrate/calibration_page.h"

#include "app/gui/calibrate/calibration_invitation.h"
#include "app/gui/calibrate/calibration_model.h"
#include "app/gui/calibrate/calibration_texts.h"
#include "core/reporting/runs.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

/// What was understood takes the room that the numbers leave, the name of the run gives way; only then the table
/// scrolls.
void fitRunColumns(QTableView& table)
{
    constexpr int kLegible = 220;
    constexpr int kName = 130;
    int numbers = 0;
    for (int column = 0; column < CalibrationModel::ColumnCount; ++column) {
        if (column == CalibrationModel::UnderstoodColumn)
            continue;
        table.resizeColumnToContents(column);
        numbers += column == CalibrationModel::RunColumn ? 0 : table.columnWidth(column);
    }
    const int room = table.viewport()->width() - numbers;
    const int name = std::clamp(room - kLegible, std::min(kName, table.columnWidth(CalibrationModel::RunColumn)),
        table.columnWidth(CalibrationModel::RunColumn));
    table.setColumnWidth(CalibrationModel::RunColumn, name);
    table.setColumnWidth(CalibrationModel::UnderstoodColumn, std::max(kLegible, room - name));
}

std::vector<int> selectedRowsOf(const QTableView& table)
{
    std::vector<int> rows;
    for (const QModelIndex& index : table.selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

template <class Amount>
bool isMeasured(const session::ReadRunsAnswer& rows, Amount calibration::MeasuredRun::*amount)
{
    return std::any_of(rows.runs.begin(), rows.runs.end(),
        [&](const calibration::MeasuredRun& run) { return (run.*amount).has_value(); });
}

QString remarksOf(const calibration::OwnFit& fit)
{
    QStringList all;
    for (const std::string& sentence : reporting::doubtsOf(fit))
        all << QString::fromStdString(sentence);
    return all.join(u'\n');
}

} // namespace

CalibrationPage::CalibrationPage(QWidget* parent)
    : QWidget(parent)
    , m_model(new CalibrationModel(this))
    , m_constants(new ConstantsModel(this))
    , m_stack(new QStackedWidget(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFocusPolicy(Qt::ClickFocus);
    m_table =
        makeRowTable(m_model, new widgets::RowHeader(this), 2 * fontMetrics().height() + 16, tr("Measured runs"), this);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->viewport()->installEventFilter(this);
    connect(m_table, &QTableView::customContextMenuRequested, this, &CalibrationPage::showMenu);
    connect(m_model, &CalibrationModel::useWanted, this,
        [this](const QString& key, bool used) { Q_EMIT useRequested({key}, used); });

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_splitter = new QSplitter(Qt::Vertical, this);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_table);
    m_splitter->addWidget(m_results = makeResults());
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    auto* invitation = new CalibrationInvitation(this);
    connect(invitation, &CalibrationInvitation::pasteRequested, this, &CalibrationPage::pasteRequested);
    connect(invitation, &CalibrationInvitation::openRequested, this, &CalibrationPage::openRequested);
    connect(invitation, &CalibrationInvitation::loadProfileRequested, this, &CalibrationPage::loadProfileRequested);
    m_stack->addWidget(invitation);
    m_stack->addWidget(m_splitter);
    column->addWidget(m_stack, 1);
    column->addWidget(makeFooter());
    showTarget(plan::CalibrationTarget::StepTime);
    updateButtons();
}

QWidget* CalibrationPage::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 12, 12, 8);
    row->setSpacing(8);
    auto* title = new QLabel(tr("Calibration"), header);
    setTextRole(*title, widgets::TextRole::Title);
    row->addWidget(title);
    row->addSpacing(8);
    const auto add = [&](const QString& iconName, const QString& text, const QString& tip, auto signal) {
        auto* button = new QPushButton(widgets::icon(iconName), text, header);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, signal);
        row->addWidget(button);
        return button;
    };
    add(QStringLiteral("copy"), tr("Paste"),
        tr("Add the rows on the clipboard: a table with a heading, or lines of a training log (Ctrl+V)"),
        &CalibrationPage::pasteRequested);
    add(QStringLiteral("open"), tr("Open…"),
        tr("Add tables (CSV), Megatron-LM logs or measured cases (JSON); files may be dropped here as well"),
        &CalibrationPage::openRequested);
    m_clear =
        add(QStringLiteral("delete"), tr("Clear"), tr("Forget all rows and the fit"), &CalibrationPage::clearRequested);
    row->addStretch(1);
    m_time = new QPushButton(tr("Step time"), header);
    m_memory = new QPushButton(tr("Peak memory"), header);
    for (auto* button : {m_time, m_memory}) {
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->hide();
        row->addWidget(button);
    }
    m_time->setToolTip(tr("Show measured and estimated seconds of a step"));
    m_memory->setToolTip(tr("Show measured and estimated memory of the fullest accelerator"));
    connect(m_time, &QPushButton::clicked, this, [this] { showTarget(plan::CalibrationTarget::StepTime); });
    connect(m_memory, &QPushButton::clicked, this, [this] { showTarget(plan::CalibrationTarget::PeakMemory); });
    return header;
}

QWidget* CalibrationPage::makeResults()
{
    auto* results = new QWidget(this);
    auto* row = new QHBoxLayout(results);
    row->setContentsMargins(12, 8, 0, 0);
    row->setSpacing(16);
    m_errors = new QLabel(results);
    m_errors->setTextFormat(Qt::RichText);
    m_errors->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_errors->setAccessibleName(tr("Errors before and after the fit"));
    m_errors->setToolTip(tr("Error: estimated / measured − 1. Left out: the rows of each strategy, estimated with "
                            "constants fitted on the others."));
    m_constantsTable = makeRowTable(m_constants, new widgets::RowHeader(results), fontMetrics().height() + 8,
        tr("Constants before and after the fit"), results);
    m_constantsTable->horizontalHeader()->setSectionResizeMode(ConstantsModel::NameColumn, QHeaderView::Stretch);
    row->addWidget(m_errors);
    row->addWidget(m_constantsTable, 1);
    return results;
}

QWidget* CalibrationPage::makeFooter()
{
    auto* footer = new QWidget(this);
    auto* column = new QVBoxLayout(footer);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(8);
    m_status = new widgets::ToneLabel(widgets::ToneLabel::Tone::Secondary, footer);
    m_status->setWordWrap(true);
    m_status->setAccessibleName(tr("State of the calibration"));
    column->addWidget(m_status);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_start = new widgets::Picker(widgets::Picker::Look::Field, footer);
    m_start->setAccessibleName(tr("Starting profile"));
    m_start->setExplanation(tr("The profile whose constants are the priors of the fit"));
    m_start->setFixedHeight(m_clear->sizeHint().height());
    connect(m_start, &widgets::Picker::picked, this, &CalibrationPage::startChosen);
    row->addWidget(m_start, 1);
    row->addStretch(1);
    m_fitButton = new QPushButton(tr("Fit"), footer);
    m_fitButton->setProperty("primary", true);
    m_fitButton->setMinimumWidth(
        m_fitButton->fontMetrics().horizontalAdvance(tr("Stop · %1 of %2").arg(50).arg(50)) + 28);
    connect(m_fitButton, &QPushButton::clicked, this,
        [this] { m_fitting ? Q_EMIT stopRequested() : Q_EMIT fitRequested(); });
    row->addWidget(m_fitButton);
    m_apply = new QPushButton(tr("Apply to the plan"), footer);
    m_apply->setToolTip(tr("The plan takes the fitted profile as its software; undo takes it back"));
    connect(m_apply, &QPushButton::clicked, this, &CalibrationPage::applyRequested);
    row->addWidget(m_apply);
    m_save = new QPushButton(tr("Save profile…"), footer);
    m_save->setToolTip(tr("Write the fitted profile as a JSON file that plans and the command line take"));
    connect(m_save, &QPushButton::clicked, this, &CalibrationPage::saveRequested);
    row->addWidget(m_save);
    column->addLayout(row);
    return footer;
}

void CalibrationPage::setStarts(std::vector<widgets::PickerItem> starts, const QString& current, const QString& name)
{
    m_start->setItems(std::move(starts));
    m_start->setCurrent(current, name);
}

void CalibrationPage::setRows(const session::ReadRunsPointer& rows, std::vector<bool> used, bool keepFit)
{
    m_rows = rows;
    m_used = std::move(used);
    const session::OwnFitPointer fit = keepFit ? m_fit : nullptr;
    const QModelIndex current = m_table->currentIndex();
    m_model->setRows(rows, m_used);
    m_stack->setCurrentIndex(rows ? 1 : 0);
    setFit(fit);
    const bool memory = rows && isMeasured(*rows, &calibration::MeasuredRun::peakGib);
    const bool time = rows && isMeasured(*rows, &calibration::MeasuredRun::stepSeconds);
    m_time->setVisible(memory && time);
    m_memory->setVisible(memory && time);
    if (memory != time)
        showTarget(memory ? plan::CalibrationTarget::PeakMemory : plan::CalibrationTarget::StepTime);
    m_table->clearSpans();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->isUnread(row))
            m_table->setSpan(row, CalibrationModel::UnderstoodColumn, 1,
                CalibrationModel::ColumnCount - CalibrationModel::UnderstoodColumn);
    if (current.isValid() && m_model->rowCount() > 0) // the keyboard stays where it was
        m_table->setCurrentIndex(
            m_model->index(std::min(current.row(), m_model->rowCount() - 1), CalibrationModel::RunColumn));
    fitRunColumns(*m_table);
    updateButtons();
}

void CalibrationPage::setUsed(std::vector<bool> used)
{
    m_used = std::move(used);
    m_model->setUsed(m_used);
    setFit(nullptr);
}

void CalibrationPage::takeFocus()
{
    if (m_model->rowCount() > 0)
        m_table->setFocus();
    else
        setFocus();
}

QStringList CalibrationPage::keysOf(const std::vector<int>& rows) const
{
    QStringList keys;
    for (const int row : rows)
        keys << m_model->key(row);
    return keys;
}

void CalibrationPage::showMenu(const QPoint& at)
{
    const std::vector<int> rows = selectedRowsOf(*m_table);
    if (rows.empty())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto count = [&](bool used) {
        return std::count_if(
            rows.begin(), rows.end(), [&](int row) { return !m_model->isUnread(row) && m_model->isUsed(row) == used; });
    };
    const QStringList keys = keysOf(rows);
    if (count(false) > 0)
        menu->addAction(tr("Use in the fit"), this, [this, keys] { Q_EMIT useRequested(keys, true); });
    if (count(true) > 0)
        menu->addAction(tr("Leave out of the fit"), this, [this, keys] { Q_EMIT useRequested(keys, false); });
    menu->addSeparator();
    menu->addAction(widgets::icon(QStringLiteral("delete")),
        rows.size() == 1 ? tr("Delete the row") : tr("Delete %1 rows").arg(rows.size()), this,
        [this, keys] { Q_EMIT deleteRequested(keys); });
    menu->popup(m_table->viewport()->mapToGlobal(at));
}

void CalibrationPage::setReading(bool reading)
{
    m_reading = reading;
    updateButtons();
}

void CalibrationPage::setFitting(bool fitting, int done, int total)
{
    m_fitting = fitting;
    m_fitButton->setText(!fitting ? tr("Fit") : total > 0 ? tr("Stop · %1 of %2").arg(done).arg(total) : tr("Stop"));
    updateButtons();
}

void CalibrationPage::setFit(const session::OwnFitPointer& fit)
{
    m_fit = fit;
    m_model->setFit(fit);
    m_constants->setFit(fit);
    fitRunColumns(*m_table);
    for (int column = ConstantsModel::BeforeColumn; column < ConstantsModel::ColumnCount; ++column)
        m_constantsTable->resizeColumnToContents(column);
    m_results->setVisible(fit != nullptr);
    showErrors();
    updateButtons();
}

void CalibrationPage::showTarget(plan::CalibrationTarget target)
{
    m_model->setTarget(target);
    (target == plan::CalibrationTarget::StepTime ? m_time : m_memory)->setChecked(true);
    fitRunColumns(*m_table);
    showErrors();
}

void CalibrationPage::showErrors()
{
    if (!m_fit) {
        m_errors->clear();
        return;
    }
    m_errors->setText(errorTable(m_fit->fitted, m_model->target()));
}

int CalibrationPage::usedCount() const
{
    return static_cast<int>(std::count(m_used.begin(), m_used.end(), true));
}

QString CalibrationPage::statusText() const
{
    if (m_reading)
        return tr("Reading…");
    if (m_fitting)
        return tr("Fitting…");
    if (!m_rows)
        return {};
    if (m_rows->runs.empty())
        return tr("No row can be used: mend what stands in the list, or open another file.");
    return m_fit ? fitText(*m_fit) : rowsText(*m_rows, m_used);
}

void CalibrationPage::updateButtons()
{
    const bool rows = m_rows && usedCount() > 0;
    m_fitButton->setEnabled(m_fitting || (rows && !m_reading));
    m_fitButton->setToolTip(m_fitting ? tr("Stop the fit; nothing is changed")
            : rows                    ? tr("Fit the constants of the starting profile to the checked rows")
                                      : tr("There is no row to fit to yet"));
    const bool usable = m_fit && !m_fit->refusal && !m_fitting;
    m_apply->setEnabled(usable);
    m_save->setEnabled(usable);
    m_clear->setEnabled(m_rows || m_reading);
    const QString status = statusText();
    const bool wrong = m_rows && !m_reading && !m_fitting
        && (m_rows->runs.empty() || (m_fit && (!m_fit->faults.empty() || m_fit->refusal)));
    m_status->setTone(wrong ? widgets::ToneLabel::Tone::Bad : widgets::ToneLabel::Tone::Secondary);
    m_status->setText(status);
    m_status->setVisible(!status.isEmpty());
    m_status->setToolTip(m_fit && !m_fitting ? remarksOf(*m_fit) : QString());
}

QString CalibrationPage::status() const
{
    return m_status->text();
}

QString CalibrationPage::errorSummary() const
{
    return m_errors->text();
}

bool CalibrationPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && watched == m_table->viewport()) // a scroll bar came or went
        fitRunColumns(*m_table);
    return QWidget::eventFilter(watched, event);
}

void CalibrationPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitRunColumns(*m_table);
}

void CalibrationPage::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Paste))
        Q_EMIT pasteRequested();
    else if (event->matches(QKeySequence::Delete) && !selectedRowsOf(*m_table).empty())
        Q_EMIT deleteRequested(keysOf(selectedRowsOf(*m_table)));
    else if (event->key() == Qt::Key_Escape && m_fitting)
        Q_EMIT stopRequested();
    else
        QWidget::keyPressEvent(event);
}

} // namespace stratoplan::gui

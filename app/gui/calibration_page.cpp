// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibration_page.h"

#include "app/gui/calibration_model.h"
#include "app/gui/plans_delegate.h"
#include "app/gui/row_table.h"
#include "core/units/format.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {

QString signedShare(double share)
{
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + QString::fromStdString(formatShare(std::abs(share)));
}

/// A line of the table of errors; empty without rows.
QString errorLine(const QString& name, const FitErrors& e)
{
    if (e.n == 0)
        return {};
    return QStringLiteral("<tr><td>%1</td><td align=right>%2</td><td align=right><b>%3</b></td><td align=right>%4</td><td align=right>%5</td></tr>")
        .arg(name.toHtmlEscaped(), QString::number(e.n), QString::fromStdString(formatShare(e.meanAbs)), signedShare(e.bias), signedShare(e.worst));
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
    m_table = makeRowTable(m_model, new PlansHeader(this), 2 * fontMetrics().height() + 16, tr("Measured runs"), this);

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
    m_stack->addWidget(makeEmptyState());
    m_stack->addWidget(m_splitter);
    column->addWidget(m_stack, 1);
    column->addWidget(makeFooter());
    showTarget(CalibrationTarget::StepTime);
    updateButtons();
}

QWidget* CalibrationPage::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 12, 12, 8);
    row->setSpacing(8);
    auto* title = new QLabel(tr("Calibration"), header);
    setTextRole(*title, TextRole::Title);
    row->addWidget(title);
    row->addSpacing(8);
    const auto add = [&](const QString& iconName, const QString& text, const QString& tip, auto signal) {
        auto* button = new QPushButton(icon(iconName), text, header);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, signal);
        row->addWidget(button);
        return button;
    };
    add(QStringLiteral("copy"), tr("Paste"), tr("Add the rows on the clipboard: a table with a heading, or lines of a training log (Ctrl+V)"), &CalibrationPage::pasteRequested);
    add(QStringLiteral("open"), tr("Open…"), tr("Add tables (CSV), Megatron-LM logs or measured cases (JSON); files may be dropped here as well"), &CalibrationPage::openRequested);
    m_clear = add(QStringLiteral("delete"), tr("Clear"), tr("Forget all rows and the fit"), &CalibrationPage::clearRequested);
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
    connect(m_time, &QPushButton::clicked, this, [this] { showTarget(CalibrationTarget::StepTime); });
    connect(m_memory, &QPushButton::clicked, this, [this] { showTarget(CalibrationTarget::PeakMemory); });
    return header;
}

QWidget* CalibrationPage::makeEmptyState()
{
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setSpacing(12);
    auto* text = new QLabel(tr("Fit the estimates to your own runs"), page);
    setTextRole(*text, TextRole::Title);
    auto* hint = new QLabel(tr("Paste or open 5 to 50 rows: a strategy each, and its measured seconds or GiB.\nTables from a spreadsheet and Megatron-LM logs are "
                               "read; what they leave open comes from the current plan."), page);
    setTextRole(*hint, TextRole::Secondary);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    auto* paste = new QPushButton(tr("Paste rows"), page);
    paste->setProperty("primary", true);
    connect(paste, &QPushButton::clicked, this, &CalibrationPage::pasteRequested);
    auto* open = new QPushButton(tr("Open a table or log…"), page);
    connect(open, &QPushButton::clicked, this, &CalibrationPage::openRequested);
    buttons->addStretch(1);
    auto* load = new QPushButton(tr("Load a saved profile…"), page);
    load->setToolTip(tr("Use a profile that was fitted and saved before in this plan"));
    connect(load, &QPushButton::clicked, this, &CalibrationPage::loadProfileRequested);
    buttons->addWidget(paste);
    buttons->addWidget(open);
    buttons->addWidget(load);
    buttons->addStretch(1);
    auto* example = new QLabel(QStringLiteral("tp,pp,micro_batch,recompute,step_s,peak_gib\n8,8,1,selective,13.75,61.2"), page);
    example->setFont(QFont(QStringLiteral("monospace"), font().pointSize()));
    example->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    example->setAccessibleName(tr("An example of a table"));
    column->addStretch(2);
    column->addWidget(text, 0, Qt::AlignCenter);
    column->addWidget(hint);
    column->addWidget(example, 0, Qt::AlignCenter);
    column->addLayout(buttons);
    column->addStretch(3);
    return page;
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
    m_errors->setToolTip(tr("Error: estimated / measured − 1. Left out: the rows of each strategy, estimated with constants fitted on the others."));
    m_constantsTable = makeRowTable(
        m_constants, new PlansHeader(results), fontMetrics().height() + 8, tr("Constants before and after the fit"), results);
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
    m_status = new ToneLabel(ToneLabel::Tone::Secondary, footer);
    m_status->setWordWrap(true);
    m_status->setAccessibleName(tr("State of the calibration"));
    column->addWidget(m_status);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_start = new Picker(Picker::Look::Field, footer);
    m_start->setAccessibleName(tr("Starting profile"));
    m_start->setExplanation(tr("The profile whose constants are the priors of the fit"));
    m_start->setFixedHeight(m_clear->sizeHint().height());
    connect(m_start, &Picker::picked, this, &CalibrationPage::startChosen);
    row->addWidget(m_start, 1);
    row->addStretch(1);
    m_fitButton = new QPushButton(tr("Fit"), footer);
    m_fitButton->setProperty("primary", true);
    m_fitButton->setMinimumWidth(m_fitButton->fontMetrics().horizontalAdvance(tr("Stop · %1 of %2").arg(50).arg(50)) + 28);
    connect(m_fitButton, &QPushButton::clicked, this, [this] {
        if (m_fitting)
            Q_EMIT stopRequested();
        else
            Q_EMIT fitRequested();
    });
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

void CalibrationPage::setStarts(std::vector<PickerItem> starts, const QString& current, const QString& name)
{
    m_start->setItems(std::move(starts));
    m_start->setCurrent(current, name);
}

void CalibrationPage::setRows(const ReadRunsPointer& rows, bool keepFit)
{
    m_rows = rows;
    const OwnFitPointer fit = keepFit ? m_fit : nullptr;
    m_model->setRows(rows);
    m_stack->setCurrentIndex(rows ? 1 : 0);
    setFit(fit);
    const bool memory = rows && std::any_of(rows->runs.begin(), rows->runs.end(), [](const MeasuredRun& run) { return run.peakGib.has_value(); });
    const bool time = rows && std::any_of(rows->runs.begin(), rows->runs.end(), [](const MeasuredRun& run) { return run.stepSeconds.has_value(); });
    m_time->setVisible(memory && time);
    m_memory->setVisible(memory && time);
    if (memory != time)
        showTarget(memory ? CalibrationTarget::PeakMemory : CalibrationTarget::StepTime);
    m_table->clearSpans();
    for (int row = 0; row < m_model->unreadCount(); ++row)
        m_table->setSpan(row, CalibrationModel::UnderstoodColumn, 1, CalibrationModel::ColumnCount - CalibrationModel::UnderstoodColumn);
    fitColumns();
    updateButtons();
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

void CalibrationPage::setFit(const OwnFitPointer& fit)
{
    m_fit = fit;
    m_model->setFit(fit);
    m_constants->setFit(fit);
    fitColumns();
    for (int column = ConstantsModel::BeforeColumn; column < ConstantsModel::ColumnCount; ++column)
        m_constantsTable->resizeColumnToContents(column);
    m_results->setVisible(fit != nullptr);
    showErrors();
    updateButtons();
}

void CalibrationPage::showTarget(CalibrationTarget target)
{
    m_model->setTarget(target);
    (target == CalibrationTarget::StepTime ? m_time : m_memory)->setChecked(true);
    fitColumns();
    showErrors();
}

/// What was understood takes the room that the numbers leave, but never none: then the table scrolls.
void CalibrationPage::fitColumns()
{
    constexpr int kReadable = 220;
    int others = 0;
    for (int column = 0; column < CalibrationModel::ColumnCount; ++column) {
        if (column == CalibrationModel::UnderstoodColumn)
            continue;
        m_table->resizeColumnToContents(column);
        others += m_table->columnWidth(column);
    }
    m_table->setColumnWidth(CalibrationModel::UnderstoodColumn, std::max(kReadable, m_table->viewport()->width() - others));
}

void CalibrationPage::showErrors()
{
    if (!m_fit) {
        m_errors->clear();
        return;
    }
    const bool time = m_model->target() == CalibrationTarget::StepTime;
    const Calibration& c = time ? m_fit->fitted.time : m_fit->fitted.memory;
    m_errors->setText(QStringLiteral("<table cellspacing=0 cellpadding=3><tr><td>%1</td><td align=right>%2</td><td align=right>%3</td><td align=right>%4</td><td align=right>%5</td></tr>")
                          .arg(time ? tr("Error of time") : tr("Error of memory"), tr("rows"), tr("mean"), tr("bias"), tr("worst"))
        + errorLine(tr("Before"), c.before) + errorLine(tr("Fitted"), c.after) + errorLine(tr("Left out"), c.leftOut) + QStringLiteral("</table>"));
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
    QStringList parts;
    if (m_fit) {
        for (const std::string& warning : m_fit->warnings)
            parts << QString::fromStdString(warning).section(QStringLiteral(": "), 0, 0) + u'.';
        for (QString& part : parts)
            part[0] = part[0].toUpper();
        return parts.isEmpty() ? tr("Fitted.") : parts.join(u' ');
    }
    const int used = static_cast<int>(m_rows->runs.size());
    parts << (used == 1 ? tr("1 row") : tr("%1 rows").arg(used));
    if (!m_rows->unread.empty())
        parts << tr("%n not used", nullptr, static_cast<int>(m_rows->unread.size()));
    if (used < kRowsForAFit)
        parts << tr("fewer than %1 fit one rate only").arg(kRowsForAFit);
    return parts.join(QStringLiteral(", "));
}

void CalibrationPage::updateButtons()
{
    const bool rows = m_rows && !m_rows->runs.empty();
    m_fitButton->setEnabled(m_fitting || (rows && !m_reading));
    m_fitButton->setToolTip(m_fitting ? tr("Stop the fit; nothing is changed") : rows ? tr("Fit the constants of the starting profile to these rows") : tr("There is no row to fit to yet"));
    m_apply->setEnabled(m_fit && !m_fitting);
    m_save->setEnabled(m_fit && !m_fitting);
    m_clear->setEnabled(m_rows || m_reading);
    const QString status = statusText();
    const bool wrong = m_rows && m_rows->runs.empty() && !m_reading;
    m_status->setTone(wrong ? ToneLabel::Tone::Bad : ToneLabel::Tone::Secondary);
    m_status->setText(status);
    m_status->setVisible(!status.isEmpty());
    QStringList all;
    if (m_fit && !m_fitting)
        for (const std::string& warning : m_fit->warnings)
            all << QString::fromStdString(warning);
    m_status->setToolTip(all.join(u'\n'));
}

QString CalibrationPage::status() const
{
    return m_status->text();
}

QString CalibrationPage::errorSummary() const
{
    return m_errors->text();
}

void CalibrationPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitColumns();
}

void CalibrationPage::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Paste))
        Q_EMIT pasteRequested();
    else if (event->key() == Qt::Key_Escape && m_fitting)
        Q_EMIT stopRequested();
    else
        QWidget::keyPressEvent(event);
}

} // namespace stratoplan

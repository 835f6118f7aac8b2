// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/audit/audit_dialog.h"

#include "app/gui/audit/audit_lanes.h"
#include "app/gui/audit/audit_models.h"
#include "app/gui/files/file_dialogs.h"
#include "core/reporting/audits.h"
#include "core/units/parse.h"
#include "widgets/charts/legend_row.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/presentation/text.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kNarrowAudit = 860; ///< below it the texts stand under the tables
constexpr int kLowestTables = 380;

/// A text of several lines, of which a person may copy.
QLabel* makeText(const QString& text, widgets::TextRole role, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setTextRole(*label, role);
    return label;
}

} // namespace

AuditDialog::AuditDialog(std::shared_ptr<const plan::Plan> plan, QWidget* parent)
    : QDialog(parent)
    , m_causes(new CausesModel(this))
    , m_conventions(new MfuModel(this))
{
    setWindowTitle(tr("Audit of a run"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizeGripEnabled(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_progress = new QProgressBar(this);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setRange(0, 0);
    m_progress->setAccessibleName(tr("Audit under way"));
    column->addWidget(m_progress);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(makeBody());
    column->addWidget(scroll, 1);
    const QScreen* const here = parent ? parent->screen() : screen();
    resize(QSize(1240, 860).boundedTo(here->availableGeometry().size() - QSize(24, 48))); // the frame of the window
    hearWorker();
    setPlan(std::move(plan));
}

AuditDialog& AuditDialog::openFor(QWidget& window, std::shared_ptr<const plan::Plan> plan)
{
    auto* dialog = window.findChild<AuditDialog*>(QString(), Qt::FindDirectChildrenOnly);
    if (!dialog) {
        dialog = new AuditDialog(std::move(plan), &window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    } else {
        dialog->setPlan(std::move(plan));
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    return *dialog;
}

QLineEdit* AuditDialog::makeField(const QString& name, const QString& placeholder)
{
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(placeholder);
    field->setAccessibleName(name);
    field->setToolTip(name);
    field->setClearButtonEnabled(true);
    field->setMaximumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 20);
    connect(field, &QLineEdit::editingFinished, this, &AuditDialog::ask);
    return field;
}

QWidget* AuditDialog::makeHeader()
{
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(12, 12, 12, 8);
    column->setSpacing(8);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_log = new QPushButton(widgets::icon(QStringLiteral("open")), tr("Open its log…"), header);
    m_log->setToolTip(tr("Log of Megatron-LM and its relatives, or a table of runs"));
    m_profile = new QPushButton(widgets::icon(QStringLiteral("open")), tr("Open a profile…"), header);
    m_profile->setToolTip(
        tr("Of a few steps: PyTorch's profiler (.json, .json.gz), or nsys stats --report cuda_gpu_trace (CSV, JSON)"));
    for (QPushButton* button : {m_log, m_profile}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    connect(m_log, &QPushButton::clicked, this, [this] { chooseFile(false); });
    connect(m_profile, &QPushButton::clicked, this, [this] { chooseFile(true); });
    m_step = makeField(tr("Step time, where it is known otherwise"), tr("Step, e.g. 12.5 s"));
    m_mfu = makeField(tr("MFU that is quoted for the run"), tr("MFU, e.g. 43 %"));
    row->addWidget(m_step);
    row->addWidget(m_mfu);
    row->addStretch(1);
    column->addLayout(row);
    m_summary = new widgets::ToneLabel(widgets::ToneLabel::Tone::Normal, header);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    m_about = makeText(QString(), widgets::TextRole::Secondary, header);
    column->addWidget(m_about);
    return header;
}

QWidget* AuditDialog::makeLanes()
{
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 8);
    column->setSpacing(4);
    m_lanes = new widgets::StepLanes(box);
    m_legend = new widgets::LegendRow(box);
    auto* legend = new QHBoxLayout;
    legend->setContentsMargins(12, 0, 12, 0);
    legend->addWidget(m_legend);
    column->addWidget(m_lanes);
    column->addLayout(legend);
    return box;
}

QWidget* AuditDialog::makeTexts()
{
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidgetResizable(true);
    m_texts = new QWidget(scroll);
    m_textsColumn = new QVBoxLayout(m_texts);
    m_textsColumn->setContentsMargins(12, 8, 12, 8);
    m_textsColumn->setSpacing(6);
    scroll->setWidget(m_texts);
    return scroll;
}

QWidget* AuditDialog::makeBody()
{
    const int height = fontMetrics().height() + 12;
    m_causesTable = makeRowTable(m_causes, new widgets::RowHeader(this), height, tr("Causes"), this);
    m_causesTable->setItemDelegateForColumn(CausesModel::BarsColumn, new CauseBars(m_causesTable));
    m_causesTable->horizontalHeader()->setStretchLastSection(true);
    m_mfuTable = makeRowTable(m_conventions, new widgets::RowHeader(this), height, tr("MFU by convention"), this);
    m_mfuTable->horizontalHeader()->setStretchLastSection(true);
    m_quoted = makeText(QString(), widgets::TextRole::Secondary, this);
    m_quoted->setMargin(8);
    auto* tables = new QSplitter(Qt::Vertical, this);
    tables->setChildrenCollapsible(false);
    tables->addWidget(m_causesTable);
    auto* ofMfu = new QWidget(this);
    auto* mfuColumn = new QVBoxLayout(ofMfu);
    mfuColumn->setContentsMargins(0, 0, 0, 0);
    mfuColumn->setSpacing(0);
    mfuColumn->addWidget(m_mfuTable, 1);
    mfuColumn->addWidget(m_quoted);
    tables->addWidget(ofMfu);
    tables->setStretchFactor(0, 3);
    tables->setStretchFactor(1, 2);
    tables->setMinimumHeight(kLowestTables);
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(tables);
    m_split->addWidget(makeTexts());
    m_split->setSizes({760, 440});
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeLanes());
    column->addWidget(m_split, 1);
    return body;
}

void AuditDialog::hearWorker()
{
    connect(&m_worker, &session::AuditWorker::answered, this, &AuditDialog::showAudit);
    connect(&m_worker, &session::AuditWorker::failed, this, [this](const QString& why) {
        showRunning(false);
        m_summary->setTone(widgets::ToneLabel::Tone::Bad);
        m_summary->setText(why);
        clear();
    });
}

void AuditDialog::clear()
{
    m_about->setText(m_unread);
    m_legend->setEntries({});
    m_lanes->setLanes({});
    m_causes->show(nullptr);
    m_conventions->show(nullptr);
    m_quoted->setVisible(false);
    clearTexts();
}

void AuditDialog::setPlan(std::shared_ptr<const plan::Plan> plan)
{
    m_question.plan = std::move(plan);
    ask();
}

void AuditDialog::openLog(const QString& path)
{
    m_question.log = path;
    ask();
}

void AuditDialog::openProfile(const QString& path)
{
    m_question.profile = path;
    ask();
}

void AuditDialog::chooseFile(bool ofProfile)
{
    QFileDialog* const dialog = ofProfile
        ? askForFile(this, tr("Open a profile"), tr("Profiles (*.json *.json.gz *.gz *.csv)"))
        : askForFile(this, tr("Open the log of a run"), tr("Logs and tables (*.log *.txt *.out *.csv)"));
    connect(dialog, &QFileDialog::fileSelected, this, ofProfile ? &AuditDialog::openProfile : &AuditDialog::openLog);
}

void AuditDialog::ask()
{
    const auto typed = [](const QLineEdit& field) { return field.text().trimmed().toStdString(); };
    const std::string step = typed(*m_step);
    constexpr double kLongest = 1e9; // seconds, as on the command line
    const auto time = parseSeconds(step);
    m_question.seconds =
        time && time->value() > 0 && time->value() <= kLongest ? std::optional(time->value()) : std::nullopt;
    m_question.mfu = audit::quotedMfu(typed(*m_mfu));
    m_unread.clear();
    if (!step.empty() && !m_question.seconds)
        m_unread = tr("The step time is not read: a time above 0 is expected, e.g. 12.5 s or 500 ms. ");
    if (!m_mfu->text().trimmed().isEmpty() && !m_question.mfu)
        m_unread += tr("The MFU is not read: a share is expected, e.g. 43 %. ");
    m_worker.ask(m_question);
    showRunning(true);
}

void AuditDialog::showRunning(bool running)
{
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(policy);
    m_progress->setVisible(running);
    const auto nameOf = [](const QString& path, const QString& otherwise) {
        return path.isEmpty() ? otherwise : QFileInfo(path).fileName();
    };
    m_log->setText(nameOf(m_question.log, tr("Open its log…")));
    m_profile->setText(nameOf(m_question.profile, tr("Open a profile…")));
}

void AuditDialog::showAudit(const session::AuditPointer& audit)
{
    showRunning(false);
    m_summary->setTone(widgets::ToneLabel::Tone::Normal);
    m_summary->setText(widgets::text(reporting::verdict(*audit)));
    const QString about = audit->step ? widgets::text(reporting::describeStep(*audit->step, audit->stage))
                                      : tr("Without a profile the causes are those of the estimate alone.");
    m_about->setText(m_unread + about);
    std::vector<widgets::StepLane> lanes = auditLanes(*audit);
    m_legend->setEntries(auditLegend(lanes));
    m_lanes->setLanes(std::move(lanes));
    m_causes->show(audit);
    m_conventions->show(audit);
    for (QTableView* table : {m_causesTable, m_mfuTable})
        table->resizeColumnsToContents();
    int widest = 0; // of the names of conventions, whole
    for (int row = 0; row < m_conventions->rowCount(); ++row)
        widest = std::max(widest, fontMetrics().horizontalAdvance(m_conventions->index(row, 0).data().toString()));
    constexpr int kOfName = 48; // margins, and bolder than the font
    m_mfuTable->setColumnWidth(0, widest + kOfName);
    m_quoted->setText(widgets::text(reporting::describeQuoted(*audit)));
    m_quoted->setVisible(audit->quoted.has_value());
    showTexts(*audit);
}

void AuditDialog::addSection(const QString& heading, const QStringList& lines)
{
    if (lines.isEmpty())
        return;
    m_textsColumn->addWidget(makeText(heading, widgets::TextRole::Section, m_texts));
    for (const QString& line : lines)
        m_textsColumn->addWidget(makeText(line, widgets::TextRole::Secondary, m_texts));
}

void AuditDialog::addEdits(const audit::Audit& audit)
{
    if (audit.edits.empty())
        return;
    m_textsColumn->addWidget(makeText(tr("The edits that would help most"), widgets::TextRole::Section, m_texts));
    for (const audit::PlanEdit& edit : audit.edits) {
        const QString text = widgets::text(reporting::describe(edit, audit.estimate.step));
        auto* row = new QHBoxLayout;
        row->addWidget(makeText(text, widgets::TextRole::Secondary, m_texts), 1);
        auto* button = new QPushButton(tr("Make it"), m_texts);
        button->setAutoDefault(false);
        button->setAccessibleName(tr("Make the edit: %1").arg(text));
        connect(button, &QPushButton::clicked, this, [this, plan = edit.plan] { Q_EMIT planWanted(plan); });
        row->addWidget(button, 0, Qt::AlignTop);
        m_textsColumn->addLayout(row);
    }
}

void AuditDialog::clearTexts()
{
    while (QLayoutItem* item = m_textsColumn->takeAt(0)) {
        if (QLayout* const row = item->layout())
            while (QLayoutItem* part = row->takeAt(0)) {
                delete part->widget();
                delete part;
            }
        delete item->widget();
        delete item;
    }
}

void AuditDialog::showTexts(const audit::Audit& audit)
{
    clearTexts();
    QStringList findings, settings;
    if (audit.name)
        findings << widgets::text(reporting::describe(*audit.name));
    for (const audit::Finding& finding : audit.findings)
        findings << widgets::text(reporting::describe(finding));
    for (const audit::SettingFinding& setting : audit.settings)
        settings << widgets::text(reporting::describe(setting) + " (" + setting.source + ")");
    addSection(tr("What explains it"), findings);
    addSection(tr("Settings that differ from what is recommended"), settings);
    addEdits(audit);
    m_textsColumn->addStretch(1);
}

QString AuditDialog::summary() const
{
    return m_summary->text();
}

void AuditDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    const bool isNarrow = width() < kNarrowAudit;
    m_split->setOrientation(isNarrow ? Qt::Vertical : Qt::Horizontal);
    m_split->setMinimumHeight(isNarrow ? 2 * kLowestTables : kLowestTables);
}

} // namespace stratoplan::gui

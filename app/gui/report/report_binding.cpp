// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/report/report_binding.h"

#include "app/gui/files/file_controller.h"
#include "app/gui/files/file_dialogs.h"
#include "app/session/project_document.h"
#include "widgets/shell/message_bar.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QProgressDialog>
#include <QUrl>

namespace stratoplan::gui {

namespace {

constexpr int kHundredths = 100;

/// The stages of a report on one scale: the search takes most of it.
int hundredthsOf(const report::Progress& progress)
{
    switch (progress.stage) {
    case report::Stage::Estimate:
        return 0;
    case report::Stage::Search:
        return 2 + int(progress.share * 85);
    case report::Stage::Validation:
        return 88 + int(progress.share * 8);
    case report::Stage::Writing:
        break;
    }
    return 97;
}

} // namespace

ReportBinding::ReportBinding(QAction& action, session::ProjectDocument& document, FileController& files,
    widgets::MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_files(files)
    , m_messages(messages)
{
    connect(&action, &QAction::triggered, this, &ReportBinding::chooseAndWrite);
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

ReportBinding::~ReportBinding() = default;

void ReportBinding::chooseAndWrite()
{
    if (!m_files.commit())
        return;
    m_document.release();
    const QStringList filters{
        tr("PDF (*.pdf)"), tr("Web page (*.html)"), tr("Spreadsheet (*.xlsx)"), tr("Comma-separated values (*.csv)")};
    const QString stem = QFileInfo(m_document.name()).fileName().section(u'.', 0, 0);
    const QString folder = m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).absolutePath();
    QFileDialog* const dialog = askForNewFile(m_messages.window(), tr("Export report"),
        filters.join(QStringLiteral(";;")), stem + QStringLiteral(".pdf"), folder);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const QString suffix = filter.section(QStringLiteral("*."), 1, 1).section(u')', 0, 0);
        dialog->setDefaultSuffix(suffix);
        for (const QString& file : dialog->selectedFiles())
            dialog->selectFile(QFileInfo(file).completeBaseName() + u'.' + suffix);
    });
    connect(dialog, &QFileDialog::fileSelected, this, &ReportBinding::write);
}

void ReportBinding::write(const QString& path)
{
    auto document = exchange::parseDocument(m_document.text(), m_document.catalog(), m_document.name().toStdString());
    if (!document)
        return m_messages.show(widgets::MessageKind::Error,
            tr("Not written. %1").arg(QString::fromStdString(describe(document.error().front()))));
    delete m_progress;
    m_progress = new QProgressDialog(
        tr("The plan is searched for alternatives…"), tr("Cancel"), 0, kHundredths, m_messages.window());
    m_progress->setWindowTitle(tr("Report"));
    m_progress->setMinimumDuration(0);
    m_progress->setAutoReset(false);
    m_progress->setValue(0);
    connect(m_progress, &QProgressDialog::canceled, this, [this, path] {
        if (m_worker->cancel()) // it never began
            finish(m_number, path, {ReportEnd::Stopped, {}});
    });
    m_running = true;
    m_worker->overtake({std::move(*document), path, ++m_number});
}

void ReportBinding::work(const Request& request, const std::stop_token& stop)
{
    int shown = -1;
    const auto tell = [&](const report::Progress& progress) {
        if (const int hundredths = hundredthsOf(progress); std::exchange(shown, hundredths) != hundredths)
            QMetaObject::invokeMethod(
                this, [this, number = request.number, progress] { showProgress(number, progress); },
                Qt::QueuedConnection);
    };
    const ReportOutcome outcome =
        writeReport(request.document, std::filesystem::path(request.path.toStdU16String()), stop, tell);
    QMetaObject::invokeMethod(
        this, [this, number = request.number, path = request.path, outcome] { finish(number, path, outcome); },
        Qt::QueuedConnection);
}

void ReportBinding::showProgress(int number, const report::Progress& progress)
{
    if (number != m_number || !m_progress || m_progress->wasCanceled())
        return;
    if (progress.stage == report::Stage::Validation)
        m_progress->setLabelText(tr("The measured cases that ship are estimated…"));
    else if (progress.stage == report::Stage::Writing)
        m_progress->setLabelText(tr("The report is written…"));
    m_progress->setValue(hundredthsOf(progress));
}

void ReportBinding::finish(int number, const QString& path, const ReportOutcome& outcome)
{
    if (number == m_number) { // of one that was overtaken it is told, too, but the newest goes on
        m_running = false;
        if (m_progress)
            m_progress->deleteLater();
    }
    const QString name = QDir::toNativeSeparators(path);
    switch (outcome.end) {
    case ReportEnd::Written:
        return m_messages.show(widgets::MessageKind::Done, tr("Wrote %1.").arg(name),
            {{tr("Open"), [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); }}});
    case ReportEnd::Stopped:
        return m_messages.show(widgets::MessageKind::Done, tr("The report was cancelled; %1 is as it was.").arg(name));
    case ReportEnd::NotEstimable:
        return m_messages.show(
            widgets::MessageKind::Error, tr("No report: the plan cannot be estimated. %1").arg(outcome.why));
    case ReportEnd::NotWritten:
        return m_messages.show(widgets::MessageKind::Error, tr("Not written. %1").arg(outcome.why));
    }
}

} // namespace stratoplan::gui

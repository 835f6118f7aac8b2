// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/studies/study_binding.h"

#include "app/gui/files/file_controller.h"
#include "app/gui/files/file_dialogs.h"
#include "app/gui/studies/study_model.h"
#include "app/gui/studies/study_page.h"
#include "core/narration/problems.h"
#include "widgets/charts/heat_map.h"
#include "widgets/charts/scaling_chart.h"
#include "widgets/presentation/table.h"
#include "widgets/shell/message_bar.h"

namespace stratoplan::gui {

StudyBinding::StudyBinding(StudyPage& page, FileController& files, widgets::MessageBar& messages,
    const catalog::Catalog& catalog, QObject* parent)
    : QObject(parent)
    , m_page(page)
    , m_files(files)
    , m_messages(messages)
    , m_catalog(catalog)
{
    connect(&page, &StudyPage::openWanted, this, [this] { choose(false); });
    connect(&page, &StudyPage::addWanted, this, [this] { choose(true); });
    connect(&page, &StudyPage::exampleWanted, this, &StudyBinding::openExample);
    connect(&page, &StudyPage::planWanted, this, &StudyBinding::openPlan);
    connect(&page, &StudyPage::exportWanted, this, &StudyBinding::exportRows);
    for (widgets::ChartView* chart :
        {static_cast<widgets::ChartView*>(&page.scaling()), static_cast<widgets::ChartView*>(&page.heatMap())})
        connect(chart, &widgets::ChartView::reported, this, [this](bool good, const QString& text) {
            m_messages.show(good ? widgets::MessageKind::Done : widgets::MessageKind::Error, text);
        });
    connect(&m_worker, &session::StudyWorker::studyRead, this, [this](const session::OpenedStudyPointer& study) {
        m_page.setReading(false);
        m_page.setStudy(study);
    });
}

void StudyBinding::open(const QStringList& files)
{
    read(files);
    Q_EMIT shown();
}

void StudyBinding::chooseFiles()
{
    choose(false);
}

void StudyBinding::choose(bool adding)
{
    const QString title = adding ? tr("Add parts of the study") : tr("Open answers of a study");
    const auto* dialog = askForFiles(m_page.window(), title, tr("Answers and studies (*.jsonl *.json)"));
    connect(dialog, &QFileDialog::filesSelected, this, [this, adding](const QStringList& files) {
        QStringList all = adding ? m_open : QStringList();
        for (const QString& file : files)
            if (!all.contains(file))
                all << file;
        open(all);
    });
}

void StudyBinding::read(const QStringList& files)
{
    m_open = files;
    m_page.setReading(true);
    m_worker.read(files);
}

void StudyBinding::openPlan(std::size_t point)
{
    const exchange::StudyPoint& chosen = m_page.answers().points[point];
    auto document = planOf(m_page.answers(), chosen, m_catalog);
    if (!document) {
        m_messages.show(widgets::MessageKind::Error,
            tr("Plan %1 of the study cannot be opened. %2")
                .arg(chosen.number)
                .arg(QString::fromStdString(describe(document.error().front()))));
        return;
    }
    const QString study =
        m_page.answers().name.empty() ? QStringLiteral("study") : QString::fromStdString(m_page.answers().name);
    m_files.openNew(std::move(*document), QStringLiteral("%1-%2.plan.json").arg(study).arg(chosen.number),
        [this] { Q_EMIT planOpened(); });
}

void StudyBinding::exportRows()
{
    m_files.exportText(tr("table of the study"), QStringLiteral("study.csv"), tr("Tables (*.csv)"),
        [this] { return toCsv(m_page.model().table()).toStdString(); });
}

} // namespace stratoplan::gui

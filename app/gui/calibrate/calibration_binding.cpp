// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibrate/calibration_binding.h"

#include "app/gui/calibrate/calibration_page.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/files/file_dialogs.h"
#include "app/session/workspace.h"
#include "core/exchange/profile.h"
#include "widgets/panels/picker.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>

namespace stratoplan::gui {

namespace {

/// The same runs, whatever software their plans name: that is what a fit changes.
bool sameRuns(const session::ReadRunsAnswer& a, const session::ReadRunsAnswer& b)
{
    if (a.runs.size() != b.runs.size())
        return false;
    const auto same = [](const calibration::MeasuredRun& x, const calibration::MeasuredRun& y) {
        plan::Plan plan = x.plan;
        plan.name = y.plan.name;
        plan.training.software = y.plan.training.software;
        return plan == y.plan && x.id == y.id && x.stepSeconds == y.stepSeconds && x.peakGib == y.peakGib;
    };
    return std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(), same);
}

} // namespace

CalibrationBinding::CalibrationBinding(session::Workspace& workspace, CalibrationPage& page, FileController& files,
    widgets::MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_page(page)
    , m_files(files)
    , m_messages(messages)
{
    hearPage();
    connect(&m_worker, &session::CalibrationWorker::rowsRead, this, &CalibrationBinding::showRows);
    connect(&m_worker, &session::CalibrationWorker::fitProgress, this,
        [this](int done, int total) { m_page.setFitting(true, done, total); });
    connect(&m_worker, &session::CalibrationWorker::fitted, this, [this](const session::OwnFitPointer& fit) {
        m_fit = fit;
        m_page.setFitting(false);
        m_page.setFit(fit);
    });
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (!parts.testFlag(session::ProjectPart::Plan))
            return;
        m_stale = true;
        if (m_active) {
            showStarts();
            read();
        }
    });
    showStarts();
}

void CalibrationBinding::hearPage()
{
    connect(&m_page, &CalibrationPage::pasteRequested, this, &CalibrationBinding::paste);
    connect(&m_page, &CalibrationPage::openRequested, this, &CalibrationBinding::chooseFiles);
    connect(&m_page, &CalibrationPage::clearRequested, this, &CalibrationBinding::clear);
    connect(&m_page, &CalibrationPage::loadProfileRequested, this, &CalibrationBinding::chooseProfile);
    connect(&m_page, &CalibrationPage::applyRequested, this, &CalibrationBinding::apply);
    connect(&m_page, &CalibrationPage::saveRequested, this, &CalibrationBinding::save);
    connect(&m_page, &CalibrationPage::startChosen, this, [this](const QString& id) {
        m_start = id;
        m_fit.reset();
        showStarts();
        read();
    });
    connect(&m_page, &CalibrationPage::fitRequested, this, [this] {
        if (!m_rows)
            return;
        m_page.setFitting(true);
        QStringList names;
        for (const session::RunSource& source : m_sources)
            names << source.name;
        m_worker.fit(m_rows, usedRuns(), names.join(QStringLiteral(", ")));
    });
    connect(&m_page, &CalibrationPage::deleteRequested, this, &CalibrationBinding::remove);
    connect(&m_page, &CalibrationPage::useRequested, this, &CalibrationBinding::use);
    connect(&m_page, &CalibrationPage::stopRequested, this, [this] {
        m_worker.stopFit();
        m_page.setFitting(false);
    });
}

void CalibrationBinding::setActive(bool active)
{
    m_active = active;
    if (!active)
        return;
    showStarts();
    if (m_stale)
        read();
}

std::optional<plan::SoftwareProfile> CalibrationBinding::start() const
{
    const auto loaded = std::find_if(m_loaded.begin(), m_loaded.end(),
        [this](const plan::SoftwareProfile& p) { return widgets::text(p.id) == m_start; });
    if (loaded != m_loaded.end())
        return *loaded;
    const plan::SoftwareProfile* const known =
        m_start.isEmpty() ? nullptr : m_workspace.document().catalog().softwareProfile(m_start.toStdString());
    return known ? std::optional(*known) : std::nullopt;
}

void CalibrationBinding::showStarts()
{
    std::vector<widgets::PickerItem> items{
        {QString(), tr("The plan's: %1").arg(widgets::text(m_workspace.plan().training.software.name)), tr("Current"),
            {}, tr("The software profile of the current plan")}};
    for (const plan::SoftwareProfile& p : m_loaded)
        items.push_back({widgets::text(p.id), widgets::text(p.name), tr("Loaded"), {}, widgets::text(p.source)});
    for (const plan::SoftwareProfile& p : m_workspace.document().catalog().software)
        items.push_back(
            {widgets::text(p.id), widgets::text(p.name), tr("Software profiles"), {}, widgets::text(p.source)});
    const auto current = std::find_if(
        items.begin(), items.end(), [this](const widgets::PickerItem& item) { return item.id == m_start; });
    const QString name = current == items.end() ? items.front().text : current->text;
    m_page.setStarts(std::move(items), m_start,
        tr("From %1").arg(m_start.isEmpty() ? widgets::text(m_workspace.plan().training.software.name) : name));
}

void CalibrationBinding::addText(const QString& pasted)
{
    m_sources.push_back(
        {tr("Pasted %1").arg(m_pasted + 1), {}, std::make_shared<const std::string>(pasted.toStdString())});
    ++m_pasted;
    read();
}

void CalibrationBinding::addFiles(const QStringList& paths)
{
    for (const QString& path : paths) {
        const bool known = std::any_of(
            m_sources.begin(), m_sources.end(), [&](const session::RunSource& source) { return source.path == path; });
        if (!known)
            m_sources.push_back({QFileInfo(path).fileName(), path, nullptr});
    }
    read();
}

void CalibrationBinding::paste()
{
    const QString clipboard = QApplication::clipboard()->text();
    if (clipboard.trimmed().isEmpty())
        m_messages.show(widgets::MessageKind::Error,
            tr("There is no text on the clipboard. Copy rows with their heading first: tp, pp, step_s, …"));
    else
        addText(clipboard);
}

void CalibrationBinding::chooseFiles()
{
    connect(askForFiles(m_page.window(), tr("Open measured runs"),
                tr("Tables, logs and cases (*.csv *.tsv *.txt *.log *.out *.json)")),
        &QFileDialog::filesSelected, this, &CalibrationBinding::addFiles);
}

void CalibrationBinding::clear()
{
    m_worker.stopFit();
    m_sources.clear();
    m_pasted = 0;
    m_deleted.clear();
    m_switched.clear();
    m_fit.reset();
    m_rows.reset();
    m_page.setFitting(false);
    m_page.setRows(nullptr, {}, false);
    read();
}

void CalibrationBinding::read()
{
    m_stale = false;
    // A fit of rows that are about to change answers nobody.
    if (m_worker.isFitting()) {
        m_worker.stopFit();
        m_page.setFitting(false);
    }
    if (m_sources.empty() && !m_rows && !m_worker.isReading())
        return;
    m_page.setReading(true);
    m_worker.read(m_sources, std::make_shared<const plan::Plan>(m_workspace.plan()), m_workspace.document().name(),
        start(), m_deleted);
}

void CalibrationBinding::showRows(const session::ReadRunsPointer& rows)
{
    const bool keepFit = m_fit && m_rows && sameRuns(*m_rows, *rows);
    if (!keepFit)
        m_fit.reset();
    m_rows = m_sources.empty() ? nullptr : rows;
    m_page.setReading(false);
    m_page.setRows(m_rows, usedRuns(), keepFit);
}

/// A run is used but for those in doubt; the person may say otherwise of each.
std::vector<bool> CalibrationBinding::usedRuns() const
{
    std::vector<bool> used(m_rows ? m_rows->runs.size() : 0);
    if (m_rows)
        for (const session::RunEntry& entry : m_rows->entries)
            if (!entry.unread)
                used[entry.index] = m_rows->runs[entry.index].doubts.empty() != m_switched.contains(entry.key);
    return used;
}

void CalibrationBinding::use(const QStringList& keys, bool used)
{
    if (!m_rows)
        return;
    const std::vector<bool> before = usedRuns();
    for (const session::RunEntry& entry : m_rows->entries) {
        if (entry.unread || !keys.contains(entry.key) || before[entry.index] == used)
            continue;
        if (!m_switched.remove(entry.key))
            m_switched.insert(entry.key);
    }
    if (usedRuns() == before)
        return;
    m_worker.stopFit();
    m_fit.reset();
    m_page.setFitting(false);
    m_page.setUsed(usedRuns());
}

void CalibrationBinding::remove(const QStringList& keys)
{
    const QSet<QString> gone(keys.begin(), keys.end());
    m_deleted.unite(gone);
    read();
    m_messages.show(widgets::MessageKind::Done,
        keys.size() == 1 ? tr("Deleted 1 row.") : tr("Deleted %1 rows.").arg(keys.size()),
        {{tr("Undo"), [this, gone] {
              m_deleted.subtract(gone);
              read();
          }}});
}

void CalibrationBinding::apply()
{
    if (!m_fit)
        return;
    m_workspace.document().release();
    plan::Plan plan = m_workspace.plan();
    plan.training.software = m_fit->fitted.profile;
    m_workspace.editPlan(plan, tr("Apply the calibration"));
    m_messages.showOfPlan(
        widgets::MessageKind::Done, tr("The plan uses %1.").arg(widgets::text(m_fit->fitted.profile.name)));
}

void CalibrationBinding::save()
{
    if (!m_fit)
        return;
    const plan::SoftwareProfile profile = m_fit->fitted.profile;
    m_files.exportText(tr("profile"), widgets::text(profile.id) + QStringLiteral(".profile.json"),
        tr("Software profiles (*.json)"), [profile] { return exchange::writeProfile(profile); });
}

void CalibrationBinding::chooseProfile()
{
    connect(askForFile(m_page.window(), tr("Load a software profile"), tr("Software profiles (*.json)")),
        &QFileDialog::fileSelected, this, &CalibrationBinding::loadProfile);
}

void CalibrationBinding::loadProfile(const QString& path)
{
    const auto content = exchange::readFile(std::filesystem::path(path.toStdU16String()));
    const auto profile = content ? exchange::parseProfile(*content, m_workspace.document().catalog())
                                 : tl::expected<plan::SoftwareProfile, exchange::DocumentErrors>(
                                     tl::unexpected(exchange::DocumentErrors{content.error()}));
    if (!profile) {
        m_messages.show(widgets::MessageKind::Error,
            tr("Cannot load %1.\n%2")
                .arg(QDir::toNativeSeparators(path),
                    widgets::text(content ? describe(profile.error().front()) : content.error().found)));
        return;
    }
    std::erase_if(m_loaded, [&](const plan::SoftwareProfile& p) { return p.id == profile->id; });
    m_loaded.push_back(*profile);
    m_workspace.document().release();
    plan::Plan plan = m_workspace.plan();
    plan.training.software = *profile;
    m_workspace.editPlan(plan, tr("Use %1").arg(widgets::text(profile->name)));
    showStarts();
    m_messages.showOfPlan(widgets::MessageKind::Done, tr("The plan uses %1.").arg(widgets::text(profile->name)));
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/files/file_controller.h"

#include "app/gui/files/file_dialogs.h"
#include "app/logging.h"
#include "app/session/settings.h"
#include "core/capacity/capacity.h"
#include "core/estimate/estimate.h"
#include "core/exchange/chosen_plan.h"
#include "core/narration/launches.h"
#include "core/plan/problem.h"
#include "widgets/shell/message_bar.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QStandardPaths>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace stratoplan::gui {

namespace {

constexpr std::chrono::seconds kAutosaveDelay{2}; ///< at most this much work is lost to a crash
constexpr std::size_t kErrorsShown = 3;

QString sentence(const exchange::DocumentErrors& errors)
{
    QStringList lines;
    for (std::size_t i = 0; i < std::min(errors.size(), kErrorsShown); ++i)
        lines << QString::fromStdString(describe(errors[i]));
    if (errors.size() > kErrorsShown)
        lines << FileController::tr("and %n more", nullptr, static_cast<int>(errors.size() - kErrorsShown));
    return lines.join(u'\n');
}

/// For a message that names the file already.
exchange::DocumentErrors unnamed(exchange::DocumentErrors errors)
{
    for (exchange::DocumentError& error : errors)
        error.file.clear();
    return errors;
}

QString planFilter()
{
    return FileController::tr("Plans and projects (*.json)");
}

QString nativeName(const QString& path)
{
    return QDir::toNativeSeparators(path);
}

} // namespace

FileController::FileController(session::ProjectDocument& document, widgets::MessageBar& messages,
    const QString& recoveryDirectory, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_messages(messages)
    , m_recovery(recoveryDirectory)
{
    m_autosave.setSingleShot(true);
    m_autosave.setInterval(kAutosaveDelay);
    connect(&m_autosave, &QTimer::timeout, this, [this] {
        if (!m_document.isClean())
            m_recovery.keep(m_document.text(), m_document.path());
    });
    connect(&m_document, &session::ProjectDocument::changed, this, [this] {
        if (!m_document.isClean() && !m_autosave.isActive())
            m_autosave.start();
    });
    connect(&m_document, &session::ProjectDocument::cleanChanged, this, [this](bool clean) {
        if (clean)
            m_recovery.clear();
        else if (!m_autosave.isActive())
            m_autosave.start();
    });
}

FileController::~FileController() = default;

QWidget* FileController::window() const
{
    return m_messages.window();
}

QString FileController::suggestedDirectory() const
{
    if (!m_document.path().isEmpty())
        return QFileInfo(m_document.path()).absolutePath();
    const QStringList recent = session::Settings::recentFiles();
    return recent.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                            : QFileInfo(recent.front()).absolutePath();
}

void FileController::remember(const QString& path)
{
    if (!m_remembers)
        return;
    session::Settings::addRecentFile(path);
    Q_EMIT recentFilesChanged();
}

bool FileController::openFirst(const QString& path)
{
    const auto result = m_document.open(path);
    if (result) {
        remember(m_document.path());
        if (!m_document.warnings().empty())
            m_messages.show(widgets::MessageKind::Offer,
                tr("Some fields are unknown here; they are kept, without effect.\n%1")
                    .arg(sentence(m_document.warnings())));
        return true;
    }
    app::logError(sentence(result.error()).toStdString());
    m_messages.show(widgets::MessageKind::Error,
        tr("Cannot open %1.\n%2").arg(nativeName(path), sentence(unnamed(result.error()))));
    if (m_remembers && !QFileInfo::exists(path)) {
        session::Settings::removeRecentFile(QFileInfo(path).absoluteFilePath());
        Q_EMIT recentFilesChanged();
    }
    return false;
}

void FileController::loadExample(std::string_view name)
{
    const exchange::Example* example = exchange::findExample(name);
    if (!example) {
        m_messages.show(widgets::MessageKind::Error,
            tr("There is no example named %1.")
                .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))));
        return;
    }
    auto document = exchange::parseDocument(example->text, m_document.catalog(), example->name);
    if (document)
        m_document.load(std::move(*document), {}, QString::fromStdString(example->name) + QStringLiteral(".plan.json"));
    else
        m_messages.show(widgets::MessageKind::Error, sentence(document.error()));
}

void FileController::open(const QString& path)
{
    whenSafe([this, path] { openNow(path); });
}

void FileController::openNow(const QString& path)
{
    m_messages.clear();
    openFirst(path);
}

void FileController::chooseAndOpen()
{
    whenSafe([this] {
        connect(askForFile(window(), tr("Open a plan or project"), planFilter(), suggestedDirectory()),
            &QFileDialog::fileSelected, this, &FileController::openNow);
    });
}

void FileController::openExample(const QString& name)
{
    whenSafe([this, name] {
        m_messages.clear();
        loadExample(name.toStdString());
    });
}

void FileController::newPlan(const QString& example)
{
    const exchange::Example* start = exchange::findExample(example.toStdString());
    auto document = start ? exchange::parseDocument(start->text, m_document.catalog(), start->name)
                          : tl::unexpected(exchange::DocumentErrors());
    if (!document) {
        m_messages.show(widgets::MessageKind::Error, sentence(document.error()));
        return;
    }
    document->project.plan.name.clear();
    openNew(std::move(*document), tr("untitled.plan.json"), [this, title = QString::fromStdString(start->title)] {
        m_messages.show(widgets::MessageKind::Offer,
            tr("A new plan. So that it can be priced at once it starts with the values of an example, %1: choose your "
               "model, cluster and training on the left of Explore, or draw the cluster in Build.")
                .arg(title));
    });
}

void FileController::openNew(const plan::Plan& plan, const QString& untitledName)
{
    exchange::Document document;
    document.project.plan = plan;
    openNew(std::move(document), untitledName, [] {});
}

void FileController::openNew(exchange::Document document, const QString& untitledName, std::function<void()> opened)
{
    whenSafe([this, document = std::move(document), untitledName, opened = std::move(opened)] {
        m_messages.clear();
        m_document.load(document, {}, untitledName);
        opened();
    });
}

bool FileController::saveTo(const QString& path)
{
    if (const auto result = m_document.save(path); !result) {
        m_messages.show(
            widgets::MessageKind::Error, tr("Not saved. %1").arg(QString::fromStdString(describe(result.error()))));
        return false;
    }
    m_recovery.clear();
    remember(path);
    m_messages.clear();
    return true;
}

void FileController::save()
{
    if (m_commit())
        saveThen({});
}

void FileController::saveAs()
{
    if (m_commit())
        chooseSaveThen({});
}

void FileController::saveThen(std::function<void()> proceed)
{
    if (m_document.path().isEmpty())
        chooseSaveThen(std::move(proceed));
    else if (saveTo(m_document.path()) && proceed)
        proceed();
}

void FileController::chooseSaveThen(std::function<void()> proceed)
{
    m_document.release();
    const auto* dialog =
        askForNewFile(window(), tr("Save as"), orAllFiles(planFilter()), m_document.name(), suggestedDirectory());
    connect(dialog, &QFileDialog::fileSelected, this, [this, proceed = std::move(proceed)](const QString& path) {
        if (saveTo(QFileInfo(path).absoluteFilePath()) && proceed)
            proceed();
    });
}

void FileController::exportPlan()
{
    const QString stem = m_document.name().section(u'.', 0, 0);
    exportText(tr("plan"), stem + QStringLiteral(".plan.json"), orAllFiles(planFilter()), [this] {
        const catalog::Catalog& catalog = m_document.catalog();
        const plan::Project& project = m_document.project();
        const auto estimate = estimate::estimate(project.plan, {.catalog = &catalog});
        return estimate ? exchange::writeChosenPlan(
                   project, *estimate, {"stratoplan", STRATOPLAN_VERSION}, catalog, m_document.original())
                        : exchange::writePlan(project.plan, catalog, m_document.original(), &project.capacity);
    });
}

void FileController::chooseExportThen(
    const QString& what, const QString& suggestedName, const QString& filter, std::function<void(const QString&)> write)
{
    if (!m_commit())
        return;
    m_document.release();
    connect(askForNewFile(window(), tr("Export %1").arg(what), filter, suggestedName, suggestedDirectory()),
        &QFileDialog::fileSelected, this, write);
}

void FileController::exportText(
    const QString& what, const QString& suggestedName, const QString& filter, std::function<std::string()> text)
{
    chooseExportThen(what, suggestedName, filter, [this, text = std::move(text)](const QString& path) {
        const auto result = exchange::writeFileAtomically(std::filesystem::path(path.toStdU16String()), text());
        if (result)
            m_messages.show(widgets::MessageKind::Done, tr("Wrote %1.").arg(nativeName(path)));
        else
            m_messages.show(widgets::MessageKind::Error,
                tr("Not written. %1").arg(QString::fromStdString(describe(result.error()))));
    });
}

void FileController::exportLaunch(launch::Format format)
{
    if (plan::hasErrors(plan::check(m_document.plan()))) {
        m_messages.show(widgets::MessageKind::Error, tr("There is nothing to launch: the plan has errors."));
        return;
    }
    const auto text = [](std::string_view words) { return QString::fromUtf8(words.data(), qsizetype(words.size())); };
    const QString ending = text(launch::ending(format));
    const QString name = m_document.name().section(u'.', 0, 0) + u'.' + text(key(format)) + ending;
    chooseExportThen(text(narration::describe(format)), name, orAllFiles(tr("Launch files (*%1)").arg(ending)),
        [this, format](const QString& path) { writeLaunch(launch::write(m_document.project(), format), path); });
}

void FileController::writeLaunch(const launch::LaunchFile& file, const QString& path)
{
    const plan::Plan& plan = m_document.plan();
    const auto write = [](const QString& name, const std::string& text) {
        return exchange::writeFileAtomically(std::filesystem::path(name.toStdU16String()), text);
    };
    auto result = write(path, narration::launchText(file, plan));
    for (const launch::Companion& companion : file.companions)
        if (result)
            result =
                write(path + QString::fromStdString(companion.ending), narration::launchText(file, companion, plan));
    if (!result) {
        m_messages.show(
            widgets::MessageKind::Error, tr("Not written. %1").arg(QString::fromStdString(describe(result.error()))));
        return;
    }
    m_messages.show(widgets::MessageKind::Done,
        (file.companions.empty()
                ? tr("Wrote %1. Its head says what is to be filled in (%2) and what the format does not "
                     "express (%3).")
                : tr("Wrote %1 and arguments beside it. Their head says what is to be filled in (%2) "
                     "and what the format does not express (%3)."))
            .arg(nativeName(path), QString::number(file.blanks.size()), QString::number(file.remarks.size())));
}

void FileController::exportPicture(std::function<QImage()> picture)
{
    const QString stem = m_document.name().section(u'.', 0, 0);
    chooseExportThen(tr("picture"), stem + QStringLiteral(".png"), tr("Pictures (*.png)"),
        [this, picture = std::move(picture)](const QString& path) {
            // When the dialog has left the screen.
            QTimer::singleShot(0, this, [this, picture, path] {
                QSaveFile file(path);
                const bool written = file.open(QIODevice::WriteOnly) && picture().save(&file, "PNG") && file.commit();
                if (written)
                    m_messages.show(widgets::MessageKind::Done, tr("Wrote %1.").arg(nativeName(path)));
                else
                    m_messages.show(widgets::MessageKind::Error,
                        tr("Not written. %1: %2").arg(nativeName(path), file.errorString()));
            });
        });
}

void FileController::whenSafe(std::function<void()> proceed)
{
    if (!m_commit())
        return;
    m_document.release();
    if (m_document.isClean()) {
        proceed();
        return;
    }
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Unsaved changes"),
        tr("Save the changes to %1?").arg(m_document.name()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Changes that are not saved will be lost."));
    box->setDefaultButton(QMessageBox::Save);
    connect(box, &QMessageBox::finished, this, [this, box, proceed = std::move(proceed)] {
        const auto chosen = box->standardButton(box->clickedButton());
        if (chosen == QMessageBox::Save)
            saveThen(proceed);
        else if (chosen == QMessageBox::Discard)
            proceed();
    });
    box->open();
}

void FileController::offerRecovery()
{
    for (const session::RecoveredFile& file : m_recovery.abandoned()) {
        const QString name =
            file.documentPath.isEmpty() ? tr("an unsaved plan") : QFileInfo(file.documentPath).fileName();
        const QString when = QLocale(QLocale::English).toString(file.written, tr("d MMM yyyy, HH:mm"));
        m_messages.ask(tr("Stratoplan did not close properly. Changes to %1 from %2 can be restored.").arg(name, when),
            {{tr("Restore"), [this, file] { restore(file); }}, {tr("Discard"), [this, file] { setAside(file); }}});
    }
}

void FileController::setAside(const session::RecoveredFile& file)
{
    const QString place = session::RecoveryStore::setAside(file);
    if (!place.isEmpty())
        m_messages.show(widgets::MessageKind::Done, tr("Not restored. The copy is kept as %1.").arg(nativeName(place)));
}

void FileController::restore(const session::RecoveredFile& file)
{
    whenSafe([this, file] {
        auto document = exchange::parseDocument(file.text, m_document.catalog(), file.file.toStdString());
        if (!document) {
            m_messages.show(widgets::MessageKind::Error, sentence(document.error()));
            return;
        }
        m_document.restore(std::move(*document), file.documentPath);
        m_recovery.keep(m_document.text(), m_document.path());
        session::RecoveryStore::setAside(file);
    });
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recovery_store.h"

#include "app/logging.h"
#include "core/exchange/document.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace stratoplan::session {

namespace {

const QString kSuffix = QStringLiteral(".recovery");
const QString kLockSuffix = QStringLiteral(".lock");
constexpr qsizetype kKeptAside = 10;

QString newFile(const QString& directory)
{
    QDir().mkpath(directory);
    return directory + u'/' + QUuid::createUuid().toString(QUuid::WithoutBraces) + kSuffix;
}

/// First line: the document's path. The rest: the project.
std::optional<RecoveredFile> read(const QFileInfo& info)
{
    QFile file(info.filePath());
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray content = file.readAll();
    const qsizetype lineEnd = content.indexOf('\n');
    if (lineEnd < 0 || lineEnd + 1 == content.size())
        return std::nullopt;
    return RecoveredFile{info.filePath(), QString::fromUtf8(content.left(lineEnd)), info.lastModified(),
        content.mid(lineEnd + 1).toStdString()};
}

} // namespace

RecoveryStore::RecoveryStore(const QString& directory)
    : m_directory(directory)
    , m_file(newFile(directory))
    , m_lock(m_file + kLockSuffix)
{
    m_lock.setStaleLockTime(0); // stale only when its process is gone, however long the session lasts
    if (!m_lock.tryLock(0))
        app::logWarning("cannot lock " + m_file.toStdString() + ": copies for crash recovery are not kept");
}

RecoveryStore::~RecoveryStore()
{
    m_writer.reset();
    if (!m_wanted)
        QFile::remove(m_file); // the removal may have been waiting
    m_lock.unlock();
}

std::vector<RecoveredFile> RecoveryStore::abandoned() const
{
    std::vector<RecoveredFile> result;
    const QFileInfoList files = QDir(m_directory).entryInfoList({u'*' + kSuffix}, QDir::Files, QDir::Time);
    for (const QFileInfo& info : files) {
        if (info.filePath() == m_file)
            continue;
        QLockFile lock(info.filePath() + kLockSuffix);
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0))
            continue; // its program still runs
        if (auto file = read(info))
            result.push_back(std::move(*file));
    }
    return result;
}

QString RecoveryStore::setAside(const RecoveredFile& file)
{
    const QFileInfo info(file.file);
    QDir aside(info.absolutePath() + QStringLiteral("/set aside"));
    aside.mkpath(QStringLiteral("."));
    const QString place = aside.filePath(info.fileName());
    QFile::remove(file.file + kLockSuffix);
    if (!QFile::rename(file.file, place)) {
        app::logWarning("cannot move " + file.file.toStdString() + " aside");
        return {};
    }
    const QFileInfoList all = aside.entryInfoList({u'*' + kSuffix}, QDir::Files, QDir::Time);
    for (qsizetype i = kKeptAside; i < all.size(); ++i)
        QFile::remove(all[i].filePath());
    return place;
}

void RecoveryStore::keep(std::string text, const QString& documentPath)
{
    if (!m_lock.isLocked())
        return;
    m_wanted = true;
    submit({m_file, documentPath.toStdString() + '\n' + std::move(text)});
}

void RecoveryStore::clear()
{
    if (std::exchange(m_wanted, false))
        submit({m_file, {}});
}

void RecoveryStore::submit(Copy copy)
{
    if (!m_writer) {
        m_writer.emplace([](const Copy& next, const std::stop_token&) {
            if (next.content.empty())
                QFile::remove(next.file);
            else if (auto result =
                         exchange::writeFileAtomically(std::filesystem::path(next.file.toStdU16String()), next.content);
                     !result)
                app::logWarning("crash recovery: " + describe(result.error()));
        });
    }
    m_writer->submit(std::move(copy));
}

QString RecoveryStore::defaultDirectory()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/recovery");
}

} // namespace stratoplan::session

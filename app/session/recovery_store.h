// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of unsaved documents, so that a crash or a power cut loses seconds, not work. Each running program owns one
// file guarded by a lock; a file whose lock nobody holds was left by a crash and is offered at the next start.
// Writing happens on a thread of its own, newest text first.
#pragma once

#include "app/session/latest_worker.h"

#include <QDateTime>
#include <QLockFile>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace stratoplan::session {

/// What a program that ended badly left behind.
struct RecoveredFile {
    QString file; ///< the copy
    QString documentPath; ///< where the document would have been saved; empty if it never was
    QDateTime written;
    std::string text; ///< project JSON
};

class RecoveryStore {
public:
    /// `directory` is created if need be.
    explicit RecoveryStore(const QString& directory);
    ~RecoveryStore();

    /// Copies left by programs that no longer run, newest first.
    [[nodiscard]] std::vector<RecoveredFile> abandoned() const;
    /// Moves one of them aside, where it is not offered again; the newest few are kept there. The new place, empty on
    /// failure.
    static QString setAside(const RecoveredFile& file);

    /// Keeps a copy of `text`; returns at once.
    void keep(std::string text, const QString& documentPath);
    /// The document is saved or thrown away on purpose: removes this program's copy; returns at once.
    void clear();

    [[nodiscard]] static QString defaultDirectory();

private:
    struct Copy {
        QString file;
        std::string content; ///< empty: remove the file
    };
    void submit(Copy copy);

    QString m_directory;
    QString m_file;
    QLockFile m_lock;
    bool m_wanted = false;
    std::optional<LatestWorker<Copy>> m_writer; ///< stopped and joined before the copy is removed
};

} // namespace stratoplan::session

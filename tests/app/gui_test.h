// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the window program share: a small plan that can be priced, Qt's warnings as failures, settings and
// files that touch nothing of the person who runs the tests.
#pragma once

#include "app/session/background_planner.h"
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"
#include "core/plan/plan.h"
#include "tests/patience.h"

#include <QCoreApplication>
#include <QFile>
#include <QSettings>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <mutex>

namespace stratoplan::test {

/// Warnings of Qt since the last call of takeWarnings(); any thread may warn.
class Warnings {
public:
    static Warnings& instance()
    {
        static Warnings warnings;
        return warnings;
    }

    void add(const QString& text)
    {
        const std::lock_guard lock(m_mutex);
        m_texts << text;
    }

    QStringList take()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_texts, {});
    }

private:
    std::mutex m_mutex;
    QStringList m_texts;
};

inline void failOnWarnings()
{
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        // The offscreen platform says so of every window.
        const bool noise = text.contains(QStringLiteral("propagateSizeHints"))
            || text.contains(QStringLiteral("does not support raise()"));
        if (!noise && type != QtDebugMsg && type != QtInfoMsg)
            Warnings::instance().add(text);
        fprintf(stderr, "%s\n", qPrintable(text));
    });
}

/// A settings file of its own for each test.
inline void isolateSettings(const QTemporaryDir& directory)
{
    QCoreApplication::setOrganizationName(QStringLiteral("stratoplan-test"));
    QCoreApplication::setApplicationName(QStringLiteral("stratoplan"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, directory.path());
}

/// Each test function has a folder and settings of its own, and fails if Qt warns. (Its header is listed with the
/// sources of a test.)
class GuiTest : public QObject {
    Q_OBJECT

protected:
    [[nodiscard]] QString inFolder(const QString& name) const { return m_directory->filePath(name); }

    /// Writes a file of the test's own.
    [[nodiscard]] QString saved(const QString& name, const QByteArray& content) const
    {
        QFile file(inFolder(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write the test's own file");
        return file.fileName();
    }

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        isolateSettings(*m_directory);
        static_cast<void>(Warnings::instance().take());
    }
    void cleanup() { QCOMPARE(Warnings::instance().take(), QStringList()); }

private:
    std::unique_ptr<QTemporaryDir> m_directory;
};

inline exchange::Document exampleDocument(std::string_view name = "gpt3-175b-1024-a100")
{
    const exchange::Example* example = exchange::findExample(name);
    if (!example)
        qFatal("no such example");
    auto document = exchange::parseDocument(example->text, catalog::shippedCatalog(), name);
    if (!document)
        qFatal("%s", describe(document.error().front()).c_str());
    return std::move(*document);
}

/// A space of some thousand strategies in the place of millions; what is locked stays so.
inline session::SearchRequest narrowed(session::SearchRequest request)
{
    plan::SearchSpace& space = request.space;
    const auto narrow = [](auto& list, auto value) {
        if (list.empty())
            list = {value};
    };
    narrow(space.tensorPartitions, parallel::TensorPartition::Megatron); // each other one has a programme to solve
    if (space.cp.only.empty())
        space.cp = plan::IntChoice::just(1);
    space.shardGroups = plan::ShardGroups::All;
    narrow(space.zeroStages, 1);
    narrow(space.sequenceParallel, true);
    narrow(space.rankOrders, parallel::Strategy{}.rankOrder);
    if (space.schedules.empty())
        space.schedules = {parallel::Schedule::OneFOneB, parallel::Schedule::Interleaved};
    return request;
}

/// The core's answers, but for searches: those are as small as a test needs.
inline session::PlannerFunctions quickFunctions()
{
    session::PlannerFunctions functions = session::corePlannerFunctions();
    const session::SearchFunctions core = session::coreSearchFunctions();
    functions.searching.search = [core](const session::SearchRequest& r, const std::stop_token& stop,
                                     const search::SearchProgressCallback& progress) {
        return core.search(narrowed(r), stop, progress);
    };
    functions.searching.sample = [](const session::SearchRequest& r, const std::stop_token& stop,
                                     const search::SampleCallback& priced) {
        const session::SearchRequest small = narrowed(r);
        sample(small.plan, small.space, small.options, 500, stop, priced);
    };
    functions.searching.cloud = {};
    functions.searching.worth = [core](const session::SearchRequest& r, const search::FoundStrategy& asked,
                                    const std::stop_token& stop) { return core.worth(narrowed(r), asked, stop); };
    return functions;
}

} // namespace stratoplan::test

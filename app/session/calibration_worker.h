// SPDX-License-Identifier: GPL-3.0-or-later
// Reads measured runs and fits constants to them off the GUI thread. Knows no widget. The newest question is answered;
// what a stopped or overtaken one still finds is dropped.
#pragma once

#include "app/session/background_planner.h"
#include "app/session/latest_worker.h"
#include "core/calibration/own_runs.h"

#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::session {

/// A text of measurements: pasted, or a file, which is read when it is first asked for.
struct RunSource {
    QString name; ///< how messages call it
    QString path; ///< empty: pasted
    std::shared_ptr<const std::string> text;
};

/// A line or a whole source that is no run.
struct UnreadRun {
    QString source;
    QString id;
    QString reason;
    int order = 0; ///< as of MeasuredRun
    bool operator==(const UnreadRun&) const = default;
};

/// A line of the list.
struct RunEntry {
    QString key; ///< the same as long as its source says the same
    bool unread = false;
    std::size_t index = 0; ///< into the runs, or what is unread
};

struct ReadRunsAnswer {
    std::vector<calibration::MeasuredRun> runs;
    std::vector<UnreadRun> unread;
    std::vector<RunEntry> entries; ///< both, source by source, in the order of its text
    QStringList notes; ///< on whole sources
    plan::SoftwareProfile start;
    calibration::Calibration time; ///< nothing fitted: the rows as `start` estimates them
    calibration::Calibration memory;
};
using ReadRunsPointer = std::shared_ptr<const ReadRunsAnswer>;
using OwnFitPointer = std::shared_ptr<const calibration::OwnFit>;

class CalibrationWorker : public QObject {
    Q_OBJECT

public:
    explicit CalibrationWorker(QObject* parent = nullptr);
    ~CalibrationWorker() override;

    /// What the sources say of `plan`, estimated with `start`, or with the plan's own software; without the entries of
    /// these keys.
    void read(std::vector<RunSource> sources, PlanPointer plan, const QString& planName,
        std::optional<plan::SoftwareProfile> start, QSet<QString> deleted = {});
    /// To those of the runs that are `used`.
    void fit(ReadRunsPointer rows, std::vector<bool> used, const QString& source);
    /// Ends a fit at once: nothing of it is delivered any more.
    void stopFit();
    [[nodiscard]] bool isReading() const { return m_readDelivered != m_readNumber; }
    [[nodiscard]] bool isFitting() const { return m_fitting; }

Q_SIGNALS:
    void rowsRead(const session::ReadRunsPointer& rows);
    void fitProgress(int done, int total);
    void fitted(const session::OwnFitPointer& fit);

private:
    struct ReadRequest {
        std::vector<RunSource> sources;
        PlanPointer plan;
        std::string planName;
        std::optional<plan::SoftwareProfile> start;
        QSet<QString> deleted;
        std::uint64_t number = 0;
    };
    struct FitRequest {
        ReadRunsPointer rows;
        std::vector<bool> used;
        std::string source;
        std::uint64_t number = 0;
    };
    void runRead(const ReadRequest& request, const std::stop_token& stop);
    void runFit(const FitRequest& request, const std::stop_token& stop);

    std::uint64_t m_readNumber = 0;
    std::uint64_t m_readDelivered = 0;
    std::uint64_t m_fitNumber = 0;
    bool m_fitting = false;

    // Last, so that they are joined before anything they use goes away.
    std::optional<LatestWorker<ReadRequest>> m_reader;
    std::optional<LatestWorker<FitRequest>> m_fitter;
};

} // namespace stratoplan::session

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibration_worker.h"

#include <filesystem>
#include <map>

namespace stratoplan {

namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

void addUnread(ReadRunsAnswer& answer, const RunSource& source, const DocumentErrors& errors)
{
    for (const DocumentError& error : errors)
        answer.unread.push_back({source.name, source.name, text(describe(error))});
}

void addSource(ReadRunsAnswer& answer, const RunSource& source, const Plan& plan, const std::string& planName)
{
    std::string content;
    if (source.text) {
        content = *source.text;
    } else {
        auto read = readFile(std::filesystem::path(source.path.toStdU16String()));
        if (!read)
            return addUnread(answer, source, {read.error()});
        content = std::move(*read);
    }
    auto table = readRuns(content, {.file = source.name.toStdString(), .plan = &plan, .planName = planName, .software = answer.start});
    if (!table)
        return addUnread(answer, source, table.error());
    answer.runs.insert(answer.runs.end(), std::make_move_iterator(table->runs.begin()), std::make_move_iterator(table->runs.end()));
    for (const FaultyRun& one : table->faulty)
        answer.unread.push_back({source.name, text(one.id), text(one.reason)});
}

} // namespace

CalibrationWorker::CalibrationWorker(QObject* parent)
    : QObject(parent)
{
    m_reader.emplace([this](const ReadRequest& request, const std::stop_token& stop) { runRead(request, stop); });
    m_fitter.emplace([this](const FitRequest& request, const std::stop_token& stop) { runFit(request, stop); });
}

CalibrationWorker::~CalibrationWorker() = default;

void CalibrationWorker::read(std::vector<RunSource> sources, PlanPointer plan, const QString& planName, std::optional<SoftwareProfile> start)
{
    m_reader->overtake({std::move(sources), std::move(plan), planName.toStdString(), std::move(start), ++m_readNumber});
}

void CalibrationWorker::fit(ReadRunsPointer rows, const QString& source)
{
    m_fitting = true;
    m_fitter->overtake({std::move(rows), source.toStdString(), ++m_fitNumber});
}

void CalibrationWorker::stopFit()
{
    ++m_fitNumber;
    m_fitting = false;
    m_fitter->cancel();
}

void CalibrationWorker::runRead(const ReadRequest& request, const std::stop_token& stop)
{
    auto answer = std::make_shared<ReadRunsAnswer>();
    answer->start = request.start ? *request.start : request.plan->training.software;
    for (const RunSource& source : request.sources) {
        if (stop.stop_requested())
            return;
        addSource(*answer, source, *request.plan, request.planName);
    }
    const CalibrationOptions nothing{.only = std::vector<std::string>()};
    answer->time = calibrate(answer->runs, answer->start, nothing, {}, stop);
    answer->memory = calibrate(answer->runs, answer->start, {.target = CalibrationTarget::PeakMemory, .only = nothing.only}, {}, stop);
    QMetaObject::invokeMethod(this, [this, answer, number = request.number] {
        if (number != m_readNumber)
            return;
        m_readDelivered = number;
        Q_EMIT rowsRead(answer);
    });
}

void CalibrationWorker::runFit(const FitRequest& request, const std::stop_token& stop)
{
    const auto progress = [this, number = request.number](int done, int total) {
        QMetaObject::invokeMethod(this, [this, number, done, total] {
            if (number == m_fitNumber)
                Q_EMIT fitProgress(done, total);
        });
    };
    const auto fit = std::make_shared<const OwnFit>(fitOwnRuns(request.rows->start, request.rows->runs, request.source, stop, progress));
    QMetaObject::invokeMethod(this, [this, fit, number = request.number] {
        if (number != m_fitNumber)
            return;
        m_fitting = false;
        Q_EMIT fitted(fit);
    });
}

} // namespace stratoplan

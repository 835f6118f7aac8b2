// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/calibration_worker.h"

#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <filesystem>

namespace stratoplan::session {

namespace {

/// A table that names its plan is of that one, whatever plan is open.
std::string rowsOfAnotherPlan(
    const calibration::NamedPlan& named, const std::string& open, const plan::SoftwareProfile& start)
{
    const plan::SoftwareProfile& software = named.plan.training.software;
    return "its rows change the plan “" + named.name + "”, which the table names, and not “" + open + "”"
        + (software.id == start.id
                ? std::string()
                : "; that plan runs on " + software.name + ", and the fit starts from " + start.name);
}

/// What one source says, and what is told of it.
struct SourceTable {
    calibration::RunTable table;
    std::vector<UnreadRun> unread;
    std::vector<std::string> notes;
};
SourceTable toldOf(calibration::RunTable table, const QString& source)
{
    SourceTable result;
    for (const calibration::FaultyRun& run : table.faulty)
        result.unread.push_back({source, widgets::text(run.id), widgets::text(reporting::describe(run)), run.order});
    for (const std::string& column : table.unknownColumns)
        result.notes.push_back(reporting::unknownColumn(column));
    result.table = std::move(table);
    return result;
}

SourceTable tableOf(
    const RunSource& source, const plan::Plan& plan, const std::string& planName, const plan::SoftwareProfile& start)
{
    const auto unread = [&](const exchange::DocumentErrors& errors) {
        SourceTable none;
        for (const exchange::DocumentError& error : errors)
            none.unread.push_back({source.name, source.name, widgets::text(describe(error))});
        return none;
    };
    std::string content;
    if (source.text) {
        content = *source.text;
    } else {
        auto read = exchange::readFile(std::filesystem::path(source.path.toStdU16String()));
        if (!read)
            return unread({read.error()});
        content = std::move(*read);
    }
    const auto named =
        calibration::planNamedBy(content, std::filesystem::path(source.path.toStdU16String()).parent_path());
    if (!named)
        return unread(named.error());
    calibration::RunContext context{
        .file = source.name.toStdString(), .plan = &plan, .planName = planName, .software = start};
    if (*named) {
        context.plan = &(*named)->plan;
        context.planName = (*named)->name;
    }
    auto read = readRuns(content, context);
    if (!read)
        return unread(reporting::documentErrors(read.error()));
    SourceTable sourceTable = toldOf(std::move(*read), source.name);
    if (*named)
        sourceTable.notes.push_back(rowsOfAnotherPlan(**named, planName, start));
    return sourceTable;
}

void addSource(ReadRunsAnswer& answer, const RunSource& source, SourceTable sourceTable, const QSet<QString>& deleted)
{
    struct Placed {
        int order;
        RunEntry entry;
    };
    std::vector<Placed> placed;
    const QString place = source.path.isEmpty() ? source.name : source.path;
    const auto add = [&](int order, const QString& name, bool unread, std::size_t index) {
        const QString key = place + u'\n' + QString::number(order) + u'\n' + name;
        if (deleted.contains(key))
            return false;
        placed.push_back({order, {key, unread, index}});
        return true;
    };
    for (calibration::MeasuredRun& run : sourceTable.table.runs) {
        if (!add(run.order, widgets::text(run.id), false, answer.runs.size()))
            continue;
        if (run.id == run.place) // without a name of its own it is told apart by its source
            run.id = source.name.toStdString() + ", " + run.id;
        answer.runs.push_back(std::move(run));
    }
    for (UnreadRun& run : sourceTable.unread)
        if (add(run.order, run.id, true, answer.unread.size()))
            answer.unread.push_back(std::move(run));
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.order < b.order; });
    for (Placed& item : placed)
        answer.entries.push_back(std::move(item.entry));
    for (const std::string& note : sourceTable.notes)
        answer.notes << QStringLiteral("%1: %2").arg(source.name, widgets::text(note));
}

/// The rows of a fit count those given to it: counted among all again.
void countAmongAll(calibration::Calibration& calibration, const std::vector<std::size_t>& used)
{
    for (calibration::FittedRow& row : calibration.rows)
        row.run = used[row.run];
}

} // namespace

CalibrationWorker::CalibrationWorker(QObject* parent)
    : QObject(parent)
{
    m_reader.emplace([this](const ReadRequest& request, const std::stop_token& stop) { runRead(request, stop); });
    m_fitter.emplace([this](const FitRequest& request, const std::stop_token& stop) { runFit(request, stop); });
}

CalibrationWorker::~CalibrationWorker() = default;

void CalibrationWorker::read(std::vector<RunSource> sources, PlanPointer plan, const QString& planName,
    std::optional<plan::SoftwareProfile> start, QSet<QString> deleted)
{
    m_reader->overtake({std::move(sources), std::move(plan), planName.toStdString(), std::move(start),
        std::move(deleted), ++m_readNumber});
}

void CalibrationWorker::fit(ReadRunsPointer rows, std::vector<bool> used, const QString& source)
{
    m_fitting = true;
    m_fitter->overtake({std::move(rows), std::move(used), source.toStdString(), ++m_fitNumber});
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
        addSource(*answer, source, tableOf(source, *request.plan, request.planName, answer->start), request.deleted);
    }
    const calibration::CalibrationOptions nothing{.only = std::vector<std::string>()};
    answer->time = calibrate(answer->runs, answer->start, nothing, {}, stop);
    answer->memory = calibrate(
        answer->runs, answer->start, {.target = plan::CalibrationTarget::PeakMemory, .only = nothing.only}, {}, stop);
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
    std::vector<calibration::MeasuredRun> runs;
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < request.rows->runs.size(); ++i)
        if (i < request.used.size() && request.used[i]) {
            runs.push_back(request.rows->runs[i]);
            used.push_back(i);
        }
    const auto fit =
        std::make_shared<calibration::OwnFit>(fitOwnRuns(request.rows->start, runs, request.source, stop, progress));
    countAmongAll(fit->fitted.time, used);
    countAmongAll(fit->fitted.memory, used);
    QMetaObject::invokeMethod(this, [this, fit, number = request.number] {
        if (number != m_fitNumber)
            return;
        m_fitting = false;
        Q_EMIT fitted(fit);
    });
}

} // namespace stratoplan::session

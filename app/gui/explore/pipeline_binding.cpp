// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/pipeline_binding.h"

#include "app/gui/files/file_dialogs.h"
#include "core/exchange/document.h"
#include "core/exchange/trace.h"
#include "core/narration/problems.h"
#include "core/plan/problem.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace stratoplan::gui {

namespace {

/// As short as a row of the chart needs it.
QString rowName(const PipelineAlternative& alternative, const PipelineAlternative& other)
{
    if (alternative.pinned)
        return alternative.pin;
    if (other.pinned)
        return PipelineBinding::tr("this plan");
    if (alternative.schedule != other.schedule)
        return widgets::scheduleText(alternative.schedule);
    return alternative.timingPass ? PipelineBinding::tr("with pass") : PipelineBinding::tr("without pass");
}

/// What came of a file: its step against the plan's own, how long its stages wait and what they hold.
QString comparisonText(const widgets::GanttStep& ofPlan, const widgets::GanttStep& ofFile)
{
    const pipeline::Timeline& timeline = ofFile.timeline();
    const Seconds before = ofPlan.timeline().step;
    const int inFlight = timeline.peakInFlight.empty()
        ? 0
        : *std::max_element(timeline.peakInFlight.begin(), timeline.peakInFlight.end());
    QStringList parts{PipelineBinding::tr("step %1 (%2, %3 against the plan's own)")
                          .arg(widgets::text(timeline.step), widgets::changeText(before, timeline.step),
                              widgets::shareChangeText(before, timeline.step)),
        PipelineBinding::tr("%1 of all stages' time idle").arg(widgets::shareText(timeline.bubbleFraction)),
        inFlight == 1 ? PipelineBinding::tr("one micro-batch in flight")
                      : PipelineBinding::tr("at most %1 micro-batches in flight").arg(inFlight)};
    if (const estimate::MemoryTimeline* memory = ofFile.memory()) {
        const estimate::MemoryPeak& peak = memory->peak();
        const Bytes capacity = memory->capacity();
        parts << (peak.bytes > capacity * (1 + 1e-12)
                ? PipelineBinding::tr("memory peak %1, which does not fit into %2")
                : PipelineBinding::tr("memory peak %1 of %2"))
                     .arg(widgets::text(peak.bytes), widgets::text(capacity));
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace

PipelineBinding::PipelineBinding(
    session::Workspace& workspace, widgets::PipelineChart& chart, widgets::MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_chart(chart)
    , m_messages(messages)
{
    connect(&workspace, &session::Workspace::estimateChanged, this, &PipelineBinding::showEstimate);
    connect(&workspace, &session::Workspace::timelineChanged, this, &PipelineBinding::showTimeline);
    connect(&workspace, &session::Workspace::comparedReady, this, &PipelineBinding::showCompared);
    connect(&workspace.pins(), &session::PinnedPlans::changed, this, &PipelineBinding::showPins);
    connect(&workspace.document(), &session::ProjectDocument::loaded, this, [this] {
        m_alternative.reset();
        m_asked.reset();
        m_compared.reset();
        m_file.reset();
        m_chart.clearScheduleFile();
        m_workspace.compareWith(nullptr);
        showChoices();
    });
    hearChart();
    m_tracer.emplace([this](const TraceRequest& request, const std::stop_token&) {
        {
            TraceAnswer answer = writeTrace(request);
            const std::lock_guard lock(m_traceMutex);
            m_traces.push_back(std::move(answer));
        }
        QMetaObject::invokeMethod(this, "tellTrace", Qt::QueuedConnection);
    });
}

void PipelineBinding::hearChart()
{
    connect(&m_chart, &widgets::PipelineChart::sliceSelected, this,
        [this](const pipeline::Slice&, int) { mark(*m_chart.selection().selected); });
    connect(&m_chart, &widgets::PipelineChart::waitSelected, this,
        [this](const pipeline::Wait&, int) { mark(*m_chart.selection().selected); });
    connect(
        &m_chart, &widgets::PipelineChart::areaSelected, this, [this](const widgets::AreaSums& sums) { mark(sums); });
    connect(&m_chart, &widgets::PipelineChart::selectionCleared, this,
        [this] { mark(m_chart.scene().isComparing() ? Mark(Difference()) : Mark()); });
    connect(&m_chart, &widgets::PipelineChart::comparisonWanted, this, [this](int choice) {
        const bool known = choice >= 0 && static_cast<std::size_t>(choice) < m_choices.size();
        compareWith(known ? std::optional(m_choices[static_cast<std::size_t>(choice)]) : std::nullopt);
    });
    connect(&m_chart, &widgets::PipelineChart::traceWanted, this, &PipelineBinding::chooseTrace);
    connect(&m_chart, &widgets::PipelineChart::scheduleFileWanted, this, &PipelineBinding::chooseSchedule);
    connect(&m_chart, &widgets::PipelineChart::scheduleFileReloadWanted, this, [this] { openSchedule(m_file->path); });
    connect(&m_chart, &widgets::PipelineChart::scheduleFileCloseWanted, this, &PipelineBinding::closeSchedule);
}

PipelineBinding::~PipelineBinding() = default;

void PipelineBinding::mark(Mark mark)
{
    m_mark = std::move(mark);
    Q_EMIT marked(!std::holds_alternative<std::monostate>(m_mark));
}

widgets::DetailSections PipelineBinding::details() const
{
    if (const auto* ref = std::get_if<widgets::GanttRef>(&m_mark)) {
        const bool other = ref->timeline == 1;
        const session::EstimatePointer estimate =
            other ? (m_compared ? m_compared->estimate : nullptr) : m_workspace.estimate();
        if (!estimate || !*estimate)
            return {};
        const widgets::GanttIndex& index = m_chart.scene().index(ref->timeline);
        return ref->isWait
            ? waitDetails(ref->slice, index, **estimate)
            : sliceDetails(ref->slice, index, other ? *m_compared->plan : *m_workspace.estimatedPlan(), **estimate);
    }
    if (const auto* sums = std::get_if<widgets::AreaSums>(&m_mark)) {
        if (!m_chart.scene().isComparing())
            return areaDetails({{*sums, {}}});
        return areaDetails({{*sums, m_chart.scene().shown(0).name},
            {areaSums(m_chart.scene().index(1), sums->area), m_chart.scene().shown(1).name}});
    }
    if (std::holds_alternative<Difference>(m_mark) && m_chart.scene().difference())
        return differenceDetails(
            *m_chart.scene().difference(), m_chart.scene().shown(0).name, m_chart.scene().shown(1).name);
    return {};
}

void PipelineBinding::compareWith(std::optional<PipelineAlternative> alternative)
{
    m_file.reset();
    m_chart.clearScheduleFile();
    m_alternative = alternative;
    if (alternative && m_workspace.estimatedPlan())
        ask();
    else
        compareWithNothing();
    showChoices();
}

void PipelineBinding::openSchedule(const QString& path)
{
    auto file = session::readSchedule(path);
    if (!file) {
        m_messages.show(widgets::MessageKind::Error,
            tr("Cannot open the schedule. %1").arg(QString::fromStdString(describe(file.error()))));
        return;
    }
    m_alternative.reset();
    m_file = std::move(*file);
    m_fitted = false;
    sayOfFile(tr("its passes are being timed …"), false);
    if (hasTimeline())
        ask();
    else
        showEstimate();
    showChoices();
    Q_EMIT scheduleOpened();
}

void PipelineBinding::chooseSchedule()
{
    const auto* dialog =
        askForFile(m_chart.window(), tr("Open a schedule"), tr("Schedules, a line of passes per stage (*.txt)"),
            m_file ? QFileInfo(m_file->path).absolutePath() : QString());
    connect(dialog, &QFileDialog::fileSelected, this, &PipelineBinding::openSchedule);
}

void PipelineBinding::closeSchedule()
{
    compareWith(std::nullopt);
}

bool PipelineBinding::hasTimeline() const
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    return m_workspace.timeline() && estimate && *estimate;
}

// What is compared with, as the plan is now.
void PipelineBinding::ask()
{
    m_compared.reset();
    const session::PlanPointer& plan = m_workspace.estimatedPlan();
    m_asked = m_alternative ? std::make_shared<const plan::Plan>(withAlternative(*plan, *m_alternative)) : plan;
    m_workspace.compareWith(m_asked, m_file);
    m_chart.setUpdating(true);
}

void PipelineBinding::compareWithNothing()
{
    m_compared.reset();
    m_asked.reset();
    m_chart.setUpdating(false);
    m_workspace.compareWith(nullptr);
    m_chart.clearComparison();
    if (std::holds_alternative<Difference>(m_mark))
        mark(Mark());
}

void PipelineBinding::sayOfFile(const QString& said, bool wrong)
{
    m_chart.setScheduleFile(m_file->name(), said, wrong);
}

// A plan without an estimate has no timeline to come.
void PipelineBinding::showEstimate()
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    if (!m_file || !estimate)
        return;
    if (!*estimate)
        sayOfFile(tr("it is timed when the plan can be priced; the problems below say what is in the way."), true);
    else if (!m_workspace.timeline() && timelineSlices((*estimate)->pipeline) > pipeline::kMostSlices)
        sayTooLong();
}

void PipelineBinding::sayTooLong()
{
    sayOfFile(tr("the timeline of this plan is too long to draw."), true);
}

void PipelineBinding::findChoices()
{
    m_choices = hasTimeline()
        ? pipelineAlternatives(*m_workspace.estimatedPlan(), m_workspace.document().project().pinned)
        : std::vector<PipelineAlternative>();
}

/// A plan that is compared with, and pinned no more, is gone.
void PipelineBinding::showPins()
{
    findChoices();
    if (m_alternative && m_alternative->pinned
        && std::find(m_choices.begin(), m_choices.end(), *m_alternative) == m_choices.end())
        compareWith(std::nullopt);
    showChoices();
}

// What is compared follows the plan. Until it is known the pictures of both stay.
void PipelineBinding::showTimeline()
{
    m_compared.reset();
    findChoices();
    if (!isComparing() || !hasTimeline()) {
        if (m_file)
            sayTooLong();
        showStep();
        return;
    }
    if (m_alternative && std::find(m_choices.begin(), m_choices.end(), *m_alternative) == m_choices.end()) {
        compareWith(std::nullopt);
        showStep();
        return;
    }
    ask();
    if (!m_chart.scene().isComparing())
        showStep();
}

void PipelineBinding::showCompared(const session::ComparedStepPointer& compared)
{
    if (!isComparing() || compared->plan != m_asked)
        return;
    m_chart.setUpdating(false);
    if (compared->step) {
        m_compared = compared;
        showStep();
        showFile();
        return;
    }
    const session::EstimateResult& result = *compared->estimate;
    const QString reason = result ? tr("its timeline has more than five million slices")
                                  : QString::fromStdString(narration::describe(result.error().front()));
    if (m_file) {
        const QString misfit = compared->misfit ? QString::fromStdString(describe(*compared->misfit)) : reason;
        sayOfFile(m_fitted ? tr("it does not fit the plan as it is now: %1.").arg(misfit) : misfit + u'.', true);
        m_chart.clearComparison();
        showStep();
        return;
    }
    const QString name = alternativeText(*m_alternative, *m_workspace.estimatedPlan());
    compareWith(std::nullopt);
    showStep();
    m_messages.showOfPlan(
        widgets::MessageKind::Error, tr("The plan cannot be compared with %1: %2.").arg(name, reason));
}

void PipelineBinding::showFile()
{
    if (!m_file || !m_workspace.timeline())
        return;
    m_fitted = true;
    sayOfFile(comparisonText(*m_workspace.timeline(), *m_compared->step), false);
}

void PipelineBinding::showStep()
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    const session::TimelinePointer& step = m_workspace.timeline();
    if (!step || !estimate || !*estimate) {
        m_chart.clear(estimate && *estimate ? tr("The timeline of this plan has more than five million slices, too "
                                                 "many to draw.\nLarger micro-batches make it shorter.")
                                            : QString());
        showChoices();
        return;
    }
    const bool wasDifference = std::holds_alternative<Difference>(m_mark) || !m_chart.scene().isComparing();
    m_chart.setStep(step, (*estimate)->memory.capacity);
    if (m_compared && isComparing()) {
        const PipelineAlternative ofPlan = alternativeOf(*m_workspace.estimatedPlan());
        if (m_file)
            m_chart.setComparison(widgets::scheduleText(ofPlan.schedule), tr("file %1").arg(m_file->name()),
                m_compared->step, tr("file"));
        else
            m_chart.setComparison(rowName(ofPlan, *m_alternative), rowName(*m_alternative, ofPlan), m_compared->step);
        if (wasDifference)
            mark(Difference());
    } else if (std::holds_alternative<Difference>(m_mark)) {
        mark(Mark());
    }
    showChoices();
}

void PipelineBinding::showChoices()
{
    QStringList names;
    int chosen = -1;
    if (hasTimeline()) {
        for (const PipelineAlternative& each : m_choices) {
            if (each == m_alternative)
                chosen = static_cast<int>(names.size());
            names << alternativeText(each, *m_workspace.estimatedPlan());
        }
    }
    m_chart.setComparisonChoices(names, chosen);
}

void PipelineBinding::chooseTrace(int timeline)
{
    const bool other = timeline == 1 && m_compared;
    const session::TimelinePointer step = other ? m_compared->step : m_workspace.timeline();
    const session::EstimatePointer estimate = other ? m_compared->estimate : m_workspace.estimate();
    if (!step || !estimate || !*estimate)
        return;
    std::string name = m_workspace.estimatedPlan()->name;
    if (other)
        name += ", "
            + (m_file ? tr("schedule of the %1").arg(m_chart.scene().shown(1).name) : m_chart.scene().shown(1).name)
                  .toStdString();
    const auto* dialog = askForNewFile(m_chart.window(), tr("Export trace"),
        tr("Trace for Perfetto and chrome://tracing (*.json)"), QStringLiteral("pipeline.trace.json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, step, estimate, name](const QString& path) {
        m_tracer->submit({path, name, step, (*estimate)->boundaries});
    });
}

// On the worker's thread: a long step takes seconds.
PipelineBinding::TraceAnswer PipelineBinding::writeTrace(const TraceRequest& request) const
{
    const estimate::MemoryTimeline* memory = request.step->memory();
    const std::string text = exchange::traceText(
        request.name, request.step->timeline(), memory ? *memory : estimate::MemoryTimeline(), request.boundaries);
    const auto written = exchange::writeFileAtomically(std::filesystem::path(request.path.toStdU16String()), text);
    return {request.path, written ? QString() : QString::fromStdString(describe(written.error()))};
}

void PipelineBinding::tellTrace()
{
    std::vector<TraceAnswer> answers;
    {
        const std::lock_guard lock(m_traceMutex);
        answers.swap(m_traces);
    }
    for (const TraceAnswer& answer : answers) {
        if (answer.problem.isEmpty())
            m_messages.show(widgets::MessageKind::Done,
                tr("Exported the trace to %1. It opens in Perfetto (ui.perfetto.dev).")
                    .arg(QDir::toNativeSeparators(answer.path)));
        else
            m_messages.show(widgets::MessageKind::Error, answer.problem);
    }
}

} // namespace stratoplan::gui

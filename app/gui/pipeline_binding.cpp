// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/pipeline_binding.h"

#include "app/gui/message_bar.h"
#include "core/exchange/document.h"
#include "core/exchange/trace.h"
#include "core/plan/problem.h"
#include "widgets/presentation/text.h"

#include <QDir>
#include <QFileDialog>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace stratoplan {

namespace {

/// As short as a row of the chart needs it.
QString rowName(const PipelineAlternative& alternative, const PipelineAlternative& other)
{
    if (alternative.schedule != other.schedule)
        return scheduleText(alternative.schedule);
    return alternative.timingPass ? PipelineBinding::tr("with pass") : PipelineBinding::tr("without pass");
}

} // namespace

PipelineBinding::PipelineBinding(Workspace& workspace, PipelineChart& chart, MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_chart(chart)
    , m_messages(messages)
{
    connect(&workspace, &Workspace::timelineChanged, this, &PipelineBinding::showTimeline);
    connect(&workspace, &Workspace::comparedReady, this, &PipelineBinding::showCompared);
    connect(&workspace.document(), &ProjectDocument::loaded, this, [this] {
        m_alternative.reset();
        m_asked.reset();
        m_compared.reset();
        m_workspace.compareWith(nullptr);
        showChoices();
    });
    connect(&chart, &PipelineChart::sliceSelected, this, [this](const Slice&, int) { mark(*m_chart.selectedRef()); });
    connect(&chart, &PipelineChart::areaSelected, this, [this](const AreaSums& sums) { mark(sums); });
    connect(&chart, &PipelineChart::selectionCleared, this, [this] { mark(m_chart.isComparing() ? Mark(Difference()) : Mark()); });
    connect(&chart, &PipelineChart::comparisonWanted, this, [this](int choice) {
        const bool known = choice >= 0 && static_cast<std::size_t>(choice) < m_choices.size();
        compareWith(known ? std::optional(m_choices[static_cast<std::size_t>(choice)]) : std::nullopt);
    });
    connect(&chart, &PipelineChart::traceWanted, this, &PipelineBinding::chooseTrace);
    m_tracer.emplace([this](const TraceRequest& request, const std::stop_token&) {
        {
            TraceAnswer answer = writeTrace(request);
            const std::lock_guard lock(m_traceMutex);
            m_traces.push_back(std::move(answer));
        }
        QMetaObject::invokeMethod(this, "tellTrace", Qt::QueuedConnection);
    });
}

PipelineBinding::~PipelineBinding() = default;

void PipelineBinding::mark(Mark mark)
{
    m_mark = std::move(mark);
    Q_EMIT marked(!std::holds_alternative<std::monostate>(m_mark));
}

DetailSections PipelineBinding::details() const
{
    if (const auto* ref = std::get_if<GanttRef>(&m_mark)) {
        if (ref->timeline == 1)
            return m_compared && *m_compared->estimate ? sliceDetails(ref->slice, m_chart.index(1), *m_compared->plan, **m_compared->estimate) : DetailSections();
        const EstimatePointer& estimate = m_workspace.estimate();
        return estimate && *estimate ? sliceDetails(ref->slice, m_chart.index(), *m_workspace.estimatedPlan(), **estimate) : DetailSections();
    }
    if (const auto* sums = std::get_if<AreaSums>(&m_mark)) {
        if (!m_chart.isComparing())
            return areaDetails({{*sums, {}}});
        return areaDetails({{*sums, m_chart.nameOfTimeline(0)}, {areaSums(m_chart.index(1), sums->area), m_chart.nameOfTimeline(1)}});
    }
    if (std::holds_alternative<Difference>(m_mark) && m_chart.difference())
        return differenceDetails(*m_chart.difference(), m_chart.nameOfTimeline(0), m_chart.nameOfTimeline(1));
    return {};
}

void PipelineBinding::compareWith(std::optional<PipelineAlternative> alternative)
{
    m_alternative = alternative;
    m_compared.reset();
    if (alternative && m_workspace.estimatedPlan()) {
        m_asked = std::make_shared<const Plan>(withAlternative(*m_workspace.estimatedPlan(), *alternative));
        m_workspace.compareWith(m_asked);
        m_chart.setUpdating(true);
    } else {
        m_asked.reset();
        m_chart.setUpdating(false);
        m_workspace.compareWith(nullptr);
        m_chart.clearComparison();
        if (std::holds_alternative<Difference>(m_mark))
            mark(Mark());
    }
    showChoices();
}

// What is compared follows the plan. Until it is known the pictures of both stay.
void PipelineBinding::showTimeline()
{
    m_compared.reset();
    const EstimatePointer& estimate = m_workspace.estimate();
    if (!m_alternative || !m_workspace.timeline() || !estimate || !*estimate) {
        showStep();
        return;
    }
    const Plan& plan = *m_workspace.estimatedPlan();
    const auto possible = pipelineAlternatives(plan);
    if (std::find(possible.begin(), possible.end(), *m_alternative) == possible.end()) {
        compareWith(std::nullopt);
        showStep();
        return;
    }
    m_asked = std::make_shared<const Plan>(withAlternative(plan, *m_alternative));
    m_workspace.compareWith(m_asked);
    m_chart.setUpdating(true);
    if (!m_chart.isComparing())
        showStep();
}

void PipelineBinding::showCompared(const ComparedStepPointer& compared)
{
    if (!m_alternative || compared->plan != m_asked)
        return;
    m_chart.setUpdating(false);
    if (compared->step) {
        m_compared = compared;
        showStep();
        return;
    }
    const QString name = alternativeText(*m_alternative, *m_workspace.estimatedPlan());
    const EstimateResult& result = *compared->estimate;
    const QString reason = result ? tr("its timeline has more than five million slices") : QString::fromStdString(describe(result.error().front()));
    compareWith(std::nullopt);
    showStep();
    m_messages.showOfPlan(MessageKind::Error, tr("The plan cannot be compared with %1: %2.").arg(name, reason));
}

void PipelineBinding::showStep()
{
    const EstimatePointer& estimate = m_workspace.estimate();
    const TimelinePointer& step = m_workspace.timeline();
    if (!step || !estimate || !*estimate) {
        m_chart.clear(estimate && *estimate ? tr("The timeline of this plan has more than five million slices, too many to draw.\nLarger micro-batches make it shorter.") : QString());
        showChoices();
        return;
    }
    const bool wasDifference = std::holds_alternative<Difference>(m_mark) || !m_chart.isComparing();
    m_chart.setStep(step, (*estimate)->memory.capacity);
    if (m_compared && m_alternative) {
        const PipelineAlternative own = alternativeOf(*m_workspace.estimatedPlan());
        m_chart.setComparison(rowName(own, *m_alternative), rowName(*m_alternative, own), m_compared->step);
        if (wasDifference)
            mark(Difference());
    } else if (std::holds_alternative<Difference>(m_mark)) {
        mark(Mark());
    }
    showChoices();
}

void PipelineBinding::showChoices()
{
    m_choices.clear();
    QStringList names;
    int chosen = -1;
    const EstimatePointer& estimate = m_workspace.estimate();
    if (estimate && *estimate && m_workspace.timeline()) {
        const Plan& plan = *m_workspace.estimatedPlan();
        m_choices = pipelineAlternatives(plan);
        for (const PipelineAlternative& each : m_choices) {
            if (each == m_alternative)
                chosen = static_cast<int>(names.size());
            names << alternativeText(each, plan);
        }
    }
    m_chart.setComparisonChoices(names, chosen);
}

void PipelineBinding::chooseTrace()
{
    const TimelinePointer step = m_workspace.timeline();
    const EstimatePointer estimate = m_workspace.estimate();
    if (!step || !estimate || !*estimate)
        return;
    auto* dialog = new QFileDialog(m_chart.window(), tr("Export trace"), QString(), tr("Trace for Perfetto and chrome://tracing (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QStringLiteral("pipeline.trace.json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, step, estimate, name = m_workspace.estimatedPlan()->name](const QString& path) {
        m_tracer->submit({path, name, step, (*estimate)->boundaries});
    });
    dialog->open();
}

// On the worker's thread: a long step takes seconds.
PipelineBinding::TraceAnswer PipelineBinding::writeTrace(const TraceRequest& request) const
{
    const MemoryTimeline* memory = request.step->memory();
    const std::string text = traceText(request.name, request.step->timeline(), memory ? *memory : MemoryTimeline(), request.boundaries);
    const auto written = writeFileAtomically(std::filesystem::path(request.path.toStdU16String()), text);
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
            m_messages.show(MessageKind::Done, tr("Exported the trace to %1. It opens in Perfetto (ui.perfetto.dev).").arg(QDir::toNativeSeparators(answer.path)));
        else
            m_messages.show(MessageKind::Error, answer.problem);
    }
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the pipeline chart to the workspace: its timeline, the one it is compared with (another schedule, a pinned plan,
// or one read from a file), what is said about what is marked in it, and trace files.
#pragma once

#include "app/gui/explore/alternatives.h"
#include "app/gui/explore/pipeline_details.h"
#include "app/session/latest_worker.h"
#include "app/session/workspace.h"
#include "widgets/charts/pipeline_chart.h"

#include <QObject>

#include <mutex>
#include <optional>
#include <variant>

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class PipelineBinding : public QObject {
    Q_OBJECT

public:
    PipelineBinding(
        session::Workspace& workspace, widgets::PipelineChart& chart, widgets::MessageBar& messages, QObject* parent);
    ~PipelineBinding() override;

    /// About what is marked in the chart; nothing if nothing is.
    [[nodiscard]] widgets::DetailSections details() const;
    /// Ends the comparison, if there is one, and starts another.
    void compareWith(std::optional<PipelineAlternative> alternative);
    /// Compares with the order of passes in a file, for as long as it is open; follows the plan.
    void openSchedule(const QString& path);
    void chooseSchedule();
    void closeSchedule();

Q_SIGNALS:
    /// A file was read: it is to be seen.
    void scheduleOpened();
    /// Something else is marked in the chart: a slice, an area, a comparison, or nothing.
    void marked(bool anything);

private:
    struct Difference { };
    using Mark = std::variant<std::monostate, widgets::GanttRef, widgets::AreaSums, Difference>;
    struct TraceRequest {
        QString path;
        std::string name;
        session::TimelinePointer step;
        std::vector<pricing::StageBoundary> boundaries; ///< for the bytes of its transfers
    };
    struct TraceAnswer {
        QString path;
        QString problem; ///< "" if it was written
    };

    void hearChart();
    void ask();
    void compareWithNothing();
    void sayOfFile(const QString& said, bool wrong);
    void sayTooLong();
    void showFile();
    [[nodiscard]] bool hasTimeline() const;
    [[nodiscard]] bool isComparing() const { return m_alternative || m_file; }
    void showEstimate();
    void showTimeline();
    void showCompared(const session::ComparedStepPointer& compared);
    void showStep();
    void findChoices();
    void showPins();
    void showChoices();
    void mark(Mark mark);
    void chooseTrace(int timeline);
    [[nodiscard]] TraceAnswer writeTrace(const TraceRequest& request) const;
    Q_INVOKABLE void tellTrace();

    session::Workspace& m_workspace;
    widgets::PipelineChart& m_chart;
    widgets::MessageBar& m_messages;
    std::optional<PipelineAlternative> m_alternative;
    session::ScheduleFilePointer m_file; ///< compared with in place of an alternative
    bool m_fitted = false; ///< the file fitted a plan since it was read
    std::vector<PipelineAlternative> m_choices; ///< of the plan whose timeline is shown
    session::PlanPointer m_asked; ///< what is awaited to compare with
    session::ComparedStepPointer m_compared;
    Mark m_mark;
    std::mutex m_traceMutex;
    std::vector<TraceAnswer> m_traces; ///< written, not told yet
    std::optional<session::LatestWorker<TraceRequest>> m_tracer; ///< last: joined before what it uses goes away
};

} // namespace stratoplan::gui

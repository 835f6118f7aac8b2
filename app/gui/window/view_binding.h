// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the views that all rooms share (form, verdict, problems, details) and the charts to the workspace: answers go to
// the views that show them, what a person does in a view becomes an edit. What one room shows has a binding there.
#pragma once

#include "app/gui/build/build_binding.h"
#include "app/gui/compare/compare_binding.h"
#include "app/gui/explore/pipeline_binding.h"
#include "app/gui/present/present_binding.h"
#include "app/gui/search/mix_binding.h"
#include "app/gui/search/search_binding.h"
#include "app/gui/sensitivity/sensitivity_binding.h"
#include "app/gui/sizing/sizing_binding.h"
#include "app/session/perspective.h"
#include "app/session/workspace.h"
#include "widgets/panels/verdict_text.h"

#include <QObject>
#include <QTimer>

#include <variant>

namespace stratoplan::gui {

class CentralView;

class ViewBinding : public QObject {
    Q_OBJECT

public:
    /// `functions`: of a presentation, which shows plans beside the document.
    ViewBinding(session::Workspace& workspace, CentralView& view, session::PlannerFunctions functions, QObject* parent);

    /// Estimate, timeline, zones and search of the current plan are on the screen.
    [[nodiscard]] bool isSettled() const;
    [[nodiscard]] PipelineBinding& pipeline() { return m_pipeline; }
    [[nodiscard]] PresentBinding& present() { return m_present; }
    [[nodiscard]] MixBinding& mixes() { return m_mixes; }
    [[nodiscard]] SensitivityBinding& sensitivity() { return m_sensitivity; }
    [[nodiscard]] SizingBinding& sizing() { return m_sizing; }

Q_SIGNALS:
    /// The person wants to see the form or the canvas.
    void perspectiveWanted(session::Perspective perspective);
    /// The person asked for an explanation: the details are to be seen.
    void detailsWanted();

private:
    /// What the details panel speaks about; the plan if nothing is selected.
    struct NoSelection { };
    struct StageSelection {
        int stage = 0;
    };
    struct PartSelection {
        int stage = -1; ///< -1: the whole step
        QString part;
    };
    struct PipelineSelection { }; ///< what is marked in the pipeline chart
    struct StrategySelection { }; ///< what is picked among the strategies
    using Selection = std::variant<NoSelection, PipelineSelection, StageSelection, PartSelection, StrategySelection,
        widgets::VerdictFigure>;

    void connectWorkspace();
    void connectViews();
    void connectCanvas();
    void showDocument(session::ProjectParts parts);
    void showEstimate();
    void showVerdict();
    void showTimeline();
    void showZones();
    void showBaseline();
    void showDetails();
    void clearAnswers();
    void setUpdating(bool updating);
    void setOutdated(bool outdated);
    void select(Selection selection);
    void showProblem(const plan::Problem& problem);

    session::Workspace& m_workspace;
    CentralView& m_view;
    BuildBinding m_build;
    CompareBinding m_compare;
    PipelineBinding m_pipeline;
    SearchBinding m_search;
    PresentBinding m_present;
    MixBinding m_mixes;
    SensitivityBinding m_sensitivity;
    SizingBinding m_sizing;
    Selection m_selection;
    QTimer m_patience; ///< with an answer that is awaited: quick ones need no notice
    bool m_isOutdated = false;
};

} // namespace stratoplan::gui

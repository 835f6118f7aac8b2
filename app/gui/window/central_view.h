// SPDX-License-Identifier: GPL-3.0-or-later
// All views of the window and how the perspectives arrange them. Owns widgets, knows no document.
#pragma once

#include "app/session/perspective.h"
#include "app/session/settings.h"
#include "core/catalog/catalog.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;

namespace stratoplan {

class Actions;
class ClusterInspector;
class CalibrationPage;
class ComparePage;
class DetailsPanel;
class ExplorePage;
class InputsPanel;
class MessageBar;
class NodePalette;
class PreviewBar;
class ProblemsPanel;
class SearchPage;
class StudyPage;
class TopBar;
class TopologyView;
class VerdictBar;

class CentralView : public QWidget {
    Q_OBJECT

public:
    /// `catalog` must outlive the view.
    CentralView(const Catalog& catalog, Actions& actions, QWidget* parent);

    [[nodiscard]] TopBar& topBar() { return *m_topBar; }
    [[nodiscard]] MessageBar& messages() { return *m_messages; }
    [[nodiscard]] PreviewBar& preview() { return *m_preview; }
    [[nodiscard]] VerdictBar& verdict() { return *m_verdict; }
    [[nodiscard]] InputsPanel& inputs() { return *m_inputs; }
    [[nodiscard]] NodePalette& palettePanel() { return *m_palette; }
    [[nodiscard]] ExplorePage& explore() { return *m_explore; }
    [[nodiscard]] TopologyView& canvas() { return *m_canvas; }
    [[nodiscard]] SearchPage& search() { return *m_search; }
    [[nodiscard]] StudyPage& studies() { return *m_studies; }
    [[nodiscard]] ComparePage& compare() { return *m_compare; }
    [[nodiscard]] CalibrationPage& calibration() { return *m_calibration; }
    [[nodiscard]] DetailsPanel& details() { return *m_details; }
    [[nodiscard]] ClusterInspector& inspector() { return *m_inspector; }
    [[nodiscard]] ProblemsPanel& problems() { return *m_problems; }

    [[nodiscard]] Perspective perspective() const { return m_perspective; }
    void setPerspective(Perspective perspective);
    void setInputsVisible(bool visible);
    void setDetailsVisible(bool visible);
    void setProblemsVisible(bool visible);

    void saveState(WindowState& state) const;
    void restoreState(const WindowState& state);
    void resetSizes();

Q_SIGNALS:
    void perspectiveChanged(stratoplan::Perspective perspective);
    /// The window became narrow or wide: the right column went or came back.
    void detailsVisibleChanged(bool visible);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyVisibility();
    void updateNarrow();
    /// What is wanted of the right column: in a narrow window it is hidden until it is asked for.
    [[nodiscard]] bool& detailsWanted() { return m_narrow ? m_detailsWantedNarrow : m_detailsWanted; }

    Perspective m_perspective = Perspective::Explore;
    bool m_inputsWanted = true;
    bool m_detailsWanted = true;
    bool m_detailsWantedNarrow = false;
    bool m_narrow = false;
    int m_knownWidth = 0; ///< 0 before the first layout
    bool m_problemsWanted = true;

    TopBar* m_topBar;
    MessageBar* m_messages;
    PreviewBar* m_preview;
    VerdictBar* m_verdict;
    QSplitter* m_columns;
    QStackedWidget* m_left;
    QStackedWidget* m_middle;
    QStackedWidget* m_right;
    InputsPanel* m_inputs;
    NodePalette* m_palette;
    ExplorePage* m_explore;
    TopologyView* m_canvas;
    SearchPage* m_search;
    StudyPage* m_studies;
    ComparePage* m_compare;
    CalibrationPage* m_calibration;
    DetailsPanel* m_details;
    ClusterInspector* m_inspector;
    ProblemsPanel* m_problems;
};

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
// All views of the window and how the perspectives arrange them. Owns widgets, knows no document.
#pragma once

#include "app/session/perspective.h"
#include "app/session/settings.h"
#include "core/catalog/catalog.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;

namespace stratoplan::widgets {
class ClusterInspector;
class DetailsPanel;
class InputsPanel;
class MessageBar;
class NodePalette;
class ProblemsPanel;
class TopologyView;
class VerdictBar;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class Actions;
class BuildPage;
class CalibrationPage;
class ComparePage;
class ExplorePage;
class PartitionPage;
class PresentPage;
class PreviewBar;
class SearchPage;
class StudyPage;
class TopBar;

class CentralView : public QWidget {
    Q_OBJECT

public:
    /// `catalog` must outlive the view.
    CentralView(const catalog::Catalog& catalog, Actions& actions, QWidget* parent);

    [[nodiscard]] TopBar& topBar() { return *m_topBar; }
    [[nodiscard]] widgets::MessageBar& messages() { return *m_messages; }
    [[nodiscard]] PreviewBar& preview() { return *m_preview; }
    [[nodiscard]] widgets::VerdictBar& verdict() { return *m_verdict; }
    [[nodiscard]] widgets::InputsPanel& inputs() { return *m_inputs; }
    [[nodiscard]] widgets::NodePalette& palettePanel() { return *m_palette; }
    [[nodiscard]] ExplorePage& explore() { return *m_explore; }
    [[nodiscard]] BuildPage& build() { return *m_build; }
    [[nodiscard]] widgets::TopologyView& canvas();
    [[nodiscard]] SearchPage& search() { return *m_search; }
    [[nodiscard]] StudyPage& studies() { return *m_studies; }
    [[nodiscard]] ComparePage& compare() { return *m_compare; }
    [[nodiscard]] CalibrationPage& calibration() { return *m_calibration; }
    [[nodiscard]] PartitionPage& partition() { return *m_partition; }
    [[nodiscard]] PresentPage& present() { return *m_present; }
    [[nodiscard]] widgets::DetailsPanel& details() { return *m_details; }
    [[nodiscard]] widgets::ClusterInspector& inspector() { return *m_inspector; }
    [[nodiscard]] widgets::ProblemsPanel& problems() { return *m_problems; }

    [[nodiscard]] session::Perspective perspective() const { return m_perspective; }
    void setPerspective(session::Perspective perspective);
    void setInputsVisible(bool visible);
    void setDetailsVisible(bool visible);
    void setProblemsVisible(bool visible);

    /// Takes what is typed in sight but not entered yet. Why it is wrong, where the focus is then; empty if all is
    /// right.
    [[nodiscard]] QString commitPending();

    void saveState(session::WindowState& state) const;
    void restoreState(const session::WindowState& state);
    void resetSizes();

Q_SIGNALS:
    void perspectiveChanged(session::Perspective perspective);
    /// The window became narrow or wide: the right column went or came back.
    void detailsVisibleChanged(bool visible);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyVisibility();
    void updateNarrow();
    /// What is wanted of the right column: in a narrow window it is hidden until it is asked for.
    [[nodiscard]] bool& detailsWanted() { return m_narrow ? m_detailsWantedNarrow : m_detailsWanted; }

    session::Perspective m_perspective = session::Perspective::Explore;
    bool m_inputsWanted = true;
    bool m_detailsWanted = true;
    bool m_detailsWantedNarrow = false;
    bool m_narrow = false;
    int m_knownWidth = 0; ///< 0 before the first layout
    bool m_problemsWanted = true;

    TopBar* m_topBar;
    widgets::MessageBar* m_messages;
    PreviewBar* m_preview;
    widgets::VerdictBar* m_verdict;
    QSplitter* m_columns;
    QStackedWidget* m_left;
    QStackedWidget* m_middle;
    QStackedWidget* m_right;
    widgets::InputsPanel* m_inputs;
    widgets::NodePalette* m_palette;
    ExplorePage* m_explore;
    BuildPage* m_build;
    SearchPage* m_search;
    StudyPage* m_studies;
    ComparePage* m_compare;
    CalibrationPage* m_calibration;
    PartitionPage* m_partition;
    PresentPage* m_present; ///< in the place of all columns
    widgets::DetailsPanel* m_details;
    widgets::ClusterInspector* m_inspector;
    widgets::ProblemsPanel* m_problems;
};

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the presentation to the workspace. Slides that every presentation has show the document, and their live inputs
// edit it. A saved slide shows its own plan, in a workspace beside the document: what is tried there leaves the
// document as it is, until it is adopted or saved as another slide.
#pragma once

#include "app/gui/present/present_page.h"
#include "app/session/perspective.h"
#include "app/session/saved_slides.h"
#include "app/session/workspace.h"

#include <QObject>

#include <memory>

namespace stratoplan::gui {

class PresentBinding : public QObject {
    Q_OBJECT

public:
    PresentBinding(
        session::Workspace& workspace, PresentPage& page, session::PlannerFunctions functions, QObject* parent);
    ~PresentBinding() override;

    /// Nothing is worked out for slides while they are not on the screen.
    void setPerspective(session::Perspective perspective);
    /// Everything the shown slide waits for has come.
    [[nodiscard]] bool isSettled() const;
    /// Asks for a name, then keeps what is on the screen as a slide.
    void saveView();

private:
    void connectPage();
    void watch(session::Workspace& watched);
    [[nodiscard]] bool isActive() const { return m_perspective == session::Perspective::Present; }
    void changeSlide();
    void load(const plan::SavedSlide& slide);
    void show();
    void showInputs();
    void showZones();
    void save(plan::SlideView view, const QString& name);
    void adopt();
    /// Where the plan of the shown slide is: the document, or beside it.
    [[nodiscard]] session::Workspace& source() const;
    [[nodiscard]] const plan::SavedSlide* shownSlide() const; ///< null: it is not a saved one

    session::Workspace& m_workspace;
    PresentPage& m_page;
    session::PlannerFunctions m_functions;
    session::SavedSlides m_slides;
    plan::SavedSlide m_loaded; ///< into the workspace beside the document
    std::unique_ptr<session::Workspace> m_beside; ///< none before a saved slide is shown
    session::Perspective m_perspective = session::Perspective::Explore;
};

} // namespace stratoplan::gui

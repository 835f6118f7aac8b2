// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/present_binding.h"

#include "app/gui/present/live_strip.h"
#include "app/gui/present/slide_texts.h"
#include "app/session/plan_fields.h"

#include <utility>

namespace stratoplan::gui {

namespace {

/// Estimates and pictures, without searches and advice that no slide shows.
session::PlannerFunctions ofSlides(session::PlannerFunctions functions)
{
    functions.improvements = [](const plan::Plan&, const std::stop_token&) {
        return std::vector<session::Improvement>();
    };
    session::SearchFunctions& searching = functions.searching;
    searching.search = [](const session::SearchRequest&, const std::stop_token&,
                           const search::SearchProgressCallback&) { return search::SearchResult(); };
    searching.rescore = [](const session::SearchRequest&, const std::vector<search::FoundStrategy>&,
                            const std::stop_token&) { return search::RescoreResult(); };
    searching.sample = [](const session::SearchRequest&, const std::stop_token&, const search::SampleCallback&) {};
    searching.cloud = {};
    searching.worth = {};
    return functions;
}

/// What a slide of this perspective shows of the plan.
plan::SlideView slideViewOf(session::Perspective perspective)
{
    switch (perspective) {
    case session::Perspective::Build:
        return plan::SlideView::Cluster;
    case session::Perspective::Search:
    case session::Perspective::Compare:
        return plan::SlideView::Alternatives;
    case session::Perspective::Calibrate:
        return plan::SlideView::Evidence;
    case session::Perspective::Partition:
        return plan::SlideView::Time;
    case session::Perspective::Explore:
    case session::Perspective::Studies:
    case session::Perspective::Present:
        break;
    }
    return plan::SlideView::Overview;
}

} // namespace

PresentBinding::PresentBinding(
    session::Workspace& workspace, PresentPage& page, session::PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_page(page)
    , m_functions(ofSlides(std::move(functions)))
    , m_slides(workspace.document())
{
    watch(workspace);
    connect(&workspace.search(), &session::PlanSearch::changed, this, [this] {
        if (m_page.slide().view == plan::SlideView::Alternatives && &source() == &m_workspace)
            show();
    });
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (parts.testFlag(session::ProjectPart::Slides) && isActive())
            m_page.setDeck(deckOf(m_workspace.document().project().slides));
    });
    connectPage();
}

PresentBinding::~PresentBinding() = default;

void PresentBinding::connectPage()
{
    connect(&m_page, &PresentPage::slideChanged, this, &PresentBinding::changeSlide);
    connect(&m_page, &PresentPage::saveAsked, this, &PresentBinding::saveView);
    connect(&m_page, &PresentPage::saveWanted, this, &PresentBinding::save);
    connect(&m_page, &PresentPage::renameWanted, this,
        [this](int saved, const QString& name) { m_slides.rename(saved, name); });
    connect(&m_page, &PresentPage::moveWanted, this, [this](int saved, int to) {
        const int shown = m_page.current() + to - saved;
        m_slides.move(saved, to);
        m_page.showSlide(shown);
    });
    connect(&m_page, &PresentPage::removeWanted, this, [this](int saved) { m_slides.remove(saved); });
    connect(&m_page, &PresentPage::adoptWanted, this, &PresentBinding::adopt);
    connect(&m_page, &PresentPage::resetWanted, this, [this] {
        if (const plan::SavedSlide* slide = shownSlide())
            load(*slide);
    });
    LiveStrip& inputs = m_page.inputs();
    connect(&inputs, &LiveStrip::planEdited, this,
        [this](const plan::Plan& plan, const QString& text, int mergeId) { source().editPlan(plan, text, mergeId); });
    connect(&inputs, &LiveStrip::capacityEdited, this,
        [this](const plan::CapacityInputs& edited, const QString& text) { source().editCapacity(edited, text); });
}

/// Shows what is new of a workspace, where the slide is of it.
void PresentBinding::watch(session::Workspace& watched)
{
    const auto shown = [this, &watched](auto member) {
        return [this, &watched, member] {
            if (isActive() && &source() == &watched)
                (this->*member)();
        };
    };
    connect(&watched, &session::Workspace::estimateChanged, this, shown(&PresentBinding::show));
    connect(&watched, &session::Workspace::timelineChanged, this, shown(&PresentBinding::show));
    connect(&watched, &session::Workspace::zonesChanged, this, shown(&PresentBinding::showZones));
    connect(&watched, &session::Workspace::updatingChanged, this, [this, &watched](bool updating) {
        if (isActive() && &source() == &watched)
            m_page.setUpdating(updating);
    });
    connect(&watched.pins(), &session::PinnedPlans::changed, this, shown(&PresentBinding::show));
    connect(&watched.document(), &session::ProjectDocument::changed, this, shown(&PresentBinding::showInputs));
}

session::Workspace& PresentBinding::source() const
{
    return m_beside && shownSlide() != nullptr ? *m_beside : m_workspace;
}

const plan::SavedSlide* PresentBinding::shownSlide() const
{
    const auto& slides = m_workspace.document().project().slides;
    const int saved = m_page.slide().saved;
    return saved >= 0 && saved < int(slides.size()) ? &slides[std::size_t(saved)] : nullptr;
}

void PresentBinding::setPerspective(session::Perspective perspective)
{
    const bool wasActive = isActive();
    m_perspective = perspective;
    if (wasActive || !isActive())
        return;
    m_page.setDeck(deckOf(m_workspace.document().project().slides));
    m_page.showSlide(0);
    changeSlide();
    m_page.setFocus(Qt::OtherFocusReason);
}

bool PresentBinding::isSettled() const
{
    return !isActive() || (source().estimate() && source().isIdle() && !source().isUpdating());
}

void PresentBinding::changeSlide()
{
    if (!isActive())
        return;
    const plan::SavedSlide* const slide = shownSlide();
    if (slide && (!m_beside || slide->plan != m_loaded.plan || slide->capacity != m_loaded.capacity))
        return load(*slide);
    showInputs();
    show();
    showZones();
    m_page.setUpdating(source().isUpdating());
}

void PresentBinding::load(const plan::SavedSlide& slide)
{
    if (!m_beside) {
        m_beside = std::make_unique<session::Workspace>(m_workspace.document().catalog(), m_functions);
        watch(*m_beside);
    }
    m_loaded = slide;
    exchange::Document document;
    document.project.plan = slide.plan;
    document.project.capacity = slide.capacity;
    document.project.canvas = m_workspace.document().project().canvas;
    document.project.pinned = m_workspace.document().project().pinned;
    document.isProject = document.hasCapacity = true;
    m_beside->document().load(std::move(document), {});
    show();
}

void PresentBinding::show()
{
    if (isActive())
        m_page.setState(slideState(source()));
}

void PresentBinding::showInputs()
{
    const plan::Project& project = source().document().project();
    m_page.inputs().setInputs(project.plan, project.capacity);
    const plan::SavedSlide* const slide = shownSlide();
    m_page.setChanged(slide != nullptr && (project.plan != slide->plan || project.capacity != slide->capacity));
    show();
}

void PresentBinding::showZones()
{
    if (source().zones() && !source().previewed())
        m_page.inputs().setZones(*source().zones());
}

void PresentBinding::saveView()
{
    const plan::SlideView view = isActive() ? m_page.slide().view : slideViewOf(m_perspective);
    const plan::Plan& plan = isActive() ? source().plan() : m_workspace.plan();
    m_page.askToSave(view, tr("%1: %2").arg(titleOf(view), session::strategyTitle(plan.strategy)));
}

void PresentBinding::save(plan::SlideView view, const QString& name)
{
    session::Workspace& from = isActive() ? source() : m_workspace;
    from.document().release();
    const plan::Project& project = from.document().project();
    m_slides.add({name.toStdString(), view, project.plan, project.capacity});
    if (isActive())
        m_page.showSlide(int(m_page.deck().size()) - 1);
}

void PresentBinding::adopt()
{
    const plan::SavedSlide* const slide = shownSlide();
    if (slide == nullptr)
        return;
    const plan::Project& project = source().document().project();
    session::ProjectChange change;
    change.plan = project.plan;
    change.capacity = project.capacity;
    m_workspace.document().edit(std::move(change), tr("Use the plan of “%1”").arg(QString::fromStdString(slide->name)));
}

} // namespace stratoplan::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/search_binding.h"

#include "app/gui/search/preview_bar.h"
#include "app/gui/search/search_page.h"
#include "app/gui/search/search_texts.h"
#include "app/session/plan_fields.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

SearchBinding::SearchBinding(session::Workspace& workspace, const SearchViews& views, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_views(views)
{
    connect(&workspace.search(), &session::PlanSearch::changed, this, &SearchBinding::showSearch);
    connect(&workspace.search(), &session::PlanSearch::cloudChanged, this, [this] {
        m_views.chart.setCloud(m_workspace.search().cloud());
        m_views.page.chart().setCloud(m_workspace.search().cloud());
    });
    connect(&workspace.search(), &session::PlanSearch::verificationChanged, this, &SearchBinding::showVerification);
    connect(&workspace, &session::Workspace::ownEstimateChanged, this, &SearchBinding::showOwnEstimate);
    connect(&workspace.pins(), &session::PinnedPlans::changed, this, &SearchBinding::showPins);
    connect(&workspace, &session::Workspace::previewChanged, this, &SearchBinding::showPreview);
    connect(&workspace.search(), &session::PlanSearch::bestFound, this, &SearchBinding::showBest);
    connect(&workspace.search(), &session::PlanSearch::whyChanged, this, [this] { Q_EMIT detailsChanged(false); });
    connect(&workspace, &session::Workspace::adopted, this, [this] { m_adopted = true; });
    connect(&workspace.search(), &session::PlanSearch::outdated, this, [this] {
        if (isOfferShown())
            m_views.messages.clear();
        showVerification();
    });
    connectViews();
}

void SearchBinding::connectViews()
{
    SearchPage& page = m_views.page;
    connect(&page, &SearchPage::settingsEdited, &m_workspace, &session::Workspace::editSearch);
    connect(&page, &SearchPage::verifyWanted, &m_workspace.search(), &session::PlanSearch::verify);
    connect(&page, &SearchPage::stopVerifyingWanted, &m_workspace.search(), &session::PlanSearch::stopVerifying);
    connect(&page, &SearchPage::picked, this, [this](const widgets::StrategyPoint& strategy) { pick(strategy, true); });
    connect(&page, &SearchPage::adopted, this, &SearchBinding::adopt);
    connect(&page, &SearchPage::deselected, this, [this] {
        forgetPicked();
        m_workspace.endPreview();
        Q_EMIT detailsChanged(true);
    });
    connect(&page.chart(), &widgets::ParetoChart::measuresChanged, this, &SearchBinding::findFronts);
    widgets::ParetoChart& chart = m_views.chart;
    connect(&chart, &widgets::ParetoChart::picked, this,
        [this](std::size_t strategy) { pick(m_set->points[strategy], true); });
    connect(&chart, &widgets::ParetoChart::pickedOfCloud, this,
        [this](const widgets::StrategyPoint& strategy) { pick(strategy, true); });
    for (widgets::ParetoChart* each : {&chart, &page.chart()}) {
        connect(each, &widgets::ParetoChart::adopted, this, &SearchBinding::adopt);
        connect(each, &widgets::ParetoChart::explained, this, [this](const widgets::StrategyPoint& strategy) {
            pick(strategy, false);
            Q_EMIT detailsWanted();
        });
    }
    connect(&m_views.inputs, &widgets::InputsPanel::lockEdited, &m_workspace, &session::Workspace::lock);
    connect(&m_views.preview, &PreviewBar::adoptWanted, &m_workspace, &session::Workspace::adoptPreview);
    connect(&m_views.preview, &PreviewBar::backWanted, &m_workspace, &session::Workspace::endPreview);
}

void SearchBinding::clear()
{
    m_picked.reset();
    m_set.reset();
    m_offer.clear();
    m_views.page.setStrategies(nullptr);
    m_views.page.setStatus({}, std::nullopt);
}

void SearchBinding::forgetPicked()
{
    m_picked.reset();
    m_views.chart.setSelected(std::nullopt);
}

void SearchBinding::pick(const widgets::StrategyPoint& strategy, bool previewing)
{
    m_picked = strategy;
    if (previewing)
        m_workspace.preview(strategy.strategy, strategy.precision);
    m_workspace.search().askWhy(strategy.strategy, strategy.precision);
    Q_EMIT detailsChanged(true);
}

void SearchBinding::showSettings()
{
    const plan::SearchSettings& settings = m_workspace.document().project().search;
    m_views.page.setSettings(settings);
    m_views.inputs.setLocks(settings.locks);
}

/// Those that the strategy alone tells from the plan: others have no place among its strategies.
void SearchBinding::showPins()
{
    const auto& pins = m_workspace.document().project().pinned;
    const auto& estimates = m_workspace.pins().estimates();
    std::vector<widgets::PinnedPoint> points;
    for (std::size_t i = 0; i < std::min(pins.size(), estimates.size()); ++i) {
        plan::Plan alike = pins[i].plan;
        const bool isKnown = estimates[i] && *estimates[i];
        alike.name = m_workspace.plan().name;
        alike.strategy = m_workspace.plan().strategy;
        if (!isKnown || alike != m_workspace.plan())
            continue;
        const estimate::Estimate& estimate = **estimates[i];
        points.push_back({QString::fromStdString(pins[i].name).section(u':', 0, 0),
            {estimate.strategy, pins[i].plan.training.precision, estimate.step, estimate.memory.peak,
                widgets::StrategyPoint::Kind::Dominated}});
    }
    for (widgets::ParetoChart* chart : {&m_views.chart, &m_views.page.chart()})
        chart->setPins(points);
}

void SearchBinding::showOwnEstimate()
{
    showPins();
    const session::EstimatePointer& ownEstimate = m_workspace.ownEstimate();
    const bool priced = ownEstimate && *ownEstimate;
    for (widgets::ParetoChart* chart : {&m_views.chart, &m_views.page.chart()}) {
        if (priced)
            chart->setCurrent(**ownEstimate, m_workspace.plan().training.precision);
        else
            chart->clearCurrent();
    }
    if (priced)
        m_views.page.setUsualStep((*ownEstimate)->step);
    const bool adopted = m_adopted && priced && (*ownEstimate)->strategy == m_workspace.plan().strategy;
    if (adopted)
        m_adopted = false;
    const search::FoundStrategy* best = m_workspace.search().best();
    if (isOfferShown() || (adopted && best && isBest(*best)))
        showBest(); // it compares with the plan
    if (m_picked)
        Q_EMIT detailsChanged(false); // they compare with it too
}

void SearchBinding::showSearch()
{
    const session::SearchPicturePointer& picture = m_workspace.search().picture();
    if (!picture) {
        clear();
        m_views.chart.setStrategies(nullptr);
        return;
    }
    m_set = strategySet(
        *picture, m_workspace.plan(), m_workspace.document().project().capacity, m_workspace.search().fronts().get());
    m_views.chart.setStrategies(m_set);
    m_views.page.setStrategies(m_set);
    m_views.page.setStatus(
        searchStatus(*picture), picture->hasEnded() ? std::nullopt : std::optional(searchShare(*picture)));
    Q_EMIT progressed(searchShare(*picture));
    showVerification();
    Q_EMIT detailsChanged(false);
    findFronts();
}

/// Of measures whose front the answer does not hold: it takes a search of its own.
void SearchBinding::findFronts()
{
    const widgets::ParetoChart& chart = m_views.page.chart();
    const session::SearchPicturePointer& picture = m_workspace.search().picture();
    const bool ofMfu =
        chart.xMeasure() == widgets::StrategyMeasure::Mfu || chart.yMeasure() == widgets::StrategyMeasure::Mfu;
    if (picture && !chart.isEmpty() && !chart.view().exactFront && canFindFronts(*picture)
        && (m_set->onePrecision || !ofMfu))
        m_workspace.search().findFronts();
}

void SearchBinding::showVerification()
{
    using State = SearchPage::Verification;
    const session::SearchPicturePointer& picture = m_workspace.search().picture();
    const bool possible =
        m_workspace.search().isCurrent() && picture->result && picture->result->proven && picture->result->space > 0;
    const session::VerifyPicturePointer& verification = m_workspace.search().verification();
    if (!verification) {
        m_views.page.setVerification(possible ? State::Possible : State::None, {}, std::nullopt);
        return;
    }
    const VerdictKind kind = verdictKind(*verification);
    std::optional<bool> good;
    if (kind == VerdictKind::Agrees || kind == VerdictKind::Differs)
        good = kind == VerdictKind::Agrees;
    m_views.page.setVerification(kind == VerdictKind::Running ? State::Running
            : possible                                        ? State::Possible
                                                              : State::None,
        verifyStatus(*verification), good);
}

void SearchBinding::showPreview()
{
    const session::PlanPointer& preview = m_workspace.previewed();
    m_views.preview.setText(
        preview ? tr("Preview: %1. The plan is as it was.").arg(widgets::strategyText(preview->strategy)) : QString());
}

bool SearchBinding::isBest(const search::FoundStrategy& best) const
{
    const auto& front = m_workspace.search().picture()->front;
    return std::any_of(front.begin(), front.end(), [&](const search::FoundStrategy& found) {
        return found.value == best.value && found.strategy == m_workspace.plan().strategy
            && found.precision == m_workspace.plan().training.precision;
    });
}

QString SearchBinding::nothingFound(const session::SearchPicturePointer& picture)
{
    const QString why = picture ? searchStatus(*picture) : tr("Nothing was found");
    if (picture && picture->result && picture->result->space == 0) // no machine mends that
        return why;
    return tr("%1. More memory, more accelerators, a smaller model or fewer padlocks would help.").arg(why);
}

void SearchBinding::showBest()
{
    widgets::MessageBar& messages = m_views.messages;
    const session::SearchPicturePointer& picture = m_workspace.search().picture();
    const auto showSearchPage = [this] { Q_EMIT perspectiveWanted(session::Perspective::Search); };
    const search::FoundStrategy* best = m_workspace.search().best();
    const session::EstimatePointer& ownEstimate = m_workspace.ownEstimate();
    m_offer.clear();
    if (!picture || !best) {
        messages.showOfPlan(
            widgets::MessageKind::Error, nothingFound(picture), {{tr("Show the search"), showSearchPage}});
        return;
    }
    const bool proven = picture->result && picture->result->proven;
    if (isBest(*best)) {
        const QString what = proven ? tr("This plan is proven best of %1").arg(searchScope(*picture))
                                    : tr("This plan is the best found, at most %1 from the optimum")
                                          .arg(widgets::shareText(picture->result ? picture->result->gap : 1));
        const bool known = ownEstimate && *ownEstimate && (*ownEstimate)->strategy == m_workspace.plan().strategy;
        messages.showOfPlan(widgets::MessageKind::Done,
            known ? tr("%1; %2.").arg(what, peakRangeText(**ownEstimate)) : what + u'.',
            {{tr("Show the search"), showSearchPage}});
        return;
    }
    QString text = (proven ? tr("Proven best of %1: ").arg(searchScope(*picture))
                           : tr("Best found before the search was stopped: "))
        + tr("%1: %2 per step").arg(widgets::strategyText(best->strategy), widgets::text(best->step));
    if (ownEstimate && *ownEstimate && (*ownEstimate)->step > Seconds(0)) {
        const double change = best->step / (*ownEstimate)->step - 1;
        text += QStringLiteral(" (%1)").arg(widgets::signedText(change, widgets::shareText(std::abs(change))));
    }
    if (picture->result && picture->bestEstimate)
        text += QStringLiteral("; ") + peakRangeText(*picture->bestEstimate);
    m_offer = text + u'.';
    messages.show(widgets::MessageKind::Offer, m_offer,
        {{tr("Adopt the best"), [this, found = *best] { m_workspace.adopt(found.strategy, found.precision); }},
            {tr("Show the search"), showSearchPage}});
}

bool SearchBinding::isOfferShown() const
{
    return !m_offer.isEmpty() && m_views.messages.text() == m_offer;
}

widgets::DetailSections SearchBinding::details() const
{
    const session::SearchPicturePointer& picture = m_workspace.search().picture();
    if (!picture)
        return {};
    if (!m_picked || !m_set)
        return searchDetails(*picture, m_workspace.plan());
    const session::EstimatePointer& ownEstimate = m_workspace.ownEstimate();
    widgets::DetailSections sections = strategyDetails(
        *m_picked, *m_set, picture->request->space, ownEstimate && *ownEstimate ? **ownEstimate : estimate::Estimate());
    const session::WhyPointer& why = m_workspace.search().why();
    if (why && why->strategy == m_picked->strategy) {
        for (widgets::DetailSection& section : whyDetails(*why))
            sections.push_back(std::move(section));
        if (!why->worth && m_workspace.search().worker().isExplaining())
            sections.push_back({tr("With more memory, bandwidth or nodes"), {}, tr("Being worked out…"), {}});
    } else if (!m_workspace.search().worker().isIdle()) {
        sections.push_back({tr("Why it lost to the best"), {},
            m_workspace.search().best() ? tr("Being worked out…") : tr("Known once the search has a best."), {}});
    }
    return sections;
}

} // namespace stratoplan::gui

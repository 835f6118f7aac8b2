// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the search to the views: its pictures go to the Search page and the Pareto chart, a strategy that is picked
// there is previewed everywhere, one that is adopted becomes the plan's.
#pragma once

#include "app/session/perspective.h"
#include "app/session/workspace.h"
#include "widgets/panels/details_panel.h"
#include "widgets/presentation/strategy_set.h"

#include <QObject>

#include <optional>

namespace stratoplan::widgets {
class InputsPanel;
class MessageBar;
class ParetoChart;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class PreviewBar;
class SearchPage;

/// What shows the search; they outlive the binding.
struct SearchViews {
    SearchPage& page;
    widgets::ParetoChart& chart; ///< the small picture, beside the charts of the plan
    widgets::InputsPanel& inputs;
    PreviewBar& preview;
    widgets::MessageBar& messages;
};

class SearchBinding : public QObject {
    Q_OBJECT

public:
    SearchBinding(session::Workspace& workspace, const SearchViews& views, QObject* parent);

    /// What there is to say about the strategy that was picked, and why it lost; of the search if none is. Empty before
    /// the first.
    [[nodiscard]] widgets::DetailSections details() const;
    [[nodiscard]] bool hasPicked() const { return m_picked.has_value(); }
    void forgetPicked();
    /// The settings and padlocks of the document.
    void showSettings();
    /// Nothing of the document before.
    void clear();

Q_SIGNALS:
    /// A strategy was picked, or what is known of it or of the search is more now.
    void detailsChanged(bool picked);
    /// What is picked is to be explained.
    void detailsWanted();
    void perspectiveWanted(session::Perspective perspective);
    /// Share of the work that is done.
    void progressed(double share);

private:
    void connectViews();
    void showSearch();
    void showOwnEstimate();
    void showPins();
    void findFronts();
    void showVerification();
    void showPreview();
    void showBest();
    [[nodiscard]] bool isBest(const search::FoundStrategy& best) const; ///< the plan as it stands
    [[nodiscard]] static QString nothingFound(const session::SearchPicturePointer& picture);
    [[nodiscard]] bool isOfferShown() const;
    void pick(const widgets::StrategyPoint& strategy, bool previewing);
    void adopt(const widgets::StrategyPoint& strategy) { m_workspace.adopt(strategy.strategy, strategy.precision); }

    session::Workspace& m_workspace;
    SearchViews m_views;
    widgets::StrategySetPointer m_set;
    std::optional<widgets::StrategyPoint> m_picked;
    bool m_adopted = false; ///< and its estimate is still to come
    QString m_offer; ///< the message that offers the best strategy, to know it again
};

} // namespace stratoplan::gui

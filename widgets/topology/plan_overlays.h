// SPDX-License-Identifier: GPL-3.0-or-later
// What the canvas shows of the plan that runs on its cluster: ranks coloured along an axis, one group of them traced,
// connections coloured by how long they are in use in a step. Kept while the plan changes.
#pragma once

#include "core/estimate/link_loads.h"
#include "widgets/presentation/rank_map.h"

#include <QObject>
#include <QStringList>

#include <map>
#include <optional>
#include <string>

namespace stratoplan::widgets {

class ElementItem;
class NodeMap;
class TopologyScene;

/// A plan with an estimate, on the cluster that it is of.
struct RunningPlan {
    parallel::Strategy strategy;
    Seconds step{};
    std::map<std::string, estimate::LinkLoad> loads; ///< by the keys of the connections
    std::string busiest; ///< key of the connection that is in use the longest; empty: none is
    bool operator==(const RunningPlan&) const = default;
};

class PlanOverlays final : public QObject {
    Q_OBJECT
public:
    explicit PlanOverlays(TopologyScene& scene);

    /// None: nothing is known of what runs, and nothing of it is shown.
    void setPlan(std::optional<RunningPlan> plan);
    [[nodiscard]] const std::optional<RunningPlan>& plan() const { return m_plan; }
    /// The axis that colours ranks; none: accelerators have the colour of their family.
    [[nodiscard]] std::optional<parallel::Axis> axis() const { return m_axis; }
    void setAxis(std::optional<parallel::Axis> axis);
    /// Ranks along the axis as it is shown; 0: nothing is coloured by one.
    [[nodiscard]] int places() const;
    /// Whether accelerators are left over.
    [[nodiscard]] bool hasIdle() const;
    [[nodiscard]] bool showsLoad() const { return m_showsLoad; }
    void setShowsLoad(bool shows);

    /// Traces the group of the accelerator on the axis. Of the group that is traced already: ends that.
    void trace(const std::string& nodes, int accelerator);
    /// That of the first accelerator of a card, or ends what is traced.
    void toggleTrace(const std::string& nodes);
    /// To the accelerator so many columns right and rows down on its card; false: nothing is traced.
    bool moveTrace(int right, int down);
    /// False: nothing is traced.
    bool endTrace();
    [[nodiscard]] bool isTracing() const { return m_trace.has_value(); }
    /// The card that is traced from; empty = nothing is.
    [[nodiscard]] std::string tracedCard() const { return m_trace ? m_trace->nodes : std::string(); }
    /// What is traced, in one line; empty = nothing.
    [[nodiscard]] QString traceText() const;

    /// An element or a connection, with what is shown of it, for tooltips and screen readers.
    [[nodiscard]] QString describe(const std::string& key) const;
    /// The accelerator of a coloured card that lies there; empty = none does.
    [[nodiscard]] QString describeAt(const QPointF& scenePosition) const;
    /// Of one accelerator of a card.
    [[nodiscard]] QString describe(const std::string& nodes, int accelerator) const;
    /// What the label of a connection says of its load; empty = nothing.
    [[nodiscard]] QString loadLabel(const std::string& key) const;
    [[nodiscard]] bool isNamed(const std::string& key) const;
    /// To the items of the scene, which are others now.
    void apply();

Q_SIGNALS:
    /// What colours the canvas, how many places there are, whether accelerators are idle, or what is traced.
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Trace {
        std::string nodes;
        int accelerator = 0;
    };
    struct Shown {
        std::optional<parallel::Axis> axis;
        bool showsLoad = false;
        int places = 0;
        bool hasIdle = false;
        QString trace;
        bool operator==(const Shown&) const = default;
    };
    void rebuild();
    [[nodiscard]] QString ranksText(const NodeMap& map) const;
    void setToolTipAt(const QPointF& scenePosition) const;
    void tell();
    void showMap(ElementItem& item, const cluster::NodeGroup& nodes) const;
    [[nodiscard]] std::vector<int> traced() const;
    [[nodiscard]] const estimate::LinkLoad* loadOf(const std::string& key) const;

    TopologyScene& m_scene;
    std::optional<RunningPlan> m_plan;
    std::optional<RankMap> m_ranks; ///< of the plan on the cluster that the scene shows
    std::optional<parallel::Axis> m_axis;
    std::optional<Trace> m_trace;
    bool m_showsLoad = false;
    Shown m_shown;
    bool m_isPressed = false; ///< the scene saw it
};

} // namespace stratoplan::widgets

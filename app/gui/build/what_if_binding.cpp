// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/what_if_binding.h"

#include "app/gui/build/what_if_texts.h"
#include "app/session/workspace.h"
#include "widgets/presentation/text.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/topology_text.h"

#include <QAbstractButton>
#include <QApplication>

#include <algorithm>
#include <numeric>

namespace stratoplan::gui {

namespace {

constexpr std::size_t kMostLinks = 6; ///< that are told of with nothing selected, those that buy most
constexpr std::size_t kMostAsked = 32; ///< of which more are not all priced unasked: each is a cluster of its own
constexpr double kWorthALine = 0.0005; ///< with nothing selected

struct Labelled {
    std::vector<cluster::ChangedCluster> changes;
    QStringList labels;

    void add(cluster::ChangedCluster change, const QString& label)
    {
        changes.push_back(std::move(change));
        labels << label;
    }
};

QString labelOf(cluster::ElementChange change)
{
    switch (change) {
    case cluster::ElementChange::NodeFails:
        return WhatIfBinding::tr("A node fails");
    case cluster::ElementChange::NicFails:
        return WhatIfBinding::tr("A NIC fails");
    case cluster::ElementChange::SwitchFails:
        return WhatIfBinding::tr("A switch fails");
    case cluster::ElementChange::CableBreaks:
        return WhatIfBinding::tr("A cable breaks");
    case cluster::ElementChange::TwiceScaleUp:
        return WhatIfBinding::tr("Twice the scale-up links");
    case cluster::ElementChange::TwiceNetwork:
        return WhatIfBinding::tr("Twice the bandwidth");
    }
    return {};
}

/// With nothing selected what would be faster if it were: of the links, and in the nodes.
Labelled ofTheWhole(const cluster::Cluster& cluster)
{
    Labelled all;
    if (cluster.nodes.size() + cluster.connections.size() > kMostAsked)
        return all;
    const auto name = [&](std::string_view id) { return widgets::fromText(widgets::elementName(cluster, id)); };
    for (cluster::FasterLinks& like : fasterLinks(cluster)) {
        const std::size_t first = like.places.front();
        QString what;
        if (like.areNodes)
            what = name(cluster.nodes[first].id);
        else
            what = WhatIfBinding::tr("%1 – %2").arg(
                name(cluster.connections[first].from), name(cluster.connections[first].to));
        if (like.places.size() > 1)
            what = WhatIfBinding::tr("%1 and %2 alike").arg(what, widgets::groupedNumber(like.places.size() - 1));
        const bool isInside = like.changed.change == cluster::ElementChange::TwiceScaleUp;
        all.add(std::move(like.changed),
            (isInside ? WhatIfBinding::tr("Twice the links in %1") : WhatIfBinding::tr("Twice the network of %1"))
                .arg(what));
    }
    return all;
}

Labelled changesOf(const cluster::Cluster& cluster, const QStringList& keys)
{
    if (keys.isEmpty())
        return ofTheWhole(cluster);
    if (keys.size() > 1)
        return {};
    const std::string key = keys.front().toStdString();
    const auto connection = widgets::connectionIndex(cluster, key);
    Labelled all;
    for (cluster::ChangedCluster& change :
        connection ? changesOfConnection(cluster, *connection) : changesOfElement(cluster, key)) {
        const QString label = labelOf(change.change);
        all.add(std::move(change), label);
    }
    return all;
}

bool isFailure(cluster::ElementChange change)
{
    return change != cluster::ElementChange::TwiceScaleUp && change != cluster::ElementChange::TwiceNetwork;
}

QString replannedLabel(const QString& label)
{
    return WhatIfBinding::tr("%1, re-planned").arg(label);
}

} // namespace

WhatIfBinding::WhatIfBinding(session::Workspace& workspace, widgets::ClusterInspector& inspector, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_inspector(inspector)
{
    connect(&m_worker, &session::WhatIfWorker::answered, this, &WhatIfBinding::show);
    connect(&m_replanner, &session::ReplanWorker::progressed, this, [this](double share) {
        m_share = share;
        showLines();
    });
    connect(&m_replanner, &session::ReplanWorker::answered, this, [this](const session::WhatIfPointer& best) {
        m_justFound = std::exchange(m_sought, std::nullopt);
        m_replans[*m_justFound] = best;
        m_untilPressed.start(QApplication::doubleClickInterval());
        showLines();
    });
    m_untilPressed.setSingleShot(true);
    connect(&m_untilPressed, &QTimer::timeout, this, [this] {
        m_justFound.reset();
        showLines();
    });
    connect(&workspace.search(), &session::PlanSearch::changed, this, [this] {
        if (!m_replans.empty())
            showLines();
    });
    connect(&inspector.whatIfs(), &widgets::WhatIfList::pressed, this, &WhatIfBinding::press);
    connect(&inspector, &widgets::ClusterInspector::shown, this, &WhatIfBinding::ask);
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (parts & session::ProjectPart::Plan)
            ask();
        else if (parts & session::ProjectPart::Search) {
            forgetReplans(); // they were found with the settings before
            if (m_answers)
                showLines();
        }
    });
}

void WhatIfBinding::setSelection(const QStringList& keys)
{
    m_selection = keys;
    ask();
}

void WhatIfBinding::ask()
{
    m_answers.reset();
    m_shown.clear();
    forgetReplans();
    Labelled all;
    if (m_inspector.isVisible())
        all = changesOf(m_workspace.plan().cluster, m_selection);
    m_labels = all.labels;
    std::vector<widgets::WhatIfLine> lines;
    if (!m_selection.isEmpty()) // with nothing selected, which ones are worth a line is not known yet
        for (const QString& label : m_labels)
            lines.push_back({label, {}, {}});
    m_inspector.whatIfs().setLines(lines);
    m_inspector.setCrossing(crossingText(m_workspace.plan(), m_selection));
    if (all.changes.empty())
        m_worker.forget();
    else
        m_worker.ask(m_workspace.plan(), std::move(all.changes));
}

void WhatIfBinding::forgetReplans()
{
    m_replans.clear();
    m_sought.reset();
    m_justFound.reset();
    m_untilPressed.stop();
    m_replanner.forget();
}

void WhatIfBinding::show(const session::WhatIfsPointer& answers)
{
    m_answers = answers;
    std::vector<std::size_t> shown(answers->size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (m_selection.isEmpty()) {
        std::erase_if(shown,
            [&](std::size_t i) { return !((*answers)[i].step > Seconds{}) || (*answers)[i].longer > -kWorthALine; });
        std::ranges::stable_sort(shown, {}, [&](std::size_t i) { return (*answers)[i].longer; });
        shown.resize(std::min(shown.size(), kMostLinks));
    }
    m_shown.clear();
    for (const std::size_t i : shown) {
        m_shown.push_back({i, false});
        if (isFailure((*answers)[i].change))
            m_shown.push_back({i, true});
    }
    showLines();
}

void WhatIfBinding::showLines()
{
    std::vector<widgets::WhatIfLine> lines;
    for (const Shown& shown : m_shown)
        lines.push_back(shown.isReplan ? replanLine(shown.answer)
                                       : whatIfLine(m_labels.at(static_cast<qsizetype>(shown.answer)),
                                           (*m_answers)[shown.answer], m_workspace.plan()));
    m_inspector.whatIfs().setLines(lines);
    for (std::size_t i = 0; i < m_shown.size(); ++i)
        setEnabled(static_cast<int>(i), !m_shown[i].isReplan || m_justFound != m_shown[i].answer);
}

void WhatIfBinding::setEnabled(int line, bool enabled)
{
    widgets::WhatIfList& list = m_inspector.whatIfs();
    QAbstractButton* const button = list.button(line);
    if (!button || button->isEnabled() == enabled)
        return;
    // The focus waits at the list: a key that was meant for this button presses no other.
    QWidget* const focused = QApplication::focusWidget();
    if (focused == button)
        list.setFocus();
    button->setEnabled(enabled);
    if (enabled && focused == &list)
        button->setFocus();
}

widgets::WhatIfLine WhatIfBinding::replanLine(std::size_t answer) const
{
    const QString label = replannedLabel(m_labels.at(static_cast<qsizetype>(answer)));
    if (m_sought == answer)
        return {label, {}, tr("searching, %1 done").arg(widgets::shareText(m_share)), tr("Stop"),
            tr("Give the search up.")};
    const auto found = m_replans.find(answer);
    if (found == m_replans.end())
        return {label, {}, {}, tr("Find"),
            tr("Search for the best strategy of what is left, with the settings and padlocks of the search.")};
    widgets::WhatIfLine line = whatIfLine(label, *found->second, m_workspace.plan());
    if (!(found->second->step > Seconds{}))
        line.note = tr("The search finds no strategy that fits then.");
    else if (*found->second == (*m_answers)[answer])
        line.note = line.note.isEmpty() ? tr("the search finds none better")
                                        : tr("%1: the search finds none better").arg(line.note);
    if (const QString whole = besideTheWhole(*found->second); !whole.isEmpty())
        line.note += (line.note.isEmpty() ? QString() : tr(", ")) + whole;
    return line;
}

QString WhatIfBinding::besideTheWhole(const session::WhatIf& answer) const
{
    if (!(answer.step > Seconds{}))
        return {};
    const session::PlanSearch& known = m_workspace.search();
    const session::SearchPicture* picture = known.isCurrent() ? known.picture().get() : nullptr;
    const bool isProven = picture && picture->result && picture->result->proven && picture->bestEstimate;
    if (isProven && picture->request->options.objective == plan::Objective::Throughput) {
        // As the answer is priced, whatever the search went by.
        const double longer = session::ofSequence(answer.step, answer.plan)
                / session::ofSequence(picture->bestEstimate->step, m_workspace.plan())
            - 1;
        return tr("%1 beside the best plan of all nodes").arg(widgets::signedShareText(longer));
    }
    return !isNoChange(answer.longer) && answer.longer < 0 ? tr("the plan as it is is not the best of all nodes")
                                                           : QString();
}

void WhatIfBinding::press(int line)
{
    if (!m_answers || line < 0 || static_cast<std::size_t>(line) >= m_shown.size())
        return;
    const Shown shown = m_shown[static_cast<std::size_t>(line)];
    const QString label = m_labels.at(static_cast<qsizetype>(shown.answer));
    const auto replan = m_replans.find(shown.answer);
    if (!shown.isReplan) {
        tryOut((*m_answers)[shown.answer], label);
    } else if (replan != m_replans.end()) {
        tryOut(*replan->second, replannedLabel(label));
    } else if (m_sought == shown.answer) {
        m_sought.reset();
        m_replanner.forget();
        showLines();
    } else {
        m_sought = shown.answer;
        m_share = 0;
        m_replanner.ask(m_workspace.document().project(), (*m_answers)[shown.answer]);
        showLines();
    }
}

void WhatIfBinding::tryOut(const session::WhatIf& answer, const QString& label)
{
    const plan::Plan next = answer.plan; // the edit asks anew
    m_workspace.editPlan(next, label);
}

} // namespace stratoplan::gui

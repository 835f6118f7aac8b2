// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/pinned_plans.h"

#include "app/session/plan_fields.h"

#include <algorithm>
#include <utility>

namespace stratoplan::session {

const estimate::Estimate* PinnedPlans::baseline() const
{
    return !m_estimates.empty() && m_estimates.front() && *m_estimates.front() ? &**m_estimates.front() : nullptr;
}

void PinnedPlans::take(const std::vector<EstimatePointer>& estimates)
{
    m_estimates = estimates;
    Q_EMIT changed();
}

/// What is known of a pinned plan already is not asked again.
EstimatePointer PinnedPlans::knownEstimate(const plan::Plan& plan) const
{
    for (std::size_t i = 0; i < m_asked.size(); ++i)
        if (m_estimates[i] && m_asked[i].plan == plan)
            return m_estimates[i];
    return nullptr;
}

void PinnedPlans::update(BackgroundPlanner& planner, const PlanPointer& plan, const EstimatePointer& estimate)
{
    const auto& pins = m_document.project().pinned;
    const bool samePlans = std::equal(pins.begin(), pins.end(), m_asked.begin(), m_asked.end(),
        [](const plan::PinnedPlan& a, const plan::PinnedPlan& b) { return a.plan == b.plan; });
    if (!samePlans) {
        std::vector<PlanPointer> plans;
        std::vector<EstimatePointer> known;
        for (const plan::PinnedPlan& pinned : pins) {
            plans.push_back(std::make_shared<const plan::Plan>(pinned.plan));
            known.push_back(plan && *plan == pinned.plan ? estimate : knownEstimate(pinned.plan));
        }
        m_estimates = known;
        planner.requestPinned(std::move(plans), std::move(known));
    }
    m_asked = pins;
    Q_EMIT changed();
}

void PinnedPlans::edit(const QString& text, std::vector<plan::PinnedPlan> pins)
{
    ProjectChange change;
    change.pinned = std::move(pins);
    m_document.edit(std::move(change), text);
}

void PinnedPlans::add(bool asBaseline)
{
    m_document.release();
    const plan::Plan& plan = m_document.plan();
    std::vector<plan::PinnedPlan> pins = m_document.project().pinned;
    // Letters as people name alternatives; after Z, numbers.
    const auto taken = [&](const QString& name) {
        return std::any_of(pins.begin(), pins.end(),
            [&](const plan::PinnedPlan& p) { return QString::fromStdString(p.name).startsWith(name + u':'); });
    };
    QString letter;
    for (int i = 0; letter.isEmpty() || taken(letter); ++i)
        letter = i < 26 ? QString(QChar(u'A' + i)) : QString::number(i + 1);
    const QString name = letter + QStringLiteral(": ") + strategyTitle(plan.strategy);
    pins.insert(asBaseline ? pins.begin() : pins.end(), {name.toStdString(), plan, m_document.project().capacity, {}});
    edit(asBaseline ? tr("Pin %1 as baseline").arg(letter) : tr("Pin %1").arg(letter), std::move(pins));
}

void PinnedPlans::changePin(
    int pin, const QString& text, const std::function<void(std::vector<plan::PinnedPlan>&)>& change)
{
    std::vector<plan::PinnedPlan> pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    change(pins);
    edit(text, std::move(pins));
}

void PinnedPlans::makeBaseline(int pin)
{
    changePin(pin, tr("Change the baseline"), [pin](std::vector<plan::PinnedPlan>& pins) {
        std::rotate(pins.begin(), pins.begin() + pin, pins.begin() + pin + 1);
    });
}

void PinnedPlans::rename(int pin, const QString& name)
{
    if (!name.isEmpty())
        changePin(pin, tr("Rename a pinned plan"), [&](std::vector<plan::PinnedPlan>& pins) {
            pins[static_cast<std::size_t>(pin)].name = name.toStdString();
        });
}

void PinnedPlans::setNote(int pin, const QString& note)
{
    changePin(pin, tr("Change a note"),
        [&](std::vector<plan::PinnedPlan>& pins) { pins[static_cast<std::size_t>(pin)].note = note.toStdString(); });
}

void PinnedPlans::remove(int pin)
{
    changePin(pin, tr("Remove a pinned plan"),
        [pin](std::vector<plan::PinnedPlan>& pins) { pins.erase(pins.begin() + pin); });
}

void PinnedPlans::clear()
{
    edit(tr("Remove all pins"), {});
}

void PinnedPlans::adopt(int pin)
{
    const auto& pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    const plan::PinnedPlan pinned = pins[static_cast<std::size_t>(pin)];
    ProjectChange change;
    change.plan = pinned.plan;
    change.capacity = pinned.capacity;
    m_document.edit(std::move(change), tr("Adopt %1").arg(QString::fromStdString(pinned.name)));
}

} // namespace stratoplan::session

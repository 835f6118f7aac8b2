// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/step_bar.h"

#include "widgets/style/icons.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr int kTick = 33; // ms
constexpr double kStepDuration = 1200; // ms
constexpr std::array kSpeeds{0.5, 1.0, 2.0, 4.0};

QString speedText(double factor)
{
    return factor < 1 ? QStringLiteral("½×") : QStringLiteral("%1×").arg(factor);
}
} // namespace

StepBar::StepBar(QWidget* parent)
    : QWidget(parent)
    , m_track(new StepTrack(this))
    , m_play(addButton(tr("Play the steps (Space)")))
    , m_pace(addButton(tr("Speed")))
    , m_loop(addButton(tr("Begin again after the last step")))
{
    m_play->setIcon(icon(QStringLiteral("play")));
    m_loop->setIcon(icon(QStringLiteral("repeat")));
    m_loop->setCheckable(true);
    makeSpeeds();
    setSpeed(1);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 6);
    row->setSpacing(2);
    row->addWidget(m_play, 0, Qt::AlignVCenter);
    row->addWidget(m_pace, 0, Qt::AlignVCenter);
    row->addWidget(m_loop, 0, Qt::AlignVCenter);
    row->addSpacing(8);
    row->addWidget(m_track, 1);
    m_timer.setInterval(kTick);
    connect(&m_timer, &QTimer::timeout, this, &StepBar::advance);
    connect(m_play, &QToolButton::clicked, this, [this] {
        if (!m_play->hasFocus()) // by mouse: the keys go on with the track
            m_track->setFocus(Qt::OtherFocusReason);
        togglePlaying();
    });
    connect(m_track, &StepTrack::playWanted, this, &StepBar::togglePlaying);
    connect(m_track, &StepTrack::momentChosen, this, [this](int moment) {
        setPlaying(false);
        Q_EMIT momentChanged(moment);
    });
}

std::vector<QWidget*> StepBar::tabStops() const
{
    return {m_play, m_pace, m_loop, m_track};
}

QToolButton* StepBar::addButton(const QString& name)
{
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

void StepBar::makeSpeeds()
{
    auto* menu = new QMenu(m_pace);
    auto* group = new QActionGroup(menu);
    for (const double factor : kSpeeds) {
        QAction* action = group->addAction(speedText(factor));
        action->setCheckable(true);
        action->setData(factor);
        connect(action, &QAction::triggered, this, [this, factor] { setSpeed(factor); });
    }
    menu->addActions(group->actions());
    m_pace->setMenu(menu);
    m_pace->setPopupMode(QToolButton::InstantPopup);
}

void StepBar::setStrip(StepStrip strip)
{
    if (int(strip.moments.size()) != m_track->moments())
        setPlaying(false);
    m_track->setStrip(std::move(strip));
}

void StepBar::setMoment(int moment)
{
    setPlaying(false);
    m_track->setMoment(moment);
}

void StepBar::setSpeed(double factor)
{
    m_speed = factor;
    m_pace->setText(speedText(factor));
    for (QAction* action : m_pace->menu()->actions())
        action->setChecked(action->data().toDouble() == factor);
}

void StepBar::setLooping(bool loops)
{
    m_loop->setChecked(loops);
}

bool StepBar::isLooping() const
{
    return m_loop->isChecked();
}

void StepBar::setPlaying(bool playing)
{
    if (playing == isPlaying() || (playing && (!isVisible() || m_track->moments() == 0)))
        return;
    if (playing) {
        if (moment() == m_track->moments() - 1) { // at the end it begins again
            m_track->setMoment(0);
            Q_EMIT momentChanged(0);
        }
        m_clock.start();
        m_timer.start();
    } else {
        m_timer.stop();
        setTravel(0);
    }
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    const QString name = playing ? tr("Pause (Space)") : tr("Play the steps (Space)");
    m_play->setToolTip(name);
    m_play->setAccessibleName(name);
    Q_EMIT playingChanged(playing);
}

void StepBar::setTravel(double share)
{
    m_travel = share;
    m_track->setMoment(moment(), share);
    Q_EMIT travelChanged(share);
}

void StepBar::advance()
{
    const double travel = m_travel + double(m_clock.restart()) * m_speed / kStepDuration;
    if (travel < 1)
        return setTravel(travel);
    const bool last = moment() == m_track->moments() - 1;
    if (last && !isLooping())
        return setPlaying(false);
    m_track->setMoment(last ? 0 : moment() + 1);
    setTravel(0);
    Q_EMIT momentChanged(moment());
}

void StepBar::hideEvent(QHideEvent* event)
{
    setPlaying(false);
    QWidget::hideEvent(event);
}

} // namespace stratoplan::widgets

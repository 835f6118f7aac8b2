// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of moments with what plays it: a button, a speed, a loop. It rests while nobody sees it.
#pragma once

#include "widgets/partition/step_track.h"

#include <QElapsedTimer>
#include <QTimer>

class QToolButton;

namespace stratoplan::widgets {

class StepBar : public QWidget {
    Q_OBJECT
public:
    explicit StepBar(QWidget* parent = nullptr);

    void setStrip(StepStrip strip);
    [[nodiscard]] StepTrack& track() const { return *m_track; }
    [[nodiscard]] int moment() const { return m_track->moment(); }
    /// Tells nobody, and pauses.
    void setMoment(int moment);

    void setPlaying(bool playing);
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    void togglePlaying() { setPlaying(!isPlaying()); }
    void setSpeed(double factor); ///< 1: a step in 1.2 s
    [[nodiscard]] double speed() const { return m_speed; }
    void setLooping(bool loops);
    [[nodiscard]] bool isLooping() const;
    [[nodiscard]] QToolButton& playButton() const { return *m_play; }
    /// In the order of the Tab key.
    [[nodiscard]] std::vector<QWidget*> tabStops() const;

Q_SIGNALS:
    /// By a person or by playing.
    void momentChanged(int moment);
    /// How far what is under way has come while it plays, 0 to 1; 0 when it rests.
    void travelChanged(double share);
    void playingChanged(bool playing);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    void makeSpeeds();
    void advance();
    void setTravel(double share);
    QToolButton* addButton(const QString& name);

    StepTrack* m_track;
    QToolButton* m_play;
    QToolButton* m_pace;
    QToolButton* m_loop;
    QTimer m_timer;
    QElapsedTimer m_clock; ///< since the last tick
    double m_speed = 1;
    double m_travel = 0;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The moments of a divided operator as a strip of small grids, phase by phase, with a mark at the moment that is shown:
// drag it, or move it by keys.
#pragma once

#include "widgets/presentation/block_colours.h"

#include <QWidget>
#include <vector>

namespace stratoplan::widgets {

/// A small grid of the strip.
struct StepPicture {
    std::vector<std::vector<BlockTone>> tones; ///< of each rank's bands
    bool sends = false; ///< something is under way meanwhile
    bool sums = false; ///< what has been made is summed up then
    QString tip;
    bool operator==(const StepPicture&) const = default;
};

struct StepStrip {
    int bits = 0; ///< of a rank's number
    unsigned columnBits = 0;
    std::vector<StepPicture> moments; ///< as many for each phase
    bool operator==(const StepStrip&) const = default;
};

class StepTrack : public QWidget {
    Q_OBJECT
public:
    explicit StepTrack(QWidget* parent = nullptr);

    /// The moment stays where there is one of its number, else it is the first.
    void setStrip(StepStrip strip);
    [[nodiscard]] int moments() const { return int(m_strip.moments.size()); }
    /// Tells nobody.
    void setMoment(int moment, double travel = 0);
    [[nodiscard]] int moment() const { return m_moment; }
    [[nodiscard]] QRectF cell(int moment) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void momentChosen(int moment); ///< by a person
    void playWanted(); ///< or a pause

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int steps() const { return moments() / 3; }
    [[nodiscard]] int momentAt(double x) const;
    [[nodiscard]] double titleHeight() const;
    void choose(int moment);
    void describe();
    void paintPhase(QPainter& painter, int phase) const;
    void paintMoment(QPainter& painter, int moment) const;
    void paintGrid(QPainter& painter, const StepPicture& picture, const QRectF& area) const;
    void paintMark(QPainter& painter) const;

    StepStrip m_strip;
    int m_moment = 0;
    double m_travel = 0;
};

} // namespace stratoplan::widgets

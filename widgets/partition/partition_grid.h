// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of a group as a grid on plates of domains, with what each holds of an operator at a moment and what is
// under way between them. Pointing at a rank shows its arrows alone, a click or the arrow keys select it.
#pragma once

#include "widgets/partition/grid_painter.h"

#include <QWidget>

namespace stratoplan::widgets {

class PartitionGrid : public QWidget {
    Q_OBJECT
public:
    explicit PartitionGrid(QWidget* parent = nullptr);

    /// The selected rank stays where there is one of its number.
    void setFrame(PartitionFrame frame);
    [[nodiscard]] const PartitionFrame& frame() const { return m_frame; }
    /// How far what is under way has come, 0 to 1; 0 shows nothing of it.
    void setTravel(double share);
    [[nodiscard]] double travel() const { return m_marks.travel; }
    /// Tells nobody; -1: none.
    void setSelectedRank(int rank);
    [[nodiscard]] int selectedRank() const { return m_marks.selected; }
    [[nodiscard]] int hoveredRank() const { return m_marks.hovered; }
    [[nodiscard]] const PartitionLayout& grid() const { return m_layout; }
    /// The ranks as they stand, without what a pointer or the keyboard marks.
    void paintRanks(QPainter& painter) const;

    QSize sizeHint() const override { return {620, 420}; }
    QSize minimumSizeHint() const override; ///< in which blocks can be read

Q_SIGNALS:
    /// By a person; -1: none any more.
    void rankChosen(int rank);
    void playWanted(); ///< or a pause

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void relayout();
    void choose(int rank);
    void setHovered(int rank);
    void describe();

    PartitionFrame m_frame;
    PartitionLayout m_layout;
    std::optional<GridPainter> m_painter; ///< none where there is no rank
    GridMarks m_marks;
};

} // namespace stratoplan::widgets

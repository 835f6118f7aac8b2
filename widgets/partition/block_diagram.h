// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of a layer in the order in which they run, from top to bottom, with the residual stream beside them;
// each says how it is divided. A click or the arrow keys choose one.
#pragma once

#include <QWidget>
#include <vector>

namespace stratoplan::widgets {

struct DiagramOperator {
    QString name; ///< "FFN up"
    enum class Kind { Linear, Residual, Other } kind = Kind::Other;
    QString division; ///< "K,P2x2", "B,M,H"
    int alsoFrom = -1; ///< number of an earlier operator whose output it takes beside that of the one before it
    bool operator==(const DiagramOperator&) const = default;
};

class BlockDiagram : public QWidget {
    Q_OBJECT
public:
    explicit BlockDiagram(QWidget* parent = nullptr);

    /// The chosen operator stays where there is one of its number.
    void setOperators(std::vector<DiagramOperator> operators);
    [[nodiscard]] const std::vector<DiagramOperator>& operators() const { return m_operators; }
    void setCurrent(int index); ///< tells nobody; -1: none
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] QRectF box(int index) const;
    /// What its box has room for: the end of either is left out, never all of it; the tooltip has both whole.
    struct Texts {
        QString name; ///< "FFN up"
        QString division; ///< "K,P2x2"
    };
    [[nodiscard]] Texts texts(int index) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void operatorChosen(int index); ///< by a person

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int indexAt(QPointF at) const; ///< -1: none
    [[nodiscard]] double leastRow() const;
    void choose(int index);
    void describe();
    [[nodiscard]] QFont nameFont(int index) const;
    [[nodiscard]] QFont divisionFont() const;
    [[nodiscard]] static QString nameOf(const DiagramOperator& op);
    [[nodiscard]] int widthOfTexts() const;
    void paintBox(QPainter& painter, int index) const;
    void paintFlow(QPainter& painter) const;
    void paintSkips(QPainter& painter) const;
    void paintBranches(QPainter& painter) const;
    [[nodiscard]] QString tip(int index) const;

    std::vector<DiagramOperator> m_operators;
    int m_current = -1;
    int m_hovered = -1;
};

} // namespace stratoplan::widgets

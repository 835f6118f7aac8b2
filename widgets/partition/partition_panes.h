// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the partition explorer: all at once where there is room, else those that need room of their own have a
// tab each.
#pragma once

#include <QByteArray>
#include <QWidget>

class QSplitter;
class QTabBar;

namespace stratoplan::widgets {

class PartitionPanes : public QWidget {
    Q_OBJECT
public:
    struct Parts {
        QWidget* diagram;
        QWidget* blocks;
        QWidget* rank;
        QWidget* costs;
    };
    explicit PartitionPanes(const Parts& parts, QWidget* parent = nullptr);

    enum class Pane { Blocks, Rank, Costs };
    /// Where it has a tab.
    void setPane(Pane pane);
    void setHasCosts(bool hasCosts);
    void setRank(int rank); ///< as its tab names it; -1: none
    [[nodiscard]] QTabBar& tabs() const { return *m_tabs; }
    [[nodiscard]] bool isShort() const { return m_isShort; } ///< too low for costs below the blocks

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void shortChanged(bool isShort);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeTabs();
    void findRoom();
    void setRoom(bool isNarrow, bool isShort);
    void arrange();

    Parts m_parts;
    QTabBar* m_tabs;
    QSplitter* m_rows;
    QSplitter* m_columns;
    QByteArray m_rowsBefore, m_columnsBefore; ///< when all parts were shown last
    bool m_isNarrow = false; ///< too narrow for a rank beside the blocks
    bool m_isShort = false;
    bool m_hasCosts = true;
};

} // namespace stratoplan::widgets

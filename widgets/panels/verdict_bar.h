// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on the plan, always in sight: step time, throughput, utilisation, memory, days and cost, each against a
// pinned baseline. Cells move to a second row rather than being cut.
#pragma once

#include "widgets/panels/verdict_text.h"

#include <QAbstractButton>
#include <QTimer>
#include <vector>

namespace stratoplan::widgets {

class StaleVeil;

/// One figure. A click asks how it was computed.
class VerdictCell : public QAbstractButton {
    Q_OBJECT

public:
    explicit VerdictCell(VerdictFigure figure, QWidget* parent = nullptr);
    void setContent(const VerdictText& content);
    /// As VerdictBar::setStale(): the figure is not that of the plan as it stands.
    void setStale(const QString& notice);
    [[nodiscard]] const VerdictText& content() const { return m_content; }
    [[nodiscard]] VerdictFigure figure() const { return m_figure; }
    /// Without the third line, whose place the reason of an unpriced plan takes.
    void setShort(bool isShort);
    [[nodiscard]] int naturalWidth() const; ///< everything fits
    [[nodiscard]] int compactWidth() const; ///< value, unit and delta fit; the rest is dropped or elided
    [[nodiscard]] int naturalHeight() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintValue(QPainter& painter, const QRect& line) const;
    void paintBelow(QPainter& painter, const QRect& line) const;
    void paintBar(QPainter& painter, const QRect& line) const;
    void describe();
    [[nodiscard]] QFont titleFont() const;
    [[nodiscard]] QFont valueFont() const;
    [[nodiscard]] bool deltaBesideValue() const { return m_content.filled.has_value(); }

    VerdictFigure m_figure;
    VerdictText m_content;
    QString m_stale;
    bool m_short = false;
};

class VerdictBar : public QWidget {
    Q_OBJECT

public:
    explicit VerdictBar(QWidget* parent = nullptr);

    void setEstimate(const estimate::Estimate& estimate, const std::optional<capacity::Capacity>& capacity);
    /// Nothing is known yet: the figures become "–".
    void clear();
    /// Token budget, price and goodput, which the cells name.
    void setCapacityInputs(const plan::CapacityInputs& inputs);
    void setBaseline(
        const QString& name, const estimate::Estimate& estimate, const std::optional<capacity::Capacity>& capacity);
    void clearBaseline();
    /// The plan cannot be priced: the figures become "–" and the first problem says why.
    void setProblems(const std::vector<plan::Problem>& problems);
    /// A thin bar says that a newer answer is on its way; the last picture stays. Short waits show nothing.
    void setUpdating(bool updating);
    [[nodiscard]] bool isUpdatingShown() const { return m_updatingShown; }
    /// Pales the figures, which are not of the plan as it stands, and writes `notice` over them; "" ends it.
    void setStale(const QString& notice);
    [[nodiscard]] QString staleNotice() const;

    [[nodiscard]] VerdictCell* cell(VerdictFigure figure) const;
    [[nodiscard]] QString reason() const { return m_reason; }
    [[nodiscard]] int rowCount() const { return m_rows; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The person asks how a figure was computed.
    void figureChosen(widgets::VerdictFigure figure);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void describe();
    void arrange();
    [[nodiscard]] int rowsFor(int width) const;
    [[nodiscard]] int cellsInRow(int row, int rows) const;

    std::vector<VerdictCell*> m_cells;
    std::optional<VerdictState> m_state;
    std::optional<VerdictState> m_baseline;
    QString m_baselineName;
    plan::CapacityInputs m_inputs;
    QString m_reason;
    StaleVeil* m_veil;
    QTimer m_updatingDelay;
    int m_rows = 1;
    bool m_updatingShown = false;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of every pipeline stage by kind, against the capacity of the accelerator; the peak is named in place.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/charts/chart_view.h"

#include <optional>

namespace stratoplan {

class MemoryChart : public ChartView {
    Q_OBJECT
public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setEstimate(const Estimate& estimate);
    void clear();

    [[nodiscard]] const std::optional<MemoryView>& view() const { return m_view; }

    struct Hit {
        std::size_t stage = 0;
        std::size_t segment = 0;
        bool operator==(const Hit&) const = default;
    };
    [[nodiscard]] QRectF segmentRect(Hit segment) const;
    [[nodiscard]] std::optional<Hit> segmentAt(QPointF at) const;
    /// A text on the plot and where it stands; empty where there is no room for it.
    struct Label {
        QString text;
        QRectF rect;
    };
    struct Labels {
        Label capacity, peak;
    };
    [[nodiscard]] Labels labels() const;

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

Q_SIGNALS:
    void stageClicked(int stage);

protected:
    void fitView() override;
    void restyle() override;
    void pointerMoved(QPointF at) override;
    void pointerLeft() override;
    void pointerClicked(QPointF at) override;
    bool keyPressed(QKeyEvent& event) override;
    std::function<void()> explanationAt(QPointF at) override;
    std::optional<QPointF> pointedAt() const override;

private:
    void relayout();
    void updateBounds();
    [[nodiscard]] double top() const;
    [[nodiscard]] QRectF columnRect(std::size_t stage) const;
    void setHover(std::optional<Hit> hit);
    [[nodiscard]] QString toolTipOf(Hit hit) const;
    [[nodiscard]] QRectF labelArea() const;
    [[nodiscard]] QString capacityText() const;
    [[nodiscard]] QString peakText() const;
    [[nodiscard]] Label capacityLabel() const;
    [[nodiscard]] Label peakLabel(const QRectF& capacity) const;
    void paintColumns(QPainter& painter) const;
    void paintCapacity(QPainter& painter) const;
    void paintHover(QPainter& painter) const;

    std::optional<MemoryView> m_view;
    std::optional<Hit> m_hover;
};

} // namespace stratoplan

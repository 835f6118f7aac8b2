// SPDX-License-Identifier: GPL-3.0-or-later
// Up to a million strategies of a space as points of a picture: what is drawn of them where, and which one the pointer
// means.
#pragma once

#include "core/search/cloud.h"
#include "widgets/presentation/pareto.h"

#include <QImage>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

/// Grows part by part; a larger one shares the parts of the one before.
struct StrategyCloud {
    std::vector<std::shared_ptr<const std::vector<search::CloudPoint>>> parts;
    std::size_t size = 0; ///< points in all parts
    std::int64_t space = 0; ///< strategies that they are drawn from
    bool growing = false;
    std::function<search::SpaceCloud::Drawn(std::uint32_t number)> strategyOf; ///< what a point stands for
};
using StrategyCloudPointer = std::shared_ptr<const StrategyCloud>;

[[nodiscard]] double measured(const search::CloudPoint& point, StrategyMeasure measure, const StrategyRates& rates);

/// The points gathered into the pixels of a picture: a frame costs a pass over them, and a few milliseconds for a
/// million. What is new in a cloud is added to what there is.
class CloudGrid {
public:
    static constexpr std::size_t kFinest =
        50'000; ///< points from which each is one pixel and faint; fewer are two pixels wide
    static constexpr int kCrossCell = 4;

    /// Null: nothing. Of a cloud that goes on from the last one only what is new is looked at.
    void setCloud(const StrategyCloudPointer& cloud, StrategyMeasure x, StrategyMeasure y, const StrategyRates& rates);
    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] bool anyDominated() const { return m_dominated > 0; }
    [[nodiscard]] bool anyOutOfMemory() const { return m_dominated < m_values.size(); }
    [[nodiscard]] double mostX() const { return m_mostX; }
    [[nodiscard]] double mostY() const { return m_mostY; }
    [[nodiscard]] QPointF valueAt(std::size_t point) const { return {m_values[point].x, m_values[point].y}; }
    [[nodiscard]] const search::CloudPoint& pointAt(std::size_t point) const;

    /// Where the picture stands now, in pixels.
    void place(const QRect& area, PixelScale x, PixelScale y);
    /// Of the size of the area: the more strategies share a pixel, the darker; what does not fit as small crosses.
    [[nodiscard]] const QImage& image(const QColor& dominated, const QColor& outOfMemory);
    /// The point whose pixel is nearest to `at` within `radius` pixels.
    [[nodiscard]] std::optional<std::size_t> nearest(QPointF at, double radius) const;
    /// How many points of a kind the pixel holds, at most 65,535; for tests.
    [[nodiscard]] int countAt(QPoint pixel) const;

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t(0);
    struct Value {
        float x = 0;
        float y = 0;
        bool fits = false;
    };
    [[nodiscard]] bool continues(const StrategyCloud& cloud) const;
    void forget();
    void add(std::size_t first);
    [[nodiscard]] std::size_t cellOf(int column, int row) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns) + static_cast<std::size_t>(column);
    }
    void paintDominated(const QColor& colour);
    void paintCrosses(const QColor& colour);

    StrategyCloudPointer m_cloud;
    StrategyMeasure m_xMeasure = StrategyMeasure::PeakMemory;
    StrategyMeasure m_yMeasure = StrategyMeasure::Throughput;
    StrategyRates m_rates;
    std::vector<Value> m_values;
    std::size_t m_dominated = 0;
    double m_mostX = 0;
    double m_mostY = 0;

    QRect m_area;
    PixelScale m_x, m_y;
    int m_cell = 1; ///< pixels
    int m_columns = 0;
    int m_rows = 0;
    std::size_t m_placed = 0; ///< values that the cells hold
    std::vector<std::uint16_t> m_counts; ///< by cell: of what fits
    std::vector<std::uint16_t> m_crosses; ///< by cell of crosses: of what does not
    std::vector<std::uint32_t> m_top; ///< by cell: a point of it
    QImage m_image;
    bool m_painted = false;
    QColor m_dominatedColour, m_crossColour;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The matrices of a product as they are multiplied, input left, weight above, output where they meet, with the blocks
// that a rank holds of them.
#pragma once

#include "widgets/presentation/partition_scene.h"

#include <QWidget>
#include <memory>

namespace stratoplan::widgets {

class ProductView : public QWidget {
    Q_OBJECT
public:
    explicit ProductView(QWidget* parent = nullptr);

    /// `rank` -1: no block.
    void setProduct(std::shared_ptr<const PartitionScene> scene, int rank, Moment moment);
    /// Where a tensor is painted.
    [[nodiscard]] QRectF matrix(partition::Tensor tensor) const;
    /// Where the block is that the rank holds of it.
    [[nodiscard]] QRectF block(partition::Tensor tensor) const;

    QSize sizeHint() const override { return {300, 190}; }
    QSize minimumSizeHint() const override { return {200, 150}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintMatrix(QPainter& painter, partition::Tensor tensor) const;
    void paintNames(QPainter& painter) const;

    std::shared_ptr<const PartitionScene> m_scene;
    int m_rank = -1;
    Moment m_moment;
};

} // namespace stratoplan::widgets

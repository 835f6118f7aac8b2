// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/product_view.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/partition_frame.h"
#include "widgets/presentation/partition_text.h"
#include "widgets/style/theme.h"

#include <QPainter>
#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

using namespace partition;

namespace {

constexpr double kBetween = 12; ///< matrices
constexpr double kNames = 18; ///< for names of dimensions, above and on the left
constexpr int kMostLines = 16; ///< slices that are drawn apart

/// Which way a tensor's rows and columns run. Sequences and their tokens are the rows of input and output.
struct Sides {
    std::vector<Dimension> rows;
    Dimension columns;
};

Sides sidesOf(Tensor tensor)
{
    switch (tensor) {
    case Tensor::Input:
        return {{Dimension::B, Dimension::M}, Dimension::N};
    case Tensor::Weight:
        return {{Dimension::N}, Dimension::K};
    case Tensor::Output:
        break;
    }
    return {{Dimension::B, Dimension::M}, Dimension::K};
}

int rowsOf(const PartitionScene& scene, Tensor tensor)
{
    int rows = 1;
    for (const Dimension dimension : sidesOf(tensor).rows)
        rows *= scene.division().slices(dimension);
    return rows;
}

} // namespace

ProductView::ProductView(QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Blocks of the product that the rank holds"));
}

void ProductView::setProduct(std::shared_ptr<const PartitionScene> scene, int rank, Moment moment)
{
    m_scene = std::move(scene);
    m_rank = rank;
    m_moment = moment;
    QStringList held;
    for (const Tensor tensor : kTensors)
        if (m_scene && m_rank >= 0)
            held << tr("%1: %2").arg(
                tensorName(tensor, moment.phase), rangesText(*m_scene, m_scene->held(tensor, rank, moment)));
    setAccessibleDescription(held.join(QStringLiteral("; ")));
    update();
}

QRectF ProductView::matrix(Tensor tensor) const
{
    const double width = std::min((this->width() - kNames - kBetween - 16.0) / 2, 150.0);
    const double height = std::min((this->height() - kNames - kBetween - 10.0) / 2, 90.0);
    const double left = std::floor((this->width() - kNames - 2 * width - kBetween) / 2) + kNames;
    const double right = left + width + kBetween, lower = kNames + height + kBetween;
    switch (tensor) {
    case Tensor::Input:
        return {left, lower, width, height};
    case Tensor::Weight:
        return {right, kNames, width, height};
    case Tensor::Output:
        break;
    }
    return {right, lower, width, height};
}

QRectF ProductView::block(Tensor tensor) const
{
    const QRectF all = matrix(tensor);
    const HeldBlock held = m_scene->held(tensor, m_rank, m_moment);
    const Sides sides = sidesOf(tensor);
    int row = 0;
    for (const Dimension dimension : sides.rows)
        row = row * m_scene->division().slices(dimension) + held.slices[std::size_t(dimension)];
    const double height = all.height() / rowsOf(*m_scene, tensor);
    const double width = all.width() / m_scene->division().slices(sides.columns);
    return {all.left() + held.slices[std::size_t(sides.columns)] * width, all.top() + row * height, width, height};
}

void ProductView::paintEvent(QPaintEvent*)
{
    if (!m_scene)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Tensor tensor : kTensors)
        paintMatrix(painter, tensor);
    paintNames(painter);
}

void ProductView::paintMatrix(QPainter& painter, Tensor tensor) const
{
    const Tokens& t = currentTokens();
    const QRectF all = matrix(tensor);
    const int rows = rowsOf(*m_scene, tensor), columns = m_scene->division().slices(sidesOf(tensor).columns);
    painter.fillRect(all, t.sunken);
    painter.setPen(QPen(t.frame, 1));
    for (int i = 1; i < rows && rows <= kMostLines; ++i)
        painter.drawLine(QPointF(all.left(), all.top() + all.height() * i / rows),
            QPointF(all.right(), all.top() + all.height() * i / rows));
    for (int i = 1; i < columns && columns <= kMostLines; ++i)
        painter.drawLine(QPointF(all.left() + all.width() * i / columns, all.top()),
            QPointF(all.left() + all.width() * i / columns, all.bottom()));
    const bool made = tensor == result(m_moment.phase);
    painter.setPen(QPen(made ? t.text : t.frame, made ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(all);
    const QString symbol = tensorSymbol(tensor, m_moment.phase);
    painter.setFont(scaledFont(font(), 1.05, true));
    const QRectF held = m_rank >= 0 ? block(tensor) : QRectF();
    if (m_rank >= 0) {
        const QColor fill = blockColour(toneOf(*m_scene, m_scene->held(tensor, m_rank, m_moment)), t.kind);
        painter.setPen(QPen(t.text, 1.2));
        painter.setBrush(fill);
        painter.drawRect(held);
        if (held.width() > 24 && held.height() > 16) {
            painter.setPen(t.label(fill));
            painter.drawText(held, Qt::AlignCenter, symbol);
            return;
        }
    }
    const QRectF corner(all.left() + 3, all.top() + 2, painter.fontMetrics().horizontalAdvance(symbol) + 4,
        painter.fontMetrics().height());
    painter.fillRect(corner, t.sunken); // no lines behind it
    painter.setPen(t.secondaryText);
    painter.drawText(corner, Qt::AlignCenter, symbol);
}

void ProductView::paintNames(QPainter& painter) const
{
    const QRectF weight = matrix(Tensor::Weight), input = matrix(Tensor::Input);
    const bool batch = m_scene->division().slices(Dimension::B) > 1;
    painter.setFont(scaledFont(font(), 0.9));
    painter.setPen(currentTokens().secondaryText);
    painter.drawText(
        QRectF(weight.left(), weight.top() - kNames, weight.width(), kNames), Qt::AlignCenter, QStringLiteral("K"));
    painter.drawText(
        QRectF(weight.left() - kNames, weight.top(), kNames, weight.height()), Qt::AlignCenter, QStringLiteral("N"));
    painter.drawText(
        QRectF(input.left(), input.top() - kNames, input.width(), kNames), Qt::AlignCenter, QStringLiteral("N"));
    painter.save();
    painter.translate(input.left() - kNames / 2, input.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-input.height() / 2, -kNames / 2, input.height(), kNames), Qt::AlignCenter,
        batch ? QStringLiteral("B, M") : QStringLiteral("M"));
    painter.restore();
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/grid_picture.h"

#include "widgets/partition/grid_legend.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/style/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace stratoplan::widgets {

namespace {

constexpr int kTextMargin = 12;

QFont titleFont(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

Picture gridPicture(const PartitionGrid& grid, const GridLegend& legend, const QString& title, const QString& sentence)
{
    const int width = grid.width() - 2 * kTextMargin;
    const int titleHeight = QFontMetrics(titleFont(grid.font())).height();
    const int sentenceHeight =
        QFontMetrics(grid.font()).boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, sentence).height();
    const int above = kTextMargin + titleHeight + sentenceHeight + 4;
    const QSize size(grid.width(), above + grid.height() + legend.height());
    return {size, title, sentence, [=, &grid, &legend](QPaintDevice& device, double scale, bool) {
                const PrintLook look;
                const Tokens& t = currentTokens();
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                painter.fillRect(QRect(QPoint(), size), t.surface);
                painter.setPen(t.text);
                painter.setFont(titleFont(grid.font()));
                painter.drawText(QRect(kTextMargin, kTextMargin, width, titleHeight), Qt::AlignVCenter, title);
                painter.setFont(grid.font());
                painter.drawText(
                    QRect(kTextMargin, kTextMargin + titleHeight, width, sentenceHeight), Qt::TextWordWrap, sentence);
                painter.translate(0, above);
                grid.paintRanks(painter);
                painter.translate(0, grid.height());
                legend.paint(painter);
            }};
}

} // namespace stratoplan::widgets

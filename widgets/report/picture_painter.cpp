// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/picture_painter.h"

#include "widgets/report/report_fonts.h"

#include <QPainterPath>
#include <QPolygonF>

namespace stratoplan::widgets {

namespace {

QColor colourOfRgb(report::Rgb rgb)
{
    return QColor::fromRgb(QRgb(rgb | 0xff000000U));
}

QPointF pointOfPicture(const report::Point& p)
{
    return {p.x, p.y};
}

class ShapePainter {
public:
    explicit ShapePainter(QPainter& painter)
        : m_painter(painter)
    {
    }

    void operator()(const report::Boxes& boxes) const
    {
        m_painter.setPen(boxes.hasEdge ? QPen(colourOfRgb(boxes.edge), 1) : QPen(Qt::NoPen));
        m_painter.setBrush(colourOfRgb(boxes.fill));
        QPainterPath path;
        for (const report::Frame& f : boxes.frames) {
            const QRectF frame(f.x, f.y, f.width, f.height);
            if (boxes.radius > 0)
                m_painter.drawRoundedRect(frame, boxes.radius, boxes.radius);
            else
                path.addRect(frame);
        }
        if (!path.isEmpty())
            m_painter.drawPath(path);
    }

    void operator()(const report::Strokes& strokes) const
    {
        QPen pen(colourOfRgb(strokes.colour), strokes.width, Qt::SolidLine, Qt::FlatCap);
        if (strokes.dashed)
            pen.setDashPattern({4 / strokes.width, 3 / strokes.width});
        m_painter.setPen(pen);
        QList<QLineF> lines;
        for (const auto& [from, to] : strokes.lines)
            lines << QLineF(pointOfPicture(from), pointOfPicture(to));
        m_painter.drawLines(lines);
    }

    void operator()(const report::Area& area) const
    {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colourOfRgb(area.fill));
        m_painter.drawPolygon(polygon(area.corners));
    }

    void operator()(const report::Curve& curve) const
    {
        m_painter.setPen(QPen(colourOfRgb(curve.colour), curve.width));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPolyline(polygon(curve.points));
    }

    void operator()(const report::Disc& disc) const
    {
        m_painter.setPen(QPen(colourOfRgb(disc.edge), 1));
        m_painter.setBrush(colourOfRgb(disc.fill));
        m_painter.drawEllipse(pointOfPicture(disc.centre), disc.radius, disc.radius);
    }

    void operator()(const report::Label& label) const
    {
        const TextStyle style{label.size, label.bold, colourOfRgb(label.colour), false};
        const Qt::Alignment alignment = label.anchor == report::Anchor::Start ? Qt::AlignLeft
            : label.anchor == report::Anchor::Middle                          ? Qt::AlignHCenter
                                                                              : Qt::AlignRight;
        m_painter.save();
        m_painter.translate(pointOfPicture(label.at));
        if (label.upright)
            m_painter.rotate(-90);
        drawReportLine(m_painter, {0, 0}, QString::fromStdString(label.text), style, alignment);
        m_painter.restore();
    }

private:
    static QPolygonF polygon(const std::vector<report::Point>& points)
    {
        QPolygonF result;
        for (const report::Point& p : points)
            result << pointOfPicture(p);
        return result;
    }

    QPainter& m_painter;
};

} // namespace

void paintPicture(QPainter& painter, const report::Picture& picture)
{
    painter.save();
    for (const report::Shape& shape : picture.shapes)
        std::visit(ShapePainter(painter), shape);
    painter.restore();
}

} // namespace stratoplan::widgets

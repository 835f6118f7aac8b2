// SPDX-License-Identifier: Apache-2.0
#include "core/report/svg.h"

#include "core/units/text.h"

#include <array>
#include <cmath>

namespace stratoplan::report {
namespace {

/// Two decimals at the most.
std::string px(double value)
{
    std::string text = fixedDecimals(std::round(value * 100) / 100, 2);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string colourText(Rgb colour)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "#";
    for (int shift = 20; shift >= 0; shift -= 4)
        text += digits[(colour >> shift) & 0xfU];
    return text;
}

std::string attribute(std::string_view name, const std::string& value)
{
    return ' ' + std::string(name) + "=\"" + value + '"';
}

std::string shapeText(const Boxes& boxes)
{
    const std::string look = attribute("fill", colourText(boxes.fill))
        + (boxes.hasEdge ? attribute("stroke", colourText(boxes.edge)) : std::string());
    if (boxes.radius > 0 || boxes.frames.size() == 1) {
        std::string text;
        for (const Frame& f : boxes.frames)
            text += "<rect" + attribute("x", px(f.x)) + attribute("y", px(f.y)) + attribute("width", px(f.width))
                + attribute("height", px(f.height)) + (boxes.radius > 0 ? attribute("rx", px(boxes.radius)) : "") + look
                + "/>\n";
        return text;
    }
    std::string path;
    for (const Frame& f : boxes.frames)
        path += 'M' + px(f.x) + ' ' + px(f.y) + 'h' + px(f.width) + 'v' + px(f.height) + 'h' + px(-f.width) + 'z';
    return "<path" + attribute("d", path) + look + "/>\n";
}

std::string shapeText(const Strokes& strokes)
{
    std::string path;
    for (const auto& [from, to] : strokes.lines)
        path += 'M' + px(from.x) + ' ' + px(from.y) + 'L' + px(to.x) + ' ' + px(to.y);
    return "<path" + attribute("d", path) + attribute("stroke", colourText(strokes.colour))
        + attribute("stroke-width", px(strokes.width)) + (strokes.dashed ? attribute("stroke-dasharray", "4 3") : "")
        + "/>\n";
}

std::string pointsText(const std::vector<Point>& points)
{
    std::string text;
    for (const Point& point : points)
        text += (text.empty() ? "" : " ") + px(point.x) + ',' + px(point.y);
    return text;
}

std::string shapeText(const Area& area)
{
    return "<polygon" + attribute("points", pointsText(area.corners)) + attribute("fill", colourText(area.fill))
        + "/>\n";
}

std::string shapeText(const Curve& curve)
{
    return "<polyline" + attribute("points", pointsText(curve.points)) + attribute("fill", "none")
        + attribute("stroke", colourText(curve.colour)) + attribute("stroke-width", px(curve.width)) + "/>\n";
}

std::string shapeText(const Disc& disc)
{
    return "<circle" + attribute("cx", px(disc.centre.x)) + attribute("cy", px(disc.centre.y))
        + attribute("r", px(disc.radius)) + attribute("fill", colourText(disc.fill))
        + attribute("stroke", colourText(disc.edge)) + "/>\n";
}

std::string shapeText(const Label& label)
{
    constexpr std::array anchors{"start", "middle", "end"};
    const std::string place = label.upright
        ? attribute("transform", "translate(" + px(label.at.x) + ' ' + px(label.at.y) + ") rotate(-90)")
        : attribute("x", px(label.at.x)) + attribute("y", px(label.at.y));
    return "<text" + place + attribute("font-size", px(label.size)) + attribute("fill", colourText(label.colour))
        + (label.anchor == Anchor::Start ? "" : attribute("text-anchor", anchors[std::size_t(label.anchor)]))
        + (label.bold ? attribute("font-weight", "600") : "") + '>' + escaped(label.text) + "</text>\n";
}

} // namespace

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char letter : text)
        switch (letter) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        default:
            result += letter;
        }
    return result;
}

std::string svg(const Picture& picture)
{
    std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + px(kPictureWidth) + ' '
        + px(picture.height) + "\" role=\"img\">\n<title>" + escaped(picture.title) + "</title>\n";
    for (const Shape& shape : picture.shapes)
        text += std::visit([](const auto& value) { return shapeText(value); }, shape);
    return text + "</svg>\n";
}

} // namespace stratoplan::report

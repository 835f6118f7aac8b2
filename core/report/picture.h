// SPDX-License-Identifier: Apache-2.0
// A chart as a list of shapes, the same for every writer: SVG in a page, a painter in a PDF. Coordinates are pixels of
// a picture that is kPictureWidth wide, y downwards. Colours never tell anything alone: patterns and labels do, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stratoplan::report {

using Rgb = std::uint32_t; ///< 0xRRGGBB

inline constexpr double kPictureWidth = 680;
inline constexpr double kLetter = 11; ///< usual height of letters

struct Point {
    double x = 0, y = 0;
    bool operator==(const Point&) const = default;
};
struct Frame {
    double x = 0, y = 0, width = 0, height = 0;
    [[nodiscard]] double right() const { return x + width; }
    [[nodiscard]] double bottom() const { return y + height; }
    bool operator==(const Frame&) const = default;
};

struct Boxes { ///< many of one look
    std::vector<Frame> frames;
    Rgb fill = 0xffffff;
    bool hasEdge = false;
    Rgb edge = 0;
    double radius = 0;
};
struct Strokes { ///< lines of one look
    std::vector<std::pair<Point, Point>> lines;
    Rgb colour = 0;
    double width = 1;
    bool dashed = false;
};
struct Area { ///< a polygon
    std::vector<Point> corners;
    Rgb fill = 0;
};
struct Curve { ///< points joined by lines
    std::vector<Point> points;
    Rgb colour = 0;
    double width = 1.5;
};
struct Disc {
    Point centre;
    double radius = 3;
    Rgb fill = 0, edge = 0xffffff;
};
enum class Anchor { Start, Middle, End };
struct Label {
    Point at; ///< of the base line
    std::string text;
    Anchor anchor = Anchor::Start;
    double size = kLetter;
    Rgb colour = 0x1f2933;
    bool bold = false;
    bool upright = false; ///< runs upwards
};
using Shape = std::variant<Boxes, Strokes, Area, Curve, Disc, Label>;

struct Picture {
    std::string title; ///< for those who do not see it
    double height = 0;
    std::vector<Shape> shapes;
    template <class T>
    void add(T shape)
    {
        shapes.emplace_back(std::move(shape));
    }
};

inline constexpr Rgb kInk = 0x1f2933, kQuiet = 0x5f6c7b, kLine = 0xc9d1da, kFaint = 0xeef1f5, kPaper = 0xffffff,
                     kAccent = 0x1d4f91, kWarning = 0xa3480c, kGood = 0x1f6f43;

enum class Pattern { Solid, Forward, Backward, Upright, Level, Crossed, Dots };

/// A filled box, with a pattern of lines of the ink over it.
void addBox(Picture& picture, const Frame& frame, Rgb fill, Pattern pattern = Pattern::Solid, double radius = 0);
void addFrame(Picture& picture, const Frame& frame, Rgb fill, Rgb edge, double radius = 3);
void addLine(Picture& picture, Point from, Point to, Rgb colour = kLine, double width = 1, bool dashed = false);
void addText(Picture& picture, Point at, std::string text, Anchor anchor = Anchor::Start, double size = kLetter,
    Rgb colour = kInk, bool bold = false);

/// About how wide a text is; of a sans-serif face, never less.
[[nodiscard]] double textWidth(std::string_view text, double size = kLetter, bool bold = false);
/// As much of it as has room, with an ellipsis where something is missing.
[[nodiscard]] std::string fitted(std::string text, double width, double size = kLetter);
/// White or the ink, whichever is read better on a fill.
[[nodiscard]] Rgb inkOn(Rgb fill);
/// `share` of the way from one colour to another.
[[nodiscard]] Rgb blended(Rgb from, Rgb to, double share);

/// Names of what is drawn, row by row from `top` on; the y below them.
struct LegendItem {
    std::string name;
    Rgb fill = 0;
    Pattern pattern = Pattern::Solid;
};
double addLegend(Picture& picture, const std::vector<LegendItem>& items, double left, double top);

/// A linear axis over 0 to `most`: its ticks at 1, 2 or 5 times a power of ten.
struct Scale {
    double least = 0, most = 1; ///< of the amounts
    double from = 0, to = 1; ///< pixels
    [[nodiscard]] double at(double amount) const { return from + (amount - least) / (most - least) * (to - from); }
    [[nodiscard]] std::vector<double> ticks(int about = 6) const;
};

} // namespace stratoplan::report

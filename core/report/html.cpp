// SPDX-License-Identifier: Apache-2.0
#include "core/report/html.h"

#include "core/report/svg.h"

#include <array>

namespace stratoplan::report {
namespace {

/// Light, for screens and paper. Columns of numbers have figures of one width.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light }
* { box-sizing: border-box }
body { margin: 0; background: #eef1f5; color: #1f2933;
  font: 15px/1.5 Inter, "Segoe UI", "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif }
main { max-width: 920px; margin: 0 auto; padding: 40px 56px 64px; background: #fff }
header { border-bottom: 3px solid #1d4f91; padding-bottom: 14px; margin-bottom: 22px }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px }
header p { margin: 0; color: #5f6c7b }
h2 { font-size: 21px; line-height: 1.25; margin: 40px 0 10px; padding-top: 14px; border-top: 1px solid #c9d1da }
nav + section h2 { border-top: 0; padding-top: 0; margin-top: 0; font-size: 13px; color: #5f6c7b }
h3 { font-size: 15px; margin: 22px 0 6px }
nav { font-size: 13px; margin-bottom: 24px } nav a { color: #1d4f91; margin-right: 14px; white-space: nowrap }
p { margin: 0 0 10px } ul { margin: 0 0 12px; padding-left: 20px } li { margin: 2px 0 }
.verdict { border-left: 6px solid #1d4f91; background: #f4f7fb; padding: 14px 18px; margin: 0 0 16px }
.verdict strong { display: block; font-size: 22px; line-height: 1.3; margin-bottom: 4px }
.verdict.good { border-color: #1f6f43 } .verdict.warning { border-color: #a3480c }
.verdict.bad { border-color: #a61b1b }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 10px; margin: 0 0 16px }
.tile { border: 1px solid #c9d1da; border-radius: 6px; padding: 10px 12px }
.tile.warning { border-left: 4px solid #a3480c } .tile.bad { border-left: 4px solid #a61b1b }
.tile .label { font-size: 12.5px; color: #5f6c7b } .tile .note { font-size: 12.5px; color: #5f6c7b; line-height: 1.35 }
.tile .value { font-size: 24px; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums }
.tile .other { font-size: 12.5px; color: #1d4f91; font-weight: 600; margin-top: 3px }
table { border-collapse: collapse; width: 100%; margin: 6px 0 16px; font-size: 13px; line-height: 1.4;
  font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 600; border-bottom: 1.5px solid #1f2933; padding: 5px 8px; vertical-align: bottom }
td { border-bottom: 1px solid #e3e7ec; padding: 4px 8px; vertical-align: top }
th.n, td.n { text-align: right; white-space: nowrap } tr.strong td { font-weight: 600; background: #f4f7fb }
figure { margin: 12px 0 16px } svg { display: block; width: 100%; height: auto; font-family: inherit }
figcaption, .note { font-size: 12.5px; color: #5f6c7b }
details { font-size: 12.5px; color: #5f6c7b } pre { font: 11.5px/1.45 "DejaVu Sans Mono", Consolas, monospace;
  background: #f4f7fb; border: 1px solid #e3e7ec; border-radius: 6px; padding: 12px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere }
footer { margin-top: 40px; border-top: 1px solid #c9d1da; padding-top: 10px; font-size: 12.5px; color: #5f6c7b }
@media (max-width: 700px) { main { padding: 24px 18px } .tiles { grid-template-columns: repeat(2, 1fr) }
  figure, .wide { overflow-x: auto } figure svg { min-width: 560px } }
@page { size: A4; margin: 16mm }
@media print { body { background: #fff; font-size: 10pt } main { max-width: none; padding: 0 }
  nav, details { display: none }
  section.page { break-before: page } h2, h3 { break-after: avoid } figure, tr, .tile, .verdict { break-inside: avoid }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
)css";

std::string toneClass(Tone tone)
{
    constexpr std::array names{"", " good", " warning", " bad"};
    return names[std::size_t(tone)];
}

std::string element(std::string_view name, std::string_view attributes, const std::string& text)
{
    return '<' + std::string(name) + std::string(attributes) + '>' + escaped(text) + "</" + std::string(name) + '>';
}

std::string blockText(const Verdict& verdict)
{
    return "<div class=\"verdict" + toneClass(verdict.tone) + "\">" + element("strong", "", verdict.headline)
        + element("span", "", verdict.text) + "</div>\n";
}

std::string tileText(const Tile& tile)
{
    return "<div class=\"tile" + toneClass(tile.tone) + "\">" + element("div", " class=\"label\"", tile.label)
        + element("div", " class=\"value\"", tile.value) + element("div", " class=\"note\"", tile.note)
        + (tile.other.empty() ? std::string() : element("div", " class=\"other\"", tile.other)) + "</div>\n";
}

std::string blockText(const Tiles& tiles)
{
    std::string text = "<div class=\"tiles\">\n";
    for (const Tile& tile : tiles.tiles)
        text += tileText(tile);
    return text + "</div>\n";
}

std::string blockText(const Paragraph& paragraph)
{
    return element("p", paragraph.isNote ? " class=\"note\"" : "", paragraph.text) + '\n';
}

std::string blockText(const Bullets& bullets)
{
    std::string text = "<ul>\n";
    for (const std::string& item : bullets.items)
        text += element("li", "", item) + '\n';
    return text + "</ul>\n";
}

std::string tableText(const Table& table)
{
    std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
    for (std::size_t i = 0; i < table.headings.size(); ++i)
        text += element("th", table.isNumeric(i) ? " class=\"n\"" : "", table.headings[i]);
    text += "</tr></thead>\n<tbody>\n";
    for (const Row& row : table.rows) {
        text += row.isStrong ? "<tr class=\"strong\">" : "<tr>";
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += element("td", table.isNumeric(i) ? " class=\"n\"" : "", row.cells[i].text);
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

std::string blockText(const Table& table)
{
    return (table.title.empty() ? std::string() : element("h3", "", table.title) + '\n') + tableText(table);
}

std::string blockText(const Figure& figure)
{
    std::string text = "<figure>\n" + svg(figure.picture);
    if (!figure.caption.empty())
        text += element("figcaption", "", figure.caption) + '\n';
    if (!figure.data.rows.empty())
        text +=
            "<details>" + element("summary", "", figure.data.title) + '\n' + tableText(figure.data) + "</details>\n";
    return text + "</figure>\n";
}

std::string blockText(const Code& code)
{
    return element("pre", "", code.text) + '\n';
}

std::string sectionText(const Section& section)
{
    std::string text = "<section id=\"" + escaped(section.id) + '"' + (section.startsPage ? " class=\"page\"" : "")
        + ">\n" + element("h2", "", section.title) + '\n';
    for (const Block& block : section.blocks)
        text += std::visit([](const auto& value) { return blockText(value); }, block);
    return text + "</section>\n";
}

} // namespace

std::string html(const Report& report)
{
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"generator\" content=\""
        + escaped(report.origin) + "\">\n" + element("title", "", report.title) + "\n<style>" + std::string(kStyle)
        + "</style>\n</head>\n<body>\n<main>\n<header>" + element("h1", "", report.title)
        + element("p", "", report.subtitle) + "</header>\n<nav>";
    for (const Section& section : report.sections)
        text += "<a href=\"#" + escaped(section.id) + "\">" + escaped(section.title) + "</a> ";
    text += "</nav>\n";
    for (const Section& section : report.sections)
        text += sectionText(section);
    return text + "<footer>" + escaped(report.origin) + "</footer>\n</main>\n</body>\n</html>\n";
}

} // namespace stratoplan::report

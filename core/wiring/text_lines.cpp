// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/text_lines.h"

#include "core/units/reading.h"

#include <algorithm>
#include <charconv>

namespace stratoplan::wiring {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr int kMostLines = 200'000;
constexpr std::size_t kMostBytesOfLine = std::size_t{2} << 20; ///< enough for the names of the most nodes
constexpr std::string_view kMark = "\xEF\xBB\xBF";

/// Bytes of the character of UTF-8 that a text begins with; 0 if it is none.
std::size_t characterLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F); // surrogates among them
    return overlong || beyond ? 0 : length;
}

/// Without the escape sequences by which programs colour and underline.
std::string withoutEscapes(std::string_view line)
{
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b' || i + 1 == line.size()) {
            plain += line[i];
            continue;
        }
        ++i; // of "ESC [ 4 m" the bracket; of others their only letter
        if (line[i] == '[')
            do
                ++i;
            while (i < line.size() && (line[i] < '@' || line[i] > '~'));
    }
    return plain;
}

} // namespace

std::optional<Fault> faultOfText(std::string_view text)
{
    if (bodyOf(text).find_first_not_of(" \t\r\n") == std::string_view::npos)
        return Fault{0, 0, "an empty file", "a text in UTF-8"};
    if (text.size() > kMostBytes)
        return Fault{0, 0, std::to_string(text.size() >> 20) + " MiB of text",
            "at most " + std::to_string(kMostBytes >> 20) + " MiB"};
    int line = 1, column = 1;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = characterLength(text.substr(i));
        if (text[i] == '\0' || (length == 0 && i == 0))
            return Fault{line, column, "UTF-16 or binary data", "a text in UTF-8"};
        if (length == 0)
            return Fault{line, column, "a byte that is no UTF-8", "a text in UTF-8"};
        column = text[i] == '\n' ? 1 : column + int(length);
        line += text[i] == '\n';
        i += length;
    }
    return std::nullopt;
}

std::optional<Fault> faultOfLines(std::string_view text)
{
    int lines = 0;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const bool empty = end == 0 || text.substr(0, end) == "\r";
        text.remove_prefix(std::min(end + 1, text.size()));
        if (end > kMostBytesOfLine)
            return Fault{number, 0, "a line of more than 2 MiB", "shorter lines"};
        if (!empty && ++lines > kMostLines)
            return Fault{number, 0, reading::moreThan(kMostLines, "lines"), reading::atMost(kMostLines)};
    }
    return std::nullopt;
}

std::string_view bodyOf(std::string_view text)
{
    return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

std::vector<TextLine> linesOf(std::string_view text, int most)
{
    std::vector<TextLine> lines;
    for (int number = 1; !text.empty() && (most == 0 || int(lines.size()) < most); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty())
            lines.push_back({number, withoutEscapes(line)});
    }
    return lines;
}

std::vector<TextWord> wordsOf(std::string_view line)
{
    constexpr std::string_view kBlanks = " \t\r\v\f";
    std::vector<TextWord> words;
    for (std::size_t from = 0; (from = line.find_first_not_of(kBlanks, from)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, from), line.size());
        words.push_back({line.substr(from, end - from), int(from) + 1});
        from = end;
    }
    return words;
}

std::string inSmallLetters(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = char(c - 'A' + 'a');
    return result;
}

std::optional<int> wholeNumber(std::string_view text, int most)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

} // namespace stratoplan::wiring

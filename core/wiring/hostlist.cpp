// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/hostlist.h"

#include "core/catalog/quote.h"
#include "core/units/reading.h"

#include <algorithm>
#include <charconv>

namespace stratoplan::wiring {
namespace {

constexpr int kMostPieces = 16;
constexpr std::string_view kShortName = "names as computers have them";
constexpr std::string_view kRanges = "ranges such as [001-016,20]";

struct Range {
    long long first = 0;
    long long last = 0;
    std::size_t width = 0; ///< digits, with zeros in front
};

/// A literal, or what brackets hold.
struct Piece {
    std::string literal = {};
    std::vector<Range> ranges = {};
    long long count = 1; ///< of texts that it stands for
};

std::optional<long long> digits(std::string_view text)
{
    constexpr std::size_t kMostDigits = 15;
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && text.front() != '-' && error == std::errc() && end == text.data() + text.size();
    return whole && text.size() <= kMostDigits ? std::optional(value) : std::nullopt;
}

class HostlistReader {
public:
    HostlistReader(std::string_view text, const Room& room)
        : m_text(text)
        , m_room(room)
    {
    }

    [[nodiscard]] tl::expected<std::vector<std::string>, Fault> read()
    {
        while (true) {
            const std::size_t start = m_at;
            auto pieces = readName();
            if (!pieces)
                return tl::unexpected(pieces.error());
            if (pieces->empty())
                return tl::unexpected(faultAt(start, "no name", "names, with commas between them"));
            long long names = 1;
            for (const Piece& piece : *pieces) // each has room, so that nothing overflows
                names = std::min<long long>(names * piece.count, m_room.left + 1LL);
            if (names + std::ssize(m_names) > m_room.left)
                return tl::unexpected(tooMany(start));
            std::string name;
            expand(*pieces, 0, name);
            if (m_at == m_text.size())
                return std::move(m_names);
            ++m_at; // the comma
        }
    }

private:
    [[nodiscard]] static Fault faultAt(std::size_t at, std::string found, std::string_view expected)
    {
        return {0, int(at) + 1, std::move(found), std::string(expected)};
    }

    [[nodiscard]] Fault tooMany(std::size_t at) const
    {
        return faultAt(at, reading::moreThan(m_room.limit, m_room.what), reading::atMost(m_room.limit));
    }
    [[nodiscard]] static Fault tooLong(std::size_t at)
    {
        return faultAt(at, reading::moreThan(kMostCharacters, "characters"), kShortName);
    }

    tl::expected<std::vector<Piece>, Fault> readName()
    {
        std::vector<Piece> pieces;
        const std::size_t start = m_at;
        std::size_t length = 0;
        while (m_at < m_text.size() && m_text[m_at] != ',') {
            if (pieces.size() == kMostPieces)
                return tl::unexpected(faultAt(start, reading::moreThan(kMostPieces, "parts"), kShortName));
            if (m_text[m_at] == ']')
                return tl::unexpected(faultAt(m_at, "\"]\" without its \"[\"", kRanges));
            if (m_text[m_at] == '[') {
                auto ranges = readRanges();
                if (!ranges)
                    return tl::unexpected(ranges.error());
                length += longestOf(*ranges);
                if (length > kMostCharacters)
                    return tl::unexpected(tooLong(start));
                pieces.push_back(std::move(*ranges));
                continue;
            }
            const std::size_t end = std::min(m_text.find_first_of(",[]", m_at), m_text.size());
            length += end - m_at;
            if (length > kMostCharacters)
                return tl::unexpected(tooLong(start));
            pieces.push_back({.literal = std::string(m_text.substr(m_at, end - m_at))});
            m_at = end;
        }
        return pieces;
    }

    tl::expected<Piece, Fault> readRanges()
    {
        const std::size_t open = m_at, close = m_text.find(']', open);
        if (close == std::string_view::npos)
            return tl::unexpected(faultAt(open, "\"[\" without its \"]\"", kRanges));
        Piece piece{.count = 0};
        for (std::size_t from = open + 1; from <= close;) {
            const std::size_t end = std::min(m_text.find(',', from), close);
            const std::string_view text = m_text.substr(from, end - from);
            const std::size_t dash = std::min(text.find('-'), text.size());
            const auto first = digits(text.substr(0, dash));
            const auto last = dash == text.size() ? first : digits(text.substr(dash + 1));
            if (!first || !last)
                return tl::unexpected(faultAt(from, catalog::quoteText(text), kRanges));
            if (*last < *first)
                return tl::unexpected(
                    faultAt(from, catalog::quoteText(text), "a range from the lower to the higher number"));
            piece.count += *last - *first + 1;
            if (piece.count > m_room.left)
                return tl::unexpected(tooMany(from));
            piece.ranges.push_back({*first, *last, dash});
            from = end + 1;
        }
        m_at = close + 1;
        return piece;
    }

    /// Characters of the longest number.
    [[nodiscard]] static std::size_t longestOf(const Piece& piece)
    {
        std::size_t longest = 0;
        for (const Range& range : piece.ranges)
            longest = std::max({longest, range.width, std::to_string(range.last).size()});
        return longest;
    }

    void expand(const std::vector<Piece>& pieces, std::size_t next, std::string& name)
    {
        if (next == pieces.size()) {
            m_names.push_back(name);
            return;
        }
        const std::size_t length = name.size();
        if (pieces[next].ranges.empty()) {
            name += pieces[next].literal;
            expand(pieces, next + 1, name);
        }
        for (const Range& range : pieces[next].ranges)
            for (long long number = range.first; number <= range.last; ++number) {
                const std::string text = std::to_string(number);
                name.append(range.width - std::min(range.width, text.size()), '0');
                name += text;
                expand(pieces, next + 1, name);
                name.resize(length);
            }
        name.resize(length);
    }

    std::string_view m_text;
    Room m_room;
    std::size_t m_at = 0;
    std::vector<std::string> m_names;
};

} // namespace

tl::expected<std::vector<std::string>, Fault> expandHostlist(std::string_view text, const Room& room)
{
    return HostlistReader(text, room).read();
}

} // namespace stratoplan::wiring

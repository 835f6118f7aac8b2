// SPDX-License-Identifier: Apache-2.0
// Small languages inside arguments of Megatron-LM: which layers have experts, which layers a stage has.
#include "core/exchange/launch_reading.h"

#include <algorithm>
#include <charconv>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr std::size_t kMostElements = 100'000;
constexpr int kDeepest = 50; ///< brackets inside one another

/// Of nothing, too, not any number of times.
bool isTooMuch(std::size_t size, int times)
{
    return std::size_t(times) > kMostElements || size * std::size_t(times) > kMostElements;
}

/// A list of Python made of lists of numbers by + and *.
class ListReader {
public:
    explicit ListReader(std::string_view text)
        : m_text(text)
    {
    }
    std::optional<std::vector<int>> read()
    {
        std::vector<int> all = sum(0);
        if (m_failed || m_at < m_text.size())
            return std::nullopt;
        return all;
    }

private:
    [[nodiscard]] char next()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        const bool is = next() == c;
        m_at += is;
        return is;
    }
    int number()
    {
        if (next() == '\0')
            m_failed = true;
        int value = 0;
        const auto [end, error] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        m_failed = m_failed || error != std::errc() || value < 0;
        m_at = std::size_t(end - m_text.data());
        return value;
    }
    std::vector<int> list()
    {
        std::vector<int> values;
        while (!m_failed && !take(']')) {
            values.push_back(number());
            m_failed = m_failed || (!take(',') && next() != ']');
        }
        return values;
    }
    std::vector<int> term(int depth)
    {
        std::vector<int> once;
        if (take('['))
            once = list();
        else if (depth < kDeepest && take('(')) {
            once = sum(depth + 1);
            m_failed = m_failed || !take(')');
        } else
            m_failed = true;
        while (!m_failed && take('*')) {
            const int times = number();
            std::vector<int> all;
            m_failed = m_failed || isTooMuch(once.size(), times);
            for (int i = 0; i < times && !m_failed && !once.empty(); ++i)
                all.insert(all.end(), once.begin(), once.end());
            once = std::move(all);
        }
        return once;
    }
    std::vector<int> sum(int depth)
    {
        std::vector<int> all = term(depth);
        while (!m_failed && take('+')) {
            const std::vector<int> more = term(depth);
            all.insert(all.end(), more.begin(), more.end());
            m_failed = m_failed || all.size() > kMostElements;
        }
        return all;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_failed = false;
};

/// "t*3" and "(t|)*3" written out; nothing where brackets do not match.
std::optional<std::string> writtenOut(std::string_view text, std::size_t& at, int depth)
{
    std::string all;
    while (at < text.size() && text[at] != ')') {
        std::string once;
        if (text[at] == '(') {
            const auto inner = depth < kDeepest ? writtenOut(text, ++at, depth + 1) : std::nullopt;
            if (!inner || at >= text.size())
                return std::nullopt;
            once = *inner;
        } else if (text[at] != ',' && text[at] != ' ')
            once = text[at];
        ++at;
        if (at < text.size() && text[at] == '*') {
            int times = 0;
            const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), times);
            if (error != std::errc() || times < 0 || isTooMuch(once.size(), times))
                return std::nullopt;
            at = std::size_t(end - text.data());
            const std::string repeated = std::move(once);
            once.clear();
            for (int i = 0; i < times && !repeated.empty(); ++i)
                once += repeated;
        }
        all += once;
        if (all.size() > kMostElements)
            return std::nullopt;
    }
    return all;
}

} // namespace

std::optional<std::vector<int>> layerPattern(std::string_view text, int layers)
{
    int every = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), every);
    if (error == std::errc() && end == text.data() + text.size()) {
        if (every < 1)
            return std::nullopt;
        std::vector<int> pattern;
        for (int layer = 0; layer < layers; ++layer)
            pattern.push_back(layer % every == 0 ? 1 : 0);
        return pattern;
    }
    auto pattern = ListReader(text).read();
    return pattern && pattern->size() == std::size_t(layers) ? pattern : std::nullopt;
}

std::optional<std::vector<int>> partsOfLayout(std::string_view layout)
{
    std::size_t at = 0;
    const auto text = writtenOut(layout, at, 0);
    if (!text || at < layout.size())
        return std::nullopt;
    std::vector<int> parts{0};
    for (const char c : *text) {
        if (c == '|')
            parts.push_back(0);
        else if (c == 't')
            ++parts.back();
        else if (c != 'E' && c != 'L' && c != 'm')
            return std::nullopt;
    }
    return parts;
}

} // namespace stratoplan::exchange::launchfile

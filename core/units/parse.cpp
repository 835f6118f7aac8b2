// SPDX-License-Identifier: Apache-2.0
#include "core/units/parse.h"

#include "core/units/trimmed.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace stratoplan::inline units {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// What typographers write, in the characters the parser reads; digit groups "1,024" lose their commas.
std::string normalised(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReplacements{
        {{"−", "-"}, {"×", "*"}, {"·", "*"}, {"μ", "u"}, {"µ", "u"}, {"\u00a0", " "}}};
    std::string result(text);
    for (const auto& [from, to] : kReplacements) {
        for (std::size_t found = result.find(from); found != std::string::npos;
             found = result.find(from, found + to.size()))
            result.replace(found, from.size(), to);
    }
    const auto isGroup = [&](std::size_t comma) {
        if (comma == 0 || !isDigit(result[comma - 1]) || comma + 3 >= result.size())
            return false;
        return isDigit(result[comma + 1]) && isDigit(result[comma + 2]) && isDigit(result[comma + 3])
            && (comma + 4 == result.size() || !isDigit(result[comma + 4]));
    };
    for (std::size_t comma = result.find(','); comma != std::string::npos; comma = result.find(',', comma)) {
        if (isGroup(comma))
            result.erase(comma, 1);
        else
            ++comma;
    }
    return result;
}

using SuffixReader = std::optional<double> (*)(char);

/// Recursive descent over + - * / ( ), numbers and x. Stops at the first character it cannot use.
class Expression {
public:
    Expression(std::string_view text, double x, SuffixReader readSuffix)
        : m_text(text)
        , m_x(x)
        , m_suffix(readSuffix)
    {
    }

    std::optional<double> evaluate() { return sum(); }
    [[nodiscard]] std::string_view rest() const { return trimmed(m_text); }

private:
    static constexpr int kMaxDepth = 64;

    bool take(char c)
    {
        m_text = trimmed(m_text);
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }

    std::optional<double> sum()
    {
        std::optional<double> left = product();
        while (left) {
            const bool plus = take('+');
            if (!plus && !take('-'))
                return left;
            const std::optional<double> right = product();
            if (!right)
                return std::nullopt;
            *left += plus ? *right : -*right;
        }
        return left;
    }

    std::optional<double> product()
    {
        std::optional<double> left = factor();
        while (left) {
            const bool times = take('*');
            if (!times && !take('/'))
                return left;
            const std::optional<double> right = factor();
            if (!right)
                return std::nullopt;
            *left = times ? *left * *right : *left / *right;
        }
        return left;
    }

    std::optional<double> factor()
    {
        if (++m_depth > kMaxDepth)
            return std::nullopt;
        std::optional<double> value;
        if (take('-')) {
            value = factor();
            if (value)
                value = -*value;
        } else if (take('+')) {
            value = factor();
        } else if (take('(')) {
            value = sum();
            if (!take(')'))
                value.reset();
        } else if (take('x') || take('X')) {
            value = m_x;
        } else {
            value = number();
        }
        --m_depth;
        return value;
    }

    std::optional<double> number()
    {
        m_text = trimmed(m_text);
        // from_chars would also read "inf" and "nan".
        if (m_text.empty() || (!isDigit(m_text.front()) && m_text.front() != '.'))
            return std::nullopt;
        double value = 0;
        const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
        if (error != std::errc())
            return std::nullopt;
        m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
        return value * suffix();
    }

    double suffix()
    {
        if (m_suffix == nullptr)
            return 1;
        const std::string_view rest = trimmed(m_text);
        if (rest.empty() || (rest.size() > 1 && std::isalnum(static_cast<unsigned char>(rest[1])) != 0))
            return 1;
        const std::optional<double> factor = m_suffix(rest.front());
        if (!factor)
            return 1;
        m_text = rest.substr(1);
        return *factor;
    }

    std::string_view m_text;
    double m_x;
    SuffixReader m_suffix;
    int m_depth = 0;
};

/// SI prefix, none for any other letter. "K" is read as "k"; "m" is not taken for "M".
std::optional<double> siPrefix(char c)
{
    switch (c) {
    case 'k':
    case 'K':
        return 1e3;
    case 'M':
        return 1e6;
    case 'G':
    case 'g':
        return 1e9;
    case 'T':
    case 't':
        return 1e12;
    case 'P':
        return 1e15;
    case 'E':
        return 1e18;
    default:
        return std::nullopt;
    }
}

double binaryPrefix(double si)
{
    return std::pow(1024.0, std::round(std::log10(si) / 3));
}

std::optional<double> numberSuffix(char c)
{
    if (c == 'B' || c == 'b')
        return 1e9; // billions, as parameters are counted
    if (c == 'E')
        return std::nullopt;
    if (c == '%')
        return 0.01;
    if (c == 'm')
        return 1e6;
    return siPrefix(c);
}

struct PrefixedUnit {
    double factor = 1;
    bool binary = false;
    bool prefixed = false;
    std::string_view unit;
};

PrefixedUnit splitPrefix(std::string_view text)
{
    PrefixedUnit result{1, false, false, text};
    const std::optional<double> prefix = text.empty() ? std::nullopt : siPrefix(text.front());
    if (!prefix)
        return result;
    result.prefixed = true;
    result.factor = *prefix;
    result.unit = text.substr(1);
    if (result.unit.starts_with('i')) {
        result.binary = true;
        result.factor = binaryPrefix(*prefix);
        result.unit.remove_prefix(1);
    }
    return result;
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

std::optional<double> bytesUnit(std::string_view text)
{
    if (text.empty())
        return kGiB;
    const PrefixedUnit unit = splitPrefix(text);
    const bool sloppy = text == lowered(text); // "80 gb" of memory can only be meant as bytes
    if (unit.unit == "B" || lowered(unit.unit) == "bytes" || lowered(unit.unit) == "byte"
        || (unit.unit == "b" && sloppy))
        return unit.factor;
    if (unit.prefixed && unit.unit.empty())
        return unit.factor;
    return std::nullopt;
}

std::optional<double> bandwidthUnit(std::string_view text)
{
    if (text.empty())
        return 1e9;
    const PrefixedUnit unit = splitPrefix(text);
    if (unit.unit == "B/s" || unit.unit == "Bps")
        return unit.factor;
    if (text == lowered(text) && text.front() != 'k' && unit.prefixed && (unit.unit == "b/s" || unit.unit == "bps"))
        return std::nullopt; // "gb/s": bits or bytes?
    if (unit.unit == "b/s" || unit.unit == "bps" || unit.unit == "bit/s" || unit.unit == "bits/s")
        return unit.factor / 8;
    return std::nullopt;
}

std::optional<double> flopRateUnit(std::string_view text)
{
    if (text.empty())
        return 1e12;
    const PrefixedUnit unit = splitPrefix(text);
    if (unit.binary)
        return std::nullopt;
    const std::string name = lowered(unit.unit);
    if (name == "flop/s" || name == "flops" || name == "flops/s" || (unit.prefixed && name.empty()))
        return unit.factor;
    return std::nullopt;
}

std::optional<double> secondsUnit(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, double>, 14> kUnits{{{"", 1.0}, {"s", 1.0}, {"sec", 1.0},
        {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}, {"h", 3600.0}, {"hour", 3600.0}, {"hours", 3600.0},
        {"d", 86400.0}, {"day", 86400.0}, {"days", 86400.0}, {"seconds", 1.0}}};
    for (const auto& [name, factor] : kUnits) {
        if (name == text)
            return factor;
    }
    return std::nullopt;
}

/// The expression ends where the unit begins; it is read once to find that place, and again with x in that unit.
Parsed<double> parseQuantity(
    std::string_view text, double current, std::optional<double> (*unit)(std::string_view), const char* example)
{
    const auto fail = [&] { return tl::make_unexpected(ParseError{std::string(trimmed(text)), example}); };
    const std::string clean = normalised(text);
    Expression probe(clean, 1, nullptr);
    if (!probe.evaluate())
        return fail();
    const std::optional<double> factor = unit(probe.rest());
    if (!factor)
        return fail();
    const std::optional<double> amount = Expression(clean, current / *factor, nullptr).evaluate();
    if (!amount || !std::isfinite(*amount) || !std::isfinite(*amount * *factor) || *amount < 0)
        return fail();
    return *amount * *factor;
}

} // namespace

Parsed<double> parseNumber(std::string_view text, double current)
{
    const std::string clean = normalised(text);
    Expression expression(clean, current, numberSuffix);
    const std::optional<double> value = expression.evaluate();
    if (!value || !expression.rest().empty() || !std::isfinite(*value))
        return tl::make_unexpected(ParseError{std::string(trimmed(text)), "15T, 1.5k or 3*8"});
    return *value + 0.0; // -0 is 0
}

Parsed<Bytes> parseBytes(std::string_view text, Bytes current)
{
    return parseQuantity(text, current.value(), bytesUnit, "80 GiB or 80 GB").map([](double v) { return Bytes(v); });
}

Parsed<BytesPerSecond> parseBandwidth(std::string_view text, BytesPerSecond current)
{
    return parseQuantity(text, current.value(), bandwidthUnit, "400 Gb/s or 50 GB/s").map([](double v) {
        return BytesPerSecond(v);
    });
}

Parsed<FlopsPerSecond> parseFlopRate(std::string_view text, FlopsPerSecond current)
{
    return parseQuantity(text, current.value(), flopRateUnit, "989 TFLOP/s").map([](double v) {
        return FlopsPerSecond(v);
    });
}

Parsed<Seconds> parseSeconds(std::string_view text, Seconds current)
{
    return parseQuantity(text, current.value(), secondsUnit, "12.5 ms").map([](double v) { return Seconds(v); });
}

} // namespace stratoplan::inline units

// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_expansion.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

namespace stratoplan::exchange::launchfile {
namespace {

/// + - * / ( ) between whole numbers as a shell has them: what a division leaves is cut off.
class ShellSum {
public:
    explicit ShellSum(std::string_view text)
        : m_text(text)
    {
    }
    /// A whole number; nothing where the text is something else, or more than a double has exactly.
    std::optional<double> read()
    {
        const double value = sum(0);
        return next() == '\0' && m_at >= m_text.size() && !m_failed ? std::optional(value) : std::nullopt;
    }

private:
    [[nodiscard]] char next()
    {
        while (m_at < m_text.size() && isBlank(m_text[m_at]))
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        const bool is = next() == c;
        m_at += is;
        return is;
    }
    double exact(double value)
    {
        m_failed = m_failed || !(std::abs(value) < 1e15);
        return value;
    }
    double sum(int depth)
    {
        double left = product(depth);
        while (!m_failed && (next() == '+' || next() == '-'))
            left = take('+') ? exact(left + product(depth)) : take('-') ? exact(left - product(depth)) : left;
        return left;
    }
    double product(int depth)
    {
        double left = factor(depth);
        while (!m_failed && (next() == '*' || next() == '/'))
            left = take('*') ? exact(left * factor(depth)) : take('/') ? exact(std::trunc(left / factor(depth))) : left;
        return left;
    }
    double factor(int depth)
    {
        constexpr int kDeepestSum = 64;
        m_failed = m_failed || depth > kDeepestSum;
        if (m_failed)
            return 0;
        if (take('-'))
            return -factor(depth + 1);
        if (take('+'))
            return factor(depth + 1);
        if (take('(')) {
            const double inner = sum(depth + 1);
            m_failed = m_failed || !take(')');
            return inner;
        }
        m_failed = next() == '\0';
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        m_failed = m_failed || error != std::errc();
        m_at = std::size_t(end - m_text.data());
        return exact(double(value));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_failed = false;
};

} // namespace

const SpelledWords* ShellVariables::find(std::string_view name) const
{
    const auto it = m_words.find(name);
    return it == m_words.end() ? nullptr : &it->second;
}

void ShellVariables::set(const std::string& name, SpelledWords words)
{
    m_words[name] = std::move(words);
    m_lastSet[name] = ++m_settings;
}

std::vector<std::string> ShellVariables::order() const
{
    std::map<std::size_t, std::string> byTime;
    for (const auto& [name, time] : m_lastSet)
        byTime[time] = name;
    std::vector<std::string> names;
    for (auto& [time, name] : byTime)
        names.push_back(std::move(name));
    return names;
}

void ShellVariables::add(const std::string& name, const SpelledWords& words, bool isArray)
{
    SpelledWords all = std::move(m_words[name]);
    if (isArray)
        all.insert(all.end(), words.begin(), words.end());
    else {
        if (all.empty())
            all.emplace_back();
        all.resize(1);
        all.front().append(joined(words));
    }
    set(name, std::move(all));
}

std::map<std::string, std::string> ShellVariables::texts() const
{
    std::map<std::string, std::string> texts;
    for (const auto& [name, words] : m_words)
        if (words.size() == 1)
            texts[name] = words.front().text;
    return texts;
}

void Expansion::read(Growing& word, bool quoted)
{
    const std::size_t begin = m_lexer.at();
    if (m_lexer.peek() == '`') {
        do
            m_lexer.step();
        while (!m_lexer.atEnd() && m_lexer.peek() != '`');
        m_lexer.step();
        return keep(word, begin);
    }
    if (m_lexer.stands("$((")) {
        m_lexer.step(3);
        const std::string_view sum = m_lexer.bracketed('(', ')');
        if (m_lexer.peek() == ')')
            m_lexer.step();
        const std::string value = valueOf(sum);
        return value.empty() ? keep(word, begin) : append(word, {m_lexer.spelled(value)}, quoted);
    }
    m_lexer.step();
    if (m_lexer.peek() == '(') {
        m_lexer.step();
        m_lexer.bracketed('(', ')');
        return keep(word, begin);
    }
    if (m_lexer.peek() == '{') {
        m_lexer.step();
        return expandNamed(word, m_lexer.bracketed('{', '}'), begin, quoted);
    }
    m_lexer.skipName();
    const std::string_view name = m_lexer.since(begin).substr(1);
    return name.empty() ? keep(word, begin) : expandNamed(word, name, begin, quoted);
}

/// As it is written.
void Expansion::keep(Growing& word, std::size_t begin)
{
    append(word, {m_lexer.spelled(m_lexer.since(begin))}, true);
}

/// "NAME", "NAME[@]", "NAME:-default"
void Expansion::expandNamed(Growing& word, std::string_view inside, std::size_t begin, bool quoted)
{
    std::size_t end = 0;
    while (end < inside.size() && isNameChar(inside[end]))
        ++end;
    const SpelledWords* const known = m_variables.find(inside.substr(0, end));
    std::string_view rest = inside.substr(end);
    if (rest == "[@]" || rest == "[*]" || rest.empty()) {
        if (!known)
            return keep(word, begin);
        const bool all = !rest.empty() || known->size() < 2;
        return append(word, all ? *known : SpelledWords{known->front()}, quoted);
    }
    rest.remove_prefix(rest.starts_with(':') ? 1 : 0);
    if (end == 0 || rest.empty() || (rest.front() != '-' && rest.front() != '='))
        return keep(word, begin);
    if (known && !known->empty() && !known->front().text.empty())
        return append(word, *known, quoted);
    append(word, {m_lexer.spelled(otherwise(rest.substr(1)))}, quoted);
}

/// A default: that text, or the value of the variable that it names.
std::string_view Expansion::otherwise(std::string_view text) const
{
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
        text = text.substr(1, text.size() - 2);
    if (!text.starts_with('$'))
        return text;
    std::string_view name = text.substr(1);
    if (name.starts_with('{') && name.ends_with('}'))
        name = name.substr(1, name.size() - 2);
    const SpelledWords* const known = m_variables.find(name);
    return known && !known->empty() ? std::string_view(known->front().text) : text;
}

void Expansion::append(Growing& word, const SpelledWords& values, bool quoted)
{
    if (values.empty())
        word.isQuoted = false;
    SpelledWords pieces;
    bool startsNew = false, endsNew = false;
    for (const Spelled& value : values) {
        if (!m_lexer.grows(value.text.size() + 1))
            return;
        if (quoted) {
            pieces.push_back(value);
            continue;
        }
        startsNew = startsNew || (pieces.empty() && !value.text.empty() && isBlank(value.text.front()));
        endsNew = !value.text.empty() && isBlank(value.text.back());
        for (Spelled& piece : divided(value))
            pieces.push_back(std::move(piece));
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if ((i > 0 || startsNew) && !(i == 0 && word.words.back().text.empty()))
            word.words.emplace_back();
        word.words.back().append(pieces[i]);
    }
    if (endsNew && !pieces.empty())
        word.words.emplace_back();
}

/// Of a sum of whole numbers and variables; empty where it is something else.
std::string Expansion::valueOf(std::string_view sum) const
{
    std::string plain;
    for (std::size_t i = 0; i < sum.size();) {
        std::size_t end = i;
        while (end < sum.size() && isNameChar(sum[end]))
            ++end;
        if (end == i) {
            if (sum[i] != '$' && sum[i] != '{' && sum[i] != '}')
                plain += sum[i];
            ++i;
            continue;
        }
        const std::string_view name = sum.substr(i, end - i);
        const SpelledWords* const known = m_variables.find(name);
        plain += known && !known->empty() ? std::string_view(known->front().text) : name;
        i = end;
    }
    const auto value = plain.size() < 1000 ? ShellSum(plain).read() : std::nullopt;
    return value ? std::to_string(std::int64_t(*value)) : std::string();
}

} // namespace stratoplan::exchange::launchfile

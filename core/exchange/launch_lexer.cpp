// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_lexer.h"

#include <algorithm>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr std::size_t kMostCharacters = std::size_t{4} << 20; ///< of all expansions together

} // namespace

void Spelled::append(const Spelled& other)
{
    text += other.text;
    lines.insert(lines.end(), other.lines.begin(), other.lines.end());
}

SpelledWords divided(const Spelled& whole)
{
    SpelledWords words;
    bool inside = false;
    for (std::size_t i = 0; i < whole.text.size(); ++i) {
        if (isBlank(whole.text[i])) {
            inside = false;
            continue;
        }
        if (!inside)
            words.emplace_back();
        inside = true;
        words.back().push(whole.text[i], whole.lines[i]);
    }
    return words;
}

Spelled joined(const SpelledWords& words)
{
    Spelled all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            all.push(' ', words[i].line());
        all.append(words[i]);
    }
    return all;
}

Lexer::Lexer(std::string_view text, std::string_view file)
    : m_text(text)
    , m_file(file)
{
}

std::string_view Lexer::restOfLine() const
{
    return m_text.substr(m_at, std::min(m_text.find('\n', m_at), m_text.size()) - m_at);
}

Spelled Lexer::spelled(std::string_view text) const
{
    return {std::string(text), std::vector<int>(text.size(), m_line)};
}

void Lexer::step(std::size_t count)
{
    for (; count > 0 && !atEnd(); --count)
        m_line += m_text[m_at++] == '\n';
}

void Lexer::skipBlanks()
{
    while (!atEnd()) {
        if (isContinued())
            step(stands("\\\n") ? 2 : 3);
        else if (isOneOf(" \t\r"))
            step();
        else
            return;
    }
}

void Lexer::skipName()
{
    while (!atEnd() && isNameChar(peek()))
        step();
}

std::string_view Lexer::bracketed(char open, char close)
{
    const std::size_t begin = m_at;
    const int line = m_line;
    int depth = 1;
    for (; !atEnd(); step()) {
        depth += peek() == open ? 1 : peek() == close ? -1 : 0;
        if (depth == 0)
            break;
    }
    if (atEnd()) {
        fail(line, "a bracket that is not closed", "a second one behind it");
        return m_text.substr(begin);
    }
    step();
    return m_text.substr(begin, m_at - begin - 1);
}

void Lexer::fail(int line, const char* found, const char* expected)
{
    m_errors.push_back(
        {DocumentError::Code::Syntax, std::string(m_file), "line " + std::to_string(line), found, expected, {}});
    m_at = m_text.size();
}

bool Lexer::grows(std::size_t by)
{
    m_written += by;
    if (m_written > kMostCharacters && m_errors.empty())
        fail(m_line, "variables that grow without end", "a script of less than 4 MiB");
    return m_written <= kMostCharacters;
}

} // namespace stratoplan::exchange::launchfile

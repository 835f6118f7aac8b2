// SPDX-License-Identifier: Apache-2.0
// The characters of a script with their lines, and words as they were spelled. Private to the reader of scripts.
#pragma once

#include "core/exchange/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::exchange::launchfile {

[[nodiscard]] inline bool isNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

[[nodiscard]] inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// A word of a script, and the line on which each of its characters was written.
struct Spelled {
    std::string text;
    std::vector<int> lines;
    void push(char c, int line)
    {
        text += c;
        lines.push_back(line);
    }
    void append(const Spelled& other);
    [[nodiscard]] int line() const { return lines.empty() ? 0 : lines.front(); }
};
using SpelledWords = std::vector<Spelled>;

/// Divided at blanks.
[[nodiscard]] SpelledWords divided(const Spelled& whole);
/// One word of all of them, with spaces between.
[[nodiscard]] Spelled joined(const SpelledWords& words);

/// Where a reader stands in a script. The first fault ends it.
class Lexer {
public:
    Lexer(std::string_view text, std::string_view file);

    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    /// '\0' at the end.
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    /// The character that was read last; a blank at the beginning.
    [[nodiscard]] char before() const { return m_at > 0 ? m_text[m_at - 1] : ' '; }
    [[nodiscard]] bool isOneOf(std::string_view characters) const
    {
        return !atEnd() && characters.find(peek()) != std::string_view::npos;
    }
    [[nodiscard]] bool stands(std::string_view text) const { return m_text.substr(m_at).starts_with(text); }
    [[nodiscard]] bool isContinued() const { return stands("\\\n") || stands("\\\r\n"); }
    [[nodiscard]] int line() const { return m_line; }
    [[nodiscard]] std::size_t at() const { return m_at; }
    [[nodiscard]] std::string_view since(std::size_t begin) const { return m_text.substr(begin, m_at - begin); }
    [[nodiscard]] std::string_view restOfLine() const;
    /// Of characters that all stand on this line.
    [[nodiscard]] Spelled spelled(std::string_view text) const;

    /// Nothing at the end.
    void step(std::size_t count = 1);
    /// Blanks within a command, and continued lines.
    void skipBlanks();
    void skipName();
    /// Up to the bracket that closes the one before, and behind it; the text between both.
    std::string_view bracketed(char open, char close);

    void fail(int line, const char* found, const char* expected);
    /// False, and no more is read, where a script writes itself without end.
    bool grows(std::size_t by);
    [[nodiscard]] DocumentErrors& errors() { return m_errors; }

private:
    std::string_view m_text, m_file;
    std::size_t m_at = 0, m_written = 0;
    int m_line = 1;
    DocumentErrors m_errors;
};

} // namespace stratoplan::exchange::launchfile

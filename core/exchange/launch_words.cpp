// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_words.h"

namespace stratoplan::exchange::launchfile {

SpelledWords WordReader::read(bool isPlain)
{
    Growing word;
    while (!m_lexer.atEnd() && !isBlank(m_lexer.peek()) && (isPlain || !m_lexer.isOneOf(";&|()<>"))) {
        if (m_lexer.isContinued())
            break;
        if (m_lexer.peek() == '\'')
            readSingleQuoted(word);
        else if (m_lexer.peek() == '"')
            readDoubleQuoted(word);
        else if (m_lexer.isOneOf("$`"))
            m_expansion.read(word, false);
        else {
            if (m_lexer.peek() == '\\' && m_lexer.peek(1) != '\0')
                m_lexer.step();
            word.words.back().push(m_lexer.peek(), m_lexer.line());
            m_lexer.step();
        }
    }
    if (word.words.back().text.empty() && !word.isQuoted)
        word.words.pop_back();
    return std::move(word.words);
}

void WordReader::readSingleQuoted(Growing& word)
{
    const int begin = m_lexer.line();
    word.isQuoted = true;
    for (m_lexer.step(); !m_lexer.atEnd() && m_lexer.peek() != '\''; m_lexer.step())
        word.words.back().push(m_lexer.peek(), m_lexer.line());
    if (m_lexer.atEnd())
        return m_lexer.fail(begin, "a ' that is not closed", "a second one behind it");
    m_lexer.step();
}

void WordReader::readDoubleQuoted(Growing& word)
{
    const int begin = m_lexer.line();
    word.isQuoted = true;
    m_lexer.step();
    while (!m_lexer.atEnd() && m_lexer.peek() != '"') {
        if (m_lexer.isOneOf("$`")) {
            m_expansion.read(word, true);
            continue;
        }
        if (m_lexer.peek() == '\\' && std::string_view("\\\"$`\n").find(m_lexer.peek(1)) != std::string_view::npos)
            m_lexer.step();
        word.words.back().push(m_lexer.peek() == '\n' ? ' ' : m_lexer.peek(), m_lexer.line());
        m_lexer.step();
    }
    if (m_lexer.atEnd())
        return m_lexer.fail(begin, "a \" that is not closed", "a second one behind it");
    m_lexer.step();
}

void WordReader::skipHereDocument()
{
    m_lexer.step(2);
    while (m_lexer.isOneOf("- \t"))
        m_lexer.step();
    const SpelledWords words = read(false);
    const std::string end = words.empty() ? std::string() : words.front().text;
    while (!m_lexer.atEnd()) {
        m_lexer.step(m_lexer.restOfLine().size() + 1);
        std::string_view line = m_lexer.restOfLine();
        while (!line.empty() && isBlank(line.front()))
            line.remove_prefix(1);
        while (!line.empty() && isBlank(line.back()))
            line.remove_suffix(1);
        if (line == end)
            return m_lexer.step(m_lexer.restOfLine().size());
    }
}

} // namespace stratoplan::exchange::launchfile

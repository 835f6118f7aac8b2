// SPDX-License-Identifier: Apache-2.0
// Variables of a script, and what "$NAME", "${NAME[@]}", "${NAME:-default}" and "$((sum))" become. Nothing is run:
// what only a running shell knows stays as it is written. Private to the reader of scripts.
#pragma once

#include "core/exchange/launch_lexer.h"

#include <map>

namespace stratoplan::exchange::launchfile {

class ShellVariables {
public:
    /// One word, unless it is an array; null where it was never set.
    [[nodiscard]] const SpelledWords* find(std::string_view name) const;
    void set(const std::string& name, SpelledWords words);
    /// "+=": more elements of an array, or more characters of a word.
    void add(const std::string& name, const SpelledWords& words, bool isArray);
    /// Values of those that are one word.
    [[nodiscard]] std::map<std::string, std::string> texts() const;
    /// Names, as they were last set.
    [[nodiscard]] std::vector<std::string> order() const;
    [[nodiscard]] std::size_t size() const { return m_words.size(); }

private:
    std::map<std::string, SpelledWords, std::less<>> m_words;
    std::map<std::string, std::size_t> m_lastSet; ///< the how manieth setting of all
    std::size_t m_settings = 0;
};

/// What one word of a script becomes while it is read: several words, or none where it is empty and not quoted.
struct Growing {
    SpelledWords words = SpelledWords(1);
    bool isQuoted = false;
};

class Expansion {
public:
    Expansion(Lexer& lexer, const ShellVariables& variables)
        : m_lexer(lexer)
        , m_variables(variables)
    {
    }

    /// Where a $ or a ` stands.
    void read(Growing& word, bool quoted);

private:
    void keep(Growing& word, std::size_t begin);
    void expandNamed(Growing& word, std::string_view inside, std::size_t begin, bool quoted);
    void append(Growing& word, const SpelledWords& values, bool quoted);
    [[nodiscard]] std::string_view otherwise(std::string_view text) const;
    [[nodiscard]] std::string valueOf(std::string_view sum) const;

    Lexer& m_lexer;
    const ShellVariables& m_variables;
};

} // namespace stratoplan::exchange::launchfile

// SPDX-License-Identifier: Apache-2.0
// Words of a script with their quotes and expansions. Private to the reader of scripts.
#pragma once

#include "core/exchange/launch_expansion.h"

namespace stratoplan::exchange::launchfile {

class WordReader {
public:
    WordReader(Lexer& lexer, const ShellVariables& variables)
        : m_lexer(lexer)
        , m_expansion(lexer, variables)
    {
    }

    /// A word with all that it becomes; nothing where it becomes nothing. On a plain line brackets and bars are
    /// letters.
    [[nodiscard]] SpelledWords read(bool isPlain);
    /// What a script writes into another file, from the << on, is none of its own.
    void skipHereDocument();

private:
    void readSingleQuoted(Growing& word);
    void readDoubleQuoted(Growing& word);

    Lexer& m_lexer;
    Expansion m_expansion;
};

} // namespace stratoplan::exchange::launchfile

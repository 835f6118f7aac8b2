// SPDX-License-Identifier: Apache-2.0
// Which branches of a script run: of "if [ a = b ]" and "case a in" between words that are known one does, of others
// and of loops all are read. Private to the reader of scripts.
#pragma once

#include "core/exchange/launch_lexer.h"

#include <optional>

namespace stratoplan::exchange::launchfile {

/// "[ a = b ]", "[[ 3 -lt 4 ]]", "[ -z a ]", "! [ … ]"; nothing where a word is only known to a running shell.
[[nodiscard]] std::optional<bool> truthOf(const SpelledWords& test);

class Branches {
public:
    /// Whether commands run here, as far as is known.
    [[nodiscard]] bool runs() const;
    /// Whether it is not known that they do.
    [[nodiscard]] bool isOpen() const;
    /// Whether patterns of a case come next.
    [[nodiscard]] bool awaitsPattern() const { return !m_levels.empty() && m_levels.back().awaitsPattern; }

    [[nodiscard]] std::size_t depth() const { return m_levels.size(); }

    /// A whole command: "if …", "elif …", "fi", "case a in", "for …", "done", "a" of "a|b)"; others change nothing.
    void take(const SpelledWords& command);
    /// "else"
    void otherwise();
    /// The ) behind patterns, and the ;; at the end of their commands.
    void beginCase();
    void endCase();

private:
    void takePattern(std::string_view pattern);
    struct Level {
        std::optional<bool> runs; ///< nothing: not known
        bool outerRuns = true, outerIsOpen = false; ///< of the levels around it
        bool hasRun = false; ///< one of its branches is known to
        bool mayHaveRun = false; ///< one of them may
        bool isCase = false, awaitsPattern = false;
        std::optional<std::string> subject; ///< of a case; nothing: not known
        std::optional<bool> matches = false; ///< one of the patterns so far
    };
    Level& openLevel();
    static void choose(Level& level, std::optional<bool> truth);

    std::vector<Level> m_levels;
};

} // namespace stratoplan::exchange::launchfile

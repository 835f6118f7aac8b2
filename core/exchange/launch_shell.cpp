// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_shell.h"

#include "core/units/parse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr std::size_t kMostCharacters = std::size_t{4} << 20; ///< of all expansions together

bool isNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isBlank(char c)
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
    [[nodiscard]] int line() const { return lines.empty() ? 0 : lines.front(); }
};
using SpelledWords = std::vector<Spelled>;

/// Divided at blanks.
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

struct Variable {
    SpelledWords words; ///< one, unless it is an array
};

class ScriptReader {
public:
    ScriptReader(std::string_view text, std::string_view file)
        : m_text(text)
        , m_file(file)
    {
    }

    Script read()
    {
        while (m_at < m_text.size() && m_script.errors.empty())
            readCommand();
        if (m_script.arguments.empty())
            takeVariables();
        for (const auto& [name, variable] : m_variables)
            if (variable.words.size() == 1)
                m_script.variables[name] = variable.words.front().text;
        return std::move(m_script);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    [[nodiscard]] bool isOneOf(std::string_view characters) const
    {
        return characters.find(peek()) != std::string_view::npos;
    }
    [[nodiscard]] bool stands(std::string_view text) const { return m_text.substr(m_at).starts_with(text); }
    void step()
    {
        m_line += m_text[m_at] == '\n';
        ++m_at;
    }
    void fail(int line, const char* found, const char* expected)
    {
        m_script.errors.push_back(
            {DocumentError::Code::Syntax, std::string(m_file), "line " + std::to_string(line), found, expected, {}});
        m_at = m_text.size();
    }
    /// False, and no more is read, where a script writes itself without end.
    bool grows(std::size_t by)
    {
        m_written += by;
        if (m_written > kMostCharacters && m_at < m_text.size())
            fail(m_line, "variables that grow without end", "a script of less than 4 MiB");
        return m_written <= kMostCharacters;
    }

    // What stands between words

    void skipComment()
    {
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        const std::string_view comment = m_text.substr(m_at, end - m_at);
        if (comment.starts_with("#SBATCH"))
            takeLauncher(divided(spelled(comment.substr(7))));
        else if (const std::size_t at = comment.find(kWorldSize); at != std::string_view::npos)
            takeWorldSize(comment.substr(at + kWorldSize.size()));
        m_at = end;
    }

    [[nodiscard]] Spelled spelled(std::string_view text) const
    {
        return {std::string(text), std::vector<int>(text.size(), m_line)};
    }

    /// Of the head of an exported file, which no shell reads.
    void takeWorldSize(std::string_view text)
    {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        m_script.launcher.push_back({"WORLD_SIZE", {std::string(text.substr(0, end))}, m_line});
    }

    /// Blanks and continued lines; true at the end of a command.
    bool skipToWord()
    {
        while (m_at < m_text.size()) {
            if (stands("\\\n") || stands("\\\r\n")) {
                step();
                m_at = m_text.find('\n', m_at);
                step();
            } else if (peek() == ' ' || peek() == '\t' || peek() == '\r')
                step();
            else
                break;
        }
        if (peek() == '#')
            skipComment();
        return m_at >= m_text.size() || isOneOf(m_isPlain ? "\n" : "\n;&|");
    }

    // Words

    /// A word with all that it becomes; nothing where it becomes nothing.
    SpelledWords readWord()
    {
        SpelledWords words(1);
        m_isQuoted = false;
        while (m_at < m_text.size() && !isBlank(peek()) && (m_isPlain || !isOneOf(";&|()<>"))) {
            if (stands("\\\n") || stands("\\\r\n"))
                break;
            if (peek() == '\'')
                readSingleQuoted(words);
            else if (peek() == '"')
                readDoubleQuoted(words);
            else if (peek() == '$' || peek() == '`')
                expand(words, false);
            else {
                if (peek() == '\\' && m_at + 1 < m_text.size())
                    step();
                words.back().push(peek(), m_line);
                step();
            }
        }
        if (words.back().text.empty() && !m_isQuoted)
            words.pop_back();
        return words;
    }

    void readSingleQuoted(SpelledWords& words)
    {
        const int begin = m_line;
        m_isQuoted = true;
        for (step(); m_at < m_text.size() && peek() != '\''; step())
            words.back().push(peek(), m_line);
        if (m_at >= m_text.size())
            fail(begin, "a ' that is not closed", "a second one behind it");
        else
            step();
    }

    void readDoubleQuoted(SpelledWords& words)
    {
        const int begin = m_line;
        m_isQuoted = true;
        step();
        while (m_at < m_text.size() && peek() != '"') {
            if (peek() == '$' || peek() == '`') {
                expand(words, true);
                continue;
            }
            if (peek() == '\\' && std::string_view("\\\"$`\n").find(peek(1)) != std::string_view::npos)
                step();
            words.back().push(peek() == '\n' ? ' ' : peek(), m_line);
            step();
        }
        if (m_at >= m_text.size())
            return fail(begin, "a \" that is not closed", "a second one behind it");
        step();
    }

    // Expansions

    /// Up to the bracket that closes the one before; the text between both.
    std::string_view bracketed(char open, char close)
    {
        const std::size_t begin = m_at;
        const int line = m_line;
        int depth = 1;
        for (; m_at < m_text.size(); step()) {
            depth += peek() == open ? 1 : peek() == close ? -1 : 0;
            if (depth == 0)
                break;
        }
        if (m_at >= m_text.size()) {
            fail(line, "a bracket that is not closed", "a second one behind it");
            return m_text.substr(begin);
        }
        step();
        return m_text.substr(begin, m_at - begin - 1);
    }

    void expand(SpelledWords& words, bool quoted)
    {
        const std::size_t begin = m_at;
        if (peek() == '`') {
            step();
            const std::size_t end = std::min(m_text.find('`', m_at), m_text.size());
            while (m_at < end)
                step();
            if (m_at < m_text.size())
                step();
            return keep(words, begin);
        }
        if (stands("$((")) {
            m_at += 3;
            const std::string_view sum = bracketed('(', ')');
            if (peek() == ')')
                step();
            return append(words, {spelled(valueOf(sum))}, quoted);
        }
        step();
        if (peek() == '(') {
            step();
            bracketed('(', ')');
            return keep(words, begin);
        }
        if (peek() == '{') {
            step();
            return expandNamed(words, bracketed('{', '}'), begin, quoted);
        }
        const std::size_t nameBegin = m_at;
        while (m_at < m_text.size() && isNameChar(peek()))
            step();
        if (m_at == nameBegin)
            return keep(words, begin);
        expandNamed(words, m_text.substr(nameBegin, m_at - nameBegin), begin, quoted);
    }

    /// As it is written.
    void keep(SpelledWords& words, std::size_t begin)
    {
        const Spelled text = spelled(m_text.substr(begin, m_at - begin));
        append(words, {text}, true);
    }

    /// "NAME", "NAME[@]", "NAME:-default"
    void expandNamed(SpelledWords& words, std::string_view inside, std::size_t begin, bool quoted)
    {
        std::size_t end = 0;
        while (end < inside.size() && isNameChar(inside[end]))
            ++end;
        const std::string name(inside.substr(0, end));
        std::string_view rest = inside.substr(end);
        const auto known = m_variables.find(name);
        if (rest == "[@]" || rest == "[*]" || rest.empty()) {
            if (known == m_variables.end())
                return keep(words, begin);
            const bool all = !rest.empty();
            const SpelledWords& values = known->second.words;
            return append(words, all || values.size() < 2 ? values : SpelledWords{values.front()}, quoted);
        }
        rest.remove_prefix(rest.starts_with(':') ? 1 : 0);
        if (name.empty() || rest.empty() || (rest.front() != '-' && rest.front() != '='))
            return keep(words, begin);
        if (known != m_variables.end() && !known->second.words.empty() && !known->second.words.front().text.empty())
            return append(words, known->second.words, quoted);
        std::string_view otherwise = rest.substr(1);
        if (otherwise.size() > 1 && otherwise.front() == '"' && otherwise.back() == '"')
            otherwise = otherwise.substr(1, otherwise.size() - 2);
        if (otherwise.starts_with('$'))
            otherwise = defaultNamed(otherwise.substr(1));
        append(words, {spelled(otherwise)}, quoted);
    }

    /// The value of the variable that a default names; the default itself where there is none.
    [[nodiscard]] std::string_view defaultNamed(std::string_view name) const
    {
        std::string_view bare = name;
        if (bare.starts_with('{') && bare.ends_with('}'))
            bare = bare.substr(1, bare.size() - 2);
        const auto it = m_variables.find(std::string(bare));
        return it == m_variables.end() || it->second.words.empty() ? name : it->second.words.front().text;
    }

    void append(SpelledWords& words, const SpelledWords& values, bool quoted)
    {
        if (values.empty())
            m_isQuoted = false;
        SpelledWords pieces;
        bool startsNew = false, endsNew = false;
        for (const Spelled& value : values) {
            if (!grows(value.text.size() + 1))
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
            if ((i > 0 || startsNew) && !(i == 0 && words.back().text.empty()))
                words.emplace_back();
            for (std::size_t c = 0; c < pieces[i].text.size(); ++c)
                words.back().push(pieces[i].text[c], pieces[i].lines[c]);
        }
        if (endsNew && !pieces.empty())
            words.emplace_back();
    }

    /// Of a sum of whole numbers and variables; itself where it is something else.
    [[nodiscard]] std::string valueOf(std::string_view sum) const
    {
        std::string plain;
        for (std::size_t i = 0; i < sum.size();) {
            std::size_t end = i;
            while (end < sum.size() && isNameChar(sum[end]))
                ++end;
            if (end == i || (sum[i] >= '0' && sum[i] <= '9')) {
                end = std::max(end, i + 1);
                plain += sum[i] == '$' || sum[i] == '{' || sum[i] == '}' ? "" : std::string(sum.substr(i, end - i));
            } else {
                const auto it = m_variables.find(std::string(sum.substr(i, end - i)));
                plain += it != m_variables.end() && !it->second.words.empty() ? it->second.words.front().text
                                                                              : std::string(sum.substr(i, end - i));
            }
            i = end;
        }
        const auto value = plain.size() < 1000 ? parseNumber(plain) : tl::unexpected(ParseError());
        if (!value || !(std::abs(*value) < 1e15))
            return "$((" + std::string(sum) + "))";
        return std::to_string(std::int64_t(std::floor(*value)));
    }

    // Commands

    void readCommand()
    {
        SpelledWords words;
        bool isFirst = true;
        m_isPlain = false;
        while (!skipToWord()) {
            if (isFirst && words.empty() && readAssignment())
                continue;
            m_isPlain = m_isPlain || (isFirst && words.empty() && stands("--")); // no shell has such a command
            if (m_isPlain) {
                for (Spelled& word : readWord())
                    words.push_back(std::move(word));
            } else if (peek() == '<' && peek(1) == '<' && peek(2) != '<')
                skipHereDocument();
            else if (peek() == ')') { // of a pattern of case, or of a shell inside the shell
                takeCommand(std::exchange(words, {}));
                isFirst = true;
                step();
            } else if (isOneOf("<>"))
                skipRedirection(words);
            else if (peek() == '(')
                step();
            else {
                SpelledWords more = readWord();
                isFirst = isFirst && more.size() == 1 && leavesFirst(more.front().text);
                if (!isFirst)
                    words.insert(words.end(), more.begin(), more.end());
                if (!grows(1))
                    return;
            }
        }
        if (m_at < m_text.size())
            step();
        takeCommand(words);
    }

    /// Words before which an assignment may still come.
    [[nodiscard]] static bool leavesFirst(std::string_view word)
    {
        static constexpr std::array words{"export", "local", "declare", "readonly", "env", "then", "else", "do", "-x",
            "-r", "-a", "-i", "-g", "{", "}"};
        return std::find(words.begin(), words.end(), word) != words.end();
    }

    /// NAME=value, NAME+=value, NAME=( words )
    bool readAssignment()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && isNameChar(m_text[end]))
            ++end;
        const bool adds = end > m_at && m_text.substr(end).starts_with("+=");
        const bool isName = end > m_at && !(peek() >= '0' && peek() <= '9');
        if (!isName || !(adds || m_text.substr(end).starts_with('=')))
            return false;
        const std::string name(m_text.substr(m_at, end - m_at));
        m_at = end + (adds ? 2 : 1);
        SpelledWords words;
        const bool isArray = peek() == '(';
        if (isArray)
            words = readArray();
        else
            words = {joinedWord(isBlank(peek()) ? SpelledWords{} : readWord())};
        SpelledWords& values = m_variables[name].words;
        if (m_depth > 0 && !adds && !values.empty() && textsDiffer(values, words))
            m_script.branches.push_back({name, {words.empty() ? std::string() : words.front().text}, m_line});
        if (!adds)
            values = std::move(words);
        else if (isArray)
            values.insert(values.end(), words.begin(), words.end());
        else
            values = {joinedWord({values.empty() ? Spelled() : values.front(), words.front()}, false)};
        remember(name);
        return true;
    }

    static bool textsDiffer(const SpelledWords& a, const SpelledWords& b)
    {
        return !std::equal(a.begin(), a.end(), b.begin(), b.end(),
            [](const Spelled& one, const Spelled& other) { return one.text == other.text; });
    }

    void remember(const std::string& name)
    {
        std::erase(m_order, name);
        m_order.push_back(name);
    }

    /// A value is not divided, whatever is in it.
    static Spelled joinedWord(const SpelledWords& words, bool spaced = true)
    {
        Spelled all;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i > 0 && spaced)
                all.push(' ', words[i].line());
            for (std::size_t c = 0; c < words[i].text.size(); ++c)
                all.push(words[i].text[c], words[i].lines[c]);
        }
        return all;
    }

    SpelledWords readArray()
    {
        SpelledWords words;
        const int begin = m_line;
        step();
        for (;;) {
            if (skipToWord() && m_at < m_text.size()) {
                step();
                continue;
            }
            if (m_at >= m_text.size())
                break;
            if (peek() == ')') {
                step();
                return words;
            }
            if (isOneOf("(<>")) {
                step();
                continue;
            }
            for (Spelled& word : readWord())
                words.push_back(std::move(word));
        }
        if (m_script.errors.empty())
            fail(begin, "a ( that is not closed", "a ) behind it");
        return words;
    }

    /// "2>&1", "> log"
    void skipRedirection(SpelledWords& words)
    {
        const char before = m_at > 0 ? m_text[m_at - 1] : ' ';
        if (before >= '0' && before <= '9' && !words.empty() && words.back().text == std::string(1, before))
            words.pop_back();
        while (m_at < m_text.size() && isOneOf("<>&"))
            step();
        if (!skipToWord())
            readWord();
    }

    /// What a script writes into another file is none of its own.
    void skipHereDocument()
    {
        m_at += 2;
        while (peek() == '-' || peek() == ' ' || peek() == '\t')
            step();
        SpelledWords words = readWord();
        const std::string end = words.empty() ? std::string() : words.front().text;
        std::size_t line = std::min(m_text.find('\n', m_at), m_text.size());
        while (line < m_text.size()) {
            const std::size_t next = std::min(m_text.find('\n', line + 1), m_text.size());
            std::string_view content = m_text.substr(line + 1, next - line - 1);
            while (!content.empty() && isBlank(content.front()))
                content.remove_prefix(1);
            while (!content.empty() && isBlank(content.back()))
                content.remove_suffix(1);
            line = next;
            if (content == end)
                break;
        }
        while (m_at < line)
            step();
    }

    [[nodiscard]] static bool isProgram(std::string_view word)
    {
        return word.ends_with(".py") && !word.starts_with("--");
    }

    /// Branches and loops are read as if all of them ran.
    void countBranches(std::string_view word)
    {
        static constexpr std::array opens{"if", "case", "for", "while", "until"};
        static constexpr std::array closes{"fi", "esac", "done"};
        if (std::find(opens.begin(), opens.end(), word) != opens.end())
            ++m_depth;
        else if (std::find(closes.begin(), closes.end(), word) != closes.end())
            m_depth = std::max(0, m_depth - 1);
    }

    void takeCommand(SpelledWords words)
    {
        if (words.empty())
            return;
        countBranches(words.front().text);
        if (words.front().text.starts_with("--"))
            return takeStatements(words, 0, m_script.arguments);
        // A command inside quotes: bash -c "torchrun … pretrain_gpt.py …"
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i].text.find(".py ") != std::string::npos) {
                SpelledWords inner = divided(words[i]);
                words.erase(words.begin() + std::ptrdiff_t(i));
                words.insert(words.begin() + std::ptrdiff_t(i), inner.begin(), inner.end());
                break;
            }
        const auto program =
            std::find_if(words.begin(), words.end(), [](const Spelled& word) { return isProgram(word.text); });
        if (program == words.end())
            return;
        const auto at = std::size_t(program - words.begin());
        takeLauncher(SpelledWords(words.begin(), program));
        takeStatements(words, at + 1, m_script.arguments);
    }

    /// A script that starts nothing that is known still has its arguments in variables.
    void takeVariables()
    {
        for (const std::string& name : m_order) {
            SpelledWords words;
            for (const Spelled& value : m_variables[name].words)
                for (Spelled& word : divided(value))
                    words.push_back(std::move(word));
            if (!words.empty() && words.front().text.starts_with("--"))
                takeStatements(words, 0, m_script.arguments);
        }
    }

    void takeLauncher(const SpelledWords& words)
    {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string_view text = words[i].text;
            const std::size_t equals = text.find('=');
            if (!text.starts_with('-') || text == "-")
                continue;
            const bool follows = equals == std::string_view::npos && i + 1 < words.size();
            std::string name(text.substr(0, equals));
            std::replace(name.begin(), name.end(), '_', '-');
            std::string value =
                follows ? words[i + 1].text : std::string(equals < text.size() ? text.substr(equals + 1) : "");
            m_script.launcher.push_back({std::move(name), {std::move(value)}, words[i].line()});
        }
    }

    static void takeStatements(const SpelledWords& words, std::size_t from, std::vector<Statement>& statements)
    {
        bool follows = false;
        for (std::size_t i = from; i < words.size(); ++i) {
            const std::string& text = words[i].text;
            if (text.starts_with("--") && text.size() > 2) {
                const std::size_t equals = text.find('=');
                statements.push_back({text.substr(0, equals), {}, words[i].line()});
                if (equals != std::string::npos)
                    statements.back().values.push_back(text.substr(equals + 1));
                follows = true;
            } else if (text.starts_with('$') && (!follows || !statements.back().values.empty())) {
                statements.push_back({text, {}, words[i].line()}); // more arguments, which only a shell knows
                follows = false;
            } else if (follows)
                statements.back().values.push_back(text);
        }
    }

    static constexpr std::string_view kWorldSize = "WORLD_SIZE=";

    std::string_view m_text, m_file;
    std::size_t m_at = 0, m_written = 0;
    int m_line = 1, m_depth = 0;
    bool m_isQuoted = false;
    bool m_isPlain = false; ///< a line of arguments alone, in which brackets and bars are letters
    std::map<std::string, Variable> m_variables;
    std::vector<std::string> m_order; ///< of variables, as they were last set
    Script m_script;
};

} // namespace

Script readScript(std::string_view text, std::string_view file)
{
    return ScriptReader(text, file).read();
}

bool looksLikeArguments(std::string_view text)
{
    if (text.find("elapsed time per iteration") != std::string_view::npos) // a log that tells how it was started
        return false;
    static constexpr std::array flags{"--num-layers", "--tensor-model-parallel-size", "--micro-batch-size",
        "--hidden-size", "--pipeline-model-parallel-size", "--global-batch-size"};
    return std::any_of(flags.begin(), flags.end(), [&](std::string_view flag) {
        for (std::size_t at = 0; (at = text.find(flag, at)) != std::string_view::npos; at += flag.size()) {
            const std::size_t end = at + flag.size();
            if (end == text.size() || isBlank(text[end]) || text[end] == '=')
                return true;
        }
        return false;
    });
}

} // namespace stratoplan::exchange::launchfile

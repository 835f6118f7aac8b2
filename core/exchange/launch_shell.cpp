// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_shell.h"

#include "core/exchange/launch_branches.h"
#include "core/exchange/launch_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr std::string_view kWorldSize = "WORLD_SIZE=";
constexpr std::size_t kMostNames = 10'000, kMostLevels = 10'000; ///< of a script that a person keeps

void takeLauncher(const SpelledWords& words, std::vector<Statement>& launcher)
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
        launcher.push_back({std::move(name), {std::move(value)}, words[i].line()});
    }
}

/// "'([0]*3+[1]*58)'" of a command that was put together in a string, which eval reads once more.
std::string unquoted(const std::string& text)
{
    const bool isQuoted =
        text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
    return isQuoted ? text.substr(1, text.size() - 2) : text;
}

/// "2>&1", "&> log", "| tee log" in such a string: no argument stands behind it.
bool endsArguments(std::string_view word)
{
    return word == "|" || word == "||" || word == "&&" || word == ";" || word == "&" || word.starts_with('>')
        || word.starts_with("&>") || word.starts_with("2>") || word.starts_with("1>");
}

void takeStatements(const SpelledWords& words, std::size_t from, std::vector<Statement>& statements)
{
    bool follows = false;
    for (std::size_t i = from; i < words.size(); ++i) {
        const std::string& text = words[i].text;
        if (endsArguments(text))
            return;
        if (text == "\\")
            continue;
        if (text.starts_with("--") && text.size() > 2) {
            const std::size_t equals = text.find('=');
            statements.push_back({text.substr(0, equals), {}, words[i].line()});
            if (equals != std::string::npos)
                statements.back().values.push_back(unquoted(text.substr(equals + 1)));
            follows = true;
        } else if (text.starts_with('$') && (!follows || !statements.back().values.empty())) {
            statements.push_back({text, {}, words[i].line()}); // more arguments, which only a shell knows
            follows = false;
        } else if (follows)
            statements.back().values.push_back(unquoted(text));
    }
}

/// The command inside quotes: bash -c "torchrun … pretrain_gpt.py …"
void openQuotes(SpelledWords& words)
{
    const auto quoted = std::find_if(
        words.begin(), words.end(), [](const Spelled& word) { return word.text.find(".py ") != std::string::npos; });
    if (quoted == words.end())
        return;
    const SpelledWords inner = divided(*quoted);
    words.insert(words.erase(quoted), inner.begin(), inner.end());
}

/// Words before which an assignment may still come.
bool leavesFirst(std::string_view word)
{
    static constexpr std::array words{
        "export", "local", "declare", "readonly", "env", "then", "else", "do", "-x", "-r", "-a", "-i", "-g", "{", "}"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool textsDiffer(const SpelledWords& a, const SpelledWords& b)
{
    return !std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](const Spelled& left, const Spelled& right) { return left.text == right.text; });
}

class ScriptReader {
public:
    ScriptReader(std::string_view text, std::string_view file)
        : m_lexer(text, file)
        , m_words(m_lexer, m_variables)
    {
    }

    Script read()
    {
        while (!m_lexer.atEnd())
            readCommand();
        if (m_script.arguments.empty())
            takeVariables();
        m_script.variables = m_variables.texts();
        m_script.errors = std::move(m_lexer.errors());
        return std::move(m_script);
    }

private:
    void skipComment()
    {
        const std::string_view comment = m_lexer.restOfLine();
        if (comment.starts_with("#SBATCH"))
            takeLauncher(divided(m_lexer.spelled(comment.substr(7))), m_script.launcher);
        else if (const std::size_t at = comment.find(kWorldSize); at != std::string_view::npos)
            takeWorldSize(comment.substr(at + kWorldSize.size()));
        m_lexer.step(comment.size());
    }

    /// Of the head of an exported file, which no shell reads.
    void takeWorldSize(std::string_view text)
    {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        m_script.launcher.push_back({"WORLD_SIZE", {std::string(text.substr(0, end))}, m_lexer.line()});
    }

    /// True at the end of a command.
    bool skipToWord()
    {
        m_lexer.skipBlanks();
        if (m_lexer.peek() == '#')
            skipComment();
        return m_lexer.atEnd() || m_lexer.isOneOf(m_isPlain ? "\n" : "\n;&|");
    }

    void readCommand()
    {
        SpelledWords words;
        bool isFirst = true;
        m_isPlain = false;
        while (!skipToWord()) {
            if (isFirst && readAssignment())
                continue;
            m_isPlain = m_isPlain || (isFirst && m_lexer.stands("--")); // no shell has such a command
            if (!m_isPlain && m_lexer.isOneOf("()<>")) {
                isFirst = readOperator(words) || isFirst;
                continue;
            }
            SpelledWords more = m_words.read(m_isPlain);
            isFirst = isFirst && more.size() == 1 && leavesFirst(more.front().text);
            if (isFirst && more.front().text == "else")
                m_branches.otherwise();
            if (!isFirst)
                words.insert(words.end(), more.begin(), more.end());
            if (!m_lexer.grows(1))
                return;
        }
        const bool endsCase = m_lexer.stands(";;");
        m_lexer.step();
        takeCommand(std::move(words));
        if (endsCase)
            m_branches.endCase();
    }

    /// Brackets and redirections; true where a command begins behind it.
    bool readOperator(SpelledWords& words)
    {
        if (m_lexer.stands("<<") && m_lexer.peek(2) != '<')
            m_words.skipHereDocument();
        else if (m_lexer.isOneOf("<>"))
            skipRedirection(words);
        else if (m_lexer.peek() == '(')
            m_lexer.step();
        else { // of a pattern of case, or of a shell inside the shell
            takeCommand(std::exchange(words, {}));
            m_branches.beginCase();
            m_lexer.step();
            return true;
        }
        return false;
    }

    /// NAME=value, NAME+=value, NAME=( words )
    bool readAssignment()
    {
        std::size_t length = 0;
        while (isNameChar(m_lexer.peek(length)))
            ++length;
        const bool adds = m_lexer.peek(length) == '+' && m_lexer.peek(length + 1) == '=';
        const bool isName = length > 0 && !(m_lexer.peek() >= '0' && m_lexer.peek() <= '9');
        if (!isName || !(adds || m_lexer.peek(length) == '='))
            return false;
        const std::size_t begin = m_lexer.at();
        m_lexer.step(length);
        const std::string name(m_lexer.since(begin));
        m_lexer.step(adds ? 2 : 1);
        const bool isArray = m_lexer.peek() == '(';
        if (isArray)
            assign(name, readArray(), adds, true);
        else // a value is not divided, whatever is in it
            assign(name, {joined(isBlank(m_lexer.peek()) ? SpelledWords() : m_words.read(false))}, adds, false);
        return true;
    }

    void assign(const std::string& name, SpelledWords words, bool adds, bool isArray)
    {
        if (!m_branches.runs())
            return;
        if (m_variables.size() >= kMostNames && !m_variables.find(name))
            return m_lexer.fail(m_lexer.line(), "more than 10000 variables", "a script of fewer");
        if (adds)
            return m_variables.add(name, words, isArray);
        const SpelledWords* const before = m_variables.find(name);
        if (m_branches.isOpen() && before && !before->empty() && textsDiffer(*before, words))
            m_script.branches.push_back({name, {words.empty() ? std::string() : words.front().text}, m_lexer.line()});
        m_variables.set(name, std::move(words));
    }

    SpelledWords readArray()
    {
        SpelledWords words;
        const int begin = m_lexer.line();
        m_lexer.step();
        while (!m_lexer.atEnd()) {
            const bool isEnd = skipToWord();
            if (m_lexer.peek() == ')') {
                m_lexer.step();
                return words;
            }
            if (isEnd || m_lexer.isOneOf("(<>")) {
                m_lexer.step();
                continue;
            }
            for (Spelled& word : m_words.read(false))
                words.push_back(std::move(word));
        }
        if (m_lexer.errors().empty())
            m_lexer.fail(begin, "a ( that is not closed", "a ) behind it");
        return words;
    }

    /// "2>&1", "> log"
    void skipRedirection(SpelledWords& words)
    {
        const std::string digit(1, m_lexer.before());
        if (digit >= "0" && digit <= "9" && !words.empty() && words.back().text == digit)
            words.pop_back();
        while (m_lexer.isOneOf("<>&"))
            m_lexer.step();
        if (!skipToWord())
            static_cast<void>(m_words.read(false));
    }

    void takeCommand(SpelledWords words)
    {
        if (words.empty())
            return;
        m_branches.take(words);
        if (m_branches.depth() > kMostLevels)
            return m_lexer.fail(m_lexer.line(), "more than 10000 branches inside one another", "a script of fewer");
        if (!m_branches.runs())
            return;
        if (words.front().text.starts_with("--"))
            return takeStatements(words, 0, m_script.arguments);
        openQuotes(words);
        const auto program = std::find_if(words.begin(), words.end(),
            [](const Spelled& word) { return word.text.ends_with(".py") && !word.text.starts_with("--"); });
        if (program == words.end())
            return;
        takeLauncher(SpelledWords(words.begin(), program), m_script.launcher);
        takeStatements(words, std::size_t(program - words.begin()) + 1, m_script.arguments);
    }

    /// A script that starts nothing that is known still has its arguments in variables.
    void takeVariables()
    {
        for (const std::string& name : m_variables.order()) {
            SpelledWords words;
            for (const Spelled& value : *m_variables.find(name))
                for (Spelled& word : divided(value))
                    words.push_back(std::move(word));
            if (!words.empty() && words.front().text.starts_with("--"))
                takeStatements(words, 0, m_script.arguments);
        }
    }

    Lexer m_lexer;
    ShellVariables m_variables;
    WordReader m_words;
    Branches m_branches;
    bool m_isPlain = false; ///< a line of arguments alone
    Script m_script;
};

} // namespace

Script readScript(std::string_view text, std::string_view file)
{
    static constexpr std::array words{"MindSpeed", "mindspeed", "NPUS_PER_NODE", "ASCEND", "HCCL_", "torch_npu"};
    Script script = ScriptReader(text, file).read();
    script.isAscend = std::any_of(
        words.begin(), words.end(), [&](const char* word) { return text.find(word) != std::string_view::npos; });
    return script;
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

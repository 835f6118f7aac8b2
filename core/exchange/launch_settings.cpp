// SPDX-License-Identifier: Apache-2.0
// JSON and TOML as statements: the names of nested settings are joined by points, values are words.
#include "core/exchange/json_text.h"
#include "core/exchange/launch_reading.h"

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <array>

namespace stratoplan::exchange::launchfile {
namespace {

using SettingsJson = nlohmann::ordered_json;

constexpr int kMostParts = 64; ///< of names and brackets inside one another

std::string wordOfJson(const SettingsJson& value)
{
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, SettingsJson::error_handler_t::replace);
}

void flatten(const SettingsJson& object, const std::string& prefix, std::vector<Statement>& all)
{
    for (const auto& [name, value] : object.items()) {
        const std::string place = prefix + name;
        if (value.is_object())
            flatten(value, place + '.', all);
        else if (value.is_array()) {
            all.push_back({place, {}, 0});
            for (const SettingsJson& element : value)
                all.back().values.push_back(wordOfJson(element));
        } else if (!value.is_null())
            all.push_back({place, {wordOfJson(value)}, 0});
    }
}

std::string wordOfToml(const toml::node& node)
{
    if (const auto* text = node.as_string())
        return text->get();
    if (const auto* number = node.as_integer())
        return std::to_string(number->get());
    if (const auto* truth = node.as_boolean())
        return truth->get() ? "true" : "false";
    if (const auto* real = node.as_floating_point())
        return SettingsJson(real->get()).dump();
    return {};
}

void takeArray(const toml::array& array, Statement& statement)
{
    for (const toml::node& element : array) {
        if (const toml::array* inner = element.as_array()) {
            for (const toml::node& word : *inner)
                statement.values.push_back(wordOfToml(word));
            statement.values.emplace_back(kListEnd);
        } else
            statement.values.push_back(wordOfToml(element));
    }
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<Statement>& all)
{
    for (const auto& [name, node] : table) {
        const std::string place = prefix + std::string(name.str());
        if (const toml::table* inner = node.as_table()) {
            flatten(*inner, place + '.', all);
            continue;
        }
        all.push_back({place, {}, int(node.source().begin.line)});
        if (const toml::array* array = node.as_array())
            takeArray(*array, all.back());
        else
            all.back().values.push_back(wordOfToml(node));
    }
}

/// Behind the string of TOML that begins there.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    const std::string three(3, quote);
    const bool isLong = text.substr(at).starts_with(three);
    for (at += isLong ? 3 : 1; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\')
            ++at;
        else if (!isLong && (text[at] == quote || text[at] == '\n'))
            return text[at] == quote ? at + 1 : at;
        else if (isLong && text.substr(at).starts_with(three)) {
            at += 3;
            for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) // of the text itself
                ++at;
            return at;
        }
    }
    return text.size();
}

/// The first line on which parts of names and brackets stand deeper inside one another than a stack bears; 0 = none.
int lineTooDeep(std::string_view text)
{
    std::vector<int> outer{0};
    int depth = 0, line = 1;
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
        const char c = text[at];
        next = c == '"' || c == '\'' ? endOfString(text, at)
            : c == '#'               ? std::min(text.find('\n', at), text.size())
                                     : at + 1;
        if (c == '[' || c == '{')
            outer.push_back(++depth);
        else if ((c == ']' || c == '}') && outer.size() > 1) {
            depth = outer.back() - 1;
            outer.pop_back();
        } else if (c == ',' || c == '\n')
            depth = outer.back();
        else if (c == '.')
            ++depth;
        if (depth >= kMostParts)
            return line;
        line += int(std::count(text.data() + at, text.data() + next, '\n'));
    }
    return 0;
}

} // namespace

tl::expected<std::vector<Statement>, DocumentErrors> jsonStatements(std::string_view text, std::string_view file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return tl::unexpected(DocumentErrors{document.error()});
    std::vector<Statement> all;
    flatten(*document, {}, all);
    return all;
}

tl::expected<std::vector<Statement>, DocumentErrors> tomlStatements(std::string_view text, std::string_view file)
try {
    text = withoutByteOrderMark(text);
    if (const int line = lineTooDeep(text); line > 0)
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Syntax, std::string(file),
            "line " + std::to_string(line), "a name of too many parts", "at most " + std::to_string(kMostParts), {}}});
    std::vector<Statement> all;
    flatten(toml::parse(text), {}, all);
    std::stable_sort(all.begin(), all.end(), [](const Statement& a, const Statement& b) { return a.line < b.line; });
    return all;
} catch (const toml::parse_error& error) {
    std::string found(error.description());
    if (found.starts_with("Error"))
        found.replace(0, 1, "an e"); // as a sentence goes on
    return tl::unexpected(DocumentErrors{{DocumentError::Code::Syntax, std::string(file),
        "line " + std::to_string(error.source().begin.line), std::move(found), "TOML", {}}});
}

bool looksLikeTorchTitan(std::string_view text)
{
    static constexpr std::array tables{"[model]", "[training]", "[parallelism]", "[activation_checkpoint]"};
    std::size_t found = 0;
    for (const std::string_view table : tables)
        for (std::size_t at = 0; (at = text.find(table, at)) != std::string_view::npos; at += table.size())
            if (at == 0 || text[at - 1] == '\n') {
                ++found;
                break;
            }
    return found >= 2;
}

} // namespace stratoplan::exchange::launchfile

// SPDX-License-Identifier: Apache-2.0
#include "core/launch/setting.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace stratoplan::launch {
namespace {

using nlohmann::ordered_json;

/// The shortest text that reads as the same double, with a point or an exponent: "8.0", "0.0003".
std::string decimal(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    std::string result(text, end);
    if (result.find_first_of(".en") == std::string::npos)
        result += ".0";
    return result;
}

/// Characters beyond ASCII stay as they are.
std::string quoted(const std::string& text)
{
    return ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

template <typename List, typename Text>
std::string joined(const List& list, std::string_view between, Text text)
{
    std::string result;
    for (const auto& element : list)
        result += (result.empty() ? std::string() : std::string(between)) + text(element);
    return result;
}

std::string wordList(const Words& words)
{
    return '[' + joined(words, ", ", quoted) + ']';
}

/// A literal of JSON, which TOML reads the same; in TOML there are no flags.
std::string literal(const Value& value)
{
    if (const auto* words = std::get_if<Words>(&value))
        return wordList(*words);
    if (const auto* lists = std::get_if<std::vector<Words>>(&value))
        return "[\n  " + joined(*lists, ",\n  ", wordList) + ",\n]";
    const auto* text = std::get_if<std::string>(&value);
    return text ? quoted(*text) : textOf(value);
}

ordered_json jsonOf(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag;
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return *number;
    if (const auto* number = std::get_if<double>(&value))
        return *number;
    if (const auto* words = std::get_if<Words>(&value))
        return *words;
    if (const auto* lists = std::get_if<std::vector<Words>>(&value))
        return *lists;
    return std::holds_alternative<Flag>(value) ? ordered_json(true) : ordered_json(textOf(value));
}

ordered_json nested(const Settings& settings)
{
    ordered_json root = ordered_json::object();
    for (const Setting& setting : settings) {
        ordered_json* place = &root;
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = setting.name.find('.', begin)) != std::string::npos; begin = end + 1)
            place = &(*place)[setting.name.substr(begin, end - begin)];
        (*place)[setting.name.substr(begin)] = jsonOf(setting.value);
    }
    return root;
}

void appendYaml(std::string& text, const ordered_json& object, const std::string& indent)
{
    for (const auto& [name, value] : object.items()) {
        text += indent + name + ':';
        if (value.is_object()) {
            text += '\n';
            appendYaml(text, value, indent + "  ");
        } else
            text += ' ' + value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
    }
}

bool isPlain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
        || std::string_view("-_./:,=+@%").find(c) != std::string_view::npos;
}

/// In single quotes where bash would not take it as it stands.
std::string shellWord(const std::string& word)
{
    if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + '\'';
}

Words valueWords(const Value& value)
{
    if (std::holds_alternative<Flag>(value))
        return {};
    const auto* words = std::get_if<Words>(&value);
    return words ? *words : Words{textOf(value)};
}

} // namespace

const Setting* find(const Settings& settings, std::string_view name)
{
    const auto it = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.name == name; });
    return it == settings.end() ? nullptr : &*it;
}

void remove(Settings& settings, std::string_view name)
{
    std::erase_if(settings, [&](const Setting& setting) { return setting.name == name; });
}

std::int64_t numberOf(const Settings& settings, std::string_view name, std::int64_t otherwise)
{
    const Setting* setting = find(settings, name);
    const auto* number = setting ? std::get_if<std::int64_t>(&setting->value) : nullptr;
    return number ? *number : otherwise;
}

std::string textOf(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&value))
        return decimal(*number);
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* code = std::get_if<Code>(&value))
        return code->text;
    const auto* words = std::get_if<Words>(&value);
    return words ? joined(*words, " ", [](const std::string& word) { return word; }) : std::string();
}

std::string argumentText(const Setting& setting)
{
    const std::string value = textOf(setting.value);
    return value.empty() ? setting.name : setting.name + ' ' + value;
}

std::string argumentLines(const Settings& settings)
{
    std::string text;
    for (const Setting& setting : settings)
        text += argumentText(setting) + '\n';
    return text;
}

std::string shellLines(const Settings& settings, std::string_view indent)
{
    std::string text;
    for (const Setting& setting : settings) {
        text += std::string(indent) + setting.name;
        for (const std::string& word : valueWords(setting.value))
            text += ' ' + shellWord(word);
        text += '\n';
    }
    return text;
}

std::string yamlArguments(const Settings& settings, std::string_view indent)
{
    std::string text;
    const auto add = [&](const std::string& word) { text += std::string(indent) + "- " + quoted(word) + '\n'; };
    for (const Setting& setting : settings) {
        add(setting.name);
        for (const std::string& word : valueWords(setting.value))
            add(word);
    }
    return text;
}

std::string jsonText(const Settings& settings)
{
    return nested(settings).dump(2) + '\n';
}

std::string tomlText(const Settings& settings)
{
    const auto tableOf = [](const Setting& setting) { return setting.name.substr(0, setting.name.rfind('.')); };
    std::vector<std::string> tables;
    for (const Setting& setting : settings)
        if (std::find(tables.begin(), tables.end(), tableOf(setting)) == tables.end())
            tables.push_back(tableOf(setting));
    std::string text;
    for (const std::string& table : tables) {
        text += (text.empty() ? "[" : "\n[") + table + "]\n";
        for (const Setting& setting : settings)
            if (tableOf(setting) == table)
                text += setting.name.substr(table.size() + 1) + " = " + literal(setting.value) + '\n';
    }
    return text;
}

std::string yamlText(const Settings& settings)
{
    std::string text;
    appendYaml(text, nested(settings), {});
    return text;
}

std::string pythonText(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "True" : "False";
    return std::holds_alternative<Flag>(value) ? "True" : literal(value);
}

std::string pythonAssignments(const Settings& settings, std::string_view object, std::string_view indent)
{
    std::string text;
    for (const Setting& setting : settings)
        text +=
            std::string(indent) + std::string(object) + '.' + setting.name + " = " + pythonText(setting.value) + '\n';
    return text;
}

} // namespace stratoplan::launch

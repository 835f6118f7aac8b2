// SPDX-License-Identifier: Apache-2.0
#include "core/launch/flag_table.h"

#include "core/catalog/embedded.h"
#include "core/units/named.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>

namespace stratoplan::launch {
namespace {

using nlohmann::json;

constexpr NameTable<FlagType, 8> kTypes{{{FlagType::Flag, "flag"}, {FlagType::Integer, "int"},
    {FlagType::Real, "float"}, {FlagType::Boolean, "bool"}, {FlagType::Text, "str"}, {FlagType::Texts, "list"},
    {FlagType::TextLists, "lists"}, {FlagType::Expression, "expression"}}};

std::optional<Value> valueOf(const json& entry, const char* name, FlagType type)
{
    const auto it = entry.find(name);
    if (it == entry.end())
        return std::nullopt;
    if (it->is_boolean())
        return Value(it->get<bool>());
    if (it->is_number_integer())
        return Value(it->get<std::int64_t>());
    if (it->is_number())
        return Value(it->get<double>());
    if (type == FlagType::Expression)
        return Value(Code{it->get<std::string>()});
    return type == FlagType::Flag ? Value(Flag{}) : Value(it->get<std::string>());
}

FlagEntry entryOf(const json& value)
{
    FlagEntry entry;
    entry.name = value.at("name");
    entry.type = valueIn(kTypes, value.at("type").get<std::string>()).value();
    entry.choices = value.value("choices", Words{});
    entry.source = value.at("source");
    entry.megatron = value.value("megatron", "");
    entry.when = value.value("when", "");
    entry.value = valueOf(value, "value", entry.type);
    entry.absent = valueOf(value, "absent", entry.type);
    if (value.contains("renamed"))
        for (const auto& [from, to] : value["renamed"].items())
            entry.renamed.emplace_back(from, to.get<std::string>());
    return entry;
}

std::map<std::string, FlagTable, std::less<>> readTables()
{
    std::map<std::string, FlagTable, std::less<>> tables;
    for (const catalog::EmbeddedFile& file : catalog::embedded::launch()) {
        const std::size_t end = file.name.rfind(".json");
        if (end == std::string_view::npos)
            continue;
        auto table = parseFlagTable(file.content);
        assert(table);
        tables.emplace(file.name.substr(0, end), std::move(*table));
    }
    return tables;
}

bool isOfType(const Value& value, FlagType type)
{
    switch (type) {
    case FlagType::Flag:
        return std::holds_alternative<launch::Flag>(value);
    case FlagType::Integer:
        return std::holds_alternative<std::int64_t>(value);
    case FlagType::Real:
        return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
    case FlagType::Boolean:
        return std::holds_alternative<bool>(value);
    case FlagType::Text:
        return std::holds_alternative<std::string>(value);
    case FlagType::Texts:
        return std::holds_alternative<Words>(value);
    case FlagType::TextLists:
        return std::holds_alternative<std::vector<Words>>(value);
    case FlagType::Expression:
        return std::holds_alternative<Code>(value);
    }
    return false;
}

bool isChosen(const Value& value, const Words& choices)
{
    const auto* words = std::get_if<Words>(&value);
    const Words all = words ? *words : Words{textOf(value)};
    return choices.empty() || std::all_of(all.begin(), all.end(), [&](const std::string& word) {
        return std::find(choices.begin(), choices.end(), word) != choices.end();
    });
}

/// A value of the type that the other framework has it in.
Value converted(const Value& value, const FlagEntry& entry)
{
    if (entry.type == FlagType::Flag)
        return Flag{};
    const std::string text = textOf(value);
    for (const auto& [from, to] : entry.renamed)
        if (from == text)
            return entry.type == FlagType::Expression ? Value(Code{to}) : Value(to);
    if (entry.type == FlagType::Expression)
        return Code{text};
    if (entry.type == FlagType::Text)
        return text;
    return value;
}

/// Appends what the entry says in place of an argument; false where it cannot say that value.
bool append(Settings& settings, const FlagEntry& entry, const Setting& from)
{
    if (!entry.when.empty() && entry.when != textOf(from.value))
        return true;
    Value value = entry.value ? *entry.value : converted(from.value, entry);
    if (!isOfType(value, entry.type) || !isChosen(value, entry.choices))
        return false;
    settings.push_back({entry.name, std::move(value)});
    return true;
}

} // namespace

const FlagEntry* FlagTable::find(std::string_view name) const
{
    const auto it = std::find_if(entries.begin(), entries.end(), [&](const FlagEntry& e) { return e.name == name; });
    return it == entries.end() ? nullptr : &*it;
}

std::optional<FlagTable> parseFlagTable(std::string_view text)
try {
    const json document = json::parse(text);
    FlagTable table{document.at("title"), document.at("source"), {}, {}, document.value("implied", Words{})};
    for (const json& value : document.at("entries"))
        table.entries.push_back(entryOf(value));
    if (document.contains("flavors"))
        for (const json& value : document["flavors"])
            table.flavors.push_back({value.at("model"), value.at("name"), value.value("preset", ""), value.at("layers"),
                value.at("hidden"), value.at("heads")});
    return table;
} catch (const std::exception&) {
    return std::nullopt;
}

const FlagTable& shippedTable(std::string_view name)
{
    static const std::map<std::string, FlagTable, std::less<>> tables = readTables();
    const auto it = tables.find(name);
    assert(it != tables.end());
    return it->second;
}

std::vector<FlagFault> faults(const Settings& settings, const FlagTable& table)
{
    std::vector<FlagFault> found;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const Setting& setting = settings[i];
        const FlagEntry* entry = table.find(setting.name);
        if (!entry)
            found.push_back({FlagFault::Code::Unknown, setting});
        else if (!isOfType(setting.value, entry->type))
            found.push_back({FlagFault::Code::Type, setting});
        else if (!isChosen(setting.value, entry->choices))
            found.push_back({FlagFault::Code::Choice, setting});
        if (find(settings, setting.name) != &setting)
            found.push_back({FlagFault::Code::Repeated, setting});
    }
    return found;
}

Derived derived(const Settings& megatron, const FlagTable& table)
{
    Derived result;
    for (const Setting& setting : megatron) {
        if (std::find(table.implied.begin(), table.implied.end(), setting.name) != table.implied.end())
            continue;
        bool isSaid = false;
        for (const FlagEntry& entry : table.entries)
            if (entry.megatron == setting.name || (entry.megatron.empty() && entry.name == setting.name))
                isSaid = append(result.settings, entry, setting) || isSaid;
        if (!isSaid)
            result.left.push_back(setting);
    }
    for (const FlagEntry& entry : table.entries)
        if (entry.absent && !find(megatron, entry.megatron))
            result.settings.push_back({entry.name, *entry.absent});
    return result;
}

} // namespace stratoplan::launch

// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/huggingface_fields.h"

#include "core/exchange/huggingface_families.h"
#include "core/exchange/json_text.h"
#include "core/units/reading.h"

#include <algorithm>

namespace stratoplan::exchange::huggingface {
namespace {

constexpr int kMost = 100'000'000; ///< of any count in a configuration

} // namespace

Fields::Fields(const Json& object, const std::string& pointer, std::string_view file, bool part)
    : m_file(file)
    , m_part(part)
{
    m_scopes.push_back({object, pointer});
    for (const char* const inner : {"attn_config", "ffn_config"}) { // MPT and DBRX
        if (const auto it = object.find(inner); it != object.end() && it->is_object())
            m_scopes.push_back({*it, childPointer(pointer, inner)});
    }
}

Fields::Place Fields::place(std::string_view name, bool null) const
{
    std::vector<std::string> aliases{std::string(name)};
    std::ranges::copy(otherNames(name), std::back_inserter(aliases));
    for (const std::string& alias : aliases) {
        for (const Scope& scope : m_scopes) {
            const auto it = scope.object.find(alias);
            if (it != scope.object.end() && it->is_null() == null)
                return {&*it, childPointer(scope.pointer, alias)};
        }
    }
    return {nullptr, childPointer(m_scopes.front().pointer, name)};
}

const Fields::Json* Fields::find(std::string_view name) const
{
    return place(name, false).value;
}

bool Fields::isNull(std::string_view name) const
{
    return !find(name) && place(name, true).value;
}

std::optional<int> Fields::standard(std::string_view name) const
{
    const auto it = m_defaults.find(std::string(name));
    return it == m_defaults.end() ? std::nullopt : std::optional(it->second);
}

int Fields::number(std::string_view name, int least)
{
    if (const Json* const value = find(name))
        return checked(name, *value, least);
    const std::optional<int> rule = standard(name);
    if (rule && m_part && !isNull(name)) {
        note(name, std::to_string(*rule));
        return *rule;
    }
    fail(name, "nothing", reading::kWholeNumber);
    return least;
}

int Fields::number(std::string_view name, int rule, bool noted, int least)
{
    if (const Json* const value = find(name))
        return checked(name, *value, least);
    const std::optional<int> usual = isNull(name) ? std::nullopt : standard(name);
    if (usual || noted)
        note(name, std::to_string(usual.value_or(rule)));
    return usual.value_or(rule);
}

bool Fields::flag(std::string_view name, bool rule)
{
    const Json* const value = find(name);
    if (!value)
        return rule;
    if (value->is_boolean())
        return value->get<bool>();
    fail(name, catalog::quoteJson(*value), reading::kBoolean);
    return rule;
}

std::vector<std::string> Fields::words(std::string_view name)
{
    std::vector<std::string> result;
    const Json* const value = find(name);
    if (!value)
        return result;
    if (!value->is_array() || !std::ranges::all_of(*value, [](const Json& word) { return word.is_string(); })) {
        fail(name, catalog::quoteJson(*value), reading::kListOfTexts);
        return result;
    }
    for (const Json& word : *value)
        result.push_back(word.get<std::string>());
    return result;
}

void Fields::note(std::string_view name, const std::string& value)
{
    std::string text(name);
    text += '=';
    text += value;
    if (std::ranges::find(m_notes, text) == m_notes.end())
        m_notes.push_back(std::move(text));
}

void Fields::fail(std::string_view name, std::string found, std::string expected)
{
    Place place = this->place(name, false);
    m_errors.push_back(
        {DocumentError::Code::Schema, m_file, std::move(place.pointer), std::move(found), std::move(expected)});
}

int Fields::checked(std::string_view name, const Json& value, int least)
{
    const Json* common = &value;
    if (value.is_array() && !value.empty()) {
        common = &value.front();
        if (!std::ranges::all_of(value, [&](const Json& other) { return other == *common; })) {
            fail(name, "layers of different sizes", "one size for all layers: others cannot be represented yet");
            return least;
        }
    }
    if (common->is_number_integer() && common->get<double>() >= least && common->get<double>() <= kMost)
        return common->get<int>();
    fail(name, catalog::quoteJson(value), reading::wholeNumber(least, kMost));
    return least;
}

} // namespace stratoplan::exchange::huggingface

// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/merge.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

/// True if the value holds a field, at any depth, that would be lost if it were written anew.
bool holdsExtras(const Json& value, const SchemaNode& node)
{
    if (!value.is_structured())
        return false;
    for (auto it = value.begin(); it != value.end(); ++it) {
        if (value.is_object() && node.describesMembers() && (!node.knows(it.key()) || node.child(it.key()).isRemark()))
            return true;
        if (holdsExtras(*it, value.is_object() ? node.child(it.key()) : node.child("0")))
            return true;
    }
    return false;
}

/// What tells an element of an array from its neighbours; empty if nothing does.
std::string identity(const Json& element)
{
    if (!element.is_object())
        return {};
    const auto text = [&](const char* member) {
        const auto it = element.find(member);
        return it != element.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    for (const char* member : {"id", "name"}) {
        if (const std::string value = text(member); !value.empty())
            return member + ('=' + value);
    }
    const std::string from = text("from");
    return from.empty() ? std::string() : "from=" + from + '\n' + text("to");
}

/// For each element of `fresh` the index of its counterpart in `original`, or -1.
std::vector<int> counterparts(const Json& original, const Json& fresh)
{
    std::vector<int> result(fresh.size(), -1);
    std::map<std::string, std::vector<int>> known;
    for (std::size_t i = original.size(); i-- > 0;) {
        if (const std::string id = identity(original[i]); !id.empty())
            known[id].push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        const std::string id = identity(fresh[i]);
        if (id.empty()) {
            if (original.size() == fresh.size())
                result[i] = static_cast<int>(i);
        } else if (auto it = known.find(id); it != known.end() && !it->second.empty()) {
            result[i] = it->second.back();
            it->second.pop_back();
        }
    }
    return result;
}

const Json& memberOr(const Json& object, const std::string& name, const Json& fallback)
{
    if (!object.is_object())
        return fallback;
    const auto it = object.find(name);
    return it == object.end() ? fallback : *it;
}

Json mergeObjects(const Json& original, const Json& fresh, const Json& whole, const SchemaNode& node)
{
    Json result = Json::object();
    for (auto it = original.begin(); it != original.end(); ++it) {
        const std::string& name = it.key();
        if (const auto written = fresh.find(name); written != fresh.end())
            result[name] = mergeDocument(*it, *written, memberOr(whole, name, *written), node.child(name));
        else if (!node.knows(name) || node.child(name).isRemark())
            result[name] = *it;
    }
    for (auto it = fresh.begin(); it != fresh.end(); ++it) {
        if (!original.contains(it.key()))
            result[it.key()] = *it;
    }
    return result;
}

} // namespace

Json mergeDocument(const Json& original, const Json& fresh, const Json& whole, const SchemaNode& node)
{
    if (original.is_object() && fresh.is_string() && whole.is_object() && holdsExtras(original, node))
        return mergeObjects(original, whole, whole, node);
    if (original.is_object() && fresh.is_object())
        return mergeObjects(original, fresh, whole, node);
    if (original.is_array() && fresh.is_array()) {
        const std::vector<int> partners = counterparts(original, fresh);
        Json result = Json::array();
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            const Json& spelt = whole.is_array() && whole.size() == fresh.size() ? whole[i] : fresh[i];
            result.push_back(partners[i] < 0
                    ? fresh[i]
                    : mergeDocument(original[static_cast<std::size_t>(partners[i])], fresh[i], spelt, node.child("0")));
        }
        return result;
    }
    return fresh;
}

} // namespace stratoplan::exchange

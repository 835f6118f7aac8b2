// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/search_space.h"

#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"
#include "core/plan/dimensions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace stratoplan::exchange {
namespace {

using Json = nlohmann::ordered_json;

/// `choice`: from where to where it goes if nothing is said.
plan::IntChoice choiceOf(const Json& value, plan::IntChoice choice)
{
    if (value.is_number())
        return plan::IntChoice::just(value.get<int>());
    if (value.is_array())
        return {1, std::numeric_limits<int>::max(), value.get<std::vector<int>>()};
    choice.least = value.value("min", choice.least);
    choice.most = value.value("max", choice.most);
    return choice;
}

/// Reads members that have passed the schema.
class SpaceReader {
public:
    SpaceReader(const Json& json, plan::SearchSpace& space)
        : m_json(json)
        , m_space(space)
    {
    }

    DocumentErrors read()
    {
        m_space.name = m_json.value("name", std::string("file"));
        m_space.leaveIdle = m_json.value("leave_idle", m_space.leaveIdle);
        m_space.evenLayers = m_json.value("even_layers", m_space.evenLayers);
        m_space.contextPartitions = m_json.value("context_partitions", m_space.contextPartitions);
        if (m_json.contains("framework"))
            m_space.framework = *plan::targetFrameworkFromKey(m_json.at("framework").get<std::string>());
        choice("accelerators", m_space.accelerators);
        for (const plan::DimensionRow& row : plan::dimensions()) {
            std::visit([&](const auto& place) { read(row.key.data(), place.choice); }, row.place);
            if (row.id == plan::Dimension::MicroBatch) {
                const plan::IntChoice fromNone{0, std::numeric_limits<int>::max(), {}};
                choice("first_stage_fewer", m_space.firstStageFewer, fromNone);
                choice("last_stage_fewer", m_space.lastStageFewer, fromNone);
            }
        }
        return std::move(m_errors);
    }

private:
    void fail(std::string pointer, std::string found, std::string expected)
    {
        m_errors.push_back(
            {DocumentError::Code::Schema, {}, std::move(pointer), std::move(found), std::move(expected)});
    }

    template <class Values>
    void read(const char* name, Values plan::SearchSpace::*member)
    {
        const auto value = m_json.find(name);
        if (!member || value == m_json.end())
            return;
        if constexpr (std::is_same_v<Values, plan::IntChoice>)
            choice(name, m_space.*member);
        else if (value->is_array())
            m_space.*member = valuesOf<typename Values::value_type>(*value);
        else // of replicas that share
            m_space.shardGroups = *plan::shardGroupsFromKey(value->get<std::string>());
    }

    /// No space lists partitions of single operators.
    void read(
        const char* /*name*/, std::vector<std::vector<parallel::OperatorPartition>> plan::SearchSpace::* /*member*/)
    {
    }

    /// What is named twice is one choice.
    template <class Value>
    std::vector<Value> valuesOf(const Json& list)
    {
        std::vector<Value> values;
        for (std::size_t i = 0; i < list.size(); ++i) {
            Value value = valueOf(list[i], i, Value());
            if (std::find(values.begin(), values.end(), value) == values.end())
                values.push_back(std::move(value));
        }
        return values;
    }

    template <class Value>
    Value valueOf(const Json& json, std::size_t /*place*/, const Value& /*type*/)
    {
        if constexpr (std::is_enum_v<Value>)
            return *fromKey<Value>(json.get<std::string>());
        else
            return json.get<Value>();
    }

    std::vector<parallel::Axis> valueOf(
        const Json& json, std::size_t place, const std::vector<parallel::Axis>& /*type*/)
    {
        std::vector<parallel::Axis> order;
        for (const Json& axis : json)
            order.push_back(*parallel::axisFromKey(axis.get<std::string>()));
        if (std::set<parallel::Axis>(order.begin(), order.end()).size() != order.size())
            fail("/rank_order/" + std::to_string(place), catalog::quoteJson(json), "each of tp, cp, ep, dp, pp once");
        return order;
    }

    void choice(const char* name, plan::IntChoice& target, const plan::IntChoice& whole = {})
    {
        const auto value = m_json.find(name);
        if (value == m_json.end())
            return;
        target = choiceOf(*value, whole);
        if (target.least > target.most)
            fail(std::string("/") + name + "/max", std::to_string(target.most),
                "an integer >= " + std::to_string(target.least) + ", its min");
    }

    const Json& m_json;
    plan::SearchSpace& m_space;
    DocumentErrors m_errors;
};

} // namespace

tl::expected<plan::SearchSpace, DocumentErrors> parseSearchSpace(
    std::string_view text, const plan::Plan& plan, std::string_view file)
{
    const auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::SearchSpace);
    if (faults.empty())
        faults = unknownFields(*parsed, DocumentFormat::SearchSpace);
    plan::SearchSpace space;
    if (faults.empty()) {
        space = *namedSpace(parsed->value("base", std::string("default")), plan);
        faults = SpaceReader(*parsed, space).read();
    }
    if (faults.empty())
        return space;
    for (DocumentError& fault : faults)
        fault.file = file;
    return tl::unexpected(std::move(faults));
}

} // namespace stratoplan::exchange

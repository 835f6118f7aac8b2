// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/search_space.h"

#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace stratoplan {
namespace {

using Json = nlohmann::ordered_json;

/// `choice`: from where to where it goes if nothing is said.
IntChoice choiceOf(const Json& value, IntChoice choice)
{
    if (value.is_number())
        return IntChoice::just(value.get<int>());
    if (value.is_array())
        return {1, std::numeric_limits<int>::max(), value.get<std::vector<int>>()};
    choice.least = value.value("min", choice.least);
    choice.most = value.value("max", choice.most);
    return choice;
}

/// Reads members that have passed the schema.
class SpaceReader {
public:
    SpaceReader(const Json& json, SearchSpace& space)
        : m_json(json)
        , m_space(space)
    {
    }

    DocumentErrors read()
    {
        m_space.name = m_json.value("name", std::string("file"));
        m_space.leaveIdle = m_json.value("leave_idle", m_space.leaveIdle);
        m_space.evenLayers = m_json.value("even_layers", m_space.evenLayers);
        if (m_json.contains("framework"))
            m_space.framework = *targetFrameworkFromKey(m_json.at("framework").get<std::string>());
        choice("accelerators", m_space.accelerators);
        choice("tp", m_space.tp);
        choice("cp", m_space.cp);
        choice("pp", m_space.pp);
        choice("dp", m_space.dp);
        choice("ep", m_space.ep);
        choice("etp", m_space.etp);
        choice("vpp", m_space.vpp);
        choice("micro_batch", m_space.microBatch);
        const IntChoice fromNone{0, std::numeric_limits<int>::max(), {}};
        choice("first_stage_fewer", m_space.firstStageFewer, fromNone);
        choice("last_stage_fewer", m_space.lastStageFewer, fromNone);
        if (m_json.contains("zero_stage"))
            m_space.zeroStages = m_json.at("zero_stage").get<std::vector<int>>();
        if (m_json.contains("zero_shards") && m_json.at("zero_shards").is_array())
            m_space.zeroShards = m_json.at("zero_shards").get<std::vector<int>>();
        else if (m_json.contains("zero_shards"))
            m_space.shardGroups = *shardGroupsFromKey(m_json.at("zero_shards").get<std::string>());
        if (m_json.contains("sequence_parallel"))
            m_space.sequenceParallel = m_json.at("sequence_parallel").get<std::vector<bool>>();
        names("recompute", m_space.recomputes, recomputeFromKey);
        choice("recomputed_layers", m_space.recomputedLayers);
        names("schedule", m_space.schedules, scheduleFromKey);
        names("context_method", m_space.contextMethods, contextMethodFromKey);
        names("precision", m_space.precisions, precisionFromKey);
        names("vocabulary_placement", m_space.vocabularyPlacements, vocabularyPlacementFromKey);
        names("offload", m_space.offloads, offloadFromKey);
        if (m_json.contains("timing_pass"))
            m_space.timingPasses = m_json.at("timing_pass").get<std::vector<bool>>();
        rankOrders();
        onceEach(m_space.zeroStages, m_space.zeroShards, m_space.sequenceParallel, m_space.recomputes,
            m_space.schedules, m_space.contextMethods, m_space.precisions, m_space.vocabularyPlacements,
            m_space.offloads, m_space.timingPasses, m_space.rankOrders);
        return std::move(m_errors);
    }

private:
    void fail(std::string pointer, std::string found, std::string expected)
    {
        m_errors.push_back(
            {DocumentError::Code::Schema, {}, std::move(pointer), std::move(found), std::move(expected)});
    }

    /// What is named twice is one choice.
    template <class... Lists>
    static void onceEach(Lists&... lists)
    {
        const auto tidy = [](auto& list) {
            for (auto one = list.begin(); one != list.end(); ++one)
                list.erase(std::remove(one + 1, list.end(), *one), list.end());
        };
        (tidy(lists), ...);
    }

    void choice(const char* name, IntChoice& target, const IntChoice& whole = {})
    {
        const auto value = m_json.find(name);
        if (value == m_json.end())
            return;
        target = choiceOf(*value, whole);
        if (target.least > target.most)
            fail(std::string("/") + name + "/max", std::to_string(target.most),
                "an integer >= " + std::to_string(target.least) + ", its min");
    }

    template <class Value, class FromKey>
    void names(const char* name, std::vector<Value>& target, FromKey fromKey)
    {
        const auto list = m_json.find(name);
        if (list == m_json.end())
            return;
        target.clear();
        for (const Json& one : *list)
            target.push_back(*fromKey(one.template get<std::string>()));
    }

    void rankOrders()
    {
        const auto list = m_json.find("rank_order");
        if (list == m_json.end())
            return;
        m_space.rankOrders.clear();
        for (std::size_t i = 0; i < list->size(); ++i) {
            std::vector<Axis> order;
            for (const Json& axis : list->at(i))
                order.push_back(*axisFromKey(axis.get<std::string>()));
            if (std::set<Axis>(order.begin(), order.end()).size() != order.size())
                fail("/rank_order/" + std::to_string(i), quoteJson(list->at(i)), "each of tp, cp, ep, dp, pp once");
            m_space.rankOrders.push_back(std::move(order));
        }
    }

    const Json& m_json;
    SearchSpace& m_space;
    DocumentErrors m_errors;
};

} // namespace

tl::expected<SearchSpace, DocumentErrors> parseSearchSpace(
    std::string_view text, const Plan& plan, std::string_view file)
{
    const auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::SearchSpace);
    if (faults.empty())
        faults = unknownFields(*parsed, DocumentFormat::SearchSpace);
    SearchSpace space;
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

} // namespace stratoplan

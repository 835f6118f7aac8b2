// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/plan_json.h"

#include "core/catalog/catalog_json.h"
#include "core/cluster/cluster_edits.h"
#include "core/exchange/capacity_json.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/json_text.h"
#include "core/plan/dimensions.h"
#include "core/units/reading.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// More ranks, or accelerators, than any product of counts may reach; keeps the arithmetic on them exact.
constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24;

/// Reads members of one plan; collects every fault instead of stopping at the first.
class PlanReader {
public:
    PlanReader(const json& plan, std::string pointer, const catalog::Catalog& catalog)
        : m_json(plan)
        , m_pointer(std::move(pointer))
        , m_catalog(catalog)
    {
    }

    tl::expected<plan::Plan, DocumentErrors> read()
    {
        plan::Plan plan;
        plan.name = m_json.value("name", std::string());
        readModel(plan.model);
        readCluster(plan.cluster);
        readTraining(plan.training);
        readStrategy(plan.strategy);
        if (!m_errors.empty())
            return tl::unexpected(std::move(m_errors));
        return plan;
    }

private:
    void fail(DocumentError::Code code, std::string pointer, std::string found, std::string expected)
    {
        m_errors.push_back({code, {}, std::move(pointer), std::move(found), std::move(expected)});
    }

    /// Takes over a catalogue value or its error. A text where an object could stand was meant as an id.
    template <class T>
    void take(catalog::CatalogResult<T>&& result, const json& value, T& target)
    {
        if (result) {
            target = std::move(*result);
            return;
        }
        catalog::CatalogError& error = result.error();
        const bool wasId =
            error.pointer.size() >= m_place.size() && namesEntry(value, error.pointer.substr(m_place.size()));
        fail(wasId ? DocumentError::Code::UnknownEntry : DocumentError::Code::Schema, std::move(error.pointer),
            std::move(error.found), std::move(error.expected));
    }

    static bool namesEntry(const json& value, const std::string& below)
    {
        const json::json_pointer place(below);
        return value.contains(place) && value.at(place).is_string();
    }

    /// The value with its "base" replaced by that entry's members; reports an unknown base.
    template <class Entries, class Whole>
    json withBase(const json& value, const Entries& entries, const char* what, Whole whole)
    {
        if (!value.is_object() || !value.contains("base"))
            return value;
        const std::string id = value.at("base").template get<std::string>();
        for (const auto& entry : entries) {
            if (entry.id == id) {
                json spelt = whole(entry);
                spelt.update(value);
                spelt.erase("base");
                return spelt;
            }
        }
        fail(DocumentError::Code::UnknownEntry, m_place + "/base", catalog::quoteJson(value.at("base")), what);
        return {};
    }

    void readModel(model::Transformer& model)
    {
        m_place = m_pointer + "/model";
        const json value = withBase(m_json.at("model"), m_catalog.models, "the id of a model of the catalogue",
            [](const catalog::ModelPreset& preset) { return json(toJson(preset.model, catalog::Catalog{})); });
        if (!value.is_null())
            take(parseTransformer(value, m_place, m_catalog), value, model);
    }

    void readCluster(cluster::Cluster& cluster)
    {
        m_place = m_pointer + "/cluster";
        const json& value = m_json.at("cluster");
        take(parseCluster(value, m_place, m_catalog), value, cluster);
        if (const auto nodes = m_json.find("nodes"); nodes != m_json.end() && !cluster.nodes.empty())
            setNodeCount(cluster, 0, nodes->get<int>());
        std::int64_t total = 0;
        for (const cluster::NodeGroup& group : cluster.nodes)
            total += std::int64_t{group.count} * group.acceleratorsPerNode;
        if (total > kMaxRanks)
            fail(DocumentError::Code::Schema, m_place, std::to_string(total) + " accelerators",
                reading::atMost(kMaxRanks));
    }

    void readTraining(plan::Training& training)
    {
        const json& value = m_json.at("training");
        const json defaultSoftware = m_catalog.software.empty() ? json::object() : json(m_catalog.software.front().id);
        m_place = m_pointer + "/training/software";
        const json software = withBase(value.value("software", defaultSoftware), m_catalog.software,
            "the id of a software profile of the catalogue",
            [](const plan::SoftwareProfile& profile) { return json(toJson(profile, catalog::Catalog{})); });
        if (!software.is_null())
            take(parseSoftwareProfile(software, m_place, m_catalog), software, training.software);
        training.globalBatch = value.at("global_batch").get<int>();
        training.sequenceLength = value.at("sequence_length").get<int>();
        if (const auto documents = value.find("document_length"); documents != value.end() && !documents->is_null())
            training.documentLength = documents->get<int>();
        training.precision =
            model::precisionFromKey(value.value("precision", std::string("bf16"))).value_or(training.precision);
        training.fp32Gradients = value.value("fp32_gradients", training.software.gradientsInFp32);
        training.narrowReduction = value.value("narrow_reduction", training.software.narrowReduction);
        training.narrowGather = value.value("narrow_gather", training.software.narrowParameterGather);
        keyed(value, "optimizer", training.optimizer, plan::optimizerFromKey);
        training.attention =
            training.software.flashAttention ? plan::AttentionKernel::Flash : plan::AttentionKernel::Unfused;
        keyed(value, "attention", training.attention, plan::attentionKernelFromKey);
    }

    template <class T>
    static void keyed(const json& object, const char* name, T& target, std::optional<T> (*fromKey)(std::string_view))
    {
        if (const auto it = object.find(name); it != object.end())
            target =
                fromKey(it->get_ref<const std::string&>()).value_or(target); // the schema has admitted known keys only
    }

    void readStrategy(parallel::Strategy& s)
    {
        const json& value = m_json.at("strategy");
        for (const plan::DimensionRow& row : plan::dimensions())
            if (const auto member = value.find(row.key); member != value.end())
                std::visit(
                    [&](const auto& place) {
                        if (place.field)
                            readMember(*member, s.*place.field);
                    },
                    row.place);
        // Step by step, so that the product of four degrees up to a million cannot overflow.
        std::int64_t ranks = 1;
        for (const int degree : {s.tp, s.cp, s.pp, s.dp})
            ranks = std::min(ranks * degree, kMaxRanks + 1);
        if (ranks > kMaxRanks || std::int64_t{s.pp} * s.vpp > kMaxRanks
            || std::int64_t{s.dp} * s.microBatch > INT32_MAX)
            fail(DocumentError::Code::Schema, m_pointer + "/strategy",
                "degrees whose product leaves the range of any machine",
                "tp x cp x pp x dp of at most " + std::to_string(kMaxRanks));
    }

    static void readMember(const json& value, std::vector<parallel::OperatorPartition>& target)
    {
        target.clear();
        for (const json& op : value) {
            const json again = op.value("hand_over_again", json::array());
            const auto has = [&](const char* input) { return std::ranges::find(again, json(input)) != again.end(); };
            target.push_back({op.at("operator").get<std::string>(), op.at("sequence").get<std::string>(), has("before"),
                has("skip")});
        }
    }

    /// The schema has admitted known keys only.
    template <class Value>
    void readMember(const json& value, Value& target)
    {
        if constexpr (std::is_enum_v<Value>)
            target = fromKey<Value>(value.get_ref<const std::string&>()).value_or(target);
        else
            target = value.get<Value>();
    }

    template <class Value>
    requires std::is_enum_v<Value>
    void readMember(const json& value, std::vector<Value>& target)
    {
        target.clear();
        for (const json& key : value)
            readMember(key, target.emplace_back());
        std::vector<Value> sorted = target;
        std::sort(sorted.begin(), sorted.end());
        if (std::is_same_v<Value, parallel::Axis> && std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            fail(DocumentError::Code::Schema, m_pointer + "/strategy/rank_order", value.dump(),
                "each of tp, cp, ep, dp, pp once");
    }

    const json& m_json;
    std::string m_pointer;
    const catalog::Catalog& m_catalog;
    std::string m_place; ///< of the catalogue value being read
    DocumentErrors m_errors;
};

/// The cluster as an id, with the node count beside it where only that differs from the preset.
void clusterToJson(const cluster::Cluster& cluster, const catalog::Catalog& catalog, ordered_json& plan)
{
    for (const catalog::ClusterPreset& preset : catalog.clusters) {
        if (cluster.nodes.empty() || preset.cluster.nodes.empty() || preset.cluster == cluster)
            continue;
        cluster::Cluster same = preset.cluster;
        setNodeCount(same, 0, cluster.nodes.front().count);
        if (same == cluster) {
            plan["cluster"] = preset.id;
            plan["nodes"] = cluster.nodes.front().count;
            return;
        }
    }
    plan["cluster"] = toJson(cluster, catalog);
}

/// The schema has checked names and ranges.
plan::SearchSettings parseSearch(const json& value)
{
    plan::SearchSettings s;
    s.space = value.value("space", s.space);
    s.mode = plan::searchModeFromKey(value.value("mode", std::string())).value_or(s.mode);
    s.objective = plan::objectiveFromKey(value.value("objective", std::string())).value_or(s.objective);
    s.headroom = value.value("headroom", s.headroom);
    s.longestStep = Seconds(value.value("longest_step_s", s.longestStep.value()));
    s.framework = plan::targetFrameworkFromKey(value.value("framework", std::string())).value_or(s.framework);
    for (const std::string& lock : value.value("locks", std::vector<std::string>()))
        if (const auto dimension = plan::lockableFromKey(lock))
            s.locks.insert(*dimension);
    return s;
}

ordered_json searchToJson(const plan::SearchSettings& s)
{
    ordered_json result{{"space", s.space}, {"mode", std::string(key(s.mode))},
        {"objective", std::string(key(s.objective))}, {"headroom", s.headroom},
        {"longest_step_s", s.longestStep.value()}, {"framework", std::string(key(s.framework))},
        {"locks", ordered_json::array()}};
    for (const plan::Dimension dimension : s.locks)
        result["locks"].push_back(std::string(key(dimension)));
    return result;
}

} // namespace

tl::expected<plan::Plan, DocumentErrors> parsePlan(
    const json& value, const std::string& pointer, const catalog::Catalog& catalog)
{
    return PlanReader(value, pointer, catalog).read();
}

plan::CanvasPositions parseCanvas(const json& document)
{
    plan::CanvasPositions positions;
    if (const auto canvas = document.find("canvas"); canvas != document.end()) {
        for (const auto& [id, place] : canvas->items())
            positions[id] = {place.at("x").get<double>(), place.at("y").get<double>()};
    }
    return positions;
}

std::optional<plan::CapacityInputs> capacityOf(const json& document)
{
    const auto inputs = document.find("capacity");
    return inputs != document.end() ? std::optional(parseCapacity(*inputs)) : std::nullopt;
}

tl::expected<plan::Project, DocumentErrors> parseProject(const json& value, const catalog::Catalog& catalog)
{
    plan::Project project;
    DocumentErrors errors;
    const auto readPlan = [&](const json& plan, const std::string& pointer, plan::Plan& target) {
        if (auto parsed = parsePlan(plan, pointer, catalog))
            target = std::move(*parsed);
        else
            errors.insert(errors.end(), parsed.error().begin(), parsed.error().end());
    };
    readPlan(value.at("plan"), "/plan", project.plan);
    project.canvas = parseCanvas(value);
    project.capacity = capacityOf(value).value_or(capacityOf(value.at("plan")).value_or(plan::CapacityInputs{}));
    if (const auto search = value.find("search"); search != value.end())
        project.search = parseSearch(*search);
    if (const auto pinned = value.find("pinned"); pinned != value.end()) {
        for (std::size_t i = 0; i < pinned->size(); ++i) {
            plan::PinnedPlan& entry = project.pinned.emplace_back();
            entry.name = pinned->at(i).at("name").get<std::string>();
            readPlan(pinned->at(i).at("plan"), "/pinned/" + std::to_string(i) + "/plan", entry.plan);
            entry.capacity = capacityOf(pinned->at(i).at("plan")).value_or(project.capacity);
            entry.note = pinned->at(i).value("note", std::string());
        }
    }
    if (const auto slides = value.find("slides"); slides != value.end()) {
        for (std::size_t i = 0; i < slides->size(); ++i) {
            const json& from = slides->at(i);
            plan::SavedSlide& slide = project.slides.emplace_back();
            slide.name = from.at("name").get<std::string>();
            slide.view = *plan::slideViewFromKey(from.at("view").get<std::string>());
            readPlan(from.at("plan"), "/slides/" + std::to_string(i) + "/plan", slide.plan);
            slide.capacity = capacityOf(from.at("plan")).value_or(project.capacity);
        }
    }
    project.notes = value.value("notes", std::string());
    if (!errors.empty())
        return tl::unexpected(std::move(errors));
    return project;
}

ordered_json planToJson(const plan::Plan& plan, const catalog::Catalog& catalog)
{
    ordered_json result = ordered_json::object();
    result["name"] = plan.name;
    result["model"] = toJson(plan.model, catalog);
    clusterToJson(plan.cluster, catalog, result);
    const plan::Training& t = plan.training;
    result["training"] = {{"global_batch", t.globalBatch}, {"sequence_length", t.sequenceLength},
        {"precision", std::string(key(t.precision))}, {"fp32_gradients", t.fp32Gradients},
        {"attention", std::string(key(t.attention))}};
    if (t.narrowReduction != t.software.narrowReduction)
        result["training"]["narrow_reduction"] = t.narrowReduction;
    if (t.narrowGather != t.software.narrowParameterGather)
        result["training"]["narrow_gather"] = t.narrowGather;
    if (t.optimizer != plan::Optimizer::Adam)
        result["training"]["optimizer"] = std::string(key(t.optimizer));
    if (t.documentLength)
        result["training"]["document_length"] = *t.documentLength;
    result["training"]["software"] = toJson(t.software, catalog);
    result["strategy"] = toJson(plan.strategy);
    return result;
}

ordered_json canvasToJson(const plan::CanvasPositions& positions)
{
    ordered_json canvas = ordered_json::object();
    for (const auto& [id, place] : positions)
        canvas[id] = {{"x", place.x}, {"y", place.y}};
    return canvas;
}

ordered_json projectToJson(const plan::Project& project, const catalog::Catalog& catalog)
{
    ordered_json result = ordered_json::object();
    result["plan"] = planToJson(project.plan, catalog);
    result["canvas"] = canvasToJson(project.canvas);
    result["capacity"] = toJson(project.capacity);
    result["search"] = searchToJson(project.search);
    const auto withCapacity = [&](const auto& entry) {
        ordered_json plan = planToJson(entry.plan, catalog);
        plan["capacity"] = toJson(entry.capacity); // empty: not that of the project
        return plan;
    };
    result["pinned"] = ordered_json::array();
    for (const plan::PinnedPlan& entry : project.pinned) {
        ordered_json& pinned = result["pinned"].emplace_back();
        pinned = {{"name", entry.name}, {"plan", withCapacity(entry)}};
        if (!entry.note.empty())
            pinned["note"] = entry.note;
    }
    result["slides"] = ordered_json::array();
    for (const plan::SavedSlide& slide : project.slides)
        result["slides"].push_back(
            {{"name", slide.name}, {"view", std::string(key(slide.view))}, {"plan", withCapacity(slide)}});
    result["notes"] = project.notes;
    return result;
}

} // namespace stratoplan::exchange

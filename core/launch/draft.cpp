// SPDX-License-Identifier: Apache-2.0
#include "core/launch/draft.h"

#include "core/catalog/embedded.h"
#include "core/parallel/rank_order.h"
#include "core/units/named.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace stratoplan::launch {
namespace {

constexpr NameTable<Blank, 14> kBlanks{{{Blank::Data, "DATA"}, {Blank::Tokenizer, "TOKENIZER"},
    {Blank::LearningRate, "LEARNING_RATE"}, {Blank::Steps, "STEPS"}, {Blank::RotaryBase, "ROTARY_BASE"},
    {Blank::LayerPattern, "LAYER_PATTERN"}, {Blank::Model, "MODEL"}, {Blank::LayerClass, "LAYER_CLASS"},
    {Blank::Configuration, "CONFIGURATION"}, {Blank::Assets, "ASSETS"}, {Blank::Folder, "FOLDER"},
    {Blank::Image, "IMAGE"}, {Blank::Partition, "PARTITION"}, {Blank::Addresses, "ADDRESS"}}};

bool isLike(const cluster::NodeGroup& a, const cluster::NodeGroup& b)
{
    return a.accelerator.name == b.accelerator.name && a.acceleratorsPerNode == b.acceleratorsPerNode;
}

} // namespace

void Draft::flag(std::string_view name, bool holds)
{
    if (holds && !find(settings, name))
        settings.push_back({std::string(name), Flag{}});
}

void Draft::number(std::string_view name, std::int64_t value)
{
    settings.push_back({std::string(name), value});
}

void Draft::text(std::string_view name, std::string_view value)
{
    settings.push_back({std::string(name), std::string(value)});
}

void Draft::set(std::string_view name, Value value)
{
    settings.push_back({std::string(name), std::move(value)});
}

void Draft::remark(Gap gap, std::string found, std::string instead)
{
    remarks.push_back({gap, std::move(found), std::move(instead)});
}

void Draft::fill(Blank blank, std::string_view name)
{
    text(name, placeholder(blank));
    leave(blank, name);
}

void Draft::leave(Blank blank, std::string_view name)
{
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    blanks.push_back({blank, std::string(name)});
}

std::string placeholder(Blank blank)
{
    return "FILL_IN_" + std::string(nameIn(kBlanks, blank));
}

void addObjections(
    Draft& draft, const plan::Plan& plan, plan::TargetFramework framework, std::span<const RuleSetting> settings)
{
    for (catalog::FrameworkObjection& objection : catalog::objections(plan, framework)) {
        Remark remark{Gap::Rule, {}, {}, objection};
        for (const RuleSetting& setting : settings)
            if (setting.rule == objection.rule) {
                const Setting* written = find(draft.settings, setting.setting);
                remark.instead = written ? argumentText(*written) : std::string(setting.otherwise);
            }
        draft.remarks.push_back(std::move(remark));
    }
}

bool breaks(const plan::Plan& plan, plan::TargetFramework framework, catalog::FrameworkRule rule)
{
    const auto all = catalog::objections(plan, framework);
    return std::any_of(all.begin(), all.end(), [&](const catalog::FrameworkObjection& o) { return o.rule == rule; });
}

bool hasExperts(const plan::Plan& plan)
{
    return layerCounts(plan.model).moe > 0;
}

int replicas(const parallel::Strategy& strategy)
{
    return strategy.dp * strategy.cp;
}

int shards(const parallel::Strategy& strategy)
{
    return strategy.zeroShards > 0 ? std::min(strategy.zeroShards, replicas(strategy)) : replicas(strategy);
}

int evenMicroBatches(const plan::Plan& plan)
{
    return std::max(1, plan.training.globalBatch / (plan.strategy.dp * plan.strategy.microBatch));
}

int evenChunk(const plan::Plan& plan)
{
    const int first = chunkLayers(plan.strategy, plan.model.layers, 0).front();
    for (int stage = 0; stage < plan.strategy.pp; ++stage)
        for (const int layers : chunkLayers(plan.strategy, plan.model.layers, stage))
            if (layers != first)
                return 0;
    return first;
}

std::int64_t steps(const plan::Project& project)
{
    return std::int64_t(std::ceil(project.capacity.tokens / tokensPerStep(project.plan)));
}

std::string_view storageKey(model::Precision precision)
{
    if (precision == model::Precision::Fp16)
        return "fp16";
    return storageBytes(precision) == 4 ? "fp32" : "bf16";
}

void addWideRemark(Draft& draft, model::Precision precision)
{
    if (precision == model::Precision::Tf32)
        draft.remark(Gap::Precision, std::string(key(precision)));
}

std::string vendor(const cluster::Cluster& cluster)
{
    for (const cluster::NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            return group.accelerator.vendor;
    return {};
}

int perNode(const cluster::Cluster& cluster)
{
    int least = 0;
    for (const cluster::NodeGroup& group : cluster.nodes)
        if (takesPart(group) && (least == 0 || group.acceleratorsPerNode < least))
            least = group.acceleratorsPerNode;
    return std::max(1, least);
}

int nodesUsed(const plan::Plan& plan)
{
    const int each = perNode(plan.cluster), ranks = rankCount(plan.strategy);
    return (ranks + each - 1) / each;
}

bool isUsuallyOrdered(const parallel::Strategy& strategy)
{
    const unsigned axes = axesInUse(strategy);
    return orderSeen(strategy.rankOrder, axes) == orderSeen(parallel::Strategy().rankOrder, axes);
}

std::string orderText(const parallel::Strategy& strategy)
{
    std::string text;
    for (const parallel::Axis axis : strategy.rankOrder)
        text += (text.empty() ? "" : "-") + std::string(key(axis));
    return text;
}

void addNodeRemarks(Draft& draft, const plan::Plan& plan)
{
    std::string kinds;
    const cluster::NodeGroup* first = nullptr;
    bool unlike = false;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        if (!takesPart(group))
            continue;
        first = first ? first : &group;
        unlike = unlike || !isLike(*first, group);
        kinds += (kinds.empty() ? "" : ", ") + std::to_string(group.count) + " x " + group.name;
    }
    if (unlike)
        draft.remark(Gap::UnlikeNodes, kinds, std::to_string(nodesUsed(plan)) + " nodes");
    const int idle = acceleratorCount(plan.cluster) - rankCount(plan.strategy);
    if (idle > 0)
        draft.remark(Gap::IdleAccelerators, std::to_string(idle));
}

std::string filledTemplate(std::string_view file, const std::vector<std::pair<std::string_view, std::string>>& values)
{
    std::string text;
    for (const catalog::EmbeddedFile& embedded : catalog::embedded::launch())
        if (embedded.name == file)
            text = embedded.content;
    assert(!text.empty());
    text.erase(0, text.find('\n') + 1); // the licence of the template
    for (const auto& [name, value] : values)
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
            text.replace(at, name.size(), value);
    return text;
}

std::string plainName(std::string_view name)
{
    std::string plain;
    for (const char c : name) {
        const bool upper = c >= 'A' && c <= 'Z', kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (upper || kept)
            plain += char(upper ? c - 'A' + 'a' : c);
        else if (!plain.empty() && plain.back() != '-')
            plain += '-';
    }
    plain.resize(std::min<std::size_t>(plain.size(), 50));
    while (!plain.empty() && plain.back() == '-')
        plain.pop_back();
    return plain.empty() ? "training" : plain;
}

} // namespace stratoplan::launch

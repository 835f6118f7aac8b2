// SPDX-License-Identifier: Apache-2.0
#include "core/audit/kernel_names.h"

#include "core/audit/tables.h"
#include "core/units/named.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stratoplan::audit {
namespace {

using Words = std::vector<std::string>;

constexpr NameTable<KernelKind, 5> kKinds{
    {{KernelKind::Matmul, "matmul"}, {KernelKind::Attention, "attention"}, {KernelKind::Optimizer, "optimizer"},
        {KernelKind::Communication, "communication"}, {KernelKind::Copies, "copies"}}};

constexpr NameTable<Collective, 7> kCollectives{
    {{Collective::Unknown, "unknown"}, {Collective::AllReduce, "all_reduce"}, {Collective::AllGather, "all_gather"},
        {Collective::ReduceScatter, "reduce_scatter"}, {Collective::AllToAll, "all_to_all"},
        {Collective::SendRecv, "send_recv"}, {Collective::Broadcast, "broadcast"}}};

constexpr NameTable<Cause, 5> kAxes{{{Cause::TensorParallel, "tp"}, {Cause::ContextParallel, "cp"},
    {Cause::ExpertParallel, "ep"}, {Cause::DataParallel, "dp"}, {Cause::Pipeline, "pp"}}};

template <class Value>
struct Entry {
    Value value{};
    Words patterns;
};

template <class Value, std::size_t N>
std::vector<Entry<Value>> entriesOf(const nlohmann::json& list, const char* field, const NameTable<Value, N>& keys)
{
    std::vector<Entry<Value>> entries;
    for (const nlohmann::json& entry : list)
        entries.push_back({valueIn(keys, entry.at(field).get<std::string>()).value(), entry.at("patterns")});
    return entries;
}

struct KernelTable {
    std::vector<Entry<KernelKind>> kinds;
    std::vector<Entry<Collective>> collectives;
    std::vector<Entry<Cause>> groups;
    Words forward, backward, helpers;
};

const KernelTable& kernelTable()
{
    static const KernelTable table = [] {
        const nlohmann::json json = nlohmann::json::parse(tableText("kernels.json"));
        return KernelTable{entriesOf(json.at("kernels"), "cause", kKinds),
            entriesOf(json.at("collectives"), "kind", kCollectives), entriesOf(json.at("groups"), "axis", kAxes),
            json.at("attention_forward"), json.at("attention_backward"), json.at("attention_helpers")};
    }();
    return table;
}

bool hasAny(std::string_view name, const Words& patterns)
{
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return containsWords(name, pattern); });
}

template <class Value>
std::optional<Value> firstOf(const std::vector<Entry<Value>>& entries, std::string_view name)
{
    for (const Entry<Value>& entry : entries)
        if (hasAny(name, entry.patterns))
            return entry.value;
    return std::nullopt;
}

} // namespace

KernelName classifyKernel(std::string_view name)
{
    const KernelTable& table = kernelTable();
    KernelName kernel{firstOf(table.kinds, name).value_or(KernelKind::OtherComputation)};
    if (kernel.kind == KernelKind::Attention && !hasAny(name, table.helpers))
        kernel.pass = hasAny(name, table.backward) ? AttentionPass::Backward
            : hasAny(name, table.forward)          ? AttentionPass::Forward
                                                   : AttentionPass::None;
    return kernel;
}

Collective collectiveOf(std::string_view name)
{
    return firstOf(kernelTable().collectives, name).value_or(Collective::Unknown);
}

std::string_view key(Collective collective)
{
    return nameIn(kCollectives, collective);
}

std::optional<Cause> axisOfGroup(std::string_view description)
{
    return firstOf(kernelTable().groups, description);
}

} // namespace stratoplan::audit

// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_file.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace stratoplan {
namespace {

using nlohmann::json;

/// Reads the members of one section of a row. The first fault is kept; later reads do nothing.
class Section {
public:
    Section(const json& row, const char* name, const std::string& rowName, std::string& fault)
        : m_prefix(rowName + "." + name)
        , m_fault(fault)
    {
        const auto found = row.find(name);
        if (found == row.end() || found->is_null())
            return;
        if (!found->is_object())
            complain("", *found, "an object");
        else
            m_object = &*found;
    }

    void read(const char* name, std::string& out)
    {
        if (const json* value = member(name)) {
            if (value->is_string())
                out = value->get<std::string>();
            else
                complain(name, *value, "a text or null");
        }
    }

    void read(const char* name, std::optional<int>& out)
    {
        std::optional<double> number;
        read(name, number);
        if (!number)
            return;
        if (*number != std::floor(*number) || std::abs(*number) > 1e9)
            complain(name, *member(name), "a whole number or null");
        else
            out = int(*number);
    }

    void read(const char* name, std::optional<double>& out)
    {
        if (const json* value = member(name)) {
            if (value->is_number() && std::isfinite(value->get<double>()))
                out = value->get<double>();
            else
                complain(name, *value, "a number or null");
        }
    }

    void read(const char* name, std::optional<bool>& out)
    {
        if (const json* value = member(name)) {
            if (value->is_boolean())
                out = value->get<bool>();
            else if (value->is_string()) // flash_attention names a version: "v1", "v2"
                out = value->get<std::string>() != "none";
            else
                complain(name, *value, "true, false or null");
        }
    }

private:
    const json* member(const char* name) const
    {
        if (!m_object)
            return nullptr;
        const auto found = m_object->find(name);
        return found == m_object->end() || found->is_null() ? nullptr : &*found;
    }

    void complain(const char* name, const json& found, const char* expected)
    {
        if (!m_fault.empty())
            return;
        m_fault = m_prefix + (*name ? "." : "") + name + ": found " + found.dump().substr(0, 60) + ", expected " + expected;
    }

    const json* m_object = nullptr;
    std::string m_prefix;
    std::string& m_fault;
};

void readModel(Section s, CaseRecord& c)
{
    s.read("name", c.modelName);
    s.read("kind", c.modelKind);
    s.read("attention", c.attention);
    s.read("layers", c.layers);
    s.read("hidden", c.hidden);
    s.read("ffn_hidden", c.ffnHidden);
    s.read("heads", c.heads);
    s.read("kv_heads", c.kvHeads);
    s.read("head_dim", c.headDim);
    s.read("vocab", c.vocabulary);
    s.read("seq_len", c.sequenceLength);
    s.read("gated_mlp", c.gatedMlp);
    s.read("tied_embeddings", c.tiedEmbeddings);
    s.read("experts", c.experts);
    s.read("top_k", c.topK);
    s.read("moe_ffn", c.moeFfn);
    s.read("shared_experts", c.sharedExperts);
    s.read("dense_layers", c.denseLayers);
}

void readHardware(Section s, CaseRecord& c)
{
    s.read("accelerator", c.accelerator);
    s.read("memory_gib", c.memoryGib);
    s.read("gpus_per_node", c.gpusPerNode);
    s.read("nodes", c.nodes);
    s.read("total_gpus", c.totalGpus);
    s.read("intra", c.intra);
    s.read("inter", c.inter);
}

void readParallel(Section s, CaseRecord& c)
{
    s.read("tp", c.tp);
    s.read("pp", c.pp);
    s.read("dp", c.dp);
    s.read("vpp", c.vpp);
    s.read("cp", c.cp);
    s.read("ep", c.ep);
    s.read("zero_stage", c.zeroStage);
    s.read("sequence_parallel", c.sequenceParallel);
    s.read("distributed_optimizer", c.distributedOptimizer);
    s.read("fsdp", c.fsdp);
    s.read("schedule", c.schedule);
    s.read("overlap", c.overlap);
}

void readTraining(Section s, CaseRecord& c)
{
    s.read("precision", c.precision);
    s.read("recompute", c.recompute);
    s.read("micro_batch", c.microBatch);
    s.read("global_batch", c.globalBatch);
    s.read("grad_accum", c.gradAccum);
    s.read("flash_attention", c.flashAttention);
}

CaseRecord readRow(const json& row, std::size_t index, std::string& fault)
{
    CaseRecord c;
    std::string name = "cases[" + std::to_string(index) + "]";
    if (!row.is_object()) {
        fault = name + ": found " + row.dump().substr(0, 60) + ", expected an object";
        return c;
    }
    for (const auto& [key, out] : {std::pair("id", &c.id), std::pair("group", &c.group)}) {
        const auto found = row.find(key);
        if (found == row.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
            fault = name + "." + key + ": missing or not a text";
            return c;
        }
        *out = found->get<std::string>();
    }
    name += " (" + c.id + ")";
    Section software(row, "software", name, fault);
    software.read("framework", c.framework);
    software.read("version", c.version);
    readModel(Section(row, "model", name, fault), c);
    readHardware(Section(row, "hardware", name, fault), c);
    readParallel(Section(row, "parallel", name, fault), c);
    readTraining(Section(row, "training", name, fault), c);
    Section measured(row, "measured", name, fault);
    measured.read("step_s", c.stepSeconds);
    measured.read("peak_mem_gib", c.peakGib);
    return c;
}

} // namespace

tl::expected<std::vector<CaseRecord>, std::string> readCaseRecords(std::string_view text)
{
    json document;
    try {
        document = json::parse(text);
    } catch (const json::parse_error& error) {
        return tl::unexpected("not JSON: " + std::string(error.what()));
    }
    const json* rows = &document;
    if (document.is_object()) {
        const auto found = document.find("cases");
        if (found == document.end())
            return tl::unexpected(std::string("/cases: missing; expected an array of measured cases"));
        rows = &*found;
    }
    if (!rows->is_array())
        return tl::unexpected(std::string("expected an array of measured cases, found ") + rows->type_name());
    std::vector<CaseRecord> records;
    records.reserve(rows->size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
        std::string fault;
        records.push_back(readRow((*rows)[i], i, fault));
        if (!fault.empty())
            return tl::unexpected(fault);
    }
    return records;
}

} // namespace stratoplan

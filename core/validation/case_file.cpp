// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_file.h"

#include "core/exchange/json_text.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

namespace stratoplan::validation {
namespace {

using Json = nlohmann::ordered_json;

/// Smallest and largest value a field may have; the largest are those of the plan's schema.
struct Range {
    int low = 1;
    int high = 1;
};
constexpr Range kDegree{1, 1000000};
constexpr Range kCount{1, 100000};
constexpr Range kCountOrNone{0, 100000};
constexpr Range kWidth{1, 10000000};
constexpr Range kWidthOrNone{0, 10000000};
constexpr Range kSequences{1, 100000000};
constexpr Range kPerNode{1, 4096};
constexpr Range kZero{0, 3};

std::string faultText(std::string pointer, std::string found, std::string expected)
{
    return describe(exchange::DocumentError{
        exchange::DocumentError::Code::Schema, {}, std::move(pointer), std::move(found), std::move(expected)});
}

/// The version in "v2", "FA3", "FlashAttention-2" or "flash_attn 2.5"; 0 where none is named.
int versionOf(std::string_view kernel)
{
    for (const std::string_view name :
        {"flashattention", "flash attention", "flash_attn", "flash-attn", "flash", "fa", "v"}) {
        const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        const auto found = std::search(kernel.begin(), kernel.end(), name.begin(), name.end(), same);
        if (found == kernel.end() || (name == "v" && found != kernel.begin()))
            continue;
        std::string_view rest = kernel.substr(std::size_t(found - kernel.begin()) + name.size());
        rest.remove_prefix(std::min(rest.find_first_not_of("- _v"), rest.size()));
        if (!rest.empty() && rest.front() >= '1' && rest.front() <= '3')
            return rest.front() - '0';
    }
    return 0;
}

/// Reads the members of one section of a row. The first fault is kept; later reads do nothing.
class Section {
public:
    Section(const Json& row, const char* name, const std::string& rowPointer, std::string& fault)
        : m_pointer(childPointer(rowPointer, name))
        , m_fault(fault)
    {
        const auto found = row.find(name);
        if (found == row.end() || found->is_null())
            return;
        if (found->is_object())
            m_object = &*found;
        else
            complain(m_pointer, *found, "an object or null");
    }

    /// A switch that has names, too, may be a plain true or false.
    void read(const char* name, std::string& out)
    {
        if (const Json* value = member(name)) {
            if (value->is_string())
                out = value->get<std::string>();
            else if (value->is_boolean())
                out = value->get<bool>() ? "true" : "false";
            else
                complain(place(name), *value, "a text or null");
        }
    }

    void read(const char* name, std::optional<int>& out, Range range)
    {
        const Json* const value = member(name);
        if (!value)
            return;
        const double number = value->is_number() ? value->get<double>() : NAN;
        if (number >= range.low && number <= range.high && number == std::floor(number))
            out = static_cast<int>(number);
        else
            complain(place(name), *value,
                "a whole number from " + std::to_string(range.low) + " to " + std::to_string(range.high) + ", or null");
    }

    /// An amount that was measured or printed.
    void read(const char* name, std::optional<double>& out)
    {
        const Json* const value = member(name);
        if (!value)
            return;
        const double number = value->is_number() ? value->get<double>() : NAN;
        if (number >= 1e-9 && number <= 1e9)
            out = number;
        else
            complain(place(name), *value, "a number from 1e-9 to 1e9, or null");
    }

    void read(const char* name, std::optional<bool>& out)
    {
        if (const Json* value = member(name)) {
            if (value->is_boolean())
                out = value->get<bool>();
            else
                complain(place(name), *value, "true, false or null");
        }
    }

    /// Flash attention may name its version, and a kernel that is not fused its kind.
    void readKernel(const char* name, std::optional<bool>& out, int& version)
    {
        const Json* const value = member(name);
        const std::string text = value && value->is_string() ? value->get<std::string>() : std::string();
        const auto says = [&](auto... words) { return (containsWords(text, words) || ...); };
        if (text.empty()) {
            read(name, out);
        } else if (says("none", "unfused", "false", "eager", "softmax", "vanilla", "naive")) {
            out = false;
        } else if (versionOf(text) > 0 || says("flash", "fused", "cudnn", "sdpa", "triton", "xformers", "true")) {
            out = true;
            version = versionOf(text);
        } else {
            complain(
                place(name), *value, "true, false, \"none\", a kernel such as \"v2\", \"FA3\" or \"cuDNN\", or null");
        }
    }

private:
    [[nodiscard]] std::string place(const char* name) const { return childPointer(m_pointer, name); }

    const Json* member(const char* name) const
    {
        if (!m_object)
            return nullptr;
        const auto found = m_object->find(name);
        return found == m_object->end() || found->is_null() ? nullptr : &*found;
    }

    void complain(std::string pointer, const Json& found, std::string expected)
    {
        if (m_fault.empty())
            m_fault = faultText(std::move(pointer), catalog::quoteJson(found), std::move(expected));
    }

    const Json* m_object = nullptr;
    std::string m_pointer;
    std::string& m_fault;
};

void readModel(Section s, CaseRecord& c)
{
    s.read("name", c.modelName);
    s.read("kind", c.modelKind);
    s.read("attention", c.attention);
    s.read("layers", c.layers, kCount);
    s.read("hidden", c.hidden, kWidth);
    s.read("ffn_hidden", c.ffnHidden, kWidth);
    s.read("heads", c.heads, kCount);
    s.read("kv_heads", c.kvHeads, kCount);
    s.read("head_dim", c.headDim, kCount);
    s.read("vocab", c.vocabulary, kWidth);
    s.read("seq_len", c.sequenceLength, kSequences);
    s.read("gated_mlp", c.gatedMlp);
    s.read("tied_embeddings", c.tiedEmbeddings);
    s.read("experts", c.experts, kCountOrNone);
    s.read("top_k", c.topK, kCountOrNone);
    s.read("moe_ffn", c.moeFfn, kWidthOrNone);
    s.read("shared_experts", c.sharedExperts, kCountOrNone);
    s.read("dense_layers", c.denseLayers, kCountOrNone);
    s.read("params_b", c.parametersBillion);
}

void readHardware(Section s, CaseRecord& c)
{
    s.read("accelerator", c.accelerator);
    s.read("memory_gib", c.memoryGib);
    s.read("gpus_per_node", c.gpusPerNode, kPerNode);
    s.read("nodes", c.nodes, kDegree);
    s.read("total_gpus", c.totalGpus, kSequences);
    s.read("node", c.node);
    s.read("intra", c.intra);
    s.read("inter", c.inter);
}

void readParallel(Section s, CaseRecord& c)
{
    s.read("tp", c.tp, kDegree);
    s.read("pp", c.pp, kDegree);
    s.read("dp", c.dp, kDegree);
    s.read("vpp", c.vpp, kDegree);
    s.read("cp", c.cp, kDegree);
    s.read("ep", c.ep, kDegree);
    s.read("zero_stage", c.zeroStage, kZero);
    s.read("sequence_parallel", c.sequenceParallel);
    s.read("distributed_optimizer", c.distributedOptimizer);
    s.read("fsdp", c.fsdp);
    s.read("schedule", c.schedule);
    s.read("overlap", c.overlap);
}

void readTraining(Section s, CaseRecord& c)
{
    s.read("document_length", c.documentLength, kSequences);
    s.read("precision", c.precision);
    s.read("recompute", c.recompute);
    s.read("micro_batch", c.microBatch, kSequences);
    s.read("global_batch", c.globalBatch, kSequences);
    s.read("grad_accum", c.gradAccum, kSequences);
    s.readKernel("flash_attention", c.flashAttention, c.flashVersion);
}

/// A source that stands once for all its rows is named by its place in "sources". What is not stated so is nobody's
/// fault.
std::string citationOf(const Json& row, const Json* sources)
{
    const auto source = row.find("source");
    if (source == row.end())
        return {};
    std::string text = source->is_string() ? source->get<std::string>() : std::string();
    const auto add = [&text](const Json& object, const char* name) {
        const auto found = object.is_object() ? object.find(name) : object.end();
        if (object.is_object() && found != object.end() && found->is_string())
            text += (text.empty() ? "" : ". ") + found->get<std::string>();
    };
    const auto index = source->is_object() ? source->find("index") : source->end();
    const bool listed = source->is_object() && sources && sources->is_array() && index != source->end()
        && index->is_number_unsigned() && index->get<std::size_t>() < sources->size();
    for (const char* name : {"title", "ref"})
        add(listed ? (*sources)[index->get<std::size_t>()] : *source, name);
    add(*source, "where");
    return text;
}

void readFilled(const Json& row, const std::string& pointer, CaseRecord& c, std::string& fault)
{
    const auto found = row.find("filled");
    if (found == row.end() || found->is_null())
        return;
    const bool texts =
        found->is_array() && std::ranges::all_of(*found, [](const Json& element) { return element.is_string(); });
    if (texts)
        c.statedFilled = found->get<std::vector<std::string>>();
    else if (fault.empty())
        fault = faultText(childPointer(pointer, "filled"), catalog::quoteJson(*found), "an array of texts, or null");
}

CaseRecord readRow(const Json& row, const std::string& pointer, std::string& fault)
{
    CaseRecord c;
    if (!row.is_object()) {
        fault = faultText(pointer, catalog::quoteJson(row), "an object: a measured case");
        return c;
    }
    for (const auto& [key, out] : {std::pair("id", &c.id), std::pair("group", &c.group)}) {
        const auto found = row.find(key);
        const bool missing = found == row.end();
        if (!missing && found->is_string() && !found->get_ref<const std::string&>().empty())
            *out = found->get<std::string>();
        else if (fault.empty())
            fault = faultText(childPointer(pointer, key), missing ? "nothing" : catalog::quoteJson(*found), "a text");
    }
    Section software(row, "software", pointer, fault);
    software.read("framework", c.framework);
    software.read("version", c.version);
    readModel(Section(row, "model", pointer, fault), c);
    readHardware(Section(row, "hardware", pointer, fault), c);
    readParallel(Section(row, "parallel", pointer, fault), c);
    readTraining(Section(row, "training", pointer, fault), c);
    if (const auto notes = row.find("notes"); notes != row.end() && notes->is_string())
        c.notes = notes->get<std::string>();
    readFilled(row, pointer, c, fault);
    Section measured(row, "measured", pointer, fault);
    measured.read("step_s", c.stepSeconds);
    measured.read("peak_mem_gib", c.peakGib);
    measured.read("peak_mem_definition", c.peakDefinition);
    if (const auto status = row.find("status"); status != row.end() && status->is_string())
        c.status = status->get<std::string>();
    return c;
}

} // namespace

namespace {

/// What runs that differ in nothing but a name share.
auto runOf(const CaseRecord& r)
{
    return std::tie(r.group, r.framework, r.version, r.layers, r.hidden, r.ffnHidden, r.heads, r.kvHeads, r.vocabulary,
        r.sequenceLength, r.experts, r.accelerator, r.memoryGib, r.gpusPerNode, r.totalGpus, r.tp, r.pp, r.dp, r.vpp,
        r.cp, r.ep, r.zeroStage, r.fsdp, r.schedule, r.precision, r.recompute, r.flashAttention);
}

} // namespace

void fillFromAlike(std::vector<CaseRecord>& records)
{
    const auto open = [](const CaseRecord& r) { return !r.microBatch && !r.globalBatch && !r.gradAccum; };
    const auto batch = [](const CaseRecord& r) { return std::tie(r.microBatch, r.globalBatch, r.gradAccum); };
    for (CaseRecord& row : records) {
        if (!open(row))
            continue;
        const CaseRecord* like = nullptr;
        bool agree = true;
        for (const CaseRecord& other : records) {
            if (!other.filled.empty() || open(other) || runOf(other) != runOf(row))
                continue;
            agree = agree && (!like || batch(*like) == batch(other));
            like = &other;
        }
        if (!like || !agree)
            continue;
        const auto take = [&](std::optional<int>& field, const std::optional<int>& stated, const char* name) {
            field = stated;
            if (stated)
                row.filled.push_back(std::string(name) + '=' + std::to_string(*stated));
        };
        take(row.microBatch, like->microBatch, "training.micro_batch");
        take(row.globalBatch, like->globalBatch, "training.global_batch");
        take(row.gradAccum, like->gradAccum, "training.grad_accum");
    }
}

tl::expected<CaseFile, exchange::DocumentError> readCaseRecords(std::string_view text, std::string_view file)
{
    const auto document = exchange::parseJson(text, file);
    if (!document)
        return tl::unexpected(document.error());
    const auto fail = [&](std::string pointer, std::string found) {
        return tl::unexpected(exchange::DocumentError{exchange::DocumentError::Code::Schema, std::string(file),
            std::move(pointer), std::move(found), "an array of measured cases"});
    };
    const Json* rows = &*document;
    const Json* sources = nullptr;
    std::string pointer;
    if (document->is_object()) {
        pointer = "/cases";
        const auto found = document->find("cases");
        if (found == document->end())
            return fail(pointer, "nothing");
        rows = &*found;
        if (const auto listed = document->find("sources"); listed != document->end())
            sources = &*listed;
    }
    if (!rows->is_array())
        return fail(pointer, catalog::quoteJson(*rows));
    CaseFile result;
    result.records.reserve(rows->size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const std::string place = childPointer(pointer, std::to_string(i));
        std::string fault;
        CaseRecord record = readRow((*rows)[i], place, fault);
        if (fault.empty())
            record.citation = citationOf((*rows)[i], sources);
        if (fault.empty())
            result.records.push_back(std::move(record));
        else
            result.faulty.push_back({record.id.empty() ? place : record.id, std::move(fault)});
    }
    fillFromAlike(result.records);
    return result;
}

} // namespace stratoplan::validation

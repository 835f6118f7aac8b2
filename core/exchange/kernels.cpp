// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/kernels.h"

#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

std::string number(const Json& object, const char* name)
{
    return std::to_string(object.at(name).get<std::int64_t>());
}

void addGemm(const Json& entry, KernelProfile& profile)
{
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Matmul;
    workload::Operator& op = kernel.work;
    op.name = "product";
    op.kind = workload::OperatorKind::Matmul;
    op.m = entry.at("m").get<double>();
    op.n = entry.at("n").get<double>();
    op.k = entry.at("k").get<double>();
    op.narrow = entry.at("precision") == "fp8";
    op.backward = entry.value("pass", "forward") != "forward";
    kernel.id = "gemm " + entry.at("precision").get<std::string>() + " " + entry.value("pass", "forward") + " "
        + number(entry, "m") + " x " + number(entry, "n") + " x " + number(entry, "k");
    std::array dims{op.m, op.n, op.k}; // the three passes of a layer have the same dimensions
    std::sort(dims.begin(), dims.end());
    kernel.shape = "gemm";
    for (const double dim : dims)
        kernel.shape += " " + std::to_string(std::int64_t(dim));
    kernel.seconds = entry.at("seconds").get<double>();
    profile.kernels.push_back(std::move(kernel));
}

void addAttention(const Json& entry, KernelProfile& profile)
{
    MeasuredKernel kernel;
    const bool backward = entry.at("pass") == "backward";
    kernel.kind = backward ? KernelKind::AttentionBackward : KernelKind::AttentionForward;
    const double sequence = entry.at("sequence").get<double>(), dim = entry.at("head_dim").get<double>();
    const double keys = entry.at("causal").get<bool>() ? (sequence + 1) / 2 : sequence;
    workload::Operator& op = kernel.work;
    op.name = backward ? "flash attention gradient" : "flash attention";
    op.kind = workload::OperatorKind::FlashAttention;
    op.n = 2 * keys; // as core/workload counts them: a causal query sees half of the sequence on average
    op.k = dim;
    op.attentionCore = true;
    op.backward = backward;
    op.flops = Flops(4 * entry.at("batch").get<double>() * sequence * keys * entry.at("heads").get<double>() * dim
        * (backward ? 2.5 : 1));
    kernel.shape = "attention " + number(entry, "batch") + " x " + number(entry, "sequence") + " x "
        + number(entry, "heads") + " x " + number(entry, "head_dim")
        + (entry.at("causal").get<bool>() ? " causal" : "");
    kernel.id = kernel.shape + (backward ? " backward" : " forward");
    kernel.seconds = entry.at("seconds").get<double>();
    profile.kernels.push_back(std::move(kernel));
}

void addMemory(const Json& entry, KernelProfile& profile)
{
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Memory;
    kernel.work.name = "stream";
    kernel.work.kind = workload::OperatorKind::Streaming;
    kernel.work.traffic = Bytes(entry.at("bytes").get<double>());
    kernel.id = kernel.shape = entry.at("kernel").get<std::string>() + " of " + number(entry, "bytes") + " bytes";
    kernel.seconds = entry.at("seconds").get<double>();
    profile.kernels.push_back(std::move(kernel));
}

void addLaunch(const Json& entry, KernelProfile& profile)
{
    if (entry.at("kernel") == "host") {
        profile.hostLaunchSeconds = entry.at("seconds").get<double>();
        return;
    }
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Launch;
    kernel.work.name = "nothing";
    kernel.work.kind = workload::OperatorKind::Streaming;
    kernel.id = kernel.shape = "launch of a kernel that does nothing";
    kernel.seconds = entry.at("seconds").get<double>();
    profile.kernels.push_back(std::move(kernel));
}

void addCollective(const Json& entry, KernelProfile& profile)
{
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Collective;
    kernel.operation = entry.at("operation").get<std::string>();
    kernel.ranks = entry.at("ranks").get<int>();
    kernel.inside = std::min(kernel.ranks, entry.at("inside").get<int>());
    kernel.bytes = Bytes(entry.at("bytes").get<double>());
    kernel.shape = number(entry, "ranks") + " ranks, " + number(entry, "bytes") + " bytes";
    kernel.id = kernel.operation + " over " + kernel.shape;
    kernel.seconds = entry.at("seconds").get<double>();
    profile.kernels.push_back(std::move(kernel));
}

std::string textOf(const Json& object, const char* name)
{
    const auto it = object.find(name);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

double numberOf(const Json& object, const char* name, double otherwise)
{
    const auto it = object.find(name);
    return it != object.end() && it->is_number() ? it->get<double>() : otherwise;
}

void readProvenance(const Json& p, KernelProfile& profile)
{
    profile.gpu = p.at("gpu").get<std::string>();
    profile.gpus = int(numberOf(p, "gpus", 1));
    profile.gpusPerNode = int(numberOf(p, "gpus_per_node", std::min(8, std::max(1, profile.gpus))));
    profile.memory = Bytes(numberOf(p, "memory_bytes", 0));
    profile.computeUnits = int(numberOf(p, "compute_units", 0));
    const auto add = [&](const std::string& part) {
        profile.provenance += (profile.provenance.empty() ? "" : ", ") + part;
    };
    for (const auto& [key, title] :
        {std::pair("torch", "PyTorch "), std::pair("cuda", "CUDA "), std::pair("driver", "driver ")})
        if (const std::string value = textOf(p, key); !value.empty())
            add(title + value);
    if (const double watts = numberOf(p, "power_limit_w", 0); watts > 0)
        add(std::to_string(std::lround(watts)) + " W");
    if (const std::string date = textOf(p, "date"); !date.empty())
        add(date);
}

} // namespace

tl::expected<KernelProfile, DocumentErrors> parseKernelProfile(std::string_view text, std::string_view file)
{
    const auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::Kernels);
    if (!faults.empty()) {
        for (DocumentError& fault : faults)
            fault.file = file;
        return tl::unexpected(std::move(faults));
    }
    KernelProfile profile;
    readProvenance(parsed->at("provenance"), profile);
    const auto each = [&](const char* kind, void (*add)(const Json&, KernelProfile&)) {
        if (const auto list = parsed->find(kind); list != parsed->end())
            for (const Json& entry : *list)
                add(entry, profile);
    };
    each("gemm", addGemm);
    each("attention", addAttention);
    each("memory", addMemory);
    each("launch", addLaunch);
    each("collectives", addCollective);
    if (const auto skipped = parsed->find("skipped"); skipped != parsed->end())
        for (const Json& entry : *skipped)
            profile.skipped.push_back(
                entry.at("what").get<std::string>() + ": " + entry.at("reason").get<std::string>());
    if (profile.kernels.empty())
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, std::string(file), {}, "no measured kernel",
            "gemm, attention, memory or collectives with at least one entry"}});
    return profile;
}

} // namespace stratoplan::exchange

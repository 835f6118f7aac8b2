// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/torch_module.h"

#include "core/catalog/embedded.h"
#include "core/partition/usual_ways.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <string_view>
#include <utility>

namespace stratoplan::exchange {
namespace {

/// Lines of the program, between which an example stands for what is chosen.
constexpr std::string_view kPlanBegin = "# plan:begin\n", kPlanEnd = "# plan:end\n";
/// Of how it is called: of two digits.
constexpr std::string_view kProcesses = "--nproc_per_node 4 ";

/// As a literal of Python. All that JSON escapes Python reads the same; what lies beyond ASCII stays UTF-8.
std::string quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string rowText(const TorchLinear& linear)
{
    return "    Linear(" + quoted(linear.name) + ", " + quoted(partition::text(linear.sequence))
        + ", batch=" + std::to_string(linear.batch) + ", tokens=" + std::to_string(linear.tokens)
        + ", in_features=" + std::to_string(linear.in) + ", out_features=" + std::to_string(linear.out)
        + ", megatron=" + (linear.rowParallel ? "\"row\"" : "\"column\"") + "),\n";
}

std::string planText(const TorchModule& module)
{
    std::string text = "TITLE = " + quoted(module.title) + "\nBITS = " + std::to_string(module.bits)
        + "  # of a rank's number\nLINEARS = (\n";
    for (const TorchLinear& linear : module.linears)
        text += rowText(linear);
    return text + ")\n";
}

} // namespace

TorchModule torchModuleOf(const partition::PricedLayer& layer, int ranks, std::string title)
{
    TorchModule module{{}, std::countr_zero(unsigned(ranks)), std::move(title)};
    for (const partition::PricedOperator& op : layer.operators)
        if (op.kind == partition::OperatorKind::Linear)
            module.linears.push_back({op.chosen.op, *partition::parseSequence(op.chosen.sequence), int(op.size.b),
                int(op.size.m), int(op.size.n), int(op.size.k), partition::isRowParallel(op.chosen.op)});
    return module;
}

std::string torchModule(const TorchModule& module)
{
    std::string text(catalog::embedded::torch().front().content);
    const std::size_t begin = text.find(kPlanBegin), end = text.find(kPlanEnd);
    assert(begin != std::string::npos && end != std::string::npos && begin < end);
    const std::size_t first = begin + kPlanBegin.size();
    text.replace(first, end - first, planText(module));
    const std::size_t processes = text.find(kProcesses);
    assert(processes < first);
    std::string ranks = std::to_string(1 << module.bits);
    ranks.resize(std::max(ranks.size(), std::size_t(2)), ' ');
    return text.replace(processes, kProcesses.size(), "--nproc_per_node " + ranks);
}

} // namespace stratoplan::exchange

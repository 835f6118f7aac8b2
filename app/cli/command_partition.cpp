// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/partition_answer.h"
#include "app/cli/table.h"
#include "core/estimate/partitions.h"
#include "core/exchange/torch_module.h"
#include "core/narration/partitions.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <unistd.h>

namespace stratoplan::cli {
namespace {

using estimate::PartitionEstimate;

void showPhase(const estimate::PartitionProgress& progress)
{
    const std::string_view phase = narration::describe(progress.phase);
    if (isatty(STDERR_FILENO))
        std::fprintf(
            stderr, "\r\033[K%s done, %.*s", formatShare(progress.share).c_str(), int(phase.size()), phase.data());
}

/// With what is best, if that was known by then, where the answer was asked for and not a program.
int stopped(const plan::Plan& plan, const std::optional<estimate::PartitionAnswer>& best,
    const std::optional<PartitionEstimate>& named, const std::string& output, bool json)
{
    if (!best || output == "-") {
        complain(best ? "stopped: no program is written" : "stopped before the best partition was found");
        return json ? deliverJson({{"stopped", true}}, kStopped) : kStopped;
    }
    const std::string message = best->lacksFront() ? "stopped before the front was found: the best partition alone"
                                                   : "stopped before unlike layers were compared";
    complain(output.empty() ? message : message + "; no program is written");
    const std::optional<PartitionEstimate> planned = plannedOf(plan, *best, named);
    if (!json)
        return deliver(partitionText(plan, *best, planned, true), kStopped);
    nlohmann::ordered_json answer = partitionJson(*best, planned);
    answer["stopped"] = true;
    return deliverJson(answer, kStopped);
}

/// PyTorch, of the partition that is shown.
std::string programOf(
    const plan::Plan& plan, const estimate::PartitionAnswer& answer, const std::optional<PartitionEstimate>& planned)
{
    return torchModule(exchange::torchModuleOf(toldOf(answer, planned).layer, answer.ranks, plan.name));
}

/// Nothing of a plan that names none.
tl::expected<std::optional<PartitionEstimate>, std::vector<plan::Problem>> namedBy(const plan::Plan& plan)
{
    if (plan.strategy.operatorPartitions.empty())
        return std::nullopt;
    return estimate::plannedPartition(plan);
}

} // namespace

int runPartition(const PartitionArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    if (const int refused = checkOutputBeside(arguments.plan, arguments.output, arguments.json); refused != kAnswered)
        return refused;
    const plan::Plan& plan = document->project.plan;
    Interruptible guard;
    const auto named = namedBy(plan);
    if (!named)
        return refuse(named.error(), inputName(arguments.plan), arguments.json);
    const std::stop_token stop = guard.token();
    std::optional<estimate::PartitionAnswer> best;
    const auto answer = estimate::partitions(plan,
        {.compareUnlikeLayers = true,
            .stop = stop,
            .progress = showPhase,
            .bestKnown = [&best](const estimate::PartitionAnswer& known) { best = known; }});
    endProgress();
    if (!answer && stop.stop_requested())
        return stopped(plan, best, *named, arguments.output, arguments.json);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    const std::optional<PartitionEstimate> planned = plannedOf(plan, *answer, *named);
    nlohmann::ordered_json json = partitionJson(*answer, planned);
    std::string text = partitionText(plan, *answer, planned);
    if (!arguments.output.empty()) {
        const std::string program = programOf(plan, *answer, planned);
        if (arguments.output == "-")
            return deliver(program);
        if (const int refused = writeOutput(arguments.output, program, arguments.json); refused != kAnswered)
            return refused;
        json["written"] = {{"file", arguments.output}, {"bytes", program.size()}};
        text += "\nPyTorch program of the partition above written to " + arguments.output + " ("
            + grouped(std::int64_t(program.size())) + " bytes)\n";
    }
    return arguments.json ? deliverJson(json) : deliver(text);
}

} // namespace stratoplan::cli

// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/runs.h"

#include "core/catalog/quote.h"
#include "core/narration/problems.h"
#include "core/reporting/signed_share.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"

namespace stratoplan::reporting {
namespace {

struct RemarkWords {
    std::string operator()(const calibration::IterationsUsed& used) const
    {
        return filled(used.lines > 1
                ? "{iterations iteration|iterations} used ({lines line|lines} of {all}), median {median}, "
                  "middle 80 % of the lines within {spread}"
                : "{iterations iteration|iterations} used ({lines line|lines} of {all}), median {median}",
            {{"iterations", numberWord(double(used.iterations))}, {"lines", numberWord(double(used.lines))},
                {"all", numberWord(double(used.ofLines))}, {"median", {format(Seconds(used.medianSeconds))}},
                {"spread", {formatShare(used.spread)}}});
    }
    std::string operator()(const calibration::FirstLineStandsIn&) const
    {
        return "the log has no iteration after the warm-up at this batch; its first line stands in";
    }
    std::string operator()(const calibration::AllocatorPeak& peak) const
    {
        return peak.reserved
            ? "memory is what PyTorch's allocator reserved (max reserved); CUDA context and NCCL buffers are not "
              "in it, so it is compared with the estimate without its reserve"
            : "memory is only what PyTorch's allocator handed out (max allocated), without what it holds back; CUDA "
              "context and NCCL buffers are not in it, so it is compared with the estimate without its reserve";
    }
    std::string operator()(const calibration::BlockOfAllLayers&) const
    {
        return "recompute_method block without recompute_num_layers is taken as all layers";
    }
    std::string operator()(const calibration::ArgumentNotModelled& argument) const
    {
        return filled("{name} {value} is not modelled; layers are divided evenly and kept on the accelerator",
            {{"name", {argument.name}}, {"value", {argument.value}}});
    }
    std::string operator()(const calibration::OptimizerNotModelled& optimizer) const
    {
        return filled("optimizer {value} is not modelled; that of the plan is priced", {{"value", {optimizer.value}}});
    }
};

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string_view measuredBy(plan::CalibrationTarget target)
{
    return target == plan::CalibrationTarget::StepTime ? "step time" : "memory";
}

struct WarningWords {
    std::string operator()(const calibration::FewRows& few) const
    {
        return filled("{rows row measures|rows measure} {what}, fewer than {enough}: only {constant} is fitted, every "
                      "other constant stays at its prior",
            {{"rows", numberWord(few.rows)}, {"what", {std::string(measuredBy(few.target))}},
                {"enough", {std::to_string(few.enough)}}, {"constant", {few.constant}}});
    }
    std::string operator()(const calibration::ConstantsHeld& held) const
    {
        return filled("the rows say too little about {held} of {all} constants of {what}, which stay at their priors: "
                      "{names}",
            {{"held", {std::to_string(held.keys.size())}}, {"all", {std::to_string(held.all)}},
                {"what", {std::string(measuredBy(held.target))}}, {"names", {listed(held.keys)}}});
    }
    std::string operator()(const calibration::RowsLost& lost) const
    {
        return filled("{lost} of {rows} rows cannot be estimated with the constants fitted",
            {{"lost", {std::to_string(lost.lost)}}, {"rows", {std::to_string(lost.rows)}}});
    }
    std::string operator()(const calibration::AllocatorRows&) const
    {
        return "memory of rows that report PyTorch's allocator leaves out what lies outside it (CUDA context, NCCL "
               "buffers): these rows say nothing about reserve_gib";
    }
    std::string operator()(const calibration::UnknownAccelerator& unknown) const;
    std::string operator()(const calibration::KernelsSkipped& skipped) const
    {
        return filled("{count} kernels were skipped when measuring, first {first}",
            {{"count", {std::to_string(skipped.count)}}, {"first", {skipped.first}}});
    }
};

/// "79.2 GiB, 132 units"
std::string hardwareText(const calibration::MeasuredHardware& hardware)
{
    return filled(hardware.computeUnits > 0 ? "{memory}, {units} units" : "{memory}",
        {{"memory", {format(hardware.memory)}}, {"units", {std::to_string(hardware.computeUnits)}}});
}

std::string WarningWords::operator()(const calibration::UnknownAccelerator& unknown) const
{
    return filled("{gpu} ({hardware}) is not in the catalogue: its peak is taken as the best rate measured, and shares "
                  "are of that",
        {{"gpu", {unknown.hardware.gpu}}, {"hardware", {hardwareText(unknown.hardware)}}});
}

struct FitFaultWords {
    std::string operator()(const calibration::UnexplainedTime& time) const
    {
        return filled(time.leftOut
                ? "the fit does not explain the rows: estimates are off by {mean} on average on rows left out (worst "
                  "{worst} in {row}). Look for a row of another model, machine or unit before you use the profile"
                : "the fit does not explain the rows: estimates are off by {mean} on average (worst {worst} in {row}). "
                  "Look for a row of another model, machine or unit before you use the profile",
            {{"mean", {formatShare(time.errors.meanAbs)}}, {"worst", {signedShare(time.errors.worst)}},
                {"row", {time.errors.worstId}}});
    }
    std::string operator()(const calibration::UnexplainedMemory& memory) const
    {
        return filled(memory.atBound.empty()
                ? "memory could not be fitted: it is still off by {mean} on average (worst {worst} in {row}). Weights, "
                  "gradients, optimizer states and activations follow from the plan and are not fitted: compare its "
                  "recomputation, ZeRO stage, precision and micro-batch with those of the runs"
                : "memory could not be fitted: it is still off by {mean} on average (worst {worst} in {row}). {bound} "
                  "reached what is physical. Weights, gradients, optimizer states and activations follow from the plan "
                  "and are not fitted: compare its recomputation, ZeRO stage, precision and micro-batch with those of "
                  "the runs",
            {{"mean", {formatShare(memory.errors.meanAbs)}}, {"worst", {signedShare(memory.errors.worst)}},
                {"row", {memory.errors.worstId}}, {"bound", {listed(memory.atBound)}}});
    }
};

struct UnusableWords {
    std::string operator()(const exchange::DocumentError& error) const { return exchange::describe(error); }
    std::string operator()(const plan::Problem& problem) const { return narration::describe(problem); }
};

constexpr NameTable<calibration::Grouping, 6> kGroupings{{
    {calibration::Grouping::ModelShape, "model shape"},
    {calibration::Grouping::ModelSize, "model size"},
    {calibration::Grouping::Accelerators, "accelerators"},
    {calibration::Grouping::Schedule, "schedule"},
    {calibration::Grouping::Strategy, "strategy"},
    {calibration::Grouping::Source, "source"},
}};

constexpr NameTable<exchange::KernelKind, 6> kKernels{{
    {exchange::KernelKind::Matmul, "matrix products"},
    {exchange::KernelKind::AttentionForward, "attention forward"},
    {exchange::KernelKind::AttentionBackward, "attention backward"},
    {exchange::KernelKind::Memory, "memory-bound kernels"},
    {exchange::KernelKind::Launch, "launches"},
    {exchange::KernelKind::Collective, "collectives"},
}};

} // namespace

std::string describe(const calibration::RunRemark& remark)
{
    return std::visit(RemarkWords{}, remark);
}

std::string describe(const calibration::RunDoubt& doubt)
{
    return filled(
        "the log counts {logged} TFLOP/s per accelerator, the plan's model at this step would make {modelled}: "
        "is it the plan of this run?",
        {{"logged", {formatNumber(doubt.logged)}}, {"modelled", {formatNumber(doubt.modelled)}}});
}

std::string unknownColumn(std::string_view name)
{
    return filled("the column {name} is not known and is passed over", {{"name", {catalog::quoteText(name)}}});
}

std::string describe(const calibration::FitWarning& warning)
{
    return std::visit(WarningWords{}, warning);
}

std::string describe(const calibration::FitFault& fault)
{
    return std::visit(FitFaultWords{}, fault);
}

std::string describe(const calibration::UnusableProfile& profile)
{
    return std::visit(UnusableWords{}, profile);
}

std::vector<std::string> doubtsOf(const calibration::OwnFit& fit)
{
    std::vector<std::string> sentences = describeAll(fit.faults);
    for (const calibration::FitWarning& warning : fit.warnings)
        sentences.push_back(describe(warning));
    return sentences;
}

std::string describe(const calibration::KernelWarning& warning)
{
    return std::visit(WarningWords{}, warning);
}

std::string describeSlice(const calibration::MeasuredHardware& slice)
{
    return filled("{gpu}, a slice of a GPU with {hardware}",
        {{"gpu", {catalog::quoteText(slice.gpu)}}, {"hardware", {hardwareText(slice)}}});
}

std::string_view describe(calibration::Grouping grouping)
{
    return nameIn(kGroupings, grouping);
}

std::string_view describe(exchange::KernelKind kind)
{
    return nameIn(kKernels, kind);
}

} // namespace stratoplan::reporting

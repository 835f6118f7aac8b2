// SPDX-License-Identifier: Apache-2.0
#include "core/narration/pipelines.h"

#include "core/units/named.h"
#include "core/units/sentence.h"

namespace stratoplan::narration {
namespace {

constexpr NameTable<pipeline::SliceKind, 11> kSlices{{
    {pipeline::SliceKind::Forward, "forward"},
    {pipeline::SliceKind::Backward, "backward"},
    {pipeline::SliceKind::WeightGradient, "weight gradient"},
    {pipeline::SliceKind::Recompute, "recompute"},
    {pipeline::SliceKind::SendForward, "send activation"},
    {pipeline::SliceKind::SendBackward, "send gradient"},
    {pipeline::SliceKind::ReshardForward, "reshard activation"},
    {pipeline::SliceKind::ReshardBackward, "reshard gradient"},
    {pipeline::SliceKind::GradientSync, "gradient sync"},
    {pipeline::SliceKind::Optimizer, "optimizer"},
    {pipeline::SliceKind::ParameterGather, "parameter gather"},
}};

constexpr NameTable<pipeline::Wait::Cause, 7> kCauses{{
    {pipeline::Wait::Cause::WarmUp, "filling"},
    {pipeline::Wait::Cause::Activation, "activation"},
    {pipeline::Wait::Cause::Gradient, "gradient"},
    {pipeline::Wait::Cause::Transfer, "transfer"},
    {pipeline::Wait::Cause::Queue, "queue"},
    {pipeline::Wait::Cause::GradientSync, "gradient sync"},
    {pipeline::Wait::Cause::CoolDown, "draining"},
}};

} // namespace

std::string_view describe(pipeline::SliceKind kind)
{
    return nameIn(kSlices, kind);
}

std::string describe(const pipeline::Slice& slice)
{
    const std::string name = asSentence(std::string(describe(slice.kind)));
    return slice.microBatch < 0
        ? name
        : filled("{name} {batch}", {{"name", {name}}, {"batch", {std::to_string(slice.microBatch)}}});
}

std::string_view describe(pipeline::Wait::Cause cause)
{
    return nameIn(kCauses, cause);
}

} // namespace stratoplan::narration

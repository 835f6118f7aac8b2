// SPDX-License-Identifier: Apache-2.0
#include "core/narration/pipelines.h"

#include "core/units/named.h"
#include "core/units/sentence.h"

namespace stratoplan {
namespace {

constexpr NameTable<SliceKind, 11> kSlices{{
    {SliceKind::Forward, "forward"},
    {SliceKind::Backward, "backward"},
    {SliceKind::WeightGradient, "weight gradient"},
    {SliceKind::Recompute, "recompute"},
    {SliceKind::SendForward, "send activation"},
    {SliceKind::SendBackward, "send gradient"},
    {SliceKind::ReshardForward, "reshard activation"},
    {SliceKind::ReshardBackward, "reshard gradient"},
    {SliceKind::GradientSync, "gradient sync"},
    {SliceKind::Optimizer, "optimizer"},
    {SliceKind::ParameterGather, "parameter gather"},
}};

constexpr NameTable<Wait::Cause, 7> kCauses{{
    {Wait::Cause::WarmUp, "filling"},
    {Wait::Cause::Activation, "activation"},
    {Wait::Cause::Gradient, "gradient"},
    {Wait::Cause::Transfer, "transfer"},
    {Wait::Cause::Queue, "queue"},
    {Wait::Cause::GradientSync, "gradient sync"},
    {Wait::Cause::CoolDown, "draining"},
}};

} // namespace

std::string_view describe(SliceKind kind)
{
    return nameIn(kSlices, kind);
}

std::string describe(const Slice& slice)
{
    const std::string name = asSentence(std::string(describe(slice.kind)));
    return slice.microBatch < 0
        ? name
        : filled("{name} {batch}", {{"name", {name}}, {"batch", {std::to_string(slice.microBatch)}}});
}

std::string_view describe(Wait::Cause cause)
{
    return nameIn(kCauses, cause);
}

} // namespace stratoplan

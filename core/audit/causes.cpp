// SPDX-License-Identifier: Apache-2.0
#include "core/audit/causes.h"

#include "core/units/named.h"

namespace stratoplan::audit {
namespace {

constexpr NameTable<Cause, kCauses> kCauseKeys{{
    {Cause::Matmul, "matmul"},
    {Cause::Attention, "attention"},
    {Cause::OtherComputation, "other_computation"},
    {Cause::Optimizer, "optimizer"},
    {Cause::TensorParallel, "tp"},
    {Cause::ContextParallel, "cp"},
    {Cause::ExpertParallel, "ep"},
    {Cause::DataParallel, "dp"},
    {Cause::OtherCommunication, "other_communication"},
    {Cause::Pipeline, "pipeline"},
    {Cause::Copies, "copies"},
    {Cause::Idle, "idle"},
}};

} // namespace

std::string_view key(Cause cause)
{
    return nameIn(kCauseKeys, cause);
}

Seconds CauseSeconds::total() const
{
    Seconds sum{};
    for (const Seconds part : parts)
        sum += part;
    return sum;
}

Seconds CauseSeconds::computation() const
{
    Seconds sum{};
    for (std::size_t i = 0; i < kComputations; ++i)
        sum += parts[i];
    return sum;
}

} // namespace stratoplan::audit

// SPDX-License-Identifier: Apache-2.0
#include "core/plan/framework.h"

#include "core/units/named.h"

namespace stratoplan::plan {
namespace {

using enum TargetFramework;

constexpr NameTable<TargetFramework, 4> kFrameworks{
    {{Any, "any"}, {MegatronCore, "megatron-core"}, {DeepSpeed, "deepspeed"}, {TorchTitan, "torchtitan"}}};

} // namespace

std::string_view key(TargetFramework framework)
{
    return nameIn(kFrameworks, framework);
}

std::optional<TargetFramework> targetFrameworkFromKey(std::string_view key)
{
    return valueIn(kFrameworks, key);
}

} // namespace stratoplan::plan

// SPDX-License-Identifier: Apache-2.0
#include "core/launch/launch.h"

#include "core/launch/draft.h"

namespace stratoplan::launch {
namespace {

struct FormatRow {
    Format format{};
    std::string_view key, title, ending;
    LaunchFile (*write)(const plan::Project&) = nullptr;
};

constexpr std::array<FormatRow, kFormats.size()> kRows{{
    {Format::MegatronLm, "megatron-lm", "Megatron-LM", ".args", megatronLm},
    {Format::MegatronBridge, "megatron-bridge", "Megatron-Bridge", ".py", megatronBridge},
    {Format::DeepSpeed, "deepspeed", "DeepSpeed", ".json", deepSpeed},
    {Format::TorchTitan, "torchtitan", "torchtitan", ".toml", torchTitan},
    {Format::Fsdp2, "fsdp2", "FSDP2", ".py", fsdp2},
    {Format::Accelerate, "accelerate", "Accelerate", ".yaml", accelerate},
    {Format::MindSpeed, "mindspeed", "MindSpeed", ".args", mindSpeed},
    {Format::Slurm, "slurm", "Slurm", ".sh", slurm},
    {Format::Kubernetes, "kubernetes", "Kubernetes", ".yaml", kubernetes},
}};

const FormatRow& row(Format format)
{
    return kRows[std::size_t(format)];
}

} // namespace

std::string_view key(Format format)
{
    return row(format).key;
}

std::optional<Format> formatFromKey(std::string_view key)
{
    for (const FormatRow& entry : kRows)
        if (entry.key == key)
            return entry.format;
    return std::nullopt;
}

std::string_view title(Format format)
{
    return row(format).title;
}

std::string_view ending(Format format)
{
    return row(format).ending;
}

LaunchFile write(const plan::Project& project, Format format)
{
    return row(format).write(project);
}

} // namespace stratoplan::launch

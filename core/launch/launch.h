// SPDX-License-Identifier: Apache-2.0
// A plan as the files that start its training: arguments, recipes and configurations of the frameworks, and job
// skeletons around them. Settings are values, checked against resources/launch; what a format cannot express, and what
// a plan does not know and a person fills in, are codes that core/narration tells, also at the head of each file.
#pragma once

#include "core/catalog/framework_rules.h"
#include "core/launch/setting.h"
#include "core/plan/plan.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::launch {

enum class Format {
    MegatronLm,
    MegatronBridge,
    DeepSpeed,
    TorchTitan,
    Fsdp2,
    Accelerate,
    MindSpeed,
    Slurm,
    Kubernetes
};
inline constexpr std::array kFormats{Format::MegatronLm, Format::MegatronBridge, Format::DeepSpeed, Format::TorchTitan,
    Format::Fsdp2, Format::Accelerate, Format::MindSpeed, Format::Slurm, Format::Kubernetes};
[[nodiscard]] std::string_view key(Format format); // "megatron-lm", …, "kubernetes"
[[nodiscard]] std::optional<Format> formatFromKey(std::string_view key);
[[nodiscard]] std::string_view title(Format format); // "Megatron-LM", …
/// How its files end: ".args", ".json", ".toml", ".py", ".yaml", ".sh"
[[nodiscard]] std::string_view ending(Format format);

/// Why a format does not say what a plan does.
enum class Gap {
    Rule, ///< of the catalogue of frameworks
    NoSetting, ///< the framework has no such argument
    GlobalBatch, ///< the script says it
    ZeroStage, ///< gradients are sharded, too
    StatesAlone, ///< of this optimizer only they are shared out
    Precision, ///< has no setting
    Selective, ///< recomputation has no setting
    ActivationOffload, ///< has no setting
    SpatialTemporal, ///< the partition has no setting
    ContextMethod, ///< has no setting
    NarrowReduction, ///< has no setting
    Parts, ///< of the model: the framework has no model with them
    LayerOrder, ///< layers of two kinds, whose order the plan does not know
    StandIn, ///< layers that others stand in for
    NoShape, ///< the framework takes the shape of a model from one that it ships, and has none like it
    UnfusedAttention, ///< the framework has fused kernels alone
    AttentionVersion, ///< the version is that which is installed
    MixedRecompute, ///< layers that are not recomputed in full keep everything
    ChunkRecompute, ///< every chunk recomputes as many layers
    SelectiveRecompute, ///< other parts are recomputed
    Fp8Recipe, ///< another scaling, as parts are recomputed
    NarrowMoments, ///< they need an optimizer that is shared out
    ExpertOverlap, ///< communication of experts cannot overlap here
    RankOrder, ///< the file has the usual one
    StageTp, ///< the file has one for all
    UnevenReplicas, ///< all run as many micro-batches
    UnevenLayers, ///< stages have as many layers
    UnlikeNodes, ///< the file asks for nodes of one kind
    IdleAccelerators, ///< more of them than ranks
    Stages, ///< the program makes them
    TensorPlan, ///< the program says how layers are divided
    Experts, ///< the program places them
    Offloaded, ///< something else is moved to the host
    NotOfPipelines, ///< the method of sharing out is another with a pipeline
    Resource ///< no resource of that vendor is known to Kubernetes
};

struct Remark {
    Gap gap{};
    std::string found; ///< what of the plan it is about: "--qk-layernorm", "DualPipe"
    std::string instead; ///< what the file says in its place; empty: nothing
    std::optional<catalog::FrameworkObjection> objection = {}; ///< of Gap::Rule
    bool operator==(const Remark&) const = default;
};

/// What a plan does not know and a person fills in.
enum class Blank {
    Data,
    Tokenizer,
    LearningRate,
    Steps,
    RotaryBase,
    LayerPattern,
    Model, ///< the model itself, or the program that makes it
    LayerClass,
    Configuration, ///< the file that arguments stand beside
    Assets, ///< folder of tokenizer and weights
    Folder, ///< of the framework's source
    Image,
    Partition, ///< queue of a cluster
    Addresses ///< of the first node
};

struct BlankSetting {
    Blank blank{};
    std::string setting; ///< "lr"; where it stands in the file, or is to be added
    bool operator==(const BlankSetting&) const = default;
};

struct Companion {
    std::string ending; ///< is added to the name of the file
    std::string body;
    Settings settings;
    std::string table; ///< of shippedTable() that its settings are of
};

struct LaunchFile {
    Format format{};
    std::string body; ///< without what core/narration writes above it
    std::string before; ///< lines that stand first: "#!/bin/bash"
    Settings settings; ///< that body has, of shippedTable(table)
    std::string table;
    std::vector<Companion> companions;
    std::vector<Remark> remarks;
    std::vector<BlankSetting> blanks;
};

/// Precondition: check() finds no error in the plan.
[[nodiscard]] LaunchFile write(const plan::Project& project, Format format);

} // namespace stratoplan::launch

// SPDX-License-Identifier: Apache-2.0
// What can be bought or downloaded, as data: accelerators, links, nodes, clusters, models, software profiles.
// The shipped catalogue (resources/catalog/*.json) is embedded in the library; every entry names its source.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::catalog {

/// A node one can buy: what NodeGroup repeats.
struct NodePreset {
    std::string id;
    std::string name;
    cluster::NodeGroup node; ///< count = 1
    std::string source;
    bool operator==(const NodePreset&) const = default;
};

struct ClusterPreset {
    std::string id;
    std::string name;
    cluster::Cluster cluster;
    std::string source;
    bool operator==(const ClusterPreset&) const = default;
};

struct ModelPreset {
    std::string id; ///< "gpt3-175b"
    std::string family; ///< "GPT-3"
    model::Transformer model; ///< model.name is the name people know
    int sequenceLength = 2048; ///< of its pre-training
    double trainingTokens = 0; ///< of its pre-training; 0 = not published
    bool operator==(const ModelPreset&) const = default;
};

struct Catalog {
    std::vector<cluster::KernelTables> kernels;
    std::vector<cluster::Accelerator> accelerators;
    std::vector<cluster::Link> links;
    std::vector<NodePreset> nodes;
    std::vector<ClusterPreset> clusters;
    std::vector<ModelPreset> models;
    std::vector<plan::SoftwareProfile> software;

    // By id; nullptr if there is none.
    [[nodiscard]] const cluster::KernelTables* kernelTables(std::string_view id) const;
    [[nodiscard]] const cluster::Accelerator* accelerator(std::string_view id) const;
    [[nodiscard]] const cluster::Link* link(std::string_view id) const;
    [[nodiscard]] const NodePreset* node(std::string_view id) const;
    [[nodiscard]] const ClusterPreset* cluster(std::string_view id) const;
    [[nodiscard]] const ModelPreset* model(std::string_view id) const;
    [[nodiscard]] const plan::SoftwareProfile* softwareProfile(std::string_view id) const;
};

/// The embedded catalogue, parsed once. A broken shipped file is a bug and ends the program with a message.
[[nodiscard]] const Catalog& shippedCatalog();

} // namespace stratoplan::catalog

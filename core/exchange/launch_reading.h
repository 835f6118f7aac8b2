// SPDX-License-Identifier: Apache-2.0
// What the readers of all launch files share: the plan as it comes about, and how its cluster and its replicas follow
// from ranks, batch and options. Private to the readers.
#pragma once

#include "core/exchange/launch_file.h"
#include "core/exchange/launch_shell.h"
#include "core/exchange/launch_statements.h"

namespace stratoplan::exchange::launchfile {

/// Of a file, and whose.
struct Ranks {
    std::optional<int> count;
    int perNode = 0; ///< 0 = not said
    std::string place;
};

struct Reading {
    Statements& file;
    const LaunchOptions& options;
    const catalog::Catalog& catalog;
    plan::Plan plan;
    Ranks ranks;
    bool isAscend = false; ///< a script speaks of accelerators of Huawei
    bool statesDp = false; ///< the file says DP, and not how many ranks there are
    bool statesBatch = true; ///< it says the global batch
    int sequencesEach = 0; ///< sequences of a step that each replica has, where it says those
};

/// The base, or nothing but the stack of that id.
void beginPlan(Reading& reading, const char* software);

// Of arguments of Megatron-LM
void readShape(Reading& reading);
void readMegatron(Reading& reading);
[[nodiscard]] Ranks ranksOf(const Script& script);
/// Layers of the stages of "Ett|tt|…|ttL", an element a part; nothing where it is none.
[[nodiscard]] std::optional<std::vector<int>> partsOfLayout(std::string_view layout);
/// A number for each layer of "1", "2" or "([0]*3+[1]*58)"; nothing where it is none.
[[nodiscard]] std::optional<std::vector<int>> layerPattern(std::string_view text, int layers);

// Of configurations
void readDeepSpeed(Reading& reading);
void readTorchTitan(Reading& reading);
[[nodiscard]] tl::expected<std::vector<Statement>, DocumentErrors> jsonStatements(
    std::string_view text, std::string_view file);
[[nodiscard]] tl::expected<std::vector<Statement>, DocumentErrors> tomlStatements(
    std::string_view text, std::string_view file);
[[nodiscard]] bool looksLikeTorchTitan(std::string_view text);

/// The model of the catalogue that has the shape, by whatever name and source; null where none has.
[[nodiscard]] const catalog::ModelPreset* presetOf(const model::Transformer& shape, const catalog::Catalog& catalog);
/// The same, whatever its vocabulary.
[[nodiscard]] const catalog::ModelPreset* presetBesideVocabulary(
    const model::Transformer& shape, const catalog::Catalog& catalog);

/// Layers of the stages, by those of the parts that data passes in this order; an even split stays unsaid.
void setStageLayers(Reading& reading, const std::vector<int>& parts, const Statement& statement, bool folded);
/// Whether so many ranks can be counted; an error where not.
bool hasRoom(Statements& file, double ranks);
/// Cluster and DP, where the degrees of the replicas and the batch are known.
void settleCluster(Reading& reading);

} // namespace stratoplan::exchange::launchfile

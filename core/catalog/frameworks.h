// SPDX-License-Identifier: Apache-2.0
// resources/catalog/frameworks.json: what each training framework runs, read from the source of a version.
#pragma once

#include "core/catalog/catalog_json.h"
#include "core/catalog/framework_rules.h"

#include <array>
#include <string>
#include <vector>

namespace stratoplan::catalog {

/// What a framework says of a rule.
struct FrameworkEntry {
    FrameworkRule rule{};
    bool (*refuses)(const plan::Plan&) = nullptr; ///< null: a value that it does not run
    int (*valueOf)(const plan::Plan&) = nullptr; ///< below 0 where the plan leaves it moot
    unsigned runs = 0; ///< a bit for each value
    std::string limit; ///< "runs 1F1B and interleaving alone"
    std::string remedy; ///< "use 1f1b or interleaved"
    std::string source; ///< file of the framework, and where in it

    [[nodiscard]] bool breaks(const plan::Plan& plan) const
    {
        if (refuses)
            return refuses(plan);
        const int value = valueOf(plan);
        return value >= 0 && (runs >> static_cast<unsigned>(value) & 1U) == 0;
    }
};

struct Framework {
    std::string title; ///< with the version: "Megatron-Core 0.20"
    std::string source; ///< commits
    std::vector<FrameworkEntry> rules; ///< in the order of the rules
};

/// By TargetFramework.
using FrameworkCatalog = std::array<Framework, plan::kTargetFrameworks.size()>;

/// The error says where in the file something is wrong: "frameworks.json#/entries/0/rules/3/rule".
[[nodiscard]] CatalogResult<FrameworkCatalog> parseFrameworks(const EmbeddedFile& file);
[[nodiscard]] const FrameworkCatalog& shippedFrameworks();

} // namespace stratoplan::catalog

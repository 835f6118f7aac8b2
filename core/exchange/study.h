// SPDX-License-Identifier: Apache-2.0
// Studies as files: a grid of plans, each asked for its estimate or its best strategy
// (resources/schema/study.schema.json).
#pragma once

#include "core/exchange/document.h"
#include "core/plan/search_space.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>

namespace stratoplan::exchange {

class Study {
public:
    enum class Answer { Estimate, Search };

    std::string name;
    Answer answer = Answer::Search;
    plan::SearchSettings search{.mode = plan::SearchMode::ClosedForm};

    /// In which the best strategy of a plan is looked for: by name or of the study's own, locked at what the plan has,
    /// and with fewer accelerators where the objective is to use as few as can be. A space by name is also locked as
    /// the project is, unless `ignoreLocks`; where neither study nor space name a framework, the project's counts.
    [[nodiscard]] plan::SearchSpace space(const plan::Project& project, bool ignoreLocks = false) const;
    /// What of a project's locks that leaves.
    [[nodiscard]] std::set<plan::Dimension> projectLocks(const plan::Project& project, bool ignoreLocks) const;
    [[nodiscard]] std::int64_t size() const; ///< plans
    [[nodiscard]] const nlohmann::ordered_json& base() const { return m_plan; } ///< the plan that the grid changes
    /// The same as the study's file names it; null where it stands in the file itself.
    [[nodiscard]] const nlohmann::ordered_json& baseName() const { return m_name; }
    /// By pointer, the values of the plan with that number. Precondition: 0 <= number < size().
    [[nodiscard]] nlohmann::ordered_json values(std::int64_t number) const;
    /// Pointers of the grid to fields that a plan does not have, perhaps misspelt: they would change nothing.
    [[nodiscard]] DocumentErrors unknownPointers(const catalog::Catalog& catalog) const;
    /// That plan; errors name its place in the plan.
    [[nodiscard]] tl::expected<Document, DocumentErrors> document(
        std::int64_t number, const catalog::Catalog& catalog) const;

private:
    friend tl::expected<Study, DocumentErrors> parseStudy(std::string_view text, const std::filesystem::path& file);
    void readSearch(const nlohmann::ordered_json& root, const std::filesystem::path& file, DocumentErrors& faults);

    nlohmann::ordered_json m_plan;
    nlohmann::ordered_json m_name;
    nlohmann::ordered_json m_grid;
    std::string m_space; ///< text of one; empty: by name
};

/// `file`: where the text comes from, and where a plan it names is looked for.
[[nodiscard]] tl::expected<Study, DocumentErrors> parseStudy(std::string_view text, const std::filesystem::path& file);

/// The plan that a study changes: `plan` itself, or what it names, a shipped example or a file beside `file`.
[[nodiscard]] tl::expected<nlohmann::ordered_json, DocumentError> readBasePlan(
    const nlohmann::ordered_json& plan, const std::filesystem::path& file);
/// A plan as JSON with other values, by pointer; errors name the place.
[[nodiscard]] tl::expected<Document, DocumentErrors> planWith(
    nlohmann::ordered_json plan, const nlohmann::ordered_json& values, const catalog::Catalog& catalog);

} // namespace stratoplan::exchange

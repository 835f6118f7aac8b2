// SPDX-License-Identifier: Apache-2.0
// From a measured case to the plan it stands for. What the source leaves open is filled by one rule per field and
// software profile, and listed.
#pragma once

#include "core/catalog/catalog.h"
#include "core/validation/case_file.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::validation {

/// "field=value" of everything the source does not state.
class Filled {
public:
    /// The stated value, or `rule` noted as filled.
    template <class T>
    T operator()(const std::optional<T>& stated, const char* field, T rule)
    {
        if (stated)
            return *stated;
        add(field, rule);
        return rule;
    }
    void add(const char* field, const std::string& value) { m_notes.push_back(std::string(field) + "=" + value); }
    void add(const char* field, int value) { add(field, std::to_string(value)); }
    void add(const char* field, bool value) { add(field, std::string(value ? "true" : "false")); }
    [[nodiscard]] std::vector<std::string> take() { return std::move(m_notes); }

private:
    std::vector<std::string> m_notes;
};

/// The software profile of a case, from its framework and version and from whose accelerators it ran on.
[[nodiscard]] const plan::SoftwareProfile& caseSoftware(
    const CaseRecord& record, std::string_view vendor, const catalog::Catalog& catalog, Filled& filled);

/// The model of the catalogue that bears the case's name (its name or id, but for case and punctuation), or nothing.
[[nodiscard]] const catalog::ModelPreset* namedModel(const CaseRecord& record, const catalog::Catalog& catalog);

/// More accelerators than any case may ask for; keeps the arithmetic on them exact.
inline constexpr std::int64_t kMaxCaseRanks = std::int64_t{1} << 24;

/// How many ordinary fields these are worth to the range of an estimate: most shift it by a few percent, but what
/// divides the model, how large it is and which stack ran it shift it by far more, and count sixfold.
[[nodiscard]] int filledWeight(const std::vector<std::string>& filled);

struct CasePlan {
    plan::Plan plan;
    std::vector<std::string> filled;
    double batchScale = 1; ///< measured global batch over the priced one (a last, smaller micro-batch)
    double nearLow = 1, nearHigh = 1; ///< steps of the values next to those chosen for what is left open, over its own
};
/// Error: why the row cannot become a plan. `software` takes the place of the profile of the case's own stack.
[[nodiscard]] tl::expected<CasePlan, std::string> casePlan(const CaseRecord& record, const catalog::Catalog& catalog,
    const std::optional<plan::SoftwareProfile>& software = std::nullopt);

} // namespace stratoplan::validation

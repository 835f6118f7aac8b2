// SPDX-License-Identifier: Apache-2.0
// The rules that read one part of a measured case each. Errors say why the row cannot become a plan.
#pragma once

#include "core/validation/case_plan.h"

namespace stratoplan {

/// The nodes a case ran on: the catalogue's preset that fits the words of the source best. Error: nothing fits.
[[nodiscard]] tl::expected<Cluster, std::string> caseCluster(const CaseRecord& record, const Catalog& catalog, Filled& filled);

/// The model of a case; its shape comes from the catalogue's model of the same name where the row is silent.
[[nodiscard]] tl::expected<Transformer, std::string> caseModel(
    const CaseRecord& record, const SoftwareProfile& software, const Catalog& catalog, Filled& filled);

/// How it was divided, all but the micro-batch.
[[nodiscard]] tl::expected<Strategy, std::string> caseStrategy(
    const CaseRecord& record, const SoftwareProfile& software, const Transformer& model, Filled& filled);

[[nodiscard]] tl::expected<Precision, std::string> casePrecision(const CaseRecord& record, Filled& filled);

[[nodiscard]] tl::unexpected<std::string> unknownWord(const char* field, const std::string& text, const char* known);

} // namespace stratoplan

// SPDX-License-Identifier: Apache-2.0
// The rules that read one part of a measured case each. Errors say why the row cannot become a plan.
#pragma once

#include "core/validation/case_plan.h"

namespace stratoplan::validation {

/// The nodes a case ran on: the catalogue's preset that fits the words of the source best. Error: nothing fits.
[[nodiscard]] tl::expected<cluster::Cluster, std::string> caseCluster(
    const CaseRecord& record, const catalog::Catalog& catalog, Filled& filled);

/// The model of a case; its shape comes from the catalogue's model of the same name where the row is silent.
[[nodiscard]] tl::expected<model::Transformer, std::string> caseModel(
    const CaseRecord& record, const plan::SoftwareProfile& software, const catalog::Catalog& catalog, Filled& filled);

/// How it was divided, all but the micro-batch.
[[nodiscard]] tl::expected<parallel::Strategy, std::string> caseStrategy(
    const CaseRecord& record, const plan::SoftwareProfile& software, const model::Transformer& model, Filled& filled);

/// Where it is not stated: BF16 where the accelerator has it, else FP16.
[[nodiscard]] model::Precision casePrecision(
    const CaseRecord& record, const cluster::Accelerator& accelerator, Filled& filled);

/// What follows a value that stands in for words nobody knows: ', as "posit16" is not known'; nothing where there are
/// no words.
[[nodiscard]] std::string unknown(const std::string& words);

/// The number that follows `words` in a remark before a comma, as in "kv_lora 512" or "sliding window attention (128)".
[[nodiscard]] std::optional<int> numberAfter(std::string_view text, std::string_view words);

} // namespace stratoplan::validation

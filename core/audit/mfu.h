// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation by every convention in use: which FLOPs a step is said to have, and which peak they are
// divided by. A number that is quoted is looked up among them, and turned into any other.
#pragma once

#include "core/estimate/estimate.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::audit {

enum class FlopConvention {
    Full, ///< every product, attention over the full square (PaLM, arXiv 2204.02311, appendix B; Megatron-LM until
          ///< 2025)
    Causal, ///< attention over the half that a causal mask leaves (FlashAttention-2, arXiv 2307.08691, section 4.1)
    FullRecomputed, ///< HFU: Full, and what recomputation repeats (Korthikanti et al., arXiv 2205.05198, section 6.3)
    CausalRecomputed,
    SixN, ///< 6 N a token, N the active parameters (Kaplan et al., arXiv 2001.08361, section 2.1)
    SixNAttention, ///< 6 N + 12 L h s a token (PaLM, appendix B)
    SixNWithoutEmbedding, ///< the same without the parameters of the embedding (torchtitan, nanoGPT)
};
inline constexpr std::size_t kFlopConventions = 7;
[[nodiscard]] std::string_view key(FlopConvention convention); // "full", "causal", …

/// A peak that an accelerator can be held to.
struct PeakConvention {
    model::Precision precision{};
    bool isSparse = false; ///< with 2:4 sparsity, as data sheets print it beside the dense one
    FlopsPerSecond rate{}; ///< of unlike accelerators the mean of the ranks
    [[nodiscard]] std::string key() const; ///< "bf16", "bf16-sparse"
};

struct MfuValue {
    FlopConvention flops{};
    std::size_t peak = 0; ///< index into MfuTable::peaks
    double mfu = 0; ///< at the step of the table
};

struct MfuTable {
    Seconds step{};
    std::vector<std::pair<FlopConvention, Flops>> flops; ///< of a step, by each convention; those with recomputation
                                                         ///< where there is some
    std::vector<PeakConvention> peaks; ///< the training precision, dense, first
    std::vector<MfuValue> values; ///< by flops, then peak
};

/// Of a step that takes so long, with the estimate of its plan for what is recomputed.
[[nodiscard]] MfuTable mfuTable(const plan::Plan& plan, const estimate::Estimate& estimate, Seconds step);

/// An MFU that somebody quotes.
struct QuotedMfu {
    double mfu = 0; ///< share
    double rounding = 0; ///< half a unit of its last digit
};
/// "43 %", "0.43", "43.1"; more than 1 is per cent. Nothing for other texts, and for shares not above 0.
[[nodiscard]] std::optional<QuotedMfu> quotedMfu(std::string_view text);

/// Values that round to the quoted one, in the order of the table, and the nearest one.
struct MfuMatches {
    std::vector<std::size_t> matching; ///< indices into MfuTable::values
    std::size_t nearest = 0;
};
[[nodiscard]] MfuMatches matches(const MfuTable& table, const QuotedMfu& quoted);

/// What "causal/bf16-sparse" names in a table: the dense peak of the training precision where no peak is named.
[[nodiscard]] std::optional<std::size_t> conventionNamed(const MfuTable& table, std::string_view name);
/// The step that a quoted MFU stands for by one of the conventions.
[[nodiscard]] Seconds stepOf(const MfuTable& table, std::size_t value, double mfu);

} // namespace stratoplan::audit

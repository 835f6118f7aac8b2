// SPDX-License-Identifier: GPL-3.0-or-later
// What was published of partitions in space and time (PrimePar, ASPLOS 2024) beside what the core says of the same
// machines: 8 nodes of 4 V100.
#pragma once

#include "core/catalog/catalog.h"
#include "core/partition/programme.h"

#include <string>
#include <vector>

namespace stratoplan::published {

/// One layer of a model over 2^bits V100, four to a node (section 6): FP32, sequences of 2,048 tokens, links as the
/// published timeline has them. The published figures tell neither the batch, which is 8 in its timeline, nor the
/// attention kernel.
[[nodiscard]] plan::Plan layerPlan(const char* model, int bits, int batch);

/// So many replicas, with tensor parallelism in each.
struct MegatronDivision {
    int replicas = 1;
    partition::Division division;
};

/// A layer that a group divides, with all that its programme refers to.
class DividedLayer {
public:
    DividedLayer(const plan::Plan& plan, int bits);

    [[nodiscard]] partition::Programme& programme() { return m_programme; }
    [[nodiscard]] const partition::Block& block() const { return m_block; }
    [[nodiscard]] partition::Layouts& layouts() { return m_layouts; }
    /// As Megatron divides it, by the number of replicas; without those that cannot be.
    [[nodiscard]] std::vector<MegatronDivision> megatron();

private:
    [[nodiscard]] std::string ofMegatron(const partition::BlockOperator& op, int replicaBits) const;

    plan::Plan m_plan;
    int m_bits;
    cost::Machine m_machine;
    partition::Block m_block;
    partition::Layouts m_layouts;
    partition::Sequences m_sequences;
    partition::GroupPricing m_pricing;
    partition::Programme m_programme;
};

/// Prints the published tables, and the same by the core.
void tell();

} // namespace stratoplan::published

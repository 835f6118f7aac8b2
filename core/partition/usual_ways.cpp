// SPDX-License-Identifier: Apache-2.0
#include "core/partition/usual_ways.h"

#include "core/workload/layer.h"

#include <string>

namespace stratoplan::partition {
namespace {

std::string letters(char letter, int bits)
{
    std::string text(1, letter);
    for (int bit = 1; bit < bits; ++bit)
        text += std::string(",") + letter;
    return text;
}

char megatronAxis(const BlockOperator& op, bool sequenceParallel)
{
    switch (op.kind) {
    case OperatorKind::Linear:
        return isRowParallel(op.name) ? 'N' : 'K';
    case OperatorKind::Activation:
        return 'K';
    case OperatorKind::Experts:
        return 'M';
    case OperatorKind::Residual:
    case OperatorKind::Norm:
        return sequenceParallel ? 'M' : '-';
    default:
        return 'H';
    }
}

} // namespace

bool isRowParallel(std::string_view linear)
{
    using namespace workload::names;
    return linear == kAttentionOutput || linear == kFfnDown || linear == kSharedDown;
}

std::vector<parallel::OperatorPartition> megatronWays(const Block& block, int bits, bool sequenceParallel)
{
    std::vector<parallel::OperatorPartition> ways;
    for (const BlockOperator& op : block.operators) {
        const bool gathersAgain = sequenceParallel && op.kind == OperatorKind::Linear && !isRowParallel(op.name);
        ways.push_back({std::string(op.name), letters(megatronAxis(op, sequenceParallel), bits), gathersAgain});
    }
    return ways;
}

std::vector<parallel::OperatorPartition> sequenceWays(const Block& block, int bits)
{
    std::vector<parallel::OperatorPartition> ways;
    for (const BlockOperator& op : block.operators)
        ways.push_back({std::string(op.name), letters(op.kind == OperatorKind::Experts ? 'M' : 'B', bits)});
    return ways;
}

} // namespace stratoplan::partition

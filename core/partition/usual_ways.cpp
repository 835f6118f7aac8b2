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

bool isRow(const BlockOperator& op)
{
    using namespace workload::names;
    return op.name == kAttentionOutput || op.name == kFfnDown || op.name == kSharedDown;
}

char megatronAxis(const BlockOperator& op, bool sequenceParallel)
{
    switch (op.kind) {
    case OperatorKind::Linear:
        return isRow(op) ? 'N' : 'K';
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

std::vector<parallel::OperatorPartition> megatronWays(const Block& block, int bits, bool sequenceParallel)
{
    std::vector<parallel::OperatorPartition> ways;
    for (const BlockOperator& op : block.operators) {
        const bool gathersAgain = sequenceParallel && op.kind == OperatorKind::Linear && !isRow(op);
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

// SPDX-License-Identifier: GPL-3.0-or-later
// A layer of a large model, divided: for tests and pictures. Costs are made up.
#pragma once

#include "widgets/partition/partition_picture.h"

#include <initializer_list>

namespace stratoplan::test {

inline widgets::PartitionOperator linearOperator(const char* name, const char* sequence, double n, double k)
{
    return {QString::fromLatin1(name), widgets::DiagramOperator::Kind::Linear, {8, 2048, n, k},
        *partition::parseSequence(sequence), {}};
}

inline widgets::PartitionOperator otherOperator(
    const char* name, const char* axes, widgets::DiagramOperator::Kind kind = widgets::DiagramOperator::Kind::Other)
{
    const QString letters = QString::fromLatin1(axes);
    const bool heads = QString::fromLatin1(name) == QStringLiteral("attention");
    return {QString::fromLatin1(name), kind, {}, {}, heads ? letters : QString(letters).replace(u'H', u'K')};
}

/// `sequences`: of QKV, attention output, FFN up and FFN down; `axes` of all others, H of the attention is K of them.
struct LayerDivision {
    int bits = 0;
    std::array<const char*, 4> sequences{};
    const char* axes = "";
    int ranksPerDomain = 8;
};

inline widgets::PartitionAlternative alternativeOf(const char* name, const char* division, double factor)
{
    using namespace units;
    widgets::PartitionAlternative alternative{QString::fromUtf8(name), {}, {}};
    const auto cost = [&](double seconds) {
        widgets::PartitionCost result;
        result.division = QString::fromUtf8(division);
        result.forward = Seconds(seconds * factor);
        result.backward = Seconds(2 * seconds * factor);
        result.ring = Bytes(seconds * 3e9);
        result.collective = Bytes(seconds * 9e9 * (factor - 0.9));
        result.hidden = 0.9 / factor;
        result.memory = Bytes(seconds * 2e11 * factor);
        return result;
    };
    for (int i = 0; i < 10; ++i)
        alternative.operators.push_back(i % 3 == 2 ? cost(0.004 + 0.001 * i) : cost(0.0003));
    alternative.operators[4].ring.reset(); // not known
    alternative.total = cost(0.031);
    return alternative;
}

inline widgets::PartitionPicture layerPicture(const LayerDivision& division)
{
    using Kind = widgets::DiagramOperator::Kind;
    const auto [bits, sequences, axes, ranksPerDomain] = division;
    widgets::PartitionPicture picture;
    picture.bits = bits;
    picture.ranksPerDomain = ranksPerDomain;
    picture.operators = {otherOperator("residual", axes, Kind::Residual), otherOperator("attention norm", axes),
        linearOperator("QKV", sequences[0], 12288, 36864), otherOperator("attention", axes),
        linearOperator("attention output", sequences[1], 12288, 12288),
        otherOperator("attention residual", axes, Kind::Residual), otherOperator("FFN norm", axes),
        linearOperator("FFN up", sequences[2], 12288, 49152), otherOperator("activation", axes),
        linearOperator("FFN down", sequences[3], 49152, 12288)};
    picture.alternatives = {alternativeOf("This partition", sequences[0], 1), alternativeOf("Megatron", "K,K", 1.4),
        alternativeOf("Data parallel", "B,B", 1.9), alternativeOf("SUMMA", "n × n", 1.6)};
    return picture;
}

inline widgets::PartitionPicture layerOf(int bits)
{
    static const std::array<LayerDivision, 7> divisions{{{0, {"-", "-", "-", "-"}, "-"}, {1, {"K", "N", "K", "N"}, "H"},
        {2, {"P2x2", "N,K", "P2x2", "P2x2"}, "B,H"}, {3, {"B,P2x2", "K,N,N", "B,P2x2", "N,P2x2"}, "B,M,H"},
        {4, {"P4x4", "B,N,P2x2", "P4x4", "P2x2,P2x2"}, "B,M,H,H", 4},
        {5, {"B,P4x4", "N,P4x4", "K,P4x4", "B,P2x2,P2x2"}, "B,B,M,H,H"},
        {6, {"P8x8", "B,N,P4x4", "P8x8", "P2x2,P4x4"}, "B,B,M,M,H,H"}}};
    return layerPicture(divisions[std::size_t(bits)]);
}

} // namespace stratoplan::test

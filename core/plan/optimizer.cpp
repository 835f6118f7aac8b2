// SPDX-License-Identifier: Apache-2.0
#include "core/plan/optimizer.h"

#include "core/units/named.h"

#include <algorithm>

namespace stratoplan::plan {
namespace {

constexpr NameTable<Optimizer, 5> kKeys{{
    {Optimizer::Adam, "adam"},
    {Optimizer::Adam8Bit, "adam_8bit"},
    {Optimizer::Adafactor, "adafactor"},
    {Optimizer::Muon, "muon"},
    {Optimizer::Sgd, "sgd"},
}};

constexpr NameTable<Optimizer, 5> kTitles{{
    {Optimizer::Adam, "Adam"},
    {Optimizer::Adam8Bit, "8-bit Adam"},
    {Optimizer::Adafactor, "Adafactor"},
    {Optimizer::Muon, "Muon"},
    {Optimizer::Sgd, "SGD"},
}};

constexpr double kMaster = 4, kMoment = 4; // bytes

struct Moments {
    double first = 0, second = 0;
};

constexpr Moments momentsOf(Optimizer optimizer, Updated updated)
{
    constexpr double kNarrow = 1 + 4.0 / 256;
    switch (optimizer) {
    case Optimizer::Adam:
        break;
    case Optimizer::Adam8Bit:
        return {kNarrow, kNarrow};
    case Optimizer::Adafactor:
        return {};
    case Optimizer::Muon:
        return {kMoment, updated == Updated::Tables ? kMoment : 0};
    case Optimizer::Sgd:
        return {kMoment, 0};
    }
    return {kMoment, kMoment};
}

} // namespace

std::string_view key(Optimizer optimizer)
{
    return nameIn(kKeys, optimizer);
}

std::string_view title(Optimizer optimizer)
{
    return nameIn(kTitles, optimizer);
}

std::optional<Optimizer> optimizerFromKey(std::string_view key)
{
    return valueIn(kKeys, key);
}

OptimizerState optimizerState(Optimizer optimizer, double withAdam, Updated updated)
{
    const Moments moments = momentsOf(optimizer, updated);
    const double narrower = std::clamp((withAdam - kMaster) / (2 * kMoment), 0.0, 1.0);
    // A stack that keeps its moments in fewer bytes does not narrow those that are narrow by themselves.
    const double most = kMoment * narrower;
    return {std::min(withAdam, kMaster), std::min(moments.first, most), std::min(moments.second, most),
        std::max(0.0, withAdam - kMaster - 2 * kMoment)};
}

double optimizerTraffic(Optimizer optimizer, double withAdam, Updated updated)
{
    constexpr double kWeights = 14, kBothWays = 2, kGradient = 4;
    const Moments moments = momentsOf(optimizer, updated);
    const double again = optimizer == Optimizer::Adafactor ? 2 * kGradient : 0;
    const double least = kWeights + kBothWays * (moments.first + moments.second) + again;
    return withAdam * (least / (kWeights + kBothWays * 2 * kMoment));
}

Flops orthogonalisation(double rows, double columns)
{
    constexpr int kIterations = 5;
    const double m = std::min(rows, columns), n = std::max(rows, columns);
    return Flops(kIterations * (4 * m * m * n + 2 * m * m * m));
}

} // namespace stratoplan::plan

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

Flops orthogonalisation(double rows, double columns)
{
    constexpr int kIterations = 5;
    const double m = std::min(rows, columns), n = std::max(rows, columns);
    return Flops(kIterations * (4 * m * m * n + 2 * m * m * m));
}

} // namespace stratoplan::plan

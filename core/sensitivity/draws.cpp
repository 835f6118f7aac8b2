// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/draws.h"

#include "core/capacity/spread.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace stratoplan::sensitivity {
namespace {

unsigned primeOf(std::size_t dimension)
{
    std::vector<unsigned> primes;
    for (unsigned n = 2; primes.size() <= dimension; ++n)
        if (std::ranges::none_of(primes, [n](unsigned prime) { return n % prime == 0; }))
            primes.push_back(n);
    return primes.back();
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z)
{
    z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27U) * 0x94D049BB133111EBULL;
    return z ^ z >> 31U;
}

/// Of the digits of a base, by sorting hashes: the same on every machine.
std::vector<unsigned> permutationOf(unsigned base)
{
    std::vector<unsigned> digits(base);
    std::iota(digits.begin(), digits.end(), 0U);
    std::ranges::sort(digits, {}, [base](unsigned digit) { return mixed((std::uint64_t(base) << 32U) + digit); });
    return digits;
}

double scrambledInverse(std::size_t i, const std::vector<unsigned>& permutation)
{
    constexpr double kSmallest = 1e-12;
    const std::size_t base = permutation.size();
    double result = 0;
    for (double place = 1.0 / double(base); place > kSmallest; place /= double(base)) {
        result += place * permutation[i % base];
        i /= base;
    }
    return result;
}

} // namespace

std::vector<double> normalDraws(std::size_t draws, std::size_t dimension)
{
    const std::vector<unsigned> permutation = permutationOf(primeOf(dimension));
    std::vector<double> points(draws);
    for (std::size_t i = 0; i < draws; ++i)
        points[i] = scrambledInverse(i + 1, permutation);
    std::vector<std::size_t> order(draws);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return points[i]; });
    std::vector<double> normals(draws);
    for (std::size_t rank = 0; rank < draws; ++rank)
        normals[order[rank]] = capacity::normalAt((double(rank) + 0.5) / double(draws));
    return normals;
}

double quantile(const std::vector<double>& rising, double share)
{
    const double place = std::clamp(share * double(rising.size()) - 0.5, 0.0, double(rising.size() - 1));
    const auto below = std::size_t(place);
    const std::size_t above = std::min(below + 1, rising.size() - 1);
    const double part = place - double(below);
    const bool isBetween = part > 0 && rising[below] < rising[above]; // nothing is between two infinite ones
    return isBetween ? rising[below] + part * (rising[above] - rising[below]) : rising[below];
}

} // namespace stratoplan::sensitivity

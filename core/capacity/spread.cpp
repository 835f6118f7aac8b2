// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/spread.h"

#include <array>
#include <numbers>

namespace stratoplan::capacity {
namespace {

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x)
{
    double sum = 0;
    for (const double coefficient : coefficients)
        sum = sum * x + coefficient;
    return sum;
}

constexpr std::array kTailOver{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
    -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
constexpr std::array kTailUnder{
    7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00, 1.0};
constexpr std::array kMiddleOver{-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
    1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
constexpr std::array kMiddleUnder{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
    6.680131188771972e+01, -1.328068155288572e+01, 1.0};

double firstGuess(double probability)
{
    constexpr double kTail = 0.02425;
    if (probability > 1 - kTail)
        return -firstGuess(1 - probability);
    if (probability < kTail) {
        const double q = std::sqrt(-2 * std::log(probability));
        return polynomial(kTailOver, q) / polynomial(kTailUnder, q);
    }
    const double q = probability - 0.5;
    return q * polynomial(kMiddleOver, q * q) / polynomial(kMiddleUnder, q * q);
}

} // namespace

double chanceAbove(const Spread& spread, double limit)
{
    const double end = limit < spread.mid ? spread.low : spread.high;
    if (!(spread.mid > 0) || !(limit > 0) || end == spread.mid || !(end > 0))
        return spread.mid > limit ? 1 : 0;
    const double deviations = std::log(limit / spread.mid) / std::abs(std::log(end / spread.mid)) * kNinetieth;
    return 0.5 * std::erfc(deviations / std::numbers::sqrt2);
}

double normalAt(double probability)
{
    const double x = firstGuess(probability);
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - probability;
    const double u = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    return x - u / (1 + x * u / 2);
}

double radicalInverse(std::size_t i, unsigned base)
{
    double result = 0, place = 1;
    for (; i > 0; i /= base) {
        place /= base;
        result += place * double(i % base);
    }
    return result;
}

} // namespace stratoplan::capacity

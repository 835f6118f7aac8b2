// SPDX-License-Identifier: Apache-2.0
// Quantities with units. A Quantity carries exponents of time, bytes and FLOPs, so that
// bytes / (bytes per second) is seconds by type and adding seconds to bytes does not compile.
// Values are held in the base unit: second, byte, FLOP.
#pragma once

#include <compare>

namespace stratoplan::inline units {

template <int Time, int Byte, int Flop>
class Quantity {
public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(double value)
        : m_value(value)
    {
    }

    /// Value in base units (seconds, bytes, FLOPs and their quotients).
    [[nodiscard]] constexpr double value() const { return m_value; }

    constexpr Quantity& operator+=(Quantity other)
    {
        m_value += other.m_value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other)
    {
        m_value -= other.m_value;
        return *this;
    }
    constexpr Quantity& operator*=(double factor)
    {
        m_value *= factor;
        return *this;
    }

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.m_value + b.m_value); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.m_value - b.m_value); }
    friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.m_value); }
    friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.m_value * factor); }
    friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(a.m_value * factor); }
    friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.m_value / divisor); }
    friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
    double m_value = 0;
};

template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator*(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b)
{
    if constexpr (T1 + T2 == 0 && B1 + B2 == 0 && F1 + F2 == 0)
        return a.value() * b.value();
    else
        return Quantity<T1 + T2, B1 + B2, F1 + F2>(a.value() * b.value());
}

template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator/(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b)
{
    if constexpr (T1 == T2 && B1 == B2 && F1 == F2)
        return a.value() / b.value();
    else
        return Quantity<T1 - T2, B1 - B2, F1 - F2>(a.value() / b.value());
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1>;

inline constexpr double kMiB = 1024.0 * 1024.0;
inline constexpr double kGiB = 1024.0 * kMiB;

} // namespace stratoplan::inline units

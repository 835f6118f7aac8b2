// SPDX-License-Identifier: GPL-3.0-or-later
// One value a slider can stand on, and what choosing it would mean.
#pragma once

#include <QString>

namespace stratoplan::widgets {

enum class Zone {
    Green, ///< fits
    Amber, ///< fits, but another value is better, or a warning applies
    Red, ///< breaks a rule or the memory; still reachable
    Unknown, ///< not judged yet
};

struct SliderStop {
    int value = 1;
    Zone zone = Zone::Unknown;
    QString reason; ///< one sentence; may be empty
    bool operator==(const SliderStop&) const = default;
};

} // namespace stratoplan::widgets

// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibration.h"

namespace stratoplan::calibration {

std::span<const CalibrationParameter> calibrationParameters()
{
    static const std::vector<CalibrationParameter> parameters = [] {
        std::vector<CalibrationParameter> fitted;
        for (const plan::SoftwareField& field : plan::softwareFields())
            if (field.prior)
                fitted.push_back({*field.prior, field.key, field.unit.toBase(1), &field});
        return fitted;
    }();
    return parameters;
}

} // namespace stratoplan::calibration

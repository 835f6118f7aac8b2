// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibration.h"

#include <algorithm>

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

const plan::SoftwareProfile& Starts::profileOf(const MeasuredRun& run) const
{
    const auto taken = std::ranges::find(
        m_profiles, run.plan.training.software.id, [](const plan::SoftwareProfile& p) { return p.id; });
    return taken == m_profiles.end() ? m_profiles.front() : *taken;
}

} // namespace stratoplan::calibration

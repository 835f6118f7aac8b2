// SPDX-License-Identifier: Apache-2.0
#include "core/narration/profiles.h"

#include "core/units/sentence.h"

namespace stratoplan::narration {

std::string calibratedName(const plan::SoftwareProfile& start)
{
    return filled("{name}, calibrated", {{"name", {start.name}}});
}

std::string fittedTo(const plan::SoftwareProfile& start, std::size_t runs, const std::string& source)
{
    return filled("{profile} fitted to {runs} measured runs of {source}",
        {{"profile", {start.id}}, {"runs", {std::to_string(runs)}}, {"source", {source}}});
}

std::string measuredName(const plan::SoftwareProfile& start)
{
    return filled("{name}, kernels measured", {{"name", {start.name}}});
}

std::string measuredWith(
    const plan::SoftwareProfile& start, std::size_t kernels, const std::string& gpu, const std::string& provenance)
{
    return filled(provenance.empty() ? "{profile} with constants of {kernels} kernels measured on {gpu}"
                                     : "{profile} with constants of {kernels} kernels measured on {gpu} ({provenance})",
        {{"profile", {start.id}}, {"kernels", {std::to_string(kernels)}}, {"gpu", {gpu}},
            {"provenance", {provenance}}});
}

} // namespace stratoplan::narration

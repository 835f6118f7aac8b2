// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/step_terms.h"

namespace stratoplan::estimate {
namespace {

std::array<std::pair<StepTerm, Seconds>, kExposedTerms> byAxis(const pricing::CommunicationSeconds& c)
{
    return {{{StepTerm::ExposedTp, c.tp}, {StepTerm::ExposedCp, c.cp}, {StepTerm::ExposedEp, c.ep},
        {StepTerm::ExposedPp, c.pp}, {StepTerm::ExposedDp, c.dp}}};
}

} // namespace

std::array<std::pair<StepTerm, Seconds>, kStepTerms> stepTerms(const pricing::Breakdown& breakdown)
{
    const pricing::Breakdown& b = breakdown;
    const auto exposed = byAxis(b.exposed);
    return {{{StepTerm::Forward, b.forward}, {StepTerm::Backward, b.backward}, {StepTerm::Recomputation, b.recompute},
        exposed[0], exposed[1], exposed[2], exposed[3], exposed[4], {StepTerm::Bubble, b.bubble},
        {StepTerm::Optimizer, b.optimizer}, {StepTerm::Other, b.other}}};
}

std::array<std::pair<StepTerm, Seconds>, kExposedTerms> hiddenTerms(const pricing::Breakdown& breakdown)
{
    return byAxis(breakdown.hidden);
}

} // namespace stratoplan::estimate

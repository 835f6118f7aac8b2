// SPDX-License-Identifier: Apache-2.0
// What each parameter of a layer costs a step beside its passes: its share of the end of the step, or of FSDP's
// traffic. Divisions of a layer that hold more parameters than others are told apart by it.
#pragma once

#include "core/cost/communication.h"

namespace stratoplan::pricing {

/// Seconds of a micro-batch and layer for each parameter that a layer has on a rank: the gradient reduction, the
/// parameter gather and the optimizer, as far as nothing hides them, spread over the micro-batches and the fill of the
/// pipeline. The slope between one and two shares of a layer's parameters, with passes of `layer` seconds to hide
/// behind: two thirds of them are the backward pass.
[[nodiscard]] double secondsOfParameter(const cost::Deployment& deployment, double layer, int microBatches);

} // namespace stratoplan::pricing

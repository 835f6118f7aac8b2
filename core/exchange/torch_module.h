// SPDX-License-Identifier: Apache-2.0
// Linear operators divided in space and time as a program that carries them out: a module of Python and PyTorch that
// needs nothing of Stratoplan, checks itself and takes its times (resources/torch/spatial_temporal.py, filled in).
#pragma once

#include "core/partition/priced_layer.h"
#include "core/partition/sequence.h"

#include <string>
#include <vector>

namespace stratoplan::exchange {

/// O[B,M,K] = I[B,M,N] W[N,K] as a whole, in elements.
struct TorchLinear {
    std::string name;
    partition::Sequence sequence;
    int batch = 1; ///< B: sequences of a micro-batch
    int tokens = 1; ///< M: of each
    int in = 1, out = 1; ///< N and K
    bool rowParallel = false; ///< in Megatron-LM, which the program times beside; else column-parallel
};

struct TorchModule {
    std::vector<TorchLinear> linears;
    int bits = 0; ///< of each sequence: 2^bits processes divide every linear
    std::string title; ///< in UTF-8, as names are; may hold anything
};

/// The products of a layer that so many ranks divide.
[[nodiscard]] TorchModule torchModuleOf(const partition::PricedLayer& layer, int ranks, std::string title);

/// The program, for PyTorch 1.13 or newer. What it cannot run it says when it is started, and exits 2: no linear at
/// all, a sequence of other bits than the module's, or a size that a sequence does not divide.
[[nodiscard]] std::string torchModule(const TorchModule& module);

} // namespace stratoplan::exchange

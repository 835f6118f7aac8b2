// SPDX-License-Identifier: Apache-2.0
// What the file of a model says and a Transformer takes more simply, as values: core/reporting makes the sentences.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace stratoplan::exchange {

/// Of a model of several media only the language model, by the name of its part.
struct LanguagePartOnly {
    std::string part;
};
/// Attention inside chunks is counted as full attention.
struct ChunksAsFullAttention {
    bool sized = false; ///< the chunks have a size; else only the kinds of the layers speak of them
};
/// Layers of full attention at no regular distance.
struct IrregularWindow {
    int full = 0;
    int layers = 0;
    int interval = 1; ///< counted in every layer whose number it divides
};
/// Layers with experts that are no last ones of equal steps.
struct IrregularExperts {
    int count = 0;
    int layers = 0;
    int interval = 1; ///< counted in every layer whose number it divides; 1 = in the last ones
};

/// Layers of a kind that is not modelled, for which those with a window stand in.
struct StandInLayers {
    std::string kind;
    int layers = 0;
    int window = 0; ///< tokens
    double share = 0; ///< of the model's FLOPs by which that is off at `length` tokens
    int length = 0;
    std::int64_t parameters = 0; ///< of the model less those counted
};

/// Parameters that a published model has and a Transformer does not, or the other way round.
enum class Leftover {
    PostNorms,
    WideQkNorm,
    BareQkNorm,
    BareNorm,
    NoNormWeights,
    PairedNorms,
    Sinks,
    SharedGate,
    QkvBias,
    OutBias,
    MlpBias,
    HeadBias,
    OutputGate,
};
struct LeftoverParameters {
    Leftover what{};
    std::int64_t parameters = 0; ///< left out; negative: counted, though the model has none
    double share = 0; ///< of the model
};

using Simplification = std::variant<LanguagePartOnly, ChunksAsFullAttention, IrregularWindow, IrregularExperts,
    StandInLayers, LeftoverParameters>;

} // namespace stratoplan::exchange

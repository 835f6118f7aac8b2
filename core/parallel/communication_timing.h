// SPDX-License-Identifier: Apache-2.0
// When a runtime carries out what the stages of a pipeline send each other, and the reduction of their gradients.
#pragma once

#include <cstdint>

namespace stratoplan::parallel {

/// What carries boundary transfers.
enum class TransferPath : std::uint8_t {
    Links, ///< a link per stage and direction; they work side by side and hold up only the consumer
    Queue, ///< one queue of communication per stage, in order: a transfer waits for its turn at both ends
    Stream, ///< the stream that also runs the passes: a transfer holds up both stages
};
/// How a boundary tensor gets from one stage to another that divides it otherwise ("On Optimizing the Communication of
/// Model Parallelism", arXiv 2211.05322).
enum class ReshardMethod : std::uint8_t {
    SendReceive, ///< every receiving rank gets a slice of its own, and those that share the tensor gather it (Alpa's
                 ///< default)
    Broadcast, ///< one rank that has a part passes it on through all ranks that need it, piece by piece
};
/// When gradients are reduced over replicas.
enum class SyncTime : std::uint8_t {
    AfterPasses, ///< by each stage, when it has run all its passes
    LastBackward, ///< inside the last backward pass of each chunk, whose gradient is sent on when that is done
    Asynchronous, ///< beside the passes, from the last backward pass of each chunk
};
/// How a runtime times communication (Alpa: one stream, lazy, in the last backward pass; MLSys'23 "On Optimizing the
/// Communication of Model Parallelism" and arXiv 2211.05322 for the others).
struct CommunicationTiming {
    TransferPath path = TransferPath::Links;
    bool lazy = false; ///< transfers are issued when their consumer is due, not when their producer is done; links are
                       ///< never lazy
    SyncTime sync = SyncTime::AfterPasses;
    /// Of links: an accelerator's two leave through one network port, so that what it sends goes one after the other.
    bool onePort = false;
    bool operator==(const CommunicationTiming&) const = default;
};

/// What the timing pass makes of any runtime: reductions delayed to the apply step and launched beside the passes,
/// transfers sent when their producer is done, over links of their own.
inline constexpr CommunicationTiming kPassedTiming{TransferPath::Links, false, SyncTime::Asynchronous};

} // namespace stratoplan::parallel

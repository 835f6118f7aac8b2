// SPDX-License-Identifier: Apache-2.0
// Cross-mesh resharding: a boundary tensor on its way from one pipeline stage to a neighbour that divides it otherwise.
// Both have as many ranks, t1 d1 = t2 d2; a replica of the one works on b1 sequences of a micro-batch, a replica of the
// other on b2, in proportion to t. Two ways of it (arXiv 2211.05322): ranks receive slices and gather them, or parts
// are passed on through all who need them.
#pragma once

#include "core/cost/communication.h"

#include <vector>

namespace stratoplan::cost {

/// One stage's end of a boundary: its own strategy on the machine, and the boundary tensor of one of its ranks.
struct BoundaryEnd {
    const Deployment& deployment;
    Bytes boundary{}; ///< MicroBatchWork::boundary
};

/// One boundary tensor of one micro-batch on its way.
struct BoundaryTransfer {
    bool reshards = false; ///< the receiving stage divides it otherwise
    Bytes bytes{}; ///< what the busiest receiving rank gets over the boundary
    int messages = 1; ///< that it comes in
    Seconds transfer{}; ///< over the boundary
    Seconds gather{}; ///< among the receiving ranks afterwards
    [[nodiscard]] Seconds total() const { return transfer + gather; }
    bool operator==(const BoundaryTransfer&) const = default;
};

/// From a stage to the one after it (`lower` = its number), or back to it from there (`lower` = the receiver's). Ends
/// alike are priced as boundarySeconds() prices them. Ends on two machines are joined by the network, and the slower of
/// their links sets the time.
///
/// Send and receive: a rank gets the slice boundary2 / t2, which is as large as boundary1 / t1. With sequence
/// parallelism it is all it needs, but lies on as many ranks as its sequences and its positions are cut into; without,
/// every sending rank has its whole replica's tensor, so that one message does, and the TP group gathers the slices.
/// Broadcast: of the sequences that two replicas have in common, one of the t1 senders passes them through all t2
/// receivers. The slower of the boundary and the way through the group sets the time: lat + max(part / bw, boundary2 /
/// bw of the group). Where receivers need slices of their own there is nothing to broadcast.
[[nodiscard]] BoundaryTransfer boundaryTransfer(
    const BoundaryEnd& sender, const BoundaryEnd& receiver, int lower, parallel::ReshardMethod method);

/// Of a dimension that senders cut into `sent` equal parts and receivers into `received`: the most parts that one
/// receiver's touches.
[[nodiscard]] int partsTouched(int sent, int received);

} // namespace stratoplan::cost

// SPDX-License-Identifier: Apache-2.0
// How much of the wall time advances a run that failures interrupt: checkpoints are written, what was done since the
// last one is lost, the run is started again. Failures come at a constant rate, whatever the run does (Daly, "A higher
// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22, 2006).
#pragma once

namespace stratoplan::capacity {

/// In seconds.
struct Interruptions {
    double mtbf = 0; ///< of the whole run; infinite: none
    double checkpoint = 0; ///< that training stands still for one
    double restart = 0; ///< from a failure until training goes on; failures interrupt it, too
    double interval = 0; ///< of training between two checkpoints
    bool operator==(const Interruptions&) const = default;
};

/// Of the wall time that so much training takes.
struct Moments {
    double mean = 0;
    double variance = 0;
};
/// From one checkpoint to the next.
[[nodiscard]] Moments momentsOfInterval(const Interruptions& with);
/// Of a whole run. Precondition: an interval > 0, unless nothing fails.
[[nodiscard]] Moments momentsOfRun(double training, const Interruptions& with);

/// The interval that makes the run shortest, exactly: the x with (1 - x / M) e^(x / M) = e^(-C / M), of a checkpoint
/// of C and an MTBF of M. Infinite where nothing fails; 0 where checkpoints take no time.
[[nodiscard]] double bestInterval(double mtbf, double checkpoint);
/// Young's first order of it: sqrt(2 C M) (CACM 17, 1974).
[[nodiscard]] double youngInterval(double mtbf, double checkpoint);
/// Daly's higher order: sqrt(2 C M) (1 + sqrt(C / 2 M) / 3 + C / 18 M) - C, or M from C = 2 M on.
[[nodiscard]] double dalyInterval(double mtbf, double checkpoint);

/// Where the wall time goes, as shares of it: together 1.
struct Losses {
    double training = 1;
    double checkpoints = 0;
    double lost = 0; ///< training and checkpoints that a failure undid
    double restarts = 0;
    bool operator==(const Losses&) const = default;
};
[[nodiscard]] Losses losses(const Interruptions& with);

/// The share of failures that find no spare node, where failed ones come back after so long: Erlang's loss formula.
/// Precondition: spares >= 0; the load is failures a second times seconds of repair.
[[nodiscard]] double withoutSpare(double load, int spares);

} // namespace stratoplan::capacity

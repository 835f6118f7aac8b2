// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::capacity {
namespace {

/// Time until a stretch of `length` passes without a failure, when every failure costs a time of its own.
struct Stretch {
    Moments whole;
    double second = 0; ///< moment about 0
};

/// `after`: of a failure, before the stretch begins again.
Stretch stretch(double length, double mtbf, const Stretch& after)
{
    if (!(length > 0) || std::isinf(mtbf))
        return {{std::max(0.0, length), 0}, length * length};
    const double passes = std::exp(-length / mtbf), fails = -std::expm1(-length / mtbf);
    // Of the time to the failure within it: moments of the exponential distribution cut off there, times `fails`.
    const double first = mtbf * fails - length * passes;
    const double second = 2 * mtbf * first - length * length * passes;
    const double mean = (length * passes + first + fails * after.whole.mean) / passes;
    const double crossed = first * after.whole.mean + first * mean + fails * after.whole.mean * mean;
    const double square = (length * length * passes + second + fails * after.second + 2 * crossed) / passes;
    return {{mean, std::max(0.0, square - mean * mean)}, square};
}

Stretch restartOf(const Interruptions& with)
{
    return stretch(with.restart, with.mtbf, {});
}

} // namespace

Moments momentsOfInterval(const Interruptions& with)
{
    return stretch(with.interval + with.checkpoint, with.mtbf, restartOf(with)).whole;
}

Moments momentsOfRun(double training, const Interruptions& with)
{
    if (std::isinf(with.mtbf) && std::isinf(with.interval))
        return {training, 0};
    const Moments each = momentsOfInterval(with);
    const double intervals = training / with.interval;
    return {each.mean * intervals, each.variance * intervals};
}

double bestInterval(double mtbf, double checkpoint)
{
    if (std::isinf(mtbf))
        return std::numeric_limits<double>::infinity();
    if (!(checkpoint > 0))
        return 0;
    // The left side falls from 1 to 0 on [0, M]: Newton's steps in y = x / M from Young's, kept within it.
    const double sought = -std::expm1(-checkpoint / mtbf); // 1 - right side
    double low = 0, high = 1, y = std::min(1.0, youngInterval(mtbf, checkpoint) / mtbf);
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
        const double above = 1 - (1 - y) * std::exp(y) - sought; // rises with y, by y e^y
        (above > 0 ? high : low) = y;
        const double next = y - above / (y * std::exp(y));
        if (next == y)
            break;
        y = next > low && next < high ? next : (low + high) / 2;
    }
    return y * mtbf;
}

double youngInterval(double mtbf, double checkpoint)
{
    return std::sqrt(2 * checkpoint * mtbf);
}

double dalyInterval(double mtbf, double checkpoint)
{
    if (checkpoint >= 2 * mtbf)
        return mtbf;
    const double ratio = checkpoint / (2 * mtbf);
    return youngInterval(mtbf, checkpoint) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

Losses losses(const Interruptions& with)
{
    if (std::isinf(with.mtbf)) {
        if (std::isinf(with.interval))
            return {};
        const double all = with.interval + with.checkpoint;
        return {with.interval / all, with.checkpoint / all, 0, 0};
    }
    const double all = momentsOfInterval(with).mean;
    const double length = with.interval + with.checkpoint;
    const double failures = std::expm1(length / with.mtbf); // until the interval passes
    Losses shares{with.interval / all, with.checkpoint / all, 0, failures * restartOf(with).whole.mean / all};
    shares.lost = std::max(0.0, 1 - shares.training - shares.checkpoints - shares.restarts);
    return shares;
}

double withoutSpare(double load, int spares)
{
    double blocked = 1;
    for (int i = 1; i <= spares; ++i)
        blocked = load * blocked / (i + load * blocked);
    return blocked;
}

} // namespace stratoplan::capacity

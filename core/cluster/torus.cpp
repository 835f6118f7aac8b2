// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/torus.h"

#include "core/units/named.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace stratoplan::cluster {

namespace {

constexpr NameTable<TorusWrap, 4> kWraps{{
    {TorusWrap::EveryAxis, "every_axis"},
    {TorusWrap::CubesOf4, "cubes_of_4"},
    {TorusWrap::AxesOf16, "axes_of_16"},
    {TorusWrap::None, "none"},
}};

constexpr int kCube = 4, kPodAxis = 16;

bool isOfCubes(const std::vector<int>& axes)
{
    return std::ranges::all_of(axes, [](int size) { return size % kCube == 0; });
}

/// The most compact of the boxes of so many accelerators that fit into the torus.
class CompactBox {
public:
    CompactBox(const Torus& torus, int accelerators)
        : m_wrap(torus.wrap)
        , m_most(torus.axes)
        , m_axes(torus.axes.size())
    {
        std::ranges::sort(m_most);
        look(0, accelerators);
        std::stable_partition(
            m_best.begin(), m_best.end(), [](int size) { return std::has_single_bit(unsigned(size)); });
    }
    [[nodiscard]] const std::vector<int>& axes() const { return m_best; } ///< empty without one

private:
    void look(std::size_t axis, int left)
    {
        const int least = axis == 0 ? 1 : m_axes[axis - 1];
        if (axis + 1 == m_axes.size()) {
            m_axes[axis] = left;
            if (left >= least && left <= m_most[axis])
                keep();
            return;
        }
        for (int size = least; size <= m_most[axis] && leavesRoom(size, m_axes.size() - axis, left); ++size)
            if (left % size == 0) {
                m_axes[axis] = size;
                look(axis + 1, left / size);
            }
    }
    /// Whether as many axes, none shorter, make no more than are left.
    static bool leavesRoom(int size, std::size_t axes, int left)
    {
        long long least = 1;
        for (std::size_t i = 0; i < axes; ++i)
            least *= size;
        return least <= left;
    }
    void keep()
    {
        const bool opens = m_wrap == TorusWrap::CubesOf4 && !isOfCubes(m_axes);
        const std::pair rank(opens, std::accumulate(m_axes.begin(), m_axes.end(), 0));
        if (!m_best.empty() && rank >= m_rank)
            return;
        m_best = m_axes;
        m_rank = rank;
    }

    TorusWrap m_wrap;
    std::vector<int> m_most, m_axes, m_best;
    std::pair<bool, int> m_rank;
};

/// Lays the runs of a group on a torus, one axis after the other.
class Placing {
public:
    explicit Placing(const Torus& torus)
        : m_torus(torus)
    {
        for (std::size_t axis = 0; axis < torus.axes.size(); ++axis)
            m_box.axes[axis].ranks = 1;
    }
    /// Whether the ranks of it fill whole parts of the axes.
    bool add(RankRun run)
    {
        int below = 1; // ranks apart along the axis
        for (std::size_t axis = 0; axis < m_torus.axes.size() && run.size > 1; ++axis) {
            const int size = m_torus.axes[axis];
            if (run.stride < below * size && !along(axis, below, run))
                return false;
            below *= size;
        }
        return run.size == 1;
    }
    [[nodiscard]] const TorusBox& box() const { return m_box; }

private:
    bool along(std::size_t axis, int below, RankRun& run)
    {
        const int size = m_torus.axes[axis], step = run.stride / below;
        if (run.stride % below != 0 || size % step != 0)
            return false;
        const int ranks = std::min(run.size, size / step);
        AxisRun& here = m_box.axes[axis];
        if (run.size % ranks != 0 || size % (ranks * step) != 0 || step % here.ranks != 0)
            return false;
        here = {here.ranks * ranks, step / here.ranks, ranks * step == size && isClosed(m_torus, axis)};
        run = {run.size / ranks, below * size};
        return true;
    }

    const Torus& m_torus;
    TorusBox m_box;
};

/// Messages between ranks so far apart that go over one link in one direction.
int sharingOf(const Torus& torus, int stride)
{
    int most = 1;
    for (std::size_t axis = 0; axis < torus.axes.size(); ++axis) {
        const int size = torus.axes[axis], steps = stride % size;
        most = std::max(most, isClosed(torus, axis) ? std::min(steps, size - steps) : steps);
        stride /= size;
    }
    return most;
}

/// At the best place: a box of as many axes as its ranks can span, as long as one another, its rings closed.
LinkUse leastUse(std::size_t axes, int ranks)
{
    LinkUse use = switchedUse(ranks);
    const double all = double(axes);
    const double spanned = std::min(all, std::max(1.0, double(std::bit_width(unsigned(ranks)) - 1)));
    use.hops = std::max(ranks > 1 ? 1.0 : 0.0, all * (std::pow(double(ranks), 1 / all) - 1) / 2);
    use.rings = spanned / all;
    use.ring = 1 / all;
    use.send = 1 / (2 * all);
    use.exchange /= use.rings;
    return use;
}

} // namespace

std::string_view key(TorusWrap wrap)
{
    return nameIn(kWraps, wrap);
}

bool isValid(const Torus& torus)
{
    return !torus.axes.empty() && torus.axes.size() <= kMostTorusAxes
        && std::ranges::all_of(torus.axes, [](int size) { return size >= 1 && size <= kLongestTorusAxis; });
}

long long sizeOf(const Torus& torus)
{
    return std::accumulate(torus.axes.begin(), torus.axes.end(), 1LL, std::multiplies<long long>());
}

bool isClosed(const Torus& torus, std::size_t axis)
{
    switch (torus.wrap) {
    case TorusWrap::EveryAxis:
        return true;
    case TorusWrap::CubesOf4:
        return isOfCubes(torus.axes);
    case TorusWrap::AxesOf16:
        return torus.axes[axis] == kPodAxis;
    case TorusWrap::None:
        break;
    }
    return false;
}

std::string axesText(const std::vector<int>& axes)
{
    std::string text;
    for (const int size : axes)
        text += (text.empty() ? "" : "×") + std::to_string(size);
    return text;
}

std::optional<Torus> boxOfAll(const Torus& torus, int accelerators)
{
    const CompactBox box(torus, accelerators);
    return box.axes().empty() ? std::nullopt : std::optional(Torus{box.axes(), torus.wrap});
}

Torus slice(const Torus& torus, int accelerators)
{
    const long long all = sizeOf(torus);
    if (accelerators >= all)
        return torus;
    const int least = std::max(1, accelerators);
    Torus part = torus;
    for (int size = least; size < all; ++size)
        if (auto box = boxOfAll(torus, size)) {
            part = *std::move(box);
            break;
        }
    if (sizeOf(part) > least || torus.wrap == TorusWrap::EveryAxis)
        part.wrap = TorusWrap::None;
    return part;
}

std::array<int, kMostTorusAxes> numbersOf(const TorusBox& box)
{
    constexpr int kBitsOfSharing = 10; // of links no more than an axis has accelerators
    static_assert(1 << kBitsOfSharing == kLongestTorusAxis);
    std::array<int, kMostTorusAxes> numbers{};
    std::ranges::transform(box.axes, numbers.begin(),
        [](const AxisRun& run) { return (run.ranks << kBitsOfSharing | (run.sharing - 1)) * 2 + int(run.isClosed); });
    return numbers;
}

TorusBox boxOf(const Torus& torus, RankRun inner, RankRun outer)
{
    Placing placing(torus);
    if (placing.add(inner) && placing.add(outer))
        return placing.box();
    return lineOf(inner.size * outer.size, sharingOf(torus, inner.size > 1 ? inner.stride : outer.stride));
}

TorusBox lineOf(int ranks, int sharing)
{
    TorusBox box;
    box.axes[0] = {ranks, sharing, false};
    return box;
}

TorusBox boxOfBits(const TorusBox& box, unsigned bits)
{
    TorusBox part = box;
    for (AxisRun& run : part.axes) {
        const unsigned ranks = unsigned(std::max(1, run.ranks)), here = bits & (ranks - 1);
        const int apart = std::bit_width(here) - std::popcount(here);
        if (run.ranks > 0)
            run = {1 << std::popcount(here), here != 0 ? run.sharing << apart : 1,
                run.isClosed && (here & ranks / 2) != 0};
        bits /= ranks;
    }
    return part;
}

LinkUse switchedUse(int ranks)
{
    return {.hops = double(ranks - 1), .exchange = double(ranks - 1)};
}

LinkUse torusUse(std::size_t axes, const TorusBox& box, int ranks)
{
    if (!box.isPlaced())
        return leastUse(axes, ranks);
    const double direction = 1 / (2 * double(axes));
    LinkUse use{.rings = 0, .ring = 0, .send = direction};
    for (const AxisRun& run : box.axes) {
        if (run.ranks <= 1)
            continue;
        const double link = direction / run.sharing, ring = run.isClosed ? 2 * link : link;
        const double middle = double(run.ranks / 2) * double((run.ranks + 1) / 2) / run.ranks;
        use.hops += run.isClosed ? run.ranks / 2 : run.ranks - 1; // NOLINT(bugprone-integer-division)
        use.rings += ring;
        use.ring = std::max(use.ring, ring);
        use.send = std::min(use.send, link);
        use.exchange = std::max(use.exchange, ranks * middle / ring);
    }
    return use;
}

} // namespace stratoplan::cluster

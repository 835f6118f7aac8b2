// SPDX-License-Identifier: GPL-3.0-or-later
// The space of partitions of a linear operator, the primitive against its table in the paper, and every sequence
// carried out on small matrices with explicit sends.
#include "core/partition/linear_partition.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

using namespace stratoplan::partition;

namespace {

LinearPartition primitive(int order)
{
    return LinearPartition({{{}, order}});
}

/// The rank of a row and a column, bit by bit.
int rankAt(int row, int column, int order)
{
    const int side = 1 << order;
    row = (row + side) % side;
    column = (column + side) % side;
    int rank = 0;
    for (int bit = order - 1; bit >= 0; --bit)
        rank = rank * 4 + (row >> bit & 1) * 2 + (column >> bit & 1);
    return rank;
}

/// Matrices of whole numbers, so that sums are the same in every order.
using Matrix = std::vector<double>; // row by row
constexpr int kSide = 16; // of every dimension: every sequence of four bits divides it

struct Extent {
    int from = 0, size = 0;
};

/// A linear operator of kSide in every dimension, carried out by ranks that know only what they were given or sent.
class Group {
public:
    explicit Group(const Sequence& sequence)
        : m_partition(sequence)
    {
    }

    /// Rank by rank the block of a tensor at a moment, as something outside hands it over.
    [[nodiscard]] std::vector<Matrix> given(const Matrix& whole, Tensor tensor, Phase phase, int step) const
    {
        std::vector<Matrix> blocks;
        for (int rank = 0; rank < m_partition.ranks(); ++rank)
            blocks.push_back(cut(whole, tensor, rank, phase, step));
        return blocks;
    }

    [[nodiscard]] Matrix cut(const Matrix& whole, Tensor tensor, int rank, Phase phase, int step) const
    {
        Matrix block;
        const auto [b, rows, columns] = extents(tensor, rank, phase, step);
        for (int i = b.from; i < b.from + b.size; ++i)
            for (int r = rows.from; r < rows.from + rows.size; ++r)
                for (int c = columns.from; c < columns.from + columns.size; ++c)
                    block.push_back(whole[std::size_t((i * kSide + r) * kSide + c)]);
        return block;
    }

    /// All steps of a phase: two tensors move, the third is summed up where it is, or on its way.
    [[nodiscard]] std::vector<Matrix> run(Phase phase, std::vector<Matrix>& left, std::vector<Matrix>& right) const
    {
        const auto [first, second] = factors(phase);
        std::vector<Matrix> sums(std::size_t(m_partition.ranks()));
        for (int step = 0; step < m_partition.steps(); ++step) {
            for (int rank = 0; rank < m_partition.ranks(); ++rank)
                add(phase, left[std::size_t(rank)], right[std::size_t(rank)], sums[std::size_t(rank)]);
            if (step + 1 == m_partition.steps())
                break;
            left = sent(left, m_partition.senders(first, {phase, step}, {phase, step + 1}));
            right = sent(right, m_partition.senders(second, {phase, step}, {phase, step + 1}));
            sums = sent(sums, m_partition.senders(result(phase), {phase, step}, {phase, step + 1}));
        }
        return allReduced(sums, m_partition.reducedBits(phase));
    }

    [[nodiscard]] static std::vector<Matrix> sent(const std::vector<Matrix>& blocks, const std::vector<int>& senders)
    {
        std::vector<Matrix> arrived;
        for (const int sender : senders)
            arrived.push_back(blocks[std::size_t(sender)]);
        return arrived;
    }

    [[nodiscard]] const LinearPartition& partition() const { return m_partition; }

private:
    static std::pair<Tensor, Tensor> factors(Phase phase)
    {
        switch (phase) {
        case Phase::Forward:
            return {Tensor::Input, Tensor::Weight};
        case Phase::Backward:
            return {Tensor::Output, Tensor::Weight};
        case Phase::Gradient:
            break;
        }
        return {Tensor::Input, Tensor::Output};
    }

    [[nodiscard]] Extent extent(Dimension dimension, int rank, Phase phase, int step) const
    {
        const int size = kSide / m_partition.slices(dimension);
        return {m_partition.slice(dimension, rank, phase, step) * size, size};
    }

    [[nodiscard]] std::array<Extent, 3> extents(Tensor tensor, int rank, Phase phase, int step) const
    {
        const auto of = [&](Dimension dimension) { return extent(dimension, rank, phase, step); };
        if (tensor == Tensor::Weight)
            return {Extent{0, 1}, of(Dimension::N), of(Dimension::K)};
        return {of(Dimension::B), of(Dimension::M), of(tensor == Tensor::Input ? Dimension::N : Dimension::K)};
    }

    /// O += I W, dI += dO W^T or dW += I^T dO, of the blocks that the rank has.
    void add(Phase phase, const Matrix& x, const Matrix& y, Matrix& sum) const
    {
        const auto size = [&](Dimension dimension) { return kSide / m_partition.slices(dimension); };
        const int b = size(Dimension::B), m = size(Dimension::M), n = size(Dimension::N), k = size(Dimension::K);
        const auto at = [](auto& matrix, int i, int r, int c, int rows, int columns) -> auto&
        {
            return matrix[std::size_t((i * rows + r) * columns + c)];
        };
        sum.resize(std::size_t(result(phase) == Tensor::Weight ? n * k : b * m * (phase == Phase::Forward ? k : n)));
        for (int i = 0; i < b; ++i)
            for (int r = 0; r < m; ++r)
                for (int in = 0; in < n; ++in)
                    for (int out = 0; out < k; ++out) {
                        if (phase == Phase::Forward)
                            at(sum, i, r, out, m, k) += at(x, i, r, in, m, n) * at(y, 0, in, out, n, k);
                        else if (phase == Phase::Backward)
                            at(sum, i, r, in, m, n) += at(x, i, r, out, m, k) * at(y, 0, in, out, n, k);
                        else
                            at(sum, 0, in, out, n, k) += at(x, i, r, in, m, n) * at(y, i, r, out, m, k);
                    }
    }

    [[nodiscard]] static std::vector<Matrix> allReduced(const std::vector<Matrix>& parts, unsigned bits)
    {
        std::vector<Matrix> whole(parts.size());
        for (std::size_t rank = 0; rank < parts.size(); ++rank)
            for (std::size_t other = 0; other < parts.size(); ++other) {
                if (((rank ^ other) & ~std::size_t(bits)) != 0)
                    continue;
                whole[rank].resize(parts[other].size());
                for (std::size_t i = 0; i < parts[other].size(); ++i)
                    whole[rank][i] += parts[other][i];
            }
        return whole;
    }

    LinearPartition m_partition;
};

Matrix randomMatrix(std::mt19937& random, int batches)
{
    Matrix matrix(std::size_t(batches * kSide * kSide));
    for (double& value : matrix)
        value = double(int(random() % 17) - 8);
    return matrix;
}

} // namespace

class TestLinearPartition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spacesHaveTheirSizes()
    {
        const std::array<std::int64_t, 9> sizes{1, 4, 17, 72, 306, 1300, 5524, 23472, 99736};
        for (int bits = 0; bits < int(sizes.size()); ++bits)
            QCOMPARE(sequenceCount(bits), sizes[std::size_t(bits)]);
        for (int bits = 0; bits <= 6; ++bits) {
            const std::vector<Sequence> all = sequences(bits);
            QCOMPARE(std::int64_t(all.size()), sequenceCount(bits));
            std::set<std::string> texts;
            for (const Sequence& sequence : all) {
                QCOMPARE(stratoplan::partition::bits(sequence), bits);
                texts.insert(text(sequence));
                QVERIFY(parseSequence(text(sequence)) == sequence);
            }
            QCOMPARE(texts.size(), all.size());
        }
    }

    void whatIsNoPartIsNamed()
    {
        using enum SequenceFault::Code;
        const auto fault = [](const char* text) {
            const auto parsed = parseSequence(text);
            return parsed ? SequenceFault{TooLong, 99, "none"} : parsed.error();
        };
        QCOMPARE(fault("K,P3x3,N"), (SequenceFault{NoPart, 1, "P3x3"}));
        QCOMPARE(fault("k"), (SequenceFault{NoPart, 0, "k"}));
        QCOMPARE(fault("P2x4"), (SequenceFault{NoPart, 0, "P2x4"}));
        QCOMPARE(fault("P32x32"), (SequenceFault{NoPart, 0, "P32x32"}));
        QCOMPARE(fault("P16x16,M"), (SequenceFault{TooLong, 1, "M"}));
        QCOMPARE(fault(""), (SequenceFault{NoPart, 0, ""}));
        QCOMPARE(fault("K,"), (SequenceFault{NoPart, 1, ""}));
        QCOMPARE(fault(",K"), (SequenceFault{NoPart, 0, ""}));
        QCOMPARE(fault("K,,N"), (SequenceFault{NoPart, 1, ""}));
    }

    /// Table of the paper: who a rank of row r and column c receives from while it works on a step.
    void thePrimitiveSendsAsPublished_data()
    {
        QTest::addColumn<int>("order");
        for (const int order : {1, 2, 3})
            QTest::newRow(qPrintable(QString::number(1 << order))) << order;
    }
    void thePrimitiveSendsAsPublished()
    {
        QFETCH(const int, order);
        const LinearPartition p = primitive(order);
        const int n = 1 << order;
        const auto check = [&](Tensor tensor, LinearPartition::Moment now, LinearPartition::Moment next, int rows,
                               int columns) {
            const std::vector<int> from = p.senders(tensor, now, next);
            for (int r = 0; r < n; ++r)
                for (int c = 0; c < n; ++c)
                    QCOMPARE(from[std::size_t(rankAt(r, c, order))], rankAt(r + rows, c + columns, order));
        };
        for (int t = 0; t + 1 < n; ++t) {
            check(Tensor::Input, {Phase::Forward, t}, {Phase::Forward, t + 1}, 0, 1);
            check(Tensor::Weight, {Phase::Forward, t}, {Phase::Forward, t + 1}, 1, 0);
            check(Tensor::Output, {Phase::Backward, t}, {Phase::Backward, t + 1}, 0, 1);
            check(Tensor::Weight, {Phase::Backward, t}, {Phase::Backward, t + 1}, -1, 1);
            const bool last = t == n - 2;
            check(Tensor::Input, {Phase::Gradient, t}, {Phase::Gradient, t + 1}, 1, last ? 0 : -1);
            check(Tensor::Output, {Phase::Gradient, t}, {Phase::Gradient, t + 1}, 1, last ? 1 : 0);
            check(Tensor::Weight, {Phase::Gradient, t}, {Phase::Gradient, t + 1}, 0, last ? 1 : 0);
        }
        check(Tensor::Weight, {Phase::Backward, n - 1}, {Phase::Forward, 0}, 0, 1);
    }

    /// Of every sequence of up to six bits: what is summed over comes by once, what is made stays, and no block is held
    /// by more ranks than share its bits.
    void everySequenceCoversItsOperator()
    {
        for (int bits = 0; bits <= 6; ++bits)
            for (const Sequence& sequence : sequences(bits)) {
                const LinearPartition p(sequence);
                for (const Phase phase : kPhases) {
                    QVERIFY2(coversReduced(p, phase), text(sequence).c_str());
                    for (int step = 0; step < p.steps(); ++step)
                        for (const Tensor tensor : kTensors)
                            QVERIFY2(heldEvenly(p, tensor, phase, step), text(sequence).c_str());
                }
            }
    }

    /// What one phase ends with the next begins with: nothing moves between them.
    void phasesHandOver()
    {
        for (int bits = 0; bits <= 6; ++bits)
            for (const Sequence& sequence : sequences(bits)) {
                const LinearPartition p(sequence);
                const int last = p.steps() - 1;
                for (int rank = 0; rank < p.ranks(); ++rank) {
                    const auto same = [&](Tensor tensor, LinearPartition::Moment a, LinearPartition::Moment b) {
                        return p.block(tensor, rank, a.phase, a.step) == p.block(tensor, rank, b.phase, b.step);
                    };
                    QVERIFY(same(Tensor::Input, {Phase::Forward, last}, {Phase::Gradient, 0}));
                    QVERIFY(same(Tensor::Weight, {Phase::Forward, last}, {Phase::Backward, 0}));
                    QVERIFY(same(Tensor::Output, {Phase::Forward, last}, {Phase::Backward, 0}));
                    QVERIFY(same(Tensor::Output, {Phase::Backward, last}, {Phase::Gradient, 0}));
                    QVERIFY(same(Tensor::Weight, {Phase::Gradient, last}, {Phase::Forward, 0}));
                }
            }
    }

    /// The schedule itself: every product of every sequence on up to 16 ranks, block by block and send by send, is the
    /// plain one, in each phase.
    void everySequenceMultiplies()
    {
        std::mt19937 random(17);
        const Matrix input = randomMatrix(random, kSide), weight = randomMatrix(random, 1),
                     gradient = randomMatrix(random, kSide);
        const Group alone{Sequence{}};
        std::vector<Matrix> i{input}, w{weight}, d{gradient};
        const Matrix output = alone.run(Phase::Forward, i, w).front();
        const Matrix inputGradient = alone.run(Phase::Backward, d, w).front();
        const Matrix weightGradient = alone.run(Phase::Gradient, i, d).front();
        for (int bits = 1; bits <= 4; ++bits)
            for (const Sequence& sequence : sequences(bits)) {
                const Group group(sequence);
                const LinearPartition& p = group.partition();
                const int last = p.steps() - 1;
                std::vector<Matrix> inputs = group.given(input, Tensor::Input, Phase::Forward, 0);
                std::vector<Matrix> weights = group.given(weight, Tensor::Weight, Phase::Forward, 0);
                const std::vector<Matrix> begun = weights;
                QVERIFY2(group.run(Phase::Forward, inputs, weights)
                        == group.given(output, Tensor::Output, Phase::Forward, last),
                    text(sequence).c_str());
                std::vector<Matrix> gradients = group.given(gradient, Tensor::Output, Phase::Backward, 0);
                QVERIFY2(group.run(Phase::Backward, gradients, weights)
                        == group.given(inputGradient, Tensor::Input, Phase::Backward, last),
                    text(sequence).c_str());
                weights = Group::sent(weights, p.senders(Tensor::Weight, {Phase::Backward, last}, {Phase::Forward, 0}));
                QVERIFY2(weights == begun, text(sequence).c_str());
                QVERIFY2(group.run(Phase::Gradient, inputs, gradients)
                        == group.given(weightGradient, Tensor::Weight, Phase::Gradient, last),
                    text(sequence).c_str());
            }
    }

private:
    static bool coversReduced(const LinearPartition& p, Phase phase)
    {
        // Over the steps and the ranks that are summed up, every slice of what is reduced once for each block made.
        std::map<int, std::multiset<int>> seen;
        int slices = 1;
        for (const Dimension dimension : kDimensions)
            slices *= isReduced(dimension, phase) ? p.slices(dimension) : 1;
        for (int rank = 0; rank < p.ranks(); ++rank)
            for (int step = 0; step < p.steps(); ++step) {
                int reduced = 0;
                for (const Dimension dimension : kDimensions)
                    if (isReduced(dimension, phase))
                        reduced = reduced * p.slices(dimension) + p.slice(dimension, rank, phase, step);
                seen[p.block(result(phase), rank, phase, step)].insert(reduced);
            }
        return int(seen.size()) == p.blocks(result(phase)) && std::ranges::all_of(seen, [&](const auto& block) {
            return int(block.second.size()) == slices
                && std::set<int>(block.second.begin(), block.second.end()).size() == block.second.size();
        });
    }

    static bool heldEvenly(const LinearPartition& p, Tensor tensor, Phase phase, int step)
    {
        std::vector<int> held(std::size_t(p.blocks(tensor)));
        for (int rank = 0; rank < p.ranks(); ++rank)
            ++held[std::size_t(p.block(tensor, rank, phase, step))];
        return std::ranges::all_of(held, [&](int ranks) { return ranks == p.copies(tensor); });
    }
};

STRATOPLAN_TEST(TestLinearPartition)
#include "test_linear_partition.moc"

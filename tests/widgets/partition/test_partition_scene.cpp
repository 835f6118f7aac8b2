// SPDX-License-Identifier: GPL-3.0-or-later
// What the partition explorer says of every division of up to 16 ranks, against the division itself.
#include "core/partition/layout.h"
#include "widgets/presentation/partition_frame.h"
#include "widgets/presentation/partition_layout.h"
#include "widgets/presentation/partition_text.h"

#include <QTest>
#include <cmath>
#include <set>

using namespace stratoplan::partition;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

PartitionScene sceneOf(const char* sequence, int ranksPerDomain = 8)
{
    return PartitionScene({*parseSequence(sequence), {8, 2048, 4096, 1024}, 2, ranksPerDomain});
}

std::vector<PartitionScene> everyScene()
{
    std::vector<PartitionScene> scenes;
    for (int bits = 0; bits <= 4; ++bits)
        for (const Sequence& sequence : sequences(bits))
            scenes.emplace_back(PartitionScene::Setting{sequence, {16, 64, 128, 256}, 2, 4});
    return scenes;
}

} // namespace

class TestPartitionScene : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocksHeldAreThoseOfTheDivision();
    void sendersHoldWhatTheySend();
    void rangesCoverEachTensor();
    void groupsSumUpWhatAPhaseMakes();
    void arrowsCrossDomains();
    void blocksHaveNames();
    void framesShowBands();
    void tonesTellBlocksApart();
    void domainsAreRectangles();
    void primitivesAreRowsAndColumns();
    void bandsFillACell();
    void axesOfOtherOperators();
    void aRanksTableHasARowForEachMoment();
    void sumsAreNamedByWhatArrives();
    void summaReceivesAllButItsBlocks();
};

void TestPartitionScene::blocksHeldAreThoseOfTheDivision()
{
    int checked = 0;
    for (const PartitionScene& scene : everyScene()) {
        const LinearPartition division(scene.setting().sequence);
        QCOMPARE(scene.moments(), 3 * division.steps());
        for (int index = 0; index < scene.moments(); ++index) {
            const Moment moment = scene.momentAt(index);
            QCOMPARE(int(moment.phase) * division.steps() + moment.step, index);
            for (const Tensor tensor : kTensors) {
                for (int rank = 0; rank < scene.ranks(); ++rank, ++checked) {
                    const HeldBlock block = scene.held(tensor, rank, moment);
                    QCOMPARE(block.number, division.block(tensor, rank, moment.phase, moment.step));
                    for (const Dimension dimension : kDimensions)
                        QCOMPARE(block.slices[std::size_t(dimension)],
                            has(tensor, dimension) ? division.slice(dimension, rank, moment.phase, moment.step) : 0);
                }
            }
        }
    }
    QVERIFY(checked > 10000);
}

void TestPartitionScene::sendersHoldWhatTheySend()
{
    int checked = 0;
    for (const PartitionScene& scene : everyScene()) {
        for (int index = 0; index < scene.moments(); ++index) {
            const Moment now = scene.momentAt(index);
            for (const Transfer& transfer : scene.transfers(now)) {
                const Moment before{now.phase, now.step - 1};
                const Moment after = scene.endsPhase(now) ? Moment{Phase::Forward, 0} : Moment{now.phase, now.step + 1};
                QCOMPARE(transfer.isSum, transfer.tensor == result(now.phase));
                QCOMPARE(scene.held(transfer.tensor, transfer.from, transfer.isSum ? before : now),
                    scene.held(transfer.tensor, transfer.to, transfer.isSum ? now : after));
                QVERIFY(transfer.from != transfer.to);
                ++checked;
            }
        }
    }
    QVERIFY(checked > 1000);
}

void TestPartitionScene::rangesCoverEachTensor()
{
    for (const PartitionScene& scene : everyScene()) {
        const Moment moment = scene.momentAt(scene.moments() - 1);
        for (const Tensor tensor : kTensors) {
            std::set<int> seen;
            double elementsHeld = 0;
            for (int rank = 0; rank < scene.ranks(); ++rank) {
                const HeldBlock block = scene.held(tensor, rank, moment);
                if (!seen.insert(block.number).second)
                    continue;
                double size = 1;
                for (const Dimension dimension : kDimensions) {
                    const ElementRange range = scene.elements(block, dimension);
                    if (has(tensor, dimension))
                        size *= double(range.last - range.first + 1);
                }
                QCOMPARE(scene.blockBytes(tensor).value(), 2 * size);
                elementsHeld += size;
            }
            QCOMPARE(elementsHeld, stratoplan::partition::elements(tensor, scene.setting().size));
        }
    }
}

void TestPartitionScene::groupsSumUpWhatAPhaseMakes()
{
    for (const PartitionScene& scene : everyScene()) {
        for (int index = 0; index < scene.moments(); ++index) {
            const Moment moment = scene.momentAt(index);
            const auto groups = scene.sumGroups(moment);
            const unsigned bits = scene.division().reducedBits(moment.phase);
            QCOMPARE(groups.empty(), bits == 0 || !scene.endsPhase(moment));
            std::set<int> members;
            for (const std::vector<int>& group : groups) {
                for (const int rank : group) {
                    QVERIFY(members.insert(rank).second);
                    QCOMPARE(scene.held(result(moment.phase), rank, moment),
                        scene.held(result(moment.phase), group.front(), moment));
                }
            }
            QCOMPARE(members.size(), groups.empty() ? std::size_t(0) : std::size_t(scene.ranks()));
        }
    }
}

void TestPartitionScene::arrowsCrossDomains()
{
    int inside = 0, across = 0;
    const PartitionScene scene = sceneOf("P4x4", 4);
    for (int index = 0; index < scene.moments(); ++index) {
        for (const Transfer& transfer : scene.transfers(scene.momentAt(index))) {
            QCOMPARE(transfer.across, transfer.from / 4 != transfer.to / 4);
            ++(transfer.across ? across : inside);
        }
    }
    QVERIFY(inside > 0 && across > 0);
}

void TestPartitionScene::blocksHaveNames()
{
    const PartitionScene scene = sceneOf("K,N");
    const Moment first = scene.momentAt(0);
    const HeldBlock weight = scene.held(Tensor::Weight, 3, first);
    QCOMPARE(blockLabel(scene, weight), QStringLiteral("N1 K1"));
    QCOMPARE(shortBlockLabel(scene, weight), QStringLiteral("1,1"));
    QCOMPARE(rangesText(scene, weight), QStringLiteral("N 2,048–4,095, K 512–1,023"));
    const HeldBlock input = scene.held(Tensor::Input, 0, first);
    QCOMPARE(rangesText(scene, input), QStringLiteral("B 0–7, M 0–2,047, N 0–2,047"));
    QCOMPARE(blockLabel(sceneOf("-"), sceneOf("-").held(Tensor::Input, 0, first)), QStringLiteral("whole"));
    QCOMPARE(tensorSymbol(Tensor::Input, Phase::Backward), QStringLiteral("dI"));
    QCOMPARE(tensorSymbol(Tensor::Weight, Phase::Backward), QStringLiteral("W"));
    QCOMPARE(tensorName(Tensor::Output, Phase::Gradient), QStringLiteral("output gradient"));
    QVERIFY(momentSentence(scene, first).contains(QStringLiteral("groups of 2 ranks sum up O")));
    QCOMPARE(momentSentence(sceneOf("K"), first), QStringLiteral("Nothing has to be sent."));
    const PartitionScene ring = sceneOf("P2x2");
    QVERIFY(momentSentence(ring, {Phase::Forward, 0}).startsWith(QStringLiteral("Blocks of I and W move on")));
    QVERIFY(momentSentence(ring, {Phase::Backward, 1}).contains(QStringLiteral("go back")));
}

void TestPartitionScene::framesShowBands()
{
    const PartitionScene scene = sceneOf("B,P2x2", 4);
    const GroupLook group{3, columnBits({scene.setting().sequence}, 3), 4};
    const PartitionFrame all = partitionFrame(scene, group, {Phase::Forward, 0}, std::nullopt);
    QCOMPARE(all.ranks.size(), std::size_t(8));
    for (const auto& bands : all.ranks)
        QCOMPARE(bands.size(), std::size_t(3));
    QCOMPARE(all.arrows.size(), scene.transfers({Phase::Forward, 0}).size());
    const PartitionFrame weight = partitionFrame(scene, group, {Phase::Forward, 0}, Tensor::Weight);
    QCOMPARE(weight.ranks.front().size(), std::size_t(1));
    QVERIFY(!weight.arrows.empty() && weight.arrows.size() < all.arrows.size());
    QCOMPARE(weight.ranks[0].front().block, weight.ranks[4].front().block); // the bit of B holds copies
    QVERIFY(weight.sumGroups.empty());
    const PartitionFrame end = partitionFrame(scene, group, {Phase::Gradient, 1}, Tensor::Weight);
    QCOMPARE(end.sumGroups.size(), std::size_t(4));
    QCOMPARE(end.summed, QStringLiteral("dW"));
    QVERIFY(partitionFrame(scene, group, {Phase::Gradient, 1}, Tensor::Input).sumGroups.empty());
}

void TestPartitionScene::tonesTellBlocksApart()
{
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
        for (int columns = 1; columns <= 64; columns *= 2) {
            for (int rows = 1; rows * columns <= 64; rows *= 2) {
                std::set<QRgb> seen;
                for (int block = 0; block < columns * rows; ++block) {
                    const QColor fill = blockColour(blockTone(block / rows, columns, block % rows, rows), theme);
                    seen.insert(fill.rgb());
                    QVERIFY(contrastRatio(tokens(theme).label(fill), fill) >= 4.5);
                }
                QCOMPARE(int(seen.size()), columns * rows);
            }
        }
    }
}

void TestPartitionScene::domainsAreRectangles()
{
    for (int bits = 0; bits <= 6; ++bits) {
        for (const int domain : {1, 2, 4, 6, 8, 16, 64}) {
            for (const unsigned columns : {columnBits({}, bits), columnBits({{{Dimension::B, 1}}}, bits)}) {
                const PartitionLayout layout(bits, columns, domain, 14, QRectF(10, 10, 640, 400));
                QCOMPARE(layout.ranks(), 1 << bits);
                for (int rank = 0; rank < layout.ranks(); ++rank) {
                    QVERIFY(QRectF(10, 10, 640, 400).contains(layout.cell(rank)));
                    QCOMPARE(layout.rankAt(layout.cell(rank).center()), std::optional(rank));
                    for (std::size_t d = 0; d < layout.plates().size(); ++d)
                        QCOMPARE(layout.plates()[d].intersects(layout.cell(rank)), int(d) == rank / domain);
                }
                for (std::size_t d = 1; d < layout.plates().size(); ++d)
                    QVERIFY(!layout.plates()[d].intersects(layout.plates()[d - 1]));
            }
        }
    }
}

void TestPartitionScene::primitivesAreRowsAndColumns()
{
    const PartitionScene scene = sceneOf("P4x4");
    const PartitionLayout layout(4, columnBits({scene.setting().sequence}, 4), 8, 14, QRectF(0, 0, 600, 400));
    for (int rank = 0; rank < 16; ++rank) {
        const HeldBlock output = scene.held(Tensor::Output, rank, {Phase::Forward, 0});
        QCOMPARE(output.slices[std::size_t(Dimension::M)], layout.row(rank));
        QCOMPARE(output.slices[std::size_t(Dimension::K)], layout.column(rank));
    }
    QCOMPARE(layout.column(layout.beside(0, 1, 0)), 1);
    QCOMPARE(layout.row(layout.beside(0, 0, 1)), 1);
    QCOMPARE(layout.beside(0, -1, 0), 0);
}

void TestPartitionScene::bandsFillACell()
{
    const QSizeF number(20, 12);
    for (const QRectF& cell : {QRectF(5, 5, 100, 90), QRectF(5, 5, 80, 40), QRectF(5, 5, 80, 22)}) {
        double area = 0;
        for (int band = 0; band < 3; ++band) {
            const QRectF rect = bandRect(cell, number, band, 3);
            QVERIFY(cell.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(rect));
            QVERIFY(!rect.adjusted(1e-9, 1e-9, 0, 0).intersects(numberRect(cell, number)));
            area += rect.width() * rect.height();
        }
        const QRectF numbered = numberRect(cell, number);
        area += numbered.width() * numbered.height();
        QVERIFY(std::abs(area - cell.width() * cell.height()) < 1e-6);
    }
    QVERIFY(bandRect({0, 0, 100, 90}, number, 1, 3).top() > bandRect({0, 0, 100, 90}, number, 0, 3).top());
    QVERIFY(bandRect({0, 0, 80, 40}, number, 1, 3).left() > bandRect({0, 0, 80, 40}, number, 0, 3).left());
    QCOMPARE(numberRect({0, 0, 80, 40}, number).width(), 80.0); // above
    QCOMPARE(numberRect({0, 0, 80, 22}, number).height(), 22.0); // before
}

void TestPartitionScene::axesOfOtherOperators()
{
    const std::vector<AxisSlice> expected{{u'B', 1, 2}, {u'M', 2, 4}};
    QCOMPARE(axisSlices(QStringLiteral("B,M,M"), 6), expected);
    QVERIFY(axisSlices(QStringLiteral("-,-"), 3).empty());
    const PartitionFrame frame = axesFrame(QStringLiteral("B,-,H"), {3, columnBits({}, 3), 4});
    QCOMPARE(frame.ranks[5].front().label, QStringLiteral("B1 H1"));
    QCOMPARE(frame.ranks[5].front().block, frame.ranks[7].front().block);
    QVERIFY(frame.ranks[5].front().block != frame.ranks[1].front().block);
    QVERIFY(frame.arrows.empty());
    QVERIFY(frame.tips[5].contains(QStringLiteral("batch: part 2 of 2")));
    for (const QString& axes : {QStringLiteral("B,M,K,K"), QStringLiteral("K,B,K,B"), QStringLiteral("M,K,-,-")}) {
        Layout layout{4};
        for (int i = 0; i < 4; ++i)
            if (const QChar axis = axes[2 * i]; axis != u'-')
                layout.digits[std::size_t(QStringLiteral("BMK").indexOf(axis))].append(3 - i);
        for (int rank = 0; rank < 16; ++rank)
            for (const AxisSlice& slice : axisSlices(axes, rank))
                QCOMPARE(slice.slice, layout.slice(Axis(QStringLiteral("BMK").indexOf(slice.axis)), rank));
    }
}

void TestPartitionScene::aRanksTableHasARowForEachMoment()
{
    const PartitionScene scene = sceneOf("P2x2");
    const ChartTable table = rankTable(scene, 1);
    QCOMPARE(table.rows.size(), qsizetype(6));
    for (int index = 0; index < scene.moments(); ++index) {
        const QStringList& row = table.rows[index];
        QCOMPARE(row.size(), table.columns.size());
        QCOMPARE(row[3], rangesText(scene, scene.held(Tensor::Weight, 1, scene.momentAt(index))));
    }
    QCOMPARE(table.rows[0][3], QStringLiteral("N 2,048–4,095, K 512–1,023"));
    QVERIFY(table.rows[0][5].contains(QStringLiteral("to rank")));
    QVERIFY(rankTip(scene, {Phase::Forward, 0}, 1).contains(QStringLiteral("from rank")));
}

void TestPartitionScene::sumsAreNamedByWhatArrives()
{
    const PartitionScene scene = sceneOf("P2x2");
    const Moment last{Phase::Gradient, 1};
    int sums = 0;
    for (const Transfer& transfer : scene.transfers(last)) {
        if (!transfer.isSum)
            continue;
        ++sums;
        const QString block = blockLabel(scene, scene.held(transfer.tensor, transfer.to, last)); // it is added to now
        QVERIFY(rankTip(scene, last, transfer.to)
                    .contains(QStringLiteral("Receives dW %1 from rank %2").arg(block).arg(transfer.from)));
        QVERIFY(rankTip(scene, last, transfer.from)
                    .contains(QStringLiteral("Sends dW %1 to rank %2").arg(block).arg(transfer.to)));
    }
    QCOMPARE(sums, 4);
}

void TestPartitionScene::summaReceivesAllButItsBlocks()
{
    QCOMPARE(summaBytes(1, Bytes(64), Bytes(64)).value(), 0.0);
    for (const int side : {2, 4, 8}) {
        // Every rank counts its row's blocks of the first operand and its column's of the second, without its own.
        const double first = 4096, second = 1024, blocks = side * side;
        double received = 0;
        for (int step = 1; step < side; ++step)
            received += first / blocks + second / blocks;
        QCOMPARE(summaBytes(side, Bytes(first), Bytes(second)).value(), received);
    }
}

QTEST_MAIN(TestPartitionScene)
#include "test_partition_scene.moc"

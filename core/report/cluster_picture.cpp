// SPDX-License-Identifier: Apache-2.0
// The cluster from the top of its network down: switches tier by tier, cables, and below them the groups of nodes with
// their accelerators, coloured and numbered by the pipeline stage that runs there.
#include "core/cluster/accelerator_runs.h"
#include "core/cluster/drawing.h"
#include "core/parallel/rank_places.h"
#include "core/report/figures.h"
#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stratoplan::report {
namespace {

constexpr std::size_t kMostGroups = 32; ///< that are drawn
constexpr std::size_t kLabelledCables = 6; ///< connections that are named in the picture
constexpr double kSwitchHeight = 26, kTierGap = 46, kTitle = 34, kMargin = 8;
constexpr int kMostHues = 8;
constexpr Rgb kIdle = 0xd3d7dc, kNode = 0xe8ecf1;

/// Told apart by those who see fewer colours, too (Okabe and Ito, "Color Universal Design", 2008).
constexpr std::array<Rgb, kMostHues> kHues{
    0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0x8b95a1};
/// A scale whose lightness rises all the way (viridis).
constexpr std::array<Rgb, 5> kRamp{0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725};

Rgb colourOfStage(int stage, int stages)
{
    if (stages <= kMostHues)
        return kHues[std::size_t(stage)];
    const double at = double(stage) / (stages - 1) * double(kRamp.size() - 1);
    const std::size_t low = std::min(std::size_t(at), kRamp.size() - 2);
    return blended(kRamp[low], kRamp[low + 1], at - double(low));
}

/// A group of nodes on the picture.
struct GroupFrame {
    const cluster::NodeGroup* group = nullptr;
    int first = 0; ///< rank of its first accelerator
    Frame frame;
    double cell = 0; ///< side of a node
    int nodesOfCell = 1;
    [[nodiscard]] int cells() const { return (group->count + nodesOfCell - 1) / nodesOfCell; }
    [[nodiscard]] int columns() const { return std::max(1, int((frame.width - 2 * kMargin) / cell)); }
    [[nodiscard]] int rows() const { return (cells() + columns() - 1) / columns(); }
};

/// The largest cells that all have room.
void sizeCells(GroupFrame& place, double height)
{
    constexpr double kLargest = 32, kSmallest = 4;
    for (place.nodesOfCell = 1;; place.nodesOfCell *= 2)
        for (place.cell = kLargest; place.cell >= kSmallest; --place.cell)
            if (place.rows() * place.cell <= height)
                return;
}

std::vector<double> widthsOf(const std::vector<GroupFrame>& groups, std::size_t perRow)
{
    constexpr double kGap = 10;
    const double room = kPictureWidth - kGap * double(perRow - 1);
    if (groups.size() > perRow)
        return std::vector<double>(groups.size(), room / double(perRow));
    double total = 0;
    for (const GroupFrame& place : groups)
        total += std::sqrt(double(std::max(1, place.group->count)));
    std::vector<double> widths;
    double sum = 0;
    for (const GroupFrame& place : groups)
        sum += widths.emplace_back(std::max(0.22, std::sqrt(double(std::max(1, place.group->count))) / total));
    for (double& width : widths)
        width *= room / sum;
    return widths;
}

/// Rows of frames from `top` on; the y below them.
double placeGroups(std::vector<GroupFrame>& groups, double top)
{
    constexpr double kGap = 10;
    const std::size_t n = groups.size();
    const std::size_t perRow = n <= 4 ? n : n <= 16 ? 4 : 8;
    const double height = n <= perRow ? 170 : n <= 2 * perRow ? 100 : 56;
    const std::vector<double> widths = widthsOf(groups, perRow);
    double x = 0, lowest = top;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && i % perRow == 0) {
            top = lowest + kGap;
            x = 0;
        }
        groups[i].frame = {x, top, widths[i], 0};
        sizeCells(groups[i], height);
        groups[i].frame.height = kTitle + groups[i].rows() * groups[i].cell + kMargin;
        lowest = std::max(lowest, groups[i].frame.bottom());
        x += widths[i] + kGap;
    }
    return lowest;
}

/// Accelerators of one colour are one shape.
using BoxesByColour = std::map<Rgb, Boxes>;

void addTo(BoxesByColour& boxes, Rgb fill, const Frame& frame)
{
    Boxes& same = boxes[fill];
    same.fill = fill;
    same.frames.push_back(frame);
}

class NodePainter {
public:
    NodePainter(Picture& picture, const parallel::Strategy& strategy)
        : m_picture(picture)
        , m_places(strategy, parallel::RankGroup::Pipeline)
        , m_ranks(rankCount(strategy))
        , m_stages(strategy.pp)
    {
    }

    void paint(const GroupFrame& place)
    {
        const cluster::NodeGroup& group = *place.group;
        addFrame(m_picture, place.frame, 0xf8f9fb, kLine, 4);
        const double room = place.frame.width - 2 * kMargin;
        addText(m_picture, {place.frame.x + kMargin, place.frame.y + 15},
            fitted(filled("{name} × {count}", {{"name", {group.name}}, {"count", numberWord(group.count)}}), room),
            Anchor::Start, kLetter, kInk, true);
        addText(m_picture, {place.frame.x + kMargin, place.frame.y + 28},
            fitted(filled("{count} × {accelerator}, {link}",
                       {{"count", numberWord(group.acceleratorsPerNode)}, {"accelerator", {group.accelerator.name}},
                           {"link", {group.scaleUp.name}}}),
                room, kLetter - 1),
            Anchor::Start, kLetter - 1, kQuiet);
        for (int cell = 0; cell < place.cells(); ++cell)
            paintCell(place, cell);
    }

    void finish()
    {
        for (BoxesByColour* const list : {&m_nodes, &m_boxes}) // accelerators over their nodes
            for (auto& [fill, boxes] : *list)
                m_picture.add(std::move(boxes));
        for (Label& label : m_labels)
            m_picture.add(std::move(label));
    }

    [[nodiscard]] bool hasIdle() const { return m_hasIdle; }
    [[nodiscard]] int stages() const { return m_stages; }

private:
    [[nodiscard]] int stageOf(int rank) const { return rank < m_ranks ? m_places.placeOf(rank) : -1; }

    void paintCell(const GroupFrame& place, int cell)
    {
        const int perNode = std::max(1, place.group->acceleratorsPerNode);
        const int first = place.first + cell * place.nodesOfCell * perNode;
        const double side = place.cell;
        const Frame box{place.frame.x + kMargin + (cell % place.columns()) * side,
            place.frame.y + kTitle + (cell / place.columns()) * side, side - 2, side - 2};
        const bool opens = side >= 12 && place.nodesOfCell == 1 && perNode <= 16;
        if (!opens)
            return paintBox(box, stageOf(first));
        addTo(m_nodes, kNode, box);
        const int columns = perNode <= 4 ? std::min(perNode, 2) : 4;
        const int rows = (perNode + columns - 1) / columns;
        const bool hasNumber = side >= 19;
        const double height = box.height - 2 - (hasNumber ? side * 0.36 : 0);
        bool isAlike = true;
        for (int i = 0; i < perNode; ++i) {
            const double width = (box.width - 2) / columns, tall = height / rows;
            paintBox({box.x + 1 + (i % columns) * width + 0.4, box.y + 1 + (i / columns) * tall + 0.4, width - 0.8,
                         tall - 0.8},
                stageOf(first + i));
            isAlike = isAlike && stageOf(first + i) == stageOf(first);
        }
        if (hasNumber)
            addNumber(box, first, first + perNode - 1, isAlike);
    }

    void addNumber(const Frame& box, int first, int last, bool isAlike)
    {
        const int low = stageOf(first), high = stageOf(last);
        std::string text = low < 0 ? "–" : std::to_string(low);
        if (!isAlike)
            text += "–" + (high < 0 ? std::string() : std::to_string(high));
        m_labels.push_back({{box.x + box.width / 2, box.bottom() - 1.8}, std::move(text), Anchor::Middle,
            std::min(9.0, box.height * 0.36), kQuiet, false, false});
    }

    void paintBox(const Frame& frame, int stage)
    {
        m_hasIdle = m_hasIdle || stage < 0;
        addTo(m_boxes, stage < 0 ? kIdle : colourOfStage(stage, m_stages), frame);
    }

    Picture& m_picture;
    parallel::GroupPlaces m_places;
    int m_ranks, m_stages;
    bool m_hasIdle = false;
    BoxesByColour m_nodes, m_boxes;
    std::vector<Label> m_labels;
};

/// Switches and where they are.
using SwitchFrames = std::map<std::string, Frame>;

SwitchFrames placeSwitches(const cluster::Cluster& cluster, double& y)
{
    SwitchFrames frames;
    for (const cluster::SwitchTier tier :
        {cluster::SwitchTier::Core, cluster::SwitchTier::Spine, cluster::SwitchTier::Leaf}) {
        std::vector<const cluster::SwitchGroup*> groups;
        for (const cluster::SwitchGroup& group : cluster.switches)
            if (group.tier == tier)
                groups.push_back(&group);
        if (groups.empty())
            continue;
        const double pitch = kPictureWidth / double(groups.size());
        const double width = std::min(pitch - 8, 230.0);
        for (std::size_t i = 0; i < groups.size(); ++i)
            frames[groups[i]->id] = {pitch * (double(i) + 0.5) - width / 2, y, width, kSwitchHeight};
        y += kSwitchHeight + kTierGap;
    }
    return frames;
}

double cableWidth(const cluster::Connection& connection)
{
    const double rate = connection.link.bandwidth.value() * connection.cables / 1e9; // GB/s
    return std::clamp(std::log2(std::max(rate, 2.0)) * 0.45, 1.0, 7.0);
}

/// Both ends, the upper one first.
std::pair<Point, Point> endsOf(const Frame& a, const Frame& b)
{
    const Frame& upper = a.y < b.y ? a : b;
    const Frame& lower = a.y < b.y ? b : a;
    // Straight down where one stands above the other.
    const double left = std::max(upper.x, lower.x), right = std::min(upper.right(), lower.right());
    if (left < right)
        return {{(left + right) / 2, upper.bottom()}, {(left + right) / 2, lower.y}};
    return {{upper.x + upper.width / 2, upper.bottom()}, {lower.x + lower.width / 2, lower.y}};
}

void addTag(Picture& picture, Point middle, const std::string& text)
{
    const std::string shown = fitted(text, kPictureWidth - 8, kLetter - 1);
    const double width = textWidth(shown, kLetter - 1) + 8;
    const double x = std::clamp(middle.x - width / 2, 0.0, std::max(0.0, kPictureWidth - width));
    addBox(picture, {x, middle.y - 8, width, 16}, kPaper);
    addText(picture, {x + width / 2, middle.y + 3.5}, shown, Anchor::Middle, kLetter - 1, kQuiet);
}

void addCables(Picture& picture, const cluster::Cluster& cluster, const std::map<std::string, Frame>& frames)
{
    std::vector<std::pair<Point, std::string>> tags;
    for (const cluster::Connection& connection : cluster.connections) {
        const auto from = frames.find(connection.from), to = frames.find(connection.to);
        if (from == frames.end() || to == frames.end() || connection.cables <= 0)
            continue;
        const auto [above, below] = endsOf(from->second, to->second);
        addLine(picture, above, below, 0x8b95a1, cableWidth(connection));
        tags.push_back({{(above.x + below.x) / 2, (above.y + below.y) / 2},
            filled(
                "{cables} × {link}", {{"cables", numberWord(connection.cables)}, {"link", {connection.link.name}}})});
    }
    if (tags.size() <= kLabelledCables)
        for (const auto& [middle, text] : tags)
            addTag(picture, middle, text);
}

/// Where nobody drew a network: what estimates then take for it.
void addAssumedNetwork(Picture& picture, const std::vector<GroupFrame>& groups, double top)
{
    addFrame(picture, {0, top, kPictureWidth, kSwitchHeight}, kFaint, kLine);
    addText(picture, {kPictureWidth / 2, top + 17}, "Network that blocks nothing, as none is drawn", Anchor::Middle,
        kLetter, kInk, true);
    for (const GroupFrame& place : groups) {
        const double x = place.frame.x + place.frame.width / 2;
        addLine(picture, {x, top + kSwitchHeight}, {x, place.frame.y}, 0x8b95a1, 3);
        const std::string text = filled("{count} × {nic} a node",
            {{"count", numberWord(place.group->nicsPerNode)}, {"nic", {place.group->nic.name}}});
        addTag(
            picture, {x, (top + kSwitchHeight + place.frame.y) / 2}, fitted(text, place.frame.width - 12, kLetter - 1));
    }
}

std::vector<LegendItem> stageLegend(int stages, bool hasIdle)
{
    std::vector<LegendItem> items;
    const int step = stages <= kMostHues ? 1 : std::max(1, (stages - 1) / 5);
    for (int stage = 0; stage < stages; stage += step)
        items.push_back(
            {filled("Stage {stage}", {{"stage", numberWord(stage)}}), colourOfStage(stage, stages), Pattern::Solid});
    if (hasIdle)
        items.push_back({"Idle", kIdle, Pattern::Solid});
    return items;
}

std::vector<GroupFrame> groupsOf(const cluster::Cluster& cluster)
{
    std::vector<GroupFrame> groups;
    const std::vector<cluster::AcceleratorRun> runs = acceleratorRuns(cluster);
    for (std::size_t i = 0; i < cluster.nodes.size() && groups.size() < kMostGroups; ++i)
        if (takesPart(cluster.nodes[i]))
            groups.push_back({&cluster.nodes[i], runs[i].first, {}, 0, 1});
    return groups;
}

} // namespace

Picture clusterPicture(const plan::Plan& plan)
{
    Picture picture;
    picture.title = filled("The cluster, {accelerators}, coloured by pipeline stage",
        {{"accelerators", {countedAccelerators(acceleratorCount(plan.cluster))}}});
    std::vector<GroupFrame> groups = groupsOf(plan.cluster);
    if (groups.empty())
        return picture;
    double y = 2;
    std::map<std::string, Frame> frames = placeSwitches(plan.cluster, y);
    const bool isDrawn = !frames.empty();
    const bool needsNetwork = !isDrawn && nodeCount(plan.cluster) > 1;
    if (needsNetwork)
        y += kSwitchHeight + kTierGap;
    const double bottom = placeGroups(groups, y);
    const SwitchFrames switches = frames;
    for (const GroupFrame& place : groups)
        frames[place.group->id] = place.frame;
    addCables(picture, plan.cluster, frames);
    if (needsNetwork)
        addAssumedNetwork(picture, groups, 2);
    for (const cluster::SwitchGroup& group : plan.cluster.switches) {
        const Frame& frame = switches.at(group.id);
        addFrame(picture, frame, kFaint, 0x8b95a1);
        addText(picture, {frame.x + frame.width / 2, frame.y + 17},
            fitted(filled("{name} × {count}", {{"name", {group.name}}, {"count", numberWord(group.count)}}),
                frame.width - 10),
            Anchor::Middle, kLetter, kInk, true);
    }
    NodePainter painter(picture, plan.strategy);
    for (const GroupFrame& place : groups)
        painter.paint(place);
    painter.finish();
    picture.height = addLegend(picture, stageLegend(painter.stages(), painter.hasIdle()), 0, bottom + 12);
    return picture;
}

} // namespace stratoplan::report

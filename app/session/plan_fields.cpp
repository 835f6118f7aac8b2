// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plan_fields.h"

#include "core/units/format.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <set>

namespace stratoplan {

namespace {

QString number(qint64 value)
{
    return QLocale(QLocale::English).toString(value);
}

QString decimal(double value)
{
    return text(formatNumber(value));
}

QString onOff(bool on)
{
    return on ? tr("on") : tr("off");
}

/// The distinct values over the node groups: "A100 SXM 80 GB" or "A100 SXM 80 GB, H100 SXM".
template <class Get>
QString ofNodes(const Cluster& cluster, Get get)
{
    QStringList values;
    for (const NodeGroup& group : cluster.nodes) {
        const QString value = get(group);
        if (!values.contains(value))
            values << value;
    }
    return values.join(QStringLiteral(", "));
}

/// Fields of one part, one after the other.
class Lines {
public:
    Lines(std::vector<PlanField>& fields, PlanPart part)
        : m_fields(fields)
        , m_part(part)
    {
    }

    void add(const QString& label, const QString& value, bool usual = false)
    {
        m_fields.push_back({m_part, label, value, usual});
    }
    void add(const QString& label, int value) { add(label, number(value)); }
    /// Where `usual` is what most plans have.
    void addUnless(int usual, const QString& label, int value) { add(label, number(value), value == usual); }
    void addSwitch(const QString& label, bool on) { add(label, onOff(on), !on); }
    /// Nothing stands for what all have in common.
    template <class Values, class TextOf>
    void addList(const QString& label, const Values& values, const QString& none, TextOf textOf)
    {
        QStringList texts;
        for (const auto value : values)
            texts << textOf(value);
        add(label, texts.isEmpty() ? none : texts.join(u' '), texts.isEmpty());
    }

private:
    std::vector<PlanField>& m_fields;
    PlanPart m_part;
};

QString slidingWindowText(const Transformer& m)
{
    if (!m.slidingWindow)
        return tr("none");
    const QString tokens = tr("%1 tokens").arg(number(*m.slidingWindow));
    return m.slidingWindowInterval > 1
        ? tr("%1, all of them in 1 of %2 layers").arg(tokens).arg(m.slidingWindowInterval)
        : tokens;
}

QString latentText(const Transformer& m)
{
    if (!m.mla)
        return tr("none");
    const LatentAttention& a = *m.mla;
    const QString queries = a.queryRank > 0 ? tr("queries of rank %1").arg(number(a.queryRank)) : tr("queries in full");
    return tr("%1, keys and values of rank %2, head %3 + %4 rotary, value %5")
        .arg(queries, number(a.kvRank), number(a.nopeHeadDim), number(a.ropeHeadDim), number(a.valueHeadDim));
}

QString positionText(Position position)
{
    switch (position) {
    case Position::Learned:
        return tr("learned");
    case Position::Rotary:
        return tr("rotary");
    case Position::Alibi:
        break;
    }
    return tr("ALiBi");
}

void addExperts(Lines& lines, const std::optional<MixtureOfExperts>& moe)
{
    const MixtureOfExperts e = moe.value_or(MixtureOfExperts{});
    const auto add = [&](const QString& label, const QString& value, bool usual) {
        lines.add(label, moe ? value : tr("none"), !moe || usual);
    };
    add(tr("Experts"), tr("%1, top %2").arg(number(e.experts), number(e.topK)), false);
    add(tr("Expert width"), number(e.expertFfn), false);
    const QString shared = e.sharedExpertFfn > 0
        ? tr("%1 of width %2").arg(number(e.sharedExperts), number(e.sharedExpertFfn))
        : number(e.sharedExperts);
    add(tr("Shared experts"), e.sharedExperts > 0 ? shared : tr("none"), e.sharedExperts == 0);
    add(tr("Dense layers first"), number(e.leadingDenseLayers), e.leadingDenseLayers == 0);
    add(tr("Expert layers"), e.layerInterval > 1 ? tr("1 of %1").arg(e.layerInterval) : tr("all others"),
        e.layerInterval == 1);
    add(tr("Capacity factor"), e.capacityFactor > 0 ? decimal(e.capacityFactor) : tr("dropless"),
        e.capacityFactor <= 0);
    add(tr("Busiest expert rank"), tr("%1 × the mean").arg(decimal(e.imbalance)), e.imbalance == 1);
    add(tr("Router bias"), onOff(e.routerBias), !e.routerBias);
}

void addModel(std::vector<PlanField>& fields, const Transformer& m)
{
    Lines lines(fields, PlanPart::Model);
    lines.add(tr("Model"), text(m.name));
    lines.add(tr("Layers"), m.layers);
    lines.add(tr("Hidden"), m.hidden);
    lines.add(tr("FFN width"), m.ffnHidden);
    lines.add(tr("Heads"), m.heads);
    lines.addUnless(m.heads, tr("KV heads"), m.kvHeads);
    lines.add(tr("Head size"), m.headDim);
    lines.add(tr("Latent attention"), latentText(m), !m.mla);
    lines.add(tr("Sliding window"), slidingWindowText(m), !m.slidingWindow);
    lines.add(tr("Vocabulary"), m.vocabulary);
    const bool hasTable = m.position == Position::Learned && m.maxPositions > 0;
    lines.add(tr("Positions"),
        hasTable ? tr("%1, %2").arg(positionText(m.position), number(m.maxPositions)) : positionText(m.position));
    lines.add(tr("Norm"), m.norm == Norm::Layer ? tr("LayerNorm") : tr("RMSNorm"));
    lines.add(tr("Biases"),
        m.linearBias    ? tr("on all linear layers")
            : m.qkvBias ? tr("on QKV")
                        : tr("none"),
        !m.linearBias && !m.qkvBias);
    lines.addSwitch(tr("Norm of queries and keys"), m.qkNorm);
    lines.addSwitch(tr("Norm of the embedding"), m.embeddingNorm);
    lines.addSwitch(tr("Parallel block"), m.parallelBlock);
    lines.addSwitch(tr("Dropout"), m.dropout);
    lines.addUnless(0, tr("Prediction modules"), m.multiTokenPredictionDepth);
    lines.addSwitch(tr("Gated MLP"), m.gatedMlp);
    lines.addSwitch(tr("Tied embeddings"), m.tiedEmbeddings);
    addExperts(lines, m.moe);
}

void addCluster(std::vector<PlanField>& fields, const Cluster& c)
{
    Lines lines(fields, PlanPart::Cluster);
    lines.add(tr("Accelerators"), acceleratorCount(c));
    lines.add(tr("Accelerator"), ofNodes(c, [](const NodeGroup& g) { return text(g.accelerator.name); }));
    lines.add(tr("Per node"), ofNodes(c, [](const NodeGroup& g) { return number(g.acceleratorsPerNode); }));
    lines.add(tr("In node"),
        ofNodes(c, [](const NodeGroup& g) { return text(g.scaleUp.name + ", " + format(g.scaleUp.bandwidth)); }));
    lines.add(tr("Domain"), ofNodes(c, [](const NodeGroup& g) { return number(g.scaleUpDomain); }));
    lines.add(tr("Between nodes"), ofNodes(c, [](const NodeGroup& g) {
        return QStringLiteral("%1 × %2").arg(g.nicsPerNode).arg(text(g.nic.name + ", " + format(g.nic.bandwidth)));
    }));
    const bool noHost =
        std::all_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroup& g) { return g.hostLink.value() <= 0; });
    lines.add(tr("Host"),
        ofNodes(c,
            [](const NodeGroup& g) {
                const std::string stated =
                    format(g.hostMemory) + ", " + format(g.hostMemoryBandwidth) + ", " + format(g.hostLink);
                return g.hostLink.value() > 0 ? text(stated) : tr("not stated");
            }),
        noHost);
    lines.add(tr("Leaf uplinks"), text(formatShare(leafUplinkShare(c))), leafUplinkShare(c) >= 1);
}

void addTraining(std::vector<PlanField>& fields, const Training& t)
{
    Lines lines(fields, PlanPart::Training);
    lines.add(tr("Global batch"), tr("%1 sequences").arg(number(t.globalBatch)));
    lines.add(tr("Sequence"), tr("%1 tokens").arg(number(t.sequenceLength)));
    lines.add(tr("Documents"), tr("%1 tokens").arg(number(attentionLength(t))), attentionLength(t) == t.sequenceLength);
    lines.add(tr("Precision"), text(key(t.precision)));
    lines.add(tr("FP32 gradients"), onOff(t.fp32Gradients));
    const int version = flashVersion(t.attention);
    lines.add(tr("Attention"),
        version > 0                ? tr("FlashAttention %1").arg(version)
            : isFlash(t.attention) ? tr("flash")
                                   : tr("unfused"));
    lines.add(tr("Software"), text(t.software.name));
}

void addDegrees(Lines& lines, const Strategy& s)
{
    lines.add(tr("TP"), s.tp);
    lines.add(tr("PP"), s.pp);
    lines.add(tr("DP"), s.dp);
    const bool isRing = s.contextMethod == ContextMethod::Ring;
    lines.add(tr("CP"), isRing ? number(s.cp) : tr("%1, %2").arg(number(s.cp), text(key(s.contextMethod))), s.cp == 1);
    lines.addUnless(1, tr("EP"), s.ep);
    lines.addUnless(1, tr("ETP"), s.etp);
    lines.addUnless(1, tr("Virtual stages"), s.vpp);
    lines.add(tr("Micro-batch"), s.microBatch);
    const QString zero =
        s.zeroShards > 0 ? tr("%1 over %2").arg(number(s.zeroStage), number(s.zeroShards)) : number(s.zeroStage);
    lines.add(tr("ZeRO"), zero, s.zeroStage == 0);
    lines.addSwitch(tr("Sequence parallelism"), s.sequenceParallel);
}

void addStrategy(std::vector<PlanField>& fields, const Strategy& s)
{
    Lines lines(fields, PlanPart::Strategy);
    addDegrees(lines, s);
    lines.add(tr("Recomputation"), text(key(s.recompute)));
    lines.add(tr("Schedule"), text(key(s.schedule)), s.pp == 1);
    const bool limits = s.schedule == Schedule::ZbAuto; // no other schedule knows a limit
    lines.add(tr("In-flight limit"),
        !limits                   ? tr("none")
            : s.inFlightLimit > 0 ? number(s.inFlightLimit)
                                  : tr("by memory"),
        !limits);
    for (const Dimension id : dimensionsOfFiles())
        if (const DimensionRow& row = dimension(id); !row.brief.empty())
            lines.add(tr(wordsOf(id).name), text(valueText(row, s)), isUsual(row, s));
    const auto numberOf = [](int n) { return number(n); };
    lines.addList(tr("Layers per stage"), s.stageLayers, tr("even"), numberOf);
    lines.addList(
        tr("Recomputation per stage"), s.stageRecompute, tr("alike"), [](Recompute kind) { return text(key(kind)); });
    lines.addList(tr("Layers recomputed in full"), s.recomputedLayers, tr("alike"), numberOf);
    lines.addList(tr("TP per stage"), s.stageTp, tr("alike"), numberOf);
    const DimensionRow& order = dimension(Dimension::OrderOfRanks);
    lines.add(tr("Rank order"), text(valueText(order, s)), isUsual(order, s));
}

} // namespace

QString planPartText(PlanPart part)
{
    switch (part) {
    case PlanPart::Model:
        return tr("Model");
    case PlanPart::Cluster:
        return tr("Cluster");
    case PlanPart::Training:
        return tr("Training");
    case PlanPart::Strategy:
        break;
    }
    return tr("Strategy");
}

std::vector<PlanField> planFields(const Plan& plan)
{
    std::vector<PlanField> fields;
    addModel(fields, plan.model);
    addCluster(fields, plan.cluster);
    addTraining(fields, plan.training);
    addStrategy(fields, plan.strategy);
    return fields;
}

std::vector<std::size_t> differingFields(const std::vector<const Plan*>& plans)
{
    std::set<std::size_t> differing;
    std::vector<PlanField> first;
    for (const Plan* plan : plans) {
        std::vector<PlanField> fields = planFields(*plan);
        if (first.empty()) {
            first = std::move(fields);
            continue;
        }
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (fields[i] != first[i])
                differing.insert(i);
        }
    }
    return {differing.begin(), differing.end()};
}

QString planTitle(const Plan& plan)
{
    return tr("%1 on %2 × %3")
        .arg(text(plan.model.name), number(acceleratorCount(plan.cluster)),
            ofNodes(plan.cluster, [](const NodeGroup& g) { return text(g.accelerator.name); }));
}

QString strategyTitle(const Strategy& s)
{
    QStringList parts{
        QStringLiteral("TP %1").arg(s.tp), QStringLiteral("PP %1").arg(s.pp), QStringLiteral("DP %1").arg(s.dp)};
    if (s.cp > 1)
        parts << QStringLiteral("CP %1").arg(s.cp);
    if (s.ep > 1)
        parts << QStringLiteral("EP %1").arg(s.ep);
    if (s.vpp > 1)
        parts << QStringLiteral("VPP %1").arg(s.vpp);
    return parts.join(QStringLiteral(" · "));
}

} // namespace stratoplan

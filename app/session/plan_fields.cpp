// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plan_fields.h"

#include "core/cluster/cuts.h"
#include "core/units/format.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <set>

namespace stratoplan::session {

namespace {

QString number(qint64 value)
{
    return QLocale(QLocale::English).toString(value);
}

QString decimal(double value)
{
    return widgets::text(formatNumber(value));
}

QString onOff(bool on)
{
    return on ? widgets::tr("on") : widgets::tr("off");
}

/// The distinct values over the node groups: "A100 SXM 80 GB" or "A100 SXM 80 GB, H100 SXM".
template <class Get>
QString ofNodes(const cluster::Cluster& cluster, Get get)
{
    QStringList values;
    for (const cluster::NodeGroup& group : cluster.nodes) {
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

QString slidingWindowText(const model::Transformer& m)
{
    if (!m.slidingWindow)
        return widgets::tr("none");
    const QString tokens = widgets::tr("%1 tokens").arg(number(*m.slidingWindow));
    return m.slidingWindowInterval > 1
        ? widgets::tr("%1, all of them in 1 of %2 layers").arg(tokens).arg(m.slidingWindowInterval)
        : tokens;
}

QString latentText(const model::Transformer& m)
{
    if (!m.mla)
        return widgets::tr("none");
    const model::LatentAttention& a = *m.mla;
    const QString queries =
        a.queryRank > 0 ? widgets::tr("queries of rank %1").arg(number(a.queryRank)) : widgets::tr("queries in full");
    return widgets::tr("%1, keys and values of rank %2, head %3 + %4 rotary, value %5")
        .arg(queries, number(a.kvRank), number(a.nopeHeadDim), number(a.ropeHeadDim), number(a.valueHeadDim));
}

QString sparseText(const model::Transformer& m)
{
    if (!m.dsa)
        return widgets::tr("none");
    return widgets::tr("%1 keys a query, picked by %2 heads of %3")
        .arg(number(m.dsa->topK), number(m.dsa->indexHeads), number(m.dsa->indexHeadDim));
}

QString mambaText(const model::Transformer& m)
{
    if (!m.mamba2)
        return widgets::tr("none");
    const model::LayerModules modules = layerModules(m);
    return widgets::tr("%1 layers, attention in %2, FFN in %3; %4 heads of %5, state %6")
        .arg(number(modules.mamba), number(modules.attention), number(modules.ffn.dense + modules.ffn.moe),
            number(m.mamba2->heads), number(m.mamba2->headDim), number(m.mamba2->stateDim));
}

QString standInText(const model::Transformer& m)
{
    if (!m.standIn)
        return widgets::tr("none");
    return widgets::tr("for %1 layers: %2").arg(number(m.standIn->layers), widgets::text(m.standIn->kind));
}

QString positionText(model::Position position)
{
    switch (position) {
    case model::Position::Learned:
        return widgets::tr("learned");
    case model::Position::Rotary:
        return widgets::tr("rotary");
    case model::Position::Alibi:
        break;
    }
    return widgets::tr("ALiBi");
}

void addExperts(Lines& lines, const std::optional<model::MixtureOfExperts>& moe)
{
    const model::MixtureOfExperts e = moe.value_or(model::MixtureOfExperts{});
    const auto add = [&](const QString& label, const QString& value, bool usual) {
        lines.add(label, moe ? value : widgets::tr("none"), !moe || usual);
    };
    add(widgets::tr("Experts"), widgets::tr("%1, top %2").arg(number(e.experts), number(e.topK)), false);
    add(widgets::tr("Expert width"), number(e.expertFfn), false);
    const QString shared = e.sharedExpertFfn > 0
        ? widgets::tr("%1 of width %2").arg(number(e.sharedExperts), number(e.sharedExpertFfn))
        : number(e.sharedExperts);
    add(widgets::tr("Shared experts"), e.sharedExperts > 0 ? shared : widgets::tr("none"), e.sharedExperts == 0);
    add(widgets::tr("Dense layers first"), number(e.leadingDenseLayers), e.leadingDenseLayers == 0);
    add(widgets::tr("Expert layers"),
        e.layerInterval > 1 ? widgets::tr("1 of %1").arg(e.layerInterval) : widgets::tr("all others"),
        e.layerInterval == 1);
    add(widgets::tr("Capacity factor"), e.capacityFactor > 0 ? decimal(e.capacityFactor) : widgets::tr("dropless"),
        e.capacityFactor <= 0);
    add(widgets::tr("Busiest expert rank"), widgets::tr("%1 × the mean").arg(decimal(e.imbalance)), e.imbalance == 1);
    add(widgets::tr("Router bias"), onOff(e.routerBias), !e.routerBias);
}

void addModel(std::vector<PlanField>& fields, const model::Transformer& m)
{
    Lines lines(fields, PlanPart::Model);
    lines.add(widgets::tr("Model"), widgets::text(m.name));
    lines.add(widgets::tr("Layers"), m.layers);
    lines.add(widgets::tr("Hidden"), m.hidden);
    lines.add(widgets::tr("FFN width"), m.ffnHidden);
    lines.add(widgets::tr("Heads"), m.heads);
    lines.addUnless(m.heads, widgets::tr("KV heads"), m.kvHeads);
    lines.add(widgets::tr("Head size"), m.headDim);
    lines.add(widgets::tr("Latent attention"), latentText(m), !m.mla);
    lines.add(widgets::tr("Sparse attention"), sparseText(m), !m.dsa);
    lines.add(widgets::tr("Mamba-2"), mambaText(m), !m.mamba2);
    lines.add(widgets::tr("Stand-in"), standInText(m), !m.standIn);
    lines.add(widgets::tr("Sliding window"), slidingWindowText(m), !m.slidingWindow);
    lines.add(widgets::tr("Vocabulary"), m.vocabulary);
    const bool hasTable = m.position == model::Position::Learned && m.maxPositions > 0;
    lines.add(widgets::tr("Positions"),
        hasTable ? widgets::tr("%1, %2").arg(positionText(m.position), number(m.maxPositions))
                 : positionText(m.position));
    lines.add(widgets::tr("Norm"), m.norm == model::Norm::Layer ? widgets::tr("LayerNorm") : widgets::tr("RMSNorm"));
    lines.add(widgets::tr("Biases"),
        m.linearBias    ? widgets::tr("on all linear layers")
            : m.qkvBias ? widgets::tr("on QKV")
                        : widgets::tr("none"),
        !m.linearBias && !m.qkvBias);
    lines.addSwitch(widgets::tr("Norm of queries and keys"), m.qkNorm);
    lines.addSwitch(widgets::tr("Norm of the embedding"), m.embeddingNorm);
    lines.addSwitch(widgets::tr("Parallel block"), m.parallelBlock);
    lines.addSwitch(widgets::tr("Dropout"), m.dropout);
    lines.addUnless(0, widgets::tr("Prediction modules"), m.multiTokenPredictionDepth);
    lines.addSwitch(widgets::tr("Gated MLP"), m.gatedMlp);
    lines.addSwitch(widgets::tr("Tied embeddings"), m.tiedEmbeddings);
    addExperts(lines, m.moe);
}

void addCluster(std::vector<PlanField>& fields, const cluster::Cluster& c)
{
    Lines lines(fields, PlanPart::Cluster);
    lines.add(widgets::tr("Accelerators"), acceleratorCount(c));
    lines.add(widgets::tr("Accelerator"),
        ofNodes(c, [](const cluster::NodeGroup& g) { return widgets::text(g.accelerator.name); }));
    lines.add(
        widgets::tr("Per node"), ofNodes(c, [](const cluster::NodeGroup& g) { return number(g.acceleratorsPerNode); }));
    lines.add(widgets::tr("In node"), ofNodes(c, [](const cluster::NodeGroup& g) {
        return widgets::text(g.scaleUp.name + ", " + format(g.scaleUp.bandwidth));
    }));
    lines.add(widgets::tr("Domain"), ofNodes(c, [](const cluster::NodeGroup& g) { return number(g.scaleUpDomain); }));
    lines.add(widgets::tr("Between nodes"), ofNodes(c, [](const cluster::NodeGroup& g) {
        return QStringLiteral("%1 × %2")
            .arg(g.nicsPerNode)
            .arg(widgets::text(g.nic.name + ", " + format(g.nic.bandwidth)));
    }));
    const bool noHost = std::all_of(
        c.nodes.begin(), c.nodes.end(), [](const cluster::NodeGroup& g) { return g.hostLink.value() <= 0; });
    lines.add(widgets::tr("Host"),
        ofNodes(c,
            [](const cluster::NodeGroup& g) {
                const std::string stated =
                    format(g.hostMemory) + ", " + format(g.hostMemoryBandwidth) + ", " + format(g.hostLink);
                return g.hostLink.value() > 0 ? widgets::text(stated) : widgets::tr("not stated");
            }),
        noHost);
    lines.add(widgets::tr("Leaf uplinks"),
        widgets::text(formatOversubscription(uplinkShare(c, cluster::SwitchTier::Leaf))),
        uplinkShare(c, cluster::SwitchTier::Leaf) >= 1);
}

void addTraining(std::vector<PlanField>& fields, const plan::Training& t)
{
    Lines lines(fields, PlanPart::Training);
    lines.add(widgets::tr("Global batch"), widgets::tr("%1 sequences").arg(number(t.globalBatch)));
    lines.add(widgets::tr("Sequence"), widgets::tr("%1 tokens").arg(number(t.sequenceLength)));
    lines.add(widgets::tr("Documents"), widgets::tr("%1 tokens").arg(number(attentionLength(t))),
        attentionLength(t) == t.sequenceLength);
    lines.add(widgets::tr("Precision"), widgets::text(key(t.precision)));
    lines.add(widgets::tr("FP32 gradients"), onOff(t.fp32Gradients));
    lines.add(widgets::tr("16-bit gradient reduction"), onOff(t.narrowReduction), !t.narrowReduction);
    lines.add(widgets::tr("FP8 parameter gather"), onOff(t.narrowGather), !t.narrowGather);
    lines.add(widgets::tr("Optimizer"), widgets::text(title(t.optimizer)), t.optimizer == plan::Optimizer::Adam);
    const int version = flashVersion(t.attention);
    lines.add(widgets::tr("Attention"),
        version > 0                                          ? widgets::tr("FlashAttention %1").arg(version)
            : t.attention == plan::AttentionKernel::FlashFp8 ? widgets::tr("flash in FP8")
            : isFlash(t.attention)                           ? widgets::tr("flash")
                                                             : widgets::tr("unfused"));
    lines.add(widgets::tr("Software"), widgets::text(t.software.name));
}

void addDegrees(Lines& lines, const parallel::Strategy& s)
{
    lines.add(widgets::tr("TP"), s.tp);
    lines.add(widgets::tr("PP"), s.pp);
    lines.add(widgets::tr("DP"), s.dp);
    const bool isRing = s.contextMethod == parallel::ContextMethod::Ring;
    lines.add(widgets::tr("CP"),
        isRing ? number(s.cp) : widgets::tr("%1, %2").arg(number(s.cp), widgets::text(key(s.contextMethod))),
        s.cp == 1);
    lines.addUnless(1, widgets::tr("EP"), s.ep);
    lines.addUnless(1, widgets::tr("ETP"), s.etp);
    lines.addUnless(1, widgets::tr("Virtual stages"), s.vpp);
    lines.add(widgets::tr("Micro-batch"), s.microBatch);
    const QString zero = s.zeroShards > 0 ? widgets::tr("%1 over %2").arg(number(s.zeroStage), number(s.zeroShards))
                                          : number(s.zeroStage);
    lines.add(widgets::tr("ZeRO"), zero, s.zeroStage == 0);
    lines.addSwitch(widgets::tr("Sequence parallelism"), s.sequenceParallel);
}

void addStrategy(std::vector<PlanField>& fields, const parallel::Strategy& s)
{
    Lines lines(fields, PlanPart::Strategy);
    addDegrees(lines, s);
    lines.add(widgets::tr("Recomputation"), widgets::text(key(s.recompute)));
    lines.add(widgets::tr("Schedule"), widgets::text(key(s.schedule)), s.pp == 1);
    const bool limits = s.schedule == parallel::Schedule::ZbAuto; // no other schedule knows a limit
    lines.add(widgets::tr("In-flight limit"),
        !limits                   ? widgets::tr("none")
            : s.inFlightLimit > 0 ? number(s.inFlightLimit)
                                  : widgets::tr("by memory"),
        !limits);
    for (const plan::Dimension id : plan::dimensionsOfFiles())
        if (const plan::DimensionRow& row = dimension(id); !row.brief.empty())
            lines.add(widgets::tr(widgets::wordsOf(id).name), widgets::text(valueText(row, s)), isUsual(row, s));
    const auto numberOf = [](int n) { return number(n); };
    lines.addList(widgets::tr("Layers per stage"), s.stageLayers, widgets::tr("even"), numberOf);
    lines.addList(widgets::tr("Recomputation per stage"), s.stageRecompute, widgets::tr("alike"),
        [](parallel::Recompute kind) { return widgets::text(key(kind)); });
    lines.addList(widgets::tr("Layers recomputed in full"), s.recomputedLayers, widgets::tr("alike"), numberOf);
    lines.addList(widgets::tr("TP per stage"), s.stageTp, widgets::tr("alike"), numberOf);
    lines.addList(widgets::tr("Micro-batches per replica"), s.replicaMicroBatches, widgets::tr("even"), numberOf);
    const plan::DimensionRow& order = dimension(plan::Dimension::OrderOfRanks);
    lines.add(widgets::tr("Rank order"), widgets::text(valueText(order, s)), isUsual(order, s));
}

} // namespace

QString planPartText(PlanPart part)
{
    switch (part) {
    case PlanPart::Model:
        return widgets::tr("Model");
    case PlanPart::Cluster:
        return widgets::tr("Cluster");
    case PlanPart::Training:
        return widgets::tr("Training");
    case PlanPart::Strategy:
        return widgets::tr("Strategy");
    case PlanPart::Run:
        break;
    }
    return widgets::tr("Run");
}

std::vector<PlanField> planFields(const plan::Plan& plan)
{
    std::vector<PlanField> fields;
    addModel(fields, plan.model);
    addCluster(fields, plan.cluster);
    addTraining(fields, plan.training);
    addStrategy(fields, plan.strategy);
    return fields;
}

std::vector<std::size_t> differingFields(const std::vector<const plan::Plan*>& plans)
{
    std::set<std::size_t> differing;
    std::vector<PlanField> first;
    for (const plan::Plan* plan : plans) {
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

QString planTitle(const plan::Plan& plan)
{
    return widgets::tr("%1 on %2 × %3")
        .arg(widgets::text(plan.model.name), number(acceleratorCount(plan.cluster)),
            ofNodes(plan.cluster, [](const cluster::NodeGroup& g) { return widgets::text(g.accelerator.name); }));
}

QString strategyTitle(const parallel::Strategy& s)
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

} // namespace stratoplan::session

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/plan_fields.h"

#include "core/units/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <set>

namespace stratoplan {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("PlanFields", text);
}

QString number(qint64 value)
{
    return QLocale(QLocale::English).toString(value);
}

QString text(std::string_view value)
{
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
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

void addModel(std::vector<PlanField>& fields, const Transformer& m)
{
    fields.push_back({tr("Model"), text(m.name)});
    fields.push_back({tr("Layers"), number(m.layers)});
    fields.push_back({tr("Hidden"), number(m.hidden)});
    fields.push_back({tr("FFN width"), number(m.ffnHidden)});
    fields.push_back({tr("Heads"), number(m.heads)});
    fields.push_back({tr("KV heads"), number(m.kvHeads)});
    fields.push_back({tr("Head size"), number(m.headDim)});
    fields.push_back({tr("Vocabulary"), number(m.vocabulary)});
    fields.push_back({tr("Prediction modules"), number(m.multiTokenPredictionDepth)});
    fields.push_back({tr("Gated MLP"), onOff(m.gatedMlp)});
    fields.push_back({tr("Tied embeddings"), onOff(m.tiedEmbeddings)});
    fields.push_back({tr("Experts"), m.moe ? QStringLiteral("%1 (top %2)").arg(m.moe->experts).arg(m.moe->topK) : tr("none")});
}

void addCluster(std::vector<PlanField>& fields, const Cluster& c)
{
    fields.push_back({tr("Accelerators"), number(acceleratorCount(c))});
    fields.push_back({tr("Accelerator"), ofNodes(c, [](const NodeGroup& g) { return text(g.accelerator.name); })});
    fields.push_back({tr("Per node"), ofNodes(c, [](const NodeGroup& g) { return number(g.acceleratorsPerNode); })});
    fields.push_back({tr("In node"), ofNodes(c, [](const NodeGroup& g) { return text(g.scaleUp.name + ", " + format(g.scaleUp.bandwidth)); })});
    fields.push_back({tr("Domain"), ofNodes(c, [](const NodeGroup& g) { return number(g.scaleUpDomain); })});
    fields.push_back({tr("Between nodes"), ofNodes(c, [](const NodeGroup& g) {
                          return QStringLiteral("%1 × %2").arg(g.nicsPerNode).arg(text(g.nic.name + ", " + format(g.nic.bandwidth)));
                      })});
    fields.push_back({tr("Host"), ofNodes(c, [](const NodeGroup& g) {
                          return g.hostLink.value() > 0 ? text(format(g.hostMemory) + ", " + format(g.hostMemoryBandwidth) + ", " + format(g.hostLink)) : tr("not stated");
                      })});
    fields.push_back({tr("Leaf uplinks"), text(formatShare(leafUplinkShare(c)))});
}

void addTraining(std::vector<PlanField>& fields, const Training& t)
{
    fields.push_back({tr("Global batch"), number(t.globalBatch)});
    fields.push_back({tr("Sequence"), number(t.sequenceLength)});
    fields.push_back({tr("Documents"), number(attentionLength(t))});
    fields.push_back({tr("Precision"), text(key(t.precision))});
    fields.push_back({tr("FP32 gradients"), onOff(t.fp32Gradients)});
    fields.push_back({tr("Attention"), flashVersion(t.attention) > 0 ? tr("FlashAttention %1").arg(flashVersion(t.attention)) : isFlash(t.attention) ? tr("flash") : tr("unfused")});
    fields.push_back({tr("Software"), text(t.software.name)});
}

void addStrategy(std::vector<PlanField>& fields, const Strategy& s)
{
    fields.push_back({tr("TP"), number(s.tp)});
    fields.push_back({tr("PP"), number(s.pp)});
    fields.push_back({tr("DP"), number(s.dp)});
    fields.push_back({tr("CP"), s.contextMethod != ContextMethod::Ring ? tr("%1, %2").arg(number(s.cp), text(key(s.contextMethod))) : number(s.cp)});
    fields.push_back({tr("EP"), number(s.ep)});
    fields.push_back({tr("ETP"), number(s.etp)});
    fields.push_back({tr("Virtual stages"), number(s.vpp)});
    fields.push_back({tr("Micro-batch"), number(s.microBatch)});
    fields.push_back({tr("ZeRO"), s.zeroShards > 0 ? tr("%1 over %2").arg(number(s.zeroStage), number(s.zeroShards)) : number(s.zeroStage)});
    fields.push_back({tr("Sequence parallelism"), onOff(s.sequenceParallel)});
    fields.push_back({tr("Recomputation"), text(key(s.recompute))});
    fields.push_back({tr("Schedule"), text(key(s.schedule))});
    if (s.schedule == Schedule::ZbAuto)
        fields.push_back({tr("In-flight limit"), s.inFlightLimit > 0 ? number(s.inFlightLimit) : tr("by memory")});
    fields.push_back({tr("Timing pass"), onOff(s.timingPass)});
    fields.push_back({tr("Tensor partition"), text(key(s.tensorPartition))});
    fields.push_back({tr("Offload"), text(key(s.offload))});
    fields.push_back({tr("Vocabulary"), text(key(s.vocabularyPlacement))});
    QStringList layers;
    for (const int n : s.stageLayers)
        layers << number(n);
    fields.push_back({tr("Layers per stage"), layers.isEmpty() ? tr("even") : layers.join(u' ')});
    const auto list = [](const auto& values, auto textOf) {
        QStringList texts;
        for (const auto value : values)
            texts << textOf(value);
        return texts.isEmpty() ? tr("alike") : texts.join(u' ');
    };
    fields.push_back({tr("Recomputation per stage"), list(s.stageRecompute, [](Recompute kind) { return text(key(kind)); })});
    fields.push_back({tr("Layers recomputed in full"), list(s.recomputedLayers, [](int n) { return number(n); })});
    fields.push_back({tr("TP per stage"), list(s.stageTp, [](int n) { return number(n); })});
    QStringList order;
    for (const Axis axis : s.rankOrder)
        order << text(key(axis));
    fields.push_back({tr("Rank order"), order.join(u'-')});
}

} // namespace

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
    QStringList parts{QStringLiteral("TP %1").arg(s.tp), QStringLiteral("PP %1").arg(s.pp), QStringLiteral("DP %1").arg(s.dp)};
    if (s.cp > 1)
        parts << QStringLiteral("CP %1").arg(s.cp);
    if (s.ep > 1)
        parts << QStringLiteral("EP %1").arg(s.ep);
    if (s.vpp > 1)
        parts << QStringLiteral("VPP %1").arg(s.vpp);
    return parts.join(QStringLiteral(" · "));
}

} // namespace stratoplan

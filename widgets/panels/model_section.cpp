// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_section.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

std::vector<PickerItem> modelItems(const catalog::Catalog& catalog)
{
    std::vector<PickerItem> items;
    for (const catalog::ModelPreset& preset : catalog.models) {
        items.push_back({text(preset.id), text(preset.model.name), text(preset.family),
            ModelSection::tr("%1 parameters").arg(countText(static_cast<double>(parameters(preset.model).total))),
            text(preset.model.source)});
    }
    return items;
}

/// What the layers are where not all are transformer blocks: "24 Mamba-2, 4 attention, 24 FFN"; else nothing.
QString layerKinds(const model::Transformer& model)
{
    QStringList kinds;
    if (const auto& mamba = model.mamba2) {
        const int ffn = mamba->ffnLayers.value_or(0);
        const auto add = [&](int layers, const QString& kind) {
            if (layers > 0)
                kinds << QStringLiteral("%1 %2").arg(layers).arg(kind);
        };
        add(mamba->layers, ModelSection::tr("Mamba-2"));
        add(model.layers - mamba->layers - ffn, ModelSection::tr("attention"));
        add(ffn, ModelSection::tr("FFN"));
    }
    if (model.dsa)
        kinds << ModelSection::tr("sparse attention, top %1 keys").arg(groupedNumber(model.dsa->topK));
    if (model.standIn)
        kinds << ModelSection::tr("%1 %2, not modelled").arg(model.standIn->layers).arg(text(model.standIn->kind));
    return kinds.join(QStringLiteral(", "));
}

model::Transformer withLayersOf(model::Transformer model, const model::Transformer& from)
{
    model.layers = from.layers;
    model.mamba2 = from.mamba2;
    model.standIn = from.standIn;
    return model;
}

} // namespace

ModelSection::ModelSection(const catalog::Catalog& catalog, QWidget* parent)
    : InputsSection(tr("Model"), catalog, parent)
{
    preset().setItems(modelItems(catalog));
    preset().setExplanation(tr("Take the shape of a published model"));
    connect(&preset(), &Picker::picked, this, &ModelSection::choose);
    addSizes();
    addSwitches();
    auto* prediction = new FieldRow(tr("Prediction modules"),
        tr("Modules of multi-token prediction (DeepSeek-V3): each adds a projection and one more "
           "layer to the last stage, and predicts one token further."));
    m_prediction = addCount(*prediction, QStringLiteral("/model/multi_token_prediction_depth"),
        tr("Prediction modules"), [](plan::Plan& p, int v) { p.model.multiTokenPredictionDepth = v; });
    m_prediction->setRange(0, 100);
    addRow(prediction);
    restore(prediction, tr("prediction modules"), [](model::Transformer& m, const model::Transformer& from) {
        m.multiTokenPredictionDepth = from.multiTokenPredictionDepth;
    });
    m_kinds = new InfoRow(tr("Kinds of layers"),
        tr("Mixers and feed-forward networks of a hybrid, sparse attention, or layers that attention over a window "
           "stands in for. A plan's file says more of them (model.mamba2, model.dsa)."));
    addRow(m_kinds);
    m_experts = new InfoRow(
        tr("Experts"), tr("Routed experts of a mixture-of-experts layer and how many of them each token visits."));
    addRow(m_experts);
    m_parameters =
        new InfoRow(tr("Parameters"), tr("Weights of the whole model; “active” are those that one token touches."));
    addRow(m_parameters);
}

void ModelSection::addSizes()
{
    auto* depth = new FieldRow(
        tr("Layers · hidden"), tr("Transformer blocks, and the width of the residual stream that runs through them."));
    m_layers = addCount(*depth, QStringLiteral("/model/layers"), tr("Layers"),
        [](plan::Plan& p, int v) { p.model = withLayers(p.model, v); });
    m_hidden = addCount(*depth, QStringLiteral("/model/hidden"), tr("Hidden size"),
        [](plan::Plan& p, int v) { p.model = withHidden(p.model, v); });
    auto* heads = new FieldRow(tr("Heads · KV heads"),
        tr("Attention heads for queries, and for keys and values: fewer KV heads is grouped-query attention."));
    m_heads = addCount(*heads, QStringLiteral("/model/heads"), tr("Attention heads"),
        [](plan::Plan& p, int v) { p.model = withHeads(p.model, v); });
    m_kvHeads = addCount(*heads, QStringLiteral("/model/kv_heads"), tr("KV heads"),
        [](plan::Plan& p, int v) { p.model = withKvHeads(p.model, v); });
    auto* widths = new FieldRow(
        tr("FFN · vocabulary"), tr("Inner width of the feed-forward network, and the number of distinct tokens."));
    m_ffn = addCount(*widths, QStringLiteral("/model/ffn_hidden"), tr("FFN width"),
        [](plan::Plan& p, int v) { p.model.ffnHidden = v; });
    m_vocabulary = addCount(*widths, QStringLiteral("/model/vocabulary"), tr("Vocabulary"),
        [](plan::Plan& p, int v) { p.model.vocabulary = v; });
    m_layers->setRange(1, 10'000);
    m_hidden->setStep(128);
    m_ffn->setStep(256);
    m_vocabulary->setStep(1'000);
    for (FieldRow* row : {depth, heads, widths})
        addRow(row);
    restore(depth, tr("layers and hidden size"), [](model::Transformer& m, const model::Transformer& from) {
        m = withLayersOf(m, from);
        m = withHidden(m, from.hidden);
    });
    restore(heads, tr("heads"), [](model::Transformer& m, const model::Transformer& from) {
        m = withHeads(m, from.heads);
        m.kvHeads = from.kvHeads;
    });
    restore(widths, tr("FFN width and vocabulary"), [](model::Transformer& m, const model::Transformer& from) {
        m.ffnHidden = from.ffnHidden;
        m.vocabulary = from.vocabulary;
    });
}

void ModelSection::restore(
    FieldRow* row, const QString& what, const std::function<void(model::Transformer&, const model::Transformer&)>& copy)
{
    connect(row, &FieldRow::defaultAsked, this, [this, what, copy] {
        if (const catalog::ModelPreset* from = origin())
            edit(tr("Restore %1").arg(what), [&](plan::Plan& p) { copy(p.model, from->model); });
    });
}

void ModelSection::addSwitches()
{
    auto* row = new FieldRow(tr("Gated MLP · tied"),
        tr("A gated MLP (SwiGLU, GeGLU) has three matrices instead of two; tied embeddings share "
           "their weights with the output projection."));
    m_gated = new ToggleSwitch(row);
    m_gated->setObjectName(QStringLiteral("/model/gated_mlp"));
    row->add(m_gated, tr("Gated MLP"));
    m_tied = new ToggleSwitch(row);
    m_tied->setObjectName(QStringLiteral("/model/tied_embeddings"));
    row->add(m_tied, tr("Tied embeddings"));
    addRow(row);
    restore(row, tr("gated MLP and tied embeddings"), [](model::Transformer& m, const model::Transformer& from) {
        m.gatedMlp = from.gatedMlp;
        m.tiedEmbeddings = from.tiedEmbeddings;
    });
    connect(m_gated, &QCheckBox::toggled, this, [this](bool on) {
        edit(on ? tr("Gate the MLP") : tr("Ungate the MLP"), [on](plan::Plan& p) { p.model.gatedMlp = on; });
    });
    connect(m_tied, &QCheckBox::toggled, this, [this](bool on) {
        edit(on ? tr("Tie the embeddings") : tr("Untie the embeddings"),
            [on](plan::Plan& p) { p.model.tiedEmbeddings = on; });
    });
}

void ModelSection::choose(const QString& id)
{
    if (const catalog::ModelPreset* chosen = catalog().model(id.toStdString()))
        edit(tr("Choose %1").arg(text(chosen->model.name)), [chosen](plan::Plan& p) { p = withModel(p, *chosen); });
}

const catalog::ModelPreset* ModelSection::origin() const
{
    const auto it = std::ranges::find(
        catalog().models, plan().model.name, [](const catalog::ModelPreset& preset) { return preset.model.name; });
    return it == catalog().models.end() ? nullptr : &*it;
}

void ModelSection::refresh()
{
    const model::Transformer& model = plan().model;
    m_layers->setValue(model.layers);
    m_hidden->setValue(model.hidden);
    m_heads->setValue(model.heads);
    m_kvHeads->setRange(1, std::max(1, model.heads));
    m_kvHeads->setValue(model.kvHeads);
    m_ffn->setValue(model.ffnHidden);
    m_vocabulary->setValue(model.vocabulary);
    m_prediction->setValue(model.multiTokenPredictionDepth);
    m_gated->setOn(model.gatedMlp);
    m_tied->setOn(model.tiedEmbeddings);
    const QString kinds = layerKinds(model);
    m_kinds->setVisible(!kinds.isEmpty());
    m_kinds->setValue(kinds);
    m_experts->setVisible(model.moe.has_value());
    if (model.moe) {
        const QString shared =
            model.moe->sharedExperts > 0 ? tr(" + %1 shared").arg(model.moe->sharedExperts) : QString();
        m_experts->setValue(tr("%1%2, top %3").arg(model.moe->experts).arg(shared).arg(model.moe->topK));
    }
    const model::ParameterCount count = parameters(model);
    m_parameters->setValue(count.active == count.total
            ? countText(static_cast<double>(count.total))
            : tr("%1, %2 active")
                  .arg(countText(static_cast<double>(count.total)), countText(static_cast<double>(count.active))));
    const catalog::ModelPreset* from = origin();
    const QString name = model.name.empty() ? tr("Choose a model") : text(model.name);
    preset().setCurrent(
        from ? text(from->id) : QString(), from && !(from->model == model) ? tr("%1, edited").arg(name) : name);
}

} // namespace stratoplan::widgets

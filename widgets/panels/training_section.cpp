// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/dimensions.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_section.h"
#include "widgets/panels/lock_button.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

std::vector<PickerItem> softwareItems(const catalog::Catalog& catalog)
{
    std::vector<PickerItem> items;
    for (const plan::SoftwareProfile& profile : catalog.software)
        items.push_back({text(profile.id), text(profile.name), TrainingSection::tr("Software profiles"),
            profile.flashAttention ? TrainingSection::tr("flash attention") : QString(), text(profile.source)});
    return items;
}

} // namespace

TrainingSection::TrainingSection(const catalog::Catalog& catalog, QWidget* parent)
    : InputsSection(tr("Training"), catalog, parent)
{
    preset().setItems(softwareItems(catalog));
    preset().setAccessibleName(tr("Software profile"));
    preset().setExplanation(
        tr("What the training stack fuses, overlaps and keeps in memory, with its measured constants"));
    connect(&preset(), &Picker::picked, this, [this](const QString& id) {
        if (const plan::SoftwareProfile* chosen = this->catalog().softwareProfile(id.toStdString()))
            edit(tr("Choose %1").arg(text(chosen->name)),
                [chosen](plan::Plan& p) { p.training = withSoftware(p.training, *chosen); });
    });
    addCounts();
    addPrecision();
    addReplicas();
    addOptimizer();
    addAttention();
}

void TrainingSection::restoreBy(FieldRow& row, const QString& what, const std::function<void(plan::Training&)>& change)
{
    connect(&row, &FieldRow::defaultAsked, this,
        [this, what, change] { edit(tr("Restore %1").arg(what), [&](plan::Plan& p) { change(p.training); }); });
}

void TrainingSection::addCounts()
{
    auto* batch =
        new FieldRow(tr("Global batch"), tr("Sequences that all replicas together train on per optimizer step."));
    m_batch = addCount(*batch, QStringLiteral("/training/global_batch"), tr("Global batch"),
        [](plan::Plan& p, int v) { p.training.globalBatch = v; });
    m_batch->setSuffix(tr("sequences"));
    // Four micro-batches for every stage keep the bubble small (Huang et al., GPipe, arXiv 1811.06965).
    restoreBy(*batch, tr("the global batch"), [this](plan::Training& t) {
        const parallel::Strategy& s = plan().strategy;
        const int microBatches = s.pp > 1 ? 4 * s.pp : 1;
        t.globalBatch =
            static_cast<int>(std::clamp<long long>(1LL * microBatches * s.dp * s.microBatch, 1, 100'000'000));
    });
    addRow(batch);
    auto* sequence = new FieldRow(tr("Sequence"), tr("Tokens of one training sequence."));
    m_sequence = addCount(*sequence, QStringLiteral("/training/sequence_length"), tr("Sequence length"),
        [](plan::Plan& p, int v) { p.training.sequenceLength = v; });
    m_sequence->setSuffix(tr("tokens"));
    m_sequence->setStep(1'024, 128);
    restoreBy(*sequence, tr("the sequence length"), [this](plan::Training& t) {
        const auto from = std::ranges::find(this->catalog().models, plan().model.name,
            [](const catalog::ModelPreset& preset) { return preset.model.name; });
        t.sequenceLength =
            from == this->catalog().models.end() ? plan::Training{}.sequenceLength : from->sequenceLength;
    });
    addRow(sequence);
    auto* documents = new FieldRow(tr("Documents"),
        tr("Tokens of the document that a token is in, on average, where several are packed into a sequence: it "
           "attends to that one only. As long as the sequence: one document fills it."));
    m_documents = addCount(
        *documents, QStringLiteral("/training/document_length"), tr("Document length"), [](plan::Plan& p, int v) {
            p.training.documentLength = v < p.training.sequenceLength ? std::optional(v) : std::nullopt;
        });
    m_documents->setSuffix(tr("tokens"));
    m_documents->setStep(256, 16);
    restoreBy(*documents, tr("one document per sequence"), [](plan::Training& t) { t.documentLength.reset(); });
    addRow(documents);
}

void TrainingSection::addPrecision()
{
    auto* precision = new FieldRow(tr("Precision · grads"),
        tr("Number format of the matrix products, and of the gradients as they are summed and "
           "reduced: FP32 is safer, at twice the traffic and memory."));
    m_precision = new ChoiceField(precision);
    m_precision->setObjectName(QStringLiteral("/training/precision"));
    for (const model::Precision p : model::kPrecisions)
        m_precision->addChoice(text(key(p)), static_cast<int>(p));
    precision->add(m_precision, tr("Precision"));
    m_precisionLock = new LockButton(tr("precision"), precision);
    m_precisionLock->setObjectName(QStringLiteral("lock/") + text(key(plan::Dimension::Precision)));
    precision->add(m_precisionLock, m_precisionLock->accessibleName(), 0);
    connect(m_precisionLock, &LockButton::lockToggled, this, [this](bool locked) {
        Q_EMIT lockEdited(plan::Dimension::Precision, locked, locked ? tr("Lock precision") : tr("Free precision"));
    });
    m_gradients = new ChoiceField(precision);
    m_gradients->setObjectName(QStringLiteral("/training/fp32_gradients"));
    m_gradients->addChoice(QStringLiteral("fp32"), 1, tr("Gradients are summed and reduced in 32 bits."));
    m_gradients->addChoice(tr("16-bit"), 0, tr("Gradients keep the 16-bit format of the weights."));
    precision->add(m_gradients, tr("Precision of the gradients"));
    restoreBy(*precision, tr("the precision"), [](plan::Training& t) {
        t.precision = plan::Training{}.precision;
        t.fp32Gradients = withSoftware(t, t.software).fp32Gradients;
    });
    connect(m_precision, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Set precision to %1").arg(m_precision->currentText()),
            [value](plan::Plan& p) { p.training.precision = static_cast<model::Precision>(value); });
    });
    connect(m_gradients, &ChoiceField::keyChosen, this, [this](int fp32) {
        edit(fp32 ? tr("Keep gradients in FP32") : tr("Keep gradients in 16 bits"),
            [fp32](plan::Plan& p) { p.training.fp32Gradients = fp32 != 0; });
    });
    addRow(precision);
}

void TrainingSection::addReplicas()
{
    auto* replicas = new FieldRow(tr("Reduce · gather"),
        tr("Number formats between replicas: of the gradients that they sum, and of the parameters that they gather "
           "from their shards, in precision fp8 alone: mxfp8 and nvfp4 cast them after a gather in 16 bits."));
    m_reduction = new ChoiceField(replicas);
    m_reduction->setObjectName(QStringLiteral("/training/narrow_reduction"));
    m_reduction->addChoice(tr("as is"), 0, tr("Gradients are reduced in the format they are accumulated in."));
    m_reduction->addChoice(tr("16-bit"), 1, tr("Gradients are reduced in 16 bits, and accumulated in FP32."));
    replicas->add(m_reduction, tr("Precision of the gradient reduction"));
    m_gather = new ChoiceField(replicas);
    m_gather->setObjectName(QStringLiteral("/training/narrow_gather"));
    m_gather->addChoice(tr("16-bit"), 0, tr("Parameters are gathered in the format of the weights."));
    m_gather->addChoice(QStringLiteral("fp8"), 1, tr("Parameters of layers are gathered in FP8."));
    replicas->add(m_gather, tr("Precision of the parameter gather"));
    restoreBy(*replicas, tr("the precision between replicas"), [](plan::Training& t) {
        const plan::Training usual = withSoftware(t, t.software);
        t.narrowReduction = usual.narrowReduction;
        t.narrowGather = usual.narrowGather;
    });
    connect(m_reduction, &ChoiceField::keyChosen, this, [this](int narrow) {
        edit(narrow ? tr("Reduce gradients in 16 bits") : tr("Reduce gradients as summed"),
            [narrow](plan::Plan& p) { p.training.narrowReduction = narrow != 0; });
    });
    connect(m_gather, &ChoiceField::keyChosen, this, [this](int narrow) {
        edit(narrow ? tr("Gather parameters in FP8") : tr("Gather parameters in 16 bits"),
            [narrow](plan::Plan& p) { p.training.narrowGather = narrow != 0; });
    });
    addRow(replicas);
}

void TrainingSection::addOptimizer()
{
    auto* optimizer = new FieldRow(tr("Optimizer"),
        tr("What it keeps beside each weight, and what its step moves and computes. Only Adam was measured."));
    m_optimizer = new ChoiceField(optimizer);
    m_optimizer->setObjectName(QStringLiteral("/training/optimizer"));
    const auto add = [this](plan::Optimizer value, const QString& tip) {
        m_optimizer->addChoice(text(title(value)), static_cast<int>(value), tip);
    };
    add(plan::Optimizer::Adam, tr("Adam or AdamW: two FP32 moments, 8 bytes a parameter."));
    add(plan::Optimizer::Adam8Bit, tr("Both moments in 8 bits with a scale for every 256: 2 bytes a parameter."));
    add(plan::Optimizer::Adafactor, tr("No first moment, the second by rows and columns: next to nothing."));
    add(plan::Optimizer::Muon,
        tr("An FP32 momentum, 4 bytes a parameter, orthogonalised by five Newton-Schulz iterations; Adam for "
           "embeddings and output projection."));
    add(plan::Optimizer::Sgd, tr("An FP32 momentum: 4 bytes a parameter."));
    optimizer->add(m_optimizer, tr("Optimizer"));
    restoreBy(*optimizer, tr("the optimizer"), [](plan::Training& t) { t.optimizer = plan::Training{}.optimizer; });
    connect(m_optimizer, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Update by %1").arg(m_optimizer->currentText()),
            [value](plan::Plan& p) { p.training.optimizer = static_cast<plan::Optimizer>(value); });
    });
    addRow(optimizer);
}

void TrainingSection::addAttention()
{
    auto* attention = new FieldRow(tr("Attention"),
        tr("Flash attention never writes the score matrix to memory; the unfused kernels do. FP8: its "
           "forward pass, in FP8 and FP4 recipes."));
    m_attention = new ChoiceField(attention);
    m_attention->setObjectName(QStringLiteral("/training/attention"));
    m_attention->addChoice(tr("flash"), static_cast<int>(plan::AttentionKernel::Flash),
        tr("The fused kernel usual on the accelerator: version 2 up to Ampere, 3 or its like since Hopper."));
    for (const plan::AttentionKernel kernel :
        {plan::AttentionKernel::Flash1, plan::AttentionKernel::Flash2, plan::AttentionKernel::Flash3})
        m_attention->addChoice(tr("FlashAttention %1").arg(flashVersion(kernel)), static_cast<int>(kernel),
            tr("An older version takes longer; one newer than the accelerator's usual is priced as that."));
    m_attention->addChoice(tr("flash in FP8"), static_cast<int>(plan::AttentionKernel::FlashFp8),
        tr("Queries, keys and values in 8 bits (Transformer Engine, fp8_dpa), in FP8 and FP4 recipes: a faster forward "
           "pass, casts, and less memory. The backward pass is priced as in 16 bits."));
    m_attention->addChoice(tr("unfused"), static_cast<int>(plan::AttentionKernel::Unfused));
    attention->add(m_attention, tr("Attention kernel"));
    restoreBy(*attention, tr("the attention kernel"),
        [](plan::Training& t) { t.attention = withSoftware(t, t.software).attention; });
    connect(m_attention, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Use %1 attention").arg(m_attention->currentText()),
            [value](plan::Plan& p) { p.training.attention = static_cast<plan::AttentionKernel>(value); });
    });
    addRow(attention);
}

void TrainingSection::setLocks(const std::set<plan::Dimension>& locks)
{
    m_precisionLock->setLocked(locks.contains(plan::Dimension::Precision));
}

void TrainingSection::refresh()
{
    const plan::Training& training = plan().training;
    m_batch->setValue(training.globalBatch);
    // A step keeps the batch divisible over the replicas.
    const long long share = static_cast<long long>(plan().strategy.dp) * plan().strategy.microBatch;
    m_batch->setStep(static_cast<int>(std::clamp<long long>(share, 1, 1'000'000)));
    m_sequence->setValue(training.sequenceLength);
    m_documents->setValue(attentionLength(training));
    m_precision->setKey(static_cast<int>(training.precision));
    m_gradients->setKey(training.fp32Gradients ? 1 : 0);
    m_reduction->setKey(training.narrowReduction ? 1 : 0);
    m_gather->setKey(training.narrowGather ? 1 : 0);
    m_optimizer->setKey(static_cast<int>(training.optimizer));
    m_attention->setKey(static_cast<int>(training.attention));
    const plan::SoftwareProfile* known = catalog().softwareProfile(training.software.id);
    const QString name = training.software.name.empty() ? tr("Software profile") : text(training.software.name);
    preset().setCurrent(known ? text(known->id) : QString(),
        known && !(*known == training.software) ? tr("%1, edited").arg(name) : name);
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/strategy_section.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/lock_button.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/strategy_recipes.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/style/elided_label.h"

#include <QSignalBlocker>
#include <QTimer>
#include <algorithm>

namespace stratoplan {

namespace {

constexpr int kCountWidth = 54;

/// Inside a sentence; ZeRO stays as it is written.
QString lowered(const QString& name)
{
    return name.startsWith(u'Z') ? name : name.toLower();
}

SearchDimension dimensionOf(StrategyField field)
{
    switch (field) {
    case StrategyField::Tp:
        return SearchDimension::Tp;
    case StrategyField::Pp:
        return SearchDimension::Pp;
    case StrategyField::Dp:
        return SearchDimension::Dp;
    case StrategyField::Cp:
        return SearchDimension::Cp;
    case StrategyField::Ep:
        return SearchDimension::Ep;
    case StrategyField::Etp:
        return SearchDimension::Etp;
    case StrategyField::Vpp:
        return SearchDimension::Vpp;
    case StrategyField::MicroBatch:
        return SearchDimension::MicroBatch;
    case StrategyField::ZeroStage:
        break;
    }
    return SearchDimension::ZeroStage;
}

QString scheduleExplanation(Schedule schedule)
{
    switch (schedule) {
    case Schedule::GPipe:
        return StrategySection::tr(
            "All forward passes, then all backward passes: holds every micro-batch's activations.");
    case Schedule::OneFOneB:
        return StrategySection::tr("One forward, one backward: the same bubble, at most PP micro-batches in memory.");
    case Schedule::Interleaved:
        return StrategySection::tr("Several chunks of layers per stage: a smaller bubble for more traffic and memory.");
    case Schedule::EagerOneFOneB:
        return StrategySection::tr(
            "1F1B that runs up to twice as many forward passes ahead, so that transfers hide: more memory.");
    case Schedule::BreadthFirst:
        return StrategySection::tr(
            "All micro-batches through one chunk after the other: a small bubble, every micro-batch in memory.");
    case Schedule::ZbH1:
        return StrategySection::tr(
            "Zero bubble: gradients of weights fill the bubble, at most PP micro-batches in memory on every stage.");
    case Schedule::ZbH2:
        return StrategySection::tr(
            "Zero bubble with 2 PP − 1 micro-batches in memory; stages begin the next step one by one.");
    case Schedule::ZbAuto:
        return StrategySection::tr(
            "Zero bubble made for the plan's own durations, under a limit of micro-batches in memory.");
    case Schedule::ZbV:
        return StrategySection::tr("Zero bubble on two chunks per stage, down the pipeline and back: the memory of "
                                   "1F1B, even over the stages.");
    case Schedule::VHalf:
        return StrategySection::tr(
            "Down and back like ZB-V with half the memory of 1F1B: a smaller bubble than 1F1B's.");
    case Schedule::VMin:
        return StrategySection::tr(
            "Down and back like ZB-V with a third of the memory of 1F1B: about the bubble of 1F1B.");
    case Schedule::DualPipe:
        return StrategySection::tr("Micro-batches enter at both ends; each stage holds two chunks, and their passes "
                                   "hide each other's traffic.");
    case Schedule::DualPipeV:
        return StrategySection::tr("DualPipe folded in half: both ends on the first stage, the weights held once.");
    }
    return {};
}

} // namespace

StrategySection::StrategySection(const Catalog& catalog, QWidget* parent)
    : InputsSection(tr("Strategy"), catalog, parent)
{
    preset().setCurrent({}, tr("Recipes"));
    preset().setAccessibleName(tr("Strategy recipes"));
    preset().setExplanation(tr("Start from a well-known way to divide this model over this cluster"));
    connect(&preset(), &Picker::picked, this, [this](const QString& id) {
        const auto index = static_cast<std::size_t>(id.toInt());
        if (index < m_recipes.size())
            edit(tr("Choose a strategy recipe"), [this, index](Plan& p) { p.strategy = m_recipes[index]; });
    });
    preset().setEmptyText(tr("No recipe fits this model on this cluster: see the problems below."));
    // Recipes are worked out when the list is about to open, not at every step of a slider.
    connect(&preset(), &Picker::aboutToOpen, this, &StrategySection::fillRecipes);

    addSlider(StrategyField::Tp, tr("Tensor"), tr("Tensor parallel"),
        tr("Each layer's matrices are cut over this many accelerators, which talk twice per block."));
    addSlider(StrategyField::Pp, tr("Pipeline"), tr("Pipeline parallel"),
        tr("The layers are cut into this many consecutive stages."));
    addSlider(StrategyField::Dp, tr("Data"), tr("Data parallel"),
        tr("This many replicas each train on their share of the batch and average gradients."));
    addSlider(StrategyField::Cp, tr("Context"), tr("Context parallel"),
        tr("Each sequence is cut over this many accelerators, which pass keys and values around."));
    addSlider(StrategyField::Ep, tr("Expert"), tr("Expert parallel"),
        tr("The routed experts are spread over this many accelerators; tokens travel to them."));
    addSlider(StrategyField::Etp, tr("Expert tensor"), tr("Expert tensor parallel"),
        tr("Each expert's matrices are cut over this many of the tensor-parallel accelerators; the others hold other "
           "experts."));
    addSlider(StrategyField::Vpp, tr("Virtual stages"), tr("Virtual stages"),
        tr("Chunks of layers per pipeline stage: more make the bubble smaller and the traffic larger."));
    addSlider(StrategyField::MicroBatch, tr("Micro-batch"), tr("Micro-batch size"),
        tr("Sequences that pass through the pipeline together on one replica."));
    addZero();
    addShards();
    addRecompute();
    addOffload();
    addContextMethod();
    addSchedule();
    addInFlightLimit();
    addTimingPass();
    addLayers();
    addVocabulary();
    addRankOrder();
    m_ranks = new InfoRow(tr("Ranks"), tr("Tensor × context × pipeline × data, of the accelerators there are."));
    m_microBatches = new InfoRow(
        tr("Micro-batches"), tr("Global batch over data parallel × micro-batch: what fills the pipeline each step."));
    addRow(m_ranks);
    addRow(m_microBatches);
}

void StrategySection::addSlider(
    StrategyField field, const QString& label, const QString& name, const QString& explanation)
{
    SliderRow entry;
    entry.name = name;
    entry.row = new FieldRow(label, explanation, this);
    entry.slider = new LegalSlider(entry.row);
    entry.count = new CountField(entry.row);
    entry.count->setObjectName(QStringLiteral("/strategy/") + text(key(field)));
    entry.count->setFixedWidth(kCountWidth);
    entry.count->setRange(1, 1'000'000);
    entry.row->add(entry.slider, name, 1);
    entry.slider->setToolTip({}); // it tells about the value under the pointer instead
    entry.row->add(entry.count, tr("%1, typed").arg(name), 0);
    addLock(*entry.row, name, dimensionOf(field));
    addRow(entry.row);
    connect(entry.slider, &LegalSlider::dragStarted, this, [this] { ++m_mergeId; });
    connect(entry.slider, &LegalSlider::valueChanged, this,
        [this, field](int value, bool held) { set(field, value, held); });
    connect(entry.count, &CountField::valueChanged, this, [this, field](int value) { set(field, value, false); });
    connect(entry.row, &FieldRow::defaultAsked, this, [this, field] { set(field, 1, false); });
    m_sliders.emplace(field, entry);
}

void StrategySection::addLock(FieldRow& row, const QString& name, std::optional<SearchDimension> dimension)
{
    auto* button = new LockButton(lowered(name), &row);
    if (!dimension) {
        QSizePolicy policy = button->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        button->setSizePolicy(policy);
        button->hide();
    }
    row.add(button, button->accessibleName(), 0);
    if (!dimension)
        return;
    m_locks.emplace(*dimension, button);
    button->setObjectName(QStringLiteral("lock/") + text(key(*dimension)));
    connect(button, &LockButton::lockToggled, this, [this, name, which = *dimension](bool locked) {
        Q_EMIT lockEdited(which, locked, locked ? tr("Lock %1").arg(lowered(name)) : tr("Free %1").arg(lowered(name)));
    });
}

void StrategySection::setLocks(const std::set<SearchDimension>& locks)
{
    for (const auto& [dimension, button] : m_locks)
        button->setLocked(locks.contains(dimension));
}

LockButton* StrategySection::lock(SearchDimension dimension) const
{
    const auto button = m_locks.find(dimension);
    return button == m_locks.end() ? nullptr : button->second;
}

void StrategySection::addZero()
{
    auto* zero =
        new FieldRow(tr("ZeRO"), tr("What the replicas split among themselves instead of each keeping a copy."), this);
    m_zero = new ChoiceField(zero);
    m_zero->setObjectName(QStringLiteral("/strategy/zero_stage"));
    m_zero->addChoice(tr("0 · nothing"), 0, tr("Every replica keeps weights, gradients and optimizer state."));
    m_zero->addChoice(tr("1 · optimizer"), 1, tr("Optimizer state is split: no extra traffic."));
    m_zero->addChoice(tr("2 · + gradients"), 2, tr("Gradients too: reduced to their owner as they appear."));
    m_zero->addChoice(tr("3 · + weights"), 3, tr("Weights too (FSDP): gathered layer by layer, in both passes."));
    zero->add(m_zero, tr("ZeRO stage"));
    addLock(*zero, tr("ZeRO stage"), SearchDimension::ZeroStage);
    addRow(zero);
    connect(
        zero, &FieldRow::defaultAsked, this, [this] { set(StrategyField::ZeroStage, Strategy{}.zeroStage, false); });
    connect(m_zero, &ChoiceField::keyChosen, this, [this](int stage) { set(StrategyField::ZeroStage, stage, false); });
}

/// In sight where the states can be shared out among fewer than all replicas.
void StrategySection::addShards()
{
    m_shardsRow = new FieldRow(tr("Shard over"),
        tr("Replicas that split what ZeRO splits, the innermost ones; the others hold copies (HSDP)."), this);
    m_shards = new ChoiceField(m_shardsRow);
    m_shards->setObjectName(QStringLiteral("/strategy/zero_shards"));
    m_shardsRow->add(m_shards, tr("Ranks that ZeRO shards over"));
    addLock(*m_shardsRow, tr("Ranks that ZeRO shards over"), SearchDimension::ZeroShards);
    addRow(m_shardsRow);
    connect(m_shardsRow, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Shard over all replicas"), [](Plan& p) { p.strategy.zeroShards = Strategy{}.zeroShards; });
    });
    connect(m_shards, &ChoiceField::keyChosen, this, [this](int ranks) {
        edit(tr("Shard over %1").arg(m_shards->currentText()), [ranks](Plan& p) { p.strategy.zeroShards = ranks; });
    });
}

/// In sight where there are ranks that share out a sequence.
void StrategySection::addContextMethod()
{
    m_contextRow = new FieldRow(tr("Context method"), tr("How context-parallel ranks see all keys and values."), this);
    m_contextMethod = new ChoiceField(m_contextRow);
    m_contextMethod->setObjectName(QStringLiteral("/strategy/context_method"));
    m_contextMethod->addChoice(
        tr("ring"), int(ContextMethod::Ring), tr("Blocks travel round a ring behind attention: least memory."));
    m_contextMethod->addChoice(tr("all-gather"), int(ContextMethod::AllGather),
        tr("Keys and values of the whole sequence are gathered before attention."));
    m_contextMethod->addChoice(tr("Ulysses"), int(ContextMethod::Ulysses),
        tr("Tokens are exchanged for heads and back: needs heads that TP × CP divides."));
    m_contextRow->add(m_contextMethod, tr("Context parallel method"));
    addLock(*m_contextRow, tr("Context parallel method"), SearchDimension::ContextMethod);
    addRow(m_contextRow);
    connect(m_contextRow, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Restore the context method"), [](Plan& p) { p.strategy.contextMethod = Strategy{}.contextMethod; });
    });
    connect(m_contextMethod, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Set the context method to %1").arg(m_contextMethod->currentText()),
            [value](Plan& p) { p.strategy.contextMethod = static_cast<ContextMethod>(value); });
    });
}

void StrategySection::refreshSharing()
{
    const Strategy& strategy = plan().strategy;
    std::vector<int> values = shardValues(strategy);
    values.back() = 0; // all of them
    if (std::ranges::find(values, strategy.zeroShards) == values.end())
        values.insert(values.begin(), strategy.zeroShards); // it breaks a rule, and says so there
    std::vector<int> offered;
    for (int i = 0; i < m_shards->count(); ++i)
        offered.push_back(m_shards->itemData(i).toInt());
    if (offered != values) {
        const QSignalBlocker quiet(m_shards);
        m_shards->clear();
        for (const int ranks : values)
            m_shards->addChoice(ranks == 0 ? tr("all replicas")
                    : ranks == 1           ? tr("1 rank")
                                           : tr("%1 ranks").arg(ranks),
                ranks);
    }
    m_shards->setKey(strategy.zeroShards);
    m_shardsRow->setVisible(strategy.zeroShards != 0 || (strategy.zeroStage > 0 && values.size() > 1));
    m_contextMethod->setKey(int(strategy.contextMethod));
    m_contextRow->setVisible(strategy.cp > 1);
}

void StrategySection::addSchedule()
{
    auto* schedule =
        new FieldRow(tr("Schedule"), tr("The order in which each stage runs its forward and backward passes."), this);
    m_schedule = new ChoiceField(schedule);
    m_schedule->setObjectName(QStringLiteral("/strategy/schedule"));
    for (const Schedule s : {Schedule::GPipe, Schedule::OneFOneB, Schedule::EagerOneFOneB, Schedule::Interleaved,
             Schedule::BreadthFirst, Schedule::ZbH1, Schedule::ZbH2, Schedule::ZbAuto, Schedule::ZbV, Schedule::VHalf,
             Schedule::VMin, Schedule::DualPipe, Schedule::DualPipeV})
        m_schedule->addChoice(scheduleText(s), int(s), scheduleExplanation(s));
    schedule->add(m_schedule, tr("Pipeline schedule"));
    addLock(*schedule, tr("Pipeline schedule"), SearchDimension::Schedule);
    auto* sequence = new FieldRow(tr("Sequence parallel"),
        tr("Norms and dropout are cut along the sequence over the tensor-parallel group: less memory, same traffic."),
        this);
    m_sequenceParallel = new ToggleSwitch(sequence);
    m_sequenceParallel->setObjectName(QStringLiteral("/strategy/sequence_parallel"));
    sequence->add(m_sequenceParallel, tr("Sequence parallel"));
    addLock(*sequence, tr("Sequence parallel"), SearchDimension::SequenceParallel);
    addRow(schedule);
    addRow(sequence);
    connect(schedule, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Restore the schedule"), [](Plan& p) { p.strategy = withSchedule(p, Strategy{}.schedule); });
    });
    connect(sequence, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Restore sequence parallelism"),
            [](Plan& p) { p.strategy.sequenceParallel = Strategy{}.sequenceParallel; });
    });
    connect(m_schedule, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Use the %1 schedule").arg(m_schedule->currentText()),
            [value](Plan& p) { p.strategy = withSchedule(p, static_cast<Schedule>(value)); });
    });
    connect(m_sequenceParallel, &QCheckBox::toggled, this, [this](bool on) {
        edit(on ? tr("Turn sequence parallelism on") : tr("Turn sequence parallelism off"),
            [on](Plan& p) { p.strategy.sequenceParallel = on; });
    });
}

void StrategySection::addTimingPass()
{
    m_timingPassRow = new FieldRow(tr("Timing pass"),
        tr("Gradients are reduced beside the passes and not inside the last one, and transfers leave when they are "
           "ready: nobody waits for them in vain."),
        this);
    m_timingPass = new ToggleSwitch(m_timingPassRow);
    m_timingPass->setObjectName(QStringLiteral("/strategy/timing_pass"));
    m_timingPassRow->add(m_timingPass, tr("Timing pass"));
    addLock(*m_timingPassRow, tr("Timing pass"), SearchDimension::TimingPass);
    addRow(m_timingPassRow);
    connect(m_timingPassRow, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Restore the timing pass"), [](Plan& p) { p.strategy.timingPass = Strategy{}.timingPass; });
    });
    connect(m_timingPass, &QCheckBox::toggled, this, [this](bool on) {
        edit(on ? tr("Turn the timing pass on") : tr("Turn the timing pass off"),
            [on](Plan& p) { p.strategy.timingPass = on; });
    });
}

void StrategySection::addLayers()
{
    m_layersRow = new FieldRow(tr("Stage layers"),
        tr("Layers of each stage. Locked, a search leaves the first and the last stage as many fewer or more than "
           "their even share as they have now; the whole space varies them."),
        this);
    m_layers = new ElidedLabel(m_layersRow);
    m_layersRow->add(m_layers, tr("Layers per stage"));
    addLock(*m_layersRow, tr("Layers of the first and the last stage"), SearchDimension::EndLayers);
    addRow(m_layersRow);
    connect(m_layersRow, &FieldRow::defaultAsked, this,
        [this] { edit(tr("Restore the even split"), [](Plan& p) { p.strategy.stageLayers.clear(); }); });
}

void StrategySection::refreshLayers()
{
    const Strategy& strategy = plan().strategy;
    QStringList layers;
    for (const int count : strategy.stageLayers)
        layers << QString::number(count);
    m_layers->setText(layers.isEmpty() ? tr("even") : layers.join(u' '));
    m_layersRow->setVisible(strategy.pp > 1 || !layers.isEmpty());
}

void StrategySection::addVocabulary()
{
    m_vocabularyRow = new FieldRow(tr("Vocabulary"),
        tr("Where the embedding and the output projection are: large ones slow the stages at the ends."), this);
    m_vocabulary = new ChoiceField(m_vocabularyRow);
    m_vocabulary->setObjectName(QStringLiteral("/strategy/vocabulary_placement"));
    m_vocabulary->addChoice(tr("at the ends"), int(VocabularyPlacement::Ends), tr("On the first and the last stage."));
    m_vocabulary->addChoice(tr("Vocab-1"), int(VocabularyPlacement::Vocab1),
        tr("Divided over all stages, which agree on the loss twice behind other passes: two more micro-batches in "
           "memory."));
    m_vocabulary->addChoice(tr("Vocab-2"), int(VocabularyPlacement::Vocab2),
        tr("Divided over all stages, which agree on the loss once: one more micro-batch in memory, a little more "
           "work."));
    m_vocabulary->addChoice(tr("interlaced"), int(VocabularyPlacement::Interlaced),
        tr("Divided over all stages, which wait for one another in every micro-batch: half as many again in memory."));
    m_vocabularyRow->add(m_vocabulary, tr("Vocabulary placement"));
    addLock(*m_vocabularyRow, tr("Vocabulary placement"), SearchDimension::VocabularyPlacement);
    addRow(m_vocabularyRow);
    connect(m_vocabularyRow, &FieldRow::defaultAsked, this, [this] {
        edit(tr("Leave the vocabulary at the ends"),
            [](Plan& p) { p.strategy.vocabularyPlacement = Strategy{}.vocabularyPlacement; });
    });
    connect(m_vocabulary, &ChoiceField::keyChosen, this, [this](int value) {
        edit(tr("Set the vocabulary placement to %1").arg(m_vocabulary->currentText()),
            [value](Plan& p) { p.strategy.vocabularyPlacement = static_cast<VocabularyPlacement>(value); });
    });
}

void StrategySection::set(StrategyField field, int value, bool held)
{
    const auto row = m_sliders.find(field);
    const QString name = row == m_sliders.end() ? tr("ZeRO stage") : row->second.name;
    edit(
        tr("Set %1 to %2").arg(lowered(name), groupedNumber(value)),
        [field, value](Plan& p) { p.strategy = withValue(p, field, value); }, held ? m_mergeId : -1);
}

LegalSlider* StrategySection::slider(StrategyField field) const
{
    const auto row = m_sliders.find(field);
    return row == m_sliders.end() ? nullptr : row->second.slider;
}

void StrategySection::setZones(StrategyField field, const std::vector<SliderStop>& zones)
{
    LegalSlider* target = slider(field);
    if (!target)
        return;
    std::vector<SliderStop> stops = target->stops();
    for (SliderStop& stop : stops) {
        const auto verdict = std::ranges::find(zones, stop.value, &SliderStop::value);
        if (verdict != zones.end())
            stop = *verdict;
    }
    target->setStops(std::move(stops));
    target->setOutdated(false);
}

void StrategySection::fillRecipes()
{
    m_recipes.clear();
    std::vector<PickerItem> items;
    QString current;
    for (const StrategyRecipe& recipe : strategyRecipes(plan())) {
        const QString id = QString::number(m_recipes.size());
        items.push_back({id, recipe.name, {}, recipe.detail, recipe.reason});
        if (recipe.strategy == plan().strategy)
            current = id;
        m_recipes.push_back(recipe.strategy);
    }
    preset().setItems(std::move(items));
    preset().setCurrent(current, tr("Recipes"));
}

void StrategySection::refresh()
{
    const Strategy& strategy = plan().strategy;
    const bool changed = !(plan() == m_shown);
    m_shown = plan();
    for (const auto& [field, row] : m_sliders) {
        std::vector<SliderStop> stops;
        for (const int v : sliderValues(plan(), field)) {
            const auto known = std::ranges::find(row.slider->stops(), v, &SliderStop::value);
            stops.push_back(known == row.slider->stops().end() ? SliderStop{v, Zone::Unknown, {}} : *known);
        }
        row.slider->setStops(std::move(stops));
        if (changed)
            row.slider->setOutdated(true);
        row.slider->setValue(value(strategy, field));
        row.count->setValue(value(strategy, field));
    }
    m_sliders.at(StrategyField::Ep).row->setVisible(plan().model.moe.has_value() || strategy.ep > 1);
    m_sliders.at(StrategyField::Etp)
        .row->setVisible((plan().model.moe.has_value() && strategy.tp > 1) || strategy.etp > 1);
    refreshSharing();
    m_zero->setKey(strategy.zeroStage);
    m_recompute->setKey(int(strategy.recompute));
    // Schedules of other programs and later versions are shown by their key while a plan names them.
    if (m_schedule->findData(int(strategy.schedule)) < 0)
        m_schedule->addChoice(scheduleText(strategy.schedule), int(strategy.schedule));
    m_schedule->setKey(int(strategy.schedule));
    refreshMemory();
    refreshRankOrder();
    refreshLayers();
    m_vocabulary->setKey(int(strategy.vocabularyPlacement));
    m_vocabularyRow->setVisible(strategy.pp > 1 || strategy.vocabularyPlacement != VocabularyPlacement::Ends);
    m_sequenceParallel->setOn(strategy.sequenceParallel);
    m_timingPass->setOn(strategy.timingPass);
    m_timingPassRow->setVisible(strategy.pp > 1 || strategy.timingPass); // one stage waits for none
    const QString factors = strategy.cp > 1
        ? QStringLiteral("%1 × %2 × %3 × %4").arg(strategy.tp).arg(strategy.cp).arg(strategy.pp).arg(strategy.dp)
        : QStringLiteral("%1 × %2 × %3").arg(strategy.tp).arg(strategy.pp).arg(strategy.dp);
    m_ranks->setValue(tr("%1 = %2").arg(factors, groupedNumber(rankCount(strategy))));
    const int m = microBatches(plan());
    m_microBatches->setValue(m > 0 ? groupedNumber(m) : tr("the batch does not divide"));
}

} // namespace stratoplan

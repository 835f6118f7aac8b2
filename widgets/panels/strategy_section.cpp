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

namespace stratoplan::widgets {

namespace {

constexpr int kCountWidth = 54;

/// Inside a sentence; ZeRO stays as it is written.
QString lowered(const QString& name)
{
    return name.startsWith(u'Z') ? name : name.toLower();
}

bool isDragged(plan::Dimension id)
{
    return std::ranges::find(plan::kDraggedDimensions, id) != plan::kDraggedDimensions.end();
}

QString placeOf(plan::Dimension id)
{
    return QStringLiteral("/strategy/") + text(key(id));
}

} // namespace

StrategySection::StrategySection(const catalog::Catalog& catalog, QWidget* parent)
    : InputsSection(tr("Strategy"), catalog, parent)
{
    preset().setCurrent({}, tr("Recipes"));
    preset().setAccessibleName(tr("Strategy recipes"));
    preset().setExplanation(tr("Start from a well-known way to divide this model over this cluster"));
    connect(&preset(), &Picker::picked, this, [this](const QString& id) {
        const auto index = static_cast<std::size_t>(id.toInt());
        if (index < m_recipes.size())
            edit(tr("Choose a strategy recipe"), [this, index](plan::Plan& p) { p.strategy = m_recipes[index]; });
    });
    preset().setEmptyText(tr("No recipe fits this model on this cluster: see the problems below."));
    // Recipes are worked out when the list is about to open, not at every step of a slider.
    connect(&preset(), &Picker::aboutToOpen, this, &StrategySection::fillRecipes);

    for (const DimensionWords& words : dimensionWords())
        addField(words);
    m_ranks = new InfoRow(tr("Ranks"), tr("Tensor × context × pipeline × data, of the accelerators there are."));
    m_microBatches = new InfoRow(
        tr("Micro-batches"), tr("Global batch over data parallel × micro-batch: what fills the pipeline each step."));
    addRow(m_ranks);
    addRow(m_microBatches);
}

void StrategySection::addField(const DimensionWords& words)
{
    Field& field = m_fields[words.id];
    const QString name = widgets::tr(words.name);
    field.row = new FieldRow(widgets::tr(words.label), widgets::tr(words.explanation), this);
    if (words.id == plan::Dimension::EndLayers)
        addLayers(field);
    else if (words.id == plan::Dimension::OrderOfRanks)
        addRankOrder(field, words);
    else if (isSwitch(dimension(words.id)))
        addSwitch(field, words);
    else if (isDragged(words.id) && words.choices.empty())
        addSlider(field, words);
    else
        addChoices(field, words);
    addLock(*field.row, name, words.id);
    addRow(field.row);
    connect(field.row, &FieldRow::defaultAsked, this, [this, &words] { restore(words); });
}

void StrategySection::addSlider(Field& field, const DimensionWords& words)
{
    const QString name = widgets::tr(words.name);
    field.slider = new LegalSlider(field.row);
    field.count = new CountField(field.row);
    field.count->setObjectName(placeOf(words.id));
    field.count->setFixedWidth(kCountWidth);
    field.count->setRange(1, 1'000'000);
    field.row->add(field.slider, name, 1);
    field.slider->setToolTip({}); // it tells about the value under the pointer instead
    field.row->add(field.count, tr("%1, typed").arg(name), 0);
    connect(field.slider, &LegalSlider::dragStarted, this, [this] { ++m_mergeId; });
    connect(field.slider, &LegalSlider::valueChanged, this,
        [this, id = words.id](int value, bool held) { setCount(id, value, held); });
    connect(
        field.count, &CountField::valueChanged, this, [this, id = words.id](int value) { setCount(id, value, false); });
}

void StrategySection::addSwitch(Field& field, const DimensionWords& words)
{
    field.toggle = new ToggleSwitch(field.row);
    field.toggle->setObjectName(placeOf(words.id));
    field.row->add(field.toggle, widgets::tr(words.name));
    connect(field.toggle, &QCheckBox::toggled, this, [this, &words](bool on) {
        edit(widgets::tr(on ? words.set : words.turnOff),
            [id = words.id, on](plan::Plan& p) { p.strategy = withValue(p, id, int(on)); });
    });
}

void StrategySection::addChoices(Field& field, const DimensionWords& words)
{
    field.choice = new ChoiceField(field.row);
    field.choice->setObjectName(placeOf(words.id));
    for (const ChoiceWords& choice : words.choices)
        field.choice->addChoice(widgets::tr(choice.text), choice.value, widgets::tr(choice.explanation));
    field.row->add(field.choice, widgets::tr(words.name));
    connect(field.choice, &ChoiceField::keyChosen, this, [this, &words, choice = field.choice](int value) {
        if (!words.set)
            return setCount(words.id, value, false);
        edit(widgets::tr(words.set).arg(choice->currentText()),
            [id = words.id, value](plan::Plan& p) { p.strategy = withValue(p, id, value); });
    });
}

void StrategySection::addLock(FieldRow& row, const QString& name, plan::Dimension id)
{
    auto* button = new LockButton(lowered(name), &row);
    const bool isLockable = int(id) < plan::kLockableDimensions;
    if (!isLockable) { // its room alone
        QSizePolicy policy = button->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        button->setSizePolicy(policy);
        button->hide();
    }
    row.add(button, button->accessibleName(), 0);
    if (!isLockable)
        return;
    m_locks.emplace(id, button);
    button->setObjectName(QStringLiteral("lock/") + text(key(id)));
    connect(button, &LockButton::lockToggled, this, [this, name, id](bool locked) {
        Q_EMIT lockEdited(id, locked, locked ? tr("Lock %1").arg(lowered(name)) : tr("Free %1").arg(lowered(name)));
    });
}

void StrategySection::setLocks(const std::set<plan::Dimension>& locks)
{
    for (const auto& [dimension, button] : m_locks)
        button->setLocked(locks.contains(dimension));
}

LockButton* StrategySection::lock(plan::Dimension dimension) const
{
    const auto button = m_locks.find(dimension);
    return button == m_locks.end() ? nullptr : button->second;
}

void StrategySection::setCount(plan::Dimension id, int value, bool held)
{
    edit(
        tr("Set %1 to %2").arg(lowered(widgets::tr(wordsOf(id).name)), groupedNumber(value)),
        [id, value](plan::Plan& p) { p.strategy = withValue(p, id, value); }, held ? m_mergeId : -1);
}

void StrategySection::restore(const DimensionWords& words)
{
    const plan::Dimension id = words.id == plan::Dimension::EndLayers ? plan::Dimension::StageLayers : words.id;
    const int usual = number(id, parallel::Strategy{});
    if (!words.restore)
        return setCount(id, usual, false);
    edit(widgets::tr(words.restore), [id, usual](plan::Plan& p) {
        p.strategy = withValue(p, id, usual);
        makeUsual(dimension(id), p.strategy); // a list is no number
    });
}

LegalSlider* StrategySection::slider(plan::Dimension field) const
{
    const auto found = m_fields.find(field);
    return found == m_fields.end() ? nullptr : found->second.slider;
}

void StrategySection::setZones(plan::Dimension field, const std::vector<SliderStop>& zones)
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

void StrategySection::refreshSlider(plan::Dimension id, Field& field)
{
    std::vector<SliderStop> stops;
    for (const int v : offeredValues(plan(), id)) {
        const auto known = std::ranges::find(field.slider->stops(), v, &SliderStop::value);
        stops.push_back(known == field.slider->stops().end() ? SliderStop{v, Zone::Unknown, {}} : *known);
    }
    field.slider->setStops(std::move(stops));
    field.slider->setValue(number(id, plan().strategy));
    field.count->setValue(number(id, plan().strategy));
}

void StrategySection::refreshField(plan::Dimension id, Field& field)
{
    const parallel::Strategy& strategy = plan().strategy;
    if (field.slider)
        refreshSlider(id, field);
    else if (field.choice && id != plan::Dimension::OrderOfRanks)
        field.choice->setKey(number(id, strategy));
    else if (field.toggle)
        field.toggle->setOn(number(id, strategy) != 0);
    const plan::DimensionRow& row = dimension(id);
    const Shown shown = wordsOf(id).shown;
    if (shown != Shown::Always)
        field.row->setVisible(
            matters(row, strategy, plan().model) || (shown == Shown::WhereItMattersOrIsSet && !isUsual(row, strategy)));
}

void StrategySection::refresh()
{
    const parallel::Strategy& strategy = plan().strategy;
    refreshShards();
    refreshInFlightLimit();
    refreshRankOrder();
    refreshLayers();
    const bool changed = !(plan() == m_shown);
    for (auto& [id, field] : m_fields) {
        refreshField(id, field);
        if (changed && field.slider)
            field.slider->setOutdated(true);
    }
    refreshTensorPartition();
    refreshSequenceParallel();
    m_shown = plan();
    m_fields.at(plan::Dimension::Ep).row->setVisible(plan().model.moe.has_value() || strategy.ep > 1);
    m_fields.at(plan::Dimension::Etp)
        .row->setVisible((plan().model.moe.has_value() && strategy.tp > 1) || strategy.etp > 1);
    const QString factors = strategy.cp > 1
        ? QStringLiteral("%1 × %2 × %3 × %4").arg(strategy.tp).arg(strategy.cp).arg(strategy.pp).arg(strategy.dp)
        : QStringLiteral("%1 × %2 × %3").arg(strategy.tp).arg(strategy.pp).arg(strategy.dp);
    m_ranks->setValue(tr("%1 = %2").arg(factors, groupedNumber(rankCount(strategy))));
    const int m = microBatches(plan());
    m_microBatches->setValue(m > 0 ? groupedNumber(m) : tr("the batch does not divide"));
}

} // namespace stratoplan::widgets

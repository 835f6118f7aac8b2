// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/live_strip.h"

#include "app/gui/present/live_inputs.h"
#include "core/plan/dimensions.h"
#include "widgets/panels/day_field.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::gui {

namespace {

constexpr std::array kLive{plan::Dimension::Tp, plan::Dimension::Pp, plan::Dimension::MicroBatch};
constexpr double kLabelType = 2.1; // hundredths of the screen's height
constexpr double kFieldType = 2.2;
constexpr double kPointsOfInch = 72;
constexpr double kMostTokens = 1e18, kMostPrice = 1e9;
constexpr int kSliderStretch = 3, kFieldStretch = 2;

} // namespace

LiveStrip::LiveStrip(QWidget* parent)
    : QWidget(parent)
    , m_row(new QHBoxLayout(this))
    , m_tokens(new widgets::UnitField(widgets::UnitKind::Tokens, this))
    , m_price(new widgets::UnitField(widgets::UnitKind::Number, this))
    , m_start(new widgets::DayField(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Live inputs"));
    m_nodes = addSlider(tr("Nodes"));
    connect(m_nodes.slider, &widgets::LegalSlider::valueChanged, this, &LiveStrip::setNodes);
    for (const plan::Dimension id : kLive) {
        m_sliders[id] = addSlider(widgets::tr(widgets::wordsOf(id).name));
        connect(m_sliders[id].slider, &widgets::LegalSlider::valueChanged, this,
            [this, id](int value, bool held) { setDimension(id, value, held); });
    }
    addField(tr("Tokens"), tr("Token budget"), *m_tokens);
    addField(tr("Price per hour"), tr("Price of one accelerator for one hour"), *m_price);
    addField(tr("Start"), tr("First day of the run"), *m_start);
    m_tokens->setRange(0, kMostTokens);
    m_tokens->setZeroText(tr("not given"));
    m_price->setRange(0, kMostPrice);
    m_price->setZeroText(tr("list price"));
    connectFields();
}

LiveStrip::Slider LiveStrip::addSlider(const QString& name)
{
    auto* column = new QVBoxLayout;
    Slider made{new QLabel(name, this), new widgets::LegalSlider(this)};
    made.label->setObjectName(name);
    made.slider->setAccessibleName(name);
    connect(made.slider, &widgets::LegalSlider::dragStarted, this, [this] { ++m_mergeId; });
    made.label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    column->addWidget(made.label);
    column->addWidget(made.slider, 1, Qt::AlignVCenter);
    m_row->addLayout(column, kSliderStretch);
    m_labels.push_back(made.label);
    return made;
}

QLabel* LiveStrip::addField(const QString& label, const QString& name, widgets::EntryField& field)
{
    auto* column = new QVBoxLayout;
    auto* title = new QLabel(label, this);
    field.setAccessibleName(name);
    field.setToolTip(name);
    title->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    column->addWidget(title);
    column->addWidget(&field, 1, Qt::AlignVCenter);
    m_row->addLayout(column, kFieldStretch);
    m_labels.push_back(title);
    m_fields.push_back(&field);
    return title;
}

void LiveStrip::connectFields()
{
    connect(m_tokens, &widgets::UnitField::valueChanged, this, [this](double value) {
        m_capacity.tokens = value;
        m_capacity.steps = m_capacity.computeFlops = 0;
        Q_EMIT capacityEdited(m_capacity, tr("Set the token budget"));
    });
    connect(m_price, &widgets::UnitField::valueChanged, this, [this](double value) {
        (m_capacity.purchase == plan::Purchase::Owned ? m_capacity.owned.pricePerAccelerator
                                                      : m_capacity.pricePerAcceleratorHour) = value;
        Q_EMIT capacityEdited(m_capacity, tr("Set the price"));
    });
    connect(m_start, &widgets::DayField::dayChanged, this, [this](const QString& day) {
        m_capacity.start = day.toStdString();
        Q_EMIT capacityEdited(m_capacity, tr("Set the start"));
    });
}

void LiveStrip::setInputs(const plan::Plan& plan, const plan::CapacityInputs& capacity)
{
    const bool isNew = !m_hasPlan || plan != m_plan;
    m_hasPlan = true;
    m_plan = plan;
    m_capacity = capacity;
    if (isNew) {
        showNodes();
        showDimensions();
    }
    const bool isOwned = capacity.purchase == plan::Purchase::Owned;
    m_tokens->setValue(capacity.tokens);
    m_price->setZeroText(isOwned ? tr("not given") : tr("list price"));
    m_price->setValue(isOwned ? capacity.owned.pricePerAccelerator : capacity.pricePerAcceleratorHour);
    m_start->setDay(QString::fromStdString(capacity.start));
}

void LiveStrip::showNodes()
{
    m_nodes.slider->setEnabled(!m_plan.cluster.nodes.empty());
    if (m_plan.cluster.nodes.empty())
        return;
    const cluster::NodeGroup& group = m_plan.cluster.nodes[largestGroup(m_plan.cluster)];
    m_nodes.slider->setStops(nodeStops(m_plan));
    m_nodes.slider->setValue(group.count);
    const int all = acceleratorCount(m_plan.cluster);
    const QString name = m_plan.cluster.nodes.size() > 1
        ? tr("%1 nodes: %2").arg(widgets::text(group.name), widgets::groupedNumber(group.count))
        : tr("Nodes: %1").arg(widgets::groupedNumber(group.count));
    m_nodes.label->setText(tr("%1 (%2)").arg(name, widgets::acceleratorsText(all)));
}

void LiveStrip::showDimensions()
{
    for (auto& [id, each] : m_sliders) {
        std::vector<widgets::SliderStop> stops;
        for (const int value : offeredValues(m_plan, id)) {
            const auto known = std::ranges::find(each.slider->stops(), value, &widgets::SliderStop::value);
            stops.push_back(
                known == each.slider->stops().end() ? widgets::SliderStop{value, widgets::Zone::Unknown, {}} : *known);
        }
        each.slider->setStops(std::move(stops));
        each.slider->setOutdated(true);
        const int value = number(id, m_plan.strategy);
        each.slider->setValue(value);
        each.label->setText(tr("%1: %2").arg(each.slider->accessibleName(), widgets::groupedNumber(value)));
    }
}

void LiveStrip::setZones(const session::StrategyZones& zones)
{
    for (auto& [id, each] : m_sliders) {
        const auto judged = zones.find(id);
        if (judged == zones.end())
            continue;
        std::vector<widgets::SliderStop> stops = each.slider->stops();
        for (widgets::SliderStop& stop : stops) {
            const auto verdict = std::ranges::find(judged->second, stop.value, &widgets::SliderStop::value);
            if (verdict != judged->second.end())
                stop = *verdict;
        }
        each.slider->setStops(std::move(stops));
        each.slider->setOutdated(false);
    }
}

void LiveStrip::setDimension(plan::Dimension id, int value, bool held)
{
    plan::Plan changed = m_plan;
    changed.strategy = withValue(m_plan, id, value);
    Q_EMIT planEdited(changed,
        tr("Set %1 to %2").arg(widgets::tr(widgets::wordsOf(id).name).toLower(), widgets::groupedNumber(value)),
        held ? m_mergeId : -1);
}

void LiveStrip::setNodes(int count, bool held)
{
    Q_EMIT planEdited(
        withNodes(m_plan, count), tr("Set the nodes to %1").arg(widgets::groupedNumber(count)), held ? m_mergeId : -1);
}

void LiveStrip::setUnit(double unit)
{
    const auto sized = [&](double size) {
        QFont type = font();
        type.setPointSizeF(std::max(1.0, size * unit * kPointsOfInch / logicalDpiY()));
        return type;
    };
    for (QLabel* label : m_labels)
        label->setFont(sized(kLabelType));
    for (widgets::EntryField* field : m_fields)
        field->setFont(sized(kFieldType));
    constexpr double kSide = 4, kAbove = 1, kGap = 3;
    m_row->setContentsMargins(int(kSide * unit), int(kAbove * unit), int(kSide * unit), int(kAbove * unit));
    m_row->setSpacing(int(kGap * unit));
}

} // namespace stratoplan::gui

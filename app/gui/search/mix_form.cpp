// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/mix_form.h"

#include "core/units/sentence.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kLongestLabel = 150; ///< pixels; the whole name is a tool tip

QString nameOf(const cluster::NodeGroup& nodes)
{
    return widgets::text(nodes.name.empty() ? nodes.id : nodes.name);
}

} // namespace

QString whyNoMixes(const cluster::Cluster& cluster)
{
    qint64 count = 0;
    for (const cluster::NodeGroup& nodes : cluster.nodes)
        count += takesPart(nodes) ? nodes.count : 0;
    return count == 0 ? MixForm::tr("The cluster has no nodes with accelerators.")
        : count == 1  ? MixForm::tr("The cluster has one node with accelerators: there is nothing to choose between.")
                      : QString();
}

MixForm::MixForm()
    : m_heading(new QLabel(this))
    , m_prices(new QVBoxLayout)
    , m_everyCount(new widgets::ToggleSwitch(this))
    , m_note(new widgets::ToneLabel(widgets::ToneLabel::Tone::Secondary, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(widgets::kGrid);
    setTextRole(*m_heading, widgets::TextRole::Section);
    m_heading->setWordWrap(true);
    column->addWidget(m_heading);
    m_prices->setContentsMargins(0, 0, 0, 0);
    m_prices->setSpacing(widgets::kRowGap);
    column->addLayout(m_prices);
    auto* counts = new widgets::FieldRow(
        tr("Every count"), tr("Try every number of nodes of a group; else all of them, and powers of two"), this);
    counts->add(m_everyCount, tr("Every number of nodes"));
    column->addWidget(counts);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    connect(m_everyCount, &widgets::ToggleSwitch::toggled, this, &MixForm::refresh);
}

void MixForm::setCluster(const cluster::Cluster& cluster, double price, const QString& currency)
{
    m_heading->setText(tr("Price of an accelerator-hour, %1").arg(currency));
    const bool isOther = cluster.nodes != m_cluster.nodes;
    if (isOther || cluster.connections != m_cluster.connections) {
        m_cluster = cluster;
        m_counted.reset();
    }
    m_price = price;
    if (isOther || m_rows.empty())
        makeRows();
    showPrices();
    refresh();
}

void MixForm::forgetTyped()
{
    m_typed.clear();
    m_everyCount->setOn(false);
    makeRows();
}

void MixForm::makeRows()
{
    for (const PriceRow& row : m_rows)
        delete row.row;
    m_rows.clear();
    for (std::size_t group = 0; group < m_cluster.nodes.size(); ++group)
        if (takesPart(m_cluster.nodes[group]))
            m_rows.push_back(makeRow(group));
    QWidget* before = nullptr;
    for (const PriceRow& row : m_rows) {
        if (before)
            setTabOrder(before, row.field);
        before = row.field;
    }
    if (before)
        setTabOrder(before, m_everyCount);
    widgets::alignLabels(*this);
}

MixForm::PriceRow MixForm::makeRow(std::size_t group)
{
    const cluster::NodeGroup& nodes = m_cluster.nodes[group];
    const QString label = tr("%1 × %2").arg(widgets::groupedNumber(nodes.count), nameOf(nodes));
    const QString tip = tr("%1, %2. Price of one of them for an hour; no price for any group: mixes are compared by "
                           "accelerator-hours.")
                            .arg(label, widgets::acceleratorsText(qint64{nodes.count} * nodes.acceleratorsPerNode));
    PriceRow row{nodes.id, group, label, nullptr, nullptr};
    row.row = new widgets::FieldRow(fontMetrics().elidedText(label, Qt::ElideMiddle, kLongestLabel), tip);
    row.field = new widgets::UnitField(widgets::UnitKind::Number);
    row.field->setZeroText(tr("none"));
    row.field->setRange(0, search::kHighestPrice);
    row.row->add(row.field, tr("Price of an accelerator-hour, %1").arg(nameOf(nodes)));
    m_prices->addWidget(row.row);
    connect(row.field, &widgets::UnitField::valueChanged, this, [this, id = nodes.id](double price) {
        m_typed[id] = price;
        refresh();
    });
    connect(row.field, &widgets::EntryField::errorChanged, this, &MixForm::refresh);
    connect(row.row, &widgets::FieldRow::defaultAsked, this, [this, id = nodes.id] {
        m_typed.erase(id);
        showPrices();
        refresh();
    });
    return row;
}

void MixForm::showPrices()
{
    for (const PriceRow& row : m_rows) {
        const auto typed = m_typed.find(row.id);
        row.field->setValue(typed == m_typed.end() ? m_price : typed->second);
    }
}

search::MixOptions MixForm::asked() const
{
    search::MixOptions options{m_everyCount->isChecked(), std::vector<double>(m_cluster.nodes.size())};
    for (const PriceRow& row : m_rows)
        options.prices[row.group] = row.field->value();
    if (std::ranges::none_of(options.prices, search::isPrice))
        options.prices.clear();
    return options;
}

void MixForm::count(const search::MixOptions& options)
{
    if (!m_counted || m_counted->options != options)
        m_counted = {options, mixCount(m_cluster, options)};
}

QString MixForm::wrong(const search::MixOptions& options) const
{
    if (const QString why = whyNoMixes(m_cluster); !why.isEmpty())
        return why;
    if (std::ranges::any_of(m_rows, [](const PriceRow& row) { return !row.field->error().isEmpty(); }))
        return tr("Mend the price that is marked, or press Esc in it to go back.");
    QStringList unpriced;
    for (const std::size_t group : search::unpricedGroups(m_cluster, options.prices))
        unpriced << nameOf(m_cluster.nodes[group]);
    if (!unpriced.isEmpty())
        return tr("No price of %1: give every group of nodes one, or none of them.").arg(unpriced.join(tr(", ")));
    if (m_counted->number <= search::kMostMixes)
        return {};
    const QString most = widgets::groupedNumber(qint64(search::kMostMixes));
    return options.everyCount
        ? tr("More than %1 mixes: try powers of two, or a cluster of fewer groups of nodes.").arg(most)
        : tr("More than %1 mixes: try a cluster of fewer groups of nodes.").arg(most);
}

void MixForm::refresh()
{
    search::MixOptions options = asked();
    count(options);
    const QString why = wrong(options);
    const bool isPriced = !options.prices.empty();
    m_options.reset();
    if (why.isEmpty())
        m_options = std::move(options);
    m_note->setTone(why.isEmpty() ? widgets::ToneLabel::Tone::Secondary : widgets::ToneLabel::Tone::Bad);
    const auto numbered = [this](const QString& words) {
        return words.arg(widgets::groupedNumber(qint64(m_counted->number)));
    };
    m_note->setText(!why.isEmpty() ? why
            : isPriced             ? numbered(tr("%1 mixes, by step and price of a step"))
                                   : numbered(tr("%1 mixes, by step and accelerator-hours")));
    Q_EMIT changed();
}

QString MixForm::note() const
{
    return m_note->text();
}

bool MixForm::commit()
{
    widgets::EntryField* const field = widgets::commitFields(*this);
    if (field)
        field->setFocus();
    return !field;
}

} // namespace stratoplan::gui

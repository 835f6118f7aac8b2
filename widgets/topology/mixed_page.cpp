// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/mixed_page.h"

#include "core/units/format.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/text_field.h"
#include "widgets/style/theme.h"
#include "widgets/topology/cluster_fields.h"
#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/cluster_review.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/topology_text.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::widgets {

MixedPage::MixedPage(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_subtitle(new QLabel(tr("Select elements of one kind to edit more of them together."), this))
    , m_rackRow(new FieldRow(tr("Rack"), rackExplanation(), this))
    , m_rack(new TextField(tr("none"), m_rackRow))
    , m_accelerators(new InfoRow(tr("Accelerators"), tr("Of the selected nodes."), this))
    , m_peak(new InfoRow(tr("Peak, 16-bit"),
          tr("Dense matrix rate of all these accelerators in BF16, or FP16 where they lack it."), this))
    , m_memory(new InfoRow(tr("Memory"), tr("Memory of all these accelerators."), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    column->setSpacing(kRowGap);
    setTextRole(*m_title, TextRole::Title);
    setTextRole(*m_subtitle, TextRole::Secondary);
    for (QLabel* label : {m_title, m_subtitle}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addSpacing(kGrid);
    m_rack->setMaxLength(kMostOfName);
    m_rackRow->add(m_rack, tr("Rack"));
    for (QWidget* row : std::initializer_list<QWidget*>{m_rackRow, m_accelerators, m_peak, m_memory})
        column->addWidget(row);
    connect(m_rack, &TextField::valueChanged, this, &MixedPage::apply);
    connect(m_rack, &TextField::finished, this, &MixedPage::finished);
}

void MixedPage::setSelection(const cluster::Cluster& cluster, const QStringList& keys)
{
    m_cluster = cluster;
    m_elements = elementsAmong(cluster, keys);
    const std::string rack = wholeRack(cluster, m_elements);
    const bool isRack = !rack.empty() && m_elements.size() == static_cast<std::size_t>(keys.size());
    m_title->setText(isRack ? fromText(rack) : tr("%1 selected").arg(groupedNumber(keys.size())));
    m_rackRow->setVisible(!m_elements.empty());
    showRack();
    showTotals();
}

void MixedPage::showRack()
{
    if (m_elements.empty())
        return;
    const auto racks = rackOfEach(m_cluster);
    const std::string_view first = racks.at(m_elements.front());
    m_rack->setValue(fromText(std::string(first)));
    const bool differ = std::ranges::any_of(m_elements, [&](const std::string& id) { return racks.at(id) != first; });
    m_rack->setDiffers(differ);
    m_rackRow->label().setText(differ ? tr("Rack (differ)") : tr("Rack"));
}

void MixedPage::showTotals()
{
    const ClusterTotals totals = clusterTotals(partOf({m_cluster, {}}, m_elements).cluster);
    m_accelerators->setValue(groupedNumber(totals.accelerators));
    m_peak->setValue(fromText(format(totals.peak)));
    m_memory->setValue(fromText(format(totals.memory)));
    for (InfoRow* row : {m_accelerators, m_peak, m_memory})
        row->setVisible(totals.accelerators > 0);
}

void MixedPage::apply(const QString& rack)
{
    const std::string whole = wholeRack(m_cluster, m_elements);
    if (!whole.empty()) {
        if (const auto edit = renamedRack({m_cluster, {}}, fromText(whole), rack))
            Q_EMIT edited(edit->next.cluster, edit->name);
        return;
    }
    cluster::Cluster next = m_cluster;
    if (setRack(next, m_elements, rack.toStdString()))
        Q_EMIT edited(next, rack.isEmpty() ? tr("Take out of its rack") : tr("Put into %1").arg(rack));
}

void MixedPage::commitPending()
{
    m_rack->commit();
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/catalog_items.h"

#include "core/units/format.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

#include <QCoreApplication>

namespace stratoplan::widgets {

namespace {

} // namespace

std::vector<PickerItem> acceleratorItems(const catalog::Catalog& catalog)
{
    std::vector<PickerItem> items;
    for (const cluster::Accelerator& a : catalog.accelerators) {
        // The best dense rate people quote: BF16 where there is one, else FP16.
        const bool bf16 = a.peak[model::Precision::Bf16].value() > 0;
        const FlopsPerSecond rate = a.peak[bf16 ? model::Precision::Bf16 : model::Precision::Fp16];
        items.push_back({text(a.id), text(a.name), text(a.vendor),
            text(format(rate)) + (bf16 ? QStringLiteral(" bf16") : QStringLiteral(" fp16")), text(a.source)});
    }
    return items;
}

std::vector<PickerItem> linkItems(const catalog::Catalog& catalog, bool network)
{
    std::vector<PickerItem> items;
    for (const bool wanted : {network, !network}) {
        for (const cluster::Link& link : catalog.links) {
            if (isNetwork(link.kind) != wanted)
                continue;
            const UnitKind unit = isNetwork(link.kind) ? UnitKind::BitRate : UnitKind::Bandwidth;
            items.push_back({text(link.id), text(link.name), linkKindName(link.kind),
                unitText(unit, link.bandwidth.value()), text(link.source)});
        }
    }
    return items;
}

QString linkKindName(cluster::LinkKind kind)
{
    switch (kind) {
    case cluster::LinkKind::NvLink:
        return QStringLiteral("NVLink");
    case cluster::LinkKind::Pcie:
        return QStringLiteral("PCIe");
    case cluster::LinkKind::InfiniBand:
        return QStringLiteral("InfiniBand");
    case cluster::LinkKind::Ethernet:
        return QStringLiteral("Ethernet");
    case cluster::LinkKind::Slingshot:
        return QStringLiteral("Slingshot");
    case cluster::LinkKind::InfinityFabric:
        return QStringLiteral("Infinity Fabric");
    case cluster::LinkKind::Hccs:
        return QStringLiteral("HCCS");
    case cluster::LinkKind::Ici:
        return QStringLiteral("ICI");
    case cluster::LinkKind::Other:
        break;
    }
    return QCoreApplication::translate("LinkKind", "Other link");
}

} // namespace stratoplan::widgets

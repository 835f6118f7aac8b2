// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/catalog_items.h"

#include "core/units/format.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"

#include <QCoreApplication>

namespace stratoplan {

namespace {

} // namespace

std::vector<PickerItem> acceleratorItems(const Catalog& catalog)
{
    std::vector<PickerItem> items;
    for (const Accelerator& a : catalog.accelerators) {
        // The best dense rate people quote: BF16 where there is one, else FP16.
        const bool bf16 = a.peak[Precision::Bf16].value() > 0;
        const FlopsPerSecond rate = a.peak[bf16 ? Precision::Bf16 : Precision::Fp16];
        items.push_back({text(a.id), text(a.name), text(a.vendor),
            text(format(rate)) + (bf16 ? QStringLiteral(" bf16") : QStringLiteral(" fp16")), text(a.source)});
    }
    return items;
}

std::vector<PickerItem> linkItems(const Catalog& catalog, bool network)
{
    std::vector<PickerItem> items;
    for (const bool wanted : {network, !network}) {
        for (const Link& link : catalog.links) {
            if (isNetwork(link.kind) != wanted)
                continue;
            const UnitKind unit = isNetwork(link.kind) ? UnitKind::BitRate : UnitKind::Bandwidth;
            items.push_back({text(link.id), text(link.name), linkKindName(link.kind),
                unitText(unit, link.bandwidth.value()), text(link.source)});
        }
    }
    return items;
}

QString linkKindName(LinkKind kind)
{
    switch (kind) {
    case LinkKind::NvLink:
        return QStringLiteral("NVLink");
    case LinkKind::Pcie:
        return QStringLiteral("PCIe");
    case LinkKind::InfiniBand:
        return QStringLiteral("InfiniBand");
    case LinkKind::Ethernet:
        return QStringLiteral("Ethernet");
    case LinkKind::Slingshot:
        return QStringLiteral("Slingshot");
    case LinkKind::InfinityFabric:
        return QStringLiteral("Infinity Fabric");
    case LinkKind::Hccs:
        return QStringLiteral("HCCS");
    case LinkKind::Ici:
        return QStringLiteral("ICI");
    case LinkKind::Other:
        break;
    }
    return QCoreApplication::translate("LinkKind", "Other link");
}

} // namespace stratoplan

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/family_colours.h"

namespace stratoplan::widgets {

namespace {

std::string family(const std::string& acceleratorId)
{
    return acceleratorId.substr(0, acceleratorId.find('-'));
}

} // namespace

FamilyColours::FamilyColours(const catalog::Catalog& catalog)
{
    for (const cluster::Accelerator& a : catalog.accelerators)
        m_families.try_emplace(family(a.id), static_cast<int>(m_families.size()));
}

int FamilyColours::index(const std::string& acceleratorId) const
{
    const auto it = m_families.find(family(acceleratorId));
    return it != m_families.end() ? it->second : static_cast<int>(m_families.size());
}

} // namespace stratoplan::widgets

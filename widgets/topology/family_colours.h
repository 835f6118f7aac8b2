// SPDX-License-Identifier: GPL-3.0-or-later
// Which accelerators share a colour on the canvas and in the palette: families (A100, H100, MI300X …), numbered in the
// order of the catalogue, so that a colour means the same everywhere and neighbours differ.
#pragma once

#include "core/catalog/catalog.h"

#include <string>
#include <unordered_map>

namespace stratoplan::widgets {

class FamilyColours {
public:
    FamilyColours() = default;
    explicit FamilyColours(const catalog::Catalog& catalog);

    /// Index for acceleratorColour(); one of its own for accelerators that are not in the catalogue.
    [[nodiscard]] int index(const std::string& acceleratorId) const;

private:
    std::unordered_map<std::string, int> m_families;
};

} // namespace stratoplan::widgets

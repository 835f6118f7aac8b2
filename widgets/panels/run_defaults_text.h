// SPDX-License-Identifier: GPL-3.0-or-later
// What the catalogue says of inputs of a run that nobody states.
#pragma once

#include "core/catalog/run_defaults.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

namespace stratoplan::widgets {

/// "79.2 k, by the catalogue"
[[nodiscard]] inline QString byCatalogue(UnitKind kind, catalog::RunConstant constant)
{
    return tr("%1, by the catalogue").arg(unitText(kind, catalog::shippedRunDefaults().value(constant)));
}

[[nodiscard]] inline QString sourceOf(catalog::RunConstant constant)
{
    const catalog::RunDefault& known = catalog::shippedRunDefaults().entry(constant);
    return text(known.source + " (" + known.date + ").");
}

} // namespace stratoplan::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/run_defaults_text.h"
#include "widgets/panels/run_section.h"
#include "widgets/panels/stated_input.h"

#include <algorithm>

namespace stratoplan::widgets {

using catalog::RunConstant;
using plan::CapacityInputs;

PowerSection::PowerSection(QWidget* parent)
    : RunSection(tr("Power and carbon"), parent)
{
    addPower();
    addCarbon();
    setCollapsed(true);
    setCapacity({});
}

void PowerSection::addPower()
{
    auto* power = new FieldRow(tr("Power · PUE"),
        tr("Share of what nodes are rated at that training draws, and the power of the building over that of the "
           "machines. ")
            + sourceOf(RunConstant::PowerShare));
    const StatedShare share{&CapacityInputs::powerShare};
    addAmount(*power, UnitKind::Share,
        {tr("Power in training"), tr("Set the power in training"), share, share, 2,
            byCatalogue(UnitKind::Share, RunConstant::PowerShare), {}});
    UnitField& pue = addAmount(*power, UnitKind::Number,
        {tr("PUE"), tr("Set the PUE"), [](const CapacityInputs& c) { return c.pue; },
            [](CapacityInputs& c, double value) { c.pue = value; }, 10, {}, {}});
    pue.setRange(1, 10);
    addWithDefault(power, tr("Restore power and PUE"), [](CapacityInputs& c, const CapacityInputs& standard) {
        c.powerShare = standard.powerShare;
        c.pue = standard.pue;
    });
}

void PowerSection::addCarbon()
{
    const std::vector<catalog::GridRegion>& grids = catalog::shippedRunDefaults().grids;
    auto* row = new FieldRow(tr("Carbon"), tr("Grams of CO2 a kWh of the grid. %1").arg(text(grids.front().source)));
    const StatedShare intensity{&CapacityInputs::gridIntensity};
    addAmount(*row, UnitKind::Number,
        {tr("Carbon intensity"), tr("Set the carbon intensity"), intensity, intensity, 1e5,
            unitText(UnitKind::Number, grids.front().intensity), tr("g/kWh")});
    auto* region = new ChoiceField(row);
    constexpr int kOther = -1;
    for (std::size_t i = 0; i < grids.size(); ++i)
        region->addChoice(text(grids[i].name), int(i), text(grids[i].source));
    region->addChoice(tr("other"), kOther, tr("As the person states."));
    row->add(region, tr("Grid"));
    connect(region, &ChoiceField::keyChosen, this, [this, &grids](int key) {
        if (key == kOther)
            return;
        edit(tr("Set the grid"), [&](CapacityInputs& c) {
            c.gridIntensity = key == 0 ? std::nullopt : std::optional(grids[std::size_t(key)].intensity);
        });
    });
    whenShown([this, region, &grids] {
        const double shown = inputs().gridIntensity.value_or(grids.front().intensity);
        const auto known = std::find_if(
            grids.begin(), grids.end(), [&](const catalog::GridRegion& grid) { return grid.intensity == shown; });
        region->setKey(known == grids.end() ? kOther : int(known - grids.begin()));
    });
    addWithDefault(row, tr("Restore the carbon intensity"),
        [](CapacityInputs& c, const CapacityInputs&) { c.gridIntensity.reset(); });
}

} // namespace stratoplan::widgets

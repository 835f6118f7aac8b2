// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/calibration/shipped.h"
#include "core/catalog/catalog_json.h"
#include "core/exchange/document.h"
#include "core/units/format.h"
#include "core/validation/validation.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string catalogText(const std::vector<FittedProfile>& profiles)
{
    Json entries = Json::array();
    for (const FittedProfile& p : profiles)
        entries.push_back(toJson(p.profile, Catalog{}));
    return Json{{"license", "Apache-2.0"}, {"entries", std::move(entries)}}.dump(2) + '\n';
}

void addRow(Table& table, const std::string& name, const char* what, const Calibration& c)
{
    if (c.after.n == 0)
        return;
    table.row({name, what, grouped(c.after.n), formatShare(c.before.meanAbs), formatShare(c.after.meanAbs),
               c.leftOut.n > 0 ? formatShare(c.leftOut.meanAbs) : std::string("–"), signedShare(c.after.bias),
               c.converged ? std::string() : std::string("not converged")});
}

} // namespace

int runCalibrate(const CalibrateArguments& arguments)
{
    const auto text = readText(arguments.priors);
    if (!text)
        return refuse(text.error(), arguments.json);
    Catalog catalog = shippedCatalog();
    const EmbeddedFile file{"software.json", *text};
    auto priors = parseCatalog({&file, 1});
    if (!priors)
        return refuse(inputName(arguments.priors) + " " + priors.error().pointer, priors.error().found, priors.error().expected, arguments.json);
    catalog.software = std::move(priors->software);
    const auto cases = readCases(shippedCases(), catalog);
    if (!cases)
        return refuse(DocumentErrors{cases.error()}, arguments.json);
    std::vector<MeasuredRun> runs;
    for (const MeasuredCase& c : cases->cases)
        runs.push_back({c.id, c.plan, c.stepSeconds, c.peakGib, c.batchScale});
    const std::vector<FittedProfile> profiles = fitProfiles(catalog.software, runs);
    if (const auto written = writeFileAtomically(arguments.output, catalogText(profiles)); !written)
        return refuse(DocumentErrors{written.error()}, arguments.json);
    using enum Align;
    Table table({Left, Left, Right, Right, Right, Right, Right, Left}, 0);
    table.heading({"Profile", "of", "rows", "priors", "fitted", "left out", "bias", ""});
    for (const FittedProfile& p : profiles) {
        addRow(table, p.profile.id, "time", p.time);
        addRow(table, p.profile.id, "memory", p.memory);
    }
    return deliver("Mean absolute error; left out: each model shape estimated with constants fitted on the others\n\n" + table.text());
}

} // namespace stratoplan::cli

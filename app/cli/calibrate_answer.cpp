// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_answer.h"

#include "app/cli/k_fold.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

using Json = nlohmann::ordered_json;

namespace {

void addRow(Table& table, const std::string& name, const char* what, const calibration::Calibration& c)
{
    if (c.after.n == 0)
        return;
    table.row({name, what, grouped(c.after.n), formatShare(c.before.meanAbs), formatShare(c.after.meanAbs),
        c.leftOut.n > 0 ? formatShare(c.leftOut.meanAbs) : std::string("–"), signedShare(c.after.bias),
        c.converged ? std::string() : std::string("not converged")});
}

} // namespace

Json calibrationJson(const calibration::Calibration& c)
{
    if (c.after.n == 0)
        return nullptr;
    Json rows = Json::array();
    for (const calibration::FittedRow& row : c.rows)
        rows.push_back({{"row", row.run}, {"measured", row.measured}, {"before", row.before}, {"after", row.after},
            {"left_out", row.leftOut ? Json(*row.leftOut) : Json(nullptr)}});
    return {{"before", toJson(c.before)}, {"after", toJson(c.after)}, {"left_out", toJson(c.leftOut)},
        {"converged", c.converged}, {"rows", std::move(rows)}};
}

std::string errorTable(const std::vector<calibration::FittedProfile>& profiles, const char* start)
{
    using enum Align;
    Table table({Left, Left, Right, Right, Right, Right, Right, Left}, 0);
    table.heading({"Profile", "of", "rows", start, "fitted", "left out", "bias", ""});
    for (const calibration::FittedProfile& p : profiles) {
        addRow(table, p.profile.id, "time", p.time);
        addRow(table, p.profile.id, "memory", p.memory);
    }
    return table.text();
}

int finishCalibration(
    const CalibrateArguments& arguments, const std::string& content, bool stopped, const std::string& text, Json answer)
{
    int exitCode = stopped ? kStopped : kAnswered;
    if (!stopped) {
        if (const auto written = exchange::writeFileAtomically(arguments.output, content)) {
            answer["file"] = arguments.output;
        } else {
            answer["problems"] = tell({written.error()});
            exitCode = kBadInput;
        }
    } else {
        answer["stopped"] = true;
    }
    return arguments.json ? deliverJson(answer, exitCode) : deliver(text, exitCode);
}

} // namespace stratoplan::cli

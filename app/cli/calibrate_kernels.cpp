// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_answer.h"
#include "app/cli/input.h"
#include "app/cli/k_fold.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/calibration/own_kernels.h"
#include "core/catalog/catalog_json.h"
#include "core/exchange/profile.h"
#include "core/reporting/runs.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsualStack = "torchtitan"; ///< whose kernels PyTorch runs

std::string errorsText(const calibration::KernelCalibration& c)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Right, Left}, 0);
    table.heading({"Mean error of", "kernels", "before", "fitted", "left out", "bias", "worst"});
    for (const calibration::KernelErrors& e : c.errors)
        table.row({std::string(reporting::describe(e.kind)), grouped(e.after.n), formatShare(e.before.meanAbs),
            formatShare(e.after.meanAbs), e.leftOut.n > 0 ? formatShare(e.leftOut.meanAbs) : std::string("–"),
            signedShare(e.after.bias), signedShare(e.after.worst) + " " + shortened(e.after.worstId, 48)});
    return table.text();
}

std::string constantsText(const calibration::KernelCalibration& c)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right}, 0);
    table.heading({"Constant", "before", "fitted", "prior ±", "now ±"});
    for (const calibration::FittedParameter& p : c.constants)
        table.row({p.key, formatNumber(p.before / p.unit),
            p.identified ? formatNumber(p.after / p.unit) : std::string("as before"), formatShare(p.priorSpread),
            p.identified ? formatShare(p.spread) : std::string("–")});
    return table.text();
}

std::string ratesText(const exchange::KernelProfile& kernels, const calibration::KernelCalibration& c)
{
    const cluster::Accelerator& a = c.accelerator;
    const FlopsPerSecond peak =
        a.peak[model::Precision::Bf16].value() > 0 ? a.peak[model::Precision::Bf16] : a.peak[model::Precision::Fp16];
    std::string text = kernels.gpu + (c.known ? " (" + a.id + " of the catalogue)" : "") + ": sustains "
        + format(peak * a.matmulSustained) + ", " + formatShare(a.matmulSustained) + " of " + format(peak) + ", and "
        + format(a.memoryBandwidth * a.memorySustained) + ", " + formatShare(a.memorySustained) + " of "
        + format(a.memoryBandwidth) + '\n';
    if (kernels.hostLaunchSeconds)
        text += "The host needs " + format(Seconds(*kernels.hostLaunchSeconds)) + " to launch a kernel\n";
    for (const auto& [what, link] : {std::pair("Inside a node", &c.scaleUp), std::pair("A network port", &c.nic)})
        if (*link)
            text += std::string(what) + ": " + format((*link)->bandwidth * (*link)->sustained) + " sustained, "
                + format((*link)->latency) + " per hop\n";
    return text;
}

Json linkJson(const std::optional<cluster::Link>& link)
{
    if (!link)
        return nullptr;
    return {{"sustained_bytes_per_s", link->bandwidth.value() * link->sustained}, {"latency_s", link->latency.value()}};
}

Json answerOf(const exchange::KernelProfile& kernels, const calibration::KernelCalibration& c)
{
    Json answer{{"file", nullptr}, {"kind", "kernels"}, {"gpu", kernels.gpu},
        {"accelerator", c.known ? Json(c.accelerator.id) : Json(nullptr)}, {"n_kernels", kernels.kernels.size()},
        {"skipped", kernels.skipped}};
    answer["errors"] = Json::object();
    for (const calibration::KernelErrors& e : c.errors)
        answer["errors"][std::string(reporting::describe(e.kind))] = {
            {"before", toJson(e.before)}, {"after", toJson(e.after)}, {"left_out", toJson(e.leftOut)}};
    answer["constants"] = Json::array();
    for (const calibration::FittedParameter& p : c.constants)
        answer["constants"].push_back({{"key", p.key}, {"before", p.before / p.unit}, {"after", p.after / p.unit},
            {"prior_spread", p.priorSpread}, {"spread", p.spread}, {"scale", p.share ? "logit" : "log"},
            {"identified", p.identified}});
    answer["matmul_sustained"] = c.accelerator.matmulSustained;
    answer["memory_sustained"] = c.accelerator.memorySustained;
    answer["host_launch_s"] = kernels.hostLaunchSeconds ? Json(*kernels.hostLaunchSeconds) : Json(nullptr);
    answer["links"] = {{"scale_up", linkJson(c.scaleUp)}, {"nic", linkJson(c.nic)}};
    answer["converged"] = c.converged;
    answer["warnings"] = reporting::describeAll(c.warnings);
    answer["profile"] = catalog::toJson(c.profile, catalog::Catalog{});
    return answer;
}

tl::expected<plan::SoftwareProfile, exchange::DocumentErrors> startingProfile(const CalibrateArguments& arguments)
{
    if (!arguments.profile.empty())
        return readProfile(arguments.profile);
    if (!arguments.plan.empty())
        return readPlan(arguments.plan).map([](const exchange::Document& document) {
            return document.project.plan.training.software;
        });
    return *catalog::shippedCatalog().softwareProfile(kUsualStack);
}

} // namespace

int calibrateKernelFile(const CalibrateArguments& arguments, const std::string& text, std::stop_token stop)
{
    if (arguments.rows.size() > 1)
        return refuse("ROWS", "measured kernels among " + std::to_string(arguments.rows.size()) + " files",
            "them alone: they are fitted by themselves", arguments.json);
    const auto kernels = exchange::parseKernelProfile(text, inputName(arguments.rows.front()));
    if (!kernels)
        return refuse(kernels.error(), arguments.json);
    if (const auto slice = calibration::measuredSlice(*kernels))
        return refuse(inputName(arguments.rows.front()), "kernels measured on " + reporting::describeSlice(*slice),
            "those of a whole accelerator: what a slice sustains says nothing about the rates of plans",
            arguments.json);
    const auto start = startingProfile(arguments);
    if (!start)
        return refuse(start.error(), arguments.json);
    const calibration::KernelCalibration c =
        calibration::calibrateKernels(*kernels, *start, catalog::shippedCatalog(), stop);
    for (const calibration::KernelWarning& warning : c.warnings)
        complain("warning: " + reporting::describe(warning), app::LogLevel::Warning);
    const std::string answer = std::string(c.stopped ? "Stopped before done, no profile written.\n\n" : "")
        + "Error is estimated / measured - 1. Left out: each tenth of the shapes, estimated with constants fitted on "
          "the others.\n\n"
        + errorsText(c) + '\n' + constantsText(c) + '\n' + ratesText(*kernels, c);
    return finishCalibration(arguments, exchange::writeProfile(c.profile), c.stopped, answer, answerOf(*kernels, c));
}

} // namespace stratoplan::cli

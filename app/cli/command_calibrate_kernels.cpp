// SPDX-License-Identifier: GPL-3.0-or-later
// `stratoplan-cli calibrate --kernels DIR`: resources/catalog/kernels.json from published tables of measured kernels.
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/calibration/kernel_fit.h"
#include "core/catalog/kernel_json.h"
#include "core/reporting/run_faults.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view kSource =
    "Fitted to the measured kernels of ai-dynamo/aiconfigurator (commit 095f58a, 2026-08-21, Apache-2.0), "
    "a public performance database collected by its authors on real machines: ";

/// gemm-h100_sxm.csv -> "h100-sxm"; empty for other files.
std::string tableOf(const fs::path& path)
{
    std::string name = path.stem().string();
    const std::size_t dash = name.find('-');
    if (path.extension() != ".csv" || dash == std::string::npos)
        return {};
    name.erase(0, dash + 1);
    std::ranges::replace(name, '_', '-');
    return name;
}

const cluster::Accelerator* acceleratorOf(const std::string& table)
{
    const auto& all = catalog::shippedCatalog().accelerators;
    const auto it = std::ranges::find_if(all, [&](const cluster::Accelerator& a) { return a.id.starts_with(table); });
    return it == all.end() ? nullptr : &*it;
}

tl::expected<cluster::KernelTables, exchange::DocumentErrors> fitTable(
    const std::string& id, const std::vector<fs::path>& files)
{
    const cluster::Accelerator* accelerator = acceleratorOf(id);
    if (accelerator == nullptr)
        return tl::unexpected(
            exchange::DocumentErrors{{exchange::DocumentError::Code::Schema, files.front().string(), "", '"' + id + '"',
                "the id of a catalogue accelerator after the first dash of the file's name, for example "
                "gemm-h100_sxm.csv"}});
    calibration::KernelSamples samples;
    std::string names;
    for (const fs::path& path : files) {
        const auto text = readText(path.string());
        if (!text)
            return tl::unexpected(text.error());
        if (const auto added = addSamples(*text, samples); !added)
            return tl::unexpected(exchange::DocumentErrors{reporting::documentError(added.error(), path.string())});
        names += (names.empty() ? "" : ", ") + path.filename().string();
    }
    cluster::KernelTables tables = fitKernels(samples, accelerator->computeUnits, accelerator->peak);
    tables.id = id;
    tables.name = accelerator->name;
    tables.source = std::string(kSource) + names + ".";
    return tables;
}

/// The expert kernels were measured in other libraries on each accelerator: what they lose to plain products is taken
/// as the median.
void shareGroupedFactor(std::vector<cluster::KernelTables>& all)
{
    std::vector<double> factors;
    for (const cluster::KernelTables& tables : all)
        factors.push_back(tables.groupedFactor);
    const auto middle = factors.begin() + std::ptrdiff_t(factors.size() / 2);
    std::ranges::nth_element(factors, middle);
    for (cluster::KernelTables& tables : all)
        tables.groupedFactor = *middle;
}

std::string fitText(const std::vector<cluster::KernelTables>& all)
{
    using enum Align;
    Table table({Left, Left, Right, Right}, 0);
    table.heading({"Accelerator", "kernels", "measured", "mean error"});
    const auto row = [&](const cluster::KernelTables& t, const std::string& what, const cluster::KernelFit& fit) {
        if (fit.kernels > 0)
            table.row({t.id, what, grouped(fit.kernels), formatShare(fit.error)});
    };
    for (const cluster::KernelTables& t : all) {
        for (const cluster::MatmulKernels& products : t.matmul)
            row(t, "matrix products, " + std::string(key(products.precision)), products.fit);
        row(t, "attention", t.attention.fit);
        std::map<cluster::CollectiveOp, std::vector<cluster::KernelFit>> byOp;
        for (const cluster::CollectiveCurve& curve : t.collectives)
            byOp[curve.op].push_back(curve.fit);
        for (const auto& [op, fits] : byOp) {
            cluster::KernelFit sum;
            for (const cluster::KernelFit& fit : fits) {
                sum.kernels += fit.kernels;
                sum.error += fit.error / double(fits.size());
            }
            row(t, std::string(key(op)), sum);
        }
    }
    return table.text();
}

} // namespace

int runCalibrateKernels(const CalibrateArguments& arguments)
{
    Interruptible guard;
    std::map<std::string, std::vector<fs::path>> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(arguments.kernels, error))
        if (const std::string id = tableOf(entry.path()); !id.empty())
            files[id].push_back(entry.path());
    if (error || files.empty())
        return refuse(
            "--kernels", '"' + arguments.kernels + '"', "a folder of tables such as gemm-h100_sxm.csv", arguments.json);
    std::vector<cluster::KernelTables> all;
    for (auto& [id, paths] : files) {
        if (guard.token().stop_requested())
            return arguments.json ? deliverJson(Json{{"file", nullptr}, {"stopped", true}}, kStopped)
                                  : deliver("Stopped: nothing written\n", kStopped);
        std::ranges::sort(paths);
        auto tables = fitTable(id, paths);
        if (!tables)
            return refuse(tables.error(), arguments.json);
        all.push_back(std::move(*tables));
    }
    shareGroupedFactor(all);
    if (const int written = writeOutput(arguments.output, catalog::kernelsText(all), arguments.json);
        written != kAnswered)
        return written;
    if (!arguments.json)
        return deliver("Mean absolute error over kernels of training size\n\n" + fitText(all));
    return deliverJson(Json{{"file", arguments.output}, {"tables", all.size()}});
}

} // namespace stratoplan::cli

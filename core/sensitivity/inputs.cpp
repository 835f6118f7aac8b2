// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/inputs.h"

#include "core/capacity/spread.h"
#include "core/plan/software_fields.h"
#include "core/sensitivity/input_rows.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::sensitivity {
namespace {

using detail::InputRow;
using plan::SoftwareField;

double logit(double share)
{
    return std::log(share / (1 - share));
}

double share(double logit)
{
    return 1 / (1 + std::exp(-logit));
}

/// Where draws are normal.
double forward(const Input& input, double value)
{
    return input.isShare ? logit(value) : std::log(value);
}

double back(const Input& input, double value)
{
    return std::clamp(input.isShare ? share(value) : std::exp(value), input.least, input.most);
}

/// "ms" of "p2p_latency_ms": the symbol of the unit of files.
std::string unitOf(const SoftwareField& field)
{
    const auto ends = [&](std::string_view end) { return field.key.ends_with(end); };
    if (ends("_ms"))
        return "ms";
    if (ends("_us"))
        return "µs";
    if (ends("_gib"))
        return "GiB";
    return field.key.find("bytes") != std::string_view::npos ? "B" : "";
}

/// What is 0, or a share of 1, says what the stack does not do.
std::optional<Input> constantOf(const plan::SoftwareProfile& software, const SoftwareField& field)
{
    if (!field.prior)
        return std::nullopt;
    Input input;
    input.value = number(software, field);
    input.isShare = field.prior->share;
    if (!(input.value > 0) || (input.isShare && input.value >= 1))
        return std::nullopt;
    input.key = field.key;
    input.unit = unitOf(field);
    input.perUnit = field.unit.toBase(1);
    input.least = std::min(field.prior->minimum, input.value);
    input.most = std::max(field.prior->maximum, input.value);
    input.acts = field.prior->target == plan::CalibrationTarget::PeakMemory ? Acts::Peak : Acts::Step;
    input.part = software.id;
    input.source = software.source;
    const double middle = forward(input, input.value), width = capacity::kNinetieth * field.prior->spread;
    input.low = back(input, middle - width);
    input.high = back(input, middle + width);
    return input;
}

std::optional<Input> rowOf(const Case& given, const InputRow& row)
{
    Input input;
    input.value = row.get(given);
    if (!std::isfinite(input.value))
        return std::nullopt;
    input.key = row.key;
    input.unit = row.key == "price" ? given.run.currency + "/h" : std::string(row.unit);
    input.perUnit = row.perUnit;
    input.least = row.least;
    input.most = row.most;
    input.acts = row.acts;
    input.isWhole = row.isWhole;
    input.low = input.high = input.value;
    if (row.part != nullptr)
        input.part = row.part(given);
    if (row.spread && !(row.isCertain != nullptr && row.isCertain(given))) {
        const catalog::RunDefault& known = catalog::shippedRunDefaults().constants[std::size_t(*row.spread)];
        input.low = std::max(row.least, input.value / known.value);
        input.high = std::min(row.most, input.value * known.value);
        input.source = known.source;
        input.date = known.date;
    }
    return input;
}

} // namespace

std::vector<Input> inputsOf(const Case& given)
{
    std::vector<Input> inputs;
    for (const InputRow& row : detail::inputRows())
        if (auto input = rowOf(given, row))
            inputs.push_back(std::move(*input));
    for (const SoftwareField& field : plan::softwareFields())
        if (auto input = constantOf(given.plan.training.software, field))
            inputs.push_back(std::move(*input));
    return inputs;
}

std::optional<Input> inputOf(const Case& given, std::string_view key)
{
    for (const InputRow& row : detail::inputRows())
        if (row.key == key)
            return rowOf(given, row);
    for (const SoftwareField& field : plan::softwareFields())
        if (field.key == key)
            return constantOf(given.plan.training.software, field);
    return std::nullopt;
}

Case withValue(Case changed, std::string_view key, double value)
{
    for (const InputRow& row : detail::inputRows())
        if (row.key == key) {
            if (std::isfinite(row.get(changed)))
                row.set(changed, row.isWhole ? std::round(value) : value);
            return changed;
        }
    for (const SoftwareField& field : plan::softwareFields())
        if (field.key == key && field.prior)
            setNumber(changed.plan.training.software, field, value);
    return changed;
}

double valueAt(const Input& input, double normal)
{
    const double end = normal < 0 ? input.low : input.high;
    if (end == input.value || normal == 0)
        return input.value;
    const double middle = forward(input, input.value);
    return back(input, middle + (forward(input, end) - middle) * std::abs(normal) / capacity::kNinetieth);
}

Input narrowed(Input input, double share)
{
    const double low = valueAt(input, -capacity::kNinetieth * share);
    input.high = valueAt(input, capacity::kNinetieth * share);
    input.low = low;
    return input;
}

} // namespace stratoplan::sensitivity

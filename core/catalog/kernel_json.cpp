// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/kernel_json.h"

#include "core/catalog/quote.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stratoplan::catalog {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr double kMicro = 1e6;
constexpr double kBytesPerGigabyte = 1e9;
constexpr double kTera = 1e12;
constexpr double kMilli = 1e3; // corrections are written in thousandths

/// Reads one object; keeps the first error.
class Reader {
public:
    Reader(const json& object, std::string pointer, std::optional<CatalogError>& error)
        : m_object(object)
        , m_pointer(std::move(pointer))
        , m_error(error)
    {
        if (!object.is_object())
            fail("", object, reading::kObject);
    }

    double number(const char* key, double least = 0)
    {
        const json& value = find(key);
        if (!value.is_number() || !(value.get<double>() >= least)) {
            fail(key, value, least > 0 ? words::kANumberAboveZero : words::kANumberOfZeroOrMore);
            return 1;
        }
        return value.get<double>();
    }

    std::string text(const char* key)
    {
        const json& value = find(key);
        if (value.is_string())
            return value.get<std::string>();
        fail(key, value, reading::kText);
        return {};
    }

    std::vector<double> numbers(const char* key)
    {
        const json& value = find(key);
        std::vector<double> result;
        if (value.is_array())
            for (const json& item : value)
                if (item.is_number())
                    result.push_back(item.get<double>());
        if (!value.is_array() || result.size() != value.size())
            fail(key, value, reading::kListOfNumbers);
        return result;
    }

    /// Calls `read` for every object of a list.
    template <typename Read>
    void list(const char* key, Read read)
    {
        const json& value = find(key);
        if (!value.is_array())
            return fail(key, value, reading::kList);
        std::size_t index = 0;
        for (const json& item : value) {
            Reader reader(item, m_pointer + '/' + key + '/' + std::to_string(index++), m_error);
            if (m_error)
                return;
            read(reader);
        }
    }

    [[nodiscard]] Reader object(const char* key) { return {find(key), m_pointer + '/' + key, m_error}; }

    void fail(const std::string& key, const json& found, std::string expected)
    {
        if (!m_error)
            m_error =
                CatalogError{key.empty() ? m_pointer : m_pointer + '/' + key, quoteJson(found), std::move(expected)};
    }

    [[nodiscard]] cluster::KernelFit fit() { return {static_cast<int>(number("kernels")), number("error")}; }

private:
    const json& find(const char* key)
    {
        static const json none;
        const auto it = m_object.is_object() ? m_object.find(key) : m_object.end();
        return it == m_object.end() ? none : *it;
    }

    const json& m_object;
    std::string m_pointer;
    std::optional<CatalogError>& m_error;
};

cluster::MatmulKernels readMatmul(Reader& reader)
{
    cluster::MatmulKernels kernels;
    const std::string precision = reader.text("precision");
    if (const auto known = model::precisionFromKey(precision))
        kernels.precision = *known;
    else
        reader.fail("precision", precision, words::kAPrecisionForExampleBf16);
    kernels.rate = FlopsPerSecond(reader.number("rate_tflops", 1e-9) * kTera);
    kernels.memory = BytesPerSecond(reader.number("memory_gb_s", 1e-9) * kBytesPerGigabyte);
    kernels.tileDepth = reader.number("tile_depth");
    kernels.wholeWaves = reader.number("whole_waves");
    const std::vector<double> correction = reader.numbers("correction");
    if (correction.size() != cluster::kMatmulKnots)
        reader.fail("correction", correction.size(),
            filled(words::kAListOf, {{"count", {std::to_string(cluster::kMatmulKnots)}}}));
    else
        std::ranges::transform(
            correction, kernels.correction.begin(), [](double value) { return float(value / kMilli); });
    kernels.fit = reader.fit();
    return kernels;
}

cluster::AttentionKernels readAttention(Reader reader)
{
    cluster::AttentionKernels kernels;
    kernels.rate = FlopsPerSecond(reader.number("rate_tflops", 1e-9) * kTera);
    kernels.ramp = reader.number("ramp");
    kernels.headDims = reader.numbers("head_dims");
    kernels.relative = reader.numbers("relative");
    kernels.version = int(reader.number("flash_version"));
    if (kernels.headDims.empty() || kernels.headDims.size() != kernels.relative.size()
        || !std::ranges::is_sorted(kernels.headDims))
        reader.fail("relative", kernels.relative.size(), words::kOneForEachHeadDim);
    kernels.fit = reader.fit();
    return kernels;
}

cluster::CollectiveCurve readCurve(Reader& reader)
{
    cluster::CollectiveCurve curve;
    const std::string op = reader.text("op");
    const auto known =
        std::ranges::find(cluster::kCollectiveOps, op, [](cluster::CollectiveOp candidate) { return key(candidate); });
    if (known != cluster::kCollectiveOps.end())
        curve.op = *known;
    else
        reader.fail("op", op, "\"all_reduce\", \"all_gather\", \"reduce_scatter\" or \"all_to_all\"");
    curve.ranks = static_cast<int>(reader.number("ranks", 2));
    curve.latency = Seconds(reader.number("latency_us") / kMicro);
    curve.ramp = Seconds(reader.number("ramp_us") / kMicro);
    curve.half = Bytes(reader.number("half_bytes", 1));
    curve.share = reader.number("share", 1e-9);
    curve.fit = reader.fit();
    return curve;
}

cluster::KernelTables readEntry(Reader& reader)
{
    cluster::KernelTables tables;
    tables.id = reader.text("id");
    tables.name = reader.text("name");
    tables.source = reader.text("source");
    reader.list("matmul", [&](Reader& item) { tables.matmul.push_back(readMatmul(item)); });
    tables.attention = readAttention(reader.object("attention"));
    tables.groupedFactor = reader.number("grouped_factor", 1e-9);
    tables.bus = BytesPerSecond(reader.number("bus_gb_s", 1e-9) * kBytesPerGigabyte);
    reader.list("collectives", [&](Reader& item) { tables.collectives.push_back(readCurve(item)); });
    std::ranges::stable_sort(
        tables.collectives, [](const cluster::CollectiveCurve& a, const cluster::CollectiveCurve& b) {
            return std::pair(a.op, a.ranks) < std::pair(b.op, b.ranks);
        });
    return tables;
}

/// As the fit rounded it, whatever the change of unit did to the last digit.
double tidy(double value)
{
    constexpr int kDigits = 9;
    return roundedTo(value, kDigits);
}

void writeFit(ordered_json& object, const cluster::KernelFit& fit)
{
    object["kernels"] = fit.kernels;
    object["error"] = fit.error;
}

ordered_json toJson(const cluster::MatmulKernels& k)
{
    ordered_json object{{"precision", key(k.precision)}, {"rate_tflops", tidy(k.rate.value() / kTera)},
        {"memory_gb_s", tidy(k.memory.value() / kBytesPerGigabyte)}, {"tile_depth", k.tileDepth},
        {"whole_waves", k.wholeWaves}};
    writeFit(object, k.fit);
    object["correction"] = ordered_json::array();
    for (const float value : k.correction)
        object["correction"].push_back(static_cast<int>(std::lround(value * kMilli)));
    return object;
}

ordered_json toJson(const cluster::AttentionKernels& k)
{
    ordered_json object{{"rate_tflops", tidy(k.rate.value() / kTera)}, {"ramp", k.ramp}, {"head_dims", k.headDims},
        {"relative", k.relative}, {"flash_version", k.version}};
    writeFit(object, k.fit);
    return object;
}

ordered_json toJson(const cluster::CollectiveCurve& c)
{
    ordered_json object{{"op", key(c.op)}, {"ranks", c.ranks}, {"latency_us", tidy(c.latency.value() * kMicro)},
        {"ramp_us", tidy(c.ramp.value() * kMicro)}, {"half_bytes", c.half.value()}, {"share", c.share}};
    writeFit(object, c.fit);
    return object;
}

template <typename T>
ordered_json list(const std::vector<T>& values)
{
    ordered_json array = ordered_json::array();
    for (const T& value : values)
        array.push_back(toJson(value));
    return array;
}

} // namespace

std::optional<CatalogError> parseKernels(const EmbeddedFile& file, std::vector<cluster::KernelTables>& into)
{
    const std::string root = std::string(file.name) + "#";
    const json document = json::parse(file.content, nullptr, false);
    if (document.is_discarded())
        return CatalogError{root, reading::kNotJson, reading::kJsonObject};
    std::optional<CatalogError> error;
    Reader reader(document, root, error);
    reader.list("entries", [&](Reader& item) { into.push_back(readEntry(item)); });
    return error;
}

std::string kernelsText(const std::vector<cluster::KernelTables>& entries)
{
    ordered_json document{{"license", "Apache-2.0"}, {"entries", ordered_json::array()}};
    for (const cluster::KernelTables& tables : entries)
        document["entries"].push_back(
            {{"id", tables.id}, {"name", tables.name}, {"source", tables.source}, {"matmul", list(tables.matmul)},
                {"attention", toJson(tables.attention)}, {"grouped_factor", tables.groupedFactor},
                {"bus_gb_s", tidy(tables.bus.value() / kBytesPerGigabyte)}, {"collectives", list(tables.collectives)}});
    // One line to a table: numbers one below the other would make thousands of lines.
    std::string text = "{\n  \"license\": \"Apache-2.0\",\n  \"entries\": [";
    const char* betweenEntries = "\n";
    for (const ordered_json& entry : document["entries"]) {
        text += betweenEntries;
        betweenEntries = ",\n";
        const char* betweenKeys = "    {";
        for (const auto& [name, value] : entry.items()) {
            text += betweenKeys;
            text += json(name).dump() + ": ";
            betweenKeys = ",\n     ";
            if (value.is_array() && !value.empty()) {
                const char* between = "[\n       ";
                for (const ordered_json& item : value) {
                    text += between + item.dump();
                    between = ",\n       ";
                }
                text += ']';
            } else {
                text += value.dump();
            }
        }
        text += '}';
    }
    return text + "\n  ]\n}\n";
}

} // namespace stratoplan::catalog

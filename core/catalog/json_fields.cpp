// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/json_fields.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"

namespace stratoplan {

std::string describe(const CatalogError& error)
{
    return (error.pointer.empty() ? "" : error.pointer + ": ") + "found " + error.found + ", expected "
        + error.expected;
}

} // namespace stratoplan

namespace stratoplan::catalog_detail {
namespace {

CatalogResult<NodeGroup> parseElement(const nlohmann::json& json, const std::string& pointer, const Catalog& catalog,
    Strictness strictness, const NodeGroup*)
{
    return parseNodeGroup(json, pointer, catalog, strictness);
}
CatalogResult<SwitchGroup> parseElement(const nlohmann::json& json, const std::string& pointer, const Catalog& catalog,
    Strictness strictness, const SwitchGroup*)
{
    return parseSwitchGroup(json, pointer, catalog, strictness);
}
CatalogResult<Connection> parseElement(const nlohmann::json& json, const std::string& pointer, const Catalog& catalog,
    Strictness strictness, const Connection*)
{
    return parseConnection(json, pointer, catalog, strictness);
}

constexpr std::string_view kPeakExpected = words::kPeakRates;

} // namespace

const EnumKeys<LinkKind>& enumKeys(LinkKind)
{
    static const EnumKeys<LinkKind> keys = [] {
        EnumKeys<LinkKind> all;
        for (const LinkKind kind : {LinkKind::NvLink, LinkKind::Pcie, LinkKind::InfiniBand, LinkKind::Ethernet,
                 LinkKind::Slingshot, LinkKind::InfinityFabric, LinkKind::Hccs, LinkKind::Ici, LinkKind::Other})
            all.emplace_back(kind, key(kind));
        return all;
    }();
    return keys;
}

const EnumKeys<SelectiveRecompute>& enumKeys(SelectiveRecompute)
{
    static const EnumKeys<SelectiveRecompute> keys{{SelectiveRecompute::AttentionCore, "attention_core"},
        {SelectiveRecompute::EveryOtherProduct, "every_other_product"}, {SelectiveRecompute::Modules, "modules"}};
    return keys;
}

const EnumKeys<TransferPath>& enumKeys(TransferPath)
{
    static const EnumKeys<TransferPath> keys{
        {TransferPath::Links, "links"}, {TransferPath::Queue, "queue"}, {TransferPath::Stream, "stream"}};
    return keys;
}

const EnumKeys<ReshardMethod>& enumKeys(ReshardMethod)
{
    static const EnumKeys<ReshardMethod> keys{
        {ReshardMethod::SendReceive, "send_receive"}, {ReshardMethod::Broadcast, "broadcast"}};
    return keys;
}

const EnumKeys<SyncTime>& enumKeys(SyncTime)
{
    static const EnumKeys<SyncTime> keys{{SyncTime::AfterPasses, "after_passes"},
        {SyncTime::LastBackward, "last_backward"}, {SyncTime::Asynchronous, "asynchronous"}};
    return keys;
}

const EnumKeys<Norm>& enumKeys(Norm)
{
    static const EnumKeys<Norm> keys{{Norm::Layer, "layer"}, {Norm::Rms, "rms"}};
    return keys;
}

const EnumKeys<Position>& enumKeys(Position)
{
    static const EnumKeys<Position> keys{
        {Position::Learned, "learned"}, {Position::Rotary, "rotary"}, {Position::Alibi, "alibi"}};
    return keys;
}

const EnumKeys<SwitchTier>& enumKeys(SwitchTier)
{
    static const EnumKeys<SwitchTier> keys{{SwitchTier::Leaf, key(SwitchTier::Leaf)},
        {SwitchTier::Spine, key(SwitchTier::Spine)}, {SwitchTier::Core, key(SwitchTier::Core)}};
    return keys;
}

FieldReader::FieldReader(
    const nlohmann::json& object, std::string pointer, const Catalog& catalog, Strictness strictness)
    : m_object(object)
    , m_pointer(std::move(pointer))
    , m_catalog(catalog)
    , m_strictness(strictness)
{
}

const nlohmann::json* FieldReader::find(std::string_view key, Need need)
{
    m_known.push_back(key);
    if (m_error)
        return nullptr;
    const auto it = m_object.find(key);
    if (it != m_object.end())
        return &*it;
    const bool wanted = need == Need::Always || (need == Need::Catalogue && m_strictness == Strictness::Catalogue);
    if (wanted && !m_partial)
        take({childPointer(m_pointer, key), "nothing", reading::valueFor(key)});
    return nullptr;
}

void FieldReader::refuseUnknownKeys()
{
    if (m_strictness != Strictness::Catalogue || m_error)
        return;
    for (const auto& [key, value] : m_object.items()) {
        if (std::find(m_known.begin(), m_known.end(), key) != m_known.end())
            continue;
        take({childPointer(m_pointer, key), reading::unknownKey(key),
            filled(words::kOneOfTheKeys, {{"names", {joined(m_known)}}})});
        return;
    }
}

void FieldReader::refuse(std::string_view key, std::string expected, std::optional<std::size_t> item)
{
    const nlohmann::json& value = m_object.at(std::string(key));
    const std::string pointer = childPointer(m_pointer, key);
    if (item)
        fail(childPointer(pointer, std::to_string(*item)), value.at(*item), std::move(expected));
    else
        fail(pointer, value, std::move(expected));
}

void FieldReader::fail(const std::string& pointer, const nlohmann::json& found, std::string expected)
{
    take({pointer, quoteJson(found), std::move(expected)});
}

void FieldReader::take(const CatalogError& error)
{
    if (!m_error)
        m_error = error;
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::string& value)
{
    if (json.is_string())
        value = json.get<std::string>();
    else
        fail(pointer, json, reading::kText);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, bool& value)
{
    if (json.is_boolean())
        value = json.get<bool>();
    else
        fail(pointer, json, reading::kBoolean);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, int& value)
{
    constexpr double kLargest = std::numeric_limits<int>::max();
    const double number = json.is_number() ? json.get<double>() : -1;
    if (number >= 0 && number <= kLargest && number == std::floor(number))
        value = static_cast<int>(number);
    else
        fail(pointer, json, reading::wholeNumber(0, std::numeric_limits<int>::max()));
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, double& value)
{
    const double number = json.is_number() ? json.get<double>() : -1;
    if (number >= 0 && std::isfinite(number))
        value = number;
    else
        fail(pointer, json, "a number >= 0");
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, PeakRates& value)
{
    if (!json.is_object())
        return fail(pointer, json, std::string(kPeakExpected));
    value = {};
    for (const auto& [name, rate] : json.items()) {
        const std::optional<Precision> precision = precisionFromKey(name);
        if (!precision)
            return take({childPointer(pointer, name), reading::unknownKey(name), std::string(kPeakExpected)});
        double number = 0;
        get(rate, childPointer(pointer, name), number);
        value[*precision] = FlopsPerSecond(kInTera.toBase(number));
    }
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<int>& value)
{
    value.reset();
    if (json.is_null())
        return;
    int number = 0;
    get(json, pointer, number);
    value = number;
}

template <typename T>
void FieldReader::getObject(const nlohmann::json& json, const std::string& pointer, std::optional<T>& value)
{
    value.reset();
    if (json.is_null())
        return;
    if (auto object = parseObject<T>(json, pointer, m_catalog, m_strictness))
        value = std::move(*object);
    else
        take(object.error());
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<MixtureOfExperts>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<LatentAttention>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<CalibratedOn>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, RunExtents& value)
{
    std::optional<RunExtents> extents;
    getObject(json, pointer, extents);
    value = extents.value_or(value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::vector<std::string>& values)
{
    if (!json.is_array())
        return fail(pointer, json, reading::kList);
    values.assign(json.size(), {});
    for (std::size_t i = 0; i < json.size(); ++i)
        get(json[i], childPointer(pointer, std::to_string(i)), values[i]);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::map<std::string, int>& values)
{
    if (!json.is_object())
        return fail(pointer, json, words::kAnObjectOfWholeNumbers);
    for (const auto& [name, number] : json.items())
        get(number, childPointer(pointer, name), values[name]);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, Accelerator& value)
{
    if (auto accelerator = parseAccelerator(json, pointer, m_catalog, m_strictness))
        value = std::move(*accelerator);
    else
        take(accelerator.error());
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, Link& value)
{
    if (auto link = parseLink(json, pointer, m_catalog, m_strictness))
        value = std::move(*link);
    else
        take(link.error());
}

template <typename T>
void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::vector<T>& values)
{
    if (!json.is_array())
        return fail(pointer, json, reading::kList);
    values.clear();
    for (const nlohmann::json& element : json) {
        auto value = parseElement(element, childPointer(pointer, std::to_string(values.size())), m_catalog,
            m_strictness, static_cast<T*>(nullptr));
        if (!value)
            return take(value.error());
        values.push_back(std::move(*value));
    }
}
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<NodeGroup>&);
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<SwitchGroup>&);
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<Connection>&);

void FieldWriter::operator()(std::string_view key, const PeakRates& value, Need)
{
    nlohmann::ordered_json rates = nlohmann::ordered_json::object();
    for (const Precision precision : kPrecisions)
        if (value[precision] > FlopsPerSecond{})
            rates[std::string(stratoplan::key(precision))] = number(kInTera.fromBase(value[precision].value()));
    m_json[std::string(key)] = std::move(rates);
}

void FieldWriter::operator()(std::string_view key, const std::optional<int>& value, Need)
{
    if (value)
        m_json[std::string(key)] = *value;
}

void FieldWriter::operator()(std::string_view key, const std::optional<MixtureOfExperts>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<LatentAttention>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<CalibratedOn>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const RunExtents& value, Need)
{
    m_json[std::string(key)] = toObject(value, m_catalog);
}

nlohmann::ordered_json FieldWriter::number(double value)
{
    constexpr double kExact = 9007199254740992.0; // 2^53
    if (value == std::floor(value) && std::abs(value) < kExact)
        return static_cast<std::int64_t>(value);
    return value;
}

} // namespace stratoplan::catalog_detail

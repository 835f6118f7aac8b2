// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/json_fields.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"

namespace stratoplan::catalog {

std::string describe(const CatalogError& error)
{
    return (error.pointer.empty() ? "" : error.pointer + ": ") + "found " + error.found + ", expected "
        + error.expected;
}

} // namespace stratoplan::catalog

namespace stratoplan::catalog::detail {
namespace {

CatalogResult<cluster::NodeGroup> parseElement(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog, Strictness strictness, const cluster::NodeGroup*)
{
    return parseNodeGroup(json, pointer, catalog, strictness);
}
CatalogResult<cluster::SwitchGroup> parseElement(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog, Strictness strictness, const cluster::SwitchGroup*)
{
    return parseSwitchGroup(json, pointer, catalog, strictness);
}
CatalogResult<cluster::Connection> parseElement(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog, Strictness strictness, const cluster::Connection*)
{
    return parseConnection(json, pointer, catalog, strictness);
}

constexpr std::string_view kPeakExpected = words::kPeakRates;

} // namespace

const EnumKeys<cluster::LinkKind>& enumKeys(cluster::LinkKind)
{
    static const EnumKeys<cluster::LinkKind> keys = [] {
        EnumKeys<cluster::LinkKind> all;
        for (const cluster::LinkKind kind :
            {cluster::LinkKind::NvLink, cluster::LinkKind::Pcie, cluster::LinkKind::InfiniBand,
                cluster::LinkKind::Ethernet, cluster::LinkKind::Slingshot, cluster::LinkKind::InfinityFabric,
                cluster::LinkKind::Hccs, cluster::LinkKind::Ici, cluster::LinkKind::Other})
            all.emplace_back(kind, key(kind));
        return all;
    }();
    return keys;
}

const EnumKeys<plan::SelectiveRecompute>& enumKeys(plan::SelectiveRecompute)
{
    static const EnumKeys<plan::SelectiveRecompute> keys{{plan::SelectiveRecompute::AttentionCore, "attention_core"},
        {plan::SelectiveRecompute::EveryOtherProduct, "every_other_product"},
        {plan::SelectiveRecompute::Modules, "modules"}};
    return keys;
}

const EnumKeys<parallel::TransferPath>& enumKeys(parallel::TransferPath)
{
    static const EnumKeys<parallel::TransferPath> keys{{parallel::TransferPath::Links, "links"},
        {parallel::TransferPath::Queue, "queue"}, {parallel::TransferPath::Stream, "stream"}};
    return keys;
}

const EnumKeys<parallel::ReshardMethod>& enumKeys(parallel::ReshardMethod)
{
    static const EnumKeys<parallel::ReshardMethod> keys{
        {parallel::ReshardMethod::SendReceive, "send_receive"}, {parallel::ReshardMethod::Broadcast, "broadcast"}};
    return keys;
}

const EnumKeys<parallel::SyncTime>& enumKeys(parallel::SyncTime)
{
    static const EnumKeys<parallel::SyncTime> keys{{parallel::SyncTime::AfterPasses, "after_passes"},
        {parallel::SyncTime::LastBackward, "last_backward"}, {parallel::SyncTime::Asynchronous, "asynchronous"}};
    return keys;
}

const EnumKeys<model::Norm>& enumKeys(model::Norm)
{
    static const EnumKeys<model::Norm> keys{{model::Norm::Layer, "layer"}, {model::Norm::Rms, "rms"}};
    return keys;
}

const EnumKeys<model::Position>& enumKeys(model::Position)
{
    static const EnumKeys<model::Position> keys{
        {model::Position::Learned, "learned"}, {model::Position::Rotary, "rotary"}, {model::Position::Alibi, "alibi"}};
    return keys;
}

const EnumKeys<cluster::SwitchTier>& enumKeys(cluster::SwitchTier)
{
    static const EnumKeys<cluster::SwitchTier> keys{{cluster::SwitchTier::Leaf, key(cluster::SwitchTier::Leaf)},
        {cluster::SwitchTier::Spine, key(cluster::SwitchTier::Spine)},
        {cluster::SwitchTier::Core, key(cluster::SwitchTier::Core)}};
    return keys;
}

const EnumKeys<cluster::TorusWrap>& enumKeys(cluster::TorusWrap)
{
    static const EnumKeys<cluster::TorusWrap> keys = [] {
        EnumKeys<cluster::TorusWrap> all;
        for (const cluster::TorusWrap wrap : cluster::kTorusWraps)
            all.emplace_back(wrap, key(wrap));
        return all;
    }();
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

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, cluster::PeakRates& value)
{
    if (!json.is_object())
        return fail(pointer, json, std::string(kPeakExpected));
    value = {};
    for (const auto& [name, rate] : json.items()) {
        const std::optional<model::Precision> precision = model::precisionFromKey(name);
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

void FieldReader::get(
    const nlohmann::json& json, const std::string& pointer, std::optional<model::MixtureOfExperts>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(
    const nlohmann::json& json, const std::string& pointer, std::optional<model::LatentAttention>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(
    const nlohmann::json& json, const std::string& pointer, std::optional<model::SparseAttention>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<model::Mamba2>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<model::StandIn>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<plan::CalibratedOn>& value)
{
    getObject(json, pointer, value);
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, plan::RunExtents& value)
{
    std::optional<plan::RunExtents> extents;
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

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::vector<int>& values)
{
    if (!json.is_array())
        return fail(pointer, json, reading::kList);
    values.assign(json.size(), 0);
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

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, cluster::Accelerator& value)
{
    if (auto accelerator = parseAccelerator(json, pointer, m_catalog, m_strictness))
        value = std::move(*accelerator);
    else
        take(accelerator.error());
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, cluster::Link& value)
{
    if (auto link = parseLink(json, pointer, m_catalog, m_strictness))
        value = std::move(*link);
    else
        take(link.error());
}

void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<cluster::Link>& value)
{
    cluster::Link link = value.value_or(cluster::Link());
    get(json, pointer, link);
    value = std::move(link);
}

/// Beside a preset it keeps what is not written.
void FieldReader::get(const nlohmann::json& json, const std::string& pointer, std::optional<cluster::Torus>& value)
{
    if (json.is_null())
        return value.reset();
    if (auto torus = parseObject(json, pointer, m_catalog, m_strictness, value.value_or(cluster::Torus())))
        value = std::move(*torus);
    else
        take(torus.error());
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
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<cluster::NodeGroup>&);
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<cluster::SwitchGroup>&);
template void FieldReader::get(const nlohmann::json&, const std::string&, std::vector<cluster::Connection>&);

void FieldWriter::operator()(std::string_view key, const cluster::PeakRates& value, Need)
{
    nlohmann::ordered_json rates = nlohmann::ordered_json::object();
    for (const model::Precision precision : model::kPrecisions)
        if (value[precision] > FlopsPerSecond{})
            rates[std::string(model::key(precision))] = number(kInTera.fromBase(value[precision].value()));
    m_json[std::string(key)] = std::move(rates);
}

void FieldWriter::operator()(std::string_view key, const std::optional<int>& value, Need)
{
    if (value)
        m_json[std::string(key)] = *value;
}

void FieldWriter::operator()(std::string_view key, const std::optional<model::MixtureOfExperts>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<model::LatentAttention>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<model::SparseAttention>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<model::Mamba2>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<model::StandIn>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<plan::CalibratedOn>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const std::optional<cluster::Torus>& value, Need)
{
    if (value)
        m_json[std::string(key)] = toObject(*value, m_catalog);
}

void FieldWriter::operator()(std::string_view key, const plan::RunExtents& value, Need)
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

} // namespace stratoplan::catalog::detail

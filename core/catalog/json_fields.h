// SPDX-License-Identifier: Apache-2.0
// One list of members per type serves reading and writing: fields(visitor, value) in catalog_fields.h names every
// member with its key and unit; FieldReader and FieldWriter are the two visitors.
#pragma once

#include "core/catalog/catalog_json.h"
#include "core/catalog/catalog_suggest.h"
#include "core/catalog/quote.h"
#include "core/units/file_unit.h"
#include "core/units/reading.h"
#include "core/units/text.h"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace stratoplan::catalog::detail {

/// Who must write a member: everybody, the shipped catalogue, nobody.
enum class Need { Always, Catalogue, Never };

/// Keys of an enumeration in files.
template <typename E>
using EnumKeys = std::vector<std::pair<E, std::string_view>>;
[[nodiscard]] const EnumKeys<cluster::LinkKind>& enumKeys(cluster::LinkKind);
[[nodiscard]] const EnumKeys<model::Norm>& enumKeys(model::Norm);
[[nodiscard]] const EnumKeys<plan::SelectiveRecompute>& enumKeys(plan::SelectiveRecompute);
[[nodiscard]] const EnumKeys<parallel::TransferPath>& enumKeys(parallel::TransferPath);
[[nodiscard]] const EnumKeys<parallel::ReshardMethod>& enumKeys(parallel::ReshardMethod);
[[nodiscard]] const EnumKeys<parallel::SyncTime>& enumKeys(parallel::SyncTime);
[[nodiscard]] const EnumKeys<model::Position>& enumKeys(model::Position);
[[nodiscard]] const EnumKeys<cluster::SwitchTier>& enumKeys(cluster::SwitchTier);
[[nodiscard]] const EnumKeys<cluster::TorusWrap>& enumKeys(cluster::TorusWrap);

/// Reads members of one JSON object; keeps the first error.
class FieldReader {
public:
    FieldReader(const nlohmann::json& object, std::string pointer, const Catalog& catalog, Strictness strictness);

    template <typename T>
    void operator()(std::string_view key, T& member, Need need = Need::Never)
    {
        if (const nlohmann::json* json = find(key, need))
            get(*json, childPointer(m_pointer, key), member);
    }
    template <typename Q>
    void operator()(std::string_view key, Q& member, FileUnit unit, Need need)
    {
        double number = 0;
        if (const nlohmann::json* json = find(key, need)) {
            get(*json, childPointer(m_pointer, key), number);
            member = Q(unit.toBase(number));
        }
    }
    /// Every need is lowered to Never: the object only overrides what is already there.
    void setPartial() { m_partial = true; }
    /// A key that another reader takes.
    void skip(std::string_view key) { m_known.push_back(key); }
    /// What stands at a key, or an item of the list there, is not what its reader knows.
    void refuse(std::string_view key, std::string expected, std::optional<std::size_t> item = {});
    /// Call last: in the catalogue, keys that no member took are errors.
    void refuseUnknownKeys();
    [[nodiscard]] const std::optional<CatalogError>& error() const { return m_error; }

private:
    const nlohmann::json* find(std::string_view key, Need need);
    void fail(const std::string& pointer, const nlohmann::json& found, std::string expected);
    void take(const CatalogError& error);

    void get(const nlohmann::json& json, const std::string& pointer, std::string& value);
    void get(const nlohmann::json& json, const std::string& pointer, bool& value);
    void get(const nlohmann::json& json, const std::string& pointer, int& value);
    void get(const nlohmann::json& json, const std::string& pointer, double& value);
    void get(const nlohmann::json& json, const std::string& pointer, cluster::PeakRates& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<int>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<model::MixtureOfExperts>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<model::LatentAttention>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<model::SparseAttention>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<model::Mamba2>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<model::StandIn>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<plan::CalibratedOn>& value);
    void get(const nlohmann::json& json, const std::string& pointer, plan::RunExtents& value);
    template <typename T>
    void getObject(const nlohmann::json& json, const std::string& pointer, std::optional<T>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::vector<std::string>& values);
    void get(const nlohmann::json& json, const std::string& pointer, std::vector<int>& values);
    void get(const nlohmann::json& json, const std::string& pointer, std::map<std::string, int>& values);
    void get(const nlohmann::json& json, const std::string& pointer, cluster::Accelerator& value);
    void get(const nlohmann::json& json, const std::string& pointer, cluster::Link& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<cluster::Link>& value);
    void get(const nlohmann::json& json, const std::string& pointer, std::optional<cluster::Torus>& value);
    template <typename T>
    void get(const nlohmann::json& json, const std::string& pointer, std::vector<T>& values);
    template <typename E>
    requires std::is_enum_v<E>
    void get(const nlohmann::json& json, const std::string& pointer, E& value)
    {
        std::vector<std::string> names;
        for (const auto& [candidate, key] : enumKeys(E{})) {
            if (json.is_string() && json.get_ref<const std::string&>() == key) {
                value = candidate;
                return;
            }
            names.push_back('"' + std::string(key) + '"');
        }
        fail(pointer, json, reading::oneOf({names.begin(), names.end()}));
    }

    const nlohmann::json& m_object;
    std::string m_pointer;
    const Catalog& m_catalog;
    Strictness m_strictness;
    bool m_partial = false;
    std::vector<std::string_view> m_known;
    std::optional<CatalogError> m_error;
};

/// Writes members into one JSON object, in the order of the list. Empty texts and absent options are left out.
class FieldWriter {
public:
    explicit FieldWriter(const Catalog& catalog)
        : m_catalog(catalog)
    {
    }

    void operator()(std::string_view key, const std::string& value, Need = Need::Never)
    {
        if (!value.empty())
            m_json[std::string(key)] = value;
    }
    void operator()(std::string_view key, bool value, Need = Need::Never) { m_json[std::string(key)] = value; }
    void operator()(std::string_view key, int value, Need = Need::Never) { m_json[std::string(key)] = value; }
    void operator()(std::string_view key, double value, Need = Need::Never)
    {
        m_json[std::string(key)] = number(value);
    }
    void operator()(std::string_view key, const cluster::PeakRates& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<int>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<model::MixtureOfExperts>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<model::LatentAttention>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<model::SparseAttention>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<model::Mamba2>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<model::StandIn>& value, Need = Need::Never);
    void operator()(std::string_view key, const std::optional<plan::CalibratedOn>& value, Need = Need::Never);
    void operator()(std::string_view key, const plan::RunExtents& value, Need = Need::Never);
    void operator()(std::string_view key, const std::vector<std::string>& values, Need = Need::Never)
    {
        m_json[std::string(key)] = values;
    }
    void operator()(std::string_view key, const std::vector<int>& values, Need = Need::Never)
    {
        m_json[std::string(key)] = values;
    }
    void operator()(std::string_view key, const std::optional<cluster::Torus>& value, Need = Need::Never);
    void operator()(std::string_view key, const cluster::Accelerator& value, Need = Need::Never)
    {
        m_json[std::string(key)] = toJson(value, m_catalog);
    }
    void operator()(std::string_view key, const std::optional<cluster::Link>& value, Need = Need::Never)
    {
        if (value)
            (*this)(key, *value);
    }
    void operator()(std::string_view key, const cluster::Link& value, Need = Need::Never)
    {
        m_json[std::string(key)] = toJson(value, m_catalog);
    }
    template <typename T>
    void operator()(std::string_view key, const std::vector<T>& values, Need = Need::Never)
    {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const T& value : values)
            array.push_back(toJson(value, m_catalog));
        m_json[std::string(key)] = std::move(array);
    }
    template <typename E>
    requires std::is_enum_v<E>
    void operator()(std::string_view key, E value, Need = Need::Never)
    {
        for (const auto& [candidate, text] : enumKeys(E{}))
            if (candidate == value)
                m_json[std::string(key)] = std::string(text);
    }
    template <int T, int B, int F>
    void operator()(std::string_view key, Quantity<T, B, F> value, FileUnit unit, Need)
    {
        m_json[std::string(key)] = number(unit.fromBase(value.value()));
    }

    [[nodiscard]] nlohmann::ordered_json take() { return std::move(m_json); }

private:
    /// Whole numbers are written without a decimal point.
    static nlohmann::ordered_json number(double value);

    const Catalog& m_catalog;
    nlohmann::ordered_json m_json = nlohmann::ordered_json::object();
};

} // namespace stratoplan::catalog::detail

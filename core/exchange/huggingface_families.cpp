// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/huggingface_families.h"

#include "core/catalog/catalog_fields.h"
#include "core/units/reading.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace stratoplan::exchange::huggingface {

using catalog::detail::FieldReader;
using catalog::detail::Need;

namespace {

struct Bit {
    std::string_view word;
    unsigned bit;
};
constexpr std::array kBiasWords{
    Bit{"qkv", kQkvBias}, Bit{"attention_output", kOutBias}, Bit{"ffn", kMlpBias}, Bit{"head", kHeadBias}};
constexpr std::array kLeftoverWords{Bit{"post_norms", kPostNorms}, Bit{"wide_qk_norms", kWideQkNorm},
    Bit{"bare_qk_norms", kBareQkNorm}, Bit{"bare_norms", kBareNorm}, Bit{"no_norm_weights", kNoNormWeights},
    Bit{"paired_norms", kPairedNorms}, Bit{"sinks", kSinks}, Bit{"shared_gate", kSharedGate},
    Bit{"output_gate", kOutputGate}};

/// A list of words as their bits; a key that is missing leaves them.
void readBits(FieldReader& f, std::string_view key, unsigned& bits, std::span<const Bit> known)
{
    std::vector<std::string> words;
    f(key, words);
    if (!words.empty())
        bits = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto bit = std::ranges::find(known, words[i], &Bit::word);
        if (bit != known.end()) {
            bits |= bit->bit;
            continue;
        }
        std::vector<std::string> names;
        for (const Bit& other : known)
            names.push_back('"' + std::string(other.word) + '"');
        f.refuse(key, reading::oneOf({names.begin(), names.end()}), i);
    }
}

} // namespace

namespace {

struct MixerWord {
    std::string_view word;
    Mixer mixer{};
};
constexpr std::array kMixers{MixerWord{"gated_delta", Mixer::GatedDelta}, MixerWord{"kimi_delta", Mixer::KimiDelta},
    MixerWord{"lightning", Mixer::Lightning}, MixerWord{"mamba_1", Mixer::Mamba1},
    MixerWord{"short_convolution", Mixer::ShortConvolution}};

} // namespace

void fields(FieldReader& f, Family& family)
{
    f("types", family.types, Need::Always);
    f("defaults", family.defaults);
    f("norm", family.norm);
    f("position", family.position);
    f("gated", family.gated);
    f("tied", family.tied);
    f("classic", family.classic);
    f("multi_query", family.multiQuery);
    f("parallel", family.parallel);
    f("qk_norm", family.qkNorm);
    f("latent", family.latent);
    f("sparse", family.sparse);
    f("state_space", family.stateSpace);
    f("router_bias", family.routerBias);
    f("embedding_norm", family.embeddingNorm);
    f("narrow_experts", family.narrowExperts);
    f("window", family.window);
    f("late_window", family.lateWindow);
    f("ffn_times", family.ffnTimes);
    f("shared_experts", family.sharedExperts);
    f("position_offset", family.positionOffset);
    readBits(f, "bias", family.bias, kBiasWords);
    readBits(f, "attention_bias", family.attentionBias, kBiasWords);
    readBits(f, "general_bias", family.generalBias, kBiasWords);
    readBits(f, "leftovers", family.leftovers, kLeftoverWords);
    f("dense_width", family.denseWidth);
    f("alibi_without", family.alibiWithout);
}

void fields(FieldReader& f, StandInFamily& standIn)
{
    fields(f, standIn.family);
    std::string mixer;
    f("mixer", mixer, Need::Always);
    f("what", standIn.what, Need::Always);
    const auto known = std::ranges::find(kMixers, mixer, &MixerWord::word);
    if (known != kMixers.end())
        standIn.mixer = known->mixer;
    else {
        std::vector<std::string> names;
        for (const MixerWord& other : kMixers)
            names.push_back('"' + std::string(other.word) + '"');
        f.refuse("mixer", reading::oneOf({names.begin(), names.end()}));
    }
}

void fields(FieldReader& f, RefusedTypes& refused)
{
    f("types", refused.types, Need::Always);
    f("what", refused.what, Need::Always);
}

void fields(FieldReader& f, Trait& trait)
{
    f("field", trait.field, Need::Always);
    f("what", trait.what, Need::Always);
}

void fields(FieldReader& f, FieldNames& names)
{
    f("name", names.name, Need::Always);
    f("others", names.others, Need::Always);
}

namespace {

/// The first entry without a model_type, or with one that stands in another.
std::optional<catalog::CatalogError> faultOfTypes(const FamilyCatalog& catalog, const std::string& root)
{
    std::set<std::string_view> seen;
    std::optional<catalog::CatalogError> fault;
    const auto check = [&](const auto& list, const char* key) {
        for (std::size_t i = 0; i < list.size() && !fault; ++i) {
            const std::string pointer = root + '/' + key + '/' + std::to_string(i) + "/types";
            if (list[i].types.empty())
                fault = catalog::CatalogError{pointer, "an empty array", "at least one model_type"};
            for (const std::string& type : list[i].types)
                if (!seen.insert(type).second && !fault)
                    fault = catalog::CatalogError{
                        pointer, catalog::quoteText(type), "a model_type that no other entry has"};
        }
    };
    check(catalog.families, "entries");
    std::vector<Family> standIns;
    for (const StandInFamily& standIn : catalog.standIns)
        standIns.push_back(standIn.family);
    seen.clear(); // which are refused without being asked for
    check(standIns, "stand_ins");
    seen.clear();
    for (const Family& family : catalog.families)
        seen.insert(family.types.begin(), family.types.end());
    check(catalog.refusedTypes, "refused_types");
    return fault;
}

} // namespace

catalog::CatalogResult<FamilyCatalog> parseFamilies(const catalog::EmbeddedFile& file)
{
    const std::string root = std::string(file.name) + '#';
    const nlohmann::json document = nlohmann::json::parse(file.content, nullptr, false);
    if (document.is_discarded())
        return tl::unexpected(catalog::CatalogError{root, reading::kNotJson, reading::kJsonObject});
    if (!document.is_object() || !document.contains("license") || !document.contains("source"))
        return tl::unexpected(catalog::CatalogError{
            root, catalog::quoteJson(document), "an object with \"license\", \"source\" and lists of entries"});
    FamilyCatalog catalog;
    std::optional<catalog::CatalogError> error;
    const auto read = [&]<typename T>(const char* key, std::vector<T>& into) {
        auto list = catalog::detail::parseList<T>(document, key, root);
        if (list)
            into = std::move(*list);
        else if (!error)
            error = list.error();
    };
    read("entries", catalog.families);
    if (document.contains("stand_ins"))
        read("stand_ins", catalog.standIns);
    read("refused_types", catalog.refusedTypes);
    read("refused_fields", catalog.refusedFields);
    read("refused_layers", catalog.refusedLayers);
    read("field_names", catalog.fieldNames);
    const catalog::Catalog none;
    FieldReader words(document, root, none, catalog::Strictness::Catalogue);
    words("attention_layers", catalog.attentionLayers, Need::Always);
    for (const std::optional<catalog::CatalogError>& fault : {error, words.error(), faultOfTypes(catalog, root)})
        if (fault)
            return tl::unexpected(*fault);
    return catalog;
}

const FamilyCatalog& shippedFamilies()
{
    static const FamilyCatalog catalog = [] {
        auto parsed = parseFamilies(catalog::embedded::huggingface().front());
        if (!parsed) {
            std::fprintf(
                stderr, "stratoplan: the built-in families are broken: %s\n", describe(parsed.error()).c_str());
            std::abort();
        }
        return *std::move(parsed);
    }();
    return catalog;
}

namespace {

template <typename Entry>
const Entry* entryOf(const std::vector<Entry>& entries, std::string_view type)
{
    const auto it = std::ranges::find_if(
        entries, [&](const Entry& entry) { return std::ranges::find(entry.types, type) != entry.types.end(); });
    return it == entries.end() ? nullptr : &*it;
}

} // namespace

const Family* familyOf(std::string_view type)
{
    return entryOf(shippedFamilies().families, type);
}

const StandInFamily* standInFamilyOf(std::string_view type)
{
    const std::vector<StandInFamily>& known = shippedFamilies().standIns;
    const auto it = std::ranges::find_if(known, [&](const StandInFamily& entry) {
        return std::ranges::find(entry.family.types, type) != entry.family.types.end();
    });
    return it == known.end() ? nullptr : &*it;
}

const RefusedTypes* refusedType(std::string_view type)
{
    return entryOf(shippedFamilies().refusedTypes, type);
}

std::string_view otherLayer(std::string_view kind)
{
    const FamilyCatalog& known = shippedFamilies();
    if (std::ranges::find(known.attentionLayers, kind) != known.attentionLayers.end())
        return {};
    const auto it = std::ranges::find_if(
        known.refusedLayers, [&](const Trait& word) { return kind.find(word.field) != std::string_view::npos; });
    return it == known.refusedLayers.end() ? std::string_view("layers of a kind that is not known") : it->what;
}

std::span<const std::string> otherNames(std::string_view field)
{
    const std::vector<FieldNames>& known = shippedFamilies().fieldNames;
    const auto it = std::ranges::find(known, field, &FieldNames::name);
    return it == known.end() ? std::span<const std::string>() : it->others;
}

} // namespace stratoplan::exchange::huggingface

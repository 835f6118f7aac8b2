// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/wiring.h"

#include "core/units/named.h"
#include "core/wiring/described.h"
#include "core/wiring/text_lines.h"

namespace stratoplan::wiring {
namespace {

constexpr NameTable<Format, 4> kFormats{{
    {Format::SmiMatrix, "nvidia-smi"},
    {Format::NcclXml, "nccl"},
    {Format::SlurmTree, "slurm"},
    {Format::NodeTable, "nodes"},
}};

tl::expected<ImportedCluster, Fault> readAs(
    Format format, std::string_view text, const Options& options, const catalog::Catalog& catalog)
{
    const auto lower = [&](const DescribedNodes& described) { return lowered(described, options, catalog); };
    switch (format) {
    case Format::SmiMatrix:
        return readSmiMatrix(text).and_then(lower);
    case Format::NcclXml:
        return readNcclXml(text).and_then(lower);
    case Format::SlurmTree:
        return readSlurmTree(text, options, catalog);
    case Format::NodeTable:
        break;
    }
    return readNodeTable(text, options, catalog);
}

} // namespace

std::string_view key(Format format)
{
    return nameIn(kFormats, format);
}

std::optional<Format> recognise(std::string_view text)
{
    constexpr std::size_t kLookedAt = std::size_t{256} << 10; ///< no heading is longer
    text = bodyOf(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return std::nullopt;
    if (text[first] == '<')
        return Format::NcclXml;
    text = text.substr(first, kLookedAt);
    if (looksLikeSlurmTree(text))
        return Format::SlurmTree;
    if (looksLikeSmiMatrix(text))
        return Format::SmiMatrix;
    return looksLikeNodeTable(text) ? std::optional(Format::NodeTable) : std::nullopt;
}

tl::expected<ImportedCluster, Fault> importCluster(std::string_view text, Format format, std::string_view name,
    const Options& options, const catalog::Catalog& catalog)
{
    text = bodyOf(text);
    if (auto fault = faultOfText(text))
        return tl::unexpected(std::move(*fault));
    if (auto fault = format == Format::NcclXml ? std::nullopt : faultOfLines(text))
        return tl::unexpected(std::move(*fault));
    auto imported = readAs(format, text, options, catalog);
    if (imported) {
        imported->format = format;
        imported->cluster.name = name;
    }
    return imported;
}

} // namespace stratoplan::wiring

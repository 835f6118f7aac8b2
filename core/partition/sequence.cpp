// SPDX-License-Identifier: Apache-2.0
#include "core/partition/sequence.h"

#include <cassert>
#include <optional>
#include <sstream>
#include <string_view>

namespace stratoplan::partition {
namespace {

constexpr std::string_view kLetters = "BMNK"; // in the order of Dimension
constexpr int kHighestOrder = kMostBits / 2;

void extend(Sequence& begun, int bits, std::vector<Sequence>& all)
{
    if (bits == 0) {
        all.push_back(begun);
        return;
    }
    for (const Dimension dimension : kDimensions) {
        begun.push_back({dimension});
        extend(begun, bits - 1, all);
        begun.pop_back();
    }
    for (int order = 1; 2 * order <= bits; ++order) {
        begun.push_back({{}, order});
        extend(begun, bits - 2 * order, all);
        begun.pop_back();
    }
}

std::optional<Part> parsePart(const std::string& text)
{
    if (text.size() == 1 && kLetters.find(text.front()) != std::string_view::npos)
        return Part{Dimension(kLetters.find(text.front()))};
    for (int order = 1; order <= kHighestOrder; ++order)
        if (text == partition::text({{{}, order}}))
            return Part{{}, order};
    return std::nullopt;
}

} // namespace

int bits(const Sequence& sequence)
{
    int sum = 0;
    for (const Part& part : sequence)
        sum += part.order > 0 ? 2 * part.order : 1;
    return sum;
}

int steps(const Sequence& sequence)
{
    int product = 1;
    for (const Part& part : sequence)
        product <<= part.order;
    return product;
}

std::string text(const Sequence& sequence)
{
    std::string text;
    for (const Part& part : sequence) {
        const std::string side = std::to_string(1 << part.order);
        text += (text.empty() ? "" : ",")
            + (part.order > 0 ? "P" + side + "x" + side : std::string(1, kLetters[std::size_t(part.dimension)]));
    }
    return text.empty() ? "-" : text;
}

tl::expected<Sequence, SequenceFault> parseSequence(const std::string& text)
{
    Sequence sequence;
    if (text == "-")
        return sequence;
    std::istringstream parts(text + ','); // so that an empty part at the end is one, too
    for (std::string part; std::getline(parts, part, ',');) {
        const std::optional<Part> parsed = parsePart(part);
        if (!parsed)
            return tl::unexpected(SequenceFault{SequenceFault::Code::NoPart, sequence.size(), part});
        sequence.push_back(*parsed);
        if (bits(sequence) > kMostBits)
            return tl::unexpected(SequenceFault{SequenceFault::Code::TooLong, sequence.size() - 1, part});
    }
    return sequence;
}

std::vector<Sequence> sequences(int bits)
{
    assert(bits >= 0 && bits <= kMostBits);
    std::vector<Sequence> all;
    all.reserve(std::size_t(sequenceCount(bits)));
    Sequence begun;
    extend(begun, bits, all);
    return all;
}

std::int64_t sequenceCount(int bits)
{
    assert(bits >= 0 && bits <= kMostBits);
    std::vector<std::int64_t> counts{1};
    for (int q = 1; q <= bits; ++q) {
        std::int64_t count = std::int64_t(kDimensions.size()) * counts[std::size_t(q - 1)];
        for (int rest = q - 2; rest >= 0; rest -= 2)
            count += counts[std::size_t(rest)];
        counts.push_back(count);
    }
    return counts[std::size_t(bits)];
}

} // namespace stratoplan::partition

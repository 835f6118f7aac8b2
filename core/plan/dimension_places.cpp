// SPDX-License-Identifier: Apache-2.0
// What holds of every dimension, whatever the type of its values.
#include "core/plan/dimensions.h"

#include <algorithm>
#include <type_traits>

namespace stratoplan::plan {
namespace {

template <class Value>
constexpr bool kIsNumber = std::is_same_v<Value, int> || std::is_same_v<Value, bool> || std::is_enum_v<Value>;

/// What a space that bounds numbers knows of a value: of a list per stage the largest.
int boundedOf(int value)
{
    return value;
}
int boundedOf(const std::vector<int>& values)
{
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

const parallel::Strategy& usual()
{
    static const parallel::Strategy strategy;
    return strategy;
}

/// "12 12 11"; of axes "tp-cp-ep-dp-pp", as Megatron-LM names its order.
template <class Value>
std::string joined(const std::vector<Value>& values)
{
    std::string text;
    for (const Value& value : values) {
        text += text.empty() ? "" : std::is_same_v<Value, parallel::Axis> ? "-" : " ";
        if constexpr (std::is_enum_v<Value>)
            text += key(value);
        else if constexpr (std::is_same_v<Value, parallel::OperatorPartition>)
            text += value.op + " " + value.sequence + ";";
        else
            text += std::to_string(value);
    }
    return text;
}

std::string fill(std::string_view pattern, const std::string& value)
{
    const std::size_t gap = std::min(pattern.find("{}"), pattern.size());
    return std::string(pattern.substr(0, gap))
        + (gap < pattern.size() ? value + std::string(pattern.substr(gap + 2)) : std::string());
}

bool isOne(const IntChoice& choice)
{
    return choice.isOne();
}
template <class Value>
bool isOne(const std::vector<Value>& values)
{
    return values.size() == 1;
}

} // namespace

bool isUsual(const DimensionRow& row, const parallel::Strategy& strategy)
{
    return std::visit(
        [&](const auto& place) { return !place.field || strategy.*place.field == usual().*place.field; }, row.place);
}

void makeUsual(const DimensionRow& row, parallel::Strategy& strategy)
{
    std::visit(
        [&](const auto& place) {
            if (place.field)
                strategy.*place.field = usual().*place.field;
        },
        row.place);
}

bool matters(const DimensionRow& row, const parallel::Strategy& strategy, const model::Transformer& model)
{
    return !row.matters || row.matters(strategy, model);
}

int number(Dimension id, const parallel::Strategy& strategy)
{
    return std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            if constexpr (kIsNumber<Value>)
                return place.field ? static_cast<int>(strategy.*place.field) : 0;
            else
                return 0;
        },
        dimension(id).place);
}

void setNumber(Dimension id, parallel::Strategy& strategy, int number)
{
    std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            if constexpr (kIsNumber<Value>)
                if (place.field)
                    strategy.*place.field = static_cast<Value>(number);
        },
        dimension(id).place);
}

std::string valueText(const DimensionRow& row, const parallel::Strategy& strategy)
{
    return std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) -> std::string {
            if (!place.field)
                return {};
            if constexpr (std::is_same_v<Value, bool>)
                return strategy.*place.field ? "on" : "off";
            else if constexpr (std::is_enum_v<Value>)
                return std::string(key(strategy.*place.field));
            else if constexpr (std::is_same_v<Value, int>)
                return std::to_string(strategy.*place.field);
            else
                return joined(strategy.*place.field);
        },
        row.place);
}

std::string phraseOf(Dimension id, const parallel::Strategy& strategy)
{
    const DimensionRow& row = dimension(id);
    if (isSwitch(row) && number(id, strategy) == 0)
        return "no " + std::string(row.noun);
    return fill(row.phrase, valueText(row, strategy));
}

std::string briefOf(const DimensionRow& row, const parallel::Strategy& strategy)
{
    return isUsual(row, strategy) ? std::string() : fill(row.brief, valueText(row, strategy));
}

bool isSearched(const DimensionRow& row)
{
    return std::visit([](const auto& place) { return place.field && place.choice; }, row.place);
}

bool isSwitch(const DimensionRow& row)
{
    return std::holds_alternative<Place<bool>>(row.place);
}

std::vector<int> choicesOf(const DimensionRow& row)
{
    return std::visit(
        []<class Value, class Values>(const Place<Value, Values>& place) {
            std::vector<int> choices;
            if (!place.field)
                return choices;
            if constexpr (std::is_same_v<Value, bool>)
                choices = {0, 1};
            else if constexpr (std::is_enum_v<Value>)
                for (const Value value : allValues<Value>())
                    choices.push_back(static_cast<int>(value));
            return choices;
        },
        row.place);
}

bool isRestricted(const DimensionRow& row, const SearchSpace& space)
{
    return std::visit(
        [&](const auto& place) { return place.choice && space.*place.choice != SearchSpace{}.*place.choice; },
        row.place);
}

bool isLocked(const DimensionRow& row, const SearchSpace& space)
{
    return std::visit([&](const auto& place) { return place.choice && isOne(space.*place.choice); }, row.place);
}

void makeFree(const DimensionRow& row, SearchSpace& space)
{
    std::visit(
        [&](const auto& place) {
            if (place.choice)
                space.*place.choice = SearchSpace{}.*place.choice;
        },
        row.place);
}

void listAll(const DimensionRow& row, SearchSpace& space)
{
    std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            if (!place.choice)
                return;
            if constexpr (std::is_same_v<Value, bool>)
                space.*place.choice = {false, true};
            else if constexpr (std::is_enum_v<Value>)
                space.*place.choice = allValues<Value>();
        },
        row.place);
}

void restrictTo(const DimensionRow& row, SearchSpace& space, const parallel::Strategy& strategy)
{
    std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            if (!place.field || !place.choice)
                return;
            if constexpr (std::is_same_v<Values, IntChoice>) {
                const int value = boundedOf(strategy.*place.field);
                space
                    .*place.choice = {value, value, {value}}; // listed, so that one that none would try is kept as well
            } else {
                space.*place.choice = {strategy.*place.field};
            }
        },
        row.place);
}

std::vector<int> listedValues(const DimensionRow& row, const SearchSpace& space)
{
    return std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            std::vector<int> values;
            if (!place.choice)
                return values;
            if constexpr (std::is_same_v<Values, IntChoice>)
                values = (space.*place.choice).only.empty() ? std::vector{(space.*place.choice).least}
                                                            : (space.*place.choice).only;
            else if constexpr (kIsNumber<Value>)
                for (const Value value : space.*place.choice)
                    values.push_back(static_cast<int>(value));
            return values;
        },
        row.place);
}

bool allows(const DimensionRow& row, const SearchSpace& space, const parallel::Strategy& strategy,
    const parallel::Strategy& plan)
{
    return std::visit(
        [&]<class Value, class Values>(const Place<Value, Values>& place) {
            if (!place.field || !place.choice)
                return true;
            const Value& value = strategy.*place.field;
            const Values& choice = space.*place.choice;
            if constexpr (std::is_same_v<Values, IntChoice>)
                return choice.allows(boundedOf(value));
            else if (!choice.empty())
                return std::find(choice.begin(), choice.end(), value) != choice.end();
            else if (row.whereOpen == WhereOpen::All)
                return true;
            else
                return value == (row.whereOpen == WhereOpen::Plans ? plan : usual()).*place.field;
        },
        row.place);
}

} // namespace stratoplan::plan

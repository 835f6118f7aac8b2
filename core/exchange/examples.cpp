// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/embedded.h"
#include "core/exchange/document.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

namespace {

std::vector<Example> readExamples()
{
    std::vector<Example> result;
    for (const catalog::EmbeddedFile& file : catalog::embedded::examples()) {
        const std::string_view name = file.name.substr(0, file.name.rfind('.'));
        const auto json = nlohmann::json::parse(file.content, nullptr, false);
        const std::string title = json.is_object() ? json.value("title", std::string()) : std::string();
        result.push_back({std::string(name), title, std::string(file.content)});
    }
    return result;
}

} // namespace

const std::vector<Example>& examples()
{
    static const std::vector<Example> all = readExamples();
    return all;
}

const Example* findExample(std::string_view name)
{
    for (const Example& example : examples()) {
        if (example.name == name)
            return &example;
    }
    return nullptr;
}

} // namespace stratoplan::exchange

// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_words.h"

#include "core/catalog/embedded.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>

namespace stratoplan::validation {

const CaseWords& shippedCaseWords()
{
    static const CaseWords all = [] {
        const auto files = catalog::embedded::validation();
        const auto file = std::ranges::find(files, std::string_view("stacks.json"), &catalog::EmbeddedFile::name);
        assert(file != files.end());
        const nlohmann::json json = nlohmann::json::parse(file->content);
        using Words = std::vector<std::string>;
        CaseWords words;
        for (const nlohmann::json& stack : json.at("stacks"))
            words.stacks.push_back({stack.at("framework").get<std::string>(), stack.value("version", ""),
                stack.value("since", 0), stack.value("accelerator", Words()), stack.value("words", Words()),
                stack.value("profile", ""), stack.value("moe", ""), stack.value("like", "")});
        for (const nlohmann::json& generation : json.at("generations"))
            words.generations.push_back(
                {generation.at("accelerator").get<std::string>(), generation.at("year").get<int>()});
        for (const nlohmann::json& node : json.at("nodes"))
            words.nodes.push_back({node.at("accelerator").get<std::string>(), node.at("words").get<std::string>(),
                node.at("node").get<std::string>()});
        return words;
    }();
    return all;
}

} // namespace stratoplan::validation

// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_words.h"

#include "core/catalog/embedded.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>

namespace stratoplan {

const CaseWords& shippedCaseWords()
{
    static const CaseWords all = [] {
        using Json = nlohmann::json;
        const auto files = embedded::validation();
        const auto file = std::ranges::find(files, std::string_view("stacks.json"), &EmbeddedFile::name);
        assert(file != files.end());
        const Json json = Json::parse(file->content);
        using Words = std::vector<std::string>;
        CaseWords words;
        for (const Json& one : json.at("stacks"))
            words.stacks.push_back({one.at("framework").get<std::string>(), one.value("version", ""),
                one.value("accelerator", Words()), one.value("words", Words()), one.value("profile", ""),
                one.value("moe", ""), one.value("like", "")});
        for (const Json& one : json.at("nodes"))
            words.nodes.push_back({one.at("accelerator").get<std::string>(), one.at("words").get<std::string>(),
                one.at("node").get<std::string>()});
        return words;
    }();
    return all;
}

} // namespace stratoplan

// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/recognise.h"

#include "core/exchange/json_text.h"
#include "core/exchange/schedule_file.h"

#include <nlohmann/json.hpp>

namespace stratoplan {

namespace {

/// A line of a sweep; what follows it may be broken.
bool isAnswer(std::string_view line)
{
    const auto json = line.starts_with('{') ? parseJson(line) : tl::unexpected(DocumentError());
    return json && json->contains("number") && json->contains("values");
}

} // namespace

FileKind recogniseFile(std::string_view text)
{
    text = withoutByteOrderMark(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return looksLikeSchedule(text) ? FileKind::Schedule : FileKind::Other;
    if (isAnswer(text.substr(first, text.find('\n', first) - first)))
        return FileKind::Answers;
    const auto json = parseJson(text);
    if (!json) // a log may begin with a bracket as well
        return text[first] == '{' ? FileKind::Plan : FileKind::Other;
    if (json->is_array() || json->contains("cases"))
        return FileKind::Cases;
    const std::string format = json->contains("format") && json->at("format").is_string()
        ? json->at("format").get<std::string>()
        : std::string();
    if (format == "stratoplan-profile")
        return FileKind::Profile;
    if (format == "stratoplan-kernels")
        return FileKind::Kernels;
    if (format == "stratoplan-study")
        return FileKind::Study;
    if (format.empty()
        && (json->contains("model_type") || json->contains("architectures") || json->contains("text_config")
            || json->contains("_diffusers_version")))
        return FileKind::HuggingFace;
    return FileKind::Plan;
}

} // namespace stratoplan

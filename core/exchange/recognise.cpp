// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/recognise.h"

#include "core/exchange/json_text.h"
#include "core/exchange/launch_file.h"
#include "core/exchange/schedule_file.h"
#include "core/wiring/wiring.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

namespace {

/// A line of a sweep; what follows it may be broken.
bool isAnswer(std::string_view line)
{
    const auto document = line.starts_with('{') ? parseJson(line) : tl::unexpected(DocumentError());
    return document && document->contains("number") && document->contains("values");
}

} // namespace

FileKind recogniseFile(std::string_view text)
{
    text = withoutByteOrderMark(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (recogniseLaunch(text))
        return FileKind::Launch;
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return looksLikeSchedule(text) ? FileKind::Schedule
            : wiring::recognise(text)  ? FileKind::Topology
                                       : FileKind::Other;
    if (isAnswer(text.substr(first, text.find('\n', first) - first)))
        return FileKind::Answers;
    const auto document = parseJson(text);
    if (!document) // a log may begin with a bracket as well
        return text[first] == '{' ? FileKind::Plan : FileKind::Other;
    if (document->is_array() || document->contains("cases"))
        return FileKind::Cases;
    const std::string format = document->contains("format") && document->at("format").is_string()
        ? document->at("format").get<std::string>()
        : std::string();
    if (format == "stratoplan-profile")
        return FileKind::Profile;
    if (format == "stratoplan-kernels")
        return FileKind::Kernels;
    if (format == "stratoplan-study")
        return FileKind::Study;
    if (format.empty()
        && (document->contains("model_type") || document->contains("architectures") || document->contains("text_config")
            || document->contains("_diffusers_version")))
        return FileKind::HuggingFace;
    return FileKind::Plan;
}

} // namespace stratoplan::exchange

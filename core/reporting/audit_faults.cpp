// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/quote.h"
#include "core/reporting/audits.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <array>

namespace stratoplan::reporting {
namespace {

struct ProfileFaultWords {
    audit::ProfileFaultCode code{};
    std::string_view found;
    std::string_view expected;
};

constexpr auto kProfileFaults = [] {
    using enum audit::ProfileFaultCode;
    return std::array{
        ProfileFaultWords{Missing, "No such file", exchange::kReadable},
        ProfileFaultWords{Unreadable, "a file that cannot be read", exchange::kReadable},
        ProfileFaultWords{BrokenGzip, "gzip data that ends too early or is damaged", "a whole .json.gz"},
        ProfileFaultWords{
            Syntax, "{text}", "JSON as PyTorch's profiler (export_chrome_trace) or nsys stats --format json writes it"},
        ProfileFaultWords{TooDeep, "more than 64 levels of nesting", "a profiler's trace"},
        ProfileFaultWords{NoTrace, "neither a trace nor a table of kernels",
            "traceEvents (PyTorch's profiler), or what nsys stats --report cuda_gpu_trace --format csv prints"},
        ProfileFaultWords{NoColumn, "a heading {text}", "a column \"{name}\""},
        ProfileFaultWords{Cell, "{text}", "a number in column \"{name}\""},
        ProfileFaultWords{NoDeviceEvents, "no kernel of a device",
            "events of category kernel: a profile with ProfilerActivity.CUDA, or of CUDA in nsys"},
        ProfileFaultWords{TooManyEvents, "more than {limit} kernels", "a profile of a few steps"},
    };
}();

std::string placeOf(const audit::ProfileFault& fault)
{
    if (fault.line <= 0)
        return {};
    return filled(fault.column > 0 ? "line {line}, column {column}" : "line {line}",
        {{"line", {std::to_string(fault.line)}}, {"column", {std::to_string(fault.column)}}});
}

} // namespace

exchange::DocumentError documentError(const audit::ProfileFault& fault)
{
    const auto words = std::ranges::find(kProfileFaults, fault.code, &ProfileFaultWords::code);
    const auto wordOf = [&](std::string_view name) {
        return Word{name == "text" ? catalog::quoteText(fault.text)
                : name == "limit"  ? groupedDigits(fault.limit)
                                   : fault.name};
    };
    exchange::DocumentError error;
    const bool isNone =
        fault.code == audit::ProfileFaultCode::Missing || fault.code == audit::ProfileFaultCode::Unreadable;
    error.code = isNone ? exchange::DocumentError::Code::Unreadable : exchange::DocumentError::Code::Schema;
    error.file = fault.file;
    error.pointer = placeOf(fault);
    error.found = filled(words->found, wordOf);
    error.expected = filled(words->expected, wordOf);
    return error;
}

} // namespace stratoplan::reporting

// SPDX-License-Identifier: Apache-2.0
// XML, element by element, read by Expat: no document type, and so no entities; bounded in depth and number.
#pragma once

#include "core/wiring/wiring.h"

#include <functional>
#include <map>
#include <string>

namespace stratoplan::wiring {

struct XmlElement {
    std::string name;
    std::map<std::string, std::string, std::less<>> attributes;
    int line = 0;
    int column = 0; ///< from 1

    /// Empty if it is not there.
    [[nodiscard]] const std::string& attribute(std::string_view attribute) const;
};

struct XmlEvents {
    std::function<std::optional<Fault>(const XmlElement& element)> open; ///< a fault ends the reading
    std::function<void()> close;
};

/// Errors: what is not well-formed, a document type, too much of anything.
[[nodiscard]] std::optional<Fault> readXml(std::string_view text, const XmlEvents& events);

} // namespace stratoplan::wiring

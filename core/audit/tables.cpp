// SPDX-License-Identifier: Apache-2.0
#include "core/audit/tables.h"

#include "core/catalog/embedded.h"

#include <stdexcept>
#include <string>

namespace stratoplan::audit {

std::string_view tableText(std::string_view name)
{
    for (const catalog::EmbeddedFile& file : catalog::embedded::audits())
        if (file.name == name)
            return file.content;
    throw std::logic_error(std::string(name));
}

} // namespace stratoplan::audit

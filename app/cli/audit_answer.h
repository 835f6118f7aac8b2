// SPDX-License-Identifier: GPL-3.0-or-later
// The audit of a run as JSON and as text for people.
#pragma once

#include "core/audit/audit.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace stratoplan::cli {

[[nodiscard]] nlohmann::ordered_json auditJson(const audit::Audit& audit);
[[nodiscard]] std::string describeAudit(const audit::Audit& audit);

} // namespace stratoplan::cli

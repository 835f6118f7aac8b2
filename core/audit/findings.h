// SPDX-License-Identifier: Apache-2.0
// What explains the difference between a run and its estimate. Private to core/audit.
#pragma once

#include "core/audit/audit.h"

namespace stratoplan::audit {

/// Of an audit whose estimate, measured step and rows are known. What costs most first, then what is to be known.
[[nodiscard]] std::vector<Finding> findingsOf(
    const AuditInputs& inputs, const Audit& audit, const catalog::Catalog& catalog);

} // namespace stratoplan::audit

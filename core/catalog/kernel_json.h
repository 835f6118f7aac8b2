// SPDX-License-Identifier: Apache-2.0
// Measured kernels as a file: {"license": …, "source": …, "entries": [ … ]}. Read from the shipped catalogue, written
// by `stratoplan-cli calibrate --kernels`.
#pragma once

#include "core/catalog/catalog_json.h"

namespace stratoplan::catalog {

/// The entries of kernels.json, after those of `into`. The error's pointer starts with the file's name.
[[nodiscard]] std::optional<CatalogError> parseKernels(
    const EmbeddedFile& file, std::vector<cluster::KernelTables>& into);
/// The same file again: `parseKernels(kernelsText(x)) == x` for every x that came from a file.
[[nodiscard]] std::string kernelsText(const std::vector<cluster::KernelTables>& entries);

} // namespace stratoplan::catalog

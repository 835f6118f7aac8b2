// SPDX-License-Identifier: GPL-3.0-or-later
// The PLAN argument of most commands: a plan or project file, or "-" for standard input.
#pragma once

#include "core/estimate/estimate.h"
#include "core/exchange/document.h"

namespace stratoplan::cli {

/// The text of a file or of standard input.
[[nodiscard]] tl::expected<std::string, exchange::DocumentErrors> readText(const std::string& argument);

/// The document; fields without effect are told as warnings on standard error.
[[nodiscard]] tl::expected<exchange::Document, exchange::DocumentErrors> readPlan(const std::string& argument);

/// A software profile by its id in the catalogue, or from a file.
[[nodiscard]] tl::expected<plan::SoftwareProfile, exchange::DocumentErrors> readProfile(const std::string& argument);

/// How messages call the argument: the file, or "standard input".
[[nodiscard]] std::string inputName(const std::string& argument);

} // namespace stratoplan::cli

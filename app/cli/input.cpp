// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/input.h"

#include "app/cli/output.h"
#include "app/logging.h"
#include "core/catalog/catalog_suggest.h"
#include "core/exchange/profile.h"

#include <unistd.h>

namespace stratoplan::cli {

namespace {

/// A shipped example named where a file belongs: say how to get it.
void hintAtExample(const std::string& argument, exchange::DocumentErrors& errors)
{
    if (errors.front().code == exchange::DocumentError::Code::Unreadable && exchange::findExample(argument))
        errors.front().expected =
            "a file (for the shipped example: stratoplan-cli examples " + argument + " | stratoplan-cli COMMAND -)";
}

} // namespace

std::string inputName(const std::string& argument)
{
    return argument == "-" ? "standard input" : argument;
}

tl::expected<std::string, exchange::DocumentErrors> readText(const std::string& argument)
{
    auto text =
        argument == "-" ? exchange::readDescriptor(STDIN_FILENO, inputName(argument)) : exchange::readFile(argument);
    if (text)
        return std::move(*text);
    exchange::DocumentErrors errors{std::move(text.error())};
    hintAtExample(argument, errors);
    return tl::unexpected(std::move(errors));
}

tl::expected<exchange::Document, exchange::DocumentErrors> readPlan(const std::string& argument)
{
    const auto text = readText(argument);
    if (!text)
        return tl::unexpected(text.error());
    auto document = exchange::parseDocument(*text, catalog::shippedCatalog(), inputName(argument));
    if (document) {
        app::logInfo("read " + inputName(argument) + (document->isProject ? " (project)" : " (plan)"));
        for (const exchange::DocumentError& warning : document->warnings)
            complain("warning: " + describe(warning), app::LogLevel::Warning);
    }
    return document;
}

tl::expected<plan::SoftwareProfile, exchange::DocumentErrors> readProfile(const std::string& argument)
{
    if (const plan::SoftwareProfile* profile = catalog::shippedCatalog().softwareProfile(argument))
        return *profile;
    const auto text = readText(argument);
    if (text)
        return exchange::parseProfile(*text, catalog::shippedCatalog(), inputName(argument));
    std::vector<std::string_view> ids;
    for (const plan::SoftwareProfile& profile : catalog::shippedCatalog().software)
        ids.push_back(profile.id);
    exchange::DocumentErrors errors = text.error();
    errors.front().expected = "a profile file, or " + catalog::detail::expectedId("a software profile", argument, ids);
    return tl::unexpected(std::move(errors));
}

} // namespace stratoplan::cli

// SPDX-License-Identifier: Apache-2.0
// Plans and projects as JSON documents: read, checked against resources/schema, migrated, written.
// A catalogue entry is named by its id and stored inline only where it differs. Fields this version does not know
// are kept and written back.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

/// One fault of a document. `pointer` is a JSON pointer ("/strategy/tp"), empty for the whole text.
struct DocumentError {
    enum class Code {
        Syntax,
        Schema,
        UnknownEntry,
        NewerVersion,
        Unreadable,
        Unwritable,
        UnknownField,
        LayersNotModelled, ///< --stand-in would take another kind in their place
    } code{};
    std::string file; ///< as given; "" for standard input or memory
    std::string pointer;
    std::string found; ///< what stands there
    std::string expected; ///< what would be right
    std::string sentence = {}; ///< all of it for people, where "found" and "expected" would not say it well
    bool operator==(const DocumentError&) const = default;
};
/// "plan.json: /strategy/tp: found \"eight\", expected an integer >= 1", or "No such file: plan.json".
[[nodiscard]] std::string describe(const DocumentError& error);

/// What would be right of a file that cannot be read; too plain to be told.
inline constexpr std::string_view kReadable = "a readable file";

using DocumentErrors = std::vector<DocumentError>;

/// A project with the text it came from, so that fields of other programs and newer versions survive a save.
struct Document {
    plan::Project project;
    bool isProject = false; ///< false: the file held a bare plan
    bool hasCapacity = false; ///< false: it says nothing of the whole run
    std::string original; ///< the JSON text read; "" for a new document
    DocumentErrors warnings; ///< fields nobody knows (UnknownField): kept, without effect, perhaps misspelt
};

/// The version of both formats that is written. Older ones are migrated when read, newer ones refused (NewerVersion).
inline constexpr int kFormatVersion = 1;

/// Reads a plan or a project, recognised by its "format" field ("stratoplan-plan" or "stratoplan-project").
[[nodiscard]] tl::expected<Document, DocumentErrors> parseDocument(
    std::string_view text, const catalog::Catalog& catalog, std::string_view file = {});
[[nodiscard]] tl::expected<Document, DocumentErrors> readDocument(
    const std::filesystem::path& path, const catalog::Catalog& catalog);

/// JSON text, two-space indent, trailing newline. Unknown fields of document.original are kept.
/// A project read from a bare plan keeps that plan's unknown fields.
[[nodiscard]] std::string writeProject(const Document& document, const catalog::Catalog& catalog);
/// The plan alone, with the inputs of its run; without these, with those of the original.
[[nodiscard]] std::string writePlan(const plan::Plan& plan, const catalog::Catalog& catalog,
    std::string_view original = {}, const plan::CapacityInputs* capacity = nullptr);

/// The whole content of a file. Errors: Unreadable, and more than 64 MiB.
[[nodiscard]] tl::expected<std::string, DocumentError> readFile(const std::filesystem::path& path);
/// The same from an open file, which stays open; `name` is for the error.
[[nodiscard]] tl::expected<std::string, DocumentError> readDescriptor(int descriptor, const std::string& name);

/// Whether writeFileAtomically() would find its place there: asked before long work, so that none is lost. Leaves no
/// trace.
[[nodiscard]] tl::expected<void, DocumentError> checkWritable(const std::filesystem::path& path);
/// Writes to a temporary file beside `path`, syncs it, renames it over: never half a file. A symbolic link is followed,
/// permissions of an existing file are kept; what is no regular file (a pipe, /dev/stdout) is written in place.
[[nodiscard]] tl::expected<void, DocumentError> writeFileAtomically(
    const std::filesystem::path& path, std::string_view text);

/// Shipped example plans (resources/examples/*.json), embedded.
struct Example {
    std::string name; ///< "gpt3-175b-1024-a100"
    std::string title; ///< one line for people
    std::string text; ///< plan JSON
};
[[nodiscard]] const std::vector<Example>& examples();
[[nodiscard]] const Example* findExample(std::string_view name);

} // namespace stratoplan::exchange

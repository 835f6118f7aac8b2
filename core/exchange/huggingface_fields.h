// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a configuration under all their names, takes the defaults of its class and notes them, and
// collects what is wrong.
#pragma once

#include "core/exchange/document.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::exchange::huggingface {

class Fields {
public:
    using Json = nlohmann::ordered_json;

    /// `pointer` is the place of the object in its file. A part of another configuration (`part`) is written without
    /// the values that its class defaults to (save_pretrained of transformers), a whole file is written with them.
    Fields(const Json& object, const std::string& pointer, std::string_view file, bool part);

    /// The defaults of the configuration class.
    void setDefaults(std::map<std::string, int> defaults) { m_defaults = std::move(defaults); }

    /// The field under any of its names, unless null; null where there is none.
    [[nodiscard]] const Json* find(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    /// Stated as null: the class takes no default then.
    [[nodiscard]] bool isNull(std::string_view name) const;

    [[nodiscard]] bool isPart() const { return m_part; }

    /// A whole number of at least `least` that shapes every model. Missing: the default in a part, else an error. A
    /// list of equal numbers, one for every layer, is that number.
    int number(std::string_view name, int least = 1);
    /// The same, where missing, unless stated as null, the default; without one `rule`, with a note of it if `noted`.
    int number(std::string_view name, int rule, bool noted, int least = 0);

    bool flag(std::string_view name, bool rule);
    /// The strings of a list; empty where there is none, an error where there is something else.
    std::vector<std::string> words(std::string_view name);

    /// "name=value", listed as not in the file.
    void note(std::string_view name, const std::string& value);
    void fail(std::string_view name, std::string found, std::string expected);

    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }
    [[nodiscard]] DocumentErrors& errors() { return m_errors; }

private:
    struct Scope {
        const Json& object;
        std::string pointer;
    };
    struct Place {
        const Json* value = nullptr;
        std::string pointer;
    };

    [[nodiscard]] Place place(std::string_view name, bool null) const;
    [[nodiscard]] std::optional<int> standard(std::string_view name) const;
    int checked(std::string_view name, const Json& value, int least);

    std::vector<Scope> m_scopes; ///< the configuration, then the objects of attention and FFN inside it
    std::string m_file;
    bool m_part = false;
    std::map<std::string, int> m_defaults;
    std::vector<std::string> m_notes;
    DocumentErrors m_errors;
};

} // namespace stratoplan::exchange::huggingface

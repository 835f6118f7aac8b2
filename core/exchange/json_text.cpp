// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/json_text.h"

#include "core/units/reading.h"

#include <nlohmann/json.hpp>

#include <unordered_set>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// Line and column (both from 1, column in bytes) of the byte before `position`, the last one the parser read.
TextPlace placeOf(std::string_view text, std::size_t position)
{
    TextPlace place;
    const std::size_t end = std::min(position == 0 ? 0 : position - 1, text.size());
    for (std::size_t i = 0; i < end; ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else {
            ++place.column;
        }
    }
    return place;
}

/// Bytes outside printable ASCII as \xNN, so that a message about broken text is itself sound.
std::string printable(std::string_view bytes)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string result;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F) {
            result += c;
        } else {
            result += "\\x";
            result += kHex[byte >> 4];
            result += kHex[byte & 15];
        }
    }
    return result;
}

/// What the library expects, in words for people.
constexpr std::pair<std::string_view, std::string_view> kExpectations[] = {{"'}'", "',' or '}'"}, {"']'", "',' or ']'"},
    {"string literal", "a key in double quotes"}, {"end of input", "the end of the text"}};

/// What is wrong, from the library's sentence "[json.exception.parse_error.101] parse error at line 1, column 2: …".
/// Its last part says what was expected, where it knows.
std::string reasonOf(std::string_view what)
{
    if (const auto found = what.find("; expected "); found != std::string_view::npos) {
        const std::string_view expected = what.substr(found + 11);
        for (const auto& [theirs, ours] : kExpectations) {
            if (expected == theirs)
                return std::string(ours);
        }
        return std::string(expected);
    }
    if (what.find("number overflow") != std::string_view::npos)
        return "a number below 1.8e308";
    if (what.find("invalid UTF-8") != std::string_view::npos || what.find("ill-formed UTF-8") != std::string_view::npos)
        return "UTF-8 text";
    if (what.find("missing closing quote") != std::string_view::npos)
        return "a closing quote";
    if (what.find("control character") != std::string_view::npos)
        return "an escaped control character, such as \\n";
    return "valid JSON";
}

/// Builds the document while reading; stops at the first repeated key or too deep a nesting.
class Builder : public nlohmann::json_sax<Json> {
public:
    explicit Builder(std::string_view text)
        : m_text(text)
    {
    }

    bool null() override { return add(Json(nullptr)); }
    bool boolean(bool value) override { return add(Json(value)); }
    bool number_integer(number_integer_t value) override { return add(Json(value)); }
    bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(Json(value)); }
    bool string(string_t& value) override { return add(Json(std::move(value))); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override
    {
        Frame& frame = m_stack.back();
        if (!frame.keys.insert(value).second) {
            error = DocumentError{
                DocumentError::Code::Syntax, {}, childPointer(frame.pointer, value), "the key twice", "it once"};
            return false;
        }
        frame.key = std::move(value);
        return true;
    }

    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& fault) override
    {
        const TextPlace place = placeOf(m_text, position);
        std::string found = position > m_text.size() ? "the end of the text"
            : token.empty()                          ? "an unreadable byte"
                                                     : printable(token);
        error = DocumentError{DocumentError::Code::Syntax, {}, {},
            shortened(std::move(found)) + " at line " + std::to_string(place.line) + ", column "
                + std::to_string(place.column),
            reasonOf(fault.what())};
        return false;
    }

    Json root;
    DocumentError error;

private:
    struct Frame {
        Json* value;
        std::string pointer;
        std::string key;
        std::unordered_set<std::string> keys;
    };

    Json* place(Json&& value)
    {
        if (m_stack.empty()) {
            root = std::move(value);
            return &root;
        }
        Frame& frame = m_stack.back();
        if (frame.value->is_array()) {
            frame.value->push_back(std::move(value));
            return &frame.value->back();
        }
        // The key is known to be new, so appending is safe and spares ordered_map its search over all members.
        auto& members = frame.value->get_ref<Json::object_t&>();
        members.emplace_back(frame.key, std::move(value));
        return &members.back().second;
    }

    bool add(Json&& value)
    {
        place(std::move(value));
        return true;
    }

    bool open(Json&& value)
    {
        std::string pointer;
        if (!m_stack.empty()) {
            const Frame& parent = m_stack.back();
            pointer = childPointer(
                parent.pointer, parent.value->is_array() ? std::to_string(parent.value->size()) : parent.key);
        }
        if (m_stack.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
            error = DocumentError{DocumentError::Code::Syntax, {}, std::move(pointer),
                reading::moreThan(kMaxJsonDepth, "levels of nesting"), reading::atMost(kMaxJsonDepth)};
            return false;
        }
        Json* const placed = place(std::move(value));
        m_stack.push_back(Frame{placed, std::move(pointer), {}, {}});
        return true;
    }

    bool close()
    {
        m_stack.pop_back();
        return true;
    }

    std::string_view m_text;
    std::vector<Frame> m_stack;
};

void prettyPrint(const Json& value, int indent, std::string& out)
{
    const auto plain = [](const Json& v) { return !v.is_structured(); };
    const std::string margin(static_cast<std::size_t>(indent) + 2, ' ');
    if (!value.is_structured() || value.empty()) {
        out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    } else if (value.is_array() && std::all_of(value.begin(), value.end(), plain)) {
        const char* separator = "[";
        for (const Json& element : value) {
            out += separator + element.dump(-1, ' ', false, Json::error_handler_t::replace);
            separator = ", ";
        }
        out += ']';
    } else {
        out += value.is_array() ? "[" : "{";
        bool first = true;
        for (auto it = value.begin(); it != value.end(); ++it) {
            out += first ? "\n" : ",\n";
            first = false;
            out += margin;
            if (value.is_object())
                out += Json(it.key()).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
            prettyPrint(*it, indent + 2, out);
        }
        out += '\n' + margin.substr(2) + (value.is_array() ? ']' : '}');
    }
}

/// A text that starts like UTF-16 or UTF-32 (byte order mark, or NUL bytes between the characters).
bool looksWide(std::string_view text)
{
    return text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF"
        || text.substr(0, 4).find('\0') != std::string_view::npos;
}

} // namespace

tl::expected<Json, DocumentError> parseJson(std::string_view text, std::string_view file)
{
    const auto fail = [&](std::string found, std::string expected) {
        return tl::unexpected(
            DocumentError{DocumentError::Code::Syntax, std::string(file), {}, std::move(found), std::move(expected)});
    };
    if (text.size() > kMaxJsonBytes)
        return fail(std::to_string(text.size() >> 20) + " MiB of text",
            "at most " + std::to_string(kMaxJsonBytes >> 20) + " MiB");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return fail("no text", reading::kJsonObject);
    if (looksWide(text))
        return fail("UTF-16 or binary data", "JSON in UTF-8");
    Builder builder(text);
    if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
        builder.error.file = file;
        return tl::unexpected(std::move(builder.error));
    }
    return std::move(builder.root);
}

std::string_view withoutByteOrderMark(std::string_view text)
{
    return text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

std::string prettyJson(const Json& value)
{
    std::string out;
    prettyPrint(value, 0, out);
    out += '\n';
    return out;
}

} // namespace stratoplan::exchange

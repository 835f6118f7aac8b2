// SPDX-License-Identifier: Apache-2.0
#include "core/units/unseen.h"

namespace stratoplan::inline units {
namespace {

/// How many bytes of an unseen character a text begins with; else 0.
std::size_t unseenAt(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    if (byte(0) == 0xC2)
        return byte(1) >= 0x80 && byte(1) <= 0x9F ? 2 : 0;
    if (byte(0) == 0xD8)
        return byte(1) == 0x9C ? 2 : 0;
    if (byte(0) == 0xEF)
        return byte(1) == 0xBB && byte(2) == 0xBF ? 3 : 0;
    if (byte(0) != 0xE2)
        return 0;
    const bool noWidth = byte(1) == 0x80 && (byte(2) == 0x8B || byte(2) == 0x8E || byte(2) == 0x8F);
    const bool breaksOrTurns = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
    const bool joinsOrIsolates =
        byte(1) == 0x81 && ((byte(2) >= 0xA0 && byte(2) <= 0xA4) || (byte(2) >= 0xA6 && byte(2) <= 0xA9));
    return noWidth || breaksOrTurns || joinsOrIsolates ? 3 : 0;
}

} // namespace

std::string withUnseenEscaped(std::string_view text)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = unseenAt(text.substr(i));
        if (length == 0) {
            result += text[i++];
            continue;
        }
        unsigned code = static_cast<unsigned char>(text[i]) & (length == 2 ? 0x1FU : 0x0FU);
        for (std::size_t k = 1; k < length; ++k)
            code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
        result += "\\u";
        for (const unsigned shift : {12U, 8U, 4U, 0U})
            result += kHex[code >> shift & 15U];
        i += length;
    }
    return result;
}

} // namespace stratoplan::inline units

#include "normalize/step_text.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

u32 code_at(std::string_view text, size_t at, u32* length) {
    u8 bytes[4] = {};
    std::memcpy(bytes, text.data() + at, text.size() - at < 4 ? text.size() - at : 4);
    const Character character = decode_character(bytes);
    *length = character.length;
    const bool is_ill_formed = character.code_point == 0xFFFD && !(character.length == 3 && bytes[0] == 0xEF);
    if (!is_ill_formed) return character.code_point;
    u32 code = kIllFormedBytes | character.length << 24;
    for (u32 i = 0; i < character.length; ++i) code |= u32{bytes[i]} << (8 * i);
    return code;
}

Status append_characters(std::string_view text, u32 source, StepText* out) {
    for (size_t at = 0; at < text.size();) {
        u32 length;
        const u32 code = code_at(text, at, &length);
        if (!out->push_back({code, source})) return Status::out_of_memory();
        at += length;
    }
    return {};
}

}  // namespace crayon

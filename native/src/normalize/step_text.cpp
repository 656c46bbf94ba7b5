#include "normalize/step_text.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

u32 code_at(std::string_view text, size_t at, u32* length) {
    u8 bytes[4] = {};
    std::memcpy(bytes, text.data() + at, text.size() - at < 4 ? text.size() - at : 4);
    const Character character = decode_character(bytes);
    *length = character.length;
    return step_code(bytes, character);
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

bool put_characters(const StepText& text, Buffer<u8>* out) {
    if (!out->resize(4 * text.size())) return false;
    size_t size = 0;
    for (const StepCharacter& each : text) size += put_character(each.code, out->data() + size);
    out->truncate(size);
    return true;
}

}  // namespace crayon

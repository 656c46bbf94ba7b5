// A range of text between the steps of a normalizer program: its characters, and which of the raw ones each comes from.
//
// Steps say what becomes of a text as a list of changes, the way Hugging Face aligns texts (NormalizedString::transform): a
// character replaces one and hides those after it that it stands for as well, or is put in behind one.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "base/utf8.h"

namespace crayon {

struct StepCharacter {
    u32 code;    // a code point, or ill-formed bytes: kIllFormedBytes | how many << 24 | these, the first one lowest
    u32 source;  // index of the raw character
};
using StepText = Buffer<StepCharacter>;

inline constexpr u32 kIllFormedBytes = 0x80000000;

struct StepChange {
    u32 code;
    // 1: put in, and comes from where the one before it does; else it replaces a character, and −change more.
    int32_t change;
};

// What the changes make of a text, of which the first `removed` characters have been taken out. Replaces it. OUT_OF_MEMORY.
inline Status apply(const Buffer<StepChange>& changes, u32 removed, StepText* text, StepText* spare) {
    const u32 size = static_cast<u32>(text->size());
    if (!spare->resize(changes.size())) return Status::out_of_memory();
    const auto source = [&](u32 at) { return size == 0 ? 0 : (*text)[at < size ? at : size - 1].source; };
    u32 at = removed;
    for (size_t i = 0; i < changes.size(); ++i) {
        const StepChange& each = changes[i];
        (*spare)[i] = {each.code, source(each.change > 0 ? at - (at > 0) : at)};
        if (each.change <= 0) at += 1 + static_cast<u32>(-each.change);
    }
    text->swap(*spare);
    return {};
}

// The code of a decoded character; `text`: where it begins.
inline u32 step_code(const u8* text, const Character& character) {
    if (!is_ill_formed(character, text)) return character.code_point;
    u32 code = kIllFormedBytes | character.length << 24;
    for (u32 i = 0; i < character.length; ++i) code |= u32{text[i]} << (8 * i);
    return code;
}

// The character of a text at a byte, and how many bytes it has.
u32 code_at(std::string_view text, size_t at, u32* length);

// Appends the characters of a text. `source`: of all of them. OUT_OF_MEMORY.
Status append_characters(std::string_view text, u32 source, StepText* out);

// A character as UTF-8: how many bytes. `out` has room for 4.
inline u32 put_character(u32 code, u8* out) {
    if (code < kIllFormedBytes) return put_utf8(code, out);
    const u32 length = code >> 24 & 3;
    for (u32 i = 0; i < length; ++i) out[i] = static_cast<u8>(code >> (8 * i));
    return length;
}

// Replaces `out` by a text as UTF-8. False if memory is short.
[[nodiscard]] bool put_characters(const StepText& text, Buffer<u8>* out);

}  // namespace crayon

#include "token_offsets.h"

#include <bit>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

constexpr u64 kMaxOffset = 0xFFFFFFFF;

}  // namespace

Status TokenOffsets::locate(const Tokenizer& tokenizer, const u8* text, u32 unit, const u32* ids, u32 count,
                            u32* offsets) {
    return unit == CRAYON_UNIT_UTF16 ? locate_utf16(tokenizer, text, ids, count, offsets)
                                     : locate_bytes(tokenizer, ids, count, offsets);
}

Status TokenOffsets::locate_bytes(const Tokenizer& tokenizer, const u32* ids, u32 count, u32* offsets) {
    u64 at = behind_;
    for (u32 i = 0; i < count; ++i) {
        offsets[2 * i] = static_cast<u32>(at);
        at += tokenizer.token_length(ids[i]);
        offsets[2 * i + 1] = static_cast<u32>(at);
    }
    end_ += at - behind_;
    behind_ = at;
    if (at > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
    return {};
}

Status TokenOffsets::locate_utf16(const Tokenizer& tokenizer, const u8* text, const u32* ids, u32 count, u32* offsets) {
    // In registers: the offsets written might alias the members.
    size_t end = end_, character_end = character_end_;
    u64 before = before_, behind = behind_;
    for (u32 i = 0; i < count; ++i) {
        offsets[2 * i] = static_cast<u32>(end == character_end ? behind : before);
        end += tokenizer.token_length(ids[i]);
        while (character_end < end) {
            u64 word;
            std::memcpy(&word, text + character_end, sizeof(word));
            word &= 0x8080808080808080;
            size_t ascii = word ? static_cast<size_t>(std::countr_zero(word)) / 8 : sizeof(word);
            if (ascii) {
                if (ascii > end - character_end) ascii = end - character_end;
                character_end += ascii;
                behind += ascii;
            } else {
                const Character character = decode_character(text + character_end);
                before = behind;
                character_end += character.length;
                behind += character.code_point < 0x10000 ? 1 : 2;
            }
        }
        offsets[2 * i + 1] = static_cast<u32>(behind);
    }
    end_ = end;
    character_end_ = character_end;
    before_ = before;
    behind_ = behind;
    if (behind > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
    return {};
}

}  // namespace crayon

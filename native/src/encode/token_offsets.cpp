#include "encode/token_offsets.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

constexpr u64 kMaxOffset = 0xFFFFFFFF;
// Tokens tried as ASCII together.
constexpr u32 kGroup = 32;
constexpr u64 kHighBits = 0x8080808080808080;

// UTF-16 units of the well-formed characters whose first byte is among the low `length` (1…8) bytes of a word: one each,
// plus one for four-byte characters.
u32 units_begun(u64 word, u32 length) {
    constexpr u64 kOnes = kHighBits >> 7;
    const u64 mask = ~u64{0} >> (64 - 8 * length);
    const u64 continuations = word >> 7 & ~(word >> 6) & kOnes & mask;
    const u64 fours = (word & word << 1 & word << 2 & word << 3 & kHighBits & mask) >> 7;
    return length + static_cast<u32>(((fours + kOnes * 2 - continuations) * kOnes) >> 56) - 16;
}

// The number of units before the character that text[at] continues. `after`: the number up to its end. `open`: the result
// if it begins before text[first].
u64 units_before(const u8* text, size_t first, size_t at, u64 after, u64 open) {
    do {
        if (at == first) return open;
        --at;
    } while (is_continuation(text[at]));
    return after - (text[at] >= 0xF0 ? 2 : 1);
}

// Whether a character begins there. In bytes, tokens may also end inside characters.
bool begins_character(const u8* text, size_t at) {
    if (!is_continuation(text[at])) return true;
    for (size_t back = 1; back <= 3 && back <= at; ++back) {
        const u8* const first = text + at - back;
        if (!is_continuation(*first)) return decode_character(first).length <= back;
    }
    return true;
}

}  // namespace

Status TokenOffsets::locate(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets) {
    const bool has_gaps = tokenizer.dropped().any();
    (this->*(has_gaps ? &TokenOffsets::locate_words : &TokenOffsets::locate_by))(tokenizer, text, unit, ids, count, offsets);
    if (after_ > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
    return {};
}

void TokenOffsets::skip(const Tokenizer& tokenizer, const Text& text, u32 unit) {
    const DroppedText& dropped = tokenizer.dropped();
    while (end_ < text.encoded) {
        const u32 left = static_cast<u32>(std::min<size_t>(text.encoded - end_, 4));
        const u32 length = begins_character(text.bytes, end_) ? dropped.at(text.bytes + end_, left) : 0;
        if (length == 0) break;
        end_ += length;
        character_end_ = end_;
        after_ += unit == CRAYON_UNIT_BYTES ? length : length == 4 ? 2 : 1;
    }
}

void TokenOffsets::locate_words(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        if (tokenizer.begins_word(ids[i])) skip(tokenizer, text, unit);
        locate_by(tokenizer, text, unit, ids + i, 1, offsets + 2 * i);
    }
}

void TokenOffsets::locate_by(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets) {
    if (unit == CRAYON_UNIT_BYTES) {
        locate_bytes(tokenizer, text, ids, count, offsets);
    } else {
        bool likely_ascii = true;
        for (u32 i = 0; i < count; i += kGroup) {
            const u32 group = std::min(kGroup, count - i);
            if (likely_ascii && locate_ascii(tokenizer, text, ids + i, group, offsets + 2 * i)) continue;
            if (text.well_formed) {
                const u64 bytes = end_, units = after_;
                locate_units(tokenizer, text, ids + i, group, offsets + 2 * i);
                likely_ascii = end_ - bytes == after_ - units;
            } else {
                locate_characters(tokenizer, text, ids + i, group, offsets + 2 * i);
            }
        }
    }
}

TokenOffsets::Reached TokenOffsets::reached(const u8* text) const {
    if (end_ == character_end_) return {end_, end_, after_};
    size_t character = end_;
    while (character > 0 && is_continuation(text[character])) --character;
    // In a damaged cartridge it may begin in dropped text.
    if (is_continuation(text[character])) return {end_, character_end_, after_};
    return {end_, character, before_};
}

void TokenOffsets::locate_bytes(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets) {
    const u64 last = after_ + (text.encoded - end_);
    u64 at = after_;
    for (u32 i = 0; i < count; ++i) {
        const u64 begin = at;
        at = std::min(at + tokenizer.token_length(ids[i]), last);
        const u32 both[2] = {static_cast<u32>(begin), static_cast<u32>(at)};
        std::memcpy(offsets + 2 * i, both, sizeof both);
    }
    end_ += static_cast<size_t>(at - after_);
    character_end_ = end_;
    after_ = at;
}

// False, without changes, if the tokens are not all ASCII: then bytes are not units.
bool TokenOffsets::locate_ascii(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets) {
    if (end_ != character_end_) return false;
    const TokenOffsets before = *this;
    locate_bytes(tokenizer, text, ids, count, offsets);
    if (is_ascii(text.bytes + before.end_, end_ - before.end_)) return true;
    *this = before;
    return false;
}

// For well-formed UTF-8: decodes no characters, and no branch depends on a token's contents.
void TokenOffsets::locate_units(const Tokenizer& tokenizer, const Text& all, const u32* ids, u32 count, u32* offsets) {
    const u8* const text = all.bytes;
    const size_t size = all.size, first = end_;
    size_t end = end_;
    u64 after = after_;
    const auto before = [&] { return units_before(text, first, end, after, before_); };
    for (u32 i = 0; i < count; ++i) {
        offsets[2 * i] = static_cast<u32>(end < size && is_continuation(text[end]) ? before() : after);
        const size_t next = end + std::min<size_t>(tokenizer.token_length(ids[i]), all.encoded - end);
        while (end < next) {
            u64 word;
            std::memcpy(&word, text + end, sizeof(word));
            const size_t length = std::min(next - end, sizeof(word));
            after += units_begun(word, static_cast<u32>(length));
            end += length;
        }
        offsets[2 * i + 1] = static_cast<u32>(after);
    }
    end_ = character_end_ = end;
    while (character_end_ < size && is_continuation(text[character_end_])) ++character_end_;
    if (end < character_end_) before_ = before();
    after_ = after;
}

void TokenOffsets::locate_characters(const Tokenizer& tokenizer, const Text& all, const u32* ids, u32 count, u32* offsets) {
    const u8* const text = all.bytes;
    // Locals stay in registers: writing the offsets might alias the members.
    size_t end = end_, character_end = character_end_;
    u64 before = before_, after = after_;
    for (u32 i = 0; i < count; ++i) {
        offsets[2 * i] = static_cast<u32>(end == character_end ? after : before);
        end += std::min<size_t>(tokenizer.token_length(ids[i]), all.encoded - end);
        while (character_end < end) {
            u64 word;
            std::memcpy(&word, text + character_end, sizeof(word));
            word &= kHighBits;
            size_t ascii = word ? static_cast<size_t>(std::countr_zero(word)) / 8 : sizeof(word);
            if (ascii) {
                if (ascii > end - character_end) ascii = end - character_end;
                character_end += ascii;
                after += ascii;
            } else {
                const Character character = decode_character(text + character_end);
                before = after;
                character_end += character.length;
                after += character.code_point < 0x10000 ? 1 : 2;
            }
        }
        offsets[2 * i + 1] = static_cast<u32>(after);
    }
    end_ = end;
    character_end_ = character_end;
    before_ = before;
    after_ = after;
}

}  // namespace crayon

// Sixty-four bytes of text as class masks: bit i of a mask is for byte i, and all bytes of a character have its class.
//
// A block never ends inside a character: it is shortened to the previous character, so that rules about neighbours are
// plain shifts. ASCII is classified by vector comparisons, other characters by pages (scan/pages.h).
#pragma once

#include <bit>

#include "base/integers.h"
#include "base/utf8.h"
#include "crayon/layout/piece_steps.h"
#include "scan/pages.h"
#include "scan/scanner.h"
#include "scan/unicode_16_0.h"

namespace crayon::CRAYON_KERNEL {

struct Block {
    const u8* text;   // its first byte
    size_t position;  // of that byte, in the text
    u32 length;       // 1…64
    u64 valid;        // the low `length` bits
    u64 top;          // bit length − 1
    bool ends;        // the text ends at the end of the block
    // The class of the character after the block, kOther at the end of the text. Only needed after whitespace, and with
    // kSymbols after a character that is not a word, number or symbol; after other characters it may be kOther regardless
    // of its real class.
    unicode_16_0::Class next;

    u64 upper, lower, caseless, mark, number;
    u64 space, newline;            // together \s: everything but CR and LF; CR and LF
    u64 blank, apostrophe, slash;  // U+0020 (also in space) ' /
    u64 continuation;              // non-first bytes of characters

    // Only for families with symbols:
    u64 ascii;
    u64 symbol;  // the family's set from scan/symbols.h
    u64 cjk;     // is_ideograph_or_kana; overlaps the sets above
    bool next_is_cjk;

    u64 letters() const { return upper | lower | caseless; }

    // The positions whose previous / next byte is in `mask`; `before` and `after` are the bits at the ends (0 or 1).
    static u64 after(u64 mask, u64 before) { return mask << 1 | before; }
    u64 before(u64 mask, bool after) const { return mask >> 1 | (after ? top : 0); }

    // Spreads first bytes of characters to all their bytes; moves last bytes to first bytes.
    u64 whole_characters(u64 first) const {
        if (continuation == 0) return first;
        first |= first << 1 & continuation;
        first |= first << 1 & continuation;
        return first | (first << 1 & continuation);
    }
    u64 first_bytes(u64 last) const {
        if (continuation == 0) return last;
        u64 first = last & ~continuation;
        for (int i = 0; i < 3; ++i) {
            last = (last & continuation) >> 1;
            first |= last & ~continuation;
        }
        return first;
    }
    u8 last_bit(u64 mask) const { return static_cast<u8>(mask >> (length - 1) & 1); }
};

// Classifies text[position, position + 64), or as much of it as there is. `available` bytes follow `position`: at least 72
// or, at the end of the text, at least 1 followed by zeros. `recent` is shared by the blocks of one scan.
template <class Symbols, class Bytes>
[[gnu::always_inline]] inline Block classify(const u8* text, size_t position, size_t available, RecentPages& recent) {
    using unicode_16_0::Class;
    constexpr bool kSymbols = Symbols::kAny;
    Block b;
    b.text = text + position;
    b.position = position;
    b.length = available < 64 ? static_cast<u32>(available) : 64;

    const Bytes bytes = Bytes::load(b.text);
    const u64 letters = bytes.with_bits(0x20).between('a', 'z'), bit5 = bytes.any_bits(0x20);
    b.lower = letters & bit5;
    b.upper = letters & ~bit5;
    b.number = bytes.between('0', '9');
    b.blank = bytes.equal(' ');
    b.newline = bytes.equal('\n') | bytes.equal('\r');
    b.space = (bytes.between('\t', '\r') | b.blank) & ~b.newline;
    b.apostrophe = bytes.equal('\'');
    b.slash = bytes.equal('/');
    b.caseless = b.mark = b.continuation = 0;
    if constexpr (kSymbols) {
        b.ascii = ~bytes.non_ascii();
        b.symbol = bytes.between('!', '~') & ~(letters | b.number);
        b.cjk = 0;
        b.next_is_cjk = false;
    }

    b.valid = ~u64{0} >> (64 - b.length);
    if (const u64 non_ascii = bytes.non_ascii() & b.valid) {
        const NonAscii found = classify_non_ascii<Symbols>(bytes, b.text, b.length, non_ascii, recent);
        b.length = found.length;
        b.valid = ~u64{0} >> (64 - b.length);
        b.continuation = found.continuation;
        const u64 bit0 = found.planes[0], bit1 = found.planes[1], bit2 = found.planes[2];
        b.upper |= bit0 & ~(bit1 | bit2);
        b.lower |= bit1 & ~(bit0 | bit2);
        b.caseless = bit0 & bit1;
        b.mark = bit2 & ~(bit0 | bit1);
        b.number |= bit2 & bit0;
        b.space |= bit2 & bit1;
        if constexpr (kSymbols) {
            b.symbol |= Symbols::kOnlyOther ? found.symbols & ~(bit0 | bit1 | bit2) : found.symbols;
            b.cjk = found.cjk;
        }
    }
    b.top = u64{1} << (b.length - 1);
    b.ends = b.length == available;
    b.next = Class::kOther;
    if (!b.ends) {
        const u8* const after = b.text + b.length;
        u64 needed = b.space | b.newline;
        if constexpr (Symbols::kOnlyOther) needed = ~(b.letters() | b.mark | b.number | b.symbol);
        if (*after < 0x80) {
            b.next = unicode_16_0::class_of(*after);
        } else if (b.last_bit(needed)) {
            const u32 code_point = decode_character(after).code_point;
            b.next = unicode_16_0::class_of(code_point);
            if constexpr (Symbols::kOnlyOther) b.next_is_cjk = is_ideograph_or_kana(code_point);
        }
    }
    return b;
}

// Writes base + i for every bit i of the mask, ascending, and returns the position after the last one; elements up to out +
// 64 may be overwritten. Writes eight at a time: the number of bits is unpredictable, and a mispredicted branch costs more
// than extra writes.
template <class Bytes>
inline u32* write_positions(u64 mask, u32 base, u32* out) {
    if constexpr (requires { Bytes::write_positions(mask, base, out); }) {
        return Bytes::write_positions(mask, base, out);
    } else {
        constexpr u64 kTop = u64{1} << 63;  // avoids the compiler's branch for a mask of 0
        u32* const end = out + std::popcount(mask);
        do {
            for (int i = 0; i < 8; ++i, mask &= mask - 1) out[i] = base + static_cast<u32>(std::countr_zero(mask | kTop));
            out += 8;
        } while (mask);
        return end;
    }
}

// A text in the form that the exact step of a family reads (crayon/layout/piece_steps.h), for blocks that the masks do not
// determine.
static_assert(u32{unicode_16_0::kOther} == layout::kOtherClass && u32{unicode_16_0::kUpper} == layout::kUpper &&
              u32{unicode_16_0::kLower} == layout::kLower && u32{unicode_16_0::kCaseless} == layout::kCaseless &&
              u32{unicode_16_0::kMark} == layout::kMark && u32{unicode_16_0::kNumber} == layout::kNumber &&
              u32{unicode_16_0::kSpace} == layout::kSpace && u32{unicode_16_0::kNewline} == layout::kNewline);

// One step in a text that may continue after `size` (unless `last`).
struct Walk {
    const u8* text;
    size_t size;
    bool last;
    bool needs_more_text = false;  // the step depends on later text

    using Offset = size_t;

    // Whether a character (and a contraction) can be read at i.
    bool has(size_t i) {
        if (last) return i < size;
        needs_more_text = needs_more_text || i + 4 > size;
        return !needs_more_text;
    }
    static constexpr bool stops_at(size_t) { return false; }
    bool ends_at(size_t i) const { return i == size; }
    u32 byte(size_t i) const { return text[i]; }
    layout::PieceCharacter<Walk> at(size_t i) const {
        const Character c = decode_character(text + i);
        return {text[i], unicode_16_0::class_of(c.code_point), i + c.length};
    }
};

}  // namespace crayon::CRAYON_KERNEL

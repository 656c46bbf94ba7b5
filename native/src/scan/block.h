// Sixty-four bytes of text as class masks: bit i of a mask speaks of byte i, and all bytes of a character have its
// class.
//
// A block never ends inside a character: where one would, the block is shorter by it, so that rules about neighbours
// are plain shifts. ASCII is classified by vector comparisons, other characters one by one through the Unicode table.
#pragma once

#include <bit>

#include "base/integers.h"
#include "base/utf8.h"
#include "scan/scanner.h"
#include "scan/unicode_16_0.h"

namespace crayon::CRAYON_ROW {

struct Block {
    const u8* text;            // its first byte
    size_t position;           // of that byte in the text
    u32 length;                // 1…64
    u64 valid;                 // the low `length` bits
    u64 top;                   // bit length − 1
    bool ends;                 // the text ends behind the block
    unicode_16_0::Class next;  // class of the character behind the block, unless `ends`

    u64 upper, lower, caseless, mark, number;
    u64 space, newline;            // \s is both: everything but CR and LF; CR and LF
    u64 blank, apostrophe, slash;  // U+0020 (also in space) ' /
    u64 continuation;              // bytes of a character behind its first

    u64 letters() const { return upper | lower | caseless; }

    // The places whose previous / next byte is in `mask`; `before` and `after` are the answers at the ends (0 or 1).
    static u64 behind(u64 mask, u64 before) { return mask << 1 | before; }
    u64 ahead_of(u64 mask, bool after) const { return mask >> 1 | (after ? top : 0); }

    // First bytes of characters to all their bytes, last bytes to first bytes.
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
    u64 last_bit(u64 mask) const { return mask >> (length - 1) & 1; }
};

// Classifies text[position, position + 64) or what there is of it. `available` bytes follow `position`, at least 72 or,
// with `last`, at least 1 with zeros behind them.
template <class Bytes>
inline Block classify(const u8* text, size_t position, size_t available) {
    using unicode_16_0::Class;
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

    b.valid = ~u64{0} >> (64 - b.length);
    if (u64 rest = bytes.non_ascii() & b.valid) {
        u64 classes[8] = {};
        while (rest) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            const Character character = decode_character(b.text + i);
            if (i + character.length > 64) {  // it belongs to the next block
                b.length = i;
                b.valid = ~u64{0} >> (64 - i);
                break;
            }
            const u64 bits = (~u64{0} >> (64 - character.length)) << i;
            classes[unicode_16_0::class_of(character.code_point)] |= bits;
            b.continuation |= bits & (bits - 1) & ~(u64{1} << i);
            rest &= ~bits;
        }
        b.upper |= classes[Class::kUpper];
        b.lower |= classes[Class::kLower];
        b.caseless = classes[Class::kCaseless];
        b.mark = classes[Class::kMark];
        b.number |= classes[Class::kNumber];
        b.space |= classes[Class::kSpace];
    }
    b.top = u64{1} << (b.length - 1);
    b.ends = b.length == available;
    b.next = b.ends ? Class::kOther : unicode_16_0::class_of(decode_character(b.text + b.length).code_point);
    return b;
}

}  // namespace crayon::CRAYON_ROW

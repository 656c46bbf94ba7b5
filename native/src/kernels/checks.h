// What the validator does with vectors: the blocks of a checksum, and the rules of long tables.
#pragma once

#include <utility>

#include "base/integers.h"
#include "cartridge/table_check.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/checksum.h"
#include "crayon/layout/double_array.h"

namespace crayon {

// A checksum (layout/checksum.h), over the lanes of one instruction set.

// As many registers as every instruction set can keep beside its operands; more lanes take another pass over the bytes,
// which are in the L1 cache by then.
inline constexpr u32 kLaneRegisters = 8;

// `lanes`: kChecksumLanes lanes, updated in place. `bytes`: `count` blocks.
template <class Lanes>
void checksum_blocks(u64* lanes, const u8* bytes, size_t count) {
    constexpr u32 kPass =
        kLaneRegisters * Lanes::kCount < layout::kChecksumLanes ? kLaneRegisters * Lanes::kCount : layout::kChecksumLanes;
    // A fold expression spells out the registers: compilers keep an array accessed in a loop in memory.
    const auto pass = [&]<u32... i>(u64 * first, const u8* word, std::integer_sequence<u32, i...>) {
        Lanes lane[] = {Lanes::load(first + i * Lanes::kCount)...};
        for (size_t block = 0; block < count; ++block, word += layout::kChecksumBlock) {
            ((lane[i] = lane[i].next(layout::kChecksumMultiplier, Lanes::load(word + i * Lanes::kCount * 8))), ...);
        }
        (lane[i].store(first + i * Lanes::kCount), ...);
    };
    for (u32 first = 0; first < layout::kChecksumLanes; first += kPass) {
        pass(lanes + first, bytes + 8 * first, std::make_integer_sequence<u32, kPass / Lanes::kCount>());
    }
}

}  // namespace crayon

namespace crayon::CRAYON_KERNEL {

// The rules are vectorized by the compiler. A rule computes one bit over all elements of a part and does not stop at a broken
// one.

using layout::kNone;

// The top bit is set iff x > greatest, for greatest < 2^31. Two operations, no comparison or branch.
constexpr u32 above(u32 x, u32 greatest) { return x | (greatest - x); }
static_assert(above(5, 5) >> 31 == 0 && above(6, 5) >> 31 == 1 && above(0, 0) >> 31 == 0);
static_assert(above(0x7FFFFFFF, 0x7FFFFFFF) >> 31 == 0 && above(0xFFFFFFFF, 0x7FFFFFFF) >> 31 == 1);
static_assert(above(0x80000000, 0) >> 31 == 1 && above(0x80000006, 5) >> 31 == 1);

template <class Element>
inline const Element* as(const u8* elements) {
    return reinterpret_cast<const Element*>(elements);
}

// Element i is the end of token i: its length is at most `greatest`, its end inside the bytes. Both bounds are below 2^31,
// so a decrease, which wraps to a length of at least 2^31, is detected. The element before the first must be readable.
inline bool offsets_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* end = as<u32>(elements);
    const u32* begin = end - 1;
    const u32 longest = check.greatest, byte_count = check.greatest_other;
    u32 bad = 0, attained = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 length = end[i] - begin[i];
        bad |= above(length, longest) | above(end[i], byte_count);
        attained |= length == longest;
    }
    check.attained |= attained != 0;
    return bad >> 31;
}

inline bool pieces8_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const layout::Piece8* entry = as<layout::Piece8>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(entry[i].id, greatest) | above(entry[i].length, 8);
    return bad >> 31;
}

inline bool pieces24_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const layout::Piece24* entry = as<layout::Piece24>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 length = entry[i].length;
        bad |= above(entry[i].id, greatest) | above(length, 24);
        bad |= (length - 9) & (0 - length);  // 1…8 have both top bits; 0 is an empty slot
    }
    return bad >> 31;
}

inline bool pieces_long_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* id = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(id[i] + 1, greatest + 1);  // kNone + 1 is 0
    return bad >> 31;
}

inline bool pairs_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* slot = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 wrong = above(slot[i] & layout::kMaxTokens, greatest);
        bad |= slot[i] == kNone ? 0 : wrong;
    }
    return bad >> 31;
}

inline bool splits_broken(TableCheck&, const u8* elements, u32 first, u32 count) {
    const layout::Split* split = as<layout::Split>(elements);
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 token = first + i, left = split[i].left, right = split[i].right;
        const u32 left_is_token = left == token, right_is_token = right == token;
        bad |= above(left, token) | above(right, token) | (left_is_token ^ right_is_token) << 31;
    }
    return bad >> 31;
}

inline bool trie_units_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* unit = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad_base = 0, bad_label = 0;
    for (u32 i = 0; i < count; ++i) {
        // unit_count is a multiple of 256, so a base below it keeps all its 256 children inside. Bases have 22 bits.
        bad_base |= greatest - layout::base_of(unit[i]);
        bad_label |= layout::label_of(unit[i]) + (0x1FF - layout::kVacantLabel);  // carries into bit 9
    }
    return (bad_base >> 31 | (bad_label >> 9 & 1)) != 0;
}

inline bool ids_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* id = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(id[i], greatest);
    return bad >> 31;
}

// In the order of TableRule.
inline constexpr TableCheck::Broken kBroken[] = {
    offsets_broken, pieces8_broken, pieces24_broken,   pieces_long_broken,
    pairs_broken,   splits_broken,  trie_units_broken, ids_broken,
};
static_assert(sizeof kBroken / sizeof *kBroken == kTableRules);

}  // namespace crayon::CRAYON_KERNEL

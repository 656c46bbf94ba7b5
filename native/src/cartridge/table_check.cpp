#include "cartridge/table_check.h"

#include <algorithm>

#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/double_array.h"

namespace crayon {

namespace {

using layout::kNone;

// The top bit is set iff x > greatest, for greatest < 2^31. Two operations, no comparison, no branch.
constexpr u32 above(u32 x, u32 greatest) { return x | (greatest - x); }
static_assert(above(5, 5) >> 31 == 0 && above(6, 5) >> 31 == 1 && above(0, 0) >> 31 == 0);
static_assert(above(0x7FFFFFFF, 0x7FFFFFFF) >> 31 == 0 && above(0xFFFFFFFF, 0x7FFFFFFF) >> 31 == 1);
static_assert(above(0x80000000, 0) >> 31 == 1 && above(0x80000006, 5) >> 31 == 1);

template <class Element>
const Element* as(const u8* elements) {
    return reinterpret_cast<const Element*>(elements);
}

// Element i is the end of token i: its length is at most `greatest`, its end inside the bytes. Both bounds are below
// 2^31, so a decrease, which wraps to a length of at least 2^31, is detected. The offset before the first element is
// readable.
bool offsets_broken(TableCheck& check, const u8* elements, u32, u32 count) {
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

bool pieces8_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const layout::Piece8* entry = as<layout::Piece8>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(entry[i].id, greatest) | above(entry[i].length, 8);
    return bad >> 31;
}

bool pieces24_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const layout::Piece24* entry = as<layout::Piece24>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        // 9…24, or 0 for an empty slot: this mask has a bit for each allowed length.
        constexpr u64 kAllowed = 0x1FFFE01;
        const u32 length = entry[i].length;
        bad |= above(entry[i].id, greatest) | above(length, 24);
        bad |= static_cast<u32>(~kAllowed >> (length & 31)) << 31;
    }
    return bad >> 31;
}

bool pieces_long_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* id = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(id[i] + 1, greatest + 1);  // kNone + 1 is 0
    return bad >> 31;
}

bool pairs_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* slot = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 wrong = above(slot[i] & layout::kMaxTokens, greatest);
        bad |= slot[i] == kNone ? 0 : wrong;
    }
    return bad >> 31;
}

bool splits_broken(TableCheck&, const u8* elements, u32 first, u32 count) {
    const layout::Split* split = as<layout::Split>(elements);
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 token = first + i, left = split[i].left, right = split[i].right;
        const u32 left_is_token = left == token, right_is_token = right == token;
        bad |= above(left, token) | above(right, token) | (left_is_token ^ right_is_token) << 31;
    }
    return bad >> 31;
}

bool trie_units_broken(TableCheck& check, const u8* elements, u32, u32 count) {
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

bool ids_broken(TableCheck& check, const u8* elements, u32, u32 count) {
    const u32* id = as<u32>(elements);
    const u32 greatest = check.greatest;
    u32 bad = 0;
    for (u32 i = 0; i < count; ++i) bad |= above(id[i], greatest);
    return bad >> 31;
}

TableCheck make_check(TableCheck::Broken broken, u32 element_bytes, u32 greatest, u32 greatest_other = 0) {
    TableCheck check;
    check.broken = broken;
    check.element_bytes = element_bytes;
    check.greatest = greatest;
    check.greatest_other = greatest_other;
    return check;
}

}  // namespace

Status TableCheck::run(const u8* data, u64 begin, u64 end) {
    begin = std::max(begin, offset);
    end = std::min(end, offset + count * element_bytes);
    if (begin >= end) return {};
    const u32 first = static_cast<u32>((begin - offset) / element_bytes);
    const u32 elements = static_cast<u32>((end - begin) / element_bytes);
    if (!broken(*this, data + begin, first, elements)) return {};
    u32 element = 0;
    while (element + 1 < elements && !broken(*this, data + begin + u64{element} * element_bytes, first + element, 1)) {
        ++element;
    }
    return {CRAYON_CORRUPT_STRUCTURE, section, begin + u64{element} * element_bytes};
}

TableCheck token_end_check(u32 max_token_length, u32 byte_count) {
    return make_check(offsets_broken, 4, max_token_length, byte_count);
}
TableCheck piece8_check(u32 token_count) { return make_check(pieces8_broken, sizeof(layout::Piece8), token_count - 1); }
TableCheck piece24_check(u32 token_count) { return make_check(pieces24_broken, sizeof(layout::Piece24), token_count - 1); }
TableCheck piece_long_check(u32 token_count) { return make_check(pieces_long_broken, 4, token_count - 1); }
TableCheck pair_check(u32 token_count) { return make_check(pairs_broken, 4, token_count - 1); }
TableCheck split_check(u32 token_count) { return make_check(splits_broken, sizeof(layout::Split), token_count - 1); }
TableCheck trie_unit_check(u32 unit_count) { return make_check(trie_units_broken, 4, unit_count - 1); }
TableCheck trie_value_check(u32 token_count) { return make_check(ids_broken, 4, token_count - 1); }

}  // namespace crayon

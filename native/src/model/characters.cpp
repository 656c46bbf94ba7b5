#include "model/characters.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

bool Characters::build(const BpeView& tables) {
    Buffer<u32> known, counts;
    if (!known.zeroed(kPlanes) || !counts.zeroed(kSeams) || !several_.zeroed(u64{1} << kSeveralBits) ||
        !first_.zeroed(kSeams + 1) || !seams_.zeroed(kSeams)) {
        return false;
    }
    t_ = tables;
    splits_ = tables.splits;
    // A crossing whose right half is a single byte can have any second byte after it, so it is at 64 seams. Where these
    // crossings alone are too many, no others are counted.
    u32 wide[64] = {};
    const auto is_wide = [&](u32 id) { return length_of(splits_[id].right) == 1; };
    const auto row_of = [&](u32 id) { return *bytes_of(splits_[id].right) & 63u; };
    for (const u32 id : tables.crossings) {
        if (is_wide(id) && ++wide[row_of(id)] == kMostAtSeam + 1) {
            for (u32 second = 0; second < 64; ++second) {
                counts[row_of(id) << 6 | second] = kMostAtSeam + 1;
                seams_[row_of(id) << 6 | second] = ~u64{0};
            }
        }
    }
    const auto at_seams = [&](u32 id, const auto& store) {
        const std::string_view left = tables.ranked(splits_[id].left), right = tables.ranked(splits_[id].right);
        if (left.empty() || right.empty()) return;  // a damaged table
        const u32 row = row_of(id), only = right.size() > 1 ? right[1] & 63u : 0;
        if (wide[row] > kMostAtSeam) return;
        for (u32 second = only, last = right.size() > 1 ? only : 63; second <= last; ++second) {
            store(row << 6 | second, u64{1} << (left.back() & 63));
        }
    };
    for (const u32 id : tables.crossings) {
        at_seams(id, [&](u32 seam, u64 before) { ++counts[seam], seams_[seam] |= before; });
    }
    u32 total = 0;
    for (u32 seam = 0; seam < kSeams; ++seam) {
        first_[seam] = total;
        total += counts[seam] <= kMostAtSeam ? counts[seam] : 0;
    }
    first_[kSeams] = total;
    if (!crossings_.resize(total)) return false;
    for (const u32 id : tables.crossings) {
        at_seams(id, [&](u32 seam, u64) {
            if (first_[seam] != first_[seam + 1]) crossings_[first_[seam] + --counts[seam]] = id;
        });
    }
    known_ = std::move(known);
    marks_words_ = tables.hidden && (tables.hidden->flags & layout::kEndsWords) != 0;
    return true;
}

// Whether a crossing may be at the border before these bytes of a character.
bool Characters::begins_seam(const u8* border) const {
    const bool is_ascii = border[0] < 0x80;
    for (u32 second = is_ascii ? 0 : border[1] & 63u, last = is_ascii ? 63 : second; second <= last; ++second) {
        const u32 seam = (border[0] & 63u) << 6 | second;
        if (seams_[seam] != 0 && first_[seam] == first_[seam + 1]) return true;
        for (u32 i = first_[seam]; i < first_[seam + 1]; ++i) {
            const u32 right = splits_[crossings_[i]].right;
            const u8* const bytes = bytes_of(right);
            if (bytes[0] == border[0] && (is_ascii || length_of(right) == 1 || bytes[1] == border[1])) return true;
        }
    }
    return false;
}

Characters::Closed Characters::merged_alone(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs,
                                            const u32* byte_ids) {
    Closed closed = {code_point, 0, length, {}};
    u32* const units = closed.units;
    for (u32 i = 0; i < length; ++i) units[i] = byte_ids[bytes[i]];
    for (;;) {
        u32 lowest = layout::kNone, at = 0;
        for (u32 i = 0; i + 1 < closed.unit_count; ++i) {
            const u32 id = pairs.merged(units[i], units[i + 1]);
            if (id < lowest) lowest = id, at = i;
        }
        if (lowest == layout::kNone) return closed;
        units[at] = lowest;
        closed.rank = closed.rank > lowest ? closed.rank : lowest;
        --closed.unit_count;
        std::memmove(units + at + 1, units + at + 2, (closed.unit_count - at - 1) * sizeof(u32));
    }
}

const Characters::Closed& Characters::several(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs,
                                              const u32* byte_ids) {
    Closed& closed = several_[(code_point * 0x9E3779B1u) >> (32 - kSeveralBits)];
    if (closed.code_point != code_point || closed.unit_count == 0) {
        closed = merged_alone(bytes, code_point, length, pairs, byte_ids);
    }
    return closed;
}

// The value of known_ for a character from now on.
u32 Characters::learn(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs, const u32* byte_ids) {
    const Closed closed = merged_alone(bytes, code_point, length, pairs, byte_ids);
    const u32 known = (closed.unit_count == 1 ? closed.units[0] + 1 : kSeveral) | (begins_seam(bytes) ? kSeam : 0);
    if (code_point < kPlanes) known_[code_point] = known;
    return known;
}

namespace {

// decode_character, faster for the two- and three-byte characters of most texts.
Character decode_common(const u8* p) {
    u32 word;
    std::memcpy(&word, p, 4);
    if ((word & 0xC0C0F0) == 0x8080E0) {
        const u32 code_point = (word & 0xF) << 12 | (word >> 2 & 0xFC0) | (word >> 16 & 0x3F);
        if (code_point >= 0x800 && code_point - 0xD800 >= 0x800) return {code_point, 3};
    } else if ((word & 0xC0E0) == 0x80C0) {
        const u32 code_point = (word & 0x1F) << 6 | (word >> 8 & 0x3F);
        if (code_point >= 0x80) return {code_point, 2};
    }
    return decode_character(p);
}

}  // namespace

Characters::Units Characters::units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units) {
    u32 count = 0, at = 0;
    u32 before = 0, count_before = 0, open = 0;  // the last character, and the number of units before it
    const auto pass = [&](u32 size, u32 added) {
        before = at;
        count_before = count;
        count += added;
        at += size;
    };
    while (at < length) {
        const u8* const bytes = piece + at;
        const auto [code_point, size] = decode_common(bytes);
        u32 known = code_point < kPlanes ? known_[code_point] : 0;
        if (known == 0) [[unlikely]] {
            // Nearly any last byte may merge with the word's end marker first.
            if (is_around_words(*bytes)) {
                const u32 opened = at - before > 1 ? at - before : 0;
                for (u32 i = 0; i < opened; ++i) units[count_before + i] = byte_ids[piece[before + i]];
                if (opened > 0) count = count_before + opened;
                units[count] = byte_ids[*bytes];
                pass(1, 1);
                open += opened;
                continue;
            }
            // U+FFFD stands for bytes that are not UTF-8.
            if (code_point == 0xFFFD || at + size > length) return {0, 0};
            known = learn(bytes, code_point, size, pairs, byte_ids);
        }
        if (known >= kSeveral) [[unlikely]] {
            if (known >= kSeam && at > 0 && (size > 1 || bytes[-1] >= 0x80) &&
                (seams_[seam_of(bytes)] >> (bytes[-1] & 63) & 1) != 0 && is_crossed(bytes, at, length - at)) {
                return careful_units(piece, length, pairs, byte_ids, units);
            }
            known &= ~kSeam;
            if (known == kSeveral) {
                if (at + size > length) break;
                const Closed& closed = several(bytes, code_point, size, pairs, byte_ids);
                for (u32 i = 0; i < closed.unit_count; ++i) units[count + i] = closed.units[i];
                pass(size, closed.unit_count);
                continue;
            }
        }
        units[count] = known - 1;
        pass(size, 1);
    }
    return at == length ? Units{count, open} : Units{0, 0};
}

bool Characters::read(const u8* bytes, u32 left, const BpePairs& pairs, const u32* byte_ids, Character* character) {
    const auto [code_point, length] = decode_character(bytes);
    if (is_around_words(*bytes)) {
        *character = {bytes, 1, false, {code_point, 0, 1, {byte_ids[*bytes]}}};
        return true;
    }
    if (code_point == 0xFFFD || length > left) return false;
    u32 known = code_point < kPlanes ? known_[code_point] : 0;
    if (known == 0) known = learn(bytes, code_point, length, pairs, byte_ids);
    known &= ~kSeam;
    *character = {bytes, length, false, {code_point, length > 1 ? known - 1 : 0, 1, {known - 1}}};
    if (known == kSeveral) character->closed = several(bytes, code_point, length, pairs, byte_ids);
    return true;
}

// Whether the text contains one of the crossings at a border.
bool Characters::is_crossed(const u8* border, u32 bytes_before, u32 bytes_after) const {
    const u32 seam = seam_of(border);
    if ((seams_[seam] >> (border[-1] & 63) & 1) == 0) return false;
    for (u32 i = first_[seam]; i < first_[seam + 1]; ++i) {
        if (is_at(crossings_[i], border, bytes_before, bytes_after)) return true;
    }
    return first_[seam] == first_[seam + 1];
}

bool Characters::is_at(u32 crossing, const u8* border, u32 bytes_before, u32 bytes_after) const {
    const auto [left, right] = splits_[crossing];
    const u32 left_length = length_of(left), right_length = length_of(right);
    return left_length <= bytes_before && right_length <= bytes_after &&
           std::memcmp(border - left_length, bytes_of(left), left_length) == 0 &&
           std::memcmp(border, bytes_of(right), right_length) == 0;
}

void Characters::open(Character& before, Character& after, u32 bytes_before, u32 bytes_after) const {
    const u8* const border = after.bytes;
    const u32 seam = seam_of(border);
    if (first_[seam] == first_[seam + 1]) {
        before.open |= before.length > 1;
        after.open |= after.length > 1;
    }
    for (u32 i = first_[seam]; i < first_[seam + 1]; ++i) {
        const u32 id = crossings_[i];
        if (!is_at(id, border, bytes_before, bytes_after)) continue;
        if (length_of(splits_[id].left) < before.length && id < before.closed.rank) before.open = true;
        if (length_of(splits_[id].right) < after.length && id < after.closed.rank) after.open = true;
    }
}

// The same, checking every border where a crossing may be.
Characters::Units Characters::careful_units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units) {
    u32 count = 0, open_count = 0;
    const auto put = [&](const Character& character) {
        if (character.open) {
            open_count += character.length;
            for (u32 i = 0; i < character.length; ++i) units[count++] = byte_ids[character.bytes[i]];
        } else {
            for (u32 i = 0; i < character.closed.unit_count; ++i) units[count++] = character.closed.units[i];
        }
    };
    Character two[2];
    u32 current = 0;
    if (!read(piece, length, pairs, byte_ids, &two[0])) return {0, 0};
    for (u32 at = two[0].length; at < length;) {
        Character& before = two[current];
        Character& after = two[current ^= 1];
        if (!read(piece + at, length - at, pairs, byte_ids, &after)) return {0, 0};
        if ((before.length | after.length) > 1 && is_crossed(piece + at, at, length - at)) {
            open(before, after, at, length - at);
        }
        put(before);
        at += after.length;
    }
    put(two[current]);
    return {count, open_count};
}

}  // namespace crayon

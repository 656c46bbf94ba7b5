#include "model/characters.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

bool Characters::build(const BpeView& tables) {
    Buffer<u64> seams;
    if (!singles_.zeroed(kPlanes) || !first_.zeroed(kSeams + 1) || !seams.zeroed(kSeams)) return false;
    // Two passes over the crossings: the first counts them, the second stores them. One whose right half is a single
    // byte may be followed by any byte.
    for (const bool counting : {true, false}) {
        for (const u32 id : tables.crossings) {
            const std::string_view left = tables.token(tables.splits[id].left);
            const std::string_view right = tables.token(tables.splits[id].right);
            if (left.empty() || right.empty()) continue;  // a damaged table
            for (u32 second = 0; second < 64; ++second) {
                if (right.size() > 1 && (right[1] & 63u) != second) continue;
                const u32 seam = (right[0] & 63u) << 6 | second;
                if (counting) {
                    ++first_[seam];
                } else {
                    crossings_[--first_[seam]] = id;
                    seams[seam] |= u64{1} << (left.back() & 63);
                }
            }
        }
        if (!counting) break;
        u32 total = 0;
        for (u32 seam = 0; seam <= kSeams; ++seam) first_[seam] = total += first_[seam];
        if (!crossings_.resize(total)) return false;
    }
    splits_ = tables.splits;
    token_offsets_ = tables.token_offsets;
    token_bytes_ = tables.token_bytes;
    seams_ = std::move(seams);
    return true;
}

bool Characters::read(const u8* bytes, u32 left, const BpePairs& pairs, const u32* byte_ids, Character* character) {
    character->bytes = bytes;
    character->open = false;
    if (bytes[0] < 0x80) {
        character->length = character->unit_count = 1;
        character->rank = 0;
        character->units[0] = byte_ids[bytes[0]];
        return true;
    }
    const auto [code_point, length] = decode_character(bytes);
    if (code_point == 0xFFFD || length > left) return false;  // U+FFFD stands for bytes that are not UTF-8
    character->length = length;
    if (const u32 single = code_point < kPlanes ? singles_[code_point] : 0) [[likely]] {
        character->unit_count = 1;
        character->rank = character->units[0] = single - 1;
        return true;
    }
    u32 count = length, rank = 0;
    u32* const units = character->units;
    for (u32 i = 0; i < length; ++i) units[i] = byte_ids[bytes[i]];
    for (;;) {
        u32 lowest = layout::kNone, at = 0;
        for (u32 i = 0; i + 1 < count; ++i) {
            const u32 id = pairs.merged(units[i], units[i + 1]);
            if (id < lowest) lowest = id, at = i;
        }
        if (lowest == layout::kNone) break;
        units[at] = lowest;
        rank = rank > lowest ? rank : lowest;
        --count;
        std::memmove(units + at + 1, units + at + 2, (count - at - 1) * sizeof(u32));
    }
    character->unit_count = count;
    character->rank = rank;
    if (count == 1 && code_point < kPlanes) singles_[code_point] = units[0] + 1;
    return true;
}

void Characters::open(Character& before, Character& after, u32 bytes_before, u32 bytes_after) const {
    const u8* const border = after.bytes;
    const u32 seam = seam_of(border);
    for (u32 i = first_[seam]; i < first_[seam + 1]; ++i) {
        const u32 id = crossings_[i];
        const auto [left, right] = splits_[id];
        const u32 left_length = token_offsets_[left + 1] - token_offsets_[left];
        const u32 right_length = token_offsets_[right + 1] - token_offsets_[right];
        if (left_length > bytes_before || right_length > bytes_after ||
            std::memcmp(border - left_length, token_bytes_ + token_offsets_[left], left_length) != 0 ||
            std::memcmp(border, token_bytes_ + token_offsets_[right], right_length) != 0) {
            continue;
        }
        if (left_length < before.length && id < before.rank) before.open = true;
        if (right_length < after.length && id < after.rank) after.open = true;
    }
}

Characters::Units Characters::units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units) {
    u32 count = 0, open_count = 0;
    const auto put = [&](const Character& character) {
        if (character.open) [[unlikely]] {
            open_count += character.length;
            for (u32 i = 0; i < character.length; ++i) units[count++] = byte_ids[character.bytes[i]];
        } else {
            for (u32 i = 0; i < character.unit_count; ++i) units[count++] = character.units[i];
        }
    };
    Character two[2];
    u32 turn = 0;
    if (!read(piece, length, pairs, byte_ids, &two[0])) return {0, 0};
    for (u32 at = two[0].length; at < length;) {
        Character& before = two[turn];
        Character& after = two[turn ^= 1];
        if (!read(piece + at, length - at, pairs, byte_ids, &after)) return {0, 0};
        if ((seams_[seam_of(piece + at)] >> (piece[at - 1] & 63) & 1) != 0 && (before.length | after.length) > 1) {
            open(before, after, at, length - at);
        }
        put(before);
        at += after.length;
    }
    put(two[turn]);
    return {count, open_count};
}

}  // namespace crayon

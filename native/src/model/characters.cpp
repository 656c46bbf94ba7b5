#include "model/characters.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

constexpr u32 kLongest = 4;  // bytes of a character

// The bytes of one or two characters, while they merge.
struct Merging {
    u32 ids[2 * kLongest], ends[2 * kLongest], count = 0;

    void add(const u8* bytes, u32 length, const u32* byte_ids) {
        for (u32 i = 0; i < length; ++i) {
            ends[count] = count + 1;
            ids[count++] = byte_ids[bytes[i]];
        }
    }
    // Merges until nothing does, or until the next merge would be across `border`: true then. The caller's two
    // characters have become what they become alone unless one of them has a merge left.
    bool run(const BpePairs& pairs, u32 border) {
        for (;;) {
            u32 lowest = layout::kNone, at = 0;
            for (u32 i = 0; i + 1 < count; ++i) {
                const u32 id = pairs.merged(ids[i], ids[i + 1]);
                if (id < lowest) lowest = id, at = i;
            }
            if (lowest == layout::kNone) return false;
            if (ends[at] == border) return true;
            ids[at] = lowest;
            ends[at] = ends[at + 1];
            --count;
            std::memmove(ids + at + 1, ids + at + 2, (count - at - 1) * sizeof(u32));
            std::memmove(ends + at + 1, ends + at + 2, (count - at - 1) * sizeof(u32));
        }
    }
    bool finished(const BpePairs& pairs, u32 border) const {
        for (u32 i = 0; i + 1 < count; ++i) {
            if (ends[i] != border && pairs.merged(ids[i], ids[i + 1]) != layout::kNone) return false;
        }
        return true;
    }
};

// Whether a half of a crossing is part of one character.
bool within_one(std::string_view half) {
    for (size_t i = 1; i < half.size(); ++i) {
        if ((half[i] & 0xC0) != 0x80) return false;
    }
    return true;
}

}  // namespace

struct Characters::Found {
    const u8* bytes;
    u32 length, code_point;
};

bool Characters::build(const BpeView& tables) {
    Buffer<Seam> seams;
    if (!singles_.zeroed(kPlanes) || !borders_.zeroed(u64{1} << kBorderBits) || !seams.zeroed(64 * 64)) return false;
    for (const u32 id : tables.crossings) {
        const std::string_view left = tables.token(tables.splits[id].left);
        const std::string_view right = tables.token(tables.splits[id].right);
        if (left.empty() || right.empty()) continue;  // a damaged table
        const u64 bit = u64{1} << (left.back() & 63);
        const bool near = within_one(left) && within_one(right);
        for (u32 second = 0; second < 64; ++second) {
            if (right.size() > 1 && (right[1] & 63u) != second) continue;
            Seam& seam = seams[(right[0] & 63u) << 6 | second];
            (near ? seam.near : seam.far) |= bit;
        }
    }
    seams_ = std::move(seams);
    return true;
}

u32 Characters::units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units) {
    u32 count = 0;
    Found before = {piece, 1, 0};
    for (u32 at = 0; at < length;) {
        const u8* const bytes = piece + at;
        Found found = {bytes, 1, bytes[0]};
        if (bytes[0] < 0x80) {
            units[count++] = byte_ids[bytes[0]];
        } else {
            const Character character = decode_character(bytes);
            found.length = character.length;
            found.code_point = character.code_point;
            // U+FFFD stands for ill-formed bytes too.
            if (found.code_point == 0xFFFD || at + found.length > length) return 0;
            const u32 single = found.code_point < kPlanes ? singles_[found.code_point] : 0;
            if (single) [[likely]] {
                units[count++] = single - 1;
            } else {
                Merging alone;
                alone.add(bytes, found.length, byte_ids);
                alone.run(pairs, 0);
                if (alone.count == 1 && found.code_point < kPlanes) singles_[found.code_point] = alone.ids[0] + 1;
                for (u32 i = 0; i < alone.count; ++i) units[count++] = alone.ids[i];
            }
        }
        if (at > 0 && (found.length > 1 || before.length > 1)) {
            const Seam& seam = seams_[(bytes[0] & 63u) << 6 | (bytes[1] & 63u)];
            const u32 last = bytes[-1] & 63;
            if (((seam.near | seam.far) >> last & 1) != 0) {
                if ((seam.far >> last & 1) != 0 || !clean(before, found, pairs, byte_ids)) return 0;
            }
        }
        before = found;
        at += found.length;
    }
    return count;
}

bool Characters::clean(const Found& left, const Found& right, const BpePairs& pairs, const u32* byte_ids) {
    const u64 key = (u64{left.code_point} << 21 | right.code_point) << 2 | 2;
    u64& entry = borders_[key * layout::kMixA >> (64 - kBorderBits)];
    if ((entry | 1) != (key | 1)) {
        Merging both;
        both.add(left.bytes, left.length, byte_ids);
        both.add(right.bytes, right.length, byte_ids);
        const bool early = both.run(pairs, left.length) && !both.finished(pairs, left.length);
        entry = key | early;
    }
    return (entry & 1) == 0;
}

}  // namespace crayon

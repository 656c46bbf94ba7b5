#include "model/merge_parts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.h"
#include "model/merge_runs.h"

namespace crayon {

namespace {

// The most bytes merged again at one seam, and per byte of the piece in total.
constexpr u32 kMostMended = 2048, kMendedPerByte = 16;
// The kind of these keys: a part that is a token as a whole may yet be several.
constexpr u32 kOfPart = 1;
constexpr u32 kMostRunsOfPart = 88;

// The text of a part: up to 15 bytes, and their number; or up to seven runs, each a byte and its length, and their number
// with the high bit set. All zero: the part fits neither form.
PieceMemory::Key text_of(const u8* bytes, u32 length) {
    if (length <= PieceMemory::kLongestKeyed) return PieceMemory::short_key(bytes, length);
    u8 text[16] = {};
    u32 runs = 0;
    for (u32 at = 0; at < length;) {
        const u32 end = run_end(bytes, at, length);
        if (runs == 7 || end - at > 255) return {0, 0};
        text[2 * runs] = bytes[at];
        text[2 * runs + 1] = static_cast<u8>(end - at);
        ++runs;
        at = end;
    }
    text[15] = static_cast<u8>(0x80 | runs);
    PieceMemory::Key key;
    std::memcpy(&key.low, text, 8);
    std::memcpy(&key.high, text + 8, 8);
    return key;
}

// The text of up to four tokens, by their ids; of more, as above.
PieceMemory::Key text_of_tokens(const u32* ids, u32 count, const u8* bytes, u32 length) {
    if (count > 4) return text_of(bytes, length);
    PieceMemory::Key key{0, u64{0xC0 | count} << 56};
    for (u32 i = 0; i < count; ++i) (i < 3 ? key.low : key.high) |= u64{ids[i]} << layout::kPairIdBits * (i % 3);
    return key;
}

}  // namespace

// How often four bytes recur at a given distance indicates how many parts of that length there are. Longer parts have fewer
// seams, but must recur.
u32 PartsMerger::part_length(const u8* piece, u32 length) {
    constexpr u32 kSample = 4, kMostSamples = 128;
    if (length < kShortest) return 0;
    u8 seen[4096] = {};  // by a hash of the four bytes
    const u32 samples = std::min(length / 2, kMostSamples), pairs = samples * (samples - 1) / 2;
    u32 equal_pairs = 0;
    for (u32 i = 0; i < samples; ++i) {
        u32 bytes;
        std::memcpy(&bytes, piece + u64{i} * (length - kSample) / samples, kSample);
        equal_pairs += seen[bytes * 0x9E3779B1u >> 20]++;
    }
    if (equal_pairs < 3) return 0;
    const u32 kinds = pairs / equal_pairs;
    return kinds > 1000 ? 0 : kinds > 100 ? 4 : kinds > 30 ? 6 : kinds > 5 ? 10 : 14;
}

u32 PartsMerger::merge(u32* ids) {
    if (scratch_.parts.size() == 0 && !scratch_.parts.make(sizeof(PartsScratch::Part) << scratch_.bits)) return 0;
    if (!scratch_.adjacency.ready() || !scratch_.mended.resize(kMostMended + kPadding)) return 0;
    u32 count = 0;
    for (u32 at = 0; at < length_;) {
        u32 end = part_end(at);
        u32 added = ids_of(text_of(piece_ + at, end - at), at, end, kNothing, ids + count);
        if (added == 0) {  // too many runs
            extends_ = false;
            end = std::min(at + part_length_, length_);
            added = ids_of(text_of(piece_ + at, end - at), at, end, kNothing, ids + count);
        }
        if (added == 0) return 0;
        if (count > 0 && !adjacent(ids[count - 1], ids[count]) && !mend(at, ids, count, added)) return 0;
        count += added;
        at = end;
    }
    return count;
}

// A part ends with a run, unless that run is short and would make the part too long to be keyed by its bytes; and it does
// not end inside a character, if possible.
u32 PartsMerger::part_end(u32 at) const {
    if (length_ - at <= part_length_) return length_;
    const u32 least = at + part_length_;
    u32 end = run_end(piece_, least - 1, length_);
    if (end - at > PieceMemory::kLongestKeyed && end - least < PieceMemory::kLongestKeyed) end = least;
    const auto continues = [&](u32 i) { return is_continuation(piece_[i]); };
    if (piece_[end - 1] < 0x80 || !extends_) return end;
    for (u32 back = 0; end < length_ && continues(end) && back < 3 && end - at > 1; ++back) --end;
    u32 width = 1;
    while (width < 4 && end - at > width && continues(end - width)) ++width;
    return end - at > width ? character_run_end(piece_, end, std::min(length_, end + kMostMended), width) : end;
}

// Writes the ids of piece_[begin, end), whose text is passed too; up to kPadding more ids than counted.
u32 PartsMerger::ids_of(const PieceMemory::Key& text, u32 begin, u32 end, Otherwise otherwise, u32* ids) {
    const u8* const bytes = piece_ + begin;
    const u32 length = end - begin;
    if ((text.low | text.high) == 0) return ids_of_long(bytes, length, 1, otherwise, ids);
    PartsScratch::Part& part = static_cast<PartsScratch::Part*>(scratch_.parts.data())[text.hash() >> (64 - scratch_.bits)];
    if (part.text == text) {
        std::memcpy(ids, part.ids, sizeof(part.ids));
        return part.count;
    }
    const u32 count = ids_of_long(bytes, length, PartsScratch::kMostIds + 1, otherwise, ids);
    if (count > 0 && count <= PartsScratch::kMostIds) {
        part.text = text;
        part.count = count;
        std::memcpy(part.ids, ids, count * sizeof(u32));
    }
    return count;
}

// The same for a part that does not fit there. `fewest`: the fewest ids worth caching.
u32 PartsMerger::ids_of_long(const u8* bytes, u32 length, u32 fewest, Otherwise otherwise, u32* ids) {
    const bool is_remembered = length <= PieceMemory::kLongestPiece && memory_.ready();
    const PieceMemory::Key key = is_remembered ? PieceMemory::long_key(bytes, length, kOfPart) : PieceMemory::Key{};
    if (is_remembered) {
        const PieceMemory::Found found = memory_.find(key, bytes);
        if (found.ids) {
            std::memcpy(ids, found.ids, found.count * sizeof(u32));
            return found.count;
        }
    }
    u32 count = merge_runs(bytes, length, kMostRunsOfPart, pairs_, byte_ids_, ids);
    if (count == 0 && otherwise == kBacktrack && !backtracking_.encode(bytes, length, scratch_.backtracking, ids, &count)) {
        return 0;
    }
    if (is_remembered && count >= fewest) memory_.keep(key, bytes, ids, count);
    return count;
}

// Joins ids[0, count) and the `added` ids after them, whose texts meet at `seam`.
bool PartsMerger::mend(u32 seam, u32* ids, u32& count, u32& added) {
    u32* const middle = scratch_.mended.data();
    u32 left = 0, right = 0;  // tokens to merge again
    u32 begin = seam, end = seam;
    for (u32 reach = 1;; reach *= 2) {
        // In a damaged table, token lengths are arbitrary.
        for (; left < reach && left < count; ++left) begin -= std::min(length_of(ids[count - left - 1]), begin);
        for (; right < reach && right < added; ++right) end += std::min(length_of(ids[count + right]), length_ - end);
        mended_ += end - begin;
        if (end - begin > kMostMended || mended_ > kMostMended + u64{kMendedPerByte} * seam) return false;
        u32* const first = ids + count - left;
        const u32 merged =
            ids_of(text_of_tokens(first, left + right, piece_ + begin, end - begin), begin, end, kBacktrack, middle);
        if (merged == 0) return false;
        u32* const rest = ids + count + right;
        if (left < count && !adjacent(first[-1], middle[0])) continue;
        if (right < added && !adjacent(middle[merged - 1], *rest)) continue;
        if (count - left + merged + (added - right) > part_end(seam)) return false;  // more ids than bytes
        std::memmove(first + merged, rest, (added - right) * sizeof(u32));
        std::memcpy(first, middle, merged * sizeof(u32));
        count -= left;
        added += merged - right;
        return true;
    }
}

}  // namespace crayon

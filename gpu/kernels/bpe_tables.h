// The tables of byte-level BPE (crayon/layout/bpe.h, cartridges/FORMAT.md §5) as stored in a cartridge: nothing is rebuilt
// for a device. Every lookup is one probe: the pilot of a bucket, then the only possible entry of the key.
#pragma once

#include "crayon/layout/bpe.h"
#include "crayon/layout/perfect_hash.h"
#include "kernels/decode.h"
#include "kernels/step.h"

namespace crayon::gpu {

struct HashTable {
    u64 seed;
    u32 bucket_count, slot_count;
    Global<const u8> pilots;
    Global<const u32> entries;

    CRAYON_KERNEL_CODE u32 slot(const Thread& t, u64 hash) const {
        return layout::slot_of(hash, t.load(pilots, layout::bucket_of(hash, bucket_count)), slot_count);
    }
};

struct BpeTables {
    HashTable pieces8, pieces24, pieces_long, pairs;
    Global<const u32> splits;      // left and right of each rank
    Global<const u32> byte_ranks;  // 256
    Global<const u32> ids;         // by rank; null: ranks are ids
    TokenTable tokens;
    u32 longest;  // token, in bytes
    // Without a pretokenizer; otherwise null, all, and false.
    Global<const u32> whole;  // a bit for each id: whether a piece that is this token is looked up
    u32 visible;              // ids from here on are written as those of their bytes
    bool marks_spaces;        // a space stands for U+2581

    CRAYON_KERNEL_CODE u32 id_of(const Thread& t, u32 rank) const { return ids ? t.load(ids, rank) : rank; }

    // How many ids a unit of a merged piece becomes, and these in sequence. All of a piece are never more than its bytes, except
    // with the tokens of a damaged cartridge: then the last are cut off.
    CRAYON_KERNEL_CODE u32 count_of(const Thread& t, u32 id) const {
        return id < visible ? 1 : t.load(tokens.offsets, u64{id} + 1) - t.load(tokens.offsets, id);
    }
    template <class Put>
    CRAYON_KERNEL_CODE void each_id(const Thread& t, u32 id, const Put& put) const {
        if (id < visible) return put(id);
        const u32 end = t.load(tokens.offsets, u64{id} + 1);
        for (u32 at = t.load(tokens.offsets, id); at < end; ++at) put(id_of(t, t.load(byte_ranks, t.load(tokens.bytes, at))));
    }

    // The merge of two ranks, or kNone.
    CRAYON_KERNEL_CODE u32 merged(const Thread& t, u32 left, u32 right) const {
        u32 rank;
        merged<1>(t, &left, &right, 1, &rank);
        return rank;
    }

    // The same for the first `count` of several pairs; the others give kNone. Each of the three loads of a lookup starts
    // for all pairs before the next one.
    template <u32 kPairs>
    CRAYON_KERNEL_CODE void merged(const Thread& t, const u32* left, const u32* right, u32 count, u32* ranks) const {
        u64 hashes[kPairs];
        u32 pilots[kPairs], found[kPairs];
        CRAYON_UNROLL for (u32 i = 0; i < kPairs; ++i) {
            if (i >= count) continue;
            hashes[i] = layout::hash_word(left[i] | u64{right[i]} << 32, 0, pairs.seed);
            pilots[i] = t.load(pairs.pilots, layout::bucket_of(hashes[i], pairs.bucket_count));
        }
        CRAYON_UNROLL for (u32 i = 0; i < kPairs; ++i) {
            if (i < count) found[i] = t.load(pairs.entries, layout::slot_of(hashes[i], pilots[i], pairs.slot_count));
        }
        CRAYON_UNROLL for (u32 i = 0; i < kPairs; ++i) {
            ranks[i] = kNone;
            if (i >= count) continue;
            const u32 rank = found[i] & layout::kMaxTokens;
            if (found[i] == layout::pair_slot(rank, hashes[i]) && rank != layout::kMaxTokens) ranks[i] = rank;
        }
        CRAYON_UNROLL for (u32 i = 0; i < kPairs; ++i) {
            if (i >= count || ranks[i] == kNone) continue;
            const auto split = t.load_as<Packed<8>>(splits, u64{ranks[i]} * 2);
            if (split.words[0] != left[i] || split.words[1] != right[i]) ranks[i] = kNone;
        }
    }

    // The token that is exactly text[at, at + length), or kNone. length ≥ 1.
    CRAYON_KERNEL_CODE u32 find(const Thread& t, Global<const u8> text, u64 at, u32 length) const {
        if (length <= 8) return find8(t, low_bytes(word(t, text, at), length), length);
        if (length > 24) return find_long(t, text, at, length);
        const u64 first = word(t, text, at), second = low_bytes(word(t, text, at + 8), least(length - 8, 8u));
        return find24(t, first, second, length > 16 ? low_bytes(word(t, text, at + 16), length - 16) : 0, length);
    }

    // The same without a pretokenizer: merging finds tokens that are not looked up, among them long ones with spaces.
    CRAYON_KERNEL_CODE u32 find_uncut(const Thread& t, Global<const u8> text, u64 at, u32 length) const {
        const u32 id = marks_spaces ? find_marked(t, text, at, length) : find(t, text, at, length);
        return id != kNone && (t.load(whole, id / 32) >> id % 32 & 1) != 0 ? id : kNone;
    }

private:
    CRAYON_KERNEL_CODE u32 find8(const Thread& t, u64 key, u32 length) const {
        const u32 slot = pieces8.slot(t, layout::hash_word(key, length, pieces8.seed));
        const auto entry = t.load_as<Packed<16>>(pieces8.entries, u64{slot} * 4);
        return joined(entry.words[0], entry.words[1]) == key && entry.words[3] == length ? entry.words[2] : kNone;
    }

    CRAYON_KERNEL_CODE u32 find24(const Thread& t, u64 first, u64 second, u64 third, u32 length) const {
        const u64 entry = u64{pieces24.slot(t, layout::hash_words(first, second, third, length, pieces24.seed))} * 8;
        const auto low = t.load_as<Packed<16>>(pieces24.entries, entry),
                   high = t.load_as<Packed<16>>(pieces24.entries, entry + 4);
        const bool is_equal = joined(low.words[0], low.words[1]) == first && joined(low.words[2], low.words[3]) == second &&
                              joined(high.words[0], high.words[1]) == third && high.words[3] == length;
        return is_equal ? high.words[2] : kNone;
    }

    // With U+2581 in place of each space.
    CRAYON_KERNEL_CODE u32 find_marked(const Thread& t, Global<const u8> text, u64 at, u32 length) const {
        constexpr u32 kMark = 0x8196E2, kMarkLength = 3, kMost = 24;
        if (length > kMost) return kNone;
        TextReader bytes(t, text, at);
        const u32 begin = bytes.position_of(at);
        u64 first = 0, second = 0, third = 0;
        u32 size = 0;
        for (u32 i = 0; i < length; ++i) {
            const u32 byte = bytes(begin + i), bits = size % 8 * 8;
            const bool is_space = byte == ' ';
            const u64 put = is_space ? kMark : byte, low = put << bits, high = bits > 40 ? put >> (64 - bits) : 0;
            first |= size < 8 ? low : 0;
            second |= size < 8 ? high : size < 16 ? low : 0;
            third |= size < 8 ? 0 : size < 16 ? high : low;
            size += is_space ? kMarkLength : 1;
            if (size > kMost) return kNone;
        }
        return size <= 8 ? find8(t, first, size) : find24(t, first, second, third, size);
    }

    CRAYON_KERNEL_CODE static u64 joined(u32 low, u32 high) { return low | u64{high} << 32; }
    // The low `count` bytes, 1 … 8.
    CRAYON_KERNEL_CODE static u64 low_bytes(u64 word, u32 count) { return word & ~u64{0} >> (64 - 8 * count); }

    // The eight bytes from there on, combined from two aligned words.
    CRAYON_KERNEL_CODE static u64 word(const Thread& t, Global<const u8> text, u64 at) {
        const u64 first = at / 8 * 8;
        const u32 shift = static_cast<u32>(at - first) * 8;
        const auto low = t.load_as<Packed<8>>(text, first);
        if (shift == 0) return joined(low.words[0], low.words[1]);
        const auto high = t.load_as<Packed<8>>(text, first + 8);
        return joined(low.words[0], low.words[1]) >> shift | joined(high.words[0], high.words[1]) << (64 - shift);
    }

    CRAYON_KERNEL_CODE u32 find_long(const Thread& t, Global<const u8> text, u64 at, u32 length) const {
        if (length > longest) return kNone;
        u64 state = layout::hash_start(length, pieces_long.seed);
        u32 i = 0;
        for (; i + 8 <= length; i += 8) state = layout::hash_next(state, word(t, text, at + i));
        if (i < length) state = layout::hash_next(state, low_bytes(word(t, text, at + i), length - i));
        const u32 id = t.load(pieces_long.entries, pieces_long.slot(t, layout::hash_finish(state)));
        if (id == kNone) return kNone;
        const u32 begin = t.load(tokens.offsets, id);
        if (t.load(tokens.offsets, u64{id} + 1) - begin != length) return kNone;
        for (i = 0; i < length; ++i) {
            if (t.load(tokens.bytes, u64{begin} + i) != t.load(text, at + i)) return kNone;
        }
        return id;
    }
};

// Consecutive pieces; those that are not a token as a whole are merged.
struct Pieces {
    Global<const u64> begins;  // count + 1
    u64 count;
};

// The input and output of merging: a piece's ids go to the offset of its first byte, since there are at most as many as
// bytes, plus their number; if there is only one, it is also stored as the piece's id.
struct Merging {
    BpeTables tables;
    Global<const u8> text;
    Pieces pieces;
    Global<const u64> list;   // the pieces to merge
    Global<const u64> count;  // length of the list
    u64 blocks;               // that share it
    Global<u32> stage;
    Global<u32> counts;  // per piece
    Global<u32> alone;   // per piece
};

}  // namespace crayon::gpu

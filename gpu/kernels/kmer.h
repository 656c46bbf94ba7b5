// Base sequences to k-mer ids (cartridges/FORMAT.md §10).
//
// If every byte of a sequence is a digit, as usual, its length determines where its ids begin: KmerCounts, a scan,
// KmerTiles, Kmer: one pass over the text. With stride 1 this holds for any bytes. Otherwise, if Kmer finds a non-digit
// byte or a k-mer without an id, its output is invalid, and the kernels of kmer_parts.h handle any text.
#pragma once

#include "crayon/layout/dna.h"
#include "kernels/scan_counts.h"

namespace crayon::gpu {

// The vocabulary, as in crayon_gpu_tables.
struct KmerRules {
    u32 k, digit_count;
    u32 first_id;  // kNone: ids
    u32 tail, pad_id;
    u32 unknown_id;  // stride 1
    u32 is_stride_1;
    Global<const u32> ids;
    Global<const u32> base_ids;
    Global<const u32> digit_ids;  // of each digit alone: 8 entries, since bytes that count as the same digit count as the
                                  // same byte
    Global<const u8> digits;
};

inline constexpr u32 kRejected = 0xFF;  // a digit that the policies reject
inline constexpr u32 kBetweenWords = 0xFC,
                     kInWord = 0xFD;  // not digits: a byte without an id, and a byte in a word of unknown bytes, which has one

struct Sequences {
    Global<const u8> text;  // aligned to 16
    u64 length;
    Global<const u64> offsets;  // count + 1
    u64 count;
};

// A tile of a text as digits, with a few more before and after it; 0xFE outside the text.
class DigitTile {
public:
    static constexpr u32 kThreads = 256;
    static constexpr u32 kSize = kThreads * 16;
    static constexpr u32 kAround = 16;
    static_assert(layout::kMaxKmer <= kAround);
    struct Shared {
        gpu::Shared<u8, 256> digits;
        gpu::Shared<Packed<16>, (kSize + 2 * kAround) / 16> tile;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void fill(Block& block, Shared& shared, const Sequences& s, Global<const u8> digits) {
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < 256; i += kThreads) t.store(shared.digits, i, t.load(digits, i));
        });
        const u64 begin = block.index * kSize;
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < (kSize + 2 * kAround) / 16; i += kThreads) {
                const u64 from = begin + u64{i} * 16;  // of the text, plus kAround
                Packed<16> in = {}, out = {};
                const bool is_text = from >= kAround && from - kAround < s.length;
                const u32 count = is_text ? static_cast<u32>(least<u64>(16, s.length - (from - kAround))) : 0;
                if (count == 16) {
                    in = t.template load_as<Packed<16>>(s.text, from - kAround);
                } else {
                    CRAYON_UNROLL for (u32 k = 0; k < 16; ++k) {
                        if (k < count) in.words[k / 4] |= u32{t.load(s.text, from - kAround + k)} << (k % 4 * 8);
                    }
                }
                CRAYON_UNROLL for (u32 k = 0; k < 16; ++k) {
                    const u32 digit = k < count ? t.load(shared.digits, in.byte(k)) : 0xFE;
                    out.words[k / 4] |= digit << (k % 4 * 8);
                }
                t.store(shared.tile, i, out);
            }
        });
    }
    // For an offset of the text, up to kAround before or after the tile.
    CRAYON_KERNEL_CODE static u32 digit(const Thread& t, const Shared& shared, u64 tile, u64 offset) {
        return t.load_byte(shared.tile, static_cast<u32>(offset + kAround - tile * kSize));
    }
    // The index of the k-mer there; kNone if it is not one.
    CRAYON_KERNEL_CODE static u32 index_at(const Thread& t, const Shared& shared, u64 tile, u64 offset, const KmerRules& r) {
        u32 index = 0;
        for (u32 i = 0; i < r.k; ++i) {
            const u32 digit = DigitTile::digit(t, shared, tile, offset + i);
            if (digit >= r.digit_count) return kNone;
            index = index * r.digit_count + digit;
        }
        return index;
    }
    CRAYON_KERNEL_CODE static u32 id_of(const Thread& t, u32 index, const KmerRules& r) {
        return r.first_id == kNone ? t.load(r.ids, index) : r.first_id + index;
    }
};

// The number of ids of a sequence of digits, or with stride 1 of any sequence.
CRAYON_KERNEL_CODE u64 kmer_count(u64 length, const KmerRules& r) {
    if (r.is_stride_1) return length < r.k ? 0 : length - r.k + 1;
    const u64 rest = length % r.k;
    const bool is_single = r.tail == static_cast<u32>(layout::DnaTail::kSingle);
    const bool is_pad = r.tail == static_cast<u32>(layout::DnaTail::kPad);
    return length / r.k + (is_single ? rest : is_pad && rest > 0 ? 1 : 0);
}

struct KmerCounts {
    static constexpr const char* kName = "kmer_counts";
    static constexpr u32 kThreads = 256;
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<u64> counts;
        Global<u64> longest;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i >= a.sequences.count) return;
            const u64 length = t.load(a.sequences.offsets, i + 1) - t.load(a.sequences.offsets, i);
            const u64 count = kmer_count(length, a.rules);
            t.store(a.counts, i, count);
            if (count > 0) t.atomic_max(a.longest, 0, count);
        });
    }
};

// The start of each tile, among the sequences and among the ids. (One search per tile: adjacent threads read the same memory.)
struct KmerTiles {
    static constexpr const char* kName = "kmer_tiles";
    static constexpr u32 kThreads = 256;
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<const u64> row_offsets;
        u64 tiles;
        Global<u64> first_sequences;  // tiles + 1: the sequence of the first byte; for the end, the last one
        Global<u64> first_ids;        // tiles + 1: the first id that begins at or after the first byte
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const KmerRules& r = a.rules;
            const Sequences& s = a.sequences;
            const u64 tile = block.index * kThreads + t.index, offset = tile * DigitTile::kSize;
            if (tile > a.tiles) return;
            if (tile == a.tiles) {
                t.store(a.first_sequences, tile, s.count - 1);
                t.store(a.first_ids, tile, t.load(a.row_offsets, s.count));
                return;
            }
            const u64 sequence = range_of(t, s.offsets, 0, s.count, offset), begin = t.load(s.offsets, sequence);
            const u64 length = t.load(s.offsets, sequence + 1) - begin, at = offset - begin;
            const u64 count = kmer_count(length, r), full = length / r.k, nth = blocks_for(at, r.k);
            const bool is_single = r.tail == static_cast<u32>(layout::DnaTail::kSingle);
            const u64 before = r.is_stride_1 ? least(at, count)
                               : nth <= full ? nth
                               : is_single   ? full + (at - full * r.k)
                                             : count;
            t.store(a.first_sequences, tile, sequence);
            t.store(a.first_ids, tile, t.load(a.row_offsets, sequence) + before);
        });
    }
};

template <class Id>
struct Kmer {
    static constexpr const char* kName = sizeof(Id) == 1   ? "kmer8"
                                         : sizeof(Id) == 2 ? "kmer16"
                                         : sizeof(Id) == 4 ? "kmer32"
                                                           : "kmer64";
    static constexpr u32 kThreads = DigitTile::kThreads;
    static constexpr u32 kTile = DigitTile::kSize;
    static constexpr u32 kNear = 512;  // sequences of a tile kept in shared memory
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<const u64> row_offsets;
        Global<const u64> first_sequences, first_ids;  // from KmerTiles
        Global<Id> ids;
        Global<u64> failure;
        Global<u64> irregular;  // set to 1
    };
    struct Shared {
        DigitTile::Shared digits;
        gpu::Shared<u64, kNear + 1> begins, rows;  // of the sequences of the tile, plus one more
        gpu::Shared<u32, 8> digit_ids;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const KmerRules& r = a.rules;
        const Sequences& s = a.sequences;
        const u64 tile = block.index, begin = tile * kTile, end = least(begin + kTile, s.length);
        const u64 first_sequence = block.broadcast(a.first_sequences, tile), last = block.broadcast(a.first_sequences, tile + 1);
        const u64 first_id = block.broadcast(a.first_ids, tile), ids_end = block.broadcast(a.first_ids, tile + 1);
        const u32 near = static_cast<u32>(least<u64>(last - first_sequence + 1, kNear));
        DigitTile::fill(block, shared.digits, s, r.digits);
        block.each([&](Thread& t) {
            for (u32 i = t.index; i <= near; i += kThreads) {
                t.store(shared.begins, i, t.load(s.offsets, first_sequence + i));
                t.store(shared.rows, i, t.load(a.row_offsets, first_sequence + i));
            }
            if (t.index < 8) t.store(shared.digit_ids, t.index, t.load(r.digit_ids, t.index));
            bool irregular = false;
            for (u64 i = begin + t.index * 16; i < least(begin + t.index * 16 + 16, end) && !r.is_stride_1; ++i) {
                irregular = irregular || DigitTile::digit(t, shared.digits, tile, i) >= r.digit_count;
            }
            if (irregular) t.atomic_max(a.irregular, 0, 1);
        });
        block.each([&](Thread& t) {
            u64 failure = kNowhere;
            bool irregular = false;
            const auto id_at = [&](u64 nth, u64 from, u64 sequence_end) {
                const u64 full = r.is_stride_1 ? kNowhere : (sequence_end - from) / r.k;
                const u64 offset = from + (r.is_stride_1 ? nth : nth < full ? nth * r.k : full * r.k + (nth - full));
                if (nth >= full) {
                    const bool is_pad = r.tail == static_cast<u32>(layout::DnaTail::kPad);
                    const u32 digit = DigitTile::digit(t, shared.digits, tile, offset);
                    if (digit >= r.digit_count) return kNone;  // not regular
                    const u32 id = is_pad ? r.pad_id : t.load(shared.digit_ids, digit);
                    if (id == kNone) failure = least(failure, offset);
                    return id;
                }
                const u32 index = DigitTile::index_at(t, shared.digits, tile, offset, r);
                u32 id = index == kNone ? kNone : DigitTile::id_of(t, index, r);
                if (!r.is_stride_1) {
                    irregular = irregular || id == kNone;
                    return id;
                }
                if (id == kNone) id = r.unknown_id;
                if (id == kNone || (index == kNone && is_rejected(t, shared.digits, tile, offset, r.k))) {
                    failure = least(failure, offset);
                }
                return id;
            };
            u64 sequence = 0;  // relative to the first of the tile
            // Starts at a multiple of 64, so that the stores of a warp fill whole sectors.
            for (u64 i = first_id / 64 * 64 + t.index; i < ids_end; i += kThreads) {
                if (i < first_id) continue;
                u32 id;
                if (i < t.load(shared.rows, near)) {
                    const u32 k = static_cast<u32>(sequence = range_of(t, shared.rows, sequence, near, i));
                    id = id_at(i - t.load(shared.rows, k), t.load(shared.begins, k), t.load(shared.begins, k + 1));
                } else {
                    const u64 far = range_of(t, a.row_offsets, first_sequence + near, last, i);
                    id = id_at(i - t.load(a.row_offsets, far), t.load(s.offsets, far), t.load(s.offsets, far + 1));
                }
                t.store(a.ids, i, static_cast<Id>(id));
            }
            if (irregular) t.atomic_max(a.irregular, 0, 1);
            if (failure != kNowhere) t.atomic_min(a.failure, 0, failure);
        });
    }

private:
    CRAYON_KERNEL_CODE static bool is_rejected(const Thread& t, const DigitTile::Shared& shared, u64 tile, u64 offset, u32 k) {
        for (u32 i = 0; i < k; ++i) {
            if (DigitTile::digit(t, shared, tile, offset + i) == kRejected) return true;
        }
        return false;
    }
};

}  // namespace crayon::gpu

// Sequences of bases to ids of k-mers (cartridges/FORMAT.md §10).
//
// Where every byte of a sequence is a digit, which is the rule, its length says where each of its ids begins: KmerCounts, a
// scan, Kmer: one pass over the text. With stride 1 that is always so, whatever the bytes are. Elsewhere Kmer finds a byte that is
// no digit, or a k-mer without an id, and what it wrote is void; then kmer_parts.h has the kernels for any text.
#pragma once

#include "crayon/layout/dna.h"
#include "kernels/scan_counts.h"

namespace crayon::gpu {

// The vocabulary, as crayon_gpu_tables has it.
struct KmerRules {
    u32 k, digit_count;
    u32 first_id;  // kNone: ids
    u32 tail, pad_id;
    u32 unknown_id;  // stride 1
    u32 is_stride_1;
    Global<const u32> ids;
    Global<const u32> base_ids;
    Global<const u8> digits;
};

inline constexpr u32 kRejected = 0xFF;  // a digit that the policies reject

struct Sequences {
    Global<const u8> text;  // aligned to 16
    u64 length;
    Global<const u64> offsets;  // count + 1
    u64 count;
};

// A tile of a text as digits, with a few more before and after it; 0xFE where there is no text.
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
                    for (u32 k = 0; k < count; ++k) {
                        in.words[k / 4] |= u32{t.load(s.text, from - kAround + k)} << (k % 4 * 8);
                    }
                }
                for (u32 k = 0; k < 16; ++k) {
                    const u32 digit = k < count ? t.load(shared.digits, in.byte(k)) : 0xFE;
                    out.words[k / 4] |= digit << (k % 4 * 8);
                }
                t.store(shared.tile, i, out);
            }
        });
    }
    // Of a place of the text, up to kAround before the tile or after it.
    CRAYON_KERNEL_CODE static u32 digit(const Thread& t, const Shared& shared, u64 tile, u64 place) {
        return t.load_byte(shared.tile, static_cast<u32>(place + kAround - tile * kSize));
    }
    // The number of the k-mer there, if it is one; else kNone.
    CRAYON_KERNEL_CODE static u32 index_at(const Thread& t, const Shared& shared, u64 tile, u64 place, const KmerRules& r) {
        u32 index = 0;
        for (u32 i = 0; i < r.k; ++i) {
            const u32 digit = DigitTile::digit(t, shared, tile, place + i);
            if (digit >= r.digit_count) return kNone;
            index = index * r.digit_count + digit;
        }
        return index;
    }
    CRAYON_KERNEL_CODE static u32 id_of(const Thread& t, u32 index, const KmerRules& r) {
        return r.first_id == kNone ? t.load(r.ids, index) : r.first_id + index;
    }
};

// The ids of a sequence of digits, or with stride 1 of any.
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

template <class Id>
struct Kmer {
    static constexpr const char* kName = sizeof(Id) == 1 ? "kmer8" : sizeof(Id) == 2 ? "kmer16" : sizeof(Id) == 4 ? "kmer32" : "kmer64";
    static constexpr u32 kThreads = DigitTile::kThreads;
    static constexpr u32 kTile = DigitTile::kSize;
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<const u64> row_offsets;
        Global<Id> ids;
        Global<u64> failure;
        Global<u64> irregular;  // becomes 1
    };
    struct Shared {
        DigitTile::Shared digits;
        gpu::Shared<u64, 2> ids, sequences;  // those that begin in the tile: the first, and the end; the first, and the last
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const KmerRules& r = a.rules;
        const Sequences& s = a.sequences;
        const u64 tile = block.index, begin = tile * kTile, end = least(begin + kTile, s.length);
        DigitTile::fill(block, shared.digits, s, r.digits);
        block.each([&](Thread& t) {
            bool irregular = false;
            for (u64 i = begin + t.index * 16; i < least(begin + t.index * 16 + 16, end) && !r.is_stride_1; ++i) {
                irregular = irregular || DigitTile::digit(t, shared.digits, tile, i) >= r.digit_count;
            }
            if (irregular) t.atomic_max(a.irregular, 0, 1);
            if (t.index >= 2) return;
            t.store(shared.ids, t.index, first_id_from(t, a, t.index == 0 ? begin : end));
            t.store(shared.sequences, t.index, range_of(t, s.offsets, 0, s.count, t.index == 0 ? begin : end - 1));
        });
        block.each([&](Thread& t) {
            u64 sequence = t.load(shared.sequences, 0), failure = kNowhere;
            const u64 last = t.load(shared.sequences, 1), ids_end = t.load(shared.ids, 1);
            bool irregular = false;
            for (u64 i = t.load(shared.ids, 0) + t.index; i < ids_end; i += kThreads) {
                sequence = range_of(t, a.row_offsets, sequence, last, i);
                const u64 nth = i - t.load(a.row_offsets, sequence), from = t.load(s.offsets, sequence);
                const u64 full = r.is_stride_1 ? kNowhere : (t.load(s.offsets, sequence + 1) - from) / r.k;
                const u64 place = from + (r.is_stride_1 ? nth : nth < full ? nth * r.k : full * r.k + (nth - full));
                u32 id;
                if (nth < full) {
                    const u32 index = DigitTile::index_at(t, shared.digits, tile, place, r);
                    id = index == kNone ? kNone : DigitTile::id_of(t, index, r);
                    if (r.is_stride_1) {
                        if (id == kNone) id = r.unknown_id;
                        if (id == kNone || (index == kNone && is_rejected(t, shared.digits, tile, place, r.k))) {
                            failure = least(failure, place);
                        }
                    } else {
                        irregular = irregular || id == kNone;
                    }
                } else {
                    const bool is_pad = r.tail == static_cast<u32>(layout::DnaTail::kPad);
                    id = is_pad ? r.pad_id : t.load(r.base_ids, t.load(s.text, place));
                    if (id == kNone) failure = least(failure, place);
                }
                t.store(a.ids, i, static_cast<Id>(id));
            }
            if (irregular) t.atomic_max(a.irregular, 0, 1);
            if (failure != kNowhere) t.atomic_min(a.failure, 0, failure);
        });
    }

private:
    // The first id that begins at a place of the text or after it.
    CRAYON_KERNEL_CODE static u64 first_id_from(const Thread& t, const Args& a, u64 place) {
        const KmerRules& r = a.rules;
        const Sequences& s = a.sequences;
        if (place >= s.length) return t.load(a.row_offsets, s.count);
        const u64 sequence = range_of(t, s.offsets, 0, s.count, place), begin = t.load(s.offsets, sequence);
        const u64 length = t.load(s.offsets, sequence + 1) - begin, at = place - begin;
        const u64 row = t.load(a.row_offsets, sequence), count = kmer_count(length, r);
        if (r.is_stride_1) return row + least(at, count);
        const u64 full = length / r.k, nth = blocks_for(at, r.k);
        if (nth <= full) return row + nth;
        return row + (r.tail == static_cast<u32>(layout::DnaTail::kSingle) ? full + (at - full * r.k) : count);
    }
    CRAYON_KERNEL_CODE static bool is_rejected(const Thread& t, const DigitTile::Shared& shared, u64 tile, u64 place, u32 k) {
        for (u32 i = 0; i < k; ++i) {
            if (DigitTile::digit(t, shared, tile, place + i) == kRejected) return true;
        }
        return false;
    }
};

}  // namespace crayon::gpu

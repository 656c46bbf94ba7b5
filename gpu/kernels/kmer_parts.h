// K-mers of sequences with any bytes (cartridges/FORMAT.md §10): a non-digit byte divides a sequence into parts, and each
// part is divided into k-mers from its left. A byte's k-mer depends on the start of its part, arbitrarily far back:
// PartBegins finds the last start in each tile, a scan carries these to later tiles, and then everything is local. Each
// byte has one id or none.
//
// PartBegins, ScanSums<Greatest>, PartIds (counts), scan, PartIds (ids), PartRows. Three passes over the text.
#pragma once

#include "kernels/kmer.h"

namespace crayon::gpu {

// A thread's bytes, 16 of a tile, in sequence.
class PartBytes {
public:
    CRAYON_KERNEL_CODE PartBytes(const Thread& t, const Sequences& s, u64 begin) : t_(t), s_(s), at_(begin) {
        sequence_ = range_of(t, s.offsets, 0, s.count, begin);
        end_ = t.load(s.offsets, sequence_ + 1);
        is_first_ = t.load(s.offsets, sequence_) == begin;
    }
    u64 at() const = delete;
    CRAYON_KERNEL_CODE bool is_first() const { return is_first_; }  // of its sequence
    CRAYON_KERNEL_CODE u64 sequence() const { return sequence_; }
    CRAYON_KERNEL_CODE u64 sequence_end() const { return end_; }
    // Moves to the next byte, which must be in the text.
    CRAYON_KERNEL_CODE void advance() {
        is_first_ = ++at_ == end_;
        if (!is_first_) return;
        sequence_ = range_of(t_, s_.offsets, sequence_ + 1, s_.count, at_);
        end_ = t_.load(s_.offsets, sequence_ + 1);
    }

private:
    const Thread& t_;
    const Sequences& s_;
    u64 at_, sequence_, end_;
    bool is_first_;
};

// The last offset where a part begins, among the 16 from `begin` on; 0 if there is none.
CRAYON_KERNEL_CODE u64 last_part_begin(const Thread& t, const DigitTile::Shared& shared, const KmerRules& r, const Sequences& s,
                                       u64 tile, u64 begin) {
    if (begin >= s.length) return 0;
    u64 last = 0;
    PartBytes bytes(t, s, begin);
    for (u64 i = begin;;) {
        if (bytes.is_first()) last = i;
        if (DigitTile::digit(t, shared, tile, i) >= r.digit_count) last = i + 1;
        if (++i == begin + 16 || i >= s.length) return last;
        bytes.advance();
    }
}

struct PartBegins {
    static constexpr const char* kName = "part_begins";
    static constexpr u32 kThreads = DigitTile::kThreads;
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<u64> begins;  // per tile
    };
    struct Shared {
        DigitTile::Shared digits;
        gpu::Shared<u64, kMostWarps + 1> totals;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        DigitTile::fill(block, shared.digits, a.sequences, a.rules.digits);
        typename Block::template Values<u64> begins(block);
        block.each([&](Thread& t) {
            begins[t] = last_part_begin(t, shared.digits, a.rules, a.sequences, block.index,
                                        block.index * DigitTile::kSize + t.index * 16);
        });
        exclusive_scan<Greatest, kThreads>(block, begins, shared.totals);
        block.each([&](Thread& t) {
            if (t.index == 0) t.store(a.begins, block.index, t.load(shared.totals, kMostWarps));
        });
    }
};

// Without ids, only counts.
template <class Id>
struct PartIds {
    static constexpr const char* kName = "part_ids";
    static constexpr u32 kThreads = DigitTile::kThreads;
    struct Args {
        KmerRules rules;
        Sequences sequences;
        Global<const u64> begins;   // of the last part before each tile
        Global<u64> counts;         // per tile, if there are no ids
        Global<const u64> offsets;  // of each tile's ids
        Global<Id> ids;
        Global<u64> starts;  // of the ids of each non-empty sequence
        Global<u64> failure;
    };
    struct Shared {
        DigitTile::Shared digits;
        gpu::Shared<u64, kMostWarps + 1> totals;
        gpu::Shared<u32, DigitTile::kSize> ids;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 tile = block.index;
        const auto begin_of = [tile](const Thread& t) { return tile * DigitTile::kSize + t.index * 16; };
        DigitTile::fill(block, shared.digits, a.sequences, a.rules.digits);
        typename Block::template Values<u64> begins(block), counts(block);
        block.each([&](Thread& t) { begins[t] = last_part_begin(t, shared.digits, a.rules, a.sequences, tile, begin_of(t)); });
        exclusive_scan<Greatest, kThreads>(block, begins, shared.totals);
        block.each([&](Thread& t) {
            begins[t] = greatest(begins[t], t.load(a.begins, tile));
            u64 count = 0;
            each_id(
                t, shared.digits, a, tile, begin_of(t), begins[t], [&](u64, u32) { ++count; }, [](u64) {});
            counts[t] = count;
        });
        exclusive_scan<Sum, kThreads>(block, counts, shared.totals);
        if (!a.ids) {
            block.each([&](Thread& t) {
                if (t.index == 0) t.store(a.counts, tile, t.load(shared.totals, kMostWarps));
            });
            return;
        }
        const u64 offset = block.broadcast(a.offsets, tile);
        block.each([&](Thread& t) {
            u32 next = static_cast<u32>(counts[t]);
            u64 failure = kNowhere;
            each_id(
                t, shared.digits, a, tile, begin_of(t), begins[t],
                [&](u64 at, u32 id) {
                    if (id == kNone) failure = least(failure, at);
                    t.store(shared.ids, next++, id);
                },
                [&](u64 sequence) { t.store(a.starts, sequence, offset + next); });
            if (failure != kNowhere) t.atomic_min(a.failure, 0, failure);
        });
        const u32 total = static_cast<u32>(block.uniform(shared.totals, kMostWarps));
        block.each([&](Thread& t) {
            for (u64 i = offset / 64 * 64 + t.index; i < offset + total; i += kThreads) {
                if (i < offset) continue;
                t.store(a.ids, i, static_cast<Id>(t.load(shared.ids, static_cast<u32>(i - offset))));
            }
        });
    }

private:
    // Calls put(offset, id) for each id of 16 bytes, and starts(sequence) where a sequence begins. `part` is the start of
    // the first byte's part, if that is not among these bytes.
    template <class Put, class Starts>
    CRAYON_KERNEL_CODE static void each_id(const Thread& t, const DigitTile::Shared& shared, const Args& a, u64 tile, u64 begin,
                                           u64 part, Put put, Starts starts) {
        const KmerRules& r = a.rules;
        const Sequences& s = a.sequences;
        if (begin >= s.length) return;
        PartBytes bytes(t, s, begin);
        for (u64 i = begin;;) {
            if (bytes.is_first()) {
                part = i;
                starts(bytes.sequence());
            }
            const auto put_single = [&] { put(i, t.load(r.base_ids, t.load(s.text, i))); };
            const u32 digit = DigitTile::digit(t, shared, tile, i);
            if (digit >= r.digit_count) {
                part = i + 1;
                // A word's id is at its first byte.
                const bool is_in_word =
                    digit == kInWord && !bytes.is_first() && DigitTile::digit(t, shared, tile, i - 1) == kInWord;
                if (digit != kBetweenWords && !is_in_word) put_single();
            } else {
                const u64 nth = (i - part) % r.k, first = i - nth;
                const bool fits = first + r.k <= bytes.sequence_end();
                const u32 index = fits ? DigitTile::index_at(t, shared, tile, first, r) : kNone;
                if (index != kNone) {
                    const u32 id = DigitTile::id_of(t, index, r);
                    if (id == kNone) {
                        put_single();
                    } else if (nth == 0) {
                        put(i, id);
                    }
                } else if (r.tail == static_cast<u32>(layout::DnaTail::kSingle)) {
                    put_single();
                } else if (r.tail == static_cast<u32>(layout::DnaTail::kPad) && nth == 0) {
                    put(i, r.pad_id);
                }
            }
            if (++i == begin + 16 || i >= s.length) return;
            bytes.advance();
        }
    }
};

// The start of each sequence's ids; an empty sequence has the start of the next.
struct PartRows {
    static constexpr const char* kName = "part_rows";
    static constexpr u32 kThreads = 256;
    struct Args {
        Sequences sequences;
        Global<const u64> starts;
        u64 id_count;
        Global<u64> row_offsets;  // count + 1
        Global<u64> longest;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i > a.sequences.count) return;
            const u64 start = start_of(t, a, i);
            t.store(a.row_offsets, i, start);
            if (i == a.sequences.count) return;
            const u64 length = start_of(t, a, i + 1) - start;
            if (length > 0) t.atomic_max(a.longest, 0, length);
        });
    }

private:
    CRAYON_KERNEL_CODE static u64 start_of(const Thread& t, const Args& a, u64 i) {
        const u64 offset = t.load(a.sequences.offsets, i);
        if (offset == a.sequences.length) return a.id_count;
        return t.load(a.starts, range_of(t, a.sequences.offsets, i, a.sequences.count, offset));
    }
};

}  // namespace crayon::gpu

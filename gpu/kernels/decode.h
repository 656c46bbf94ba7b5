// Ids to bytes: the lengths of their tokens, a scan of the lengths, and gathering the bytes.
#pragma once

#include "kernels/scan_counts.h"

namespace crayon::gpu {

struct TokenTable {
    u32 count;
    Global<const u32> offsets;  // count + 1
    Global<const u8> bytes;
};

struct DecodeLengths {
    static constexpr const char* kName = "decode_lengths";
    static constexpr u32 kThreads = 256;
    struct Args {
        TokenTable tokens;
        Global<const u32> ids;
        u64 count;
        Global<u32> lengths;
        Global<u64> failure;  // the first index of an id without a token
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i >= a.count) return;
            const u32 id = t.load(a.ids, i);
            const u32 length = id < a.tokens.count ? t.load(a.tokens.offsets, id + 1) - t.load(a.tokens.offsets, id) : 0;
            if (length == 0) t.atomic_min(a.failure, 0, i);
            t.store(a.lengths, i, length);
        });
    }
};

// Each thread has 16 bytes of the text, so the stores of a warp are one range.
struct DecodeGather {
    static constexpr const char* kName = "decode_gather";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kTile = kThreads * 16;
    struct Args {
        TokenTable tokens;
        Global<const u32> ids;
        u64 count;
        Global<const u64> offsets;  // byte offset of each id, plus one
        u64 length;
        Global<u8> text;  // aligned to 16
    };
    struct Shared {
        gpu::Shared<u64, 2> ends;  // the ids of the first and the last byte
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 first = block.index * kTile, last = least<u64>(first + kTile, a.length) - 1;
        block.each([&](Thread& t) {
            if (t.index >= 2) return;
            t.store(shared.ends, t.index, range_of(t, a.offsets, 0, a.count - 1, t.index == 0 ? first : last));
        });
        block.each([&](Thread& t) {
            const u64 begin = first + t.index * 16;
            if (begin > last) return;
            u64 i = range_of(t, a.offsets, t.load(shared.ends, 0), t.load(shared.ends, 1), begin);
            u64 from = 0, end = 0;  // offset of the token's bytes in the table, minus `from`
            const auto take = [&] {
                from = t.load(a.tokens.offsets, t.load(a.ids, i)) - t.load(a.offsets, i);
                end = t.load(a.offsets, i + 1);
            };
            take();
            Packed<16> bytes = {};
            const u32 count = static_cast<u32>(least<u64>(16, last + 1 - begin));
            CRAYON_UNROLL for (u32 k = 0; k < 16; ++k) {
                if (k >= count) break;
                if (begin + k == end) {
                    ++i;
                    take();
                }
                bytes.words[k / 4] |= u32{t.load(a.tokens.bytes, from + begin + k)} << (k % 4 * 8);
            }
            if (count == 16) {
                t.store_as(a.text, begin, bytes);
            } else {
                CRAYON_UNROLL for (u32 k = 0; k < 16; ++k) {
                    if (k < count) t.store(a.text, begin + k, static_cast<u8>(bytes.byte(k)));
                }
            }
        });
    }
};

}  // namespace crayon::gpu

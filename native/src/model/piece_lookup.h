// The token that is exactly a piece: one probe of a cartridge table, keyed by the piece's bytes.
#pragma once

#include <cstring>

#include "cartridge/cartridge.h"
#include "platform/prefetch.h"

namespace crayon {

class PieceLookup {
public:
    PieceLookup() = default;
    explicit PieceLookup(const BpeView& tables) : t_(tables) {}

    // Bytes that must be readable after every piece.
    static constexpr size_t kPadding = 32;

    // The token with exactly these bytes, or kNone. length ≥ 1. Nine pieces in ten have at most eight bytes: that path
    // is worth inlining.
    [[gnu::always_inline]] u32 find(const u8* piece, u32 length) const {
        if (length > 8) return find_longer(piece, length);
        const u64 key = low_bytes(word(piece), length);
        const layout::Piece8& entry = entry8(key, length);
        return ((entry.key ^ key) | (entry.length ^ length)) == 0 ? entry.id : layout::kNone;
    }

    // Prefetches what `find` will read. length 1 … 24.
    void prefetch(const u8* piece, u32 length) const {
        crayon::prefetch(length > 8 ? static_cast<const void*>(&entry24(key24(piece, length), length))
                                    : &entry8(low_bytes(word(piece), length), length));
    }

private:
    static u64 word(const u8* p) {
        u64 bytes;
        std::memcpy(&bytes, p, 8);
        return bytes;
    }
    // The low `count` bytes (1…8) of a word.
    static u64 low_bytes(u64 word, u32 count) { return word & (~u64{0} >> (64 - 8 * count)); }

    u32 find_longer(const u8* piece, u32 length) const {
        if (length > 24) return find_long(piece, length);
        const Key24 key = key24(piece, length);
        const layout::Piece24& entry = entry24(key, length);
        const bool equal = ((entry.key[0] ^ key.words[0]) | (entry.key[1] ^ key.words[1]) | (entry.key[2] ^ key.words[2]) |
                            (entry.length ^ length)) == 0;
        return equal ? entry.id : layout::kNone;
    }

    struct Key24 {
        u64 words[3];
    };
    static Key24 key24(const u8* piece, u32 length) {
        return {{word(piece), length < 16 ? low_bytes(word(piece + 8), length - 8) : word(piece + 8),
                 length > 16 ? low_bytes(word(piece + 16), length - 16) : 0}};
    }
    const layout::Piece8& entry8(u64 key, u32 length) const {
        return t_.pieces8.entry(layout::hash_word(key, length, t_.pieces8.seed));
    }
    const layout::Piece24& entry24(const Key24& key, u32 length) const {
        const auto& [k0, k1, k2] = key.words;
        return t_.pieces24.entry(layout::hash_words(k0, k1, k2, length, t_.pieces24.seed));
    }

    [[gnu::noinline]] u32 find_long(const u8* piece, u32 length) const {
        if (length > t_.max_token_length) return layout::kNone;
        u64 state = layout::hash_start(length, t_.pieces_long.seed);
        u32 i = 0;
        for (; i + 8 <= length; i += 8) state = layout::hash_next(state, word(piece + i));
        if (i < length) state = layout::hash_next(state, low_bytes(word(piece + i), length - i));
        const u32 id = t_.pieces_long.entry(layout::hash_finish(state));
        if (id == layout::kNone || t_.token_offsets[id + 1] - t_.token_offsets[id] != length) return layout::kNone;
        return std::memcmp(t_.token_bytes + t_.token_offsets[id], piece, length) == 0 ? id : layout::kNone;
    }

    BpeView t_;
};

}  // namespace crayon

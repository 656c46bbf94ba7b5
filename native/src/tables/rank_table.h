// Finds tokens by their bytes while tables are being built: an open-addressing table in memory, never in a file.
#pragma once

#include <cstring>
#include <span>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

// Token i is bytes[offsets[i], offsets[i + 1]); an empty one is a hole.
struct TokenList {
    const u8* bytes;
    const u32* offsets;
    u32 count;

    const u8* token(u32 id) const { return bytes + offsets[id]; }
    u32 length(u32 id) const { return offsets[id + 1] - offsets[id]; }
};

// Queried for each id in ascending order: whether it is matched, i.e. not among the `unmatched` ids, which ascend.
class Matched {
public:
    explicit Matched(std::span<const u32> unmatched) : unmatched_(unmatched) {}
    bool operator()(u32 id) {
        if (next_ == unmatched_.size() || unmatched_[next_] != id) return true;
        ++next_;
        return false;
    }

private:
    std::span<const u32> unmatched_;
    size_t next_ = 0;
};

class RankTable {
public:
    // OUT_OF_MEMORY, or DUPLICATE_TOKEN with the id of the second of two equal tokens. BUILD_FAILED for tokens chosen to
    // collide. The list's arrays must outlive the table. `unmatched`: tokens to leave out, ascending. Cost: linear in the
    // bytes.
    Status build(const TokenList& tokens, std::span<const u32> unmatched = {});
    // The token with these bytes (at least one), or layout::kNone.
    u32 find(const u8* bytes, u32 length) const;

private:
    struct Slot {
        u32 id;
        u32 hash;
    };

    // `is_good`: no search in it takes long.
    Status fill(std::span<const u32> unmatched, bool* is_good);

    TokenList tokens_{};
    u64 seed_ = 0;
    u32 mask_ = 0;
    Buffer<Slot> slots_;
};

// Tokens in another order: by rank instead of by id, or the reverse.
class ReorderedTokens {
public:
    // Token i is token order[i] of `tokens`; `order` contains each id once. False if memory is short.
    [[nodiscard]] bool make(const TokenList& tokens, const u32* order) {
        if (!offsets_.resize(size_t{tokens.count} + 1) || !bytes_.resize(tokens.offsets[tokens.count])) return false;
        u32 end = 0;
        offsets_[0] = 0;
        for (u32 i = 0; i < tokens.count; ++i) {
            const u32 length = tokens.length(order[i]);
            if (length > 0) std::memcpy(bytes_.data() + end, tokens.token(order[i]), length);
            offsets_[i + 1] = end += length;
        }
        return true;
    }
    TokenList tokens() const { return {bytes_.data(), offsets_.data(), static_cast<u32>(offsets_.size()) - 1}; }

private:
    Buffer<u8> bytes_;
    Buffer<u32> offsets_;
};

// Inverts an order; false if memory is short or if it does not contain each number below `count` once.
[[nodiscard]] inline bool invert(const u32* order, u32 count, Buffer<u32>* inverse) {
    if (!inverse->assign(count, layout::kNone)) return false;
    for (u32 i = 0; i < count; ++i) {
        if (order[i] >= count || (*inverse)[order[i]] != layout::kNone) return false;
        (*inverse)[order[i]] = i;
    }
    return true;
}

// The ids of the 256 single bytes; kNone for a byte without a token.
inline void find_single_bytes(const RankTable& table, u32* single) {
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 bytes[1] = {static_cast<u8>(byte)};
        single[byte] = table.find(bytes, 1);
    }
}

}  // namespace crayon

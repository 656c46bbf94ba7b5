// Finds tokens by their bytes while tables are being built: an open-addressing table in memory, never in a file.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"

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

}  // namespace crayon

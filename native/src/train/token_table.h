// The tokens: the bytes of each id, and the id of given bytes.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"

namespace crayon::train {

inline constexpr u32 kNoToken = 0xFFFFFFFF;

class TokenTable {
public:
    // The token with these bytes (at least one): an existing one, or a new one with the next id.
    Status add(const u8* bytes, u32 length, u32* id);
    // The same for the concatenation of two tokens.
    Status join(u32 left, u32 right, u32* id);

    u32 size() const { return static_cast<u32>(lengths_.size()); }
    u32 length(u32 id) const { return lengths_[id]; }
    const u32* lengths() const { return lengths_.data(); }
    const u8* bytes(u32 id) const { return bytes_.data() + offsets_[id]; }
    const u8* all_bytes() const { return bytes_.data(); }
    const u32* offsets() const { return offsets_.data(); }  // size() + 1

private:
    Status grow(size_t length);
    Status add_last(size_t from, u32* id);

    Buffer<u8> bytes_;
    Buffer<u32> offsets_, lengths_;
    Buffer<u32> slots_;  // a hash table: ids, or kNoToken
};

}  // namespace crayon::train

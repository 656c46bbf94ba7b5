// The ids of a piece by BPE over characters: hidden tokens (layout/bpe.h) become their halves, the tokens of their bytes, or mark
// unknown characters, or bytes. The bytes of hidden tokens are not in the result, so that its tokens add up to the piece, as in
// any model.
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"

namespace crayon {

class HiddenTokens {
public:
    HiddenTokens() = default;
    // `byte_ids`: of the 256 single bytes.
    HiddenTokens(const BpeView& tables, const u32* byte_ids);

    // Whether there are any, and whether a text can contain unknown characters.
    bool any() const { return tables_.hidden != nullptr; }
    bool marks_unknown() const { return any() && tables_.hidden->unknown_id != layout::kNone; }
    bool is_hidden(u32 id) const { return id >= visible_count_; }
    // Rewrites the ids of a piece, the `count` ones in ids[0, capacity), in place; returns how many there are then, at most
    // `capacity`. A piece never needs more than its length; the tokens of a damaged cartridge may, and are cut off. The bytes
    // around a word are a part of the piece, and of no unknown character.
    // Cost: linear.
    u32 reveal(const u8* piece, u32 length, u32* ids, u32 count, u32 capacity) const;

private:
    u32 split(u32* ids, u32 count, u32 capacity) const;
    bool is_split(u32 id) const;
    u32 reveal_bytes(u32* ids, u32 count, u32 capacity) const;
    u32 mark_unknown(const u8* piece, u32 length, u32* ids, u32 count, u32 capacity) const;

    BpeView tables_;
    u32 visible_count_ = ~0u;
    u32 byte_ids_[256] = {};
};

}  // namespace crayon

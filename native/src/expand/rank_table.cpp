#include "expand/rank_table.h"

#include <bit>
#include <cstring>

#include "crayon/layout/cartridge.h"
#include "expand/key_words.h"

namespace crayon {

namespace {
constexpr u64 kSeed = layout::kMixC;
}

Status RankTable::build(const TokenList& tokens) {
    tokens_ = tokens;
    const size_t slot_count = std::bit_ceil(size_t{tokens.count} * 2 + 2);
    if (!slots_.assign(slot_count, {layout::kNone, 0})) return Status::out_of_memory();
    mask_ = static_cast<u32>(slot_count - 1);
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (length == 0) continue;
        const u64 hash = hash_bytes(tokens.token(id), length, kSeed);
        u32 at = static_cast<u32>(hash >> 32) & mask_;
        for (; slots_[at].id != layout::kNone; at = (at + 1) & mask_) {
            const u32 other = slots_[at].id;
            if (slots_[at].hash == static_cast<u32>(hash) && tokens.length(other) == length &&
                std::memcmp(tokens.token(other), tokens.token(id), length) == 0) {
                return {CRAYON_DUPLICATE_TOKEN, 0, id};
            }
        }
        slots_[at] = {id, static_cast<u32>(hash)};
    }
    return {};
}

u32 RankTable::find(const u8* bytes, u32 length) const {
    const u64 hash = hash_bytes(bytes, length, kSeed);
    for (u32 at = static_cast<u32>(hash >> 32) & mask_; slots_[at].id != layout::kNone; at = (at + 1) & mask_) {
        const Slot slot = slots_[at];
        if (slot.hash == static_cast<u32>(hash) && tokens_.length(slot.id) == length &&
            std::memcmp(tokens_.token(slot.id), bytes, length) == 0) {
            return slot.id;
        }
    }
    return layout::kNone;
}

}  // namespace crayon

#include "tables/rank_table.h"

#include <bit>
#include <cstring>

#include "crayon/layout/cartridge.h"
#include "tables/key_words.h"

namespace crayon {

namespace {
// A search ends at an empty slot. In two million half-full slots, the longest full run is about a hundred; tokens chosen to
// collide may fill many more, but hardly with every seed.
constexpr u32 kMostInARow = 1024, kSeeds = 8;
}  // namespace

Status RankTable::build(const TokenList& tokens, std::span<const u32> unmatched) {
    tokens_ = tokens;
    const size_t slot_count = std::bit_ceil(size_t{tokens.count} * 2 + 2);
    mask_ = static_cast<u32>(slot_count - 1);
    for (u32 i = 1; i <= kSeeds; ++i) {
        seed_ = i * layout::kMixC;
        if (!slots_.assign(slot_count, {layout::kNone, 0})) return Status::out_of_memory();
        bool is_good = false;
        if (Status status = fill(unmatched, &is_good); !status.ok() || is_good) return status;
    }
    return {CRAYON_BUILD_FAILED};
}

Status RankTable::fill(std::span<const u32> unmatched, bool* is_good) {
    const TokenList& tokens = tokens_;
    *is_good = false;
    Matched matched(unmatched);
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (!matched(id) || length == 0) continue;
        const u64 hash = hash_bytes(tokens.token(id), length, seed_);
        u32 at = static_cast<u32>(hash >> 32) & mask_;
        for (u32 passed = 0; slots_[at].id != layout::kNone; at = (at + 1) & mask_) {
            if (++passed > kMostInARow) return {};
            const u32 other = slots_[at].id;
            if (slots_[at].hash == static_cast<u32>(hash) && tokens.length(other) == length &&
                std::memcmp(tokens.token(other), tokens.token(id), length) == 0) {
                return {CRAYON_DUPLICATE_TOKEN, 0, id};
            }
        }
        slots_[at] = {id, static_cast<u32>(hash)};
    }
    // A run that wraps from the last slot to the first counts as two.
    u32 in_a_row = 0;
    for (const Slot& slot : slots_) {
        in_a_row = slot.id == layout::kNone ? 0 : in_a_row + 1;
        if (in_a_row > kMostInARow) return {};
    }
    *is_good = true;
    return {};
}

u32 RankTable::find(const u8* bytes, u32 length) const {
    const u64 hash = hash_bytes(bytes, length, seed_);
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

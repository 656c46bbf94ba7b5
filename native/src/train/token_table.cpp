#include "train/token_table.h"

#include <cstring>

#include "train/hash.h"

namespace crayon::train {

// Half of the slots are used at most.
bool TokenTable::grow() {
    if (2 * (size() + 1) <= slots_.size()) return true;
    Buffer<u32> slots;
    if (!slots.assign(slots_.empty() ? 1024 : 2 * slots_.size(), kNoToken)) return false;
    for (u32 id = 0; id < size(); ++id) {
        size_t at = hash_bytes(bytes(id), length(id));
        while (slots[at & (slots.size() - 1)] != kNoToken) ++at;
        slots[at & (slots.size() - 1)] = id;
    }
    slots_.swap(slots);
    return true;
}

// The bytes after those of the tokens, from `from` on, are looked up, and become a token if they are none.
Status TokenTable::add_last(size_t from, u32* id) {
    const u32 length = static_cast<u32>(bytes_.size() - from);
    size_t at = hash_bytes(bytes_.data() + from, length);
    for (;; ++at) {
        const u32 other = slots_[at & (slots_.size() - 1)];
        if (other == kNoToken) break;
        if (lengths_[other] == length && std::memcmp(bytes(other), bytes_.data() + from, length) == 0) {
            bytes_.truncate(from);
            *id = other;
            return {};
        }
    }
    *id = size();
    if (!offsets_.push_back(static_cast<u32>(bytes_.size())) || !lengths_.push_back(length)) {
        return Status::out_of_memory();
    }
    slots_[at & (slots_.size() - 1)] = *id;
    return {};
}

bool TokenTable::add_byte(u8 byte) {
    if (offsets_.empty() && !offsets_.push_back(0)) return false;
    const size_t from = bytes_.size();
    u32 id;
    return grow() && bytes_.push_back(byte) && add_last(from, &id).ok();
}

Status TokenTable::join(u32 left, u32 right, u32* id) {
    const size_t from = bytes_.size(), length = size_t{lengths_[left]} + lengths_[right];
    if (length > 0xFFFFFFFF - from) return {CRAYON_VOCABULARY_TOO_LARGE};
    if (!grow() || !bytes_.resize(from + length)) return Status::out_of_memory();
    std::memcpy(bytes_.data() + from, bytes(left), lengths_[left]);
    std::memcpy(bytes_.data() + from + lengths_[left], bytes(right), lengths_[right]);
    return add_last(from, id);
}

}  // namespace crayon::train

#include "train/token_table.h"

#include <cstring>

namespace crayon::train {

// Grows for a token with its bytes. At most half of the slots are used.
Status TokenTable::grow(size_t length) {
    if (length > 0xFFFFFFFF - bytes_.size()) return {CRAYON_VOCABULARY_TOO_LARGE};
    if (offsets_.empty() && !offsets_.push_back(0)) return Status::out_of_memory();
    if (!bytes_.resize(bytes_.size() + length)) return Status::out_of_memory();
    if (2 * (size() + 1) <= slots_.size()) return {};
    Buffer<u32> slots;
    if (!slots.assign(slots_.empty() ? 1024 : 2 * slots_.size(), kNoToken)) return Status::out_of_memory();
    for (u32 id = 0; id < size(); ++id) {
        size_t at = hash_bytes(bytes(id), this->length(id));
        while (slots[at & (slots.size() - 1)] != kNoToken) ++at;
        slots[at & (slots.size() - 1)] = id;
    }
    slots_.swap(slots);
    return {};
}

// Looks up the bytes appended after the tokens, from `from` on, and makes them a token if they are not one yet.
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

Status TokenTable::add(const u8* bytes, u32 length, u32* id) {
    const size_t from = bytes_.size();
    if (Status status = grow(length); !status.ok()) return status;
    std::memcpy(bytes_.data() + from, bytes, length);
    return add_last(from, id);
}

Status TokenTable::join(u32 left, u32 right, u32* id) {
    const size_t from = bytes_.size(), first = lengths_[left], second = lengths_[right];
    if (Status status = grow(first + second); !status.ok()) return status;
    std::memcpy(bytes_.data() + from, bytes(left), first);
    std::memcpy(bytes_.data() + from + first, bytes(right), second);
    return add_last(from, id);
}

}  // namespace crayon::train

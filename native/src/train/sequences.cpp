#include "train/sequences.h"

namespace crayon::train {

Status Sequences::reserve(u64 pieces, u64 bytes) {
    const u64 places = 1 + bytes + pieces;
    if (places >= kEnd) return {CRAYON_TEXT_TOO_LONG};
    ZeroedPages pages;
    if (!pages.make(static_cast<size_t>(places) * sizeof(u32))) return Status::out_of_memory();
    pages_.swap(pages);
    this->places()[0] = kEnd;
    size_ = 1;
    return {};
}

bool Sequences::append(const u8* bytes, u32 length, u64 count, const u32 ids[256]) {
    if ((ranges_.empty() || ranges_.back().count != count) && !ranges_.push_back({size_, count})) return false;
    u32* const out = places() + size_;
    for (u32 i = 0; i < length; ++i) out[i] = ids[bytes[i]] | kFirst;
    out[length] = kEnd;
    size_ += length + 1;
    ++pieces_;
    return true;
}

}  // namespace crayon::train

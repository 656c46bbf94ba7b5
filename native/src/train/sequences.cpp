#include "train/sequences.h"

#include "crayon/layout/cartridge.h"

namespace crayon::train {

Status Sequences::reserve(u64 pieces, u64 bytes) {
    const u64 positions = 1 + bytes + pieces;
    if (positions >= kEnd) return {CRAYON_TEXT_TOO_LONG};
    const u64 padding = std::min<u64>(positions, layout::kMaxTokenLength);
    ZeroedPages pages;
    if (positions + padding > ~size_t{0} / sizeof(u32) || !pages.make(static_cast<size_t>(positions + padding) * sizeof(u32)))
        return Status::out_of_memory();
    pages_.swap(pages);
    this->positions()[0] = kEnd;
    size_ = 1;
    return {};
}

bool Sequences::append(const u8* bytes, u32 length, u64 count, const u32 ids[256]) {
    if ((ranges_.empty() || ranges_.back().count != count) && !ranges_.push_back({size_, count})) return false;
    u32* const out = positions() + size_;
    for (u32 i = 0; i < length; ++i) out[i] = ids[bytes[i]] | kFirst;
    out[length] = kEnd;
    size_ += length + 1;
    ++pieces_;
    return true;
}

bool Sequences::index_ranges() {
    if (!ranges_.push_back({size_, 0})) return false;
    u32 range = 0;
    for (u64 position = 0; position < u64{size_} + (1u << kIndexBits); position += 1u << kIndexBits) {
        while (range + 1 < range_count() && ranges_[range + 1].begin <= position) ++range;
        if (!first_range_.push_back(range)) return false;
    }
    return true;
}

}  // namespace crayon::train

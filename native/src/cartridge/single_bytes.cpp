#include "cartridge/single_bytes.h"

#include "base/heap_sort.h"
#include "cartridge/section_table.h"

namespace crayon {

using layout::Piece8;

u32 SingleBytes::slot(u32 byte) const {
    return static_cast<u32>(&pieces8_.entry(layout::hash_word(byte, 1, pieces8_.seed)) - pieces8_.entries);
}

void SingleBytes::find(const PerfectHashView<Piece8>& pieces8, u64 entries_at, u32* ids) {
    pieces8_ = pieces8;
    entries_at_ = entries_at;
    ids_ = ids;
    for (u32 byte = 0; byte < 256; ++byte) {
        ids_[byte] = slot(byte);
        order_[byte] = static_cast<u8>(byte);
    }
    heap_sort(order_, order_ + 256, [this](u8 a, u8 b) { return ids_[a] < ids_[b]; });
    taken_ = 0;
}

void SingleBytes::take(const u8* bytes, u64 begin, u64 end) {
    for (; taken_ < 256; ++taken_) {
        u32& id = ids_[order_[taken_]];
        const u64 at = entries_at_ + u64{id} * sizeof(Piece8);
        if (at >= end) return;
        const Piece8& entry = *reinterpret_cast<const Piece8*>(bytes + (at - begin));
        id = entry.key == order_[taken_] && entry.length == 1 ? entry.id : layout::kNone;
    }
}

Status SingleBytes::check(const BpeView& bpe) const {
    for (u32 byte = 0; byte < 256; ++byte) {
        const std::string_view token = ids_[byte] == layout::kNone ? std::string_view() : bpe.token(ids_[byte]);
        if (token.size() != 1 || static_cast<u8>(token[0]) != byte) {
            return corrupt(layout::kPieces8, entries_at_ + u64{slot(byte)} * sizeof(Piece8));
        }
    }
    return {};
}

}  // namespace crayon

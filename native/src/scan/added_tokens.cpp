#include "scan/added_tokens.h"

#include <algorithm>
#include <cstring>

#include "base/heap_sort.h"

namespace crayon {

Status AddedTokens::build(const TokenizerView& view) {
    view_ = view;
    if (!order_.resize(view.added.size())) return Status::out_of_memory();
    for (u32 i = 0; i < order_.size(); ++i) order_[i] = i;
    heap_sort(order_.begin(), order_.end(),
              [this](u32 a, u32 b) { return view_.bytes(view_.added[a]) < view_.bytes(view_.added[b]); });
    u32 kinds = 0;
    for (u32 place = 0; place < order_.size(); ++place) {
        const u8 first = static_cast<u8>(bytes(place)[0]);
        kinds += !first_[first];
        first_[first] = true;
        only_first_ = first;
    }
    if (kinds != 1) only_first_ = -1;
    built_ = true;
    return {};
}

AddedTokens::Found AddedTokens::find(const u8* text, size_t from, size_t size, bool last, const u8* wanted) const {
    if (order_.empty()) return {size, nullptr};
    for (size_t at = from; at < size; ++at) {
        if (only_first_ >= 0) {
            const void* hit = std::memchr(text + at, only_first_, size - at);
            if (!hit) break;
            at = static_cast<size_t>(static_cast<const u8*>(hit) - text);
        } else if (!first_[text[at]]) {
            continue;
        }
        // The tokens [low, high) in order_ begin with text[at, at + depth).
        u32 low = 0, high = static_cast<u32>(order_.size());
        const layout::AddedToken* longest = nullptr;
        size_t depth = 0;
        for (; low < high && at + depth < size; ++depth) {
            const u8 byte = text[at + depth];
            const auto byte_of = [&](u32 row) { return static_cast<u8>(view_.bytes(view_.added[row])[depth]); };
            // A token that ends here has no byte at `depth`; it is the first of the range. (Only a damaged cartridge
            // has several.)
            while (low < high && bytes(low).size() == depth) ++low;
            low = static_cast<u32>(std::partition_point(order_.begin() + low, order_.begin() + high,
                                                        [&](u32 row) { return byte_of(row) < byte; }) -
                                   order_.begin());
            high = static_cast<u32>(std::partition_point(order_.begin() + low, order_.begin() + high,
                                                         [&](u32 row) { return byte_of(row) == byte; }) -
                                    order_.begin());
            if (low < high && bytes(low).size() == depth + 1 && wanted[order_[low]])
                longest = &view_.added[order_[low]];
        }
        const bool may_go_on = low < high && (high - low > 1 || bytes(low).size() > depth);
        if (!last && at + depth == size && may_go_on) return {at, nullptr};
        if (longest) return {at, longest};
    }
    return {size, nullptr};
}

}  // namespace crayon

#include "scan/added_tokens.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/heap_sort.h"

namespace crayon {

namespace {

// How many bytes two strings begin with in common, if the first `known` of them are equal.
size_t shared_length(std::string_view a, std::string_view b, size_t known) {
    const size_t end = std::min(a.size(), b.size());
    for (u64 left, right; known + 8 <= end; known += 8) {
        std::memcpy(&left, a.data() + known, 8);
        std::memcpy(&right, b.data() + known, 8);
        if (left != right) return known + static_cast<size_t>(std::countr_zero(left ^ right)) / 8;
    }
    while (known < end && a[known] == b[known]) ++known;
    return known;
}

}  // namespace

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
        const size_t rest = size - at;
        size_t depth = 0;
        bool may_go_on = false;
        for (;;) {
            const std::string_view first = bytes(low);
            const std::string_view shared{first.data(), shared_length(first, bytes(high - 1), depth)};
            depth = shared_length(shared, {reinterpret_cast<const char*>(text + at), rest}, depth);
            may_go_on = depth == rest;
            if (depth < shared.size()) break;
            if (depth == first.size() && wanted[order_[low]]) longest = &view_.added[order_[low]];
            // It is the first of those that end here. (Only a damaged cartridge has several.)
            while (low < high && bytes(low).size() == depth) ++low;
            may_go_on = may_go_on && low < high;
            if (depth == rest || low == high) break;
            const u8 byte = text[at + depth];
            const auto byte_of = [&](u32 row) { return static_cast<u8>(view_.bytes(view_.added[row])[depth]); };
            low = static_cast<u32>(std::partition_point(order_.begin() + low, order_.begin() + high,
                                                        [&](u32 row) { return byte_of(row) < byte; }) -
                                   order_.begin());
            high = static_cast<u32>(std::partition_point(order_.begin() + low, order_.begin() + high,
                                                         [&](u32 row) { return byte_of(row) == byte; }) -
                                    order_.begin());
            if (low == high) break;
        }
        if (!last && may_go_on) return {at, nullptr};
        if (longest) return {at, longest};
    }
    return {size, nullptr};
}

}  // namespace crayon

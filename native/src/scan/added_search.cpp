#include "scan/added_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace crayon {

namespace {

// Approximate nanoseconds: the budget per byte of text before time counts as lost, the cost of two string comparisons, and
// the cost of halving the matching tokens.
constexpr u64 kDue = 8, kCompared = 8, kHalved = 4;

// The length of the common prefix of two strings whose first `known` bytes are equal.
[[gnu::noinline]] size_t shared_length(std::string_view a, std::string_view b, size_t known) {
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

AddedSearch::AddedSearch() = default;

void AddedSearch::set(const AddedTokens& tokens, const AddedUse* uses, Allowance allowance) {
    tokens_ = &tokens;
    uses_ = uses;
    allowance_ = allowance;
    is_dense_ = is_resolved_ = false;
}

AddedSearch::Found AddedSearch::find(const Text& text) {
    Found found = {text.from, nullptr};
    size_t& at = found.position;
    for (;; ++at) {
        if (is_dense_ && find_dense(text, &found)) return found;
        const size_t candidate = tokens_->next_candidate(text.bytes, at, text.size);
        lost_ -= std::min<u64>(lost_, kDue * (candidate - at));
        at = candidate;
        if (at == text.size) return found;
        bool is_open = false;
        found.token = longest_at(text, at, &is_open);
        if (is_open && !text.last) found.token = nullptr;
        if (lost_ > kLostAtMost) start_dense();
        if (found.token || (is_open && !text.last)) return found;
    }
}

// The longest token at a position. `is_open`: a longer one may be there, given more text.
const layout::AddedToken* AddedSearch::longest_at(const Text& text, size_t at, bool* is_open) {
    const AddedTokens& tokens = *tokens_;
    const u8* const bytes = text.bytes + at;
    const size_t rest = text.size - at;
    AddedTokens::Rows rows = tokens.beginning_with(bytes[0]);  // narrowed to the tokens that begin with bytes[0, depth)
    const layout::AddedToken* longest = nullptr;
    for (size_t depth = 0;;) {
        const std::string_view first = tokens.bytes(rows.low);
        const std::string_view shared{first.data(), shared_length(first, tokens.bytes(rows.high - 1), depth)};
        const size_t before = depth;
        depth = shared_length(shared, {reinterpret_cast<const char*>(bytes), rest}, depth);
        lost_ += kCompared + (depth - before) / 4;
        *is_open = depth == rest;
        if (depth < shared.size()) break;
        if (depth == first.size()) {
            const u32 row = tokens.row(rows.low++);
            const AddedUse use = uses_[row];
            if (use == AddedUse::kAlways || (use == AddedUse::kControl && fits(row, text.origin + at))) {
                longest = &tokens.token(row);
            }
        }
        *is_open = *is_open && rows.size() > 0;
        if (depth == rest || rows.size() == 0) break;
        lost_ += kHalved * static_cast<u32>(std::bit_width(rows.size()));
        rows = tokens.narrow(rows, depth, bytes[depth]);
        if (rows.size() == 0) break;
    }
    return longest;
}

}  // namespace crayon

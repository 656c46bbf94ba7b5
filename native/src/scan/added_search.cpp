#include "scan/added_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace crayon {

namespace {

// Approximate nanoseconds: the budget per byte of text before time counts as lost, the cost of two string comparisons, and
// the cost of halving the matching tokens.
constexpr u64 kDue = 8, kCompared = 8, kHalved = 4;
// Of building an automaton, per token byte.
constexpr u64 kMaking = 32;
// A text that needs the automaton in one range may not need it in others: retry the other search after this many blocks.
constexpr u32 kDenseBlocks = 16;

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

// --- with the automaton ---

// Continues with the automaton once the time it takes to build has been lost; without it if memory is short.
void AddedSearch::start_dense() {
    if (!tokens_->has_automaton() && lost_ <= kLostAtMost + kMaking * tokens_->total_bytes()) return;
    lost_ = 0;
    automaton_ = tokens_->automaton();
    if (!automaton_ || !block_.resize(kBlock) || !resolve()) return;
    block_begin_ = block_end_ = 0;
    blocks_left_ = kDenseBlocks;
    is_dense_ = true;
}

bool AddedSearch::resolve() {
    if (is_resolved_) return true;
    const u32 count = tokens_->count();
    if (!used_.resize(count)) return false;
    for (u32 index = 0; index < count; ++index) {  // prefixes of a token precede it
        const u32 row = tokens_->row(index);
        used_[row] = uses_[row] != AddedUse::kNever ? row : used_prefix(row);
    }
    return is_resolved_ = true;
}

// False if the other search should continue from found->position.
bool AddedSearch::find_dense(const Text& text, Found* found) {
    const size_t ahead = tokens_->longest() - 1;  // the most bytes after a position that a token there may have
    for (;; ++found->position) {
        const size_t at = found->position;
        const u64 position = text.origin + at;
        if (position < block_begin_ || position >= block_end_) {
            const size_t left = text.size - at;
            // More text than the look-ahead of a block must be available, or short windows would cost as much as long ones.
            if (left == 0 || (!text.last && left <= 2 * ahead)) return true;
            if (blocks_left_-- == 0) return is_dense_ = false;
            const size_t size = std::min(text.last ? left : left - ahead, kBlock);
            automaton_->run(text.bytes, at, at + size, at + std::min(left, size + ahead), block_.data());
            block_begin_ = position;
            block_end_ = position + size;
        }
        const u32 longest = block_[static_cast<size_t>(position - block_begin_)];
        found->token = longest == layout::kNone ? nullptr : choose(longest, position);
        if (found->token) return true;
    }
}

u32 AddedSearch::used_prefix(u32 row) const {
    const u32 prefix = automaton_->prefix(row);
    return prefix == layout::kNone ? layout::kNone : used_[prefix];
}

// The longest prefix of a token that is used at its position. (Few control tokens are prefixes of each other.)
const layout::AddedToken* AddedSearch::choose(u32 longest, u64 position) const {
    u32 row = used_[longest];
    while (row != layout::kNone && uses_[row] == AddedUse::kControl && !fits(row, position)) row = used_prefix(row);
    return row == layout::kNone ? nullptr : &tokens_->token(row);
}

}  // namespace crayon

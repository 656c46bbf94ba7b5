// The search for added tokens continued with an automaton (added_search.h). Browser modules omit it (stubs/).
#include <algorithm>

#include "scan/added_search.h"

namespace crayon {

using layout::kNone;

namespace {

// Approximate cost of building an automaton, in nanoseconds per token byte.
constexpr u64 kMaking = 32;
// A text that needs the automaton in one stretch may not need it in others: retry the other search after this many blocks.
constexpr u32 kDenseBlocks = 16;

}  // namespace

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
        found->token = longest == kNone ? nullptr : choose(longest, position);
        if (found->token) return true;
    }
}

u32 AddedSearch::used_prefix(u32 row) const {
    const u32 prefix = automaton_->prefix(row);
    return prefix == kNone ? kNone : used_[prefix];
}

// The longest prefix of a token that is used at its position. (Few control tokens are prefixes of each other.)
const layout::AddedToken* AddedSearch::choose(u32 longest, u64 position) const {
    u32 row = used_[longest];
    while (row != kNone && uses_[row] == AddedUse::kControl && !fits(row, position)) row = used_prefix(row);
    return row == kNone ? nullptr : &tokens_->token(row);
}

}  // namespace crayon

// The added tokens of a tokenizer (special and others), sorted by their bytes. Immutable, except for an automaton built on
// demand; several threads may use them at once. AddedSearch finds them in a text.
#pragma once

#include <atomic>

#include "cartridge/cartridge.h"
#include "scan/added_automaton.h"

namespace crayon {

class AddedTokens {
public:
    AddedTokens() = default;
    ~AddedTokens() { delete automaton_.load(std::memory_order_relaxed); }
    AddedTokens(const AddedTokens&) = delete;
    AddedTokens& operator=(const AddedTokens&) = delete;

    // Keeps pointers into the view's cartridge. Cost: one look at each token.
    void set(const TokenizerView& view);

    bool empty() const { return view_.added.empty(); }
    u32 longest() const { return longest_; }    // bytes
    u64 total_bytes() const { return total_; }  // of all tokens

    // The first position of text[at, size) with the first byte of a token; `size` if there is none.
    size_t next_candidate(const u8* text, size_t at, size_t size) const;

    // The tokens [low, high) in byte order.
    struct Rows {
        u32 low, high;
        u32 size() const { return high - low; }
    };
    u32 count() const { return static_cast<u32>(view_.sorted.size()); }
    Rows beginning_with(u8 byte) const { return {begins_[byte], begins_[byte + 1]}; }
    u32 row(u32 index) const { return view_.sorted[index]; }
    const layout::AddedToken& token(u32 row) const { return view_.added[row]; }
    std::string_view bytes(u32 index) const { return view_.bytes(token(row(index))); }
    // Of tokens longer than `depth` and equal up to there, those with this byte at `depth`.
    Rows narrow(Rows rows, size_t depth, u8 byte) const;
    // The id of the token with these bytes (at least one), or layout::kNone.
    u32 id_of(std::string_view wanted) const;

    // Built by the first caller. nullptr if memory is short.
    const AddedAutomaton* automaton() const;
    bool has_automaton() const { return automaton_.load(std::memory_order_relaxed) != nullptr; }

private:
    u32 first_from(Rows rows, size_t depth, u32 byte) const;

    TokenizerView view_;
    u32 longest_ = 0;
    u64 total_ = 0;
    u32 begins_[257] = {};  // tokens by first byte
    int only_first_ = -1;   // the first byte if all tokens share one; otherwise -1
    mutable std::atomic<AddedAutomaton*> automaton_{nullptr};
};

}  // namespace crayon

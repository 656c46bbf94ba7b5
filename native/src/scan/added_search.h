// Finds added tokens in a text before pretokenizing: the leftmost, and the longest of those that begin at the same position.
//
// A text without the first byte of any token costs one search for that byte. Where a token may begin, a binary search per
// byte narrows down the matching tokens. That is enough for ordinary texts; adversarial ones would be read again and again,
// up to layout::kMaxAddedTokenLength bytes at each position. So the search keeps an account of lost time, and when it has
// lost as much as building an automaton takes (added_automaton.h), it continues with an automaton, block by block: the time
// is linear in the text for any tokens.
#pragma once

#include "scan/added_tokens.h"

namespace crayon {

// How a matching token is used. Control tokens are found only where allowed.
enum class AddedUse : u8 { kNever, kAlways, kControl };

class AddedSearch {
public:
    AddedSearch();  // out of line: an encoder has four

    // Whether control tokens may be at [begin, end) of the text; required if there are any. If a range is allowed, all its
    // parts are.
    struct Allowance {
        bool (*allows)(const void* context, u64 begin, u64 end);
        const void* context;
    };
    // Keeps pointers to the tokens and their uses. Call it again when the uses change.
    void set(const AddedTokens& tokens, const AddedUse* uses, Allowance allowance);
    // Another text begins.
    void restart() { is_dense_ = false; }

    struct Text {
        const u8* bytes;
        u64 origin;         // position of bytes[0]; a byte must keep its position until restart()
        size_t from, size;  // bytes[from, size) is searched
        bool last;          // no more text follows; otherwise the search stops where more text might complete a token
    };
    struct Found {
        size_t position;                  // its start; if there is no token, no match begins before this
        const layout::AddedToken* token;  // nullptr: no token begins before `position`
    };
    // Cost: linear in the text, over all searches of a text that each continue at the end of the last one.
    Found find(const Text& text);

private:
    static constexpr size_t kBlock = 4096;
    static constexpr u64 kLostAtMost = 1 << 16;  // before the automaton is used

    const layout::AddedToken* longest_at(const Text& text, size_t at, bool* is_open);
    bool fits(u32 row, u64 position) const {
        return allowance_.allows(allowance_.context, position, position + tokens_->token(row).length);
    }
    // With the automaton, which few texts need: apart from the loop of the others.
    [[gnu::noinline]] void start_dense();
    [[gnu::noinline]] bool find_dense(const Text& text, Found* found);
    bool resolve();
    u32 used_prefix(u32 row) const;
    const layout::AddedToken* choose(u32 longest, u64 position) const;

    const AddedTokens* tokens_ = nullptr;
    const AddedUse* uses_ = nullptr;
    Allowance allowance_ = {};
    u64 lost_ = 0;  // approximate nanoseconds beyond the budget for the text

    const AddedAutomaton* automaton_ = nullptr;
    bool is_dense_ = false, is_resolved_ = false;
    u32 blocks_left_ = 0;
    Buffer<u32> used_;  // per token: its longest prefix that is used, or itself
    u64 block_begin_ = 0, block_end_ = 0;
    Buffer<u32> block_;  // the longest tokens at its positions
};

}  // namespace crayon

// Finds added tokens in a text before pretokenizing: the leftmost, and of those that begin at the same position the longest.
//
// A text without the first byte of any token costs one search for that byte. Where one may begin, a binary search for each
// byte narrows the tokens that still match. That is enough for ordinary texts; others would be read again and again, up to
// layout::kMaxAddedTokenLength bytes at each position. So the search keeps an account, and when it has lost as much time as an
// automaton would have taken (added_automaton.h), it goes on with that, block by block: the time is linear in the text,
// whatever the tokens are.
#pragma once

#include "scan/added_tokens.h"

namespace crayon {

// What becomes of a token where it matches. Control tokens are found only where they are allowed.
enum class AddedUse : u8 { kNever, kAlways, kControl };

class AddedSearch {
public:
    AddedSearch();  // out of line: an encoder has four

    // Whether control tokens may be at [begin, end), positions of the text; needed if there are any. What allows a range allows
    // each part of it.
    struct Allowance {
        bool (*allows)(const void* context, u64 begin, u64 end);
        const void* context;
    };
    // Keeps pointers to the tokens and to how each of them is used. Call it again when that has changed.
    void set(const AddedTokens& tokens, const AddedUse* uses, Allowance allowance);
    // Another text begins.
    void restart() { is_dense_ = false; }

    struct Text {
        const u8* bytes;
        u64 origin;         // the position of bytes[0]; the same bytes have the same positions until restart()
        size_t from, size;  // bytes[from, size) is searched
        bool last;          // no more text follows; else the search stops where it might complete a token
    };
    struct Found {
        size_t position;                  // where it begins; without one, there is no match before
        const layout::AddedToken* token;  // nullptr: none begins before `position`
    };
    // Cost: linear in the text, over all searches of a text that each go on where the last one has ended.
    Found find(const Text& text);

private:
    static constexpr size_t kBlock = 4096;
    static constexpr u64 kLostAtMost = 1 << 16;  // before the automaton is used

    const layout::AddedToken* longest_at(const Text& text, size_t at, bool* is_open);
    bool fits(u32 row, u64 position) const {
        return allowance_.allows(allowance_.context, position, position + tokens_->token(row).length);
    }
    // In added_dense.cpp.
    void start_dense();
    bool resolve();
    u32 used_prefix(u32 row) const;
    bool find_dense(const Text& text, Found* found);
    const layout::AddedToken* choose(u32 longest, u64 position) const;

    const AddedTokens* tokens_ = nullptr;
    const AddedUse* uses_ = nullptr;
    Allowance allowance_ = {};
    u64 lost_ = 0;  // about nanoseconds, beyond what is due for the text

    const AddedAutomaton* automaton_ = nullptr;
    bool is_dense_ = false, is_resolved_ = false;
    u32 blocks_left_ = 0;
    Buffer<u32> used_;  // of each token: the longest prefix of it that is used, or itself
    u64 block_begin_ = 0, block_end_ = 0;
    Buffer<u32> block_;  // the longest tokens at its positions
};

}  // namespace crayon

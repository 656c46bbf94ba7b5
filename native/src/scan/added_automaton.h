// The longest added token at each position of a text, in linear time for any tokens.
//
// It is an Aho–Corasick automaton (Aho & Corasick 1975) of the reversed tokens, reading the text from right to left. Its
// state at a position is the longest token suffix that begins there, so the longest whole token there is known at once. A
// forward automaton would have to wait for that token's end, and then go back to resume after a shorter one: with the
// tokens `a` and `aaa…ab`, at every `a`.
//
// A subset of the tokens does not need a separate automaton: the other tokens that begin at a position are prefixes of the
// longest one.
//
// Memory: 16 bytes per distinct token suffix, 4 per token, and 8 more during construction, which takes some 50 ns per token
// byte (2026-11).
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"

namespace crayon {

class AddedAutomaton {
public:
    // Does not keep a pointer to the view. nullptr if memory is short.
    static AddedAutomaton* create(const TokenizerView& view);

    // For each position of text[begin, end) the index of the longest token in text[position, limit), or layout::kNone.
    // `end` is at most `limit`. Cost: linear in limit - begin.
    void run(const u8* text, size_t begin, size_t end, size_t limit, u32* longest) const;

    // The longest token that is a proper prefix of a token, or layout::kNone.
    u32 prefix(u32 row) const { return prefixes_[row]; }

private:
    AddedAutomaton() = default;
    bool link_prefixes(const TokenizerView& view);
    bool make_nodes(const TokenizerView& view);
    u32 next(u32 node, u8 label) const;

    // In breadth-first order, starting with the root, so that a node's children run from its first child to the next node's
    // first child, ordered by label.
    struct Node {
        u32 first_child;
        u32 fail;   // the node of the longest proper suffix of the text read
        u32 token;  // the longest token that the text read ends with, reversed
        u8 label;
    };
    Buffer<Node> nodes_;    // plus one that marks the end of the last node's children
    Buffer<u32> prefixes_;  // per token
};

}  // namespace crayon

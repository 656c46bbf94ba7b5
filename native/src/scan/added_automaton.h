// The longest added token at each position of a text, in linear time whatever the tokens are.
//
// It is an Aho–Corasick automaton (Aho & Corasick 1975) of the reversed tokens, which reads the text from right to left.
// Its state at a position is the longest end of a token that begins there; so the longest whole token there is known at once,
// where an automaton that reads forward has to wait for its end, and then to go back for what follows a shorter one: with
// the tokens `a` and `aaa…ab`, at every `a`.
//
// A subset of the tokens needs no automaton of its own: the others that begin at a position are prefixes of the longest one.
//
// Memory: 16 bytes for each distinct end of a token, 4 for each token, and 8 more while it is made. That takes
// some 50 ns for each byte of the tokens (2026-11).
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"

namespace crayon {

class AddedAutomaton {
public:
    // Keeps no pointer. nullptr if memory is short.
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

    // In breadth-first order, from the root on, so that the children of a node are those from its first one up to that of the
    // next node, by label.
    struct Node {
        u32 first_child;
        u32 fail;   // the node of the longest proper suffix of what it has read
        u32 token;  // the longest token that what it has read ends with, reversed
        u8 label;
    };
    Buffer<Node> nodes_;    // and one more, for the end of the last one's children
    Buffer<u32> prefixes_;  // of each token
};

}  // namespace crayon

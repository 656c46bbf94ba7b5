// Version 2 of a cartridge, a `.dat`: u32 magic, u32 version, u32 n, then BASE, CHECK and VALUES, i32[n] each. It is
// the trie of a longest-match vocabulary and nothing else; the bytes of its tokens are the ways to them.
//
// The child of a state s by byte c is t = BASE[s] + c, iff t < n and CHECK[t] == s. So every state has one parent at
// most, and what can be reached from the root, state 0, is a tree, as long as the root is nobody's child: that is
// checked. Some writers give the root CHECK −1, others 0, with a BASE above 0; both are read. What cannot be reached is
// not looked at.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// Takes the bytes of a file through the gate of version 2. `list`: what the ids are that the trie does not hold;
// without tokens, there is none. `unknown_id`: a token's, or kNone. What the file does not say is put into `dat`, to
// which, and to `data`, `out` then points.
//
// NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED, CORRUPT_STRUCTURE with the place in the file; INVALID_ARGUMENT with
// the index of a token of the list, or with its length for the unknown id; VOCABULARY_TOO_LARGE for tokens of more than
// 64 MiB together or of more than 65535 bytes; OUT_OF_MEMORY. Cost: linear in states and bytes of tokens, whatever the
// bytes are; 20 ms for 206,000 tokens.
Status read_dat(const u8* data, u64 length, const TokensView& list, u32 unknown_id, LegacyDat* dat,
                CartridgeContents* out);

// Whether another list gives what this one gave: the ids that the trie does not hold have the same bytes in it.
bool is_same_list(const LongestMatchView& view, const TokensView& list);

}  // namespace crayon

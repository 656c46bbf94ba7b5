// Version 2 of a cartridge, a `.dat`: u32 magic, u32 version, u32 n, then BASE, CHECK and VALUES, i32[n] each. It is
// the trie of a longest-match vocabulary and nothing else; the bytes of a token are the path to it.
//
// The child of a state s by byte c is t = BASE[s] + c, iff t < n and CHECK[t] == s. So every state has at most one
// parent, and the states that can be reached from the root, state 0, are a tree, unless the root is a child: that is
// checked. Some writers give the root CHECK −1, others 0 with a BASE above 0; both are accepted. Unreachable states are
// ignored.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// Checks the bytes of a version 2 file and reads it. `list`: the tokens of ids that the trie does not hold; it may be
// empty. `unknown`: the id of a token, perhaps with kUnknownBytes, or kNone. `dat` is filled with the tables that are not in the
// file; afterwards `out` points into `data` and `dat`.
//
// NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED, CORRUPT_STRUCTURE with the offset in the file; INVALID_ARGUMENT with
// the index of a token in the list, or with the length of the list if the unknown id is wrong; VOCABULARY_TOO_LARGE for
// tokens of more than 64 MiB together or of more than 65535 bytes; OUT_OF_MEMORY. Cost: linear in states and bytes of
// tokens, whatever the bytes are; 20 ms for 206,000 tokens.
Status read_dat(const u8* data, u64 length, const TokensView& list, u32 unknown, LegacyDat* dat, CartridgeContents* out);

// Whether another list would have the same result: it has the same bytes for the ids that the trie does not hold.
bool is_same_list(const LongestMatchView& view, const TokensView& list);

}  // namespace crayon

// Version 2 of a cartridge, a `.dat`: u32 magic, u32 version, u32 n, then BASE, CHECK and VALUES, i32[n] each. It holds the
// trie of a longest-match vocabulary and nothing else; a token's bytes are the path to it.
//
// The child of state s for byte c is t = BASE[s] + c, iff t < n and CHECK[t] == s. So every state has at most one parent,
// and the states reachable from the root (state 0) form a tree, unless the root is a child, which is checked. Some writers
// give the root CHECK −1, others 0 with a BASE above 0; both are accepted. Unreachable states are ignored.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// Checks and reads a version 2 file. `list`: the tokens of the ids missing from the trie; may be empty. `unknown`: a token
// id, optionally with kUnknownBytes, or kNone. `dat` receives the tables that the file lacks; afterwards `out` points into
// `data` and `dat`.
//
// NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED, CORRUPT_STRUCTURE with the offset in the file; INVALID_ARGUMENT with
// the index of a token in the list, or the length of the list if the unknown id is wrong; VOCABULARY_TOO_LARGE for tokens
// of more than 64 MiB in total or more than 65535 bytes each; OUT_OF_MEMORY. Cost: linear in states and token bytes for any
// input; 20 ms for 206,000 tokens.
Status read_dat(const u8* data, u64 length, const TokensView& list, u32 unknown, LegacyDat* dat, CartridgeContents* out);

// Whether another list would give the same result: it has the same bytes for the ids missing from the trie.
bool is_same_list(const LongestMatchView& view, const TokensView& list);

}  // namespace crayon

// A small longest-match cartridge, written section by section with the simplest code that follows cartridges/FORMAT.md §9.
#pragma once

#include "handmade_cartridge.h"

namespace crayon::test {

// 0 "a", 1 "ab", 2 a hole, 3 "?", which stands for unknown characters, 4 "a" again, unmatched. A view "handmade"
// without a pretokenizer, with the added token "<x>", id 5.
HandmadeCartridge make_handmade_longest_match();

// The same without trie and joined_bytes.
HandmadeCartridge make_handmade_slim_longest_match();

}  // namespace crayon::test

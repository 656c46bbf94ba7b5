// The rules of WordPiece (cartridges/FORMAT.md §13): a word is cut into the longest token at its beginning, then the
// longest continuation, and so on; if any position has no token, the whole word is unknown. The tokens are in kTrie.
// Continuations keep their prefix (`##ing`), as in the vocabulary, so the two tries are the subtrees below the root and
// below the prefix.
#pragma once

#include <cstdint>

namespace crayon::layout {

// kWholeWords (WordLevel): a word is a token or unknown; there are no continuations and no limit on word length.
enum WordPieceFlags : std::uint32_t { kWholeWords = 1 };

// kWordPieces: this header, then the bytes of the prefix.
struct WordPieceRules {
    std::uint32_t flags;
    std::uint32_t most_characters;  // a longer word is unknown; zero with kWholeWords
    std::uint32_t prefix_length;    // at most kMaxTokenLength; zero with kWholeWords
    std::uint32_t reserved;
};
static_assert(sizeof(WordPieceRules) == 16);

}  // namespace crayon::layout

// The rules of WordPiece (cartridges/FORMAT.md §13): a word is cut into the longest token at its beginning, then the longest one
// that continues it, and so on; if there is none somewhere, the whole word is unknown. The tokens are in kTrie, those that
// continue a word with the prefix in front (`##ing`), as they are in the vocabulary: their tries are the parts of it below the
// root and below the prefix.
#pragma once

#include <cstdint>

namespace crayon::layout {

// kWholeWords: a word is a token or unknown; nothing continues one, and words have any length. (WordLevel)
enum WordPieceFlags : std::uint32_t { kWholeWords = 1 };

// kWordPieces: these, then the bytes of the prefix.
struct WordPieceRules {
    std::uint32_t flags;
    std::uint32_t most_characters;  // a word with more is unknown; with kWholeWords: zero
    std::uint32_t prefix_length;    // at most kMaxTokenLength; with kWholeWords: zero
    std::uint32_t reserved;
};
static_assert(sizeof(WordPieceRules) == 16);

}  // namespace crayon::layout

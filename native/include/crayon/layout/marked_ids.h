// Ids in the buffers of an encoder, before they are handed out. Each says how long its text is, so that adding lengths gives
// positions. Most ids are those of tokens, whose bytes are their text. A mark says that the text is another one:
//
//   kUnknownMark | length     an unknown stretch of so many bytes; it becomes the unknown id
//   kPartMark | id            WordPiece: a token inside of a word, whose text is without the prefix of continuations;
//                             Unigram: the token of a byte, whose text is that byte
//   kAddedMark | id           where whitespace has no ids: an added token, before which none is passed over
//
// No token of the models that use the last two has an id with one of these bits.
#pragma once

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

inline constexpr std::uint32_t kPartMark = 0x40000000;
inline constexpr std::uint32_t kAddedMark = 0x20000000;
// No token of a file with kWordPiece or kUnigram has an id from here on.
inline constexpr std::uint32_t kFirstMarkedId = kAddedMark;

}  // namespace crayon::layout

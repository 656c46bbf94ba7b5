// Ids in an encoder's buffers, before they are handed out. Each implies the length of its text, so summing lengths gives
// positions. Most are token ids, whose text is the token's bytes. A mark says that the text differs:
//
//   kUnknownMark | length     an unknown range of `length` bytes; it becomes the unknown id
//   kPartMark | id            WordPiece: a token inside a word, whose text lacks the continuation prefix
//   kByteMark | byte << kByteShift | rest
//                             Unigram: the id of a byte's token, in an unknown range that ends after `rest` bytes, this
//                             one included. All ids of such a range have the offsets of the whole range
//   kAddedMark | id           where whitespace has no ids: an added token with no skipped whitespace before it
//
// No token of the models that use the last three has an id with any of these bits. There, the length of an unknown range
// is below kPartMark, and longer unknown ranges or rests are clamped to the bits available: only offsets depend on them.
#pragma once

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

inline constexpr std::uint32_t kPartMark = 0x40000000;
inline constexpr std::uint32_t kAddedMark = 0x20000000;
inline constexpr std::uint32_t kByteMark = kUnknownMark | kPartMark, kByteShift = 22;
inline constexpr std::uint32_t kMostRest = (1u << kByteShift) - 1;
// Token ids in a file with kWordPiece or kUnigram are below this.
inline constexpr std::uint32_t kFirstMarkedId = kAddedMark;

}  // namespace crayon::layout

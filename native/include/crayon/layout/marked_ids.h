// Ids in the buffers of an encoder, before they are handed out. Each says how long its text is, so that adding lengths gives
// positions. Most ids are those of tokens, whose bytes are their text. A mark says that the text is another one:
//
//   kUnknownMark | length     an unknown stretch of so many bytes; it becomes the unknown id
//   kPartMark | id            WordPiece: a token inside of a word, whose text is without the prefix of continuations
//   kByteMark | byte << kByteShift | rest
//                             Unigram: the id of a byte's token, in an unknown stretch that ends after `rest` bytes, this one
//                             among them. All ids of such a stretch have the offsets of the whole of it
//   kAddedMark | id           where whitespace has no ids: an added token, before which none is passed over
//
// No token of the models that use the last three has an id with one of these bits. With them the length of an unknown stretch is
// below kPartMark, and what is unknown or left of a stretch is at most what its bits can say: only offsets depend on that.
#pragma once

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

inline constexpr std::uint32_t kPartMark = 0x40000000;
inline constexpr std::uint32_t kAddedMark = 0x20000000;
inline constexpr std::uint32_t kByteMark = kUnknownMark | kPartMark, kByteShift = 22;
inline constexpr std::uint32_t kMostRest = (1u << kByteShift) - 1;
// No token of a file with kWordPiece or kUnigram has an id from here on.
inline constexpr std::uint32_t kFirstMarkedId = kAddedMark;

}  // namespace crayon::layout

// A tokenizer of the general path (cartridges/FORMAT.md §15): the pipeline of a tokenizer.json as Hugging Face tokenizers 0.23
// has it. After the head: GeneralStep[step_count], then the data that head and steps refer to, by offsets from the start of the
// section, each a multiple of 8.
#pragma once

#include <cstdint>

namespace crayon::layout {

// The first of `count` elements, or bytes, of the section. 0 and 0: none.
struct GeneralPart {
    std::uint32_t offset, length;
};

struct GeneralTokenizer {
    std::uint32_t model;             // GeneralModel
    std::uint32_t flags;             // GeneralFlags
    std::uint32_t step_count;        // at most kMaxGeneralSteps
    std::uint32_t normalizer_count;  // the first steps; the others are pretokenizers
    std::uint32_t most_characters;   // of a word, WordPiece only
    std::uint32_t reserved[3];
    GeneralPart prefix, suffix;  // continuing_subword_prefix, end_of_word_suffix
    GeneralPart merges;          // of BPE: GeneralMerge[length], in the order of their ranks
    GeneralPart scores;          // of Unigram: f64[token_count]
};
static_assert(sizeof(GeneralTokenizer) == 64);

inline constexpr std::uint32_t kMaxGeneralSteps = 256;

enum GeneralModel : std::uint32_t { kGeneralBpe = 1, kGeneralWordPiece = 2, kGeneralUnigram = 3, kGeneralWordLevel = 4 };
// kHasUnknown: the file names an unknown token. If the vocabulary lacks it, unknown_id of Model is kNone: encoding it is an
// error. Of a WordLevel, kFuseUnknown and kByteFallback make it the model WORD of sentencepiece.
enum GeneralFlags : std::uint32_t { kHasUnknown = 1, kFuseUnknown = 2, kByteFallback = 4, kIgnoreMerges = 8 };

struct GeneralMerge {
    std::uint32_t left, right, result;
};
static_assert(sizeof(GeneralMerge) == 12);

struct GeneralStep {
    std::uint32_t kind;   // GeneralKind
    std::uint32_t flags;  // of the kind
    GeneralPart first, second;
};
static_assert(sizeof(GeneralStep) == 24);

// Normalizers, then pretokenizers. A Sequence is its members.
enum GeneralKind : std::uint32_t {
    kBertNormalizer = 1,  // flags: GeneralBert
    kStripAccents = 2,
    kStrip = 3,  // flags: GeneralStrip
    kFormC = 4,
    kFormD = 5,
    kFormKC = 6,
    kFormKD = 7,
    kLowercaseNormalizer = 8,
    kReplace = 9,       // first: a text, or a program with kIsRegex; second: the content
    kPrependText = 10,  // first: the text
    kPrecompiled = 11,  // first: the charsmap
    kByteLevelNormalizer = 12,
    kNmt = 13,
    kSentencePieceNormalizer = 14,  // first: a NormalizerProgram of one step, kStepSentencePiece
    kBertPreTokenizer = 32,         // first: ranges of punctuation
    kByteLevelPreTokenizer = 33,    // flags: GeneralByteLevel
    kCharDelimiterSplit = 34,       // first: the character
    kMetaspacePreTokenizer = 35,    // first: the replacement; flags: GeneralMetaspace
    kWhitespace = 36,               // first: ranges of the characters of words
    kWhitespaceSplitPreTokenizer = 37,
    kDigits = 38,          // first: ranges of numbers; flags: the behavior
    kPunctuation = 39,     // first: ranges; flags: the behavior
    kSplit = 40,           // first: a text, or a program with kIsRegex; flags: the behavior, kIsRegex, kInverts
    kUnicodeScripts = 41,  // first: GeneralScript[length]
    kFixedLength = 42,     // flags: how many characters
};

enum GeneralBert : std::uint32_t { kCleansText = 1, kHandlesChinese = 2, kStripsBertAccents = 4, kLowercasesBert = 8 };
enum GeneralStrip : std::uint32_t { kStripsLeft = 1, kStripsRight = 2 };
enum GeneralByteLevel : std::uint32_t { kAddsPrefixSpace = 1, kUsesRegex = 2 };
enum GeneralMetaspace : std::uint32_t { kSplitsAtMarks = 1, kPrependsToFirst = 2, kPrependsToAll = 4 };
enum GeneralBehavior : std::uint32_t {
    kRemoved = 0,
    kIsolated = 1,
    kMergedWithPrevious = 2,
    kMergedWithNext = 3,
    kContiguous = 4
};
inline constexpr std::uint32_t kBehavior = 7, kIsRegex = 8, kInverts = 16;

// Characters of one script; those without a row are of any.
struct GeneralScript {
    std::uint32_t first, last, script;
};
static_assert(sizeof(GeneralScript) == 12);

}  // namespace crayon::layout

// The bytes of a cartridge: header, section table and the sections every model shares (cartridges/FORMAT.md §2–§4).
//
// Plain little-endian structs, read in place. Invariant of every struct here: no implicit padding, every reserved
// field is zero, and the validator (src/cartridge/validator.cpp) has checked each rule in a comment before any other code reads
// it.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kMagic = 0x59415243;  // "CRAY"
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::uint16_t kMinor = 9;  // until 1.0 only the exact minor loads
inline constexpr std::uint32_t kAlignment = 64;
inline constexpr std::uint32_t kMaxSections = 64;
inline constexpr std::uint32_t kMaxFileLength = 0x80000000;  // so that all lengths fit a 32-bit address space
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

struct Header {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t zero;  // version 2 has its node count here: its loaders see an empty trie
    std::uint16_t minor;
    std::uint16_t section_count;
    std::uint64_t file_length;
    std::uint64_t checksum;  // of the whole file, with these eight bytes as zero
    std::uint8_t reserved[32];
};
static_assert(sizeof(Header) == 64);
inline constexpr std::uint32_t kChecksumOffset = 24;

enum SectionFlags : std::uint32_t { kMustUnderstand = 1 };

// Rows are in ascending order of offset. Each section starts at the first multiple of 64 at or after the end of the one
// before (the first: of the table); the bytes between are zero; the file ends with the last section.
struct Section {
    std::uint32_t id;  // SectionId, each at most once
    std::uint32_t flags;
    std::uint32_t offset;
    std::uint32_t length;
};
static_assert(sizeof(Section) == 16);

enum SectionId : std::uint32_t {
    kMetadata = 1,      // one JSON object, UTF-8
    kModel = 2,         // Model
    kViews = 3,         // View[view_count], then the string bytes they point into
    kAddedTokens = 4,   // AddedToken[count], u32 sorted[count], then the string bytes they point into
    kTokenOffsets = 5,  // u32[token_count + 1], ascending; the last is the length of kTokenBytes
    kTokenBytes = 6,
    kPieces8 = 7,       // PerfectHash of Piece8: every token of 1…8 bytes
    kPieces24 = 8,      // PerfectHash of Piece24: every token of 9…24 bytes
    kPiecesLong = 9,    // PerfectHash of u32 ids: every token of 25 bytes and more
    kSplits = 10,       // Split[token_count]
    kPairs = 11,        // PerfectHash of u32 pair slots
    kTrie = 12,         // DoubleArray of the tokens that merging can produce, or that longest match can find
    kCrossings = 13,    // u32 count, then u32 ids[count], ascending: see layout/bpe.h
    kMerges = 14,       // slim files: MergeList, instead of kTokenOffsets … kCrossings
    kJoinedBytes = 15,  // see layout/longest_match.h
    kUnmatched = 16,    // u32 count, then u32 ids[count], ascending; BPE: may be missing
    kDna = 17,          // DnaRules and its ids: see layout/dna.h
    kPattern = 18,      // layout/pattern.h: of the views with kPatternPretokenizer
    // BPE whose ids are not merge ranks, see layout/bpe.h:
    kIds = 20,             // u32[token_count], by rank
    kRanks = 21,           // u32[token_count], by id
    kTemplates = 22,       // Template[view_count], then their ids; may be missing
    kWords = 23,           // u32 count, then WordRange[count]: if an added token has kSingleWord
    kProgram = 24,         // NormalizerProgram: see layout/normalizer.h; if a view has it
    kWordPieces = 25,      // layout/word_piece.h
    kScores = 26,          // layout/unigram.h
    kHidden = 27,          // HiddenTokens: see layout/bpe.h; BPE: may be missing
    kPriorities = 28,      // u32[token_count], by rank: see layout/bpe.h; BPE: may be missing
    kGeneralSection = 29,  // layout/general.h
};
constexpr bool is_known_section(std::uint32_t id) {
    return (id >= kMetadata && id <= kPattern) || (id >= kIds && id <= kGeneralSection);
}
inline constexpr std::uint32_t kLastSection = kGeneralSection;

// Byte-level BPE has kTokenOffsets … kCrossings, and may have kUnmatched, kHidden, kPriorities, and kIds with kRanks; a slim file
// has no kRanks. Longest match has kTokenOffsets, kTokenBytes, kTrie, kJoinedBytes and kUnmatched; a slim file has no kTrie and
// no kJoinedBytes. Either has kPattern if a view uses it. BPE has kWords if a token uses it. DNA has kTokenOffsets, kTokenBytes
// and kDna. WordPiece and Unigram have kTokenOffsets, kTokenBytes, kTrie and kUnmatched, and kWordPieces or kScores, and a
// tokenizer of the general path kGeneralSection; a slim file has no kTrie.
enum ModelKind : std::uint32_t { kBpe = 1, kLongestMatch = 2, kDnaModel = 3, kWordPiece = 4, kUnigram = 5, kGeneral = 6 };
// Normalizers, and the flags of added tokens, are for these.
constexpr bool has_normalizers(std::uint32_t kind) { return kind != kLongestMatch && kind != kDnaModel; }
constexpr bool is_of_trie(std::uint32_t kind) { return kind >= kWordPiece; }

inline constexpr std::uint32_t kMaxTokens = (1u << 21) - 1;
inline constexpr std::uint32_t kMaxTokenLength = 0xFFFF;
// Of an added token. Text that may be the beginning of one waits for what follows.
inline constexpr std::uint32_t kMaxAddedTokenLength = 1024;

struct Model {
    std::uint32_t kind;
    std::uint32_t token_count;       // ids below this are in kTokenOffsets; an empty token is a hole, not an id
    std::uint32_t max_token_length;  // of the tokens in kTokenBytes, in bytes, exactly; at most kMaxTokenLength
    // BPE: zero. Others: the id of the unknown token, or kNone. Longest match gives it to a character at which no token begins;
    // with kUnknownBytes, to a byte.
    std::uint32_t unknown_id;
};
inline constexpr std::uint32_t kUnknownBytes = 1u << 30;
static_assert(sizeof(Model) == 16);

inline constexpr std::uint32_t kMaxViews = 4096;

// A named tokenizer that uses the model of the file. The names are together no longer than the string bytes.
struct View {
    std::uint32_t name_offset;  // from the end of the View rows; UTF-8, not NUL-terminated
    std::uint32_t name_length;
    std::uint32_t pretokenizer;  // Pretokenizer
    std::uint32_t unicode;       // version of its character classes, major << 8 | minor: 0x1000 is 16.0
    std::uint32_t first_added;   // its rows of kAddedTokens
    std::uint32_t added_count;
    std::uint32_t vocabulary_size;  // greatest id + 1; every id of the model and of its added tokens is below it
    std::uint32_t normalizer;       // Normalizer; others than kNoNormalizer only if has_normalizers
};
static_assert(sizeof(View) == 32);

// A family of pretokenizers.def; kNoPretokenizer: the text is one piece; kPatternPretokenizer: the pattern of kPattern.
enum Pretokenizer : std::uint32_t {
#define CRAYON_PRETOKENIZER(name, constant, number, unicode, pattern) constant = number,
#define CRAYON_WORD_PRETOKENIZER(name, constant, number) constant = number,
#include "crayon/layout/pretokenizers.def"
#undef CRAYON_PRETOKENIZER
    kNoPretokenizer = 5,
    kPatternPretokenizer = 6,
};
constexpr std::uint32_t last_pretokenizer() {
    std::uint32_t last = kPatternPretokenizer;
#define CRAYON_PRETOKENIZER(name, constant, number, unicode, pattern) \
    if (constant > last) last = constant;
#define CRAYON_WORD_PRETOKENIZER(name, constant, number) \
    if (constant > last) last = constant;
#include "crayon/layout/pretokenizers.def"
#undef CRAYON_PRETOKENIZER
    return last;
}
inline constexpr std::uint32_t kLastPretokenizer = last_pretokenizer();
inline constexpr std::uint32_t kUnicode16 = 0x1000;

// How a text is normalized before it is pretokenized. kNfc: Unicode Normalization Form C, of Unicode 9.0.
// kProgramNormalizer: the program of kProgram.
enum Normalizer : std::uint32_t { kNoNormalizer = 0, kNfc = 1, kProgramNormalizer = 2 };
inline constexpr std::uint32_t kLastNormalizer = kProgramNormalizer;
// Whether added tokens that are normalized are searched for in what it makes of the text.
constexpr bool precedes_tokens(std::uint32_t normalizer) { return normalizer != kNoNormalizer; }

// The head of kViews and kAddedTokens.
struct RowCount {
    std::uint32_t count;
    std::uint32_t string_bytes;  // length of the strings after the rows
};

// Rows are in the order of their views.
//
// A token matched in the text before pretokenizing. Rows of one view ascend by id; the first of several rows with one id is what
// the id decodes to. Bytes are 1 to kMaxAddedTokenLength, no two rows of a view have the same ones, and together the bytes of a
// view are no longer than the string bytes. After all rows, `sorted` has for each view its rows, counted from its first one, in
// ascending order of their bytes.
struct AddedToken {
    std::uint32_t bytes_offset;  // from the end of the AddedToken rows
    std::uint32_t length;
    std::uint32_t id;
    std::uint32_t flags;  // AddedTokenFlags
};
static_assert(sizeof(AddedToken) == 16);

// Of a view: prefix_count ids go before a text and suffix_count ids after it, if the caller asks for them. All are below the
// vocabulary_size of the view.
struct Template {
    std::uint32_t prefix_count;
    std::uint32_t suffix_count;
};
static_assert(sizeof(Template) == 8);

// kSpecial: governed by the special-token policy; others always match. All others only if has_normalizers (kLstrip with
// kDnaModel, too). kNormalized: searched for in what the others leave, after the normalizer, if there is one. kLstrip, kRstrip,
// and with a normalizer not with kNormalized: the token includes the whitespace before it, after it. kSingleWord: not found next
// to a character of kWords. kNeverFound: decodes, but no text contains it; another row with its id has the text that is searched
// for, which a normalizer has made of it.
enum AddedTokenFlags : std::uint32_t {
    kSpecial = 1,
    kNormalized = 2,
    kLstrip = 4,
    kRstrip = 8,
    kSingleWord = 16,
    kNeverFound = 32
};

// Ids in buffers while a text is encoded: an unknown range, whose length in bytes are the low bits. It becomes the unknown id
// of the vocabulary when ids are handed out. No token has such an id.
inline constexpr std::uint32_t kUnknownMark = 0x80000000;

// Code points; ranges ascend.
inline constexpr std::uint32_t kLastCodePoint = 0x10FFFF;
struct WordRange {
    std::uint32_t first, last;
};
static_assert(sizeof(WordRange) == 8);

}  // namespace crayon::layout

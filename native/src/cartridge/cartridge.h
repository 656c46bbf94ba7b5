// An open cartridge: its bytes, and typed read-only views into them. Immutable; several threads may read it at once.
//
// Invariant: the bytes of every Cartridge have passed the validator. So these properties of the views need no further
// checks:
// - PerfectHashView: any hash leads to an entry inside the table; every id in it is below token_count (kPiecesLong and
//   kPairs: or the slot is kNone); a length in it is at most what its table holds (8 or 24).
// - BPE: kPieces8 contains each of the 256 single bytes, so that every text can be encoded.
// - token_offsets ascend from 0 to token_byte_count; no token is longer than max_token_length, which is at most 65535.
// - splits: both halves are less than the token, or both are the token: following them terminates.
// - crossings: ids below token_count, ascending.
// - ids and ranks: below token_count; either both exist or neither.
// - the added tokens of a view differ, and `sorted` lists each of them once, in the order of their bytes.
// - trie: base | 255 is inside the units, the root is vacant, every value is below token_count. A walk is bounded by
//   its text only: tables may contain cycles, since the validator does not check that each base belongs to one node.
// - DNA: the rules are possible, its tables have the sizes that they state, and the ids in them are below the vocabulary
//   size of each view, or kNone where there may be none.
// - WordPiece and Unigram: scores are finite; ids of bytes have tokens, or are kNone.
// - pattern: every class is below class_count, every entry of the table is the beginning of a row; no match ends where
//   it begins, and the scan of a text is linear in its length (cartridge/section_checks.h).
// - plain double array, of version 2: bases and checks may be anything; a walk compares before it continues. The states
//   that it can reach from the root are a tree, and their values are below token_count and distinct.
// The validator proves that lookups are *safe*. That they are *right* is the builder's responsibility, and nothing that reads
// a cartridge may rely on it (cartridges/FORMAT.md §8 has the list):
// - The id of a piece (kPieces8, kPieces24, values of a trie) may be any token, of any length, a hole, or an added token.
//   So lengths of tokens never move a reader through its text. Offsets that are computed from them are kept inside it.
// - The halves of a split need not make the token. A pair may merge to one of its own halves: what ends merging is that
//   two units become one.
// - A trie may be anything within its units: walks end with their limit.
// - JoinedBytes, crossings and unmatched ids may be any. Ids by rank may repeat, and ranks need not be their inverse.
// - Ids of bases and k-mers may be any below the vocabulary size, holes too.
// - Added tokens may have the id of another token.
//
// Reference-counted: the creator holds one reference; other owners retain it. The last release frees it.
#pragma once

#include <atomic>
#include <span>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/dna.h"
#include "crayon/layout/double_array.h"
#include "crayon/layout/general.h"
#include "crayon/layout/longest_match.h"
#include "crayon/layout/normalizer.h"
#include "crayon/layout/pattern.h"
#include "crayon/layout/perfect_hash.h"
#include "crayon/layout/trie_models.h"

namespace crayon {

template <class Entry>
struct PerfectHashView {
    u64 seed = 0;
    u32 bucket_count = 0;
    u32 slot_count = 0;
    const u8* pilots = nullptr;
    const Entry* entries = nullptr;

    // The only entry that can hold a key with this hash (of hash_word … with `seed`).
    const Entry& entry(u64 hash) const {
        return entries[layout::slot_of(hash, pilots[layout::bucket_of(hash, bucket_count)], slot_count)];
    }
};

struct DoubleArrayView {
    const u32* units = nullptr;
    const u32* values = nullptr;  // values[i] for a terminal unit i; null if the keys have no values
    u32 unit_count = 0;
};

// BASE, CHECK and VALUES of version 2: the child of a state s by byte c is t = base[s] + c, if t < count and
// check[t] == s. State 0 is the root; values[t] is the id of the token that ends there, or kNone.
struct PlainDoubleArrayView {
    const u32* base = nullptr;
    const u32* check = nullptr;
    const u32* values = nullptr;
    u32 count = 0;
};

// What every model has: the bytes of its tokens.
struct TokensView {
    u32 token_count = 0;
    u32 max_token_length = 0;
    const u32* token_offsets = nullptr;  // token_count + 1
    const u8* token_bytes = nullptr;
    u32 token_byte_count = 0;

    // Bytes of `id`, which is below token_count; empty for a hole.
    std::string_view token(u32 id) const {
        return {reinterpret_cast<const char*>(token_bytes) + token_offsets[id], token_offsets[id + 1] - token_offsets[id]};
    }
};

// The tables of byte-level BPE (layout/bpe.h). Splits, pairs, trie and crossings are about ranks, the rest about ids.
struct BpeView : TokensView {
    PerfectHashView<layout::Piece8> pieces8;
    PerfectHashView<layout::Piece24> pieces24;
    PerfectHashView<u32> pieces_long;
    PerfectHashView<u32> pairs;
    const layout::Split* splits = nullptr;  // token_count
    DoubleArrayView trie;
    std::span<const u32> crossings;    // ascending
    const u8* joined_bytes = nullptr;  // layout::kJoinedBytesLength, of tokens that merging makes; if a view has no pretokenizer
    const layout::HiddenTokens* hidden = nullptr;  // null if no token is
    const u32* ids = nullptr;                      // token_count, by rank; null if ids are ranks
    const u32* ranks = nullptr;                    // token_count, by id; null if ids are ranks
    std::span<const u32> unmatched;                // ascending
    const u32* priorities = nullptr;               // token_count, by rank; null if ranks are the order of merging

    u32 id_of(u32 rank) const { return ids ? ids[rank] : rank; }
    u32 id_of_byte(u32 byte) const { return pieces8.entry(layout::hash_word(byte, 1, pieces8.seed)).id; }
    // Of an id, or kNone.
    u32 rank_of(u32 id) const { return ranks && id != layout::kNone ? ranks[id] : id; }
    std::string_view ranked(u32 rank) const { return token(id_of(rank)); }

    // Whether merging makes the token of an id, or it is a single byte.
    bool is_merged(u32 id) const {
        const u32 rank = rank_of(id);
        return splits[rank].left != rank || token_offsets[id + 1] - token_offsets[id] == 1;
    }
};

// The tables of longest match (layout/longest_match.h).
struct LongestMatchView : TokensView {
    u32 unknown_id = layout::kNone;
    bool unknown_bytes = false;  // each byte at which no token begins is unknown_id, rather than each character

    // Both in one word, as in files and calls: an id with kUnknownBytes, which kNone has, too.
    void set_unknown(u32 unknown) {
        unknown_bytes = unknown != layout::kNone && (unknown & layout::kUnknownBytes) != 0;
        unknown_id = unknown_bytes ? unknown & ~layout::kUnknownBytes : unknown;
    }
    u32 unknown() const { return unknown_bytes ? unknown_id | layout::kUnknownBytes : unknown_id; }
    DoubleArrayView trie;              // of version 3
    PlainDoubleArrayView arrays;       // of version 2; count 0 in version 3
    const u8* joined_bytes = nullptr;  // layout::kJoinedBytesLength
    std::span<const u32> unmatched;    // ascending
};

// The rules of WordPiece and Unigram, whose tokens are in a LongestMatchView. One of both is null.
struct TrieRules {
    const layout::WordPieceRules* word_piece = nullptr;
    std::string_view prefix;
    const layout::UnigramRules* unigram = nullptr;
    const double* scores = nullptr;  // of each id
    const u32* byte_ids = nullptr;   // of each byte, or null
};

// The vocabulary of DNA (layout/dna.h). Ids that are not kNone are below the vocabulary size of each view.
struct DnaView {
    const layout::DnaRules* rules = nullptr;
    u32 unknown_id = layout::kNone;
    const u32* base_ids = nullptr;   // of each byte
    std::span<const u32> start_ids;  // empty, or as many
    std::span<const u32> kmer_ids;   // empty, or of each k-mer
    std::span<const u32> before;
    std::span<const u32> after;
};

// A named tokenizer of the file.
struct TokenizerView {
    std::string_view name;
    layout::Pretokenizer pretokenizer = layout::kGpt2;
    u32 unicode = 0;
    layout::Normalizer normalizer = layout::kNoNormalizer;
    u32 vocabulary_size = 0;
    std::span<const layout::AddedToken> added;  // ascending by id
    std::span<const u32> sorted;                // indices of these, ascending by bytes
    const char* added_strings = nullptr;
    std::span<const u32> prefix, suffix;       // ids around a text, on demand
    std::span<const layout::WordRange> words;  // the characters of words, if a token of the file depends on them

    std::string_view bytes(const layout::AddedToken& token) const { return {added_strings + token.bytes_offset, token.length}; }
};

// The result of the validator: pointers into the bytes, all checked.
struct CartridgeContents {
    std::span<const layout::Section> sections;
    std::string_view metadata;
    layout::ModelKind model_kind = layout::kBpe;
    TokensView tokens;
    BpeView bpe;                                        // of kBpe
    LongestMatchView longest_match;                     // of kLongestMatch, kWordPiece, kUnigram and kGeneral
    TrieRules trie_rules;                               // of kWordPiece and kUnigram
    const layout::GeneralTokenizer* general = nullptr;  // of kGeneral
    u32 general_length = 0;
    DnaView dna;  // of kDnaModel
    std::span<const layout::View> view_rows;
    const char* view_strings = nullptr;
    std::span<const layout::Template> templates;  // of each view, or none
    std::span<const layout::AddedToken> added_rows;
    const u32* sorted_rows = nullptr;  // as many: the rows of each view, counted from its first
    const char* added_strings = nullptr;
    const layout::NormalizerProgram* program = nullptr;  // null if no view has kProgramNormalizer
    u32 program_length = 0;
    const layout::Pattern* pattern = nullptr;  // the first one; null if no view has kPatternPretokenizer
    std::span<const layout::WordRange> words;  // ascending; empty if no added token has kSingleWord
};

// The tables of a version 2 cartridge that are not in its file.
struct LegacyDat {
    Buffer<u8> token_bytes;
    Buffer<u32> token_offsets;
    Buffer<u32> unmatched;
    Buffer<u8> joined_bytes;
    layout::View view;
};

class Cartridge {
public:
    // Checks the bytes with the validator; a slim file is expanded first. `flags`: CRAYON_OPEN_NO_CHECKSUM. The
    // caller owns the first reference to `*out`. Fails with the validator's statuses or OUT_OF_MEMORY; the bytes are freed
    // then. Cost: one pass over the bytes; about 0.1 s for a slim file.
    static Status open(OwnedBytes bytes, u32 flags, Cartridge** out);
    // The same from bytes that the caller owns; they are copied first.
    static Status open_copy(std::string_view bytes, u32 flags, Cartridge** out);
    // A file of version 2 (legacy_dat.h lists the checks).
    static Status open_dat(OwnedBytes bytes, const TokensView& list, u32 unknown, Cartridge** out);

    void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
    void release();

    const u8* data() const { return bytes_.data(); }
    size_t length() const { return bytes_.length(); }
    bool is_private() const { return bytes_.is_private(); }

    // The section table of the file, slim or full.
    std::span<const layout::Section> sections() const {
        if (slim_rows_.empty()) return contents_.sections;
        return {slim_rows_.data(), slim_rows_.size()};
    }
    std::string_view metadata() const { return contents_.metadata; }
    layout::ModelKind model_kind() const { return contents_.model_kind; }
    const TokensView& tokens() const { return contents_.tokens; }
    const BpeView& bpe() const { return contents_.bpe; }
    const LongestMatchView& longest_match() const { return contents_.longest_match; }
    const TrieRules& trie_rules() const { return contents_.trie_rules; }
    const layout::GeneralTokenizer* general() const { return contents_.general; }
    std::string_view general_bytes() const {  // its section; empty for other models
        return {reinterpret_cast<const char*>(contents_.general), contents_.general_length};
    }
    const DnaView& dna() const { return contents_.dna; }
    std::span<const layout::WordRange> words() const { return contents_.words; }
    std::string_view program_bytes() const {  // the section of the normalizer program; empty if there is none
        return {reinterpret_cast<const char*>(contents_.program), contents_.program_length};
    }
    const layout::NormalizerProgram* program() const { return contents_.program; }
    std::string_view pattern_bytes() const;  // the section of patterns; empty if there is none
    // Whether the file is of version 2, and whether it was opened with an equivalent list and the same id.
    bool is_dat() const { return contents_.longest_match.arrays.count > 0; }
    bool is_of(const TokensView& list, u32 unknown) const;
    u32 view_count() const { return static_cast<u32>(contents_.view_rows.size()); }
    TokenizerView view(u32 index) const;  // index < view_count()

    Cartridge(const Cartridge&) = delete;
    Cartridge& operator=(const Cartridge&) = delete;

private:
    friend class Registry;

    explicit Cartridge(OwnedBytes bytes) : bytes_(std::move(bytes)) {}
    ~Cartridge() = default;
    bool find_joined_bytes();
    // Adds a reference unless the last one has just been released.
    bool retain_unless_dying();

    OwnedBytes bytes_;  // of the full form
    CartridgeContents contents_;
    Buffer<layout::Section> slim_rows_;  // empty if the file is full
    Buffer<u8> joined_bytes_;            // of BPE without a pretokenizer
    LegacyDat dat_;                      // version 2: tables that are not in the file
    std::atomic<u32> count_{1};
    void (*on_last_release_)(Cartridge*) = nullptr;  // set by the registry: removes the cartridge from its list
};

// The flags of opening a cartridge.
inline constexpr u32 kOpenFlags = CRAYON_OPEN_NO_CHECKSUM | CRAYON_OPEN_COPY;

// crayon_cartridge is the C name of Cartridge.
inline Cartridge* from_c(crayon_cartridge* cartridge) { return reinterpret_cast<Cartridge*>(cartridge); }
inline const Cartridge* from_c(const crayon_cartridge* cartridge) { return reinterpret_cast<const Cartridge*>(cartridge); }
inline crayon_cartridge* to_c(Cartridge* cartridge) { return reinterpret_cast<crayon_cartridge*>(cartridge); }

}  // namespace crayon

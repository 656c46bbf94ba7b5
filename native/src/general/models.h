// The reference's models: a split to tokens.
//
// Each writes tokens with their lengths; a token begins where the one before it ends. The lengths need not add up to the split:
// the offsets of what follows are then those of other characters, as in the reference.
#pragma once

#include "cartridge/cartridge.h"
#include "general/normalizers.h"
#include "tables/double_array.h"

namespace crayon::general {

struct ModelToken {
    u32 id, begin, end;  // bytes of the split
};
using ModelTokens = Buffer<ModelToken>;

// Tokens by their texts.
class Vocabulary {
public:
    Vocabulary() = default;
    explicit Vocabulary(const DoubleArrayView& trie) : trie_(trie) {}

    // The id of a text, or kNoId.
    u32 find(const u8* text, u32 length) const {
        const TrieMatch match = longest_prefix(trie_, text, length);
        return length > 0 && match.length == length ? match.value : kNoId;
    }
    u32 find(std::string_view text) const {
        return find(reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()));
    }
    const DoubleArrayView& trie() const { return trie_; }
    // The tokens <0x00> … <0xFF>, or kNoId.
    void find_bytes(u32* ids) const;

private:
    DoubleArrayView trie_;
};

// What a thread keeps between splits.
struct ModelScratch;

// Any of the four. Immutable.
class Model {
public:
    // OUT_OF_MEMORY.
    Status create(const Definition& definition, const LongestMatchView& tokens);
    const Vocabulary& vocabulary() const { return vocabulary_; }
    // Whether unknown tokens that follow each other are one, whatever split they are of.
    bool fuses_unknown(u32 id) const {
        return id == unknown_id_ && definition_.head().model == layout::kGeneralWordLevel &&
               definition_.has(layout::kFuseUnknown);
    }
    // Whether a token with this id is the text that it stands for, rather than that of the vocabulary.
    bool takes_text(u32 id) const { return definition_.head().model == layout::kGeneralUnigram && id == unknown_id_; }

    // Appends the tokens of a split. UNKNOWN_CHARACTER: it needs an unknown token that the vocabulary lacks. Cost: linear, for
    // BPE n log n.
    Status tokenize(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const;

private:
    struct Merge {
        u32 left, right, rank, result;
    };
    Status tokenize_bpe(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const;
    Status finish_run(ModelScratch& scratch, ModelTokens* out) const;
    Status merge_all(ModelScratch& scratch) const;
    Status tokenize_word_piece(const u8* text, u32 length, ModelTokens* out) const;
    Status tokenize_unigram(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const;
    Status tokenize_word_level(const u8* text, u32 length, ModelTokens* out) const;
    Status add_unknown(u32 length, ModelTokens* out) const;
    Status create_merges(const TokensView& tokens);
    Status find_joined(const TokensView& tokens);
    // Whether a merge may cross two symbols, of characters that end and begin with these bytes. kNoId: the first is of no
    // character.
    bool may_join(u32 last, u8 first) const {
        if (last == kNoId) return joined_[0] == 0xFF;
        const u32 pair = last << 8 | first;
        return (joined_[pair / 8] >> pair % 8 & 1) != 0;
    }
    static u32 slot_of(u32 left, u32 right) { return (left * 0x9E3779B1u ^ right * 0x85EBCA77u) * 0xC2B2AE3Du; }
    const Merge* merge_of(u32 left, u32 right) const {
        for (u32 at = slot_of(left, right) >> merge_shift_;; at = (at + 1) & merge_mask_) {
            const Merge& merge = merges_[at];
            if (merge.rank == kNoId) return nullptr;
            if (merge.left == left && merge.right == right) return &merge;
        }
    }

    Definition definition_;
    Vocabulary vocabulary_;
    u32 unknown_id_ = kNoId;
    std::string_view prefix_, suffix_;
    u32 byte_ids_[256];
    // BPE: open addressing by pairs. Never full.
    Buffer<Merge> merges_;
    u32 merge_mask_ = 0, merge_shift_ = 0;
    Buffer<u8> joined_;  // a bit for each two bytes that are adjacent in what merges make
    // WordPiece: the node of the trie where tokens that continue a word begin, or kNoId.
    u32 continuation_base_ = kNoId;
    const double* scores_ = nullptr;
    double unknown_score_ = 0;
};

struct ModelScratch {
    struct Symbol {
        u32 id;
        u32 previous, next;  // kNoId: there is none
        u32 length;          // 0: it is part of another one
    };
    struct Node {
        double score;
        u32 begin, id;  // kNoId: no path ends here
    };
    Buffer<Symbol> symbols;
    // What runs of symbols have become: most runs of a text are words that have come before. By a hash of the symbols.
    struct Run {
        static constexpr u32 kMost = 15;
        u32 length;         // of `before`; 0: the entry is empty
        u32 before[kMost];  // symbols
        u32 after[kMost];   // symbols with kNoId where one is part of the one before
    };
    static constexpr u32 kRuns = 2048;
    Buffer<Run> runs;
    Run* run_of(const Buffer<Symbol>& symbols);
    Buffer<u64> queue;  // rank << 32 | index of a symbol
    u32 at = 0;         // where the next run of symbols begins
    Buffer<Node> nodes;
    Buffer<u8> text;
    ModelTokens reversed;
};

}  // namespace crayon::general

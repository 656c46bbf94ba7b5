// Words of raw text as pieces, for tokenizers whose normalizer changes each of them whatever is around it: WordPiece, Unigram,
// and BPE whose pieces are not merged as they are. Apart from the models, so that a module for pages can do without.
//
// The normalizer of most vocabularies of words changes much: spaces become U+2581, or letters small. A text that is only encoded
// need not be written so first: it is cut where its words begin, each of which is normalized, cut by the pretokenizer and encoded
// only if the caches do not know it. They know words as they are in the raw text, and the ids of all that becomes of them.
//
//   "The cat…":  words "The" and " cat…"; new ones become "▁The" and "▁cat...", and are remembered as they were.
//
// A cut is between a character and whitespace, or what is a word by itself: no step of such a normalizer looks at both
// (Normalizer::words), but for a character that is of one grapheme with what follows, whitespace that is of one grapheme with
// what follows, or whitespace that is taken out before words are told apart: there is no cut then. What is between two cuts
// becomes whatever it becomes, maybe several words, or none; a cut that is left out changes nothing.
//
// Where words are what a pattern matches, a cut is between two characters that no step of the normalizer looks at together, nor
// with those next to them, and that the pattern splits whatever is around them (scan/pattern_breaks.h), as they have become. That
// is asked where GPT-2's pattern would split the raw text, as most patterns split there.
//
// Where lengths of tokens are to add up to the text, as for offsets, the text is normalized first.
#pragma once

#include "encode/bpe_words.h"
#include "normalize/rewrites.h"
#include "scan/pattern_breaks.h"
#include "scan/scanner.h"

namespace crayon {

class Tokenizer;

// The working memory of one thread.
struct RawWordsScratch : BpeScratch {
    Buffer<u8> normalized;  // a word
    Buffer<u32> made;       // the ids of what a pretokenizer cuts from it
    Normalizer::Scratch normalizer;
    Rewrites rewrites;
};

// Immutable: several threads may use one at once.
class RawWords {
public:
    // nullptr for a tokenizer whose words are not to be had so. It belongs to the tokenizer. OUT_OF_MEMORY.
    static Status create(const Tokenizer& tokenizer, RawWords** out);
    static void destroy(RawWords* words);

    // nullptr if memory is short.
    static RawWordsScratch* create_scratch();
    static void destroy_scratch(RawWordsScratch* scratch);

    ScanFunction scan() const { return scan_; }
    // Of the ends of pieces that `scan` has found, ascending: keeps those that are cuts, and the end of a text, and returns how
    // many these are. `begin`: of the word that the first of them may end; `last`: as
    // for the scan.
    u32 keep_cuts(const u8* text, size_t begin, size_t end, bool last, u32* ends, u32 count) const;
    // As PieceEncoder; without `ids` these are only counted.
    bool encode(const PieceSequence& pieces, RawWordsScratch& scratch, u32* ids, u32 capacity, PieceProgress* progress) const;

    // For a model of these: what becomes of a word, into scratch.normalized, and the padding of a scan. `is_one`: it is one
    // piece. False if memory is short.
    bool normalize(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_one) const;
    const Tokenizer& tokenizer() const { return tokenizer_; }

private:
    explicit RawWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    ~RawWords() = default;
    Status note_characters();
    Status note_space(u32 code, RawWordsScratch& scratch);
    // The same where a pattern makes the words.
    Status note_breaks(bool* has_any);
    bool is_cut(const u8* text, size_t at) const;
    u32 keep_breaks(const u8* text, size_t begin, size_t end, bool last, u32* ends, u32 count) const;
    bool is_break(const u8* text, size_t begin, size_t at) const;
    bool put_plain(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_put) const;
    u32 first_after_spaces(const u8* word, u32 length) const;
    bool normalize_all(const u8* word, u32 length, RawWordsScratch& scratch) const;

    const Tokenizer& tokenizer_;
    ScanFunction scan_ = nullptr;
    bool begins_with_mark_ = false;  // each word does, in place of the whitespace before it
    static constexpr u32 kMostSpaces = 32;
    u32 kept_spaces_[kMostSpaces];  // before which there is no cut
    u32 kept_count_ = 0;
    bool may_be_kept_[256] = {};  // by the first byte
    // What a character of ASCII becomes that is no whitespace; 0 where that is not one.
    u8 plain_[256] = {};
    bool is_space_[256] = {};  // that begins a word
    // Where a pattern makes the words, else nullptr: between which characters these end.
    const PatternBreaks* breaks_ = nullptr;
    static constexpr u8 kNoClass = 0xFF;
    u8 classes_[128];                // of what a character of ASCII becomes
    u8 states_[128];                 // CharacterState
    u64 ascii_breaks_[128][2] = {};  // between two of them, if each is alone what it is in the text
    u64 ascii_apart_[128][2] = {};   // no step looks at both
};

}  // namespace crayon

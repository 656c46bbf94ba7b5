// Words of raw text as pieces, for tokenizers whose normalizer changes each word independently of its surroundings: WordPiece,
// Unigram, and BPE that normalizes its pieces before merging.
//
// The normalizer of most word vocabularies changes a lot: spaces become U+2581, or letters lower case. To encode a text it need
// not be normalized as a whole: it is cut where its words begin, and a word is normalized, pretokenized and encoded only if the
// memory does not know it. Its keys are words of the raw text, its values the resulting ids.
//
//   "The cat…":  words "The" and " cat…"; new ones become "▁The" and "▁cat...", and are remembered as they were.
//
// A cut is between a character and whitespace, or around a character that is a word by itself: no step of such a normalizer looks
// at both sides (Normalizer::words). There is no cut after a character or whitespace that shares a grapheme with the next
// character, and none at whitespace that is removed before words are split. The text between two cuts may become several words,
// or none; omitting a cut changes nothing.
//
// If a pattern matches the words, a cut is between two characters that no step of the normalizer looks at together, nor with
// their neighbours, and between which the pattern always splits after normalizing (scan/pattern_breaks.h). The candidates are the
// places where GPT-2's pattern would split the raw text, since most patterns split there.
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
    Buffer<u32> word_ids;   // the ids of what a pretokenizer cuts from it
    Normalizer::Scratch normalizer;
    Rewrites rewrites;
    Status failure;  // of the normalizer, where a word could not be made
};

// Immutable: several threads may use one at once.
class RawWords : public PieceSource {
public:
    // nullptr for a tokenizer whose words cannot be found this way. It belongs to the tokenizer. OUT_OF_MEMORY.
    static Status create(const Tokenizer& tokenizer, RawWords** out);

    // nullptr if memory is short.
    virtual RawWordsScratch* create_scratch() const;
    ScanFunction scan() const { return scan_; }
    // Of the ascending ends of pieces that `scan` has found, keeps the cuts and the end of a text, and returns their number.
    // `begin`: the beginning of the word that the first may end; `last`: as for the scan.
    virtual u32 keep_cuts(const u8* text, size_t begin, size_t end, bool last, u32* ends, u32 count) const;
    bool encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity,
                PieceProgress* progress) const override;

    // For such a model: normalizes a word into scratch.normalized, with the padding of a scan. `is_one`: it is one piece. False
    // if memory is short.
    bool normalize(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_one) const;
    const Tokenizer& tokenizer() const { return tokenizer_; }

private:
    explicit RawWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
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
    // The result of normalizing each ASCII character but whitespace; 0 if it is not one ASCII character.
    u8 plain_[256] = {};
    bool is_space_[256] = {};  // that begins a word
    // Where a pattern makes the words, else nullptr: between which characters these end.
    const PatternBreaks* breaks_ = nullptr;
    static constexpr u8 kNoClass = 0xFF;
    u8 classes_[128];                // of what a character of ASCII becomes
    u8 states_[128];                 // CharacterState
    u64 ascii_breaks_[128][2] = {};  // between two of them, if each is normalized as if alone
    u64 ascii_apart_[128][2] = {};   // no step looks at both
};

}  // namespace crayon

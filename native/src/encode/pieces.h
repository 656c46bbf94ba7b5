// The pieces of a segment as its pretokenizer finds them, a few at a time: the end of each. Pieces found and not yet taken
// are final.
#pragma once

#include "encode/raw_words.h"
#include "tokenizer.h"

namespace crayon {

class Pieces {
public:
    explicit Pieces(const Tokenizer& tokenizer) : tokenizer_(tokenizer), function_(tokenizer.scan()) {
        scan_.joined_bytes = &tokenizer.joined_bytes();
        scan_.patterns = &tokenizer.patterns();
    }

    // From the next segment on, use the words of `raw_words` instead of the tokenizer's pieces; nullptr: the tokenizer's
    // pieces.
    void use_raw(const RawWords* raw_words) {
        raw_words_ = raw_words;
        function_ = raw_words ? raw_words->scan() : tokenizer_.scan();
    }
    bool are_raw() const { return raw_words_ != nullptr; }

    // A segment begins here. No piece is found yet.
    void open(size_t begin) {
        scan_.restart(begin);
        raw_begin_ = begin;
    }
    void clear() { next_ = count_ = 0; }

    u32 count() const { return count_ - next_; }
    const u32* ends() const { return ends_ + next_; }
    void take(u32 count) { next_ += count; }
    // Once all are taken: finds more in text[…, end), where the segment ends if `last`. False if there are none.
    bool find(const u8* text, size_t end, bool last) {
        clear();
        if (scan_.start < end) count_ = function_(scan_, text, end, last, ends_, kMost);
        if (raw_words_) keep_raw(text, end, last);
        return count_ > 0;
    }
    // Once all are taken: `removed` bytes, all encoded, were dropped from the front of the text.
    void rebase(size_t removed) {
        scan_.skip_to(removed);
        scan_.rebase(removed);
        raw_begin_ = raw_begin_ > removed ? raw_begin_ - removed : 0;
    }

private:
    static constexpr u32 kMost = 1024;

    // Continues until some words are kept, or none are found.
    void keep_raw(const u8* text, size_t end, bool last) {
        while (count_ > 0) {
            count_ = raw_words_->keep_cuts(text, raw_begin_, end, last, ends_, count_);
            if (count_ > 0) raw_begin_ = ends_[count_ - 1];
            if (count_ > 0 || scan_.start >= end) return;
            count_ = function_(scan_, text, end, last, ends_, kMost);
        }
    }

    const Tokenizer& tokenizer_;
    const RawWords* raw_words_ = nullptr;
    ScanFunction function_;
    ScanState scan_;
    size_t raw_begin_ = 0;  // the beginning of the unfinished word
    u32 ends_[kMost];
    u32 next_ = 0, count_ = 0;
};

}  // namespace crayon

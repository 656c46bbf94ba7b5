// One search for added tokens in text that arrives in windows and is rewritten: in the raw text, or in normalized text.
// It finds what AddedSearch finds; tokens that are whole words only as these (scan/whole_words.h), and with a token the
// whitespace that belongs to it. While more text may follow, what may still become a token waits, and so does
// whitespace.
#pragma once

#include "encode/added_policy.h"
#include "scan/whole_words.h"

namespace crayon {

class AddedStage {
public:
    explicit AddedStage(const AddedPolicy& policy, std::span<const layout::WordRange> word_characters) : policy_(policy) {
        words_.set_characters(word_characters);
    }

    // Of a policy that has changed. A stage that is not used finds nothing.
    void set(const AddedTokens& tokens, const AddedUse* uses, AddedSearch::Allowance allowance, bool is_used) {
        search_.set(tokens, uses, allowance);
        is_used_ = is_used;
    }
    // Another text begins; or what follows is one, as after a token that another stage has found.
    void restart();
    void begin_text() { searched_ = spaces_before_ = spaces_after_ = 0; }

    // bytes[at, end), which is at origin + at of the text. Nothing more belongs to it if it is `last`.
    struct Text {
        const u8* bytes;
        u64 origin;
        size_t at, end;
        bool last;
    };
    // A token at `position`, which stands for [begin, end). Without one, one may begin at `begin`.
    struct Hit {
        size_t begin, position, end;
        const layout::AddedToken* token;
    };
    // The first token of the text, of which what has been searched before is not searched again. OUT_OF_MEMORY.
    Status find(const Text& text, Hit* hit);
    // The first `bytes` of that text are gone: the next one begins behind them.
    void drop(size_t bytes) { searched_ -= searched_ < bytes ? searched_ : bytes; }

    // The same for text of which each byte is given once, and whitespace does not matter.
    Status find_once(const AddedSearch::Text& text, AddedSearch::Found* found);
    // What follows that begins as a text does.
    void end_piece() { words_.end_piece(); }

    // Whether the text from a position on may have other tokens than it has in the whole text; not asked for positions before
    // `position`.
    bool holds(u64 position) const { return words_.holds(position); }
    void drop_before(u64 position) { words_.drop_before(position); }
    bool is_used() const { return is_used_; }

private:
    Hit strip(const AddedSearch::Found& found, const Text& text);

    const AddedPolicy& policy_;
    AddedSearch search_;
    WholeWords words_;
    bool is_used_ = false;
    size_t searched_ = 0;       // bytes without a token
    size_t spaces_before_ = 0;  // of whitespace before what has not been searched, which may belong to a token
    size_t spaces_after_ = 0;   // and after a token that begins there
};

}  // namespace crayon

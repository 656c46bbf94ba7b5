// One search for added tokens in text that arrives in windows and is rewritten: in the raw text, or in normalized text. It
// finds the tokens that AddedSearch finds, and includes the whitespace that belongs to a token. While more text may follow, text
// that may still become a token waits, and so does whitespace.
#pragma once

#include "encode/added_policy.h"

namespace crayon {

class AddedStage {
public:
    explicit AddedStage(const AddedPolicy& policy) : policy_(policy) {}

    // Sets a changed policy. An unused stage finds nothing.
    void set(const AddedTokens& tokens, const AddedUse* uses, AddedSearch::Allowance allowance, bool is_used) {
        search_.set(tokens, uses, allowance);
        is_used_ = is_used;
    }
    // Another text begins, or the rest counts as one, as after a token that another stage has found.
    void restart();
    void begin_text() { searched_ = spaces_before_ = spaces_after_ = 0; }

    // bytes[at, end), at origin + at of the text. `last`: nothing more follows.
    struct Text {
        const u8* bytes;
        u64 origin;
        size_t at, end;
        bool last;
    };
    // A token at `position` that replaces [begin, end). Without a token, one may begin at `begin`.
    struct Hit {
        size_t begin, position, end;
        const layout::AddedToken* token;
    };
    // The first token of the text; parts already searched are not searched again.
    Hit find(const Text& text);
    // The first `bytes` of that text are gone: the next text begins after them.
    void drop(size_t bytes) { searched_ -= searched_ < bytes ? searched_ : bytes; }

    // The same for text passed only once, byte by byte, when whitespace does not matter.
    AddedSearch::Found find_once(const AddedSearch::Text& text) { return search_.find(text); }
    bool is_used() const { return is_used_; }

private:
    Hit strip(const AddedSearch::Found& found, const Text& text);

    const AddedPolicy& policy_;
    AddedSearch search_;
    bool is_used_ = false;
    size_t searched_ = 0;       // bytes searched without a token
    size_t spaces_before_ = 0;  // bytes of whitespace before the unsearched text that may belong to a token
    size_t spaces_after_ = 0;   // the same after a token that begins there
};

}  // namespace crayon

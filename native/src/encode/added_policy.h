// Which added tokens a text may contain: tokens that always match, special tokens as the caller's policy allows, listed
// tokens, and control tokens only within given ranges of the text. Some are searched for first; the others only in the text
// between them.
//
// Searches keep pointers to uses(), early_uses() and late_uses(), which change with version(): set them again then.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "scan/added_search.h"
#include "tokenizer.h"

namespace crayon {

class AddedPolicy {
public:
    explicit AddedPolicy(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    // Matches special tokens as the caller says (CRAYON_SPECIAL_…), and tokens with the ids in `listed` in any case.
    // INVALID_ARGUMENT; UNKNOWN_SPECIAL with the index of an id without an added token.
    Status choose(u32 special, std::span<const u32> listed);
    // Matches special tokens, and tokens with the ids in `control`, only within ranges of the text: begin and end of each,
    // in bytes. INVALID_ARGUMENT with the index of a range that does not follow the previous one, and as above.
    Status choose_masked(std::span<const u32> control, std::span<const u32> ranges);
    // Grows with each change.
    u64 version() const { return version_; }

    bool forbids_special() const { return special_ == CRAYON_SPECIAL_FORBID; }
    bool is_masked() const { return special_ == kMasked; }
    bool finds_any() const { return has_early_ || has_late_; }
    // Whether some tokens include surrounding whitespace.
    bool strips() const { return strips_; }
    // Whether some tokens are searched for first: those excluded from normalization.
    bool has_early() const { return has_early_; }
    bool has_late() const { return has_late_; }
    bool has_stages() const { return has_early_ && has_late_; }
    // The use of special tokens that are not searched for first: of any, if it differs.
    AddedUse late_special() const { return late_special_; }

    // Whether the text ends at a token with an error, and whether a token includes the whitespace around it.
    bool forbids(const layout::AddedToken& token) const { return forbids(token, special_); }
    bool includes_spaces(const layout::AddedToken& token) const { return includes_spaces(token, special_); }

    // The use of each added token of the view; then the same without the tokens of the other search.
    const AddedUse* uses() const { return uses_.data(); }
    const AddedUse* early_uses() const { return has_stages() ? early_uses_.data() : uses(); }
    const AddedUse* late_uses() const { return has_stages() ? late_uses_.data() : uses(); }
    // Whether control tokens may be at [begin, end).
    bool allows(u64 begin, u64 end) const;
    AddedSearch::Allowance allowance() const;

private:
    static constexpr u32 kMasked = CRAYON_SPECIAL_LISTED + 1;

    static bool forbids(const layout::AddedToken& token, u32 special) {
        return special == CRAYON_SPECIAL_FORBID && (token.flags & layout::kSpecial);
    }
    static bool includes_spaces(const layout::AddedToken& token, u32 special) {
        return !forbids(token, special) && (token.flags & (layout::kLstrip | layout::kRstrip)) != 0;
    }
    Status choose_uses(u32 special, std::span<const u32> listed);
    Status divide_uses();
    Status set_ranges(std::span<const u32> ranges);

    const Tokenizer& tokenizer_;
    u64 version_ = 0;
    u32 special_ = CRAYON_SPECIAL_LISTED;  // the policy of uses_; a list is read each time
    bool has_early_ = false, has_late_ = false, strips_ = false;
    AddedUse late_special_ = AddedUse::kNever;
    Buffer<AddedUse> uses_, early_uses_, late_uses_;
    Buffer<u32> ranges_;  // begin and end of each, ascending and disjoint
};

// Finds added tokens in a text not fed to an encoder, under an encoder's policy: only tokens that match regardless of
// context, without whitespace.
class AddedFinder {
public:
    // The first token of text[from, size), which is the end of the text if `last`; see AddedSearch. `is_new`: this is not
    // the text of the last call.
    AddedSearch::Found find(const Tokenizer& tokenizer, const AddedPolicy& policy, const u8* text, size_t from, size_t size,
                            bool last, bool is_new);

private:
    u64 version_ = 0;  // of the policy
    AddedSearch early_, late_;
    AddedSearch::Found found_ = {};  // by the first search
};

}  // namespace crayon

// Turns raw text into text ready to be encoded, for vocabularies and policies that need it; others do without.
//
//   raw ─▶ early added tokens ─▶ normalizer ─▶ ready ─▶ late added tokens        with a normalizer
//   raw ─▶ early added tokens ─▶ late added tokens ─▶ normalizer ─▶ ready         without one, or with one that follows tokens
//
// Text stays raw as long as later text may change the result: more marks, more whitespace before a token, the rest of a
// token. Added tokens found in raw text are marked in the ready text, and the whitespace that belongs to them is left out,
// like a normalizer's change. All rewriting is recorded (normalize/rewrites.h), so that positions, safe split points and
// offsets refer to the raw text.
#pragma once

#include "encode/added_stage.h"
#include "encode/fed_text.h"
#include "encode/token_offsets.h"
#include "normalize/raw_offsets.h"
#include "normalize/rewrites.h"

namespace crayon {

class Normalizing {
public:
    // Whether an encoder with this tokenizer and policy needs it. Depends on the policy for some tokenizers.
    static bool is_needed(const Tokenizer& tokenizer, const AddedPolicy& policy) {
        return tokenizer.normalizer() || policy.strips() || policy.has_stages();
    }
    static Status create(const Tokenizer& tokenizer, const AddedPolicy& policy, Normalizing** out);
    virtual ~Normalizing() = default;
    // The policy has changed.
    virtual void use_policy();
    // Begins a text, or a part of one from `origin` on, which may need a space in front.
    virtual void restart(u64 origin, bool opens_segment);

    // Whether spaces (encode/marked_pieces.h) or words (encode/raw_words.h) may stay as they are; then, that they do, in
    // the whole text.
    bool may_keep() const { return (tokenizer_.marks_spaces() || tokenizer_.raw_words()) && (is_late_raw_ || !late_.is_used()); }
    void keep() {
        keeps_words_ = tokenizer_.raw_words() != nullptr;
        keeps_spaces_ = !keeps_words_;
    }
    // Makes all text ready that later text cannot change.
    virtual Status make_ready(FedText& text);
    // The next added token in the ready text, from a position that the previous search has reached.
    virtual Status find_added(const FedText& text, size_t from, AddedSearch::Found* found);
    const Rewrites& rewrites() const { return rewrites_; }

    // `ids` more have been read; `is_whole`: all ids of the encoded text.
    virtual void settle(const FedText& text, bool is_whole, u64 ids);
    // The last safe split point in the raw text that ids have been read up to, and the number of ids since then.
    virtual u64 position() const;
    u64 ids_beyond_position() const { return unsettled_; }
    // Converts a position in the ready text to the raw text, and back.
    virtual u64 raw_position(u64 position) const;
    virtual u64 ready_position(u64 raw) const;
    // How many of the pieces that end at ends[0, count) can be encoded at once, at least one: ids are counted from the last
    // safe split point.
    virtual u32 up_to_safe_split(const FedText& text, const u32* ends, u32 count) const;
    // Positions before position() will not be needed any more.
    virtual void drop_settled();

    // Like TokenOffsets::locate, for partly rewritten text; `offsets` has reached the id before these.
    bool has_rewritten() const { return rewrites_.any(); }
    virtual Status locate(const FedText& text, bool in_units, const TokenOffsets& offsets, const u32* ids, u32 count, u32* spans);
    // As in IdOffsets.
    virtual void skip_to(const FedText& text, const TokenOffsets& offsets, size_t at);

private:
    void begin_offsets(const FedText& text, const TokenOffsets& offsets);
    Normalizing(const Tokenizer& tokenizer, const AddedPolicy& policy);

    // The raw text being made ready: bytes[at, end); nothing follows it if `last`.
    const u8* raw_bytes(const FedText& text) const { return is_apart_ ? apart_.data() : text.bytes(); }
    Status divide(FedText& text, size_t* at, size_t end, bool last);
    Status normalize(FedText& text, size_t* at, size_t end, bool last);
    Status take_run(FedText& text, size_t* at, size_t end);
    void know_special(size_t begin, size_t end);
    Status rewrite(FedText& text, size_t begin, size_t end, u32 edges);
    u32 edges() const { return (opens_segment_ ? u32{kOpensSegment} : 0) | (opens_text_ ? u32{kOpensText} : 0); }
    bool depends_on_edges() const { return normalizer_ && normalizer_->depends_on_edges(); }
    Status append_token(FedText& text, const AddedStage::Hit& hit);
    Status append(FedText& text, const u8* bytes, size_t length);
    Status set_apart(FedText& text, size_t begin);
    bool is_safe_split(const FedText& text, u64 position) const;
    static bool allows_late(const void* normalizing, u64 begin, u64 end);

    const Tokenizer& tokenizer_;
    const Normalizer* const normalizer_;  // nullptr if there is none
    const bool is_late_raw_;              // late added tokens are searched for in raw text
    const AddedPolicy& policy_;
    AddedStage early_, late_;
    AddedUse late_special_ = AddedUse::kNever;
    Normalizer::Scratch scratch_;
    Rewrites rewrites_;

    size_t raw_end_ = 0;     // of the raw text being made ready
    u64 raw_origin_ = 0;     // the position of its first byte minus that byte's index; wraps
    bool is_apart_ = false;  // it is in apart_, because the ready text has grown or shrunk
    Buffer<u8> apart_;
    size_t range_searched_ = 0;  // bytes of the raw text in one open range
    bool opens_segment_ = true;  // the raw text begins a text, or follows an added token
    bool opens_text_ = true;
    bool keeps_spaces_ = false, keeps_words_ = false;

    struct Mark {
        u64 position;
        const layout::AddedToken* token;
    };
    Buffer<Mark> marks_;  // added tokens of the raw text, in the ready text, from marks_[mark_] on
    size_t mark_ = 0;

    u64 settled_ = 0;    // the last safe split point
    u64 unsettled_ = 0;  // ids since then
    RawOffsets raw_offsets_;
};

}  // namespace crayon

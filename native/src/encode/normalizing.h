// From raw text to text that is ready to be encoded, for vocabularies and policies that need it; there is none for
// others.
//
//   raw ─▶ early added tokens ─▶ normalizer ─▶ ready ─▶ late added tokens        with a normalizer
//   raw ─▶ early added tokens ─▶ late added tokens ─▶ a space in front ─▶ ready   without one, or with one that follows tokens,
//                                                                                 in place of the space
//
// Text waits in raw form as long as what follows may change what it becomes: more marks, more whitespace before a
// token, the rest of a token. Added tokens that are found in raw text are marked in what is ready, with whitespace that
// belongs to them left out, as if a normalizer did that. What has been rewritten is known (normalize/rewrites.h), so
// that positions, safe split points and offsets are those of the raw text.
#pragma once

#include "encode/added_stage.h"
#include "encode/fed_text.h"
#include "encode/token_offsets.h"
#include "normalize/raw_offsets.h"
#include "normalize/rewrites.h"

namespace crayon {

class Normalizing {
public:
    // Of an encoder whose tokenizer and policy these are. Whether texts need it depends on the policy.
    static bool is_needed(const Tokenizer& tokenizer, const AddedPolicy& policy) {
        return tokenizer.normalizer() || tokenizer.puts_space_first() || policy.strips() || policy.finds_words() ||
               policy.has_stages();
    }
    static Status create(const Tokenizer& tokenizer, const AddedPolicy& policy, Normalizing** out);
    static void destroy(Normalizing* normalizing);
    // The policy has changed.
    void use_policy();
    // Begins a text, or a part of one from `origin` on, in front of which a space may be needed.
    void restart(u64 origin, bool opens_segment);

    // Whether spaces (encode/marked_pieces.h) or words (encode/raw_words.h) may be left as they are, and that they are to be, in
    // all of the text.
    bool may_keep() const { return (tokenizer_.marks_spaces() || tokenizer_.raw_words()) && (is_late_raw_ || !late_.is_used()); }
    void keep() {
        keeps_words_ = tokenizer_.raw_words() != nullptr;
        keeps_spaces_ = !keeps_words_;
    }
    // Makes as much of the text ready as no further text can change.
    Status make_ready(FedText& text);
    // The next added token of what is ready, from a position on up to which the last one has been found.
    Status find_added(const FedText& text, size_t from, AddedSearch::Found* found);
    const Rewrites& rewrites() const { return rewrites_; }

    // `ids` more have been read; `is_whole`: all of those of the text that is encoded.
    void settle(const FedText& text, bool is_whole, u64 ids);
    // The last safe split point up to which ids have been read, in the raw text, and the ids since then.
    u64 position() const;
    u64 ids_beyond_position() const { return unsettled_; }
    // Of a position in what is ready, and the other way round.
    u64 raw_position(u64 position) const;
    u64 ready_position(u64 raw) const;
    // How many of the pieces that end at ends[0, count) can be encoded at once, at least one: ids are counted from the
    // last safe split point on.
    u32 up_to_safe_split(const FedText& text, const u32* ends, u32 count) const;
    // Positions before position() are not asked for any more.
    void drop_settled();

    // As TokenOffsets::locate, for a text of which some has been rewritten; `offsets` has come to the last id before
    // these.
    bool has_rewritten() const;
    Status locate(const FedText& text, bool in_units, const TokenOffsets& offsets, const u32* ids, u32 count, u32* spans);
    // As IdOffsets has it.
    void skip_to(const FedText& text, const TokenOffsets& offsets, size_t at);

private:
    void begin_offsets(const FedText& text, const TokenOffsets& offsets);
    Normalizing(const Tokenizer& tokenizer, const AddedPolicy& policy);

    // The raw text while it is made ready: bytes[at, end), of which no more follows if it is `last`.
    const u8* raw_bytes(const FedText& text) const { return is_apart_ ? apart_.data() : text.bytes(); }
    Status divide(FedText& text, size_t* at, size_t end, bool last);
    Status normalize(FedText& text, size_t* at, size_t end, bool last);
    Status take_run(FedText& text, size_t* at, size_t end);
    Status rewrite(FedText& text, size_t begin, size_t end, u32 edges);
    u32 edges() const { return (opens_segment_ ? u32{kOpensSegment} : 0) | (opens_text_ ? u32{kOpensText} : 0); }
    bool depends_on_edges() const { return tokenizer_.puts_space_first() || (normalizer_ && normalizer_->depends_on_edges()); }
    Status put_space(FedText& text, size_t* at, size_t end, bool last, bool* waits);
    Status append_token(FedText& text, const AddedStage::Hit& hit);
    Status append(FedText& text, const u8* bytes, size_t length);
    Status set_apart(FedText& text, size_t begin);
    bool is_safe_split(const FedText& text, u64 position) const;
    static bool allows_late(const void* normalizing, u64 begin, u64 end);

    const Tokenizer& tokenizer_;
    const Normalizer* const normalizer_;  // nullptr without one
    const bool is_late_raw_;              // late added tokens are searched for in raw text
    const AddedPolicy& policy_;
    AddedStage early_, late_;
    Normalizer::Scratch scratch_;
    Rewrites rewrites_;

    size_t raw_end_ = 0;     // of the raw text while it is made ready
    u64 raw_origin_ = 0;     // the position of its first byte, less where that is; wraps
    bool is_apart_ = false;  // it is in apart_, since what is ready has become longer or shorter
    Buffer<u8> apart_;
    size_t stretch_searched_ = 0;  // bytes of the raw text in one open stretch
    bool opens_segment_ = true;    // the raw text begins a text, or follows an added token
    bool opens_text_ = true;
    bool keeps_spaces_ = false, keeps_words_ = false;

    struct Mark {
        u64 position;
        const layout::AddedToken* token;
    };
    Buffer<Mark> marks_;  // added tokens of raw text, in what is ready, from marks_[mark_] on
    size_t mark_ = 0;

    u64 settled_ = 0;    // the last safe split point
    u64 unsettled_ = 0;  // ids since then
    RawOffsets raw_offsets_;
};

}  // namespace crayon

// A tokenizer: one view of a cartridge, with its pretokenizer and model, and decoding. Immutable and reference-counted;
// several threads may use it at once. The state of encoding is in an Encoder.
#pragma once

#include <atomic>

#include "cartridge/cartridge.h"
#include "crayon/layout/marked_ids.h"
#include "kernels/kernel.h"
#include "model/bpe.h"
#include "model/longest_match.h"
#include "model/trie_models.h"
#include "normalize/normalizer.h"
#include "scan/added_tokens.h"
#include "scan/joined_bytes.h"

namespace crayon {

namespace general {
class Tokenizer;
}
class PatternBreaks;
class RawWords;

class Tokenizer {
public:
    // Retains the cartridge. `kernel`: the name of a kernel, or empty for the best one.
    // UNKNOWN_VIEW, UNKNOWN_KERNEL, OUT_OF_MEMORY.
    static Status create(Cartridge& cartridge, u32 view_index, std::string_view kernel, Tokenizer** out);
    void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
    void release();
    // An owner is whoever may give it another text. Without one, what is kept only for the next text may be dropped
    // (parallel/encoder_free_list.h). The creator is the first; each holds a reference besides.
    void add_owner() { owners_.fetch_add(1, std::memory_order_relaxed); }
    void remove_owner() { owners_.fetch_sub(1, std::memory_order_relaxed); }
    bool has_owner() const { return owners_.load(std::memory_order_relaxed) > 0; }

    // The cache limit of its encoders, both new ones and, from their next job on, those in pools; 0: their
    // own. Any thread.
    void set_cache_limit(u64 bytes) { cache_limit_.store(bytes, std::memory_order_relaxed); }
    u64 cache_limit() const { return cache_limit_.load(std::memory_order_relaxed); }
    // What the caches of its encoders in pools have, all together.
    void count_cache_bytes(size_t before, size_t now) { cache_bytes_.fetch_add(now - before, std::memory_order_relaxed); }
    u64 cache_bytes() const { return cache_bytes_.load(std::memory_order_relaxed); }

    const Cartridge& cartridge() const { return *cartridge_; }
    const TokenizerView& view() const { return view_; }
    const AddedTokens& added() const { return added_; }
    // Those with an id, mostly one: the first is what it decodes to.
    std::span<const layout::AddedToken> added_tokens(u32 id) const;
    layout::ModelKind model_kind() const { return cartridge_->model_kind(); }
    const Bpe& bpe() const { return bpe_; }                                                     // of kBpe
    const BpeView& bpe_view() const { return cartridge_->bpe(); }                               // its tables
    const LongestMatch& longest_match() const { return longest_match_; }                        // of kLongestMatch
    const LongestMatchView& longest_match_view() const { return cartridge_->longest_match(); }  // its tables
    // Of kGeneral, else nullptr: then its stages encode texts (general/general.h), and nothing of the fast path does.
    const general::Tokenizer* general() const { return general_; }
    const TrieModels* trie_models() const { return trie_models_; }  // of kWordPiece and kUnigram; else nullptr
    // The text that is of no token, which is before that of another one.
    const DroppedText& dropped() const { return dropped_; }
    // Whether it may be before that of an id in a buffer.
    bool begins_word(u32 id) const {
        constexpr u32 kOthers = layout::kPartMark | layout::kAddedMark;
        return dropped_.any() && (id >= layout::kUnknownMark || (id & kOthers) == 0);
    }
    // Whether pieces are not merged as they are (encode/bpe_words.h).
    bool forms_words() const { return forms_words_; }
    // Whether they are merged with kWordEnd after them.
    bool ends_words() const { return ends_words_; }
    const JoinedBytes& joined_bytes() const { return joined_bytes_; }  // of kLongestMatch, and without a pretokenizer
    // Whether the text between added tokens is one piece (scan_whole).
    bool is_whole() const { return (trie_models_ || ends_words_) && view_.pretokenizer == layout::kNoPretokenizer; }
    // Whether text can be cut at the end of any token, and what follows is encoded as before. Not for BPE, which merges
    // over whole pieces.
    bool ends_at_tokens() const { return model_kind() == layout::kLongestMatch && view_.pretokenizer == layout::kNoPretokenizer; }
    const DnaView& dna() const { return cartridge_->dna(); }      // of kDnaModel: no text can be encoded (dna/dna.h)
    const Normalizer* normalizer() const { return normalizer_; }  // nullptr without one
    // Whether spaces may stand for U+2581 in a text that its normalizer has made ready (encode/marked_pieces.h).
    bool marks_spaces() const { return !marked_joined_.empty(); }
    // Encodes the pieces of text that is ready.
    const PieceSource* source() const { return source_; }
    // Its words as they are in raw text, or nullptr.
    const RawWords* raw_words() const { return raw_words_; }
    const char* normalizer_name() const { return crayon::normalizer_name(view_.normalizer); }
    const Patterns& inner_patterns() const { return inner_patterns_; }
    const Patterns& patterns() const { return patterns_; }  // of kPatternPretokenizer
    // Where its only pattern splits, made when it is first asked for; nullptr if memory is short. Any thread.
    const PatternBreaks* pattern_breaks() const;
    // The id of a character at which no token begins, or kNone.
    u32 unknown_id() const { return unknown_id_; }
    const Kernel& kernel() const { return *kernel_; }
    ScanFunction scan() const { return scan_; }
    const TokensView& tokens() const { return cartridge_->tokens(); }
    u32 max_token_length() const { return cartridge_->tokens().max_token_length; }
    // Added tokens and unknown characters included.
    u32 longest_token() const { return longest_token_; }
    const char* pretokenizer_name() const;

    // The bytes of a token; empty, and null, if no token has the id. A token may be without bytes, too.
    std::string_view token_bytes(u32 id) const;
    // The length of a token; 0 if no token has the id. For a reserved id of the model, the length of the unknown
    // character.
    u32 token_length(u32 id) const {
        const TokensView& tokens = cartridge_->tokens();
        if (id < tokens.token_count) [[likely]] {
            const u32 length = tokens.token_offsets[id + 1] - tokens.token_offsets[id];
            if (length) [[likely]]
                return length - (ends_words_ && static_cast<u8>(tokens.token(id).back()) == layout::kWordEnd);
        }
        if (is_unknown_mark(id)) return id & ~layout::kUnknownMark;
        if (trie_models_ && id & layout::kPartMark) return trie_models_->length_of_part(id);
        if (dropped_.any()) id &= layout::kFirstMarkedId - 1;
        return is_unknown_character(id) ? id - layout::kFirstReservedId : searched_length(id);
    }
    // Whether this is a reserved id, by which the model marks an unknown character.
    bool is_unknown_character(u32 id) const { return id >= layout::kFirstReservedId && model_kind() == layout::kLongestMatch; }
    // The same of the other models.
    bool is_unknown_mark(u32 id) const { return marks_unknown_ && id >= layout::kUnknownMark; }
    bool marks_unknown() const { return marks_unknown_; }
    bool falls_back_to_bytes() const { return trie_models_ && trie_models_->byte_ids(); }
    bool has_byte_mark(u32 id) const { return id >= layout::kByteMark && falls_back_to_bytes(); }
    // What an id in a buffer becomes when it is handed out.
    u32 without_mark(u32 id) const {
        if (trie_models_) trie_models_->hand_out(&id, 1);
        if (is_unknown_character(id) || is_unknown_mark(id)) return unknown_id_;
        return dropped_.any() ? id & ~layout::kAddedMark : id;
    }
    // The id of a token, or kNone. Added tokens come first.
    u32 id_of(std::string_view bytes) const;

    // The number of bytes that the ids decode to; INVALID_ID with its index. `skip_special` omits special tokens.
    Status decoded_length(const u32* ids, u32 count, bool skip_special, u64* length) const;
    struct Decoded {
        u32 ids;
        u32 bytes;
    };
    // Writes the bytes of whole tokens to bytes[0, capacity) until one does not fit; `done` is set to what has been
    // written, also if an id fails with INVALID_ID. Each id is read once, and checked before it is used.
    Status decode(const u32* ids, u32 count, bool skip_special, u8* bytes, u32 capacity, Decoded* done) const;

private:
    Tokenizer() = default;
    ~Tokenizer();
    Status make_others();
    const layout::AddedToken* added_token(u32 id) const;
    u32 searched_length(u32 id) const;
    bool is_without_bytes(u32 id) const;

    Cartridge* cartridge_ = nullptr;
    TokenizerView view_;
    AddedTokens added_;
    u32 longest_token_ = 0;
    u32 unknown_id_ = layout::kNone;
    bool marks_unknown_ = false;
    Bpe bpe_;
    LongestMatch longest_match_;
    TrieModels* trie_models_ = nullptr;
    general::Tokenizer* general_ = nullptr;
    JoinedBytes joined_bytes_;
    PieceSource* source_ = nullptr;
    RawWords* raw_words_ = nullptr;
    Buffer<u8> marked_joined_;  // its table, if spaces stand for marks
    const Normalizer* normalizer_ = nullptr;
    Patterns patterns_, inner_patterns_;
    DroppedText dropped_;
    bool forms_words_ = false, ends_words_ = false;
    const Kernel* kernel_ = nullptr;
    ScanFunction scan_ = nullptr;
    mutable std::atomic<const PatternBreaks*> pattern_breaks_{nullptr};
    std::atomic<u32> count_{1};
    std::atomic<u32> owners_{1};
    std::atomic<u64> cache_limit_{0}, cache_bytes_{0};
};

}  // namespace crayon

// Compiles a vocabulary and its views to a cartridge.
//
// Invariant: the result of finish() passes the validator (if the tables of a pattern do) and tokenizes exactly as the vocabulary
// specifies, and the same calls result in the same bytes on every machine. Input that no cartridge can hold is refused by the
// call that gets it, or by finish() if it depends on several calls; a refused call changes nothing.
#pragma once

#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "compile/merge_order.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/normalizer.h"
#include "crayon/layout/pattern.h"
#include "tables/cartridge_writer.h"
#include "tables/rank_table.h"

namespace crayon {

class Compiler {
public:
    // INVALID_ARGUMENT (offsets that do not ascend from 0 to byte_count, a token longer than layout::kMaxTokenLength;
    // the index in `position`), VOCABULARY_TOO_LARGE, DUPLICATE_TOKEN, MISSING_BYTE_TOKEN. Holes after the last token
    // are dropped.
    Status set_bpe(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count);
    // Tokens that are merged by a list of pairs, in its order (merge_order.h); ids are any. `unmatched`: ids of tokens,
    // ascending, that no text produces; they may be equal to others. Unmatched tokens without bytes are tokens without
    // characters, not holes. `whole`: a piece that equals a token becomes that token, even if merging does not produce it. Fails
    // as set_bpe and order_merges do, and with INVALID_ARGUMENT if `unmatched` does not ascend or has an invalid id.
    Status set_bpe_merges(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, const MergeList& merges,
                          std::span<const u32> unmatched, bool whole);
    // After set_bpe_merges or set_bpe_splits: ids from `hidden.visible_count` on are hidden (layout/bpe.h). INVALID_ARGUMENT with
    // the id of a token that cannot be hidden, or the byte without a visible token if there is no unknown id.
    Status set_hidden(const layout::HiddenTokens& hidden);
    // The vocabulary of a cartridge. `splits`: by rank; `ids` and `priorities`: by rank, or null. INVALID_ARGUMENT with the rank
    // of a token that is not the concatenation of its halves.
    Status set_bpe_splits(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, const layout::Split* splits,
                          const u32* ids, std::span<const u32> unmatched, const u32* priorities);
    // Instead of ranks. `unmatched`: ids of tokens, ascending, that no text produces; they may be equal to others. Without any,
    // find_lossy_repeats finds them. Fails as set_bpe does, except that single bytes may be missing, and with INVALID_ARGUMENT
    // (the index in `position`) for an unknown id without a token.
    Status set_longest_match(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                             std::span<const u32> unmatched = {});
    // WordPiece, or, with `is_whole`, WordLevel (layout/word_piece.h), which has no prefix and no most characters. Fails as
    // set_longest_match does; the unmatched ones ascend, too.
    Status set_word_piece(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                          std::span<const u32> unmatched, std::string_view prefix, u32 most_characters, bool is_whole);
    // Unigram (layout/unigram.h), with a score for each token, holes included; `byte_ids`: of each byte or kNone, or null. Fails
    // as set_longest_match does, and with INVALID_ARGUMENT (section kScores, and the id or the byte in `position`) for a score
    // that is not finite, or with `sums_floats` is not a float, and for a byte's id without a token.
    Status set_unigram(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                       std::span<const u32> unmatched, const double* scores, double unknown_score, const u32* byte_ids,
                       bool sums_floats);
    // Any tokenizer by its section of the general path (layout/general.h), of which only the length is checked; the rest when the
    // file is opened. Fails as set_longest_match does.
    Status set_general(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                       std::span<const u32> unmatched, std::string_view section);
    // Keeps the bytes of the version 2 file that the tokens came from: finish_dat returns them, until tokens are set
    // again.
    Status keep_dat(const u8* bytes, size_t length);
    // INVALID_ARGUMENT unless it begins with { and ends with }; the rest is not checked.
    Status set_metadata(std::string_view json);
    // The section of patterns (layout/pattern.h) for the views with the pretokenizer "pattern".
    // INVALID_ARGUMENT if it is shorter than a head; the rest is checked when the file is opened.
    Status set_pattern(const u8* bytes, size_t length);
    // The section of the normalizer program (layout/normalizer.h), for views that have it. INVALID_ARGUMENT if it is shorter than
    // a head; the rest is checked when the file is opened.
    Status set_program(const u8* bytes, size_t length);
    // The characters of words, for tokens with kSingleWord. INVALID_ARGUMENT (the index in `position`) for a range that does not
    // follow the previous one.
    Status set_words(std::span<const layout::WordRange> ranges);
    // INVALID_ARGUMENT for a name that is empty or used before and for more than layout::kMaxViews, UNKNOWN_SCANNER.
    Status add_view(std::string_view name, std::string_view pretokenizer);
    Status add_view(std::string_view name, layout::Pretokenizer pretokenizer);
    // Of the view added last, before its tokens. INVALID_ARGUMENT if there is no view, or it has tokens.
    Status set_normalizer(u32 normalizer);
    // Adds a token to the last view. INVALID_ARGUMENT without bytes, with a flag that it cannot have, with the id 0xFFFFFFFF, or
    // if there is no view.
    Status add_token(std::string_view bytes, u32 id, u32 flags);

    // The ids that the view added last puts before and after a text, if the caller asks for them. INVALID_ARGUMENT if there is no
    // view, or it has some.
    Status set_template(std::span<const u32> prefix, std::span<const u32> suffix);

    // INVALID_ARGUMENT if there are no tokens or no view, if there is no pattern where a view has that pretokenizer or no words
    // where a token depends on them, or (with the id in `position`) if an added token has the id of a token with other bytes, an
    // id that the model reserves or a flag that it does not support, or a template an id outside the vocabulary. DUPLICATE_TOKEN
    // (with the id) if two added tokens of a view have the same bytes. The statuses of building the tables. The bytes stay valid
    // until the next call. Cost: about 0.2 s for 200,000 tokens.
    Status finish(const OwnedBytes** file);
    // The same vocabulary as a slim file. Fails as finish() does.
    Status finish_slim(const OwnedBytes** file);
    // A longest-match vocabulary as a file of version 2, which has no views and no metadata. INVALID_ARGUMENT for other
    // models; the statuses of write_dat.
    Status finish_dat(const OwnedBytes** file);

private:
    TokenList tokens() const { return {token_bytes_.data(), token_offsets_.data(), model_.token_count}; }
    MatchedTokens matched() const { return {tokens(), {unmatched_.data(), unmatched_.size()}}; }
    bool is_bpe() const { return model_.kind == layout::kBpe; }
    bool is_of_trie() const { return layout::is_of_trie(model_.kind); }
    Status set_trie_model(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                          std::span<const u32> unmatched, layout::ModelKind kind, Buffer<u8> rules);
    u32 visible_count() const { return hidden_.visible_count ? hidden_.visible_count : model_.token_count; }
    struct Parts {
        Buffer<u8> views, added, templates;
        Buffer<u32> words;
        SectionBytes
            sections[12];  // metadata to added tokens; patterns, templates, words, hidden tokens, priorities if there are some
        u32 count;
        std::span<const SectionBytes> common() const { return {sections, count}; }
    };
    Status prepare(Parts* parts);
    struct Tokens {
        Buffer<u8> bytes;
        Buffer<u32> offsets;
        u32 count, longest;
    };
    static Status take_tokens(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, Tokens* vocabulary,
                              u32 least = 0);
    void set(Tokens vocabulary, layout::ModelKind kind, u32 unknown_id);
    Status take_bpe(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, std::span<const u32> unmatched,
                    Tokens* vocabulary, RankTable* table);
    Status set_order(Tokens vocabulary, MergeOrder order, std::span<const u32> unmatched);
    Status make_bpe(BpeVocabulary* vocabulary);
    Status check_added_tokens() const;
    Status make_views_section(Buffer<u8>* section) const;
    Status make_templates_section(Buffer<u8>* section) const;
    u32 vocabulary_size(const layout::View& view) const;
    Status append_added(const layout::View& view, Buffer<layout::AddedToken>* rows, Buffer<u32>* sorted) const;
    Status make_added_tokens_section(Buffer<u8>* section) const;
    Status make_words_section(Buffer<u32>* section) const;

    Buffer<u8> token_bytes_;
    Buffer<u32> token_offsets_;  // model_.token_count + 1
    layout::Model model_{};
    // BPE. Without splits, ids are ranks, and the splits follow from them.
    RankTable table_;
    Buffer<layout::Split> splits_;  // by rank
    Buffer<u32> ids_, ranks_;       // empty if ids are ranks
    ReorderedTokens ranked_;        // unless ids are ranks
    Buffer<u32> unmatched_;
    Buffer<u32> priorities_;         // by rank; empty if ranks are the order of merging
    layout::HiddenTokens hidden_{};  // visible_count is 0 where no token is hidden
    Buffer<u8> rules_;               // the section kWordPieces or kScores, of these models
    Buffer<u8> dat_;                 // the version 2 file that the tokens came from, if any
    Buffer<char> metadata_;
    Buffer<u8> pattern_, program_;
    Buffer<layout::WordRange> words_;
    Buffer<layout::View> views_;  // vocabulary_size is filled in by make_views_section
    Buffer<u8> view_strings_;
    Buffer<layout::Template> templates_;  // of each view
    Buffer<u32> template_ids_;
    Buffer<layout::AddedToken> added_;  // in the order they were added, like their strings
    Buffer<u8> added_strings_;
    OwnedBytes file_;
};

}  // namespace crayon

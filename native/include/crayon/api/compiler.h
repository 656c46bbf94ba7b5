/* Build time: makes cartridges. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

CRAYON_API crayon_status crayon_compiler_create(crayon_compiler** out, crayon_result* result);
CRAYON_API void crayon_compiler_release(crayon_compiler* compiler);
/* Byte-level BPE ranks: token i (its id and rank) is bytes[offsets[i], offsets[i + 1]); an empty one is a hole, an id
   without a token. All 256 single bytes must be tokens. */
CRAYON_API crayon_status crayon_compiler_set_bpe(crayon_compiler* compiler, CRAYON_READS(byte_count) const uint8_t* bytes,
                                                 uint32_t byte_count, CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                 uint32_t token_count, crayon_result* result);
/* Instead, BPE by a list of merges: merges[2 * i] and merges[2 * i + 1] are the ids of the i-th pair, whose concatenation is a
   token. Of all adjacent pairs of a piece, the one with the lowest number in `priorities` is merged first, the leftmost of
   equals. `priorities` has a number for each pair; NULL: its index. Ids may be in any order. `unmatched`, ascending: ids of
   tokens that no text produces, which may equal other tokens and are in no pair; one without bytes is a token without
   characters, not a hole. If `whole` is not 0, a piece that equals a token becomes that token even if merging does not produce
   it. INVALID_ARGUMENT in section 14 with the index of an invalid pair. */
CRAYON_API crayon_status crayon_compiler_set_bpe_merges(
    crayon_compiler* compiler, CRAYON_READS(byte_count) const uint8_t* bytes, uint32_t byte_count,
    CRAYON_READS(token_count + 1) const uint32_t* offsets, uint32_t token_count,
    CRAYON_READS(2 * merge_count) const uint32_t* merges, uint32_t merge_count,
    CRAYON_READS_OR_NULL(merge_count) const uint32_t* priorities, CRAYON_READS(unmatched_count) const uint32_t* unmatched,
    uint32_t unmatched_count, uint32_t whole, crayon_result* result);
/* After crayon_compiler_set_bpe_merges, for BPE over characters rather than bytes: ids from `visible_count` on are hidden,
   tokens that only merging needs. Each is the beginning of a character that is a token, of 1 to 3 bytes, or, where the
   vocabulary has no tokens for bytes, a single byte; the merges that complete characters come first. A hidden token that
   remains after merging is encoded as the tokens of its bytes, if `unknown_id` is 0xFFFFFFFF and all 256 are visible; else each
   of its characters becomes `unknown_id`, or with CRAYON_FUSES_UNKNOWN each run of such characters. With CRAYON_ENDS_WORDS a
   byte 0xFF is appended to each piece, and tokens that end a word end with it; `visible_count` may then equal the number of all
   tokens. The merges with this byte come before all but those that complete characters, and hidden tokens may be characters with
   or without it, of up to 5 bytes. With CRAYON_SPLITS_HIDDEN, alone or with CRAYON_FUSES_UNKNOWN, a hidden token may be any
   characters: one of several characters is replaced by its two halves, repeatedly. INVALID_ARGUMENT with the id of a token that
   cannot be hidden. */
#define CRAYON_FUSES_UNKNOWN 1u
#define CRAYON_ENDS_WORDS 2u
#define CRAYON_SPLITS_HIDDEN 4u
CRAYON_API crayon_status crayon_compiler_set_hidden_tokens(crayon_compiler* compiler, uint32_t visible_count, uint32_t unknown_id,
                                                           uint32_t flags, crayon_result* result);
/* Instead of ranks, a longest-match vocabulary: the longest token at each position of a text, and where none begins,
   `unknown_id` for the character (bytes that are not UTF-8 count as in crayon_encoder_read_with_offsets), or the error
   UNKNOWN_CHARACTER if `unknown_id` is 0xFFFFFFFF; with CRAYON_UNKNOWN_BYTES added, each byte at which none begins becomes the
   id. Tokens as in crayon_compiler_set_bpe, but single bytes need not be tokens. Of equal tokens that contain U+FFFD, which
   stands for bytes that a list of strings has lost, the last one matches. An `unknown_id` other than 0xFFFFFFFF must be the id
   of a token, CRAYON_UNKNOWN_BYTES taken off. */
CRAYON_API crayon_status crayon_compiler_set_longest_match(crayon_compiler* compiler,
                                                           CRAYON_READS(byte_count) const uint8_t* bytes, uint32_t byte_count,
                                                           CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                           uint32_t token_count, uint32_t unknown_id, crayon_result* result);
/* Instead of these, WordPiece: a piece is a word. It becomes the longest token that it begins with, then the longest token that
   matches `prefix` followed by the rest of the word, and so on. A word whose rest matches no token, or with more than
   `most_characters`, becomes `unknown_id`, or the error UNKNOWN_CHARACTER if that is 0xFFFFFFFF. With `whole_words` (WordLevel)
   only a word that equals a token is known; then there is no prefix, and `most_characters` is 0. Whitespace at the beginning of
   pieces of the pretokenizers "bert" and "whitespace_split" has no tokens. `unmatched`: ids, ascending, of tokens that no text
   produces. */
CRAYON_API crayon_status crayon_compiler_set_word_piece(crayon_compiler* compiler, CRAYON_READS(byte_count) const uint8_t* bytes,
                                                        uint32_t byte_count,
                                                        CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                        uint32_t token_count,
                                                        CRAYON_READS(unmatched_count) const uint32_t* unmatched,
                                                        uint32_t unmatched_count, uint32_t unknown_id,
                                                        CRAYON_READS(prefix_length) const uint8_t* prefix, uint32_t prefix_length,
                                                        uint32_t most_characters, uint32_t whole_words, crayon_result* result);
/* Instead of these, Unigram: of all sequences of tokens that a piece can be cut into, the one with the greatest sum of `scores`,
   one for each id, which are added as doubles from the beginning of the piece; of equal ones, the one whose last token that
   differs is longer. Where no token is a single character, that may be unknown, with `unknown_score`. Unknown characters that
   follow each other are one `unknown_id`, or the tokens of their bytes, if `byte_ids`, 256 of them or NULL, has them all
   (0xFFFFFFFF: not); without an `unknown_id`, which is 0xFFFFFFFF then, the error is UNKNOWN_CHARACTER. `sums_floats`: scores,
   which are floats then, are added as such, as sentencepiece adds them. */
CRAYON_API crayon_status crayon_compiler_set_unigram(crayon_compiler* compiler, CRAYON_READS(byte_count) const uint8_t* bytes,
                                                     uint32_t byte_count, CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                     uint32_t token_count,
                                                     CRAYON_READS(unmatched_count) const uint32_t* unmatched,
                                                     uint32_t unmatched_count, uint32_t unknown_id,
                                                     CRAYON_READS(token_count) const double* scores, double unknown_score,
                                                     CRAYON_READS_OR_NULL(256) const uint32_t* byte_ids, uint32_t sums_floats,
                                                     crayon_result* result);
/* Instead of these, any tokenizer of Hugging Face by its `section` of the general path (cartridges/FORMAT.md section 15), of
   which only the length is checked; the rest when the file is opened. Tokens are by their texts. `unmatched`, `unknown_id` as
   above. */
CRAYON_API crayon_status crayon_compiler_set_general(crayon_compiler* compiler, CRAYON_READS(byte_count) const uint8_t* bytes,
                                                     uint32_t byte_count, CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                     uint32_t token_count,
                                                     CRAYON_READS(unmatched_count) const uint32_t* unmatched,
                                                     uint32_t unmatched_count, uint32_t unknown_id,
                                                     CRAYON_READS(section_length) const uint8_t* section, uint32_t section_length,
                                                     crayon_result* result);
/* One JSON object. */
CRAYON_API crayon_status crayon_compiler_set_metadata(crayon_compiler* compiler, CRAYON_READS(length) const char* json,
                                                      uint32_t length, crayon_result* result);
/* The section of the normalizer program (cartridges/FORMAT.md section 14) for the views with the normalizer 2. Only its length is
 * checked; the rest when the file is opened. CRAYON_INVALID_ARGUMENT. */
CRAYON_API crayon_status crayon_compiler_set_normalizer_program(crayon_compiler* compiler,
                                                                CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                                                crayon_result* result);
/* Applies such a program, or the normalizers of a section of the general path, to text[0, text_length), a whole text in UTF-8:
 * `count` bytes, to be freed with free(). CRAYON_CORRUPT_STRUCTURE for an invalid program, CRAYON_INVALID_ARGUMENT,
 * CRAYON_OUT_OF_MEMORY. Any thread. */
CRAYON_API crayon_status crayon_compiler_normalize(CRAYON_READS(length) const uint8_t* program, uint32_t length,
                                                   CRAYON_READS(text_length) const uint8_t* text, uint32_t text_length,
                                                   CRAYON_GIVES_FREED(result->count) uint8_t** bytes, crayon_result* result);
/* The section of patterns (cartridges/FORMAT.md section 11) for the views with the pretokenizer "pattern". Only its length is
   checked here; a cartridge with wrong tables is refused when it is opened. */
CRAYON_API crayon_status crayon_compiler_set_pattern(crayon_compiler* compiler, CRAYON_READS(length) const uint8_t* bytes,
                                                     uint32_t length, crayon_result* result);
/* `pretokenizer` is one of the names that crayon_tokenizer_scanner returns; "pattern" needs a section of patterns. With "none"
   the text between added tokens is one piece: BPE merges over all of it. Any other pretokenizer cuts it into pieces, which are
   encoded separately. */
CRAYON_API crayon_status crayon_compiler_add_view(crayon_compiler* compiler, CRAYON_READS(name_length) const char* name,
                                                  uint32_t name_length, CRAYON_READS(scanner_length) const char* pretokenizer,
                                                  uint32_t scanner_length, crayon_result* result);
/* Sets how the view added last normalizes a text before it is pretokenized: 0 not at all, 1 NFC (of Unicode 9.0), 2 the
   program. Call it before its tokens are added, else INVALID_ARGUMENT. */
CRAYON_API crayon_status crayon_compiler_set_normalizer(crayon_compiler* compiler, uint32_t normalizer, crayon_result* result);
/* Adds a token to the view added last. It has 1 to 1024 bytes, or is refused with INVALID_ARGUMENT and its id in
   `position`. */
CRAYON_API crayon_status crayon_compiler_add_token(crayon_compiler* compiler, CRAYON_READS(length) const uint8_t* bytes,
                                                   uint32_t length, uint32_t id, uint32_t flags, crayon_result* result);
/* The characters of words, for tokens with single word: `count` ranges of code points, first and last, that ascend; else
   INVALID_ARGUMENT with the index of the range. */
CRAYON_API crayon_status crayon_compiler_set_words(crayon_compiler* compiler, CRAYON_READS(2 * count) const uint32_t* ranges,
                                                   uint32_t count, crayon_result* result);
/* The ids that the view added last puts before and after a text, for callers that ask for them. */
CRAYON_API crayon_status crayon_compiler_set_template(crayon_compiler* compiler,
                                                      CRAYON_READS(prefix_count + suffix_count) const uint32_t* ids,
                                                      uint32_t prefix_count, uint32_t suffix_count, crayon_result* result);
/* Replaces all of the above with the contents of an open cartridge: vocabulary, metadata, pattern, words and views. */
CRAYON_API crayon_status crayon_compiler_set_cartridge(crayon_compiler* compiler, const crayon_cartridge* cartridge,
                                                       crayon_result* result);

/* Builds the file in memory. The bytes belong to the compiler and are valid until the next call. The same input always
   results in the same bytes. */
CRAYON_API crayon_status crayon_compiler_finish(crayon_compiler* compiler, CRAYON_GIVES(result->count) const uint8_t** bytes,
                                                crayon_result* result);
/* The same as a slim file: a small one, which is expanded in memory whenever it is opened. */
CRAYON_API crayon_status crayon_compiler_finish_slim(crayon_compiler* compiler, CRAYON_GIVES(result->count) const uint8_t** bytes,
                                                     crayon_result* result);
/* A longest-match vocabulary as a version 2 `.dat`: only the trie, without views, metadata and unknown id. The caller writes
   the `.json` beside it, with the tokens as text. After crayon_compiler_set_cartridge with a cartridge that was opened from a
   `.dat`: the bytes of that file. INVALID_ARGUMENT for ranks, and if no token can match. */
CRAYON_API crayon_status crayon_compiler_finish_dat(crayon_compiler* compiler, CRAYON_GIVES(result->count) const uint8_t** bytes,
                                                    crayon_result* result);

#ifdef __cplusplus
}
#endif

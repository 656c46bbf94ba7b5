/* Tokenizers: one view of a cartridge, its tokens, and ids to bytes. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `kernel` is the name of a kernel, or empty for the best one. The tokenizer keeps the cartridge open. */
CRAYON_API crayon_status crayon_tokenizer_create(crayon_cartridge* cartridge, uint32_t view_index,
                                                 CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                                 crayon_tokenizer** out, crayon_result* result);
/* Another owner, who releases it too. */
CRAYON_API void crayon_tokenizer_retain(crayon_tokenizer* tokenizer);
CRAYON_API void crayon_tokenizer_release(crayon_tokenizer* tokenizer);

/* Greatest id + 1, special tokens included. */
CRAYON_API uint32_t crayon_tokenizer_vocabulary_size(const crayon_tokenizer* tokenizer);
/* "bpe", "longest-match", "dna", "wordpiece", "wordlevel" or "unigram" */
CRAYON_API const char* crayon_tokenizer_model(const crayon_tokenizer* tokenizer);
/* The name of a family (layout/pretokenizers.def); "pattern"; "none": the text is not cut into pieces before merging or
   matching. */
CRAYON_API const char* crayon_tokenizer_scanner(const crayon_tokenizer* tokenizer);
/* How a text is normalized before it is pretokenized: "NFC", "prefix space" (the text, and the text after each added token,
   gets a space in front unless it begins with one), or "" (not at all). Positions, offsets and parts refer to the original
   text. */
CRAYON_API const char* crayon_tokenizer_normalizer(const crayon_tokenizer* tokenizer);
/* The unknown id: longest match gives it to a character at which no token begins, WordPiece to an unknown word, Unigram to
   unknown characters. 0xFFFFFFFF if the vocabulary has none. */
CRAYON_API uint32_t crayon_tokenizer_unknown_id(const crayon_tokenizer* tokenizer);
/* 1 if longest match gives the unknown id to each byte at which no token begins, 0 if to each character. */
CRAYON_API uint32_t crayon_tokenizer_unknown_bytes(const crayon_tokenizer* tokenizer);
/* The name of the kernel in use. */
CRAYON_API const char* crayon_tokenizer_kernel(const crayon_tokenizer* tokenizer);

/* Sets the cache limit (crayon_encoder_cache_limit) of encoders created from now on, and of encoders in pools from their next
   job on; these keep a higher limit that they already have. 0: the default, 16 MiB. From any thread. */
CRAYON_API void crayon_tokenizer_cache_limit(crayon_tokenizer* tokenizer, uint64_t bytes);
/* out = {bytes of the cartridge in a mapped file, its bytes in private memory, bytes of the caches of the encoders in pools,
   idle or working}, each as low and high half. All tokenizers of a file share a cartridge. For encoders that the host created,
   see crayon_encoder_cache_bytes. From any thread. */
CRAYON_API void crayon_tokenizer_memory(const crayon_tokenizer* tokenizer, uint32_t out[6]);

/* Flags of an added token; others than special only of BPE. Special: governed by the special-token policy. Normalized: searched
   for in what the others leave, after the normalizer, if there is one. Lstrip, rstrip: it includes the whitespace before it,
   after it; in a view with a normalizer not with normalized. Single word: found only where no character of a word is before or
   after it. Never found: it only decodes, and another token with its id has the text that is searched for. */
enum {
    CRAYON_ADDED_SPECIAL = 1,
    CRAYON_ADDED_NORMALIZED = 2,
    CRAYON_ADDED_LSTRIP = 4,
    CRAYON_ADDED_RSTRIP = 8,
    CRAYON_ADDED_SINGLE_WORD = 16,
    CRAYON_ADDED_NEVER_FOUND = 32
};

/* Added token `index`, in ascending order of id: its bytes, out = {length, id, flags}. NULL past the last one. */
CRAYON_API const uint8_t* crayon_tokenizer_added_token(const crayon_tokenizer* tokenizer, uint32_t index, uint32_t out[3])
    CRAYON_RETURNS(out[0]);

/* The ids that a model expects around a text (its beginning and end), for callers that ask for them: out = {how many come
   before, how many after}. */
CRAYON_API const uint32_t* crayon_tokenizer_template(const crayon_tokenizer* tokenizer, uint32_t out[2])
    CRAYON_RETURNS(out[0] + out[1]);

/* Bytes of a token, special or not; NULL (length 0) if the id is not in the vocabulary. Not NUL-terminated. A token without
   characters also has length 0. */
CRAYON_API const uint8_t* crayon_tokenizer_token_bytes(const crayon_tokenizer* tokenizer, uint32_t id, uint32_t* length)
    CRAYON_RETURNS(*length);
/* The id of the token with these bytes, special or not; 0xFFFFFFFF if there is none. */
CRAYON_API uint32_t crayon_tokenizer_id_of(const crayon_tokenizer* tokenizer, CRAYON_READS(length) const uint8_t* bytes,
                                           uint32_t length);

enum { CRAYON_DECODE_SKIP_SPECIAL = 1 };

/* Where a pattern, the `word_count` words of a program (native/include/crayon/layout/regex.h), has matches in text[0,
   text_length), a whole text in UTF-8: begin and end of each, `count` numbers, to be freed with free(). CRAYON_CORRUPT_STRUCTURE
   for words that are no program, PATTERN_BUDGET with the position, TEXT_TOO_LONG beyond 2 GiB. Cost: linear in text × program, or
   the budget. */
CRAYON_API crayon_status crayon_regex_matches(CRAYON_READS(word_count) const uint32_t* program, uint32_t word_count,
                                              CRAYON_READS(text_length) const uint8_t* text, uint32_t text_length,
                                              CRAYON_GIVES_FREED(result->count) uint32_t** matches, crayon_result* result);
/* Number of bytes the ids decode to, in `count` (INVALID_ID with its index in `position`;
   TEXT_TOO_LONG if it does not fit 32 bits). */
CRAYON_API crayon_status crayon_decode_length(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count,
                                              uint32_t flags, crayon_result* result);
/* Writes those bytes, `count` of them, in one pass: crayon_decode_length need not be called first. If `capacity` runs
   out, it stops after a whole token and sets `more` to 1; `position` is then the index of the first id that was not
   written, where the next call continues (with more capacity, if not even one token fits). With INVALID_ID, `position`
   is the index of that id. Bytes from `count` to `capacity` may be overwritten. */
CRAYON_API crayon_status crayon_decode(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count, uint32_t flags,
                                       uint8_t* bytes, uint32_t capacity, crayon_result* result);

#ifdef __cplusplus
}
#endif

/* Build time: learns a vocabulary from texts. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Byte-level BPE, exactly: the adjacent pair of tokens with the highest count becomes a token, everywhere, from left to right;
   then pairs are counted in the new sequences; and so on, until the vocabulary has the wanted size or no pair is left that is
   frequent and short enough. A pair counts wherever it occurs, even where occurrences overlap: `aaa` has (a, a) twice. Pairs
   cross neither the boundaries of pieces nor the ends of texts. The result depends only on the contents of the texts, not on
   their order, nor on how they are divided among counters, calls and threads.

       host:    crayon_trainer_create
       threads: crayon_counter_create; crayon_counter_feed, the texts; …      each with its own counter
       host:    crayon_trainer_add, each counter; crayon_trainer_start; crayon_trainer_step until `more` is 0
       threads: meanwhile crayon_trainer_help, until the host calls crayon_trainer_dismiss     (optional)
       host:    crayon_trainer_tokens, crayon_trainer_merges; crayon_trainer_release

   A trainer belongs to one thread of the host, a counter to one at a time; only crayon_trainer_help is for other threads. Ids:
   first the reserved tokens, if there are any; then the alphabet, in the order that the options say; then a new token for each
   merge. Its bytes are unique: exact BPE never has two pairs with the same bytes. Only a reserved token may have the same
   bytes, and then the merge produces that token.

   Memory (2026-11): with a pretokenizer in proportion to the distinct pieces, some 250 bytes each; 100 MB of mixed text
   take 150 MB, 200 MB with 200,000 tokens take 430 MB. Without one, 14 bytes for each byte of the texts. All distinct
   pieces (texts, without a pretokenizer) together, counting one byte more for each, have less than 2^32 - 1 bytes, or
   crayon_trainer_start returns TEXT_TOO_LONG. */

typedef struct crayon_trainer crayon_trainer;
typedef struct crayon_counter crayon_counter;

enum {
    /* Of several pairs with the highest count, the one with the larger (left id, right id). */
    CRAYON_TIES_LARGER = 0,
    /* The one with the smaller (left id, right id). The merges then equal those of the BpeTrainer of Hugging Face tokenizers
       0.23, if the alphabet is in its order, and special tokens are reserved as the bytes that their characters stand for in
       the byte-level alphabet. Its max_token_length m is max_token_length = max(m - 1, 2) here. */
    CRAYON_TIES_SMALLER = 1
};

enum { CRAYON_TRAINER_OBSERVED_ALPHABET = 1 }; /* only bytes that occur in the texts are in the alphabet */

typedef struct crayon_trainer_options {
    uint32_t vocabulary_size;  /* at most 2,097,151 (VOCABULARY_TOO_LARGE); never less than alphabet and reserved tokens */
    uint32_t min_frequency;    /* of a pair that is merged; 0 is taken as 1 */
    uint32_t max_token_length; /* in bytes; 0 or more than 65,535: 65,535 */
    uint32_t ties;
    uint32_t flags;
} crayon_trainer_options;

/* `alphabet`: the 256 bytes in the order of their ids, or NULL for ascending order. `pretokenizer`: as in
   crayon_compiler_add_view, or "none" (or empty): each text is one sequence. `kernel`: as in crayon_tokenizer_create. */
CRAYON_API crayon_status crayon_trainer_create(const crayon_trainer_options* options, const uint8_t* alphabet,
                                               const char* pretokenizer, uint32_t scanner_length, const char* kernel,
                                               uint32_t kernel_length, crayon_trainer** out, crayon_result* result);
/* The patterns of the pretokenizer "pattern", as in crayon_compiler_set_pattern, before counters are created, which use them
   until their last text ends. INVALID_ARGUMENT with another pretokenizer, CORRUPT_STRUCTURE with the byte in `position`. */
CRAYON_API crayon_status crayon_trainer_set_pattern(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length,
                                                    crayon_result* result);
/* Adds a token with the next id, before the alphabet; call it before crayon_trainer_start. Texts never match it. The host
   chooses the id of a special token that is not reserved. DUPLICATE_TOKEN, INVALID_ARGUMENT for 0 or more than 65,535 bytes. */
CRAYON_API crayon_status crayon_trainer_reserve(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length,
                                                crayon_result* result);
/* No thread may be in crayon_trainer_help any more. */
CRAYON_API void crayon_trainer_release(crayon_trainer* trainer);

/* An empty counter for texts of this trainer, which may be released before it. From any thread. */
CRAYON_API crayon_status crayon_counter_create(const crayon_trainer* trainer, crayon_counter** out, crayon_result* result);
CRAYON_API void crayon_counter_release(crayon_counter* counter);
/* Appends a part of a text; `last` = 1 ends it. Parts may end anywhere, also within a character. Bytes that are not UTF-8 are
   pretokenized like U+FFFD and kept, as in crayon_encoder_feed_utf8. After a failure the counter can only be released. */
CRAYON_API crayon_status crayon_counter_feed(crayon_counter* counter, const uint8_t* bytes, uint32_t length, uint32_t last,
                                             crayon_result* result);
/* The same as UTF-16; a lone surrogate becomes U+FFFD. Not both in one text. */
CRAYON_API crayon_status crayon_counter_feed_utf16(crayon_counter* counter, const uint16_t* units, uint32_t length, uint32_t last,
                                                   crayon_result* result);
/* Between texts: adds a piece `count` times, without pretokenizing it. */
CRAYON_API crayon_status crayon_counter_add_piece(crayon_counter* counter, const uint8_t* bytes, uint32_t length, uint32_t count,
                                                  crayon_result* result);

/* Moves what a counter has counted to the trainer, before crayon_trainer_start. The counter is empty afterwards, and can be
   used again. INVALID_ARGUMENT if its trainer has another pretokenizer, or its text has not ended. */
CRAYON_API crayon_status crayon_trainer_add(crayon_trainer* trainer, crayon_counter* counter, crayon_result* result);
/* Ends the counting of pieces, and counts pairs. `count`: the number of tokens, so far the alphabet. */
CRAYON_API crayon_status crayon_trainer_start(crayon_trainer* trainer, crayon_result* result);
/* Merges pairs until it has looked at `work` million positions of the texts, some 30 ms each; one at most if `work` is 0.
   `count`: tokens so far; `more` is 0 when the training is done. Once anything has failed in a trainer, this function returns
   that failure. */
CRAYON_API crayon_status crayon_trainer_step(crayon_trainer* trainer, uint32_t work, crayon_result* result);

/* Helps crayon_trainer_start and crayon_trainer_step of another thread whenever there is work for two, and waits in
   between. Returns after crayon_trainer_dismiss, at once if that was called before. (Not in the WebAssembly modules.) */
CRAYON_API crayon_status crayon_trainer_help(crayon_trainer* trainer, crayon_result* result);
/* Lets all helpers return. From any thread. */
CRAYON_API void crayon_trainer_dismiss(crayon_trainer* trainer);

/* At any time; u64 as low and high half: out = {tokens, merges, the count of the last merged pair (2), pieces of the
   texts (2), bytes of the texts (2), distinct pieces (2; texts, without a pretokenizer)}. The last three are known from
   crayon_trainer_start on. */
CRAYON_API void crayon_trainer_progress(const crayon_trainer* trainer, uint32_t out[10]);

/* The merges so far, `count` of them in order: merge i joins the tokens out[3i] and out[3i + 1] into the token out[3i + 2].
   Valid until the next call that changes the trainer. */
CRAYON_API const uint32_t* crayon_trainer_merges(const crayon_trainer* trainer, uint32_t* count);
/* The tokens so far, `count` of them: token i is bytes[offsets[i], offsets[i + 1]), as crayon_compiler_set_bpe takes
   them. Valid until the next call that changes the trainer. */
CRAYON_API crayon_status crayon_trainer_tokens(const crayon_trainer* trainer, const uint8_t** bytes, const uint32_t** offsets,
                                               crayon_result* result);

/* A checkpoint: the options, the pieces with their counts, and the merges so far. After crayon_trainer_start. `count` bytes,
   which belong to the trainer and are valid until the next call. TEXT_TOO_LONG if their number exceeds 32 bits. The order of
   the pieces in it is not specified. */
CRAYON_API crayon_status crayon_trainer_save(crayon_trainer* trainer, const uint8_t** bytes, crayon_result* result);
/* A trainer that continues from there: already started, it makes the same merges again in crayon_trainer_step, and more after
   them. A checkpoint may come from anywhere: TRUNCATED, CHECKSUM_MISMATCH, UNSUPPORTED_VERSION or CORRUPT_STRUCTURE with the
   byte in `position`; CORRUPT_STRUCTURE also from crayon_trainer_step, with the number of the merge, if the pieces do not lead
   to these merges. The bytes are copied. */
CRAYON_API crayon_status crayon_trainer_restore(const uint8_t* bytes, uint32_t length, const char* kernel, uint32_t kernel_length,
                                                crayon_trainer** out, crayon_result* result);

#ifdef __cplusplus
}
#endif

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
   their order, nor on how they are divided among calls and threads.

       crayon_trainer_create; crayon_trainer_feed, the texts; crayon_trainer_start; crayon_trainer_step until `more` is 0;
       crayon_trainer_token_bytes, crayon_trainer_token_offsets, crayon_trainer_merges; crayon_trainer_release

   A trainer belongs to one thread of the host, and has as many of its own as `threads` says, which count texts and help it
   merge; with one, the host's does it all, as in the WebAssembly modules. They end with the trainer. Ids: first the reserved
   tokens, if there are any; then the alphabet, in the order that the options say; then a new token for each merge. Its bytes are
   unique: exact BPE never has two pairs with the same bytes. Only a reserved token may have the same bytes, and then the merge
   produces that token. Once anything has failed in the texts or the merges, every later call for them fails as well.

   Memory (2026-11): with a pretokenizer in proportion to the distinct pieces, some 250 bytes each; 100 MB of mixed text
   take 150 MB, 200 MB with 200,000 tokens take 430 MB. Without one, 14 bytes for each byte of the texts. All distinct
   pieces (texts, without a pretokenizer) together, counting one byte more for each, have less than 2^32 - 1 bytes, or
   crayon_trainer_start returns TEXT_TOO_LONG. */

typedef struct crayon_trainer crayon_trainer;

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
   crayon_compiler_add_view, or "none" (or empty): each text is one sequence. `kernel`: as in crayon_tokenizer_create.
   `threads`: up to 256. If fewer can start, fewer work. */
CRAYON_API crayon_status crayon_trainer_create(CRAYON_READS(1) const crayon_trainer_options* options,
                                               CRAYON_READS_OR_NULL(256) const uint8_t* alphabet,
                                               CRAYON_READS(scanner_length) const char* pretokenizer, uint32_t scanner_length,
                                               CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                               uint32_t threads, crayon_trainer** out, crayon_result* result);
/* The patterns of the pretokenizer "pattern", as in crayon_compiler_set_pattern, before the first text. INVALID_ARGUMENT with
   another pretokenizer, CORRUPT_STRUCTURE with the byte in `position`. */
CRAYON_API crayon_status crayon_trainer_set_pattern(crayon_trainer* trainer, CRAYON_READS(length) const uint8_t* bytes,
                                                    uint32_t length, crayon_result* result);
/* Adds a token with the next id, before the alphabet; call it before crayon_trainer_start. Texts never match it. The host
   chooses the id of a special token that is not reserved. DUPLICATE_TOKEN, INVALID_ARGUMENT for 0 or more than 65,535 bytes. */
CRAYON_API crayon_status crayon_trainer_reserve(crayon_trainer* trainer, CRAYON_READS(length) const uint8_t* bytes,
                                                uint32_t length, crayon_result* result);
CRAYON_API void crayon_trainer_release(crayon_trainer* trainer);

/* Appends a part of a text; `last` = 1 ends it. Parts may end anywhere, also within a character. Bytes that are not UTF-8 are
   pretokenized like U+FFFD and kept, as in crayon_encoder_feed_utf8. Waits while much is left to be counted by the threads. */
CRAYON_API crayon_status crayon_trainer_feed(crayon_trainer* trainer, CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                             uint32_t last, crayon_result* result);
/* Ends the counting of pieces, and counts pairs. `count`: the number of tokens, so far the alphabet. INVALID_ARGUMENT within a
   text. */
CRAYON_API crayon_status crayon_trainer_start(crayon_trainer* trainer, crayon_result* result);
/* Merges pairs until it has looked at `work` million positions of the texts, some 30 ms each; one at most if `work` is 0.
   `count`: tokens so far; `more` is 0 when the training is done. u64 as low and high half: progress = {tokens, merges, the count
   of the last merged pair (2), pieces of the texts (2), bytes of the texts (2), distinct pieces (2; texts, without a
   pretokenizer)}. */
CRAYON_API crayon_status crayon_trainer_step(crayon_trainer* trainer, uint32_t work, uint32_t progress[10],
                                             crayon_result* result);

/* The merges so far: merge i joins the tokens merges[3i] and merges[3i + 1] into the token merges[3i + 2]. `count`: of the
   numbers. Valid until the next call that changes the trainer, as is all that follows. */
CRAYON_API crayon_status crayon_trainer_merges(const crayon_trainer* trainer, CRAYON_GIVES(result->count) const uint32_t** merges,
                                               crayon_result* result);
/* The tokens so far: token i is bytes[offsets[i], offsets[i + 1]), as crayon_compiler_set_bpe takes them. `count`: of the bytes,
   and of the offsets, which are one more than the tokens. */
CRAYON_API crayon_status crayon_trainer_token_bytes(const crayon_trainer* trainer,
                                                    CRAYON_GIVES(result->count) const uint8_t** bytes, crayon_result* result);
CRAYON_API crayon_status crayon_trainer_token_offsets(const crayon_trainer* trainer,
                                                      CRAYON_GIVES(result->count) const uint32_t** offsets,
                                                      crayon_result* result);

/* A checkpoint: the options, the pieces with their counts, and the merges so far. After crayon_trainer_start. TEXT_TOO_LONG if
   the number of its bytes exceeds 32 bits. The order of the pieces in it is not specified. */
CRAYON_API crayon_status crayon_trainer_save(crayon_trainer* trainer, CRAYON_GIVES(result->count) const uint8_t** bytes,
                                             crayon_result* result);
/* A trainer that continues from there: already started, it makes the same merges again in crayon_trainer_step, and more after
   them. A checkpoint may come from anywhere: TRUNCATED, CHECKSUM_MISMATCH, UNSUPPORTED_VERSION or CORRUPT_STRUCTURE with the
   byte in `position`; CORRUPT_STRUCTURE also from crayon_trainer_step, with the number of the merge, if the pieces do not lead
   to these merges. The bytes are copied. */
CRAYON_API crayon_status crayon_trainer_restore(CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                                CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                                uint32_t threads, crayon_trainer** out, crayon_result* result);

#ifdef __cplusplus
}
#endif

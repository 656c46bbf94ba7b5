/* DNA: sequences of bases to ids, and the cartridges for that. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sequences of bases to ids, for models of genomes: a table of bytes, or k-mers. A vocabulary is a cartridge of the model
   "dna", opened like any other; its tokenizer has the names, bytes and decoding of the ids, but no encoder
   (crayon_encoder_create refuses it with INVALID_ARGUMENT). A crayon_dna encodes with it; it is immutable, and several
   threads may use one at once.

   Each byte of a sequence first goes through the policies: lower case, then codes that stand for several bases (R Y S W K M B D
   H V, of either case), then N. Each remaining byte becomes its id, or unknown_id, or else the error UNKNOWN_BASE with its
   `position`.

       bytes             an id for each byte; the first byte of a sequence may use another table
       k-mers            a sequence is split at bytes that are not digits of the k-mers; these are encoded as single
                         bytes. Between them come k-mers, from the left; the policy for tails encodes the rest of
                         each part. A k-mer without an id is encoded as single bytes.
       stride-1 k-mers   one at each position where k bytes are left; a k-mer with a byte that is not a digit is unknown_id */

typedef struct crayon_dna crayon_dna;

enum { CRAYON_DNA_BYTES = 1, CRAYON_DNA_KMERS = 2, CRAYON_DNA_STRIDE_1 = 3 };
enum { CRAYON_DNA_SIDE_LEFT = 0, CRAYON_DNA_SIDE_RIGHT = 1 };

/* Policies for lower case (NORMALIZE: to upper case), codes of several bases (to N), and N (which cannot be normalized). KEEP:
   like any other byte. DEFAULT: the policy of the vocabulary. */
enum { CRAYON_DNA_REJECT = 0, CRAYON_DNA_NORMALIZE = 1, CRAYON_DNA_KEEP = 2, CRAYON_DNA_DEFAULT = 3 };
/* The 1 to k - 1 bases that remain: SINGLE bytes, one pad_id, or nothing. */
enum { CRAYON_DNA_TAIL_SINGLE = 0, CRAYON_DNA_TAIL_PAD = 1, CRAYON_DNA_TAIL_DROP = 2, CRAYON_DNA_TAIL_DEFAULT = 3 };
/* Whether each unknown byte or each unknown word becomes one unknown_id. A word is a run of bytes without ids; ASCII whitespace
   ends it and produces no id, unless the vocabulary has one for it. Words require k-mers (not of stride 1), an unknown_id, and
   an id for each single digit. */
enum { CRAYON_DNA_UNKNOWN_EACH = 0, CRAYON_DNA_UNKNOWN_WORDS = 1 };

typedef struct crayon_dna_policies {
    uint32_t lower_case;
    uint32_t ambiguous;
    uint32_t n;
    uint32_t tail;
} crayon_dna_policies;

/* Holds the tokenizer, and uses its kernel. `policies`: NULL for the defaults of the vocabulary. INVALID_ARGUMENT for a
   tokenizer of another model, a policy that does not exist, and CRAYON_DNA_TAIL_PAD without a pad_id. */
CRAYON_API crayon_status crayon_dna_create(crayon_tokenizer* tokenizer,
                                           CRAYON_READS_OR_NULL(1) const crayon_dna_policies* policies, crayon_dna** out,
                                           crayon_result* result);
CRAYON_API void crayon_dna_release(crayon_dna* dna);

/* out = {unit, k, vocabulary size, the least width in bytes that holds every id (1, 2, 4), unknown_id, pad_id, the side of
   padding, how many ids are before a sequence, how many after it, these ids (at most 128)}. 0xFFFFFFFF: there is no such id. */
CRAYON_API void crayon_dna_describe(const crayon_dna* dna, uint32_t out[137]);

/* Rows of sequences: row i is bytes[offsets[i], offsets[i + 1]). A failure in a row has it in `section`: UNKNOWN_BASE, with the
   byte in the row in `position`; INVALID_ARGUMENT, also if the offsets of the row do not ascend, or are not among the bytes. */

/* Sets the number of ids of each row, without those before and after it. */
CRAYON_API crayon_status crayon_dna_count_rows(const crayon_dna* dna, CRAYON_READS(byte_count) const uint8_t* bytes,
                                               uint32_t byte_count, CRAYON_READS(rows + 1) const uint32_t* offsets, uint32_t rows,
                                               CRAYON_WRITES(rows) uint32_t* counts, crayon_result* result);

enum {
    CRAYON_DNA_TEMPLATE = 1, /* with the ids before and after the sequence */
    CRAYON_DNA_TRUNCATE = 2, /* the first ids of a sequence that is too long; the rest is not read */
    CRAYON_DNA_PAD_LEFT = 4, /* pad_id up to the capacity, at this side */
    CRAYON_DNA_PAD_RIGHT = 8,
    CRAYON_DNA_CONTINUED = 16, /* the bytes are not the beginning of their sequence */
    CRAYON_DNA_UNFINISHED = 32 /* the bytes may not be the end of their sequence: more may follow */
};

typedef struct crayon_dna_part {
    uint32_t position; /* of the result, and so is `more` */
    uint32_t more;
    uint32_t unknown; /* ids of the sequence, without padding and template, that are unknown_id; 0 if the vocabulary has none */
} crayon_dna_part;

/* Writes ids of `width` bytes each (1, 2, 4 or 8, little-endian, at any address), `count` of them; INVALID_ARGUMENT if the
   width does not hold every id of the vocabulary. With none of the first four flags: `position` is the byte up to which the ids
   go, where another call, with CONTINUED, goes on: `length`, or less if `capacity` (in ids) ran out (`more` = 1), or with
   UNFINISHED, where later bytes could change the ids of the last k - 1 bytes, or continue a word of unknown bytes: its id is
   written when the word ends, and until then its last byte stays unread. A capacity below k may be too small for any progress.
   With one of the first four: the result is complete, or TEXT_TOO_LONG; `count` includes padding. After UNKNOWN_BASE, the ids
   before that byte have been written. `part` (may be NULL) is set, too. */
CRAYON_API crayon_status crayon_dna_encode(const crayon_dna* dna, CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                           uint32_t flags, uint32_t width, CRAYON_WRITES_UP_TO(capacity, width) void* ids,
                                           uint32_t capacity, CRAYON_WRITES_OR_NULL(1) crayon_dna_part* part,
                                           crayon_result* result);
/* A matrix: each row becomes a row of `ids`, which has `columns` ids in each. Rows are padded at the side that the flags say, or
   else the vocabulary; `mask`, rows × columns bytes (NULL: none), is 1 for ids and 0 for padding. `count`: the ids in the
   longest row, padding not counted. In a row: TEXT_TOO_LONG if it is longer, unless the flags have TRUNCATE (also if the
   template alone is); INVALID_ARGUMENT if it needs padding and there is no pad_id. `unknown` (may be NULL): a count for each
   row, as in crayon_dna_part; unspecified from the first row that failed. */
CRAYON_API crayon_status crayon_dna_encode_rows(const crayon_dna* dna, CRAYON_READS(byte_count) const uint8_t* bytes,
                                                uint32_t byte_count, CRAYON_READS(rows + 1) const uint32_t* offsets,
                                                uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width,
                                                CRAYON_WRITES(rows, columns, width) void* ids,
                                                CRAYON_WRITES_OR_NULL(rows, columns) uint8_t* mask,
                                                CRAYON_WRITES_OR_NULL(rows) uint32_t* unknown, crayon_result* result);

/* The other strand, read in its direction. `out` may equal `bytes`, and must not overlap it otherwise. Case is kept. Codes of
   several bases have complements, too (R and Y, K and M, B and V, D and H); the complement of U is A. Other bytes: UNKNOWN_BASE
   with `position`, and `out` is unspecified. `kernel`: as in crayon_tokenizer_create. */
CRAYON_API crayon_status crayon_dna_reverse_complement(CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                                       CRAYON_WRITES(length) uint8_t* out,
                                                       CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                                       crayon_result* result);
/* Two bits for each base: A 0, C 1, G 2, T 3, of either case; four to a byte, the first in the lowest bits, zeros after the
   last. Other bytes: UNKNOWN_BASE with `position`. `count`: bytes written, a quarter of the length rounded up. */
CRAYON_API crayon_status crayon_dna_pack(CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                         CRAYON_WRITES((length + 3) / 4) uint8_t* out,
                                         CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                         crayon_result* result);
/* `length`: bases. */
CRAYON_API crayon_status crayon_dna_unpack(CRAYON_READS((length + 3) / 4) const uint8_t* packed, uint32_t length,
                                           CRAYON_WRITES(length) uint8_t* out, CRAYON_READS(kernel_length) const char* kernel,
                                           uint32_t kernel_length, crayon_result* result);

/* Makes cartridges of the model "dna". (In the module `dna`, not in `build`.) */
typedef struct crayon_dna_compiler crayon_dna_compiler;

typedef struct crayon_dna_rules {
    uint32_t unit;
    uint32_t k;               /* 1 to 8; 1 for bytes */
    uint32_t vocabulary_size; /* 0: the greatest id + 1 */
    uint32_t first_kmer_id;   /* the id of the k-mer with index 0; 0xFFFFFFFF: k-mers have a table of ids */
    uint32_t unknown_id;      /* 0xFFFFFFFF: none */
    uint32_t pad_id;          /* 0xFFFFFFFF: none */
    uint32_t side;            /* of padding */
    crayon_dna_policies policies;
    uint32_t unknown; /* CRAYON_DNA_UNKNOWN_* */
} crayon_dna_rules;

CRAYON_API crayon_status crayon_dna_compiler_create(crayon_dna_compiler** out, crayon_result* result);
CRAYON_API void crayon_dna_compiler_release(crayon_dna_compiler* dna_compiler);
CRAYON_API crayon_status crayon_dna_compiler_set_rules(crayon_dna_compiler* dna_compiler,
                                                       CRAYON_READS(1) const crayon_dna_rules* rules, crayon_result* result);
/* The bytes of each id, for decoding: as in crayon_compiler_set_bpe, but they may be any. */
CRAYON_API crayon_status crayon_dna_compiler_set_tokens(crayon_dna_compiler* dna_compiler,
                                                        CRAYON_READS(byte_count) const uint8_t* bytes, uint32_t byte_count,
                                                        CRAYON_READS(token_count + 1) const uint32_t* offsets,
                                                        uint32_t token_count, crayon_result* result);
/* The id of each byte, 0xFFFFFFFF: none. `start_ids`: the ids for the first byte of a sequence, only with the unit bytes; NULL:
   the same ids. */
CRAYON_API crayon_status crayon_dna_compiler_set_bases(crayon_dna_compiler* dna_compiler, const uint32_t ids[256],
                                                       CRAYON_READS_OR_NULL(256) const uint32_t* start_ids,
                                                       crayon_result* result);
/* The digits of k-mers in ascending order, 4 or 5 different bytes: the index of a k-mer is the number that its digits make,
   the first one being the highest. `ids`: id of each index (0xFFFFFFFF: none), 4^k or 5^k of them; none (`count` = 0) if
   they follow from first_kmer_id. */
CRAYON_API crayon_status crayon_dna_compiler_set_kmers(crayon_dna_compiler* dna_compiler,
                                                       CRAYON_READS(digit_count) const uint8_t* digits, uint32_t digit_count,
                                                       CRAYON_READS(count) const uint32_t* ids, uint32_t count,
                                                       crayon_result* result);
/* The ids before and after a sequence, at most 64 each. */
CRAYON_API crayon_status crayon_dna_compiler_set_template(crayon_dna_compiler* dna_compiler,
                                                          CRAYON_READS(before_count) const uint32_t* before,
                                                          uint32_t before_count, CRAYON_READS(after_count) const uint32_t* after,
                                                          uint32_t after_count, crayon_result* result);
/* One JSON object. */
CRAYON_API crayon_status crayon_dna_compiler_set_metadata(crayon_dna_compiler* dna_compiler,
                                                          CRAYON_READS(length) const char* json, uint32_t length,
                                                          crayon_result* result);
/* The name of the only view; "default" if it is not set. */
CRAYON_API crayon_status crayon_dna_compiler_set_name(crayon_dna_compiler* dna_compiler, CRAYON_READS(length) const char* name,
                                                      uint32_t length, crayon_result* result);
/* Adds a special token: a name for an id without a token, or the bytes of its token. As in crayon_compiler_add_token. `flags`: 0
   or CRAYON_ADDED_LSTRIP, which is for the caller that looks for it in sequences. */
CRAYON_API crayon_status crayon_dna_compiler_add_special(crayon_dna_compiler* dna_compiler,
                                                         CRAYON_READS(length) const uint8_t* bytes, uint32_t length, uint32_t id,
                                                         uint32_t flags, crayon_result* result);
/* As crayon_compiler_finish. INVALID_ARGUMENT if rules, tokens or bases have not been set, or contradict each other (with an
   id that is out of range in `position`). */
CRAYON_API crayon_status crayon_dna_compiler_finish(crayon_dna_compiler* dna_compiler,
                                                    CRAYON_GIVES(result->count) const uint8_t** bytes, crayon_result* result);

#ifdef __cplusplus
}
#endif

/* Encoding: a text in windows to ids, in one thread. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CRAYON_SPECIAL_AS_TEXT = 0, /* a special token in the text is ordinary text */
    CRAYON_SPECIAL_ALLOW = 1,   /* it becomes its id */
    CRAYON_SPECIAL_FORBID = 2,  /* it is an error, SPECIAL_FORBIDDEN */
    CRAYON_SPECIAL_LISTED = 3   /* those listed become their ids, others are ordinary text */
};

CRAYON_API crayon_status crayon_encoder_create(crayon_tokenizer* tokenizer, crayon_encoder** out, crayon_result* result);
CRAYON_API void crayon_encoder_release(crayon_encoder* encoder);

/* Limits the piece cache of an encoder, which keeps pieces of text with their ids from one text to the next. The default is 16
   MiB. Call it at any time in the encoder's thread; a limit below the current size frees the whole cache. The cache grows as
   pieces find no room; while they move to a larger table, both tables count. A full cache replaces one piece by another. Any
   limit leaves about 16 KiB in use. No id depends on the cache. If an allocation fails, the cache keeps its size. */
#define CRAYON_HAS_CACHE_LIMIT 1
CRAYON_API crayon_status crayon_encoder_cache_limit(crayon_encoder* encoder, uint64_t bytes, crayon_result* result);
/* The current size of that cache in bytes. */
CRAYON_API uint64_t crayon_encoder_cache_bytes(const crayon_encoder* encoder);

/* Starts a new text; any pending one is dropped. `allowed`: ids of added tokens, with CRAYON_SPECIAL_LISTED. */
CRAYON_API crayon_status crayon_encoder_begin(crayon_encoder* encoder, uint32_t special,
                                              CRAYON_READS(allowed_count) const uint32_t* allowed, uint32_t allowed_count,
                                              crayon_result* result);
/* Starts a new text that a template and its callers have written together, such as a chat. The template wrote the bytes within
   `ranges`: `range_count` ascending pairs of a first byte and the byte after the last one, in bytes of the text as UTF-8. The
   callers wrote all others. Control tokens are the special tokens and the added tokens with the ids in `control`. They match
   only where the template wrote every byte of them. Ranges may touch, and a token may span two that do. A control token that
   contains a caller's byte does not match: a shorter one, or one that begins later, may match instead. Other added tokens match
   anywhere, and either side may have written the whitespace that a token includes. Where no control token contains a caller's
   byte, the ids equal those under CRAYON_SPECIAL_ALLOW. It is not cut to limits. UNKNOWN_SPECIAL with the index of an
   id that no added token has; INVALID_ARGUMENT with the index of a range that ends before it begins, or begins before the
   previous one ends. */
CRAYON_API crayon_status crayon_encoder_begin_masked(crayon_encoder* encoder, CRAYON_READS(control_count) const uint32_t* control,
                                                     uint32_t control_count, CRAYON_READS(2 * range_count) const uint32_t* ranges,
                                                     uint32_t range_count, crayon_result* result);
/* Appends a window of the text. `last` = 1 ends it. Windows may end anywhere, even inside a character or a surrogate pair.
   UTF-16: a lone surrogate becomes U+FFFD. UTF-8: invalid bytes are kept unchanged (they are pretokenized like U+FFFD, and
   decode to the same bytes). */
CRAYON_API crayon_status crayon_encoder_feed_utf8(crayon_encoder* encoder, CRAYON_READS(length) const uint8_t* bytes,
                                                  uint32_t length, uint32_t last, crayon_result* result);
CRAYON_API crayon_status crayon_encoder_feed_utf16(crayon_encoder* encoder, CRAYON_READS(length) const uint16_t* units,
                                                   uint32_t length, uint32_t last, crayon_result* result);
/* Writes the ids that no further text can change, `count` of them; `more` is 1 if `capacity` ran out.
   Read until `more` is 0 before the next feed, so that memory stays bounded by a window plus the longest piece. */
CRAYON_API crayon_status crayon_encoder_read(crayon_encoder* encoder, CRAYON_WRITES_UP_TO(capacity) uint32_t* ids,
                                             uint32_t capacity, crayon_result* result);
/* Both in one call: appends a window, and writes the ids that are settled then. */
CRAYON_API crayon_status crayon_encoder_append_utf16(crayon_encoder* encoder, CRAYON_READS(length) const uint16_t* units,
                                                     uint32_t length, uint32_t last, CRAYON_WRITES_UP_TO(capacity) uint32_t* ids,
                                                     uint32_t capacity, crayon_result* result);
enum { CRAYON_UNIT_BYTES = 0, CRAYON_UNIT_UTF16 = 1, CRAYON_UNIT_PIECES = 2, CRAYON_UNIT_WORDS = 3, CRAYON_UNIT_SPACES = 4 };

/* The same with start and end of each id in offsets[2i] and offsets[2i + 1], counted from the start of the text. Offsets in
   bytes are exact and count UTF-8, even of a text fed as UTF-16. Offsets in UTF-16 units: an id that begins or ends inside a
   character is given the whole character; invalid bytes count as the U+FFFDs that decoding turns them into. CRAYON_UNIT_PIECES:
   start and end, in bytes, of the piece or added token that contains the id; without a pretokenizer, of a part of the text that
   no token crosses. CRAYON_UNIT_WORDS: the number of the word that the id is of, and 1 if that is an added token, or else 0.
   Words are the pieces of the normalized text and the added tokens, numbered from 0; without a pretokenizer, the text between
   added tokens is a word. CRAYON_UNIT_SPACES, only of the general path: how many characters of White_Space and U+0120 the
   normalized text of an added token, or of Unigram's unknown id, begins and ends with; 0xFFFFFFFF for other ids. Read all ids of
   a text with offsets in one unit, or all without offsets (else INVALID_ARGUMENT). TEXT_TOO_LONG if an offset needs more than 32
   bits. */
CRAYON_API crayon_status crayon_encoder_read_with_offsets(crayon_encoder* encoder, CRAYON_WRITES_UP_TO(capacity) uint32_t* ids,
                                                          CRAYON_WRITES_UP_TO(2 * capacity) uint32_t* offsets, uint32_t capacity,
                                                          uint32_t unit, crayon_result* result);
/* As crayon_encoder_read, but only counts: `count` tokens. Stops once `limit` is reached or passed (`more` = 1). */
CRAYON_API crayon_status crayon_encoder_count(crayon_encoder* encoder, uint32_t limit, crayon_result* result);

/* Encodes whole texts, each under the policy of the last crayon_encoder_begin, which lie back to back: text i is bytes or units
   [offsets[i], offsets[i + 1]), counted from offsets[0], which is where they begin. Writes their ids, one text after the other,
   and sets totals[i] to `before` and the number of ids up to the end of text i. `count`: their number. `more` = 1: the capacity
   has run out in text `position`, of which nothing is written; encode that by itself, or again with more room. `counting` = 1:
   writes no ids, and totals[i] counts tokens. A failure has the number of its text in `count`: TEXT_TOO_LONG if a total needs
   more than 32 bits. Afterwards, begin a new text. */
CRAYON_API crayon_status crayon_encoder_rows_utf8(crayon_encoder* encoder, CRAYON_READS(length) const uint8_t* bytes,
                                                  uint32_t length, CRAYON_READS(row_count + 1) const uint32_t* offsets,
                                                  uint32_t row_count, uint32_t counting, uint32_t before,
                                                  CRAYON_WRITES_UP_TO(capacity) uint32_t* ids, uint32_t capacity,
                                                  CRAYON_WRITES(row_count) uint32_t* totals, crayon_result* result);
CRAYON_API crayon_status crayon_encoder_rows_utf16(crayon_encoder* encoder, CRAYON_READS(length) const uint16_t* units,
                                                   uint32_t length, CRAYON_READS(row_count + 1) const uint32_t* offsets,
                                                   uint32_t row_count, uint32_t counting, uint32_t before,
                                                   CRAYON_WRITES_UP_TO(capacity) uint32_t* ids, uint32_t capacity,
                                                   CRAYON_WRITES(row_count) uint32_t* totals, crayon_result* result);

/* `position`: the byte of the text where the settled ids end, which no further text can change. Once all of them have been
   read, it is where the read ids end, and a safe split point (crayon_encoder_resume); but then the last `count` of these ids are
   those of text after it. Text fed as UTF-16 counts as UTF-8. */
CRAYON_API crayon_status crayon_encoder_position(const crayon_encoder* encoder, crayon_result* result);
/* The bytes that have been fed from that position on. Every text that begins with all the bytes fed so far has the same ids up
   to that position, and can be resumed there. */
CRAYON_API uint32_t crayon_encoder_bytes_beyond(const crayon_encoder* encoder);
/* Begins a text again under the policy of the last crayon_encoder_begin, at byte `position` (its low and high half), with nothing
   before it: feed the text from there on. That must be a safe split point: 0, or what crayon_encoder_position has reported of a
   text with the same bytes up to there and as many after it as had been fed. The ids are those that the whole text has from
   there on. Positions, in failures too, count from the beginning of the whole text. */
CRAYON_API crayon_status crayon_encoder_resume(crayon_encoder* encoder, uint32_t position, uint32_t position_high,
                                               crayon_result* result);

/* A lower bound of the number of tokens in the text that has been fed but is not settled yet; valid once all settled ids have
   been read. It lets a count up to a limit stop before a piece ends that is certain to exceed the limit. */
CRAYON_API uint32_t crayon_encoder_pending_tokens(const crayon_encoder* encoder);

#ifdef __cplusplus
}
#endif

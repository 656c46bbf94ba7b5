/* Texts that are edited, with their ids. */
#pragma once

#include "crayon/api/base.h"
#include "crayon/api/encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A document is a text, at most 2^31 - 1 bytes, with its ids: those that a crayon_encoder would read for the whole text, after
   every edit. An edit costs as much as encoding what changes, to the next place where the ids are those of before, and
   microseconds besides. That place is at most some hundred bytes away in ordinary text; where a piece is long, the cost is that
   of the piece. `unit`: positions are bytes (CRAYON_UNIT_BYTES), and the text is any bytes, given as UTF-8; or UTF-16 units
   (CRAYON_UNIT_UTF16), and it is given as UTF-16. Then an edit may split a surrogate pair, whose halves are U+FFFD to the
   encoder until they meet again.

   A document holds its tokenizer. For each edit it borrows an encoder of the same tokenizer, whose text is lost. A document and
   its forks share memory: one thread at a time may use any of them. */

/* An empty text. `special`, `allowed`: as in crayon_encoder_begin, for all edits; an id without a token is reported by the first
   edit. */
CRAYON_API crayon_status crayon_document_create(crayon_tokenizer* tokenizer, uint32_t special,
                                                CRAYON_READS(allowed_count) const uint32_t* allowed, uint32_t allowed_count,
                                                uint32_t unit, crayon_document** out, crayon_result* result);
/* Another document with the same text and policy, in no time. Both can be edited from there on; they share what neither has
   changed. */
CRAYON_API crayon_status crayon_document_fork(const crayon_document* document, crayon_document** out, crayon_result* result);
CRAYON_API void crayon_document_release(crayon_document* document);

/* Replaces text [start, end) by another one. out = {from, removed, inserted, length, ids}: the ids [from, from + removed)
   became `inserted` others; the text now has that length in its unit, and that number of ids. A failure leaves the text as it
   was: INVALID_ARGUMENT if the range is not in the text, TEXT_TOO_LONG, OUT_OF_MEMORY, or as in crayon_encoder_read, with the
   `position` in the text that would be. A longer text is given in parts: all but the last with crayon_document_keep_…, then the
   last one here. Parts kept are gone with the next edit, whether it fails or not, and if one cannot be kept. */
CRAYON_API crayon_status crayon_document_keep_utf8(crayon_document* document, CRAYON_READS(length) const uint8_t* bytes,
                                                   uint32_t length, crayon_result* result);
CRAYON_API crayon_status crayon_document_keep_utf16(crayon_document* document, CRAYON_READS(length) const uint16_t* units,
                                                    uint32_t length, crayon_result* result);
/* Makes a document of CRAYON_SPECIAL_LISTED one of a text that a template and its callers have written together, as in
   crayon_encoder_begin_masked: `allowed` are the ids in `control` there. Of the text of the next edit the template wrote these
   ranges, `count` ascending pairs of start and end in the document's unit; without this call the callers wrote it. Ranges in what
   no edit replaces stay. An edit of such a text may not split a surrogate pair. INVALID_ARGUMENT with the index of a range that
   ends before it begins, or begins before the previous one ends; if the document has a text and no ranges. */
CRAYON_API crayon_status crayon_document_keep_ranges(crayon_document* document, CRAYON_READS(2 * count) const uint32_t* ranges,
                                                     uint32_t count, crayon_result* result);
CRAYON_API crayon_status crayon_document_replace_utf8(crayon_document* document, crayon_encoder* encoder, uint32_t start,
                                                      uint32_t end, CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                                      uint32_t out[5], crayon_result* result);
CRAYON_API crayon_status crayon_document_replace_utf16(crayon_document* document, crayon_encoder* encoder, uint32_t start,
                                                       uint32_t end, CRAYON_READS(length) const uint16_t* units, uint32_t length,
                                                       uint32_t out[5], crayon_result* result);

/* The length of the text in its unit, and the number of its ids. */
CRAYON_API uint32_t crayon_document_length(const crayon_document* document);
CRAYON_API uint32_t crayon_document_count(const crayon_document* document);
/* Writes ids [from, to). */
CRAYON_API crayon_status crayon_document_ids(const crayon_document* document, uint32_t from, uint32_t to,
                                             CRAYON_WRITES(to - from) uint32_t* ids, crayon_result* result);
/* `count`: the number of the first token that ends after a position, by the offsets of crayon_encoder_read_with_offsets; the
   number of all ids if there is none. */
CRAYON_API crayon_status crayon_document_token_at(const crayon_document* document, crayon_encoder* encoder, uint32_t position,
                                                  crayon_result* result);
/* Writes text [from, to): units, or bytes of a document whose unit they are. */
CRAYON_API crayon_status crayon_document_text_utf16(const crayon_document* document, uint32_t from, uint32_t to,
                                                    CRAYON_WRITES(to - from) uint16_t* units, crayon_result* result);
CRAYON_API crayon_status crayon_document_text_utf8(const crayon_document* document, uint32_t from, uint32_t to,
                                                   CRAYON_WRITES(to - from) uint8_t* bytes, crayon_result* result);

#ifdef __cplusplus
}
#endif

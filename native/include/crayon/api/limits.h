/* Texts within a limit of tokens: their beginning, their end, or all of them in parts (native/src/limits/part_cutter.h: the
   rule). */
#pragma once

#include "crayon/api/encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CRAYON_KEEP_BEGIN = 0, CRAYON_KEEP_END = 1 };

/* Cuts a UTF-8 text to a limit, under the policy of the last crayon_encoder_begin: keeps a beginning or an end of it that has at
   most `limit` tokens when it is encoded alone. `count`: its length in `unit`, CRAYON_UNIT_BYTES or CRAYON_UNIT_UTF16 (of
   well-formed text); 0 if not even one character fits. `whole` = 0: the text goes on after it, or before it if its end is kept;
   `more` = 1: what is kept depends on that, and `count` is not set. A forbidden special token is an error if it would be kept;
   `position` counts from the text's first byte. The bytes are read several times. Cost: linear in what is kept, with a factor
   that part_cutter.h gives. Afterwards, begin a new text. */
CRAYON_API crayon_status crayon_encoder_fit(crayon_encoder* encoder, CRAYON_READS(length) const uint8_t* bytes, uint32_t length,
                                            uint32_t whole, uint32_t limit, uint32_t side, uint32_t unit, crayon_result* result);
/* The same for a text in UTF-16, with `count` in its units. */
CRAYON_API crayon_status crayon_encoder_fit_utf16(crayon_encoder* encoder, CRAYON_READS(length) const uint16_t* units,
                                                  uint32_t length, uint32_t whole, uint32_t limit, uint32_t side,
                                                  crayon_result* result);

enum {
    CRAYON_CUT_ANYWHERE = 0, /* at any token and grapheme cluster */
    CRAYON_CUT_TEXT = 1,     /* at paragraphs, sentences, lines, words */
    CRAYON_CUT_MARKDOWN = 2, /* at headings, blocks, items and rows; fences and tables that fit stay whole */
    CRAYON_CUT_CODE = 3,     /* at the blocks that blank lines and indentation show */
    CRAYON_CUT_LISTED = 4    /* at given strings, the strongest first, then words */
};

/* The text that crayon_encoder_begin has begun is to be cut into parts of at most `limit` (> 0) tokens each when encoded alone,
   of which each begins with up to `overlap` (< limit) of the last tokens of the part before. `unit` is that of positions, as
   above; `cuts` is CRAYON_CUT_…. For CRAYON_CUT_LISTED, `separators` has `count` strings back to back, `length` bytes in all, and
   `numbers` two numbers for each: its length in bytes, and how many of these stay before the cut. Feed it as any text. Instead of
   ids, crayon_encoder_read then gives three numbers for each part that is decided: its begin, its end, and its tokens. If a
   character does not fit, there are no further parts, and the last three numbers are its position, twice, and its number of
   tokens. crayon_encoder_position gives the bytes that the encoder has read so far, in all texts: some text is read several
   times. The lists are copied. INVALID_ARGUMENT, also after crayon_encoder_begin_masked. */
CRAYON_API crayon_status crayon_encoder_begin_parts(crayon_encoder* encoder, uint32_t limit, uint32_t overlap, uint32_t unit,
                                                    uint32_t cuts, CRAYON_READS(length) const uint8_t* separators,
                                                    uint32_t length, CRAYON_READS(2 * count) const uint32_t* numbers,
                                                    uint32_t count, crayon_result* result);
/* The same for the rows of a new job that encodes ids: each gives the numbers of its parts instead, with positions in the row. */
typedef struct crayon_part_form {
    uint32_t limit, overlap, unit, cuts;
    const uint8_t* separators;
    const uint32_t* numbers;
    uint32_t length; /* of all separators */
    uint32_t count;
} crayon_part_form;
CRAYON_API crayon_status crayon_job_set_parts(crayon_job* job, const crayon_part_form* form, crayon_result* result);

#ifdef __cplusplus
}
#endif

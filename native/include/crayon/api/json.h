/* Lines of JSON. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (Not in the WebAssembly modules.) Texts of lines such as {"id":7,"text":"one"}, as most of them are. Any line that is not an
   object with a string at the path of keys is left to the host; so are rare forms of others, such as keys with escapes: the
   host's reader of JSON decides. Of equal keys the last counts. Lone surrogates become U+FFFD. */

typedef struct crayon_json_row {
    uint32_t line;   /* where its line begins in the input */
    uint32_t length; /* of its text */
} crayon_json_row;

typedef struct crayon_json_progress {
    uint32_t consumed; /* bytes of the input: whole lines */
    uint32_t produced; /* bytes of texts */
    uint32_t rows;
    uint32_t empty; /* lines whose text is empty, which have no row */
    uint32_t stuck; /* 1: the next line is left to the host */
} crayon_json_progress;

/* `kernel`: as in crayon_tokenizer_create. Key i of the path is keys[key_ends[i - 1], key_ends[i]), of at most 16. The input is
   UTF-8 of at most 2^31 bytes; lines end with LF, and one without it is left to the host. `bytes` has room for as many bytes as
   the input has. Stops when it has `max_bytes` bytes, or all rows are used. */
CRAYON_API crayon_status crayon_json_texts(CRAYON_READS(kernel_length) const char* kernel, uint32_t kernel_length,
                                           CRAYON_READS(key_ends[key_count - 1]) const uint8_t* keys,
                                           CRAYON_READS(key_count) const uint32_t* key_ends, uint32_t key_count,
                                           CRAYON_READS(length) const uint8_t* input, uint32_t length,
                                           CRAYON_WRITES(length) uint8_t* bytes, uint32_t max_bytes,
                                           CRAYON_WRITES(row_capacity) crayon_json_row* rows, uint32_t row_capacity,
                                           CRAYON_WRITES(1) crayon_json_progress* progress, crayon_result* result);

#ifdef __cplusplus
}
#endif

/* The engine's C interface: the one header that the Node addon, the WASM module, fuzzers and tools see.
 *
 * Rules that hold for every function
 * - Handles are opaque. `create`/`open` gives one, `release` takes it back; NULL is accepted by `release`.
 * - Lengths and counts are u32 per call. Text of any length goes in as several feeds.
 * - Bytes handed in are copied before the function returns, and are read once.
 * - Results go into a crayon_result of plain u32; `status` there equals the returned status.
 * - Nothing throws, aborts or prints. An allocation that fails gives CRAYON_OUT_OF_MEMORY.
 * - Cartridges and tokenizers are immutable: any thread may use them at once. An encoder serves one thread at a time.
 */
#ifndef CRAYON_CRAYON_H
#define CRAYON_CRAYON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define CRAYON_API __declspec(dllexport)
#else
#define CRAYON_API __attribute__((visibility("default")))
#endif

enum {
#define CRAYON_STATUS(name, number, sentence) CRAYON_##name = number,
#include "crayon/status.def"
#undef CRAYON_STATUS
    CRAYON_STATUS_COUNT
};

typedef uint32_t crayon_status;
typedef struct crayon_cartridge crayon_cartridge;
typedef struct crayon_tokenizer crayon_tokenizer;
typedef struct crayon_encoder crayon_encoder;
typedef struct crayon_compiler crayon_compiler;

typedef struct crayon_result {
    uint32_t status;
    uint32_t section;       /* the cartridge section a load error is about; 0 = header and section table */
    uint32_t position;      /* low half; its unit is named in status.def */
    uint32_t position_high; /* high half */
    uint32_t count;         /* ids, bytes or tokens produced by this call */
    uint32_t more;          /* 1: the output was full and another call continues */
} crayon_result;

/* "OUT_OF_MEMORY" …, and its sentence. NULL for a number without a row. */
CRAYON_API const char* crayon_status_name(crayon_status status);
CRAYON_API const char* crayon_status_sentence(crayon_status status);

/* --- kernels: the instruction-set rows of the SIMD code ----------------------------------------------- */

/* Name of row `index` that this machine can run, best first; NULL past the last one ("scalar"). */
CRAYON_API const char* crayon_kernel_name(uint32_t index);

/* --- cartridges --------------------------------------------------------------------------------------- */

enum {
    CRAYON_OPEN_NO_CHECKSUM = 1, /* trust the bytes' integrity; the structure is validated all the same */
    CRAYON_OPEN_COPY = 2         /* read the file into private memory instead of mapping it */
};

/* Opens a cartridge file, or returns the one this process has open already (same device, inode, size, mtime).
   `path` is UTF-8. Cost: one pass over the file the first time (of a slim one: some 0.1 s, which make it full in private
   memory), microseconds afterwards. */
CRAYON_API crayon_status crayon_cartridge_open_file(const char* path, uint32_t path_length, uint32_t flags,
                                                    crayon_cartridge** out, crayon_result* result);
/* The same from bytes in memory, which are copied. */
CRAYON_API crayon_status crayon_cartridge_open_bytes(const void* bytes, uint32_t length, uint32_t flags,
                                                     crayon_cartridge** out, crayon_result* result);
/* Version 2: a `.dat`, which is a double array alone, of a longest-match vocabulary; its arrays are used in place. What it
   spells are the tokens of its ids. Token i of the list (that of the `.json` beside it, strings as UTF-8) is
   token_bytes[token_offsets[i], token_offsets[i + 1]) and says what the ids are that the trie does not hold; where the trie
   holds an id, the list says the same or nothing, but for tokens with a U+FFFD, which stands for lost bytes.
   token_count 0: there is no list, and all tokens are read off the trie.
   `unknown_id` (0xFFFFFFFF: none): the id of a character at which no token begins. The one view has no name to speak of
   ("default"), the scanner "none" and no added tokens; the metadata is {}. No checksum: version 2 has none. Refused with
   CORRUPT_STRUCTURE, `section` 0 and the byte of the file in `position`, before anything of it is used; the list with
   INVALID_ARGUMENT, its index in `position`. Cost: a pass over the file; with a file that this process has open already
   for the same list and unknown id, microseconds and a pass over the list. */
CRAYON_API crayon_status crayon_cartridge_open_dat_file(const char* path, uint32_t path_length, uint32_t flags,
                                                        const uint8_t* token_bytes, uint32_t byte_count,
                                                        const uint32_t* token_offsets, uint32_t token_count,
                                                        uint32_t unknown_id, crayon_cartridge** out,
                                                        crayon_result* result);
CRAYON_API crayon_status crayon_cartridge_open_dat_bytes(const void* bytes, uint32_t length, uint32_t flags,
                                                         const uint8_t* token_bytes, uint32_t byte_count,
                                                         const uint32_t* token_offsets, uint32_t token_count,
                                                         uint32_t unknown_id, crayon_cartridge** out,
                                                         crayon_result* result);
CRAYON_API void crayon_cartridge_release(crayon_cartridge* cartridge);

/* Views: the named tokenizers in the file (o200k_base, o200k_harmony). NULL past the last one. Not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_view_name(const crayon_cartridge* cartridge, uint32_t index, uint32_t* length);
/* The metadata section: one JSON object, UTF-8, not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_metadata(const crayon_cartridge* cartridge, uint32_t* length);
/* Row `index` of the section table: out = {id, flags, offset, length}; returns 0 past the last one, else 1. */
CRAYON_API uint32_t crayon_cartridge_section(const crayon_cartridge* cartridge, uint32_t index, uint32_t out[4]);

/* --- tokenizers: one view of a cartridge -------------------------------------------------------------- */

/* `kernel` (may be empty) forces a row of the SIMD code by name. The tokenizer keeps the cartridge open. */
CRAYON_API crayon_status crayon_tokenizer_create(crayon_cartridge* cartridge, uint32_t view_index, const char* kernel,
                                                 uint32_t kernel_length, crayon_tokenizer** out, crayon_result* result);
CRAYON_API void crayon_tokenizer_release(crayon_tokenizer* tokenizer);

/* Greatest id + 1, special tokens included. */
CRAYON_API uint32_t crayon_tokenizer_vocabulary_size(const crayon_tokenizer* tokenizer);
/* "bpe", "longest-match" */
CRAYON_API const char* crayon_tokenizer_model(const crayon_tokenizer* tokenizer);
/* "gpt2", "cl100k", "o200k", "qwen2"; "none": the text is not cut into pieces before matching */
CRAYON_API const char* crayon_tokenizer_scanner(const crayon_tokenizer* tokenizer);
/* The id of a character at which no token of a longest-match vocabulary begins; 0xFFFFFFFF if there is none. */
CRAYON_API uint32_t crayon_tokenizer_unknown_id(const crayon_tokenizer* tokenizer);
/* The row of the SIMD code in use. */
CRAYON_API const char* crayon_tokenizer_kernel(const crayon_tokenizer* tokenizer);

enum { CRAYON_ADDED_SPECIAL = 1 }; /* flag of an added token: governed by the special-token policy */

/* Added token `index`, in ascending order of id: its bytes, out = {length, id, flags}. NULL past the last one. */
CRAYON_API const uint8_t* crayon_tokenizer_added_token(const crayon_tokenizer* tokenizer, uint32_t index, uint32_t out[3]);

/* Bytes of a token, special or not; NULL (length 0) if the id is not in the vocabulary. Not NUL-terminated. */
CRAYON_API const uint8_t* crayon_tokenizer_token_bytes(const crayon_tokenizer* tokenizer, uint32_t id, uint32_t* length);
/* The id whose bytes are these, special tokens included; 0xFFFFFFFF if there is none. */
CRAYON_API uint32_t crayon_tokenizer_id_of(const crayon_tokenizer* tokenizer, const uint8_t* bytes, uint32_t length);

enum { CRAYON_DECODE_SKIP_SPECIAL = 1 };

/* Number of bytes the ids decode to, in `count` (INVALID_ID with its index in `position`;
   TEXT_TOO_LONG if it does not fit 32 bits). */
CRAYON_API crayon_status crayon_decode_length(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count,
                                              uint32_t flags, crayon_result* result);
/* Writes those bytes, `count` of them, in one pass: no need to ask for their number first. Where `capacity` ends, it stops
   behind a whole token with `more` = 1. `position` is the index of the first id that was not written: the next call goes
   on there (with more capacity, if not even one token fits); with INVALID_ID it is the index of that id. Bytes from
   `count` to `capacity` may be overwritten. */
CRAYON_API crayon_status crayon_decode(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count,
                                       uint32_t flags, uint8_t* bytes, uint32_t capacity, crayon_result* result);

/* --- encoding ----------------------------------------------------------------------------------------- */

enum {
    CRAYON_SPECIAL_AS_TEXT = 0, /* a special token in the text is ordinary text */
    CRAYON_SPECIAL_ALLOW = 1,   /* it becomes its id */
    CRAYON_SPECIAL_FORBID = 2,  /* it is an error, SPECIAL_FORBIDDEN */
    CRAYON_SPECIAL_LISTED = 3   /* those listed become their ids, others are ordinary text */
};

CRAYON_API crayon_status crayon_encoder_create(crayon_tokenizer* tokenizer, crayon_encoder** out, crayon_result* result);
CRAYON_API void crayon_encoder_release(crayon_encoder* encoder);

/* Starts a new text; whatever was pending is dropped. `allowed`: ids of added tokens, with CRAYON_SPECIAL_LISTED. */
CRAYON_API crayon_status crayon_encoder_begin(crayon_encoder* encoder, uint32_t special, const uint32_t* allowed,
                                              uint32_t allowed_count, crayon_result* result);
/* Appends a window of the text. `last` = 1 ends it. Windows may cut anywhere, inside a character or a surrogate pair too.
   UTF-16: a lone surrogate becomes U+FFFD. UTF-8: bytes that are not UTF-8 are kept as they are (they are pretokenized
   like U+FFFD, and decode to the same bytes). */
CRAYON_API crayon_status crayon_encoder_feed_utf8(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length,
                                                  uint32_t last, crayon_result* result);
CRAYON_API crayon_status crayon_encoder_feed_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length,
                                                   uint32_t last, crayon_result* result);
/* Writes the ids that the text fed so far decides: `count` of them; `more` = 1 when `capacity` ended it.
   Read until `more` is 0 before the next feed, so that memory stays bounded by a window plus the longest piece. */
CRAYON_API crayon_status crayon_encoder_read(crayon_encoder* encoder, uint32_t* ids, uint32_t capacity,
                                             crayon_result* result);
enum { CRAYON_UNIT_BYTES = 0, CRAYON_UNIT_UTF16 = 1 };

/* The same with start and end of each id in offsets[2i] and offsets[2i + 1], counted from the start of the text. Bytes are
   exact: those of UTF-8, whichever way the text came. UTF-16: an id that begins or ends inside a character gets the whole
   of it; a byte sequence that is not UTF-8 counts as the U+FFFDs that decoding makes of it. All ids of a text are read with
   offsets and in one unit, or none are (else INVALID_ARGUMENT). TEXT_TOO_LONG if an offset needs more than 32 bits. */
CRAYON_API crayon_status crayon_encoder_read_with_offsets(crayon_encoder* encoder, uint32_t* ids, uint32_t* offsets,
                                                          uint32_t capacity, uint32_t unit, crayon_result* result);
/* As crayon_encoder_read, without ids: `count` tokens, at least until `limit` is reached (`more` = 1 when that ended it). */
CRAYON_API crayon_status crayon_encoder_count(crayon_encoder* encoder, uint32_t limit, crayon_result* result);

/* How many tokens, at least, the text will have that has been fed and is not decided yet, once everything due is read: a
   count that stops early need not wait for the end of a piece that is longer than its limit can be. */
CRAYON_API uint32_t crayon_encoder_pending_tokens(const crayon_encoder* encoder);

/* Cuts a part from a text of UTF-8: as many tokens from byte `start` as `limit` allows, so that the part, encoded alone
   under the policy of the last crayon_encoder_begin, has at most `limit` of them. It ends where one of the text's own tokens
   ends, as far as that is between two characters. out = {end of the part, its tokens, where its last `overlap` tokens
   begin} (the last moved on to the next character, if it would be inside one).
   If even one character needs more than `limit` tokens, the part is empty and out[1] is what that character needs.
   `last` = 0: the text goes on behind `length`; `more` = 1 says that the part depends on that, and out is not set.
   A special token that is forbidden is an error if it would be in the part; `position` counts from the text's first byte.
   Cost: linear in the part. The bytes are read several times and must not change meanwhile. Begin anew afterwards. */
CRAYON_API crayon_status crayon_encoder_fit(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length,
                                            uint32_t start, uint32_t last, uint32_t limit, uint32_t overlap,
                                            uint32_t out[3], crayon_result* result);

/* --- build time: makes cartridges --------------------------------------------------------------------- */

CRAYON_API crayon_status crayon_compiler_create(crayon_compiler** out, crayon_result* result);
CRAYON_API void crayon_compiler_release(crayon_compiler* compiler);
/* Byte-level BPE ranks: token i (its id and rank) is bytes[offsets[i], offsets[i + 1]); an empty one is a hole, an id that
   has no token. All 256 single bytes must be there. */
CRAYON_API crayon_status crayon_compiler_set_bpe(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                 const uint32_t* offsets, uint32_t token_count, crayon_result* result);
/* In place of ranks, a longest-match vocabulary: at each place of a text its longest token there, and where none begins,
   `unknown_id` for the character (a byte that is not UTF-8 counts as one as in crayon_encoder_read_with_offsets), or the
   error UNKNOWN_CHARACTER if `unknown_id` is 0xFFFFFFFF. Tokens as in crayon_compiler_set_bpe, but any: no byte need be
   there. `unknown_id` is that of a token or of none. */
CRAYON_API crayon_status crayon_compiler_set_longest_match(crayon_compiler* compiler, const uint8_t* bytes,
                                                           uint32_t byte_count, const uint32_t* offsets,
                                                           uint32_t token_count, uint32_t unknown_id,
                                                           crayon_result* result);
/* One JSON object. */
CRAYON_API crayon_status crayon_compiler_set_metadata(crayon_compiler* compiler, const char* json, uint32_t length,
                                                      crayon_result* result);
/* A scanner is one of those of crayon_tokenizer_scanner; "none" for longest match alone, which may have any of them: then
   each piece is matched on its own. */
CRAYON_API crayon_status crayon_compiler_add_view(crayon_compiler* compiler, const char* name, uint32_t name_length,
                                                  const char* scanner, uint32_t scanner_length, crayon_result* result);
/* Adds a token to the view added last. */
CRAYON_API crayon_status crayon_compiler_add_token(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                                   uint32_t id, uint32_t flags, crayon_result* result);
/* In place of all the above: what an open cartridge holds, vocabulary, metadata and views. */
CRAYON_API crayon_status crayon_compiler_set_cartridge(crayon_compiler* compiler, const crayon_cartridge* cartridge,
                                                       crayon_result* result);

/* Builds the file in memory. The bytes belong to the compiler, until the next call. The same input gives the same bytes,
   always. */
CRAYON_API crayon_status crayon_compiler_finish(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result);
/* The same as a slim file: small, and made full in memory whenever it is opened. */
CRAYON_API crayon_status crayon_compiler_finish_slim(crayon_compiler* compiler, const uint8_t** bytes,
                                                     crayon_result* result);
/* A longest-match vocabulary as a version 2 `.dat`: the trie alone, without views, metadata and unknown id. The tokens as
   text, the `.json` beside it, are the caller's to write. After crayon_compiler_set_cartridge with a cartridge that was
   opened from a `.dat`: the bytes of that. INVALID_ARGUMENT for ranks. */
CRAYON_API crayon_status crayon_compiler_finish_dat(crayon_compiler* compiler, const uint8_t** bytes,
                                                    crayon_result* result);

#ifdef __cplusplus
}
#endif
#endif

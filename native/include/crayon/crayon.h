/* The engine's C interface: the only header that the Node addon, the WASM modules and tools include.
 *
 * Rules that hold for every function
 * - Handles are opaque. `create` and `open` return one, `release` frees it; `release` accepts NULL.
 * - Lengths and counts are u32 per call. Feed a longer text in several calls, or give it to a job.
 * - Input bytes are read only once, and copied before the function returns.
 * - Results go into a crayon_result of plain u32; its `status` equals the returned status.
 * - Nothing throws, aborts or prints. A failed allocation returns CRAYON_OUT_OF_MEMORY.
 * - Cartridges and tokenizers are immutable: several threads may use one at once. An encoder is used by one thread at a
 *   time.
 */
#ifndef CRAYON_CRAYON_H
#define CRAYON_CRAYON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CRAYON_STATIC) /* linked into a library that has its own exports */
#define CRAYON_API
#elif defined(_WIN32)
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
typedef struct crayon_pool crayon_pool;
typedef struct crayon_job crayon_job;
typedef struct crayon_mapped_text crayon_mapped_text;
typedef struct crayon_document crayon_document;

typedef struct crayon_result {
    uint32_t status;
    uint32_t section;       /* the cartridge section a load error is about; 0 = header and section table */
    uint32_t position;      /* low half; its unit is named in status.def */
    uint32_t position_high; /* high half */
    uint32_t count;         /* ids, bytes or tokens produced by this call */
    uint32_t more;          /* 1: the output was full and another call continues */
} crayon_result;

/* The name of a status ("OUT_OF_MEMORY") and its sentence; NULL for an unknown number. */
CRAYON_API const char* crayon_status_name(crayon_status status);
CRAYON_API const char* crayon_status_sentence(crayon_status status);

/* --- kernels: the SIMD code, one variant per instruction set ------------------------------------------ */

/* The name of kernel `index` in the list of kernels that this machine can run, best first; NULL past the last one ("scalar"). */
CRAYON_API const char* crayon_kernel_name(uint32_t index);

/* --- cartridges --------------------------------------------------------------------------------------- */

enum {
    CRAYON_OPEN_NO_CHECKSUM = 1, /* skip the checksum; the structure is validated all the same */
    CRAYON_OPEN_COPY = 2         /* read the file into private memory instead of mapping it */
};

/* Opens a cartridge file. A file that this process has open already is shared (same device, inode, size, mtime and ctime, and
   not changed within the last milliseconds). `path` is UTF-8. Cost: one pass over the file the first time, microseconds
   afterwards. A slim file takes about 0.1 s the first time: it is expanded in private memory. */
CRAYON_API crayon_status crayon_cartridge_open_file(const char* path, uint32_t path_length, uint32_t flags,
                                                    crayon_cartridge** out, crayon_result* result);
/* The same from bytes in memory, which are copied. */
CRAYON_API crayon_status crayon_cartridge_open_bytes(const void* bytes, uint32_t length, uint32_t flags, crayon_cartridge** out,
                                                     crayon_result* result);
/* Opens a file of version 2, a `.dat`: the double array of a longest-match vocabulary and nothing else. Its arrays are
   used in place; the byte strings in it are the tokens.
   The list (the `.json` beside the file, strings as UTF-8) has the tokens of the ids that the trie does not hold: token
   i is token_bytes[token_offsets[i], token_offsets[i + 1]). For an id that the trie holds, the list must have the same
   token or an empty one, unless the token contains U+FFFD, which stands for lost bytes. token_count 0: there is no
   list, and all tokens come from the trie.
   `unknown_id` (0xFFFFFFFF: none) is the id of a character at which no token begins. With CRAYON_UNKNOWN_BYTES added, each byte
   of that character gets the id, as in CRAYON's own engine. The file has one view, "default", with the pretokenizer "none" and
   no added tokens; its metadata is {}. Version 2 has no checksum. An invalid file is refused with CORRUPT_STRUCTURE (`section`
   0, the byte of the file in `position`) before any of it is used; an invalid list with INVALID_ARGUMENT and the index of the
   token in `position`. Cost: a pass over the file; for a file that this process has open already with the same list and unknown
   id, microseconds and a pass over the list. */
#define CRAYON_UNKNOWN_BYTES 0x40000000u
CRAYON_API crayon_status crayon_cartridge_open_dat_file(const char* path, uint32_t path_length, uint32_t flags,
                                                        const uint8_t* token_bytes, uint32_t byte_count,
                                                        const uint32_t* token_offsets, uint32_t token_count, uint32_t unknown_id,
                                                        crayon_cartridge** out, crayon_result* result);
CRAYON_API crayon_status crayon_cartridge_open_dat_bytes(const void* bytes, uint32_t length, uint32_t flags,
                                                         const uint8_t* token_bytes, uint32_t byte_count,
                                                         const uint32_t* token_offsets, uint32_t token_count, uint32_t unknown_id,
                                                         crayon_cartridge** out, crayon_result* result);
CRAYON_API void crayon_cartridge_release(crayon_cartridge* cartridge);

/* Maps bytes [begin, begin + length) of a text file, given by an open descriptor, so that jobs can read them without a copy.
   The mapping lasts until it is unmapped; the descriptor may be closed earlier. Touching a page beyond the end of a truncated
   file ends the process (SIGBUS), so use this only for files that never shrink: crayon_text_cannot_shrink returns 1 for a file
   that nobody can truncate, because it is sealed (memfd) or its file system is mounted read-only. FILE_UNREADABLE if it cannot
   be mapped (not a regular file, or not a POSIX system), INVALID_ARGUMENT for zero bytes. Cost: microseconds; pages are read
   when they are first touched. */
CRAYON_API uint32_t crayon_text_cannot_shrink(int32_t descriptor);
CRAYON_API crayon_status crayon_text_map(int32_t descriptor, uint64_t begin, uint32_t length, const uint8_t** bytes,
                                         crayon_mapped_text** out, crayon_result* result);
CRAYON_API void crayon_text_unmap(crayon_mapped_text* text);

/* Views: the named tokenizers in the file (o200k_base, o200k_harmony). NULL past the last one. Not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_view_name(const crayon_cartridge* cartridge, uint32_t index, uint32_t* length);
/* The metadata section: one JSON object, UTF-8, not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_metadata(const crayon_cartridge* cartridge, uint32_t* length);
/* Row `index` of the section table: out = {id, flags, offset, length}; returns 0 past the last one, else 1. */
CRAYON_API uint32_t crayon_cartridge_section(const crayon_cartridge* cartridge, uint32_t index, uint32_t out[4]);

/* --- tokenizers: one view of a cartridge -------------------------------------------------------------- */

/* `kernel` is the name of a kernel, or empty for the best one. The tokenizer keeps the cartridge open. */
CRAYON_API crayon_status crayon_tokenizer_create(crayon_cartridge* cartridge, uint32_t view_index, const char* kernel,
                                                 uint32_t kernel_length, crayon_tokenizer** out, crayon_result* result);
/* Another owner, who releases it too. */
CRAYON_API void crayon_tokenizer_retain(crayon_tokenizer* tokenizer);
CRAYON_API void crayon_tokenizer_release(crayon_tokenizer* tokenizer);

/* Greatest id + 1, special tokens included. */
CRAYON_API uint32_t crayon_tokenizer_vocabulary_size(const crayon_tokenizer* tokenizer);
/* "bpe", "longest-match", "dna", "wordpiece" (WordLevel, too), "unigram" */
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
   job on; these keep a higher limit that they already have. 0: the default, 13 MiB. From any thread. */
CRAYON_API void crayon_tokenizer_cache_limit(crayon_tokenizer* tokenizer, uint64_t bytes);
/* out = {bytes of the cartridge in a mapped file, its bytes in private memory, bytes of the caches of the encoders in pools,
   idle or working}. All tokenizers of a file share a cartridge. For encoders that the host created, see
   crayon_encoder_cache_bytes. From any thread. */
CRAYON_API void crayon_tokenizer_memory(const crayon_tokenizer* tokenizer, uint64_t out[3]);

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
CRAYON_API const uint8_t* crayon_tokenizer_added_token(const crayon_tokenizer* tokenizer, uint32_t index, uint32_t out[3]);

/* The ids that a model expects around a text (its beginning and end), for callers that ask for them: out = {how many come
   before, how many after}. */
CRAYON_API const uint32_t* crayon_tokenizer_template(const crayon_tokenizer* tokenizer, uint32_t out[2]);

/* Bytes of a token, special or not; NULL (length 0) if the id is not in the vocabulary. Not NUL-terminated. A token without
   characters also has length 0. */
CRAYON_API const uint8_t* crayon_tokenizer_token_bytes(const crayon_tokenizer* tokenizer, uint32_t id, uint32_t* length);
/* The id of the token with these bytes, special or not; 0xFFFFFFFF if there is none. */
CRAYON_API uint32_t crayon_tokenizer_id_of(const crayon_tokenizer* tokenizer, const uint8_t* bytes, uint32_t length);

enum { CRAYON_DECODE_SKIP_SPECIAL = 1 };

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

/* --- encoding ----------------------------------------------------------------------------------------- */

enum {
    CRAYON_SPECIAL_AS_TEXT = 0, /* a special token in the text is ordinary text */
    CRAYON_SPECIAL_ALLOW = 1,   /* it becomes its id */
    CRAYON_SPECIAL_FORBID = 2,  /* it is an error, SPECIAL_FORBIDDEN */
    CRAYON_SPECIAL_LISTED = 3   /* those listed become their ids, others are ordinary text */
};

CRAYON_API crayon_status crayon_encoder_create(crayon_tokenizer* tokenizer, crayon_encoder** out, crayon_result* result);
CRAYON_API void crayon_encoder_release(crayon_encoder* encoder);

/* Limits the piece cache of an encoder, which keeps pieces of text with their ids from one text to the next. The default is 13
   MiB. Call it at any time in the encoder's thread; a limit below the current size frees the whole cache. With a limit under 26
   MiB the cache grows as pieces come, and is cleared when pieces of another text fill it. With a higher limit it grows beyond
   13 MiB, up to 256 MiB, when pieces recur that did not fit; while pieces move to a larger table, both tables count. A full
   cache replaces one piece by another. Any limit leaves about 16 KiB in use. No id depends on the cache. If an allocation
   fails, the cache keeps its size. */
#define CRAYON_HAS_CACHE_LIMIT 1
CRAYON_API crayon_status crayon_encoder_cache_limit(crayon_encoder* encoder, uint64_t bytes, crayon_result* result);
/* The current size of that cache in bytes. */
CRAYON_API uint64_t crayon_encoder_cache_bytes(const crayon_encoder* encoder);

/* Starts a new text; any pending one is dropped. `allowed`: ids of added tokens, with CRAYON_SPECIAL_LISTED. */
CRAYON_API crayon_status crayon_encoder_begin(crayon_encoder* encoder, uint32_t special, const uint32_t* allowed,
                                              uint32_t allowed_count, crayon_result* result);
/* Starts a new text that a template and its callers have written together, such as a chat. The template wrote the bytes within
   `ranges`: `range_count` ascending pairs of a first byte and the byte after the last one, in bytes of the text as UTF-8. The
   callers wrote all others. Control tokens are the special tokens and the added tokens with the ids in `control`. They match
   only where the template wrote every byte of them. Ranges may touch, and a token may span two that do. A control token that
   contains a caller's byte does not match: a shorter one, or one that begins later, may match instead. Other added tokens match
   anywhere, and either side may have written the whitespace that a token includes. Where no control token contains a caller's
   byte, the ids equal those under CRAYON_SPECIAL_ALLOW. crayon_encoder_fit may not follow. UNKNOWN_SPECIAL with the index of an
   id that no added token has; INVALID_ARGUMENT with the index of a range that ends before it begins, or begins before the
   previous one ends. */
CRAYON_API crayon_status crayon_encoder_begin_masked(crayon_encoder* encoder, const uint32_t* control, uint32_t control_count,
                                                     const uint32_t* ranges, uint32_t range_count, crayon_result* result);
/* Appends a window of the text. `last` = 1 ends it. Windows may end anywhere, even inside a character or a surrogate pair.
   UTF-16: a lone surrogate becomes U+FFFD. UTF-8: invalid bytes are kept unchanged (they are pretokenized like U+FFFD, and
   decode to the same bytes). */
CRAYON_API crayon_status crayon_encoder_feed_utf8(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length, uint32_t last,
                                                  crayon_result* result);
CRAYON_API crayon_status crayon_encoder_feed_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length, uint32_t last,
                                                   crayon_result* result);
/* Writes the ids that no further text can change, `count` of them; `more` is 1 if `capacity` ran out.
   Read until `more` is 0 before the next feed, so that memory stays bounded by a window plus the longest piece. */
CRAYON_API crayon_status crayon_encoder_read(crayon_encoder* encoder, uint32_t* ids, uint32_t capacity, crayon_result* result);
enum { CRAYON_UNIT_BYTES = 0, CRAYON_UNIT_UTF16 = 1, CRAYON_UNIT_PIECES = 2, CRAYON_UNIT_WORDS = 3 };

/* The same with start and end of each id in offsets[2i] and offsets[2i + 1], counted from the start of the text. Offsets in
   bytes are exact and count UTF-8, even of a text fed as UTF-16. Offsets in UTF-16 units: an id that begins or ends inside a
   character is given the whole character; invalid bytes count as the U+FFFDs that decoding turns them into. CRAYON_UNIT_PIECES:
   start and end, in bytes, of the piece or added token that contains the id; without a pretokenizer, of a part of the text that
   no token crosses. CRAYON_UNIT_WORDS: the number of the word that the id is of, and 1 if that is an added token, or else 0.
   Words are the pieces of the normalized text and the added tokens, numbered from 0; without a pretokenizer, the text between
   added tokens is a word. Read all ids of a text with offsets in one unit, or all without offsets (else INVALID_ARGUMENT).
   TEXT_TOO_LONG if an offset needs more than 32 bits. */
CRAYON_API crayon_status crayon_encoder_read_with_offsets(crayon_encoder* encoder, uint32_t* ids, uint32_t* offsets,
                                                          uint32_t capacity, uint32_t unit, crayon_result* result);
/* As crayon_encoder_read, but only counts: `count` tokens. Stops once `limit` is reached or passed (`more` = 1). */
CRAYON_API crayon_status crayon_encoder_count(crayon_encoder* encoder, uint32_t limit, crayon_result* result);

/* `position`: the byte of the text where the settled ids end, which no further text can change. Once all of them have been
   read, it is where the read ids end. Text fed as UTF-16 counts as UTF-8. */
CRAYON_API crayon_status crayon_encoder_position(const crayon_encoder* encoder, crayon_result* result);

/* A lower bound of the number of tokens in the text that has been fed but is not settled yet; valid once all settled ids have
   been read. It lets a count up to a limit stop before a piece ends that is certain to exceed the limit. */
CRAYON_API uint32_t crayon_encoder_pending_tokens(const crayon_encoder* encoder);

/* Cuts a part from a UTF-8 text: as much from byte `start` as `limit` allows, so that the part, encoded alone under the policy
   of the last crayon_encoder_begin, has at most `limit` tokens. It ends where a token of the whole text ends, if that is
   between two characters. out = {end of the part, its number of tokens, where its last `overlap` tokens begin}; the last is
   moved to the next character if it would be inside one.
   If even one character needs more than `limit` tokens, the part is empty and out[1] is the number that it needs. `last` = 0:
   the text continues after `length`. `more` = 1: the part depends on that continuation, and out is not set. A forbidden special
   token is an error if it would be in the part; `position` counts from the text's first byte. Cost: linear in the part, and in
   a few hundred bytes of text around its end. A next part that begins where this one ends, or where its last `overlap` tokens
   do, shares most of its tokens with this one: it costs little more than encoding the new tokens. (Not if the pieces of the two
   parts never align, or NFC rewrites a whole part as one stretch.) The bytes are read several times, and must not change until
   the next crayon_encoder_begin. Afterwards, begin a new text. */
CRAYON_API crayon_status crayon_encoder_fit(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length, uint32_t start,
                                            uint32_t last, uint32_t limit, uint32_t overlap, uint32_t out[3],
                                            crayon_result* result);

/* --- texts that are edited ------------------------------------------------------------------------------ */

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
CRAYON_API crayon_status crayon_document_create(crayon_tokenizer* tokenizer, uint32_t special, const uint32_t* allowed,
                                                uint32_t allowed_count, uint32_t unit, crayon_document** out,
                                                crayon_result* result);
/* Another document with the same text and policy, in no time. Both can be edited from there on; they share what neither has
   changed. */
CRAYON_API crayon_status crayon_document_fork(const crayon_document* document, crayon_document** out, crayon_result* result);
CRAYON_API void crayon_document_release(crayon_document* document);

/* Replaces text [start, end) by another one. out = {from, removed, inserted}: the ids [from, from + removed) became `inserted`
   others. A failure leaves the text as it was: INVALID_ARGUMENT if the range is not in the text, TEXT_TOO_LONG, OUT_OF_MEMORY, or
   as in crayon_encoder_read, with the `position` in the text that would be. A longer text is given in parts: all but the last
   with crayon_document_keep_…, then the last one here. Parts kept are gone with the next edit, whether it fails or not, and if
   one cannot be kept. */
CRAYON_API crayon_status crayon_document_keep_utf8(crayon_document* document, const uint8_t* bytes, uint32_t length,
                                                   crayon_result* result);
CRAYON_API crayon_status crayon_document_keep_utf16(crayon_document* document, const uint16_t* units, uint32_t length,
                                                    crayon_result* result);
CRAYON_API crayon_status crayon_document_replace_utf8(crayon_document* document, crayon_encoder* encoder, uint32_t start,
                                                      uint32_t end, const uint8_t* bytes, uint32_t length, uint32_t out[3],
                                                      crayon_result* result);
CRAYON_API crayon_status crayon_document_replace_utf16(crayon_document* document, crayon_encoder* encoder, uint32_t start,
                                                       uint32_t end, const uint16_t* units, uint32_t length, uint32_t out[3],
                                                       crayon_result* result);

/* The length of the text in its unit, and the number of its ids. */
CRAYON_API uint32_t crayon_document_length(const crayon_document* document);
CRAYON_API uint32_t crayon_document_count(const crayon_document* document);
/* Writes ids [from, to). */
CRAYON_API crayon_status crayon_document_ids(const crayon_document* document, uint32_t from, uint32_t to, uint32_t* ids,
                                             crayon_result* result);
/* `count`: the number of the first token that ends after a position, by the offsets of crayon_encoder_read_with_offsets; the
   number of all ids if there is none. */
CRAYON_API crayon_status crayon_document_token_at(const crayon_document* document, crayon_encoder* encoder, uint32_t position,
                                                  crayon_result* result);
/* Writes text [from, to): units, or bytes of a document whose unit they are. */
CRAYON_API crayon_status crayon_document_text_utf16(const crayon_document* document, uint32_t from, uint32_t to, uint16_t* units,
                                                    crayon_result* result);
CRAYON_API crayon_status crayon_document_text_utf8(const crayon_document* document, uint32_t from, uint32_t to, uint8_t* bytes,
                                                   crayon_result* result);

/* --- encoding with several threads -------------------------------------------------------------------- */

/* (Not in the WebAssembly modules.)

   A job is a text, or the rows of a batch, with a tokenizer and a policy (or a matrix of DNA: crayon_job_create_dna). The
   result equals that of encoding row after row: the same ids, whatever the number of threads, or the first failure in the text.
   A pool shares the work of jobs among threads that the host brings. The engine starts no threads and makes no callbacks.

       thread:   while (crayon_pool_work(pool, jobs, 64, &result) == CRAYON_OK) tell the host about jobs[0, result.count)
       host:     crayon_job_create, crayon_job_set_text, crayon_pool_submit
                 … reported: crayon_job_result, crayon_job_detach_ids or crayon_job_copy, crayon_job_release

   Threads work in time slices of at most 128 KiB of text, which take a fraction of a millisecond, or a few milliseconds for a
   text of a new kind, so a small job does not wait for a large one. Only a piece that cannot be divided, such as a very long
   word, is encoded in one go. A job belongs to one thread of the host, and between crayon_pool_submit and the report it may be
   passed only to functions that allow this in their comments. References: a job holds its tokenizer, which holds its cartridge,
   so a tokenizer may be released while jobs use it. A pool keeps up to 16 idle encoders with their caches, at most about 16 MiB
   each unless a limit allows more. They hold their tokenizer; once it is released, crayon_pool_trim drops them, or they are
   dropped when they next become idle. */

/* `threads`: about how many will be in crayon_pool_work at once; the division of long texts depends on it. */
CRAYON_API crayon_status crayon_pool_create(uint32_t threads, crayon_pool** out, crayon_result* result);
/* Call it when no thread is in a function of the pool any more. It releases no jobs. */
CRAYON_API void crayon_pool_release(crayon_pool* pool);
/* Works on jobs, and returns when some are done: `count` of them, at most `capacity` (at least 1), in `done`. Each is reported
   once per submission, even if it failed or was cancelled. Waits if there is no work. CLOSED after crayon_pool_close, when no
   jobs are left to report. */
CRAYON_API crayon_status crayon_pool_work(crayon_pool* pool, crayon_job** done, uint32_t capacity, crayon_result* result);
/* Cancels all jobs, and lets the threads return. From any thread. */
CRAYON_API void crayon_pool_close(crayon_pool* pool);
/* Drops the encoders of tokenizers that have been released. From any thread. */
CRAYON_API void crayon_pool_trim(crayon_pool* pool);
/* Drops the idle encoders of a tokenizer whose caches have more than `most` bytes: their memory is freed. Working encoders go
   on. From any thread. */
CRAYON_API void crayon_tokenizer_trim(const crayon_tokenizer* tokenizer, crayon_pool* pool, uint64_t most);

enum {
    CRAYON_JOB_COUNT = 1,  /* only counts the ids */
    CRAYON_JOB_OVERLAP = 2 /* the parts of a long text overlap, as in LoPT; the ids are the same, and it is no faster */
};

/* `special` and `allowed`: as in crayon_encoder_begin. */
CRAYON_API crayon_status crayon_job_create(crayon_tokenizer* tokenizer, uint32_t special, const uint32_t* allowed,
                                           uint32_t allowed_count, uint32_t flags, crayon_job** out, crayon_result* result);
/* Sets the parameters of LoPT for a job with CRAYON_JOB_OVERLAP, before it is submitted. Parts are `part_length` bytes long (at
   least 256), overlap by `overlap_length` bytes (at most 1 MiB), and are joined where the overlaps share `threshold` safe split
   points. Parts that cannot be joined are encoded again at twice the length. 0: the default. Safe split points are proved
   (chain.h), so the ids do not depend on these parameters. */
CRAYON_API crayon_status crayon_job_set_overlap(crayon_job* job, uint32_t part_length, uint32_t overlap_length,
                                                uint32_t threshold, crayon_result* result);
/* Not between crayon_pool_submit and the report. */
CRAYON_API void crayon_job_release(crayon_job* job);

/* The same, by a thread of the pool: freeing the memory of a large job takes milliseconds. */
CRAYON_API void crayon_pool_dispose(crayon_pool* pool, crayon_job* job);

/* Sets the text, as UTF-8 (invalid bytes are kept, as in crayon_encoder_feed_utf8). It must stay in place until the job is
   reported. If it changes meanwhile, the ids are meaningless. `last` = 0: text follows that is not part of this job; see
   crayon_job_result. */
CRAYON_API crayon_status crayon_job_set_text(crayon_job* job, const uint8_t* bytes, uint64_t length, uint32_t last,
                                             crayon_result* result);
/* Or rows: row i is bytes[offsets[i], offsets[i + 1]). The offsets are copied; INVALID_ARGUMENT with the row in `position`
   if one decreases. */
CRAYON_API crayon_status crayon_job_set_rows(crayon_job* job, const uint8_t* bytes, const uint32_t* offsets, uint32_t row_count,
                                             crayon_result* result);
/* Or appends windows, which the job copies, as with crayon_encoder_feed_utf8. `last` = 1 ends a row; crayon_job_end ends the
   text, with its last row if that is open and not empty. Windows may be appended after crayon_pool_submit, while earlier ones
   are being encoded; they must then fit in the reserved capacity (UTF-16 needs 3 bytes per unit), else TEXT_TOO_LONG. */
CRAYON_API crayon_status crayon_job_reserve(crayon_job* job, uint64_t bytes, crayon_result* result);
CRAYON_API crayon_status crayon_job_append_utf8(crayon_job* job, const uint8_t* bytes, uint32_t length, uint32_t last,
                                                crayon_result* result);
CRAYON_API crayon_status crayon_job_append_utf16(crayon_job* job, const uint16_t* units, uint32_t length, uint32_t last,
                                                 crayon_result* result);
/* Whole rows at once, between others: row i is bytes[offsets[i], offsets[i + 1]), or the next lengths[i] units. */
CRAYON_API crayon_status crayon_job_append_rows(crayon_job* job, const uint8_t* bytes, const uint32_t* offsets,
                                                uint32_t row_count, crayon_result* result);
CRAYON_API crayon_status crayon_job_append_rows_utf16(crayon_job* job, const uint16_t* units, const uint32_t* lengths,
                                                      uint32_t row_count, crayon_result* result);
CRAYON_API crayon_status crayon_job_end(crayon_job* job, crayon_result* result);

/* A pointer by which the host recognizes the reported job; NULL by default. */
CRAYON_API void crayon_job_set_tag(crayon_job* job, void* tag);
CRAYON_API void* crayon_job_tag(const crayon_job* job);
/* The most threads that may work on the job at once; 0, the default: all. Before it is submitted. */
CRAYON_API void crayon_job_set_threads(crayon_job* job, uint32_t threads);
/* Sets the cache limit (crayon_encoder_cache_limit) of each encoder that works on the job, which keeps it for later jobs. 0,
   the default: the encoder's limit or its tokenizer's, whichever is higher. Before it is submitted. */
CRAYON_API void crayon_job_cache_limit(crayon_job* job, uint64_t bytes);

/* Hands a new job to the pool. */
CRAYON_API crayon_status crayon_pool_submit(crayon_pool* pool, crayon_job* job, crayon_result* result);
/* Cancels a submitted job. It is reported, with CANCELLED unless it was already done, once the threads that work on it have
   noticed. */
CRAYON_API void crayon_job_cancel(crayon_job* job);
/* Lets the threads of a pool start a new job that crayon_job_run or crayon_job_run_for will finish, so that text can be
   appended meanwhile. */
CRAYON_API crayon_status crayon_job_start(crayon_pool* pool, crayon_job* job, crayon_result* result);
/* Encodes a job, new or started, in the calling thread, and returns as crayon_job_result. Threads in crayon_pool_work
   help; `pool` may be NULL. The job is not reported, and must have its whole text (INVALID_ARGUMENT). */
CRAYON_API crayon_status crayon_job_run(crayon_pool* pool, crayon_job* job, crayon_result* result);
/* Encodes a started job in the calling thread for about `microseconds`: it starts no slice after that, and returns earlier when
   other threads have taken all the rest. `count` = 1: the job is done, and is not reported; 0: the threads go on with it and
   report it, as if it had been submitted. */
CRAYON_API crayon_status crayon_job_run_for(crayon_pool* pool, crayon_job* job, uint64_t microseconds, crayon_result* result);

/* After the report: the failure with `position` in its row, and the index of the row in `count`. Or OK; `position` is then the
   byte of the last row where the ids end: its end, or, if the text was given with `last` = 0, where the next job has to begin. */
CRAYON_API crayon_status crayon_job_result(const crayon_job* job, crayon_result* result);
CRAYON_API uint64_t crayon_job_token_count(const crayon_job* job); /* if there was no failure */
CRAYON_API uint64_t crayon_job_row_count(const crayon_job* job);
/* Where the ids of each row begin, row_count + 1 offsets; TEXT_TOO_LONG if they need more than 32 bits. */
CRAYON_API crayon_status crayon_job_row_offsets(const crayon_job* job, uint32_t* offsets, crayon_result* result);
/* Writes the ids in the calling thread, once. */
CRAYON_API crayon_status crayon_job_copy(crayon_job* job, uint32_t* ids, crayon_result* result);
/* Or takes them without a copy: the threads write 64 Ki ids or more to one block of memory. The caller then owns it, and frees
   it with crayon_ids_release from any thread. NULL: there are fewer ids, or they have been taken. */
CRAYON_API uint32_t* crayon_job_detach_ids(crayon_job* job);
CRAYON_API void crayon_ids_release(uint32_t* ids);

/* --- DNA ------------------------------------------------------------------------------------------------ */

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
CRAYON_API crayon_status crayon_dna_create(crayon_tokenizer* tokenizer, const crayon_dna_policies* policies, crayon_dna** out,
                                           crayon_result* result);
CRAYON_API void crayon_dna_release(crayon_dna* dna);

/* out = {unit, k, vocabulary size, the least width in bytes that holds every id (1, 2, 4), unknown_id, pad_id, the side of
   padding, ids before a sequence, ids after it}. 0xFFFFFFFF: there is no such id. */
CRAYON_API void crayon_dna_describe(const crayon_dna* dna, uint32_t out[9]);
/* Id `index` of those before (`which` = 0) or after (1) a sequence; 0xFFFFFFFF past the last one. */
CRAYON_API uint32_t crayon_dna_template(const crayon_dna* dna, uint32_t which, uint32_t index);

/* `count`: ids of the sequence, without those before and after it. */
CRAYON_API crayon_status crayon_dna_count(const crayon_dna* dna, const uint8_t* bytes, uint32_t length, crayon_result* result);

enum {
    CRAYON_DNA_TEMPLATE = 1, /* with the ids before and after the sequence */
    CRAYON_DNA_TRUNCATE = 2, /* the first ids of a sequence that is too long; the rest is not read */
    CRAYON_DNA_PAD_LEFT = 4, /* pad_id up to the capacity, at this side */
    CRAYON_DNA_PAD_RIGHT = 8,
    CRAYON_DNA_CONTINUED = 16, /* the bytes are not the beginning of their sequence */
    CRAYON_DNA_UNFINISHED = 32 /* the bytes may not be the end of their sequence: more may follow */
};

/* Writes ids of `width` bytes each (1, 2, 4 or 8, little-endian, at any address), `count` of them; INVALID_ARGUMENT if the
   width does not hold every id of the vocabulary. With none of the first four flags: `position` is the byte up to which the ids
   go, where another call, with CONTINUED, goes on: `length`, or less if `capacity` (in ids) ran out (`more` = 1), or with
   UNFINISHED, where later bytes could change the ids of the last k - 1 bytes, or continue a word of unknown bytes: its id is
   written when the word ends, and until then its last byte stays unread. A capacity below k may be too small for any progress.
   With one of the first four: the result is complete, or TEXT_TOO_LONG; `count` excludes padding. After UNKNOWN_BASE, the ids
   before that byte have been written. `unknown` (may be NULL) is set to the number of written ids of the sequence, without
   padding and template, that are unknown_id; 0 if the vocabulary has none. */
CRAYON_API crayon_status crayon_dna_encode(const crayon_dna* dna, const uint8_t* bytes, uint32_t length, uint32_t flags,
                                           uint32_t width, void* ids, uint32_t capacity, uint32_t* unknown,
                                           crayon_result* result);
/* A matrix: sequence i is bytes[offsets[i], offsets[i + 1]), and row i of `ids`, which has `columns` ids in each row. Rows are
   padded at the side that the flags say, or else the vocabulary; `mask`, rows × columns bytes (NULL: none), is 1 for ids and 0
   for padding. `count`: the ids in the longest row, padding not counted. TEXT_TOO_LONG, with the row in `position`, if a row is
   longer, unless the flags have TRUNCATE (also if the template alone is); INVALID_ARGUMENT with the row if it needs padding and
   there is no pad_id. UNKNOWN_BASE: the row in `section`, the byte in it in `position`. `unknown` (may be NULL): a count for
   each row, as in crayon_dna_encode; unspecified from the first row that failed. */
CRAYON_API crayon_status crayon_dna_encode_rows(const crayon_dna* dna, const uint8_t* bytes, const uint32_t* offsets,
                                                uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width, void* ids,
                                                uint8_t* mask, uint32_t* unknown, crayon_result* result);
/* The same as a job (not in the WebAssembly modules), whose threads share the rows: the same ids, or the failure of the first
   row that fails, with its index in `count` of the result. It holds `dna`. The five arrays must stay in place, and the input
   must not change, until the job is done. The functions for texts and ids of jobs do not apply to it: they return
   INVALID_ARGUMENT, 0 or NULL. */
CRAYON_API crayon_status crayon_job_create_dna(const crayon_dna* dna, const uint8_t* bytes, const uint32_t* offsets,
                                               uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width, void* ids,
                                               uint8_t* mask, uint32_t* unknown, crayon_job** out, crayon_result* result);

/* The other strand, read in its direction. `out` may equal `bytes`, and must not overlap it otherwise. Case is kept. Codes of
   several bases have complements, too (R and Y, K and M, B and V, D and H); the complement of U is A. Other bytes: UNKNOWN_BASE
   with `position`, and `out` is unspecified. `kernel`: as in crayon_tokenizer_create. */
CRAYON_API crayon_status crayon_dna_reverse_complement(const uint8_t* bytes, uint32_t length, uint8_t* out, const char* kernel,
                                                       uint32_t kernel_length, crayon_result* result);
/* Two bits for each base: A 0, C 1, G 2, T 3, of either case; four to a byte, the first in the lowest bits, zeros after the
   last. Other bytes: UNKNOWN_BASE with `position`. `count`: bytes written, a quarter of the length rounded up. */
CRAYON_API crayon_status crayon_dna_pack(const uint8_t* bytes, uint32_t length, uint8_t* out, const char* kernel,
                                         uint32_t kernel_length, crayon_result* result);
/* `length`: bases. */
CRAYON_API crayon_status crayon_dna_unpack(const uint8_t* packed, uint32_t length, uint8_t* out, const char* kernel,
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
CRAYON_API void crayon_dna_compiler_release(crayon_dna_compiler* compiler);
CRAYON_API crayon_status crayon_dna_compiler_set_rules(crayon_dna_compiler* compiler, const crayon_dna_rules* rules,
                                                       crayon_result* result);
/* The bytes of each id, for decoding: as in crayon_compiler_set_bpe, but they may be any. */
CRAYON_API crayon_status crayon_dna_compiler_set_tokens(crayon_dna_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                        const uint32_t* offsets, uint32_t token_count, crayon_result* result);
/* The id of each byte, 0xFFFFFFFF: none. `start_ids`: the ids for the first byte of a sequence, only with the unit bytes; NULL:
   the same ids. */
CRAYON_API crayon_status crayon_dna_compiler_set_bases(crayon_dna_compiler* compiler, const uint32_t ids[256],
                                                       const uint32_t* start_ids, crayon_result* result);
/* The digits of k-mers in ascending order, 4 or 5 different bytes: the index of a k-mer is the number that its digits make,
   the first one being the highest. `ids`: id of each index (0xFFFFFFFF: none), 4^k or 5^k of them; none (`count` = 0) if
   they follow from first_kmer_id. */
CRAYON_API crayon_status crayon_dna_compiler_set_kmers(crayon_dna_compiler* compiler, const uint8_t* digits, uint32_t digit_count,
                                                       const uint32_t* ids, uint32_t count, crayon_result* result);
/* The ids before and after a sequence, at most 64 each. */
CRAYON_API crayon_status crayon_dna_compiler_set_template(crayon_dna_compiler* compiler, const uint32_t* before,
                                                          uint32_t before_count, const uint32_t* after, uint32_t after_count,
                                                          crayon_result* result);
/* One JSON object. */
CRAYON_API crayon_status crayon_dna_compiler_set_metadata(crayon_dna_compiler* compiler, const char* json, uint32_t length,
                                                          crayon_result* result);
/* The name of the only view; "default" if it is not set. */
CRAYON_API crayon_status crayon_dna_compiler_set_name(crayon_dna_compiler* compiler, const char* name, uint32_t length,
                                                      crayon_result* result);
/* Adds a special token: a name for an id without a token, or the bytes of its token. As in crayon_compiler_add_token. `flags`: 0
   or CRAYON_ADDED_LSTRIP, which is for the caller that looks for it in sequences. */
CRAYON_API crayon_status crayon_dna_compiler_add_special(crayon_dna_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                                         uint32_t id, uint32_t flags, crayon_result* result);
/* As crayon_compiler_finish. INVALID_ARGUMENT if rules, tokens or bases have not been set, or contradict each other (with an
   id that is out of range in `position`). */
CRAYON_API crayon_status crayon_dna_compiler_finish(crayon_dna_compiler* compiler, const uint8_t** bytes, crayon_result* result);

/* --- accelerators ----------------------------------------------------------------------------------------- */

/* A device, by a plugin: a shared library with the interface of gpu/include/crayon_gpu.h. It encodes batches of texts and
   matrices of DNA, to exactly the ids of the engine, and decodes ids, or fails. (Not in the WebAssembly modules.)

       crayon_device_open; crayon_device_describe          any time, any thread
       crayon_device_create_texts, _dna or _decoding; crayon_device_job_run; the result; crayon_device_job_release

   A job that fails has no result: the host encodes the batch without the device, as if there were none. */
typedef struct crayon_device crayon_device;
typedef struct crayon_device_job crayon_device_job;
typedef struct crayon_device_memory crayon_device_memory;

typedef struct crayon_device_facts {
    uint32_t kind; /* 1: CUDA, 2: HIP, 3: emulated; 0: no device has been found */
    uint32_t is_usable;
    uint32_t processors;
    uint32_t warp_size;
    uint32_t major_architecture, minor_architecture;
    uint64_t memory;  /* bytes */
    char name[128];   /* UTF-8, ends with NUL, as the reason */
    char reason[400]; /* why it cannot be used, or why the last job failed, or empty */
    uint64_t kept;    /* bytes of matrices that stay on the device */
} crayon_device_facts;

/* Loads nothing yet. `settings`: up to 4 words, 0 for the default: bytes of a slice, milliseconds that a slice may take, KiB of
   device memory to use, streams; all but the memory are for tests and measurements. Without these, calls with the same path and
   memory share one device per process. */
CRAYON_API crayon_status crayon_device_open(const char* path, uint32_t path_length, const uint32_t* settings,
                                            uint32_t setting_count, crayon_device** out, crayon_result* result);
CRAYON_API void crayon_device_release(crayon_device* device);
/* The first call of a process loads the plugin and looks for devices, which may take a second. */
CRAYON_API void crayon_device_describe(crayon_device* device, crayon_device_facts* out);
/* Whether devices may have kernels for a tokenizer. */
CRAYON_API uint32_t crayon_device_supports(const crayon_tokenizer* tokenizer);

/* Row i is bytes[offsets[i], offsets[i + 1]), of `length` bytes, which stay where they are until the job has run. `flags`:
   CRAYON_JOB_COUNT. DEVICE_UNSUPPORTED. */
CRAYON_API crayon_status crayon_device_create_texts(crayon_device* device, crayon_tokenizer* tokenizer, uint32_t special,
                                                    const uint32_t* allowed, uint32_t allowed_count, uint32_t flags,
                                                    const uint8_t* bytes, uint64_t length, const uint32_t* offsets, uint32_t rows,
                                                    crayon_device_job** out, crayon_result* result);
/* Pads the rows of texts to a matrix; call it before the job runs. `words`: ids in each row (0xFFFFFFFF: as in the longest),
   bytes of an element (4 or 8), flags (1: pad on the left, 2: cut longer rows), the padding id as an int32_t, how many ids
   precede each row (at most 64), how many follow it (at most 64), and these ids. INVALID_ARGUMENT; OUT_OF_MEMORY if the matrix
   cannot be allocated: the job is unchanged. */
CRAYON_API crayon_status crayon_device_job_pad(crayon_device_job* job, const uint32_t* words, uint32_t count,
                                               crayon_result* result);
/* As crayon_dna_encode_rows. The arrays stay until the job has run. After a failure the ids, the mask and the counts are
   unspecified. Without ids and mask the matrix has to stay on the device (crayon_device_job_keep). The host counts unknown ids
   when it hands the sequences to the device. */
CRAYON_API crayon_status crayon_device_create_dna(crayon_device* device, const crayon_dna* dna, const uint8_t* bytes,
                                                  uint64_t length, const uint32_t* offsets, uint32_t rows, uint32_t columns,
                                                  uint32_t flags, uint32_t width, void* ids, uint8_t* mask, uint32_t* unknown,
                                                  crayon_device_job** out, crayon_result* result);
/* The bytes of rows of ids: row i is ids[offsets[i], offsets[i + 1]), of `count` ids, which stay where they are until the job
   has run. `flags`: CRAYON_DECODE_SKIP_SPECIAL. ROW_REFUSED: a row has an id that no token has, or one that decodes to
   nothing. */
CRAYON_API crayon_status crayon_device_create_decoding(crayon_device* device, crayon_tokenizer* tokenizer, uint32_t flags,
                                                       const uint32_t* ids, uint64_t count, const uint32_t* offsets,
                                                       uint32_t rows, crayon_device_job** out, crayon_result* result);
/* Runs it in the calling thread, once, after the jobs before it, and returns when it is done. DEVICE_UNAVAILABLE,
   DEVICE_FAILED, DEVICE_UNSUPPORTED, CANCELLED, OUT_OF_MEMORY. ROW_REFUSED: the row in `position` probably has an error, which
   the engine finds; the rows before it have none. */
CRAYON_API crayon_status crayon_device_job_run(crayon_device_job* job, crayon_result* result);
/* Lets the threads of a pool help to make the texts of a job ready, at most `most_threads` at once with the one that runs it (0:
   all). Call it before the job runs; the pool must exist until it has. Jobs of other kinds need no help. */
CRAYON_API void crayon_device_job_use_pool(crayon_device_job* job, crayon_pool* pool, uint32_t most_threads);
/* Keeps the matrix on the device, without copying any of it to the host. Call it before the job runs, and for texts before
   crayon_device_job_pad, with a number of ids in each row. `mask_width`: bytes of an element of its mask, 1 (not for texts) or
   the width of an id; 0: no mask. */
CRAYON_API crayon_status crayon_device_job_keep(crayon_device_job* job, uint32_t mask_width, crayon_result* result);

typedef struct crayon_device_matrix {
    uint64_t address; /* of the ids, on the device; with the kind EMULATED, in the memory of the process */
    uint64_t size;    /* bytes, of both */
    uint64_t mask_offset;
    uint32_t device; /* its index among the devices of its kind */
} crayon_device_matrix;

/* Takes that matrix, once, when the job is done; NULL if there is none. It does not depend on the tokenizer, the job or the
   handle of the device, and uses memory of the device until it is released: from any thread, without waiting for a job. */
CRAYON_API crayon_device_memory* crayon_device_job_detach_memory(crayon_device_job* job, crayon_device_matrix* out);
CRAYON_API void crayon_device_memory_release(crayon_device_memory* memory);
/* Copies bytes of it to the host, after the job that runs now is done. INVALID_ARGUMENT, DEVICE_FAILED. */
CRAYON_API crayon_status crayon_device_memory_read(crayon_device_memory* memory, uint64_t offset, uint64_t length, void* to,
                                                   crayon_result* result);
/* From any thread. */
CRAYON_API void crayon_device_job_cancel(crayon_device_job* job);
CRAYON_API void crayon_device_job_release(crayon_device_job* job);
/* For texts, after the job has run: as the functions of crayon_job. */
CRAYON_API uint64_t crayon_device_job_token_count(const crayon_device_job* job);
CRAYON_API uint64_t crayon_device_job_row_count(const crayon_device_job* job);
CRAYON_API crayon_status crayon_device_job_row_offsets(const crayon_device_job* job, uint32_t* offsets, crayon_result* result);
CRAYON_API uint32_t* crayon_device_job_detach_ids(crayon_device_job* job);
/* For decoding, after the job has run: the number of bytes, and their memory, in whole words, which can be taken once and is
   freed by crayon_ids_release; NULL if there are none. crayon_device_job_row_offsets gives the end of each row's bytes. */
CRAYON_API uint64_t crayon_device_job_byte_count(const crayon_device_job* job);
CRAYON_API uint32_t* crayon_device_job_detach_bytes(crayon_device_job* job);
/* For padded texts, after the job has run: ids in each row, and words in each of the two arrays; -1 if there was no memory for
   the matrix: the ids are then available as without padding. (ROW_REFUSED: a row may be too long.) */
CRAYON_API int64_t crayon_device_job_columns(const crayon_device_job* job, uint64_t* words);
/* Takes its memory, once; crayon_ids_release frees it. rows × columns elements; `mask` = 1: the mask, 1 for ids and 0 for
   padding. */
CRAYON_API uint32_t* crayon_device_job_detach_matrix(crayon_device_job* job, uint32_t mask);
/* Statistics of a job: out = {slices, retries for lack of memory, streams, the most slices in flight at once, slices that came
   as matrices, and by the device's clock the nanoseconds of copying in, computing and copying out}, summed over slices, which
   overlap. */
CRAYON_API void crayon_device_job_progress(const crayon_device_job* job, uint64_t out[8]);

/* --- records: the sequences in FASTA and FASTQ files ------------------------------------------------------ */

/* Reads a file that comes in parts, which may end anywhere, into buffers of the caller of any size.

       FASTA    >name description        then lines of a sequence
       FASTQ    @name description        then the sequence, a line with '+', and as many qualities as the sequence has bytes

   Lines end with LF or CR LF; the last one may have no end. A sequence has letters of either case, '*', '-' and '.', which are
   not changed. Qualities are bytes from '!' to '~', '@' and '+' among them. The line with '+' may repeat the header. Headers
   have any bytes but NUL and CR, 16 MiB at most. A sequence may have several lines, or none: an empty record. In FASTQ,
   qualities may have several lines if the sequence has. Empty lines are ignored before records and in sequences, and between
   lines of qualities. Everything else is refused: text before the first header, lines of comments (';'), blanks. */

typedef struct crayon_records crayon_records;

enum { CRAYON_FASTA = 0, CRAYON_FASTQ = 1 };
/* Added to a format: the sequences of all parts follow one another from the beginning of the output, so that they form the rows
   of a batch. Headers fill the output from its end, the last one first. Qualities are checked, but not written. */
enum { CRAYON_SEQUENCES_APART = 16 };
enum { CRAYON_RECORD_BEGINS = 1, CRAYON_RECORD_ENDS = 2 };

/* The part of a record that a call has read: bytes of its header (without the first byte), its sequence and its qualities,
   which follow one another in the output; then comes the next part. */
typedef struct crayon_record_part {
    uint32_t flags; /* whether it is the first one of the record, and whether it is the last */
    uint32_t header_length;
    uint32_t sequence_length;
    uint32_t quality_length;
    uint32_t position; /* of the record's first byte in the file */
    uint32_t position_high;
} crayon_record_part;

/* Why a record is refused. */
enum {
    CRAYON_RECORD_NO_HEADER = 1,     /* a record begins with another byte than '>' or '@' */
    CRAYON_RECORD_HEADER_BYTE = 2,   /* NUL in a header */
    CRAYON_RECORD_HEADER_LONG = 3,   /* a header of more than 16 MiB; the position is the record's */
    CRAYON_RECORD_LINE_END = 4,      /* CR without LF */
    CRAYON_RECORD_SEQUENCE_BYTE = 5, /* a byte that no sequence has */
    CRAYON_RECORD_NO_PLUS = 6,       /* a line after the sequence without '+' */
    CRAYON_RECORD_PLUS_HEADER = 7,   /* the header after '+' differs from the record's */
    CRAYON_RECORD_QUALITY_BYTE = 8,  /* a byte that is not a quality */
    CRAYON_RECORD_QUALITY_SHORT = 9, /* fewer qualities than bytes of the sequence */
    CRAYON_RECORD_QUALITY_LONG = 10, /* more */
    CRAYON_RECORD_TRUNCATED = 11     /* the file ends within the record */
};

typedef struct crayon_records_progress {
    uint32_t consumed; /* bytes of the input; the next call begins with the others */
    uint32_t produced; /* bytes of the output */
    uint32_t reason;   /* after INVALID_RECORD */
    uint32_t record;   /* the number of the current or next record, from 0 */
    uint32_t record_high;
} crayon_records_progress;

/* `kernel`: as in crayon_tokenizer_create. A reader is used by one thread at a time. */
CRAYON_API crayon_status crayon_records_create(uint32_t format, const char* kernel, uint32_t kernel_length, crayon_records** out,
                                               crayon_result* result);
CRAYON_API void crayon_records_release(crayon_records* records);
/* `last`: the file ends with this input. `count`: parts. `more` = 1: the output is full, and another call, with the rest of the
   input, continues. An output with capacity for the whole input and (length / 2 + 2) parts is never full. The output after
   `produced` is unspecified. INVALID_RECORD with the byte of the file in `position`, in this call and every later one; the
   first of these calls also outputs the parts before the error. */
CRAYON_API crayon_status crayon_records_read(crayon_records* records, const uint8_t* input, uint32_t length, uint32_t last,
                                             uint8_t* bytes, uint32_t capacity, crayon_record_part* parts, uint32_t part_capacity,
                                             crayon_records_progress* progress, crayon_result* result);

/* --- build time: makes cartridges --------------------------------------------------------------------- */

CRAYON_API crayon_status crayon_compiler_create(crayon_compiler** out, crayon_result* result);
CRAYON_API void crayon_compiler_release(crayon_compiler* compiler);
/* Byte-level BPE ranks: token i (its id and rank) is bytes[offsets[i], offsets[i + 1]); an empty one is a hole, an id
   without a token. All 256 single bytes must be tokens. */
CRAYON_API crayon_status crayon_compiler_set_bpe(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                 const uint32_t* offsets, uint32_t token_count, crayon_result* result);
/* Instead, BPE by a list of merges: merges[2 * i] and merges[2 * i + 1] are the ids of the i-th pair, whose concatenation is a
   token. Of all adjacent pairs of a piece, the one with the lowest number in `priorities` is merged first, the leftmost of
   equals. `priorities` has a number for each pair; NULL: its index. Ids may be in any order. `unmatched`, ascending: ids of
   tokens that no text produces, which may equal other tokens and are in no pair; one without bytes is a token without
   characters, not a hole. If `whole` is not 0, a piece that equals a token becomes that token even if merging does not produce
   it. INVALID_ARGUMENT in section 14 with the index of an invalid pair. */
CRAYON_API crayon_status crayon_compiler_set_bpe_merges(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                        const uint32_t* offsets, uint32_t token_count, const uint32_t* merges,
                                                        uint32_t merge_count, const uint32_t* priorities,
                                                        const uint32_t* unmatched, uint32_t unmatched_count, uint32_t whole,
                                                        crayon_result* result);
/* After crayon_compiler_set_bpe_merges, for BPE over characters rather than bytes: ids from `visible_count` on are hidden,
   tokens that only merging needs. Each is the beginning of a character that is a token, of 1 to 3 bytes, or, where the
   vocabulary has no tokens for bytes, a single byte; the merges that complete characters come first. A hidden token that
   remains after merging is encoded as the tokens of its bytes, if `unknown_id` is 0xFFFFFFFF and all 256 are visible; else each
   of its characters becomes `unknown_id`, or with CRAYON_FUSES_UNKNOWN each run of such characters. With CRAYON_ENDS_WORDS a
   byte 0xFF is appended to each piece, and tokens that end a word end with it; `visible_count` may then equal the number of all
   tokens. With CRAYON_BEGINS_WORDS a byte 0xFE is put before each piece, and tokens that begin a word begin with it. The merges
   with these bytes come before all but those that complete characters, and hidden tokens may be characters with or without
   them, of up to 6 bytes. With CRAYON_WHOLE_TEXT a piece that is a token without the byte after it is that token. With
   CRAYON_DROPS_CHARACTERS alone, characters without a token are dropped before merging; `unknown_id` is 0xFFFFFFFF. With
   CRAYON_ONLY_BYTES, for BPE over bytes, all hidden tokens are single bytes, each of which becomes `unknown_id`, or with
   CRAYON_FUSES_UNKNOWN each run of them; if `unknown_id` is 0xFFFFFFFF they are dropped before merging. With
   CRAYON_SPLITS_HIDDEN, alone or with CRAYON_FUSES_UNKNOWN, a hidden token may be any characters: one of several characters is
   replaced by its two halves, repeatedly. INVALID_ARGUMENT with the id of a token that cannot be hidden. */
#define CRAYON_FUSES_UNKNOWN 1u
#define CRAYON_ENDS_WORDS 2u
#define CRAYON_ONLY_BYTES 4u
#define CRAYON_BEGINS_WORDS 8u
#define CRAYON_WHOLE_TEXT 16u
#define CRAYON_DROPS_CHARACTERS 32u
#define CRAYON_SPLITS_HIDDEN 64u
CRAYON_API crayon_status crayon_compiler_set_hidden_tokens(crayon_compiler* compiler, uint32_t visible_count, uint32_t unknown_id,
                                                           uint32_t flags, crayon_result* result);
/* Instead of ranks, a longest-match vocabulary: the longest token at each position of a text, and where none begins,
   `unknown_id` for the character (bytes that are not UTF-8 count as in crayon_encoder_read_with_offsets), or the error
   UNKNOWN_CHARACTER if `unknown_id` is 0xFFFFFFFF; with CRAYON_UNKNOWN_BYTES added, each byte at which none begins becomes the
   id. Tokens as in crayon_compiler_set_bpe, but single bytes need not be tokens. Of equal tokens that contain U+FFFD, which
   stands for bytes that a list of strings has lost, the last one matches. An `unknown_id` other than 0xFFFFFFFF must be the id
   of a token, CRAYON_UNKNOWN_BYTES taken off. */
CRAYON_API crayon_status crayon_compiler_set_longest_match(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                           const uint32_t* offsets, uint32_t token_count, uint32_t unknown_id,
                                                           crayon_result* result);
/* Instead of these, WordPiece: a piece is a word. It becomes the longest token that it begins with, then the longest token that
   matches `prefix` followed by the rest of the word, and so on. A word whose rest matches no token, or with more than
   `most_characters`, becomes `unknown_id`, or the error UNKNOWN_CHARACTER if that is 0xFFFFFFFF. With `whole_words` (WordLevel)
   only a word that equals a token is known; then there is no prefix, and `most_characters` is 0. Whitespace at the beginning of
   pieces of the pretokenizers "bert" and "whitespace_split" has no tokens. `unmatched`: ids, ascending, of tokens that no text
   produces. */
CRAYON_API crayon_status crayon_compiler_set_word_piece(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                        const uint32_t* offsets, uint32_t token_count, const uint32_t* unmatched,
                                                        uint32_t unmatched_count, uint32_t unknown_id, const uint8_t* prefix,
                                                        uint32_t prefix_length, uint32_t most_characters, uint32_t whole_words,
                                                        crayon_result* result);
/* Instead of these, Unigram: of all sequences of tokens that a piece can be cut into, the one with the greatest sum of `scores`,
   one for each id, which are added as doubles from the beginning of the piece; of equal ones, the one whose last token that
   differs is longer. Where no token is a single character, that may be unknown, with `unknown_score`. Unknown characters that
   follow each other are one `unknown_id`, or the tokens of their bytes, if `byte_ids`, 256 of them or NULL, has them all
   (0xFFFFFFFF: not); without an `unknown_id`, which is 0xFFFFFFFF then, the error is UNKNOWN_CHARACTER. `sums_floats`: scores,
   which are floats then, are added as such, as sentencepiece adds them. */
CRAYON_API crayon_status crayon_compiler_set_unigram(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                     const uint32_t* offsets, uint32_t token_count, const uint32_t* unmatched,
                                                     uint32_t unmatched_count, uint32_t unknown_id, const double* scores,
                                                     double unknown_score, const uint32_t* byte_ids, uint32_t sums_floats,
                                                     crayon_result* result);
/* One JSON object. */
CRAYON_API crayon_status crayon_compiler_set_metadata(crayon_compiler* compiler, const char* json, uint32_t length,
                                                      crayon_result* result);
/* The section of the normalizer program (cartridges/FORMAT.md section 14) for the views with the normalizer 3. Only its length is
 * checked; the rest when the file is opened. CRAYON_INVALID_ARGUMENT. */
CRAYON_API crayon_status crayon_compiler_set_normalizer_program(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                                                crayon_result* result);
/* Applies such a program to text[0, text_length), a whole text in UTF-8: `count` bytes, to be freed with free().
 * CRAYON_CORRUPT_STRUCTURE for an invalid program, CRAYON_INVALID_ARGUMENT, CRAYON_OUT_OF_MEMORY. Any thread. */
CRAYON_API crayon_status crayon_compiler_normalize(const uint8_t* program, uint32_t length, const uint8_t* text,
                                                   uint32_t text_length, uint8_t** bytes, crayon_result* result);
/* The section of patterns (cartridges/FORMAT.md section 11) for the views with the pretokenizer "pattern". Only its length is
   checked here; a cartridge with wrong tables is refused when it is opened. */
CRAYON_API crayon_status crayon_compiler_set_pattern(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                                     crayon_result* result);
/* `pretokenizer` is one of the names that crayon_tokenizer_scanner returns; "pattern" needs a section of patterns. With "none"
   the text between added tokens is one piece: BPE merges over all of it. Any other pretokenizer cuts it into pieces, which are
   encoded separately. */
CRAYON_API crayon_status crayon_compiler_add_view(crayon_compiler* compiler, const char* name, uint32_t name_length,
                                                  const char* pretokenizer, uint32_t scanner_length, crayon_result* result);
/* Sets how the view added last normalizes a text before it is pretokenized: 0 not at all, 1 NFC (of Unicode 9.0), 2 prefix
   space; any but 0 with BPE only. Call it before its tokens are added, else INVALID_ARGUMENT. */
CRAYON_API crayon_status crayon_compiler_set_normalizer(crayon_compiler* compiler, uint32_t normalizer, crayon_result* result);
/* Adds a token to the view added last. It has 1 to 1024 bytes, or is refused with INVALID_ARGUMENT and its id in
   `position`. */
CRAYON_API crayon_status crayon_compiler_add_token(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length, uint32_t id,
                                                   uint32_t flags, crayon_result* result);
/* The characters of words, for tokens with single word: `count` ranges of code points, first and last, that ascend; else
   INVALID_ARGUMENT with the index of the range. */
CRAYON_API crayon_status crayon_compiler_set_words(crayon_compiler* compiler, const uint32_t* ranges, uint32_t count,
                                                   crayon_result* result);
/* The ids that the view added last puts before and after a text, for callers that ask for them. */
CRAYON_API crayon_status crayon_compiler_set_template(crayon_compiler* compiler, const uint32_t* ids, uint32_t prefix_count,
                                                      uint32_t suffix_count, crayon_result* result);
/* Replaces all of the above with the contents of an open cartridge: vocabulary, metadata, pattern, words and views. */
CRAYON_API crayon_status crayon_compiler_set_cartridge(crayon_compiler* compiler, const crayon_cartridge* cartridge,
                                                       crayon_result* result);

/* Builds the file in memory. The bytes belong to the compiler and are valid until the next call. The same input always
   results in the same bytes. */
CRAYON_API crayon_status crayon_compiler_finish(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result);
/* The same as a slim file: a small one, which is expanded in memory whenever it is opened. */
CRAYON_API crayon_status crayon_compiler_finish_slim(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result);
/* A longest-match vocabulary as a version 2 `.dat`: only the trie, without views, metadata and unknown id. The caller writes
   the `.json` beside it, with the tokens as text. After crayon_compiler_set_cartridge with a cartridge that was opened from a
   `.dat`: the bytes of that file. INVALID_ARGUMENT for ranks, and if no token can match. */
CRAYON_API crayon_status crayon_compiler_finish_dat(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result);

/* --- build time: learns a vocabulary from texts ------------------------------------------------------- */

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
#endif

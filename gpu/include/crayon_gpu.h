/* The interface of an accelerator plugin: a shared library that encodes batches of texts on a device.
 *
 * A plugin is loaded by name on request, and nothing else needs it: without it, a driver or a device, the engine does
 * the work. It exports crayon_gpu_plugin, which returns the function table of a version of this interface, and
 * crayon_gpu_plugin_memory, the same for matrices that stay on the device. The cartridge tables passed to it have passed
 * the engine's validator: kernels do not check them.
 *
 * A batch is encoded in two steps, because the number of ids is known only after counting them:
 *
 *   submit(stream, model, &batch, &job)      returns at once; copies in, counts
 *   wait(job, …) or poll(job)                until it is not PENDING
 *   result(job, &result)                     how many ids, rows, columns; whether a text has an error
 *   fetch(job, &destination)                 returns at once; writes the ids exactly, copies them out
 *   wait(job, …) or poll(job)
 *   job_release(job)
 *
 * For overlap, an engine keeps several streams, each with a slice of 16 to 64 MB in pinned memory: while one copies in,
 * the second computes and the third copies out. There is no fixed size limit: a batch that does not fit in the budget
 * fails with OUT_OF_DEVICE_MEMORY, the context stays usable, and the engine halves the batch.
 *
 * Ids are exactly the engine's, or the job fails. A failed job has written nothing that may be used.
 *
 * Ownership. An object that a function creates belongs to the caller, which releases it, children first: jobs, streams,
 * models, pinned memory and device memory, contexts, the instance. Releasing waits for the device where necessary.
 * Memory passed to `submit`, `fetch` or `model_upload` must stay valid until the job is done; `model_upload` is done
 * when it returns. After DEVICE_FAULT or DEVICE_LOST all functions of the context fail with the same status, except the
 * release functions.
 *
 * Threads. Any thread may call any function; calls on one instance, stream or job must not overlap (the caller ensures
 * that). `poll`, `cancel` and `devices` never wait for the device. `open` and `context_create` may take a second: do not
 * call them on a thread that must stay responsive. Functions do not call back, print, throw, or start work that outlives
 * its object.
 *
 * Versions. Each struct begins with its size, which the caller sets before it passes the struct, even for output. A
 * plugin reads and writes only that many bytes; fields missing from a shorter struct count as 0. Fields are only ever
 * appended. Any other change takes a new version, and a plugin may have several. */
#ifndef CRAYON_GPU_H
#define CRAYON_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRAYON_GPU_ABI_VERSION 6u
#define CRAYON_GPU_NONE 0xFFFFFFFFu    /* no id */
#define CRAYON_GPU_LONGEST_PIECE 4096u /* bytes */

#if defined(__GNUC__)
#define CRAYON_GPU_EXPORT __attribute__((visibility("default")))
#else
#define CRAYON_GPU_EXPORT __declspec(dllexport)
#endif

typedef enum crayon_gpu_status {
#define CRAYON_GPU_STATUS(name, number, sentence) CRAYON_GPU_##name = number,
#include "crayon_gpu_status.def"
#undef CRAYON_GPU_STATUS
} crayon_gpu_status;

typedef struct crayon_gpu_instance crayon_gpu_instance; /* the plugin's view of the machine */
typedef struct crayon_gpu_context crayon_gpu_context;   /* one device, in use */
typedef struct crayon_gpu_model crayon_gpu_model;       /* the tables of a vocabulary on a device */
typedef struct crayon_gpu_stream crayon_gpu_stream;     /* jobs in order: each begins after the previous one is released */
typedef struct crayon_gpu_job crayon_gpu_job;           /* one batch */
typedef struct crayon_gpu_memory crayon_gpu_memory;     /* an array on a device that outlives jobs */

/* --- devices ----------------------------------------------------------------------------------------------------------- */

typedef enum crayon_gpu_kind { CRAYON_GPU_KIND_CUDA = 1, CRAYON_GPU_KIND_HIP = 2, CRAYON_GPU_KIND_EMULATED = 3 } crayon_gpu_kind;

typedef struct crayon_gpu_options {
    uint32_t size;
    uint32_t reserved;
} crayon_gpu_options;

typedef struct crayon_gpu_device {
    uint32_t size;
    uint32_t kind;                /* crayon_gpu_kind */
    uint64_t memory, free_memory; /* bytes */
    uint32_t processors;          /* multiprocessors, or compute units */
    uint32_t warp_size;           /* threads that run in step */
    uint32_t is_usable;
    uint32_t major_architecture, minor_architecture; /* 9 and 0: sm_90; 0x90a and 0: gfx90a */
    char name[128];                                  /* UTF-8, ends with NUL */
    char reason[256];                                /* why it cannot be used, or empty */
} crayon_gpu_device;

/* --- models ------------------------------------------------------------------------------------------------------------ */

typedef enum crayon_gpu_model_kind {
    CRAYON_GPU_LONGEST_MATCH = 1, /* layout/longest_match.h, without a pretokenizer */
    CRAYON_GPU_DNA = 2,           /* layout/dna.h */
    CRAYON_GPU_PIECES = 3,        /* the pieces of a pretokenizer: the id of a piece is its length in bytes */
    CRAYON_GPU_BPE = 4,           /* layout/bpe.h, with a pretokenizer, or cut between bytes that no token joins */
    CRAYON_GPU_TOKENS = 5,        /* the tokens of any vocabulary, for decoding only */
    CRAYON_GPU_WORD_PIECE = 6     /* layout/word_piece.h, over the words of normalized text */
} crayon_gpu_model_kind;

/* A cartridge's hash table: layout/perfect_hash.h. */
typedef struct crayon_gpu_hash_table {
    uint64_t seed;
    uint32_t bucket_count, slot_count;
    const uint8_t* pilots;   /* bucket_count */
    const uint32_t* entries; /* slot_count; 4, 8 or 1 words each */
} crayon_gpu_hash_table;

/* The tables of a model on a device. Lengths count array elements. */
typedef struct crayon_gpu_tables {
    uint32_t size;
    uint32_t kind; /* crayon_gpu_model_kind */

    /* Longest match and WordPiece: the units and values of the section kTrie. */
    const uint32_t* units;
    const uint32_t* values;
    uint32_t unit_count;
    uint32_t longest_token; /* in bytes */
    uint32_t unknown_id;    /* or NONE */

    /* DNA: the rules, with the chosen policies already applied to each byte. */
    uint32_t unit; /* layout::DnaUnit */
    uint32_t k, digit_count;
    uint32_t first_kmer_id;    /* or NONE: kmer_ids */
    uint32_t kmer_count;       /* of kmer_ids: digit_count to the power of k, or 0 */
    uint32_t tail;             /* layout::DnaTail */
    uint32_t pad_id;           /* or NONE */
    const uint32_t* base_ids;  /* 256: the id of each byte alone; NONE: an error */
    const uint32_t* start_ids; /* null, or 256: the id of a sequence's first byte */
    const uint32_t* kmer_ids;  /* by index; NONE: the k-mer has no id */
    const uint8_t*
        digits; /* 256: the digit of each byte; 0xFE: not a digit; 0xFF: rejected by the policies; for k-mers also 0xFC:
                   not a digit, no id; and 0xFD: not a digit, in a word: consecutive ones share the id of the first */
    uint32_t unknown_kmer_id; /* stride 1: the id for a k-mer that has none or has a non-digit byte; or NONE */

    /* Pieces, and BPE: a single pattern with its tables (layout/pattern.h), with all cuts, over characters, none of them
     * dropped. Null for deepseek3, which is not such a pattern; it has the character classes of deepseek3_step.h. WordPiece
     * has classes, too: 0: in words; 1: whitespace; 2: punctuation, each a word. */
    uint32_t pretokenizer; /* layout::Pretokenizer */
    const uint8_t* pattern;
    uint64_t pattern_length;     /* in bytes */
    const uint8_t* class_blocks; /* 8704: the block of every 128 code points */
    const uint8_t* classes;      /* class_count: 128 per block */
    uint32_t class_count;

    /* Decoding: the token of each id below token_count (an empty one means there is none); or null. BPE and TOKENS have
     * these. */
    uint32_t token_count;
    const uint32_t* token_offsets; /* token_count + 1 */
    const uint8_t* token_bytes;

    /* BPE: kPieces8, kPieces24, kPiecesLong and kPairs, and longest_token. */
    crayon_gpu_hash_table pieces8, pieces24, pieces_long, pairs;
    const uint32_t* splits;     /* 2 × token_count: left and right, by rank */
    const uint32_t* byte_ranks; /* 256: the rank of each single-byte token */
    const uint32_t* ids;        /* token_count: by rank; null: ids are ranks */

    /* WordPiece. */
    uint32_t continuation_base; /* the base of the trie's node below the prefix; NONE: no token continues a word */
    uint32_t most_characters;   /* a longer word is unknown; NONE: a word may have any number */

    /* BPE without a pretokenizer; otherwise null and 0. With marks_spaces, a space of the text stands for U+2581, whose rank is
     * that of its byte. A token whose id is visible_count or greater is written as the tokens of its bytes; none of them has
     * that byte. */
    const uint8_t* joined; /* 8192: layout::is_joined */
    const uint32_t* whole; /* token_count bits, by id: whether a piece that is this token as a whole is looked up as that */
    uint32_t visible_count;
    uint32_t marks_spaces; /* 0 or 1 */
} crayon_gpu_tables;

/* --- batches ----------------------------------------------------------------------------------------------------------- */

typedef enum crayon_gpu_output {
    CRAYON_GPU_IDS = 1,    /* packed: the ids of row i are ids[row_offsets[i], row_offsets[i + 1]) */
    CRAYON_GPU_MATRIX = 2, /* [rows, columns] and its mask, padded or truncated to fit */
    CRAYON_GPU_COUNTS = 3, /* row_offsets only */
    CRAYON_GPU_BYTES = 4   /* decoding: ids to bytes; the batch's `bytes` are uint32 ids, and its offsets count ids */
} crayon_gpu_output;

/* Documents, one after another. Each is encoded alone, as text without special tokens: an engine that searches for these
 * passes the parts between them as documents. */
typedef struct crayon_gpu_batch {
    uint32_t size;
    uint32_t output;         /* crayon_gpu_output */
    const uint8_t* bytes;    /* pinned memory overlaps copies with computation; other memory works, too */
    const uint64_t* offsets; /* document_count + 1, ascending, from 0 to the length of `bytes` */
    uint64_t document_count;
    uint32_t id_width; /* bytes of an id in the result: 1, 2, 4 or 8; for texts 4 or 8 */
    uint32_t flags;    /* crayon_gpu_batch_flags */
    uint64_t columns;  /* of a matrix; 0: as many as the longest row has */
    uint32_t pad_id;
    uint32_t before_count, after_count; /* at most 64 each: ids before and after each document's, in matrices */
    const uint32_t* before;
    const uint32_t* after;
} crayon_gpu_batch;

typedef enum crayon_gpu_batch_flags {
    CRAYON_GPU_PAD_LEFT = 1,
    CRAYON_GPU_TRUNCATE = 2,     /* truncates longer rows; without it they are errors of their documents */
    CRAYON_GPU_SIGNED_PAD = 8,   /* pad_id is an int32_t, and ids of 8 bytes an int64_t */
    CRAYON_GPU_STAY_RESIDENT = 4 /* the ids stay on the device until the job is released; crayon_gpu_result has their address */
} crayon_gpu_batch_flags;

/* Errors of documents. The position is approximate: the engine encodes the document itself and reports its own findings. */
typedef enum crayon_gpu_failure {
    CRAYON_GPU_NO_FAILURE = 0,
    CRAYON_GPU_NO_ID = 1, /* a byte or character has no id; decoding: an id has no token */
    CRAYON_GPU_ROW_TOO_LONG = 2,
    CRAYON_GPU_PIECE_TOO_LONG = 3 /* longer than CRAYON_GPU_LONGEST_PIECE: unsuitable for kernels */
} crayon_gpu_failure;

typedef struct crayon_gpu_result {
    uint32_t size;
    uint32_t failure;         /* crayon_gpu_failure; if nonzero, there is nothing to fetch */
    uint64_t failed_document; /* the first one with a failure */
    uint64_t count;           /* ids (decoding: bytes), before padding */
    uint64_t rows, columns;   /* of the matrix */
    uint64_t longest_row;
    const void* device_ids;                       /* with STAY_RESIDENT, after a fetch */
    uint64_t copy_in_ns, compute_ns, copy_out_ns; /* by the device's clock, so far; 0 if it has none */
    uint32_t repaired;                            /* 1: chains of chunks met only after repairs; 2: entries were composed */
} crayon_gpu_result;

/* Where to write. Null: not wanted. */
typedef struct crayon_gpu_destination {
    uint32_t size;
    uint32_t reserved;
    void* ids;             /* result.count × id_width, or rows × columns × id_width; decoding: bytes */
    uint64_t* row_offsets; /* document_count + 1 */
    uint8_t* mask;         /* rows × columns: 1 for an id, 0 for padding */
} crayon_gpu_destination;

/* --- functions --------------------------------------------------------------------------------------------------------- */

typedef struct crayon_gpu_context_options {
    uint32_t size;
    uint32_t time_limit_ms; /* per job, on the device; 0: none */
    uint64_t memory_budget; /* bytes of device memory; 0: four fifths of the free memory */
} crayon_gpu_context_options;

typedef struct crayon_gpu_api {
    uint32_t size;
    uint32_t version;

    /* Finds devices. Having no devices is not an error: the list is empty, and reason() says why. */
    crayon_gpu_status (*open)(const crayon_gpu_options* options, crayon_gpu_instance** instance);
    void (*close)(crayon_gpu_instance* instance);
    uint32_t (*device_count)(crayon_gpu_instance* instance);
    crayon_gpu_status (*device)(crayon_gpu_instance* instance, uint32_t index, crayon_gpu_device* device);
    /* The last error, in a sentence; "" if there was none. Valid until the next call with the instance. */
    const char* (*reason)(crayon_gpu_instance* instance);

    crayon_gpu_status (*context_create)(crayon_gpu_instance* instance, uint32_t device, const crayon_gpu_context_options* options,
                                        crayon_gpu_context** context);
    void (*context_release)(crayon_gpu_context* context);

    crayon_gpu_status (*pinned_allocate)(crayon_gpu_context* context, uint64_t length, void** memory);
    void (*pinned_release)(crayon_gpu_context* context, void* memory);

    crayon_gpu_status (*model_upload)(crayon_gpu_context* context, const crayon_gpu_tables* tables, crayon_gpu_model** model);
    void (*model_release)(crayon_gpu_model* model);

    crayon_gpu_status (*stream_create)(crayon_gpu_context* context, crayon_gpu_stream** stream);
    void (*stream_release)(crayon_gpu_stream* stream);
    /* The most device memory in bytes that a batch needs, without its matrix (whose size is known only after counting):
     * for choosing slices within a budget. Reads only the offsets of the batch. */
    crayon_gpu_status (*needed_memory)(crayon_gpu_model* model, const crayon_gpu_batch* batch, uint64_t* length);

    crayon_gpu_status (*submit)(crayon_gpu_stream* stream, crayon_gpu_model* model, const crayon_gpu_batch* batch,
                                crayon_gpu_job** job);
    crayon_gpu_status (*poll)(crayon_gpu_job* job);
    /* PENDING if it is not done after that time. */
    crayon_gpu_status (*wait)(crayon_gpu_job* job, uint32_t milliseconds);
    crayon_gpu_status (*result)(crayon_gpu_job* job, crayon_gpu_result* result);
    crayon_gpu_status (*fetch)(crayon_gpu_job* job, const crayon_gpu_destination* destination);
    /* Ends the job as soon as possible, with CANCELLED unless it was already done. It must still be released. */
    void (*cancel)(crayon_gpu_job* job);
    /* Waits until the job is done, or will not begin. */
    void (*job_release)(crayon_gpu_job* job);
} crayon_gpu_api;

/* The functions of that version, valid while the library is loaded; null if the plugin does not support it. */
CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t version);

/* --- matrices that stay ------------------------------------------------------------------------------------------------ */

/* For matrices that are used in place, by a model or another library, long after their job:

     memory_create(context, length, &memory)        for all slices of a batch together
     keep(job, memory, …)                           for each slice, between its result and its fetch
     address(memory)                                valid until the release
     memory_release(memory)

   Calls on one memory must not overlap, as with jobs; calls on different ones may. Any thread may call them. */
typedef struct crayon_gpu_memory_api {
    uint32_t size;
    uint32_t version;

    /* Aligned to 256. Counts against the context's budget, and belongs to the context. */
    crayon_gpu_status (*memory_create)(crayon_gpu_context* context, uint64_t length, crayon_gpu_memory** memory);
    void (*memory_release)(crayon_gpu_memory* memory);
    void* (*address)(crayon_gpu_memory* memory);
    /* Both return when it is done. */
    crayon_gpu_status (*read)(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, void* to);
    crayon_gpu_status (*write)(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, const void* from);
    /* Makes the next `fetch` write a matrix there, in addition to its destination: ids from `ids_offset` on, and, if
     * mask_width is 1 or the id width, its mask as elements of mask_width bytes, 1 and 0. Both offsets are multiples of
     * these widths. */
    crayon_gpu_status (*keep)(crayon_gpu_job* job, crayon_gpu_memory* memory, uint64_t ids_offset, uint64_t mask_offset,
                              uint32_t mask_width);
} crayon_gpu_memory_api;

/* Like crayon_gpu_plugin; a plugin of the same version may lack these functions. */
CRAYON_GPU_EXPORT const crayon_gpu_memory_api* crayon_gpu_plugin_memory(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif

/* The interface of an accelerator plugin: a shared library that encodes batches of texts on a device.
 *
 * A plugin is loaded by name when it is asked for, and nothing else needs it: where it, a driver or a device is missing, the
 * engine does the work. It exports crayon_gpu_plugin, which returns the table of functions of a version of this interface, and
 * crayon_gpu_plugin_memory, the same for matrices that stay on the device. The tables of a cartridge that it is given have passed
 * the engine's validator: kernels do not check them.
 *
 * From a batch to ids, in two steps, because how many ids there are is known only when they have been counted:
 *
 *   submit(stream, model, &batch, &job)      returns at once; copies in, counts
 *   wait(job, …) or poll(job)                until it is not PENDING
 *   result(job, &result)                     how many ids, rows, columns; whether a text has an error
 *   fetch(job, &destination)                 returns at once; writes the ids exactly, copies them out
 *   wait(job, …) or poll(job)
 *   job_release(job)
 *
 * For overlap, an engine keeps several streams, each with a slice of 16 to 64 MB in pinned memory: while one copies in, the
 * second computes and the third copies out. There are no ceilings: a batch that does not fit in the budget fails with
 * OUT_OF_DEVICE_MEMORY, the context stays usable, and the engine halves the batch.
 *
 * Ids are those of the engine, exactly, or the job fails. A failed job has written nothing that may be used.
 *
 * Ownership. What a function creates belongs to the caller, which releases it, children first: jobs, streams, models,
 * pinned memory and memory of the device, contexts, the instance. Releasing waits for the device where it must. Memory that is
 * passed to `submit`, `fetch` or `model_upload` must stay until the job is done; `model_upload` is done when it returns. After
 * DEVICE_FAULT or DEVICE_LOST all functions of the context fail with the same status, except those that release.
 *
 * Threads. Any thread may call any function; the functions of one instance, stream or job take turns (the caller sees to
 * it). `poll`, `cancel` and `devices` never wait for the device. `open` and `context_create` may take a second: not for a thread
 * that must stay responsive. No function calls back, prints, throws, or starts work that outlives what it belongs to.
 *
 * Versions. Each struct begins with its size, which the caller sets before it passes the struct, even one that is written to. A
 * plugin reads and writes only so much; what a shorter struct lacks is 0. Fields are only ever appended. What cannot be done so
 * takes a new version, and a plugin may have several. */
#ifndef CRAYON_GPU_H
#define CRAYON_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRAYON_GPU_ABI_VERSION 4u
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

typedef struct crayon_gpu_instance crayon_gpu_instance; /* what the plugin knows of the machine */
typedef struct crayon_gpu_context crayon_gpu_context;   /* one device, in use */
typedef struct crayon_gpu_model crayon_gpu_model;       /* the tables of a vocabulary on a device */
typedef struct crayon_gpu_stream crayon_gpu_stream;     /* jobs in order: one begins when the one before has been released */
typedef struct crayon_gpu_job crayon_gpu_job;           /* one batch */
typedef struct crayon_gpu_memory crayon_gpu_memory;     /* an array on a device, which outlives jobs */

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
    CRAYON_GPU_PIECES = 3,        /* the pieces of a pretokenizer: the id of each is its length in bytes */
    CRAYON_GPU_BPE = 4,           /* layout/bpe.h, with a pretokenizer */
    CRAYON_GPU_TOKENS = 5         /* the tokens of a vocabulary of any kind, for decoding alone */
} crayon_gpu_model_kind;

/* A hash table of a cartridge: layout/perfect_hash.h. */
typedef struct crayon_gpu_hash_table {
    uint64_t seed;
    uint32_t bucket_count, slot_count;
    const uint8_t* pilots;   /* bucket_count */
    const uint32_t* entries; /* slot_count; 4, 8 or 1 words each */
} crayon_gpu_hash_table;

/* The tables that a model has on a device. Lengths are those of arrays, in elements. */
typedef struct crayon_gpu_tables {
    uint32_t size;
    uint32_t kind; /* crayon_gpu_model_kind */

    /* Longest match: the units and values of the section kTrie. */
    const uint32_t* units;
    const uint32_t* values;
    uint32_t unit_count;
    uint32_t longest_token; /* in bytes */
    uint32_t unknown_id;    /* or NONE */

    /* DNA: the rules with the policies that were chosen already applied to each byte. */
    uint32_t unit; /* layout::DnaUnit */
    uint32_t k, digit_count;
    uint32_t first_kmer_id;    /* or NONE: kmer_ids */
    uint32_t kmer_count;       /* of kmer_ids: digit_count to the power of k, or 0 */
    uint32_t tail;             /* layout::DnaTail */
    uint32_t pad_id;           /* or NONE */
    const uint32_t* base_ids;  /* 256: of each byte alone; NONE: an error */
    const uint32_t* start_ids; /* null, or 256: of the first byte of a sequence */
    const uint32_t* kmer_ids;  /* by index; NONE: of no k-mer */
    const uint8_t*
        digits; /* 256: the digit of each byte, 0xFE for none, 0xFF if the policies reject it; for k-mers also 0xFC for none and
                   no id, and 0xFD for none in a word: those that follow one another have the id of the first alone */
    uint32_t unknown_kmer_id; /* stride 1: of a k-mer without an id, or with a byte that is no digit; or NONE */

    /* Pieces, and BPE: a pattern with its tables (layout/pattern.h), alone, with all cuts, of characters, none of which is
     * dropped. For deepseek3, which is no such pattern, null, and the classes of characters of deepseek3_step.h. */
    uint32_t pretokenizer; /* layout::Pretokenizer */
    const uint8_t* pattern;
    uint64_t pattern_length;     /* in bytes */
    const uint8_t* class_blocks; /* 8704: the block of every 128 code points */
    const uint8_t* classes;      /* class_count: 128 for each block */
    uint32_t class_count;

    /* Decoding: the token of each id below token_count, an empty one being no token; or null. BPE and TOKENS have
     * them. */
    uint32_t token_count;
    const uint32_t* token_offsets; /* token_count + 1 */
    const uint8_t* token_bytes;

    /* BPE: kPieces8, kPieces24, kPiecesLong and kPairs, and longest_token. */
    crayon_gpu_hash_table pieces8, pieces24, pieces_long, pairs;
    const uint32_t* splits;     /* 2 × token_count: left and right, by rank */
    const uint32_t* byte_ranks; /* 256: of the tokens of single bytes */
    const uint32_t* ids;        /* token_count: by rank; null: ids are ranks */
} crayon_gpu_tables;

/* --- batches ----------------------------------------------------------------------------------------------------------- */

typedef enum crayon_gpu_output {
    CRAYON_GPU_IDS = 1,    /* packed: the ids of row i are ids[row_offsets[i], row_offsets[i + 1]) */
    CRAYON_GPU_MATRIX = 2, /* [rows, columns] and its mask, padded or cut to fit */
    CRAYON_GPU_COUNTS = 3, /* row_offsets alone */
    CRAYON_GPU_BYTES = 4   /* decoding: ids to bytes; `bytes` of the batch are uint32 ids, offsets count ids */
} crayon_gpu_output;

/* Documents, one after the other. Each is encoded alone, as text without special tokens: an engine that looks for these passes
 * the parts between them as documents. */
typedef struct crayon_gpu_batch {
    uint32_t size;
    uint32_t output;         /* crayon_gpu_output */
    const uint8_t* bytes;    /* pinned memory overlaps with computing; any other works */
    const uint64_t* offsets; /* document_count + 1, ascending, from 0 to the length of `bytes` */
    uint64_t document_count;
    uint32_t id_width; /* bytes of an id in the result: 1, 2, 4 or 8. Ids of texts have 4 or 8 */
    uint32_t flags;    /* crayon_gpu_batch_flags */
    uint64_t columns;  /* of a matrix; 0: those of the longest row */
    uint32_t pad_id;
    uint32_t before_count, after_count; /* at most 64 each: ids before and after those of each document, of matrices */
    const uint32_t* before;
    const uint32_t* after;
} crayon_gpu_batch;

typedef enum crayon_gpu_batch_flags {
    CRAYON_GPU_PAD_LEFT = 1,
    CRAYON_GPU_TRUNCATE = 2,     /* else a row that is longer than the columns is an error of its document */
    CRAYON_GPU_SIGNED_PAD = 8,   /* pad_id is an int32_t, and ids of 8 bytes an int64_t */
    CRAYON_GPU_STAY_RESIDENT = 4 /* the ids stay on the device until the job is released: crayon_gpu_result has their address */
} crayon_gpu_batch_flags;

/* Errors of documents. The position is about where: the engine encodes the document itself and reports what it finds. */
typedef enum crayon_gpu_failure {
    CRAYON_GPU_NO_FAILURE = 0,
    CRAYON_GPU_NO_ID = 1, /* a byte or character has no id; decoding: an id has no token */
    CRAYON_GPU_ROW_TOO_LONG = 2,
    CRAYON_GPU_PIECE_TOO_LONG = 3 /* than CRAYON_GPU_LONGEST_PIECE: not what kernels are for */
} crayon_gpu_failure;

typedef struct crayon_gpu_result {
    uint32_t size;
    uint32_t failure;         /* crayon_gpu_failure; if there is one, there is nothing to fetch */
    uint64_t failed_document; /* the first one */
    uint64_t count;           /* ids (decoding: bytes), before padding */
    uint64_t rows, columns;   /* of the matrix */
    uint64_t longest_row;
    const void* device_ids;                       /* STAY_RESIDENT, after a fetch */
    uint64_t copy_in_ns, compute_ns, copy_out_ns; /* by the device's clock, so far; 0 if it has none */
    uint32_t repaired;                            /* 1: chains of chunks met only after repairs; 2: they were composed */
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
    uint32_t time_limit_ms; /* of a job on the device; 0: none */
    uint64_t memory_budget; /* bytes of device memory; 0: four fifths of what is free */
} crayon_gpu_context_options;

typedef struct crayon_gpu_api {
    uint32_t size;
    uint32_t version;

    /* Finds devices. A machine without any is no error: the list is empty, and reason() says why. */
    crayon_gpu_status (*open)(const crayon_gpu_options* options, crayon_gpu_instance** instance);
    void (*close)(crayon_gpu_instance* instance);
    uint32_t (*device_count)(crayon_gpu_instance* instance);
    crayon_gpu_status (*device)(crayon_gpu_instance* instance, uint32_t index, crayon_gpu_device* device);
    /* What went wrong last, in a sentence; "" if nothing did. Valid until the next call with the instance. */
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
    /* The bytes of device memory that a batch needs at most, without its matrix (whose size is known when its ids have been
     * counted): for choosing slices within a budget. Only the offsets of the batch are read. */
    crayon_gpu_status (*needed_memory)(crayon_gpu_model* model, const crayon_gpu_batch* batch, uint64_t* length);

    crayon_gpu_status (*submit)(crayon_gpu_stream* stream, crayon_gpu_model* model, const crayon_gpu_batch* batch,
                                crayon_gpu_job** job);
    crayon_gpu_status (*poll)(crayon_gpu_job* job);
    /* PENDING if it is not done after that time. */
    crayon_gpu_status (*wait)(crayon_gpu_job* job, uint32_t milliseconds);
    crayon_gpu_status (*result)(crayon_gpu_job* job, crayon_gpu_result* result);
    crayon_gpu_status (*fetch)(crayon_gpu_job* job, const crayon_gpu_destination* destination);
    /* The job ends as soon as it can, with CANCELLED unless it was done already. It still must be released. */
    void (*cancel)(crayon_gpu_job* job);
    /* Waits until the job is done, or not to begin. */
    void (*job_release)(crayon_gpu_job* job);
} crayon_gpu_api;

/* The functions of that version, valid while the library is loaded; null if the plugin does not have it. */
CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t version);

/* --- matrices that stay ------------------------------------------------------------------------------------------------ */

/* For matrices that are used where they are, by a model or another library, long after their job:

     memory_create(context, length, &memory)        as long as all slices of a batch are together
     keep(job, memory, …)                           for each of them, between its result and its fetch
     address(memory)                                good until the release
     memory_release(memory)

   One memory's functions take turns, as a job's do; those of several need not. Any thread may call them. */
typedef struct crayon_gpu_memory_api {
    uint32_t size;
    uint32_t version;

    /* Aligned to 256. It counts against the budget of the context, and belongs to it. */
    crayon_gpu_status (*memory_create)(crayon_gpu_context* context, uint64_t length, crayon_gpu_memory** memory);
    void (*memory_release)(crayon_gpu_memory* memory);
    void* (*address)(crayon_gpu_memory* memory);
    /* Both return when it is done. */
    crayon_gpu_status (*read)(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, void* to);
    crayon_gpu_status (*write)(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, const void* from);
    /* Has the next `fetch` write a matrix there, whatever else its destination wants: ids from `ids_offset` on, and, if
     * mask_width is 1 or that of an id, its mask as elements of so many bytes, 1 and 0. Both offsets are multiples of these
     * widths. */
    crayon_gpu_status (*keep)(crayon_gpu_job* job, crayon_gpu_memory* memory, uint64_t ids_offset, uint64_t mask_offset,
                              uint32_t mask_width);
} crayon_gpu_memory_api;

/* As crayon_gpu_plugin, which a plugin of the same version may have without these. */
CRAYON_GPU_EXPORT const crayon_gpu_memory_api* crayon_gpu_plugin_memory(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif

/* Accelerators. */
#pragma once

#include "crayon/api/base.h"
#include "crayon/api/dna.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    uint64_t memory;     /* bytes */
    char name[128];      /* UTF-8, ends with NUL, as the reason */
    char reason[400];    /* why it cannot be used, or why the last job failed, or empty */
    uint64_t held_bytes; /* bytes of matrices that stay on the device */
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

#ifdef __cplusplus
}
#endif

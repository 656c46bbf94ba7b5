/* Encoding with several threads. */
#pragma once

#include "crayon/api/dna.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/* Drops the idle encoders of a tokenizer whose caches have more than `max_bytes` bytes: their memory is freed. Working encoders
   go on. From any thread. */
CRAYON_API void crayon_tokenizer_trim(const crayon_tokenizer* tokenizer, crayon_pool* pool, uint64_t max_bytes);
/* Gives back to the system what the process has freed, where the allocator would keep it (glibc, for each thread). Milliseconds.
   From any thread. */
CRAYON_API void crayon_memory_trim(void);
/* A hint for new memory that is about to be written from its beginning on: it has large pages, where it is large. `all` = 1: all
   of it will be written at once, so that it gets its pages now, in half the time of a fault for each. */
CRAYON_API void crayon_memory_prepare(void* memory, uint64_t size, uint32_t all);

enum {
    CRAYON_JOB_COUNT = 1,   /* only counts the ids */
    CRAYON_JOB_OVERLAP = 2, /* the parts of a long text overlap, as in LoPT; the ids are the same, and it is no faster */
    CRAYON_JOB_APART = 4    /* the ids are not gathered in one block of memory, for crayon_job_copy or crayon_job_write_rows */
};

/* `special` and `allowed`: as in crayon_encoder_begin. */
CRAYON_API crayon_status crayon_job_create(crayon_tokenizer* tokenizer, uint32_t special, const uint32_t* allowed,
                                           uint32_t allowed_count, uint32_t flags, crayon_job** out, crayon_result* result);
/* Sets the parameters of LoPT for a job with CRAYON_JOB_OVERLAP, before it is submitted. Parts are `part_length` bytes long (at
   least 256), overlap by `overlap_length` bytes (at most 1 MiB), and are joined where the overlaps share `threshold` safe split
   points. A part that cannot be joined is encoded again; after the next one two are, then four, and so on. 0: the default. Safe
   split points are proved (chain.h), so the ids do not depend on these parameters. */
CRAYON_API crayon_status crayon_job_set_overlap(crayon_job* job, uint32_t part_length, uint32_t overlap_length,
                                                uint32_t threshold, crayon_result* result);
/* As crayon_dna_encode_rows, by threads that share the rows: the same ids, or the failure of the first row that fails, with its
   index in `count` of the result. It holds `dna`. The five arrays must stay in place, and the input must not change, until the
   job is done. The functions for texts and ids of jobs do not apply to it: they return INVALID_ARGUMENT, 0 or NULL. */
CRAYON_API crayon_status crayon_job_create_dna(const crayon_dna* dna, const uint8_t* bytes, uint32_t byte_count,
                                               const uint32_t* offsets, uint32_t rows, uint32_t columns, uint32_t flags,
                                               uint32_t width, void* ids, uint8_t* mask, uint32_t* unknown, crayon_job** out,
                                               crayon_result* result);
/* Not between crayon_pool_submit and the report. */
CRAYON_API void crayon_job_release(crayon_job* job);

/* The same, by a thread of the pool: freeing the memory of a large job takes milliseconds. */
CRAYON_API void crayon_pool_dispose(crayon_pool* pool, crayon_job* job);

/* Sets the text, as UTF-8 (invalid bytes are kept, as in crayon_encoder_feed_utf8). It must stay in place until the job is
   reported. If it changes meanwhile, the ids are meaningless. `last` = 0: text follows that is not part of this job; see
   crayon_job_result. */
CRAYON_API crayon_status crayon_job_set_text(crayon_job* job, const uint8_t* bytes, uint64_t length, uint32_t last,
                                             crayon_result* result);
/* Or maps bytes [begin, begin + length) of a text file, given by an open descriptor, which may be closed afterwards. The job owns
   the mapping, until it is released. FILE_UNREADABLE if the file cannot be mapped (not a regular file, or not a POSIX system),
   INVALID_ARGUMENT for zero bytes. Cost: microseconds; pages are read when they are first touched. Touching a page beyond the end
   of a truncated file ends the process (SIGBUS), so map only files that never shrink. */
CRAYON_API crayon_status crayon_job_map_text(crayon_job* job, int32_t descriptor, uint64_t begin, uint32_t length, uint32_t last,
                                             crayon_result* result);
/* Whether a file can be mapped: 0: no; 1: yes; 2: yes, and nobody can truncate it, because it is sealed (memfd) or its file
   system is mounted read-only. */
CRAYON_API uint32_t crayon_job_can_map(int32_t descriptor);
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

/* Rows as files hold them: `before`, the ids, `after`, in integers of `width` bytes, 2 or 4. Of ids that do not fit in 2, the low
   16 bits. */
typedef struct crayon_row_form {
    const uint32_t* before;
    const uint32_t* after;
    uint32_t before_count, after_count;
    uint32_t width;
} crayon_row_form;

/* Writes the rows of a job with CRAYON_JOB_APART, back to back, in the calling thread, once; and the number of integers of each
   to `lengths`, of row_count. `out` has `capacity` bytes, and begins at a multiple of `width`: INVALID_ARGUMENT if they do not
   suffice. TEXT_TOO_LONG if there are more than 32 bits of integers. */
CRAYON_API crayon_status crayon_job_write_rows(crayon_job* job, const crayon_row_form* form, void* out, uint64_t capacity,
                                               uint32_t* lengths, crayon_result* result);

#ifdef __cplusplus
}
#endif

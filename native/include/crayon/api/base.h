/* What every part of the C interface needs: statuses, handles, results; and the names of kernels. */
#pragma once

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

/* What a function does with an array, of how many elements: a parameter after it, or made of parameters. It is for readers, and
   for scripts/generate-bindings.mjs, which writes the addon's and WebAssembly's bindings from these headers. OR_NULL: there may
   be none. UP_TO: the result's `count` says how many it writes. GIVES: the function sets the pointer to an array of its own;
   FREED: which the caller frees with free(). RETURNS: it returns an array of its own, or NULL. The
   elements of void that is written are bytes, which the last factor, a parameter, makes ids of. */
#define CRAYON_READS(count)
#define CRAYON_READS_OR_NULL(count)
#define CRAYON_WRITES(...)
#define CRAYON_WRITES_OR_NULL(...)
#define CRAYON_WRITES_UP_TO(...)
#define CRAYON_GIVES(count)
#define CRAYON_GIVES_FREED(count)
#define CRAYON_RETURNS(count)

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

/* The SIMD code has a kernel, one variant, per instruction set. This is the name of kernel `index` in the list of kernels that
   this machine can run, best first; NULL past the last one ("scalar"). */
CRAYON_API const char* crayon_kernel_name(uint32_t index);

#ifdef __cplusplus
}
#endif

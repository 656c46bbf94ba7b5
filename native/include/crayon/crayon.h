/* The engine's C interface: the only header that the Node addon, the WASM modules and tools include. Its parts are in api/, a
 * concept each.
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
#pragma once

#include "crayon/api/base.h"
#include "crayon/api/cartridges.h"
#include "crayon/api/compiler.h"
#include "crayon/api/devices.h"
#include "crayon/api/dna.h"
#include "crayon/api/documents.h"
#include "crayon/api/encoding.h"
#include "crayon/api/jobs.h"
#include "crayon/api/json.h"
#include "crayon/api/limits.h"
#include "crayon/api/records.h"
#include "crayon/api/tokenizers.h"
#include "crayon/api/trainer.h"

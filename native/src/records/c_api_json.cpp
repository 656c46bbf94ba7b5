// crayon_json_texts: checks arguments and converts; no logic.
#include "base/status.h"
#include "records/json_texts.h"

using namespace crayon;

static_assert(sizeof(crayon_json_row) == sizeof(JsonTexts::Row));

extern "C" crayon_status crayon_json_texts(const char* kernel, uint32_t kernel_length, const uint8_t* keys,
                                           const uint32_t* key_ends, uint32_t key_count, const uint8_t* input, uint32_t length,
                                           uint8_t* bytes, uint32_t max_bytes, crayon_json_row* rows, uint32_t row_capacity,
                                           crayon_json_progress* progress, crayon_result* result) {
    if (progress) *progress = {};
    if ((!kernel && kernel_length > 0) || !key_ends || key_count == 0 || key_count > JsonTexts::kMostKeys || !progress ||
        (!input && length > 0) || length > 0x80000000 || (!bytes && length > 0) || (!rows && row_capacity > 0)) {
        return report(kInvalidArgument, result);
    }
    const Kernel* const chosen = kernel_named(kernel, kernel_length);
    if (!chosen) return report({CRAYON_UNKNOWN_KERNEL}, result);
    JsonTexts::Path path{};
    path.count = key_count;
    for (u32 i = 0, begin = 0; i < key_count; begin = key_ends[i++]) {
        if (key_ends[i] < begin || (!keys && key_ends[i] > 0)) return report(kInvalidArgument, result);
        path.keys[i] = keys ? keys + begin : input;
        path.lengths[i] = key_ends[i] - begin;
    }
    JsonTexts texts(*chosen, path);
    const JsonTexts::Progress done =
        texts.read(input, length, {bytes, max_bytes, reinterpret_cast<JsonTexts::Row*>(rows), row_capacity});
    *progress = {done.consumed, done.produced, done.rows, done.empty, done.stuck};
    return report({}, result);
}

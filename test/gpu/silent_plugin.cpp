// A plugin whose device takes everything and never answers, not even to say that it is late; whoever releases a job waits for
// ever. For the time limit of the engine's own.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "crayon_gpu.h"

namespace {

char something;  // that handles point to

template <class T>
crayon_gpu_status give(T** out) {
    *out = reinterpret_cast<T*>(&something);
    return CRAYON_GPU_OK;
}

void sleep(uint32_t milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

constexpr crayon_gpu_api kApi = {
    sizeof(crayon_gpu_api),
    CRAYON_GPU_ABI_VERSION,
    [](const crayon_gpu_options*, crayon_gpu_instance** out) { return give(out); },
    [](crayon_gpu_instance*) {},
    [](crayon_gpu_instance*) { return 1u; },
    [](crayon_gpu_instance*, uint32_t, crayon_gpu_device* about) {
        about->is_usable = 1;
        about->free_memory = about->memory = 1 << 30;
        std::strcpy(about->name, "silent device");
        return CRAYON_GPU_OK;
    },
    [](crayon_gpu_instance*) { return ""; },
    [](crayon_gpu_instance*, uint32_t, const crayon_gpu_context_options*, crayon_gpu_context** out) { return give(out); },
    [](crayon_gpu_context*) { std::abort(); },
    [](crayon_gpu_context*, uint64_t length, void** memory) {
        *memory = std::malloc(length);
        return CRAYON_GPU_OK;
    },
    [](crayon_gpu_context*, void* memory) { std::free(memory); },
    [](crayon_gpu_context*, const crayon_gpu_tables*, crayon_gpu_model** out) { return give(out); },
    [](crayon_gpu_model*) { std::abort(); },
    [](crayon_gpu_context*, crayon_gpu_stream** out) { return give(out); },
    [](crayon_gpu_stream*) { std::abort(); },
    [](crayon_gpu_model*, const crayon_gpu_batch*, uint64_t* length) {
        *length = 0;
        return CRAYON_GPU_OK;
    },
    [](crayon_gpu_stream*, crayon_gpu_model*, const crayon_gpu_batch*, crayon_gpu_job** out) { return give(out); },
    [](crayon_gpu_job*) { return CRAYON_GPU_PENDING; },
    [](crayon_gpu_job*, uint32_t milliseconds) {
        sleep(milliseconds);
        return CRAYON_GPU_PENDING;
    },
    [](crayon_gpu_job*, crayon_gpu_result*) { return CRAYON_GPU_PENDING; },
    [](crayon_gpu_job*, const crayon_gpu_destination*) { return CRAYON_GPU_PENDING; },
    [](crayon_gpu_job*) {},
    [](crayon_gpu_job*) { std::abort(); },
};

}  // namespace

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t) { return &kApi; }

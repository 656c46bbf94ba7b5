// A plugin that passes the tables of a vocabulary on to another one, and refuses everything else: so a program that calls
// a plugin by itself gets, for any kind of model, the tables that the engine makes.
#include "crayon_gpu.h"

#include <cstring>

namespace {

const crayon_gpu_api* api = nullptr;
crayon_gpu_context* context = nullptr;
crayon_gpu_model* uploaded = nullptr;
int dummy;

crayon_gpu_status open(const crayon_gpu_options*, crayon_gpu_instance** instance) {
    *instance = reinterpret_cast<crayon_gpu_instance*>(&dummy);
    return CRAYON_GPU_OK;
}
void close(crayon_gpu_instance*) {}
uint32_t device_count(crayon_gpu_instance*) { return 1; }
crayon_gpu_status device(crayon_gpu_instance*, uint32_t, crayon_gpu_device* about) {
    const uint32_t size = about->size;
    std::memset(about, 0, size);
    about->size = size;
    about->is_usable = 1;
    about->memory = about->free_memory = uint64_t{1} << 30;
    return CRAYON_GPU_OK;
}
const char* reason(crayon_gpu_instance*) { return ""; }
crayon_gpu_status context_create(crayon_gpu_instance*, uint32_t, const crayon_gpu_context_options*,
                                 crayon_gpu_context** created) {
    *created = reinterpret_cast<crayon_gpu_context*>(&dummy);
    return CRAYON_GPU_OK;
}
void context_release(crayon_gpu_context*) {}
crayon_gpu_status model_upload(crayon_gpu_context*, const crayon_gpu_tables* tables, crayon_gpu_model**) {
    const crayon_gpu_status status = api->model_upload(context, tables, &uploaded);
    return status == CRAYON_GPU_OK ? CRAYON_GPU_UNSUPPORTED : status;  // the job ends here
}

constexpr crayon_gpu_api kApi = {sizeof(crayon_gpu_api),
                                 CRAYON_GPU_ABI_VERSION,
                                 open,
                                 close,
                                 device_count,
                                 device,
                                 reason,
                                 context_create,
                                 context_release,
                                 nullptr,
                                 nullptr,
                                 model_upload,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

}  // namespace

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t version) {
    return version == CRAYON_GPU_ABI_VERSION ? &kApi : nullptr;
}

// Where the tables of the next job go, and the model made from the last job's tables; null if they were refused.
extern "C" CRAYON_GPU_EXPORT void crayon_gpu_proxy_to(const crayon_gpu_api* to, crayon_gpu_context* in) {
    api = to;
    context = in;
    uploaded = nullptr;
}
extern "C" CRAYON_GPU_EXPORT crayon_gpu_model* crayon_gpu_proxy_model() { return uploaded; }

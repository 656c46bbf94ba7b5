// The emulated plugin as it was before it could decode the tokens of any vocabulary: it refuses models that are tokens alone.
#include <dlfcn.h>

#include <string>

#include "crayon_gpu.h"

namespace {

const crayon_gpu_api* now;
crayon_gpu_api then;

// In the same folder.
const crayon_gpu_api* emulated(uint32_t version) {
    Dl_info self;
    if (!dladdr(&then, &self)) return nullptr;
    const std::string path = self.dli_fname;
    void* const library = dlopen((path.substr(0, path.rfind('/')) + "/crayon_gpu_emulated.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    using Entry = const crayon_gpu_api* (*)(uint32_t);
    const Entry entry = library ? reinterpret_cast<Entry>(dlsym(library, "crayon_gpu_plugin")) : nullptr;
    return entry ? entry(version) : nullptr;
}

}  // namespace

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t version) {
    now = emulated(version);
    if (!now) return nullptr;
    then = *now;
    then.model_upload = [](crayon_gpu_context* context, const crayon_gpu_tables* tables, crayon_gpu_model** model) {
        return tables->kind == CRAYON_GPU_TOKENS ? CRAYON_GPU_INVALID_ARGUMENT : now->model_upload(context, tables, model);
    };
    return &then;
}

#include "device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace crayon::bench {

void fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

void must(crayon_gpu_status status, const char* what) {
    if (status == CRAYON_GPU_OK) return;
#define CRAYON_GPU_STATUS(name, number, sentence) \
    if (status == number) fail(std::string(what) + ": " + sentence);
#include "crayon_gpu_status.def"
#undef CRAYON_GPU_STATUS
    fail(what);
}

Device::Device(const std::string& plugin, u32 processors, u32 warp_size) {
    library_ = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) fail(dlerror());
    const auto entry = reinterpret_cast<const crayon_gpu_api* (*)(uint32_t)>(symbol("crayon_gpu_plugin"));
    api_ = entry ? entry(CRAYON_GPU_ABI_VERSION) : nullptr;
    if (!api_) fail(plugin + " is not a plugin of this version");
    if (const auto record_as = reinterpret_cast<void (*)(uint32_t, uint32_t)>(symbol("crayon_gpu_record_as")))
        record_as(processors, warp_size);
    setenv("CRAYON_EMULATED_DEVICE", "device_memory=17179869184 seed=1", 0);
    const crayon_gpu_options options = {sizeof options, 0};
    must(api_->open(&options, &instance_), "the plugin");
    if (api_->device_count(instance_) == 0) fail(std::string("there is no device: ") + api_->reason(instance_));
    about_.size = sizeof about_;
    must(api_->device(instance_, 0, &about_), "the device");
    if (!about_.is_usable) fail(about_.reason);
    const crayon_gpu_context_options context_options = {sizeof context_options, 0, 0};
    must(api_->context_create(instance_, 0, &context_options, &context_), "the device");
}

Device::~Device() {
    if (context_) api_->context_release(context_);
    if (instance_) api_->close(instance_);
}

void* Device::symbol(const char* name) const { return dlsym(library_, name); }

Batch Batch::part(u64 first, u64 last) const {
    Batch batch = *this;
    batch.bytes = bytes + offsets[first];
    batch.offsets.clear();
    for (u64 i = first; i <= last; ++i) batch.offsets.push_back(offsets[i] - offsets[first]);
    return batch;
}

crayon_gpu_batch Batch::plain(u32 flags) const {
    crayon_gpu_batch batch{};
    batch.size = sizeof batch;
    batch.output = output;
    batch.bytes = bytes;
    batch.offsets = offsets.data();
    batch.document_count = documents();
    batch.id_width = id_width;
    batch.columns = columns;
    batch.flags = flags;
    return batch;
}

crayon_gpu_status run_job(const Device& device, crayon_gpu_stream* stream, crayon_gpu_model* model, const Batch& batch,
                          Pinned* ids, crayon_gpu_result* result) {
    const crayon_gpu_api& api = device.api();
    const crayon_gpu_batch plain = batch.plain(ids ? 0 : CRAYON_GPU_STAY_RESIDENT);
    crayon_gpu_job* job = nullptr;
    must(api.submit(stream, model, &plain, &job), "submit");
    const auto wait = [&] {
        crayon_gpu_status status;
        while ((status = api.wait(job, 1000)) == CRAYON_GPU_PENDING) {
        }
        return status;
    };
    *result = {};
    result->size = sizeof *result;
    crayon_gpu_status status = wait();
    if (status == CRAYON_GPU_OK) status = api.result(job, result);
    if (status == CRAYON_GPU_OK && result->failure != CRAYON_GPU_NO_FAILURE) {
        const bool is_long = result->failure == CRAYON_GPU_PIECE_TOO_LONG;
        fail((is_long ? "kernels do not take a piece of document " : "there is an error in document ") +
             std::to_string(result->failed_document));
    }
    if (status == CRAYON_GPU_OK) {
        crayon_gpu_destination to{};
        to.size = sizeof to;
        if (ids) to.ids = ids->reserve(batch.ids_of(*result) * batch.width());
        status = api.fetch(job, &to);
        if (status == CRAYON_GPU_OK) status = wait();
        if (status == CRAYON_GPU_OK) status = api.result(job, result);
    }
    api.job_release(job);
    if (status != CRAYON_GPU_OUT_OF_DEVICE_MEMORY) must(status, "the job");
    return status;
}

}  // namespace crayon::bench

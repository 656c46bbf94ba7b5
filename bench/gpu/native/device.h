// A plugin and its device, for a program that calls it by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crayon_gpu.h"

namespace crayon::bench {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Ends the program with a sentence: there is nothing to measure then.
[[noreturn]] void fail(const std::string& why);
void must(crayon_gpu_status status, const char* what);

// The first usable device of a plugin, and a context.
class Device {
public:
    // `processors`, `warp_size`: of the recorded device.
    explicit Device(const std::string& plugin, u32 processors = 4, u32 warp_size = 32);
    ~Device();
    Device(const Device&) = delete;

    const crayon_gpu_api& api() const { return *api_; }
    crayon_gpu_context* context() const { return context_; }
    const crayon_gpu_device& about() const { return about_; }
    void* symbol(const char* name) const;

private:
    void* library_ = nullptr;
    const crayon_gpu_api* api_ = nullptr;
    crayon_gpu_instance* instance_ = nullptr;
    crayon_gpu_context* context_ = nullptr;
    crayon_gpu_device about_{};
};

// Pinned memory.
class Pinned {
public:
    explicit Pinned(const Device& device) : device_(device) {}
    ~Pinned() { device_.api().pinned_release(device_.context(), memory_); }
    Pinned(const Pinned&) = delete;
    u8* data() const { return static_cast<u8*>(memory_); }
    // Its contents are lost.
    u8* reserve(u64 length) {
        if (length <= length_) return data();
        device_.api().pinned_release(device_.context(), memory_);
        memory_ = nullptr;
        must(device_.api().pinned_allocate(device_.context(), length, &memory_), "pinned memory");
        length_ = length;
        return data();
    }

private:
    const Device& device_;
    void* memory_ = nullptr;
    u64 length_ = 0;
};

struct Batch {
    const u8* bytes;
    std::vector<u64> offsets;  // of the documents, and one more
    u32 output = CRAYON_GPU_IDS, id_width = 4;
    u64 columns = 0;

    u64 documents() const { return offsets.size() - 1; }
    u64 length() const { return offsets.back(); }
    // Documents [first, last).
    Batch part(u64 first, u64 last) const;
    crayon_gpu_batch plain(u32 flags) const;
    // Ids in the result.
    u64 ids_of(const crayon_gpu_result& result) const {
        return output == CRAYON_GPU_MATRIX ? result.rows * result.columns : output == CRAYON_GPU_COUNTS ? 0 : result.count;
    }
    u32 width() const { return output == CRAYON_GPU_BYTES ? 1 : id_width; }
};

// One job from its beginning to its end. With `ids` they are copied there, else they stay on the device. OUT_OF_DEVICE_MEMORY is
// a result; every other failure ends the program.
crayon_gpu_status run_job(const Device& device, crayon_gpu_stream* stream, crayon_gpu_model* model, const Batch& batch,
                          Pinned* ids, crayon_gpu_result* result);

}  // namespace crayon::bench

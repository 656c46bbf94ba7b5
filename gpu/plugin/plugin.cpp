// The plugin interface on top of a runtime: instances, contexts, streams and jobs. Compiled by nvcc for CUDA, by hipcc for
// HIP, and otherwise for the emulated device.
//
// A stream has a thread that does its jobs one after another: pipeline.h waits for the device between its stages, so
// callers of submit do not have to. The thread ends with the stream. Exceptions do not cross the interface.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "crayon_gpu.h"
#if defined(CRAYON_GPU_CUDA) || defined(CRAYON_GPU_HIP)
#include "plugin/device_runtime.h"
#else
#include "emulated/runtime.h"
#endif
#include "plugin/pipeline.h"

using namespace crayon::gpu;

namespace {

// Copies as much of a caller's struct as it has: fields beyond its size are 0.
template <class T>
T known_part(const T* from) {
    T known{};
    if (from) std::memcpy(&known, from, from->size < sizeof(T) ? from->size : sizeof(T));
    known.size = sizeof(T);
    return known;
}
// And writes back only as much.
template <class T>
void write_known(T from, T* to) {
    from.size = to->size;
    std::memcpy(to, &from, to->size < sizeof(T) ? to->size : sizeof(T));
}

template <class Function>
crayon_gpu_status guarded(Function function) {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return CRAYON_GPU_OUT_OF_MEMORY;
    } catch (const std::system_error&) {  // no thread available
        return CRAYON_GPU_OUT_OF_MEMORY;
    }
}

}  // namespace

struct crayon_gpu_instance {
    std::string reason;
    std::vector<crayon_gpu_device> devices;
};

struct crayon_gpu_context {
    Runtime::Context runtime;
};

struct crayon_gpu_model {
    explicit crayon_gpu_model(crayon_gpu_context& of) : device(of.runtime) {}
    Runtime::Device device;  // owns the tables
    DeviceModel tables;
};

struct crayon_gpu_memory {
    crayon_gpu_memory(crayon_gpu_context& of, u64 size) : device(of.runtime), length(size) {}
    Runtime::Device device;  // owns the array
    Global<u8> bytes;
    const u64 length;

    bool has(u64 offset, u64 size) const { return offset <= length && size <= length - offset; }
    // Calls `copy` with the part of the array to copy from or to.
    template <class Copy>
    crayon_gpu_status copied(u64 offset, u64 size, Copy copy) {
        if (!has(offset, size)) return CRAYON_GPU_INVALID_ARGUMENT;
        device.begin_job(nullptr);
        copy(device.part(bytes, offset));
        device.finish();
        if (device.status() == CRAYON_GPU_OK) device.end_staging();
        return device.status();
    }
};

struct crayon_gpu_job {
    crayon_gpu_job(crayon_gpu_stream& on, const crayon_gpu_model& with, const crayon_gpu_batch& of);

    crayon_gpu_stream& stream;
    const crayon_gpu_batch batch;
    Pipeline<Runtime::Device> pipeline;
    crayon_gpu_destination destination{};
    Kept on_device;
    crayon_gpu_result result{};
    enum { kCounting, kCounted, kFetching, kFetched } stage = kCounting;
    crayon_gpu_status status = CRAYON_GPU_PENDING;  // of the stage
    std::atomic<bool> cancelled{false};
};

// Jobs share the device's memory: each begins after the previous one is released.
struct crayon_gpu_stream {
    explicit crayon_gpu_stream(crayon_gpu_context& of) : device(of.runtime), worker([this] { work(); }) {}
    ~crayon_gpu_stream() {
        {
            const std::lock_guard lock(mutex);
            ends = true;
        }
        changed.notify_all();
        worker.join();
    }

    void submit(crayon_gpu_job* job) {
        const std::lock_guard lock(mutex);
        jobs.push_back(job);
        changed.notify_all();
    }

    void work() {
        std::unique_lock lock(mutex);
        device.enter();
        while (!ends) {
            crayon_gpu_job* const job = jobs.empty() ? nullptr : jobs.front();
            if (!job || job->status != CRAYON_GPU_PENDING) {
                changed.wait(lock);
                continue;
            }
            const bool counts = job->stage == crayon_gpu_job::kCounting;
            lock.unlock();
            const crayon_gpu_status status = guarded([&] {
                if (counts) device.begin_job(&job->cancelled);
                return counts ? job->pipeline.count(job->batch, &job->result)
                              : job->pipeline.fetch(job->destination, &job->result, job->on_device);
            });
            lock.lock();
            const Times& times = device.times();
            job->result.copy_in_ns = times.ns[kCopyIn];
            job->result.compute_ns = times.ns[kCompute];
            job->result.copy_out_ns = times.ns[kCopyOut];
            job->status = status;
            job->stage = counts ? crayon_gpu_job::kCounted : crayon_gpu_job::kFetched;
            changed.notify_all();
        }
    }

    Runtime::Device device;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<crayon_gpu_job*> jobs;
    bool ends = false;
    std::thread worker;  // last, because it uses the others
};

crayon_gpu_job::crayon_gpu_job(crayon_gpu_stream& on, const crayon_gpu_model& with, const crayon_gpu_batch& of)
    : stream(on), batch(of), pipeline(on.device, with.tables) {}

namespace {

crayon_gpu_status open(const crayon_gpu_options*, crayon_gpu_instance** instance) {
    if (!instance) return CRAYON_GPU_INVALID_ARGUMENT;
    return guarded([&] {
        auto opened = std::make_unique<crayon_gpu_instance>();
        opened->devices = Runtime::devices(opened->reason);
        *instance = opened.release();
        return CRAYON_GPU_OK;
    });
}

void close(crayon_gpu_instance* instance) { delete instance; }

uint32_t device_count(crayon_gpu_instance* instance) { return static_cast<u32>(instance->devices.size()); }

crayon_gpu_status device(crayon_gpu_instance* instance, uint32_t index, crayon_gpu_device* about) {
    if (index >= instance->devices.size()) return CRAYON_GPU_NO_DEVICE;
    write_known(instance->devices[index], about);
    return CRAYON_GPU_OK;
}

const char* reason(crayon_gpu_instance* instance) { return instance->reason.c_str(); }

crayon_gpu_status context_create(crayon_gpu_instance* instance, uint32_t index, const crayon_gpu_context_options* options,
                                 crayon_gpu_context** context) {
    if (index >= instance->devices.size() || !instance->devices[index].is_usable) return CRAYON_GPU_NO_DEVICE;
    return guarded([&] {
        auto created = std::make_unique<crayon_gpu_context>();
        const crayon_gpu_context_options known = known_part(options);
        const crayon_gpu_status status =
            created->runtime.open(instance->devices[index], index, known.memory_budget, known.time_limit_ms);
        if (status == CRAYON_GPU_OK) *context = created.release();
        return status;
    });
}

void context_release(crayon_gpu_context* context) { delete context; }

crayon_gpu_status pinned_allocate(crayon_gpu_context* context, uint64_t length, void** memory) {
    return context->runtime.allocate_pinned(length, memory);
}

void pinned_release(crayon_gpu_context* context, void* memory) {
    if (memory) context->runtime.release_pinned(memory);
}

crayon_gpu_status model_upload(crayon_gpu_context* context, const crayon_gpu_tables* tables, crayon_gpu_model** model) {
    const crayon_gpu_tables known = known_part(tables);
    if (!is_possible(known)) return CRAYON_GPU_INVALID_ARGUMENT;
    if (!is_supported(known)) return CRAYON_GPU_UNSUPPORTED;
    return guarded([&] {
        auto uploaded = std::make_unique<crayon_gpu_model>(*context);
        uploaded->tables = upload(uploaded->device, known);
        uploaded->device.finish();
        if (uploaded->device.status() != CRAYON_GPU_OK) return uploaded->device.status();
        uploaded->device.end_staging();
        *model = uploaded.release();
        return CRAYON_GPU_OK;
    });
}

void model_release(crayon_gpu_model* model) { delete model; }

crayon_gpu_status stream_create(crayon_gpu_context* context, crayon_gpu_stream** stream) {
    return guarded([&] {
        auto created = std::make_unique<crayon_gpu_stream>(*context);
        if (created->device.status() != CRAYON_GPU_OK) return created->device.status();
        *stream = created.release();
        return CRAYON_GPU_OK;
    });
}

void stream_release(crayon_gpu_stream* stream) { delete stream; }

crayon_gpu_status needed_memory(crayon_gpu_model* model, const crayon_gpu_batch* batch, uint64_t* length) {
    const crayon_gpu_batch known = known_part(batch);
    if (!known.offsets) return CRAYON_GPU_INVALID_ARGUMENT;
    *length = most_memory(model->tables, known);
    return CRAYON_GPU_OK;
}

crayon_gpu_status submit(crayon_gpu_stream* stream, crayon_gpu_model* model, const crayon_gpu_batch* batch,
                         crayon_gpu_job** job) {
    return guarded([&] {
        auto new_job = std::make_unique<crayon_gpu_job>(*stream, *model, known_part(batch));
        stream->submit(new_job.get());
        *job = new_job.release();
        return CRAYON_GPU_OK;
    });
}

crayon_gpu_status poll(crayon_gpu_job* job) {
    const std::lock_guard lock(job->stream.mutex);
    return job->status;
}

crayon_gpu_status wait(crayon_gpu_job* job, uint32_t milliseconds) {
    std::unique_lock lock(job->stream.mutex);
    job->stream.changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                 [job] { return job->status != CRAYON_GPU_PENDING; });
    return job->status;
}

crayon_gpu_status result(crayon_gpu_job* job, crayon_gpu_result* result) {
    const std::lock_guard lock(job->stream.mutex);
    if (job->status == CRAYON_GPU_OK) write_known(job->result, result);
    return job->status;
}

crayon_gpu_status fetch(crayon_gpu_job* job, const crayon_gpu_destination* destination) {
    const std::lock_guard lock(job->stream.mutex);
    if (job->status != CRAYON_GPU_OK) return job->status;
    if (job->stage != crayon_gpu_job::kCounted || job->result.failure) return CRAYON_GPU_INVALID_ARGUMENT;
    job->destination = known_part(destination);
    job->stage = crayon_gpu_job::kFetching;
    job->status = CRAYON_GPU_PENDING;
    job->stream.changed.notify_all();
    return CRAYON_GPU_OK;
}

void cancel(crayon_gpu_job* job) { job->cancelled = true; }

void job_release(crayon_gpu_job* job) {
    crayon_gpu_stream& stream = job->stream;
    {
        std::unique_lock lock(stream.mutex);
        if (job->status == CRAYON_GPU_PENDING && stream.jobs.front() != job) {  // it has not begun
            std::erase(stream.jobs, job);
            lock.unlock();
            delete job;
            return;
        }
        stream.changed.wait(lock, [job] { return job->status != CRAYON_GPU_PENDING; });
        stream.device.release_all();
        std::erase(stream.jobs, job);
        stream.changed.notify_all();
    }
    delete job;
}

// --- matrices that stay ---

crayon_gpu_status memory_create(crayon_gpu_context* context, uint64_t length, crayon_gpu_memory** memory) {
    return guarded([&] {
        auto new_memory = std::make_unique<crayon_gpu_memory>(*context, length);
        new_memory->device.allocate_exactly();
        new_memory->bytes = new_memory->device.allocate<u8>(length);
        if (new_memory->device.status() != CRAYON_GPU_OK) return new_memory->device.status();
        *memory = new_memory.release();
        return CRAYON_GPU_OK;
    });
}

void memory_release(crayon_gpu_memory* memory) { delete memory; }

void* memory_address(crayon_gpu_memory* memory) { return memory->device.address(memory->bytes); }

crayon_gpu_status memory_read(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, void* to) {
    return guarded([&] {
        return memory->copied(offset, length, [&](Global<u8> from) {
            memory->device.copy_out(static_cast<u8*>(to), Global<const u8>(from), length);
        });
    });
}

crayon_gpu_status memory_write(crayon_gpu_memory* memory, uint64_t offset, uint64_t length, const void* from) {
    return guarded([&] {
        return memory->copied(offset, length,
                              [&](Global<u8> to) { memory->device.copy_in(to, static_cast<const u8*>(from), length); });
    });
}

crayon_gpu_status keep(crayon_gpu_job* job, crayon_gpu_memory* memory, uint64_t ids_offset, uint64_t mask_offset,
                       uint32_t mask_width) {
    const std::lock_guard lock(job->stream.mutex);
    if (job->status != CRAYON_GPU_OK) return job->status;
    const crayon_gpu_batch& batch = job->batch;
    const u64 count = job->result.rows * job->result.columns;
    const bool is_counted = job->stage == crayon_gpu_job::kCounted && !job->result.failure;
    const bool is_width = mask_width <= 1 || mask_width == batch.id_width;
    if (!is_counted || batch.output != CRAYON_GPU_MATRIX || !is_width) return CRAYON_GPU_INVALID_ARGUMENT;
    if (ids_offset % batch.id_width || !memory->has(ids_offset, count * batch.id_width)) return CRAYON_GPU_INVALID_ARGUMENT;
    if (mask_width && (mask_offset % mask_width || !memory->has(mask_offset, count * mask_width))) {
        return CRAYON_GPU_INVALID_ARGUMENT;
    }
    u8* const bytes = static_cast<u8*>(memory_address(memory));
    job->on_device = {bytes + ids_offset, mask_width ? bytes + mask_offset : nullptr, mask_width};
    return CRAYON_GPU_OK;
}

constexpr crayon_gpu_memory_api kMemoryApi = {sizeof(crayon_gpu_memory_api),
                                              CRAYON_GPU_ABI_VERSION,
                                              memory_create,
                                              memory_release,
                                              memory_address,
                                              memory_read,
                                              memory_write,
                                              keep};

constexpr crayon_gpu_api kApi = {sizeof(crayon_gpu_api),
                                 CRAYON_GPU_ABI_VERSION,
                                 open,
                                 close,
                                 device_count,
                                 device,
                                 reason,
                                 context_create,
                                 context_release,
                                 pinned_allocate,
                                 pinned_release,
                                 model_upload,
                                 model_release,
                                 stream_create,
                                 stream_release,
                                 needed_memory,
                                 submit,
                                 poll,
                                 wait,
                                 result,
                                 fetch,
                                 cancel,
                                 job_release};

}  // namespace

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t version) {
    return version == CRAYON_GPU_ABI_VERSION ? &kApi : nullptr;
}

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_memory_api* crayon_gpu_plugin_memory(uint32_t version) {
    return version == CRAYON_GPU_ABI_VERSION ? &kMemoryApi : nullptr;
}

// CUDA or HIP devices; the two APIs differ only in their name prefixes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#if defined(CRAYON_GPU_HIP)
#include <hip/hip_runtime.h>
#define CRAYON_CALL(name) hip##name
#else
#include <cuda_runtime.h>
#define CRAYON_CALL(name) cuda##name
#endif

#include "crayon_gpu.h"
#include "device/device.h"
#include "plugin/pinned_ranges.h"
#include "plugin/staging.h"

namespace crayon::gpu {

using Error = CRAYON_CALL(Error_t);

inline crayon_gpu_status status_of(Error error) {
    if (error == CRAYON_CALL(Success)) return CRAYON_GPU_OK;
    if (error == CRAYON_CALL(ErrorMemoryAllocation)) {
        static_cast<void>(CRAYON_CALL(GetLastError)());  // not a sticky error
        return CRAYON_GPU_OUT_OF_DEVICE_MEMORY;
    }
    if (error == CRAYON_CALL(ErrorNoDevice)) return CRAYON_GPU_DEVICE_LOST;
    return CRAYON_GPU_DEVICE_FAULT;
}

class DeviceRuntime {
public:
    // The devices of this machine; if there are none, `reason` says why.
    static std::vector<crayon_gpu_device> devices(std::string& reason) {
        int count = 0;
        if (const Error error = CRAYON_CALL(GetDeviceCount)(&count); error != CRAYON_CALL(Success)) {
            reason = CRAYON_CALL(GetErrorString)(error);
            return {};
        }
        std::vector<crayon_gpu_device> devices(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) devices[static_cast<std::size_t>(i)] = describe(i);
        return devices;
    }

    // One device, in use by this process.
    struct Context {
        int device = 0;
        u64 budget = 0;
        u32 time_limit_ms = 0;
        u32 processors = 1;
        std::atomic<u64> used{0};
        std::atomic<crayon_gpu_status> lost{CRAYON_GPU_OK};
        PinnedRanges pinned;

        crayon_gpu_status open(const crayon_gpu_device& about, u32 index, u64 memory_budget, u32 time_limit) {
            device = static_cast<int>(index);
            processors = about.processors;
            time_limit_ms = time_limit;
            if (CRAYON_CALL(SetDevice)(device) != CRAYON_CALL(Success)) return CRAYON_GPU_NO_DEVICE;
            std::size_t free = 0, all = 0;
            if (CRAYON_CALL(MemGetInfo)(&free, &all) != CRAYON_CALL(Success)) return CRAYON_GPU_NO_DEVICE;
            budget = memory_budget ? memory_budget : free / 5 * 4;
            return CRAYON_GPU_OK;
        }
        crayon_gpu_status allocate_pinned(u64 length, void** memory) {
            static_cast<void>(CRAYON_CALL(SetDevice)(device));
#if defined(CRAYON_GPU_HIP)
            const crayon_gpu_status status = status_of(hipHostMalloc(memory, length, hipHostMallocPortable));
#else
            const crayon_gpu_status status = status_of(cudaHostAlloc(memory, length, cudaHostAllocPortable));
#endif
            if (status == CRAYON_GPU_OK) pinned.add(*memory, length);
            return status;
        }
        void release_pinned(void* memory) {
            pinned.remove(memory);
#if defined(CRAYON_GPU_HIP)
            static_cast<void>(hipHostFree(memory));
#else
            static_cast<void>(cudaFreeHost(memory));
#endif
        }
    };

    // One stream, and memory reused by its jobs: after the first ones, nothing is allocated any more.
    class Device {
    public:
        explicit Device(Context& context) : context_(context) {
            if (context.lost != CRAYON_GPU_OK) {
                status_ = context.lost;
                return;
            }
            enter();
            if (good()) check(CRAYON_CALL(StreamCreateWithFlags)(&stream_, CRAYON_CALL(StreamNonBlocking)));
        }
        ~Device() {
            if (context_.lost == CRAYON_GPU_TIMED_OUT) return;  // it would wait for the hung device, too
            enter();
            if (stream_) {
                static_cast<void>(CRAYON_CALL(StreamSynchronize)(stream_));
                static_cast<void>(CRAYON_CALL(StreamDestroy)(stream_));
            }
            for (const Slab& slab : slabs_) free(slab);
            for (const Event event : events_) static_cast<void>(CRAYON_CALL(EventDestroy)(event));
            end_staging();
        }
        Device(const Device&) = delete;

        // Call first in each thread that uses it.
        void enter() { check(CRAYON_CALL(SetDevice)(context_.device)); }
        void begin_job(const std::atomic<bool>* cancelled) {
            cancelled_ = cancelled;
            status_ = context_.lost;
            times_ = {};
            spans_ = 0;
            bounced_out_.clear();
            enter();
        }
        // Times of the job's finished parts, from stream events; the stream may have waited for the host between them.
        const Times& times() const { return times_; }
        crayon_gpu_status status() const { return status_; }
        u32 processors() const { return context_.processors; }

        // Allocates only the requested amount: for one array that stays.
        void allocate_exactly() { least_slab_ = 0; }
        template <class T>
        Global<T> allocate(u64 count) {
            const u64 length = (count * sizeof(T) + 255) / 256 * 256 + 256;
            if (!good()) return {};
            if (slabs_.empty() || slabs_.back().length - slabs_.back().used < length) add_slab(length);
            if (!good()) return {};
            Slab& slab = slabs_.back();
            T* const at = reinterpret_cast<T*>(slab.memory + slab.used);
            slab.used += length;
            return Global<T>(at);
        }
        // If there were several slabs, there will be one next time.
        void release_all() {
            if (slabs_.size() > 1) {
                wanted_ = 0;
                for (const Slab& slab : slabs_) {
                    wanted_ += slab.length;
                    free(slab);
                }
                slabs_.clear();
            } else if (!slabs_.empty()) {
                slabs_[0].used = 0;
            }
        }

        template <class T>
        void copy_in(Global<T> array, const T* data, u64 count) {
            const u64 length = count * sizeof(T);
            if (!good() || length == 0) return;
            const void* from = data;
            if (!context_.pinned.has(data, length)) {
                if (staging_.is_for(length)) return staging_.copy_in(Address::of(array), data, length);
                if (void* const between = bounce(length)) from = std::memcpy(between, data, length);
            }
            begin_copy(Address::of(array), from, length, kCopyIn);
        }
        template <class T>
        void copy_out(T* data, Global<const T> array, u64 count) {
            const u64 length = count * sizeof(T);
            if (!good() || length == 0) return;
            void* to = data;
            if (!context_.pinned.has(data, length)) {
                if (staging_.is_for(length)) return staging_.copy_out(data, Address::of(array), length);
                if (void* const between = bounce(length)) {
                    to = between;
                    bounced_out_.push_back({data, between, length});
                }
            }
            begin_copy(to, Address::of(array), length, kCopyOut);
        }
        template <class T>
        void copy(Global<T> to, Global<T> from, u64 count) {
            if (good() && count > 0) begin_copy(Address::of(to), Address::of(from), count * sizeof(T), kCompute);
        }
        template <class T>
        void fill(Global<T> array, u8 byte, u64 count) {
            if (!good()) return;
            begin(kCompute);
            check(CRAYON_CALL(MemsetAsync)(Address::of(array), byte, count * sizeof(T), stream_));
        }
        template <class T>
        Global<const T> upload(const T* data, u64 count) {
            const Global<T> array = allocate<T>(count);
            copy_in(array, data, count);
            return array;
        }
        template <class T>
        Global<T> part(Global<T> array, u64 from) const {
            return Address::of(array) ? Global<T>(Address::of(array) + from) : array;
        }
        template <class T>
        void* address(Global<T> array) const {
            return Address::of(array);
        }

        template <class Kernel>
        void launch(u64 blocks, const typename Kernel::Args& args) {
            if (!good()) return;
            begin(kCompute);
            entry<Kernel><<<static_cast<u32>(blocks), Kernel::kThreads, 0, stream_>>>(args);
            check(CRAYON_CALL(GetLastError)());
        }
        void finish() {
            if (good() && spans_ > 0) check(CRAYON_CALL(EventRecord)(event(spans_), stream_));
            if (!await([this] { return CRAYON_CALL(StreamQuery)(stream_); })) return;
            for (const Bounced& each : bounced_out_) std::memcpy(each.to, each.from, each.length);
            bounced_out_.clear();
            bounced_ = 0;
            for (u32 i = 0; i < spans_; ++i) {
                float milliseconds = 0;
                check(CRAYON_CALL(EventElapsedTime)(&milliseconds, events_[i], events_[i + 1]));
                times_.ns[activities_[i]] += static_cast<u64>(milliseconds * 1e6);
            }
            spans_ = 0;
        }

        // Call after finish().
        void end_staging() {
            staging_.forget();
            bounce_ = nullptr;
            bounced_ = 0;
            for (void* const memory : pinned_) context_.release_pinned(memory);
            pinned_.clear();
        }

        // For Staging.
        using Event = CRAYON_CALL(Event_t);
        struct Mark {
            Event event = nullptr;
        };
        void* pinned(u64 length) {
            void* memory = nullptr;
            if (context_.allocate_pinned(length, &memory) != CRAYON_GPU_OK) return nullptr;
            pinned_.push_back(memory);
            return memory;
        }
        void begin_copy(void* to, const void* from, u64 length, Activity activity) {
            begin(activity);
            constexpr auto kKinds =
                std::array{CRAYON_CALL(MemcpyHostToDevice), CRAYON_CALL(MemcpyDeviceToDevice), CRAYON_CALL(MemcpyDeviceToHost)};
            check(CRAYON_CALL(MemcpyAsync)(to, from, length, kKinds[activity], stream_));
        }
        void mark(Mark& mark) {
            if (!mark.event) check(CRAYON_CALL(EventCreateWithFlags)(&mark.event, CRAYON_CALL(EventDisableTiming)));
            if (good()) check(CRAYON_CALL(EventRecord)(mark.event, stream_));
        }
        bool wait(const Mark& mark) {
            return await([&] { return CRAYON_CALL(EventQuery)(mark.event); });
        }
        void drop(Mark& mark) {
            if (mark.event) static_cast<void>(CRAYON_CALL(EventDestroy)(mark.event));
        }

    private:
        // Polls until it is ready; false if something has failed.
        template <class Query>
        bool await(Query query) {
            const auto begin = std::chrono::steady_clock::now();
            while (good()) {
                const Error error = query();
                if (error != CRAYON_CALL(ErrorNotReady)) {
                    check(error);
                    return status_ == CRAYON_GPU_OK;
                }
                const auto waited = std::chrono::steady_clock::now() - begin;
                if (context_.time_limit_ms && waited > std::chrono::milliseconds(context_.time_limit_ms)) {
                    lose(CRAYON_GPU_TIMED_OUT);
                    return false;
                }
                if (waited > std::chrono::milliseconds(1)) std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
            return false;
        }

        struct Slab {
            unsigned char* memory;
            u64 length, used;
        };
        static constexpr u64 kLeastSlab = u64{16} << 20;
        static constexpr u64 kStaged = 256 << 10, kStagedPart = 4 << 20, kBounce = 1 << 20;
        struct Bounced {
            void* to;
            const void* from;
            u64 length;
        };

        bool good() {
            if (status_ == CRAYON_GPU_OK && cancelled_ && *cancelled_) status_ = CRAYON_GPU_CANCELLED;
            return status_ == CRAYON_GPU_OK;
        }
        void check(Error error) {
            if (status_ != CRAYON_GPU_OK || error == CRAYON_CALL(Success)) return;
            status_ = status_of(error);
            if (status_ != CRAYON_GPU_OUT_OF_DEVICE_MEMORY) lose(status_);
        }
        void lose(crayon_gpu_status status) { status_ = context_.lost = status; }
        // Pinned memory for a small copy, valid until the stream is finished: the driver would wait for pageable memory.
        // Null if none is left.
        void* bounce(u64 length) {
            if (!bounce_ && bounced_ == 0) {
                bounce_ = static_cast<unsigned char*>(pinned(kBounce));
                if (!bounce_) bounced_ = kBounce;
            }
            if (!bounce_ || length > kBounce - bounced_) return nullptr;
            void* const memory = bounce_ + bounced_;
            bounced_ += (length + 15) / 16 * 16;
            return memory;
        }
        // From here on, time counts for this activity.
        void begin(Activity activity) {
            if (spans_ > 0 && activities_[spans_ - 1] == activity) return;
            check(CRAYON_CALL(EventRecord)(event(spans_), stream_));
            activities_.resize(spans_);
            activities_.push_back(activity);
            ++spans_;
        }
        Event event(u32 index) {
            while (events_.size() <= index) {
                Event new_event = nullptr;
                check(CRAYON_CALL(EventCreate)(&new_event));
                events_.push_back(new_event);
            }
            return events_[index];
        }
        void add_slab(u64 length) {
            // Takes only a part of a small budget, as other streams need theirs.
            length = greatest(greatest(length, wanted_), least(least_slab_, context_.budget / 16));
            wanted_ = 0;
            if (context_.used.fetch_add(length) + length > context_.budget) {
                context_.used -= length;
                status_ = CRAYON_GPU_OUT_OF_DEVICE_MEMORY;
                return;
            }
            void* memory = nullptr;
            check(CRAYON_CALL(Malloc)(&memory, length));
            if (status_ != CRAYON_GPU_OK) {
                context_.used -= length;
                return;
            }
            slabs_.push_back({static_cast<unsigned char*>(memory), length, 0});
        }
        void free(const Slab& slab) {
            static_cast<void>(CRAYON_CALL(Free)(slab.memory));
            context_.used -= slab.length;
        }

        Context& context_;
        CRAYON_CALL(Stream_t) stream_ = nullptr;
        std::vector<Slab> slabs_;
        u64 wanted_ = 0, least_slab_ = kLeastSlab;
        crayon_gpu_status status_ = CRAYON_GPU_OK;
        const std::atomic<bool>* cancelled_ = nullptr;
        Times times_;
        std::vector<Event> events_;         // event i is the start of span i and the end of the previous one
        std::vector<Activity> activities_;  // of spans
        u32 spans_ = 0;                     // since the stream was last finished
        std::vector<void*> pinned_;
        unsigned char* bounce_ = nullptr;
        u64 bounced_ = 0;
        std::vector<Bounced> bounced_out_;  // copied when the stream is finished
        Staging<Device> staging_{*this, kStaged, kStagedPart};
    };

private:
    static crayon_gpu_device describe(int index) {
        crayon_gpu_device about{};
#if defined(CRAYON_GPU_HIP)
        hipDeviceProp_t properties;
        about.kind = CRAYON_GPU_KIND_HIP;
#else
        cudaDeviceProp properties;
        about.kind = CRAYON_GPU_KIND_CUDA;
#endif
        if (const Error error = CRAYON_CALL(GetDeviceProperties)(&properties, index); error != CRAYON_CALL(Success)) {
            std::strncpy(about.reason, CRAYON_CALL(GetErrorString)(error), sizeof about.reason - 1);
            return about;
        }
        about.memory = about.free_memory = properties.totalGlobalMem;
        about.processors = static_cast<u32>(properties.multiProcessorCount);
        about.warp_size = static_cast<u32>(properties.warpSize);
        about.major_architecture = static_cast<u32>(properties.major);
        about.minor_architecture = static_cast<u32>(properties.minor);
        std::strncpy(about.name, properties.name, sizeof about.name - 1);
        about.is_usable = 1;
        return about;
    }
};

using Runtime = DeviceRuntime;

}  // namespace crayon::gpu

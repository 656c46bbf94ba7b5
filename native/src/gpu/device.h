// An accelerator, by the plugin that it is used through (crayon_gpu.h): found, opened when it is needed first, and given up for
// good when it fails.
//
// Whoever asks only what there is opens no context. Jobs take turns: the one that runs has the device to itself, with its
// context, its lanes and the tables of the last few vocabularies, which stay for the next one. After a fault, a loss or a
// hang the device is given up: every later job fails at once with the reason, and the engine does the work.
//
// Reference-counted, as jobs may outlive who opened it. Equal paths are one Device, for all threads of a process, if no settings
// differ but those of tests: a budget is what threads share.
#pragma once

#include <atomic>
#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon_gpu.h"
#include "gpu/lane.h"
#include "platform/dynamic_library.h"
#include "platform/mutex.h"

namespace crayon {

class DeviceMemory;
class Dna;
class Tokenizer;

// What hosts choose, of which all but the budget are for tests and benchmarks; 0: the default.
struct DeviceSettings {
    u64 memory_budget = 0;  // bytes of device memory; four fifths of what is free
    u64 slice_bytes = 0;    // of a slice; kSliceBytes
    u32 time_limit_ms = 0;  // of a slice; kTimeLimit
    u32 lanes = 0;          // streams; kMostLanes

    bool operator==(const DeviceSettings& other) const = default;
    bool has_only_budget() const { return slice_bytes == 0 && time_limit_ms == 0 && lanes == 0; }
};

class Device {
public:
    static constexpr u64 kSliceBytes = u64{16} << 20;
    static constexpr u32 kTimeLimit = 30'000;
    static constexpr u32 kReason = 400;  // bytes

    // Loads nothing yet. INVALID_ARGUMENT for an empty path or one with NUL.
    static Status open(std::string_view path, const DeviceSettings& settings, Device** out);
    void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
    void release();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // Loads the plugin and looks for a device, the first time. What there is; `is_usable` is 0, with the reason, if it cannot be
    // used or has been given up. May take a second, and never longer because of a job.
    void describe(crayon_gpu_device* about, char (&reason)[kReason]);
    // Its index among those of the plugin.
    u32 index() const { return index_; }

    // Lets memory go, now or after the job that runs; never waits for that. Any thread.
    void drop(DeviceMemory* memory);
    // Bytes of memory that outlives jobs.
    u64 kept_bytes() const { return kept_.load(std::memory_order_relaxed); }

    // --- for the job that runs, between begin and end ---

    // Waits for the job before, and opens the context, the first time. DEVICE_UNAVAILABLE, DEVICE_FAILED.
    Status begin();
    void end();

    const crayon_gpu_api& api() const { return *api_; }
    // For memory that outlives jobs; nullptr if the plugin has none of that.
    const crayon_gpu_memory_api* memory_api() const { return memory_api_; }
    void has_kept(u64 size) { kept_.fetch_add(size, std::memory_order_relaxed); }
    crayon_gpu_context* context() const { return context_; }
    u64 slice_bytes() const { return settings_.slice_bytes ? settings_.slice_bytes : kSliceBytes; }
    u32 time_limit_ms() const { return settings_.time_limit_ms ? settings_.time_limit_ms : kTimeLimit; }
    u64 memory_budget() const { return budget_; }
    u32 most_lanes() const { return settings_.lanes ? settings_.lanes : kMostLanes; }
    // Lane `index`, with a stream.
    Status lane(u32 index, Lane** out);
    // Lets the streams of all lanes but the first go, and with them their memory on the device.
    void drop_lanes();

    // The model that `key` stands for, if it is still there; else nullptr.
    crayon_gpu_model* known_model(const void* key, const crayon_gpu_tables& tables);
    // The model of tables that `key` stands for. It keeps the owner of these.
    Status model(const void* key, const crayon_gpu_tables& tables, Tokenizer* tokenizer, const Dna* dna, crayon_gpu_model** out);

    // What a status of the plugin means: OK, or the reason is kept. Faults that leave no context give the device up.
    Status status_of(crayon_gpu_status status);
    // A device that does not even answer: what it may still write to is never freed.
    Status abandon();
    // DEVICE_FAILED for this job alone.
    Status refuse(const char* why);

private:
    struct Model {
        const void* key = nullptr;
        u32 unknown_id = 0, pretokenizer = 0;
        crayon_gpu_model* model = nullptr;
        Tokenizer* tokenizer = nullptr;
        const Dna* dna = nullptr;
        u64 used = 0;
    };
    static constexpr u32 kModels = 4;

    explicit Device(const DeviceSettings& settings) : settings_(settings) {}
    ~Device();
    void discover();
    bool load();
    void give_up(const char* why);
    void explain(const char* what, const char* why);
    void release_model(Model& model);
    void release_dropped();
    void release_what_waits();
    void release_all();

    static Device* opened_;  // a list, of those that are shared
    static Mutex opening_;

    const DeviceSettings settings_;
    Buffer<char> path_;
    Device* next_ = nullptr;
    bool is_shared_ = false;
    std::atomic<u32> count_{1};
    std::atomic<u64> kept_{0};

    Mutex mutex_;  // guards what follows, as far as the device is described
    bool is_discovered_ = false;
    bool is_usable_ = false;
    DynamicLibrary library_;
    const crayon_gpu_api* api_ = nullptr;
    const crayon_gpu_memory_api* memory_api_ = nullptr;
    crayon_gpu_instance* instance_ = nullptr;
    u32 index_ = 0;
    crayon_gpu_device about_ = {};
    char reason_[kReason] = {};
    DeviceMemory* dropped_ = nullptr;  // a list: to be released by who is or begins at the device

    Mutex running_;  // guards what follows
    crayon_gpu_context* context_ = nullptr;
    u64 budget_ = 0;
    Lane* lanes_[kMostLanes] = {};
    Model models_[kModels];
    u64 turn_ = 0;
};

// Whether offsets of rows are those of an array of `size` bytes.
inline bool ascends(const Buffer<u32>& offsets, u64 size) {
    for (size_t i = 1; i < offsets.size(); ++i) {
        if (offsets[i] < offsets[i - 1]) return false;
    }
    return offsets[offsets.size() - 1] <= size;
}

}  // namespace crayon

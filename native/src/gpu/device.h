// An accelerator, accessed through a plugin (crayon_gpu.h): found and opened on first use, and given up for good when it fails.
//
// Describing a device does not open a context. Jobs take turns: the running job has the device to itself, with its context,
// its lanes and the tables of the last few vocabularies, which stay for the next job. After a fault, a loss or a hang the
// device is given up: every later job fails at once with the reason, and the engine does the work.
//
// Reference-counted, as jobs may outlive the code that opened it. Equal paths give one Device for all threads of a process,
// unless test settings differ; the budget does not count, because threads share it.
#pragma once

#include <atomic>
#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon_gpu.h"
#include "platform/dynamic_library.h"
#include "platform/mutex.h"

namespace crayon {

inline constexpr u32 kMostLanes = 3;

// CPU memory that the device can access while it computes; ordinary memory if pinned memory is not available.
class PinnedBytes {
public:
    PinnedBytes() = default;
    PinnedBytes(const PinnedBytes&) = delete;
    PinnedBytes& operator=(const PinnedBytes&) = delete;

    u8* data() { return data_; }
    // Makes room for `length` bytes and discards the contents. False if memory is short.
    bool reserve(const crayon_gpu_api& api, crayon_gpu_context* context, u64 length);
    void release(const crayon_gpu_api& api, crayon_gpu_context* context);

private:
    u8* data_ = nullptr;
    u64 capacity_ = 0;
    bool is_pinned_ = false;
};

// One stream of a device, and the memory of its slice in flight. While one lane copies in, the next computes and the third
// copies out. The memory is kept for the slices of later jobs.
struct Lane {
    enum class Stage : u8 { kIdle, kCounting, kFetching, kDone };

    crayon_gpu_stream* stream = nullptr;
    PinnedBytes text, ids, mask;
    Buffer<u64> offsets;      // of the documents in `text`
    Buffer<u64> row_offsets;  // of their ids in `ids`

    // The slice. The job knows how its documents map to the batch.
    crayon_gpu_batch batch = {};
    u64 first_row = 0, first_byte = 0;  // its start in the batch
    u32 first_edges = 0;
    u64 last_row = 0;
    struct After {
        u32 token;     // an added token that follows the document, or kNone
        u32 ends_row;  // whether the row ends after the document
        u64 own_begin,
            own_length;          // bytes of the batch that the engine encodes in place of the document, which is empty; or none
        bool own_opens = false;  // whether these begin the text between two added tokens
    };
    Buffer<After> after;        // for texts, one per document
    bool has_more_ids = false;  // than the device's ids

    Stage stage = Stage::kIdle;
    crayon_gpu_job* job = nullptr;
    crayon_gpu_status status = CRAYON_GPU_OK;
    crayon_gpu_result result = {};
    u64 began_ms = 0;

    u64 length() const { return offsets[offsets.size() - 1]; }
};

class DeviceMemory;
class Dna;
class Tokenizer;

// Chosen by hosts; all but the budget are for tests and benchmarks. 0: the default.
struct DeviceSettings {
    u64 memory_budget = 0;  // bytes of device memory; default: four fifths of the free memory
    u64 slice_bytes = 0;    // per slice; default: kSliceBytes
    u32 time_limit_ms = 0;  // per slice; default: kTimeLimit
    u32 lanes = 0;          // streams; default: kMostLanes

    bool operator==(const DeviceSettings& other) const = default;
    bool has_only_budget() const { return slice_bytes == 0 && time_limit_ms == 0 && lanes == 0; }
};

class Device {
public:
    static constexpr u64 kSliceBytes = u64{16} << 20;
    static constexpr u32 kTimeLimit = 30'000;
    static constexpr u32 kReason = 400;  // bytes

    // Does not load anything yet. INVALID_ARGUMENT for an empty path or one with NUL.
    static Status open(std::string_view path, const DeviceSettings& settings, Device** out);
    void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
    void release();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // Loads the plugin and looks for a device, the first time; describes it. `is_usable` is 0, with the reason, if it
    // cannot be used or has been given up. May take a second, but never waits for a job.
    void describe(crayon_gpu_device* about, char (&reason)[kReason]);
    // Its index among the plugin's devices.
    u32 index() const { return index_; }

    // Releases memory, now or after the running job; never waits for the job. Any thread.
    void drop(DeviceMemory* memory);
    // Bytes of memory that outlive jobs.
    u64 kept_bytes() const { return kept_.load(std::memory_order_relaxed); }

    // --- for the running job, between begin and end ---

    // Waits for the previous job, and opens the context the first time. DEVICE_UNAVAILABLE, DEVICE_FAILED.
    Status begin();
    void end();

    const crayon_gpu_api& api() const { return *api_; }
    // For memory that outlives jobs; nullptr if the plugin does not support it.
    const crayon_gpu_memory_api* memory_api() const { return memory_api_; }
    void has_kept(u64 size) { kept_.fetch_add(size, std::memory_order_relaxed); }
    crayon_gpu_context* context() const { return context_; }
    u64 slice_bytes() const { return settings_.slice_bytes ? settings_.slice_bytes : kSliceBytes; }
    u32 time_limit_ms() const { return settings_.time_limit_ms ? settings_.time_limit_ms : kTimeLimit; }
    u64 memory_budget() const { return budget_; }
    u32 most_lanes() const { return settings_.lanes ? settings_.lanes : kMostLanes; }
    // Lane `index`, with a stream.
    Status lane(u32 index, Lane** out);
    // Releases the streams of all lanes but the first, and with them their device memory.
    void drop_lanes();

    // The model for `key`, if it is still there; else nullptr.
    crayon_gpu_model* known_model(const void* key, const crayon_gpu_tables& tables);
    // The model of the tables that `key` stands for. Keeps their owner.
    Status model(const void* key, const crayon_gpu_tables& tables, Tokenizer* tokenizer, const Dna* dna, crayon_gpu_model** out);

    // Converts a plugin status: OK, or the reason is kept. Faults that destroy the context give the device up.
    Status status_of(crayon_gpu_status status);
    // For a device that does not even answer: memory it may still write to is never freed.
    Status abandon();
    // DEVICE_FAILED for this job only.
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

    static Device* opened_;  // list of shared devices
    static Mutex opening_;

    const DeviceSettings settings_;
    Buffer<char> path_;
    Device* next_ = nullptr;
    bool is_shared_ = false;
    std::atomic<u32> count_{1};
    std::atomic<u64> kept_{0};

    Mutex mutex_;  // guards the members below that describe the device
    bool is_discovered_ = false;
    bool is_usable_ = false;
    DynamicLibrary library_;
    const crayon_gpu_api* api_ = nullptr;
    const crayon_gpu_memory_api* memory_api_ = nullptr;
    crayon_gpu_instance* instance_ = nullptr;
    u32 index_ = 0;
    crayon_gpu_device about_ = {};
    char reason_[kReason] = {};
    DeviceMemory* dropped_ = nullptr;  // a list, released by the thread that has or begins using the device

    Mutex running_;  // guards the members below
    crayon_gpu_context* context_ = nullptr;
    u64 budget_ = 0;
    Lane* lanes_[kMostLanes] = {};
    Model models_[kModels];
    u64 turn_ = 0;
};

// Whether row offsets are valid for an array of `size` bytes.
inline bool ascends(const Buffer<u32>& offsets, u64 size) {
    for (size_t i = 1; i < offsets.size(); ++i) {
        if (offsets[i] < offsets[i - 1]) return false;
    }
    return offsets[offsets.size() - 1] <= size;
}

}  // namespace crayon

// One stream of a device, and the memory of its slice in flight. While one lane copies in, the next computes and the third
// copies out. The memory is kept for the slices of later jobs.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"

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

}  // namespace crayon

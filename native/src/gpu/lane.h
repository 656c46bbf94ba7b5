// One stream of a device, and the memory of the slice that is on its way in it. While one lane copies in, the next computes and
// the third copies out. The memory is kept for the slices of later jobs.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"

namespace crayon {

inline constexpr u32 kMostLanes = 3;

// CPU memory that the device can read and write while it computes; any other, if there is none of that.
class PinnedBytes {
public:
    PinnedBytes() = default;
    PinnedBytes(const PinnedBytes&) = delete;
    PinnedBytes& operator=(const PinnedBytes&) = delete;

    u8* data() { return data_; }
    // Room for so many bytes; what was in it is lost. False if memory is short.
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

    // The slice. What the documents are to the batch, the job knows.
    crayon_gpu_batch batch = {};
    u64 first_row = 0, first_byte = 0;  // where it begins in the batch
    u64 last_row = 0;
    struct After {
        u32 token;     // an added token that follows the document, or kNone
        u32 ends_row;  // whether the row ends there
        u64 own_begin,
            own_length;  // bytes of the batch that the engine encodes in place of the document, which is empty; or none
    };
    Buffer<After> after;        // of texts, for each document
    bool has_more_ids = false;  // than those of the device

    Stage stage = Stage::kIdle;
    crayon_gpu_job* job = nullptr;
    crayon_gpu_status status = CRAYON_GPU_OK;
    crayon_gpu_result result = {};
    u64 began_ms = 0;

    u64 length() const { return offsets[offsets.size() - 1]; }
};

}  // namespace crayon

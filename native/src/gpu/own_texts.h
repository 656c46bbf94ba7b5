// Parts of a slice's texts that the engine encodes in place of the device, on the threads of a pool.
//
//   add … ─▶ encode: tasks of about the same length, in any order ─▶ take: the ids of each part, in the order of `add`
//
// The memory is kept for the next slice.
#pragma once

#include <atomic>

#include "encode/encoder.h"
#include "gpu/tasks_job.h"

namespace crayon {

class OwnTexts {
public:
    explicit OwnTexts(Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    ~OwnTexts();
    OwnTexts(const OwnTexts&) = delete;
    OwnTexts& operator=(const OwnTexts&) = delete;

    void use(const Helpers& helpers) { helpers_ = helpers; }
    // Begins a slice of texts in `bytes`.
    void begin(const u8* bytes);
    // Adds bytes[begin, begin + length). `opens`: whether the text between two added tokens begins there; else it is a safe
    // split point. No policy finds an added token in it. False if memory is short.
    [[nodiscard]] bool add(u64 begin, u64 length, bool opens);
    // OUT_OF_MEMORY, CANCELLED; failures of parts are theirs. Without `keeps_ids`, only counts.
    Status encode(bool keeps_ids, const std::atomic<bool>& cancelled);

    struct Part {
        u64 begin, length;
        bool opens;
        Status status;
        u64 ids;  // their number
    };
    // The next part, and its ids in `*ids` where they have been kept.
    const Part& take(const u32** ids);

private:
    struct Task {
        size_t first, last;  // its parts
    };

    Status encode(u64 task, Encoder* encoder, bool keeps_ids, const std::atomic<bool>& cancelled);

    Tokenizer& tokenizer_;
    Helpers helpers_;
    const u8* bytes_ = nullptr;
    u64 last_task_length_ = 0;
    Buffer<Part> parts_;
    Buffer<Task> tasks_;
    Buffer<Buffer<u32>*> ids_;  // per task
    size_t taken_ = 0, task_ = 0, taken_ids_ = 0;
};

}  // namespace crayon

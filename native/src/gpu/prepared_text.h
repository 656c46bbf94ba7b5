// The documents of a slice as a device takes them, made ready by the threads of a pool: text as it is, or normalized
// (encode/normalized_text.h).
//
// Documents are divided into parts, a long one where its two sides are normalized independently of each other, and parts into
// tasks of about the same length:
//
//   add … ─▶ prepare: each task normalizes its parts ─▶ the length is known ─▶ write: each task copies its parts
//
// Text that stays as it is is only copied by `write`. The memory for the rest is kept for the next slice.
#pragma once

#include "encode/normalized_text.h"
#include "gpu/tasks_job.h"

namespace crayon {

class PreparedText {
public:
    explicit PreparedText(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    ~PreparedText();
    PreparedText(const PreparedText&) = delete;
    PreparedText& operator=(const PreparedText&) = delete;

    void use(const Helpers& helpers) { helpers_ = helpers; }
    // Begins a slice of bytes[0, size).
    void begin(const u8* bytes, u64 size);
    // Adds a document, bytes[begin, end). `edges`: SegmentEdges of its beginning. False if memory is short.
    [[nodiscard]] bool add(u64 begin, u64 end, u32 edges);
    // Of the documents so far, before they are prepared.
    u64 raw_length() const { return raw_length_; }

    // OUT_OF_MEMORY.
    Status prepare();
    // What the documents have become, one after the other.
    u64 length() const { return length_; }
    // Appends where each document ends there. False if memory is short.
    [[nodiscard]] bool append_ends(Buffer<u64>* ends) const;
    Status write(u8* to) const;

private:
    static constexpr u32 kEndsDocument = 1u << 31;
    struct Part {
        u32 begin, length;  // in the bytes of the slice, which are fewer than 4 GiB
        u32 new_bytes;      // bytes that its beginning has become, in the memory of its task
        u32 stays;          // bytes at its end that stay as they are
        u32 edges;          // SegmentEdges, and kEndsDocument
    };
    struct Task {
        size_t first, last;  // its parts
        u64 at;              // where they begin in the prepared text
    };

    u64 cut_of(u64 begin, u64 end, u64 at) const;
    bool add_part(u64 begin, u64 end, u32 edges);
    Status prepare(u64 task);
    void write(u64 task, u8* to) const;

    const Tokenizer& tokenizer_;
    Helpers helpers_;
    const u8* bytes_ = nullptr;
    u64 size_ = 0, raw_length_ = 0, last_task_length_ = 0, length_ = 0;
    Buffer<Part> parts_;
    Buffer<Task> tasks_;
    Buffer<NormalizedText*> made_;  // per task
};

}  // namespace crayon

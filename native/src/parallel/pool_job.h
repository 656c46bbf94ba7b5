// The work a pool shares among its threads: a queue of tasks. The kind of job defines the tasks and their order: texts
// (encode_job.h) or DNA matrices (dna/dna_job.h).
//
// The result does not depend on the threads: it equals doing one task after another, or is the failure that comes first.
//
// Threads: one at a time, holding the pool's lock, unless a function says otherwise.
#pragma once

#include "parallel/slice.h"
#include "parallel/spare_buffers.h"

namespace crayon {

class EncodeJob;
class Pool;

class PoolJob {
public:
    virtual ~PoolJob() = default;

    struct Task {
        enum class Kind : u8 { kEncode, kMeet, kGather, kRows } kind;
        PoolJob* job;
        Slice* slice;
        RowText text;        // of the part
        u64 accepted_to;     // kMeet: the end of the previous part
        Meeting meeting;     // kMeet: the result
        size_t first, last;  // kGather: indices of slices; kRows: rows
        Status status;
        u64 bytes;     // of text, approximate
        bool is_host;  // taken by the host's thread
    };

    // Begins the job; `threads` are expected to work on it. `slice_bytes`: the slice size; 0: chosen from the text and the
    // threads. INVALID_ARGUMENT if the job is not new.
    virtual Status start(u32 threads, u64 slice_bytes = 0) = 0;
    // Whether a task may be available, for a pool thread or for the host's.
    virtual bool has_task(bool is_host = false) const = 0;
    // Takes the next task, if one is available. A taken task must be run and then completed.
    virtual bool take(Task* task, bool is_host = false) = 0;
    // Without the lock, on any thread. The encoder, if the task needs one, must belong to encoder_for's tokenizer.
    virtual void run(Task& task, Encoder* encoder) = 0;
    virtual void complete(const Task& task) = 0;
    virtual void cancel() = 0;
    // The tokenizer whose encoder the task needs; nullptr: none.
    virtual Tokenizer* encoder_for(const Task& task) = 0;
    // Whether it is over, and no thread is working on it.
    virtual bool is_done() const = 0;
    virtual bool has_all_text() const = 0;
    virtual bool has_failed() const = 0;  // or was cancelled
    // Whether the whole job is one task.
    virtual bool is_small() const = 0;
    // Once it is done: the failure that comes first, with its row; or OK.
    virtual Status result(u64* row) const = 0;
    // A job of texts, or nullptr.
    virtual EncodeJob* texts() { return nullptr; }

    void leave_pool() {
        pool = nullptr;
        spare_buffers = nullptr;
    }

    // Reserved for the host.
    void* tag = nullptr;
    u32 most_threads = 0;  // working on it at once; 0: all
    u64 cache_limit = 0;   // for the encoders that work on it, from then on; 0: at least the tokenizer's limit

    // Managed by the pool.
    Pool* pool = nullptr;  // that it was submitted to
    SpareBuffers* spare_buffers = nullptr;
    PoolJob *next = nullptr, *previous = nullptr;
    bool is_in_ring = false;
    bool is_awaited = false;  // the host's thread waits and works on it, too: one of `most_threads` is reserved for it

protected:
    PoolJob() = default;
    PoolJob(const PoolJob&) = delete;
    PoolJob& operator=(const PoolJob&) = delete;

    bool may_work(bool is_host) const {
        if (most_threads == 0) return true;
        return is_host || !is_awaited ? running_ < most_threads : running_ - running_host_ + 1 < most_threads;
    }
    void count_taken(Task* task, bool is_host) {
        task->is_host = is_host;
        ++running_;
        running_host_ += is_host;
    }
    void count_completed(const Task& task) {
        --running_;
        running_host_ -= task.is_host;
    }

    u32 running_ = 0, running_host_ = 0;  // tasks
};

}  // namespace crayon

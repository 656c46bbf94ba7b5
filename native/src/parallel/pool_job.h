// What a pool shares among its threads: a queue of tasks. What is done with them and in which order is up to the kind of
// job: of texts (encode_job.h), or of matrices of DNA (dna/dna_job.h).
//
// The result does not depend on the threads: that of doing one task after the other, or the failure that comes first.
//
// Threads: one at a time, with the pool's lock, except where a function says otherwise.
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
        u64 accepted_to;     // kMeet: where the part before it ends
        Meeting meeting;     // kMeet: the result
        size_t first, last;  // kGather: indices of slices; kRows: rows
        Status status;
        u64 bytes;     // of text, about
        bool is_host;  // who has taken it
    };

    // Begins the job; `threads` are expected to work at it. `slice_bytes`: of a slice; 0: chosen by the text and the
    // threads. INVALID_ARGUMENT if it is not a new one.
    virtual Status start(u32 threads, u64 slice_bytes = 0) = 0;
    // Whether there may be a task now, for a thread of the pool or for the host's own.
    virtual bool has_task(bool is_host = false) const = 0;
    // The next task, if there is one now. A task that has been taken is run and then completed.
    virtual bool take(Task* task, bool is_host = false) = 0;
    // Without the lock, by any thread. The encoder, if the task needs one, is of the tokenizer that it is for.
    virtual void run(Task& task, Encoder* encoder) = 0;
    virtual void complete(const Task& task) = 0;
    virtual void cancel() = 0;
    // Of whose encoders the task needs one; nullptr: it needs none.
    virtual Tokenizer* encoder_for(const Task& task) = 0;
    // Whether it is over, and no thread is at work.
    virtual bool is_done() const = 0;
    virtual bool has_all_text() const = 0;
    virtual bool has_failed() const = 0;  // or was cancelled
    // Whether all of it is one task.
    virtual bool is_small() const = 0;
    // When it is done: the failure that comes first, with its row; or OK.
    virtual Status result(u64* row) const = 0;
    // A job of texts, or nullptr.
    virtual EncodeJob* texts() { return nullptr; }

    void leave_pool() {
        pool = nullptr;
        spare_buffers = nullptr;
    }

    // The host's.
    void* tag = nullptr;
    u32 most_threads = 0;  // that work at it at once; 0: all
    u64 cache_limit = 0;   // of the encoders that work at it, from then on; 0: at least that of its tokenizer

    // The pool's own.
    Pool* pool = nullptr;  // to which it has been submitted
    SpareBuffers* spare_buffers = nullptr;
    PoolJob *next = nullptr, *previous = nullptr;
    bool is_in_ring = false;
    bool is_awaited = false;  // by the host, which works at it too: one of `most_threads` is kept for its thread

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

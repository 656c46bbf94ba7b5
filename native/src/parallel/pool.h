// Shares the work of jobs among threads, which the host brings: the pool makes none and calls nobody back.
//
// The jobs form a ring, and each thread takes the next slice of the next job in it: so a small job waits for at most
// one slice of each other job, however large those are. A thread that waits for a job (Pool::run) takes only slices of
// that one, so it never waits for anything but slices that other threads are at work on.
//
// One mutex guards the ring, the jobs in it and the idle encoders. It is held to take a slice and to hand in its
// result.
#pragma once

#include "parallel/encode_job.h"
#include "parallel/encoder_free_list.h"
#include "parallel/parked_threads.h"

namespace crayon {

class Pool {
public:
    // `slice_bytes`: see PoolJob::start.
    explicit Pool(u32 threads, u64 slice_bytes = 0) : threads_(threads), slice_bytes_(slice_bytes) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Adds a new job to the ring. INVALID_ARGUMENT if it is not; CLOSED.
    Status submit(PoolJob& job);
    // Works until a job is done, then on small ones that are next, up to `capacity`. CLOSED, if none is left to report.
    Status work(PoolJob** finished, u32 capacity, u32* count);
    // Lets threads begin with a job that run() will finish.
    Status start(PoolJob& job);
    // Works at one job, new or started, until it is done. Other threads help; nobody reports it.
    Status run(PoolJob& job);
    // Works at a started job for about so long, while it has slices that no other thread is at work on. If it is not
    // `done` then, the threads go on, and it is reported.
    Status run_for(PoolJob& job, u64 microseconds, bool* done);
    // The job's text has grown or ended.
    void continue_with(PoolJob& job);
    void cancel(PoolJob& job);
    // All jobs are cancelled, and threads return.
    void close();
    // Drops idle encoders of tokenizers that have been released.
    void trim();
    // Drops idle encoders of this one whose caches have more than so many bytes.
    void trim(const Tokenizer& tokenizer, u64 most);
    // Deletes a job, in one of the threads: to give back much memory takes long.
    void dispose(PoolJob& job);
    Mutex& mutex() { return mutex_; }

private:
    Status add(PoolJob& job, bool is_awaited);
    void remove(PoolJob& job);
    void report(PoolJob& job);
    void wake_another();
    bool take(PoolJob::Task* task);
    static void limit_cache(Encoder& encoder, const PoolJob& job);
    void perform(PoolJob::Task& task, Encoder** encoder, Lock& lock);
    void give_back(Encoder** encoder, Lock& lock);

    const u32 threads_;  // that are expected
    const u64 slice_bytes_;
    Mutex mutex_;
    ParkedThreads idle_threads_;  // in work()
    Condition is_done_;
    PoolJob* ring_ = nullptr;                         // the job that is next
    PoolJob *done_ = nullptr, *last_done_ = nullptr;  // to be reported: a list by `next`
    PoolJob* disposed_ = nullptr;                     // to be deleted: a list by `next`
    bool closed_ = false;
    EncoderFreeList free_encoders_;
    SpareBuffers spare_buffers_;
};

}  // namespace crayon

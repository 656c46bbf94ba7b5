// Shares the work of jobs among the host's threads: the pool does not create threads or call back.
//
// The jobs form a ring, and each thread takes the next slice of the next job: so a small job waits for at most one slice of
// each other job, no matter how large those are. A thread that waits for a job (Pool::run) takes only slices of that job,
// so it never waits for anything but slices in progress on other threads.
//
// One mutex guards the ring, its jobs and the idle encoders. It is held to take a slice and to hand in its result.
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

    // Adds a new job to the ring. INVALID_ARGUMENT if it is not new; CLOSED.
    Status submit(PoolJob& job);
    // Works until a job is done, then finishes small ones that are next, up to `capacity`. CLOSED once none is left to report.
    Status work(PoolJob** finished, u32 capacity, u32* count);
    // Lets threads begin a job that run() will finish.
    Status start(PoolJob& job);
    // Works on one job, new or started, until it is done. Other threads help; the job is not reported.
    Status run(PoolJob& job);
    // Works on a started job for about that long, while it has slices that no other thread has taken. If it is not `done`
    // then, the threads continue, and it is reported.
    Status run_for(PoolJob& job, u64 microseconds, bool* done);
    // The job's text has grown or ended.
    void continue_with(PoolJob& job);
    void cancel(PoolJob& job);
    // Cancels all jobs and makes all threads return.
    void close();
    // Drops idle encoders whose tokenizers have been released.
    void trim();
    // Drops idle encoders of this tokenizer whose caches exceed `max_bytes`.
    void trim(const Tokenizer& tokenizer, u64 max_bytes);
    // Deletes a job in one of the threads, because freeing much memory is slow.
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

    const u32 threads_;  // expected number
    const u64 slice_bytes_;
    Mutex mutex_;
    ParkedThreads idle_threads_;  // in work()
    Condition is_done_;
    PoolJob* ring_ = nullptr;                         // the next job
    PoolJob *done_ = nullptr, *last_done_ = nullptr;  // to be reported: a list linked by `next`
    PoolJob* disposed_ = nullptr;                     // to be deleted: a list linked by `next`
    bool closed_ = false;
    EncoderFreeList free_encoders_;
    SpareBuffers spare_buffers_;
};

}  // namespace crayon

// The jobs of one JavaScript environment in the pool of the process, and how it learns that they are done.
//
// A thread of the pool hands a job that is done to its environment's list, and wakes the environment's event loop once for
// all that are in the list by then. The event loop stays alive while there are jobs. When the environment ends, its jobs
// are cancelled and waited for.
#pragma once

#include <node_api.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "crayon/crayon.h"
#include "handle_table.h"

namespace crayon::addon {

class Background;

// A job for which JavaScript has a handle.
struct BackgroundJob {
    Background* home = nullptr;
    crayon_job* job = nullptr;
    std::int64_t handle = 0;
    BackgroundJob* next = nullptr;  // of those that are done
    napi_ref memory = nullptr;      // keeps the memory of a text or a matrix, which is not the job's own, until it is reported
    bool is_submitted = false;      // and not reported
    bool is_started = false;        // and not run
    bool is_released = false;       // by JavaScript: it is dropped when it is reported
};

class Background {
public:
    // `reported` is called in the event loop with an array of handles: of jobs that were submitted and are done.
    // `threads`: of the process, if it has none yet. nullptr: memory or threads are short.
    static Background* create(napi_env env, napi_value reported, std::uint32_t threads);

    crayon_pool* pool() const { return pool_; }
    // A new handle for a job, which it then owns; nullptr: memory is short.
    BackgroundJob* add(crayon_job* job);
    BackgroundJob* find(std::int64_t handle) const { return jobs_.find(handle); }
    // Will be reported, since it is submitted to the pool; or not, as that has failed.
    void expect(napi_env env, BackgroundJob& job);
    void expect_no_more(napi_env env, BackgroundJob& job);
    // Works at a started job for so long. Whether it is not done then, and will be reported.
    bool run_for(napi_env env, BackgroundJob& job, std::uint32_t microseconds, crayon_result* result);
    // Not needed any more: cancelled, if it is in the pool, and dropped.
    void release(napi_env env, BackgroundJob& job);

    // By the threads of the pool.
    static void report(crayon_job* const* done, std::uint32_t count);

private:
    Background() = default;
    static void forget_memory(napi_env env, BackgroundJob& job);
    void drop(BackgroundJob& job, bool later);
    void end();
    static void call(napi_env env, napi_value reported, void* self, void*);
    static void at_exit(void* self);

    napi_env env_ = nullptr;
    napi_threadsafe_function wake_ = nullptr;
    crayon_pool* pool_ = nullptr;
    HandleTable<BackgroundJob> jobs_;
    std::uint32_t expected_ = 0;  // jobs that are not reported to JavaScript yet

    std::mutex mutex_;  // guards what follows
    std::condition_variable has_done_;
    BackgroundJob *done_ = nullptr, *last_done_ = nullptr;
    bool is_woken_ = false;
    bool is_ended_ = false;
};

}  // namespace crayon::addon

// The jobs of one JavaScript environment in the process's pool, and its notification when they are done.
//
// A pool thread adds a finished job to its environment's list, and wakes the environment's event loop once for all jobs in
// the list by then. The event loop stays alive while there are jobs. When the environment ends, its jobs are cancelled and
// waited for.
//
// Rule: what other threads read or write for a job belongs to the job. An environment may end at any moment (a worker is
// terminated), and Node then frees what it owns in an order of its own: memory that an addon has given to JavaScript goes
// first, before this hook waits for the jobs. So a job, here and on accelerators (devices.h), has only
//   * copies of its text, its rows' offsets and its policy;
//   * what the engine counts references to: its tokenizer with the cartridge, its DNA tables, its device;
//   * a mapping of its own, of a part of a file;
//   * memory of the JavaScript heap, by `memory`: arrays that lib/ has made and nobody else can transfer. Node frees these
//     last. An array of the caller's only in a call that waits for the job: an environment does not end inside of a call.
#pragma once

#include <node_api.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "crayon/crayon.h"
#include "handle_table.h"

namespace crayon::addon {

class Background;

// A job with a JavaScript handle.
struct BackgroundJob {
    Background* home = nullptr;
    crayon_job* job = nullptr;
    std::int64_t handle = 0;
    BackgroundJob* next = nullptr;  // in the list of finished jobs
    napi_ref memory = nullptr;      // keeps arrays that the job reads or writes alive until it is reported: see above
    bool is_submitted = false;      // and not yet reported
    bool is_started = false;        // and not yet run
    bool is_released = false;       // by JavaScript: drop it when it is reported
};

class Background {
public:
    // `reported` is called in the event loop with an array of handles: the submitted jobs that are done. `threads`: for the
    // process, if it does not have threads yet. nullptr: memory or threads are short.
    static Background* create(napi_env env, napi_value reported, std::uint32_t threads);

    crayon_pool* pool() const { return pool_; }
    // A new handle for a job, which it then owns; nullptr: memory is short.
    BackgroundJob* add(crayon_job* job);
    BackgroundJob* find(std::int64_t handle) const { return jobs_.find(handle); }
    // The job will be reported, because it is submitted to the pool; or will not, because that failed.
    void expect(napi_env env, BackgroundJob& job);
    void expect_no_more(napi_env env, BackgroundJob& job);
    // Works on a started job for that long. Returns whether it is not done then and will be reported.
    bool run_for(napi_env env, BackgroundJob& job, std::uint32_t microseconds, crayon_result* result);
    // The job is no longer needed: cancels it, if it is in the pool, and drops it.
    void release(napi_env env, BackgroundJob& job);

    // Called by pool threads.
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
    std::uint32_t expected_ = 0;  // jobs not yet reported to JavaScript

    std::mutex mutex_;  // guards the members below
    std::condition_variable has_done_;
    BackgroundJob *done_ = nullptr, *last_done_ = nullptr;
    bool is_woken_ = false;
    bool is_ended_ = false;
};

}  // namespace crayon::addon

#include "background.h"

#include <new>

#include "threads.h"

namespace crayon::addon {

namespace {

// Freeing the memory of this many ids and their text takes too long for the event loop.
constexpr std::uint64_t kMany = 64 * 1024;

}  // namespace

Background* Background::create(napi_env env, napi_value reported, std::uint32_t threads) {
    Background* background = new (std::nothrow) Background;
    if (!background) return nullptr;
    background->env_ = env;
    background->pool_ = Threads::retain(threads);
    napi_value name = nullptr;
    if (!background->pool_ || napi_create_string_utf8(env, "crayon", NAPI_AUTO_LENGTH, &name) != napi_ok ||
        napi_create_threadsafe_function(env, reported, nullptr, name, 0, 1, nullptr, nullptr, background, call,
                                        &background->wake_) != napi_ok) {
        if (background->pool_) Threads::release();
        delete background;
        return nullptr;
    }
    napi_unref_threadsafe_function(env, background->wake_);
    // Hooks run in reverse order, so this one runs before the hook of `wake_`.
    napi_add_env_cleanup_hook(env, at_exit, background);
    return background;
}

void Background::at_exit(void* self) {
    Background* background = static_cast<Background*>(self);
    background->end();
    delete background;
}

void Background::end() {
    {
        std::unique_lock<std::mutex> lock(mutex_);
        is_ended_ = true;
        lock.unlock();
        jobs_.for_each([this](BackgroundJob& job) {
            crayon_result result;
            if (job.is_submitted || job.is_started) crayon_job_cancel(job.job);
            if (job.is_started) crayon_job_run(pool_, job.job, &result);
        });
        lock.lock();
        while (expected_ > 0) {
            while (!done_) has_done_.wait(lock);
            for (; done_; done_ = done_->next) {
                done_->is_submitted = false;
                --expected_;
            }
        }
    }
    while (BackgroundJob* job = jobs_.remove_any()) drop(*job, false);
    napi_release_threadsafe_function(wake_, napi_tsfn_abort);
    Threads::release();
}

BackgroundJob* Background::add(crayon_job* job) {
    BackgroundJob* added = new (std::nothrow) BackgroundJob;
    if (!added) return nullptr;
    added->handle = jobs_.add(added);
    if (added->handle == 0) {
        delete added;
        return nullptr;
    }
    added->home = this;
    added->job = job;
    crayon_job_set_tag(job, added);
    return added;
}

void Background::expect(napi_env env, BackgroundJob& job) {
    job.is_submitted = true;
    if (expected_++ == 0) napi_ref_threadsafe_function(env, wake_);
}

void Background::expect_no_more(napi_env env, BackgroundJob& job) {
    job.is_submitted = false;
    if (--expected_ == 0) napi_unref_threadsafe_function(env, wake_);
    forget_memory(env, job);
}

void Background::forget_memory(napi_env env, BackgroundJob& job) {
    if (job.memory) napi_delete_reference(env, job.memory);
    job.memory = nullptr;
}

bool Background::run_for(napi_env env, BackgroundJob& job, std::uint32_t microseconds, crayon_result* result) {
    expect(env, job);  // before it can be reported
    const crayon_status status = crayon_job_run_for(pool_, job.job, microseconds, result);
    const bool goes_on = status == CRAYON_OK && result->count == 0;
    job.is_started = false;
    if (!goes_on) expect_no_more(env, job);
    return goes_on;
}

void Background::release(napi_env env, BackgroundJob& job) {
    crayon_job_cancel(job.job);
    crayon_result result;
    if (job.is_submitted || (job.is_started && run_for(env, job, 0, &result))) {
        job.is_released = true;
        return;
    }
    forget_memory(env, job);
    jobs_.remove(job.handle);
    drop(job, true);
}

// Threads free the memory of large jobs later.
void Background::drop(BackgroundJob& job, bool later) {
    if (later && crayon_job_token_count(job.job) >= kMany) {
        crayon_pool_dispose(pool_, job.job);
    } else {
        crayon_job_release(job.job);
    }
    delete &job;
}

void Background::report(crayon_job* const* done, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        BackgroundJob* const job = static_cast<BackgroundJob*>(crayon_job_tag(done[i]));
        Background& home = *job->home;
        const std::lock_guard<std::mutex> lock(home.mutex_);
        job->next = nullptr;
        (home.done_ ? home.last_done_->next : home.done_) = job;
        home.last_done_ = job;
        home.has_done_.notify_one();
        if (home.is_woken_ || home.is_ended_) continue;
        home.is_woken_ = true;
        napi_call_threadsafe_function(home.wake_, nullptr, napi_tsfn_nonblocking);
    }
}

void Background::call(napi_env env, napi_value reported, void* self, void*) {
    if (!env) return;  // the environment is being torn down
    Background& background = *static_cast<Background*>(self);
    BackgroundJob* done;
    {
        const std::lock_guard<std::mutex> lock(background.mutex_);
        done = background.done_;
        background.done_ = nullptr;
        background.is_woken_ = false;
    }
    napi_value handles = nullptr, undefined = nullptr;
    std::uint32_t count = 0;
    napi_create_array(env, &handles);
    while (done) {
        BackgroundJob& job = *done;
        done = job.next;
        background.expect_no_more(env, job);
        if (job.is_released) {
            background.jobs_.remove(job.handle);
            background.drop(job, true);
            continue;
        }
        napi_value handle = nullptr;
        napi_create_double(env, static_cast<double>(job.handle), &handle);
        napi_set_element(env, handles, count++, handle);
    }
    if (count == 0) return;
    napi_get_undefined(env, &undefined);
    napi_call_function(env, undefined, reported, 1, &handles, nullptr);
}

}  // namespace crayon::addon

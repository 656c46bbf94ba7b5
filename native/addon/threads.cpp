#include "threads.h"

#include <pthread.h>
#ifndef _WIN32
#include <signal.h>
#endif

#include <cstdlib>
#include <mutex>

#include "background.h"

namespace crayon::addon {

namespace {

constexpr std::uint32_t kMostThreads = 256;
// Enough for the engine; some systems' default (musl: 128 KiB) is not.
constexpr std::size_t kStackBytes = 1024 * 1024;
constexpr std::uint32_t kReported = 64;  // jobs at once

std::mutex mutex;
std::uint32_t environments = 0;
crayon_pool* pool = nullptr;
pthread_t threads[kMostThreads];
std::uint32_t thread_count = 0;

void* work(void*) {
    crayon_job* done[kReported];
    crayon_result result;
    while (crayon_pool_work(pool, done, kReported, &result) == CRAYON_OK) Background::report(done, result.count);
    return nullptr;
}

#ifndef _WIN32
// A new thread inherits the signal mask of its creator; threads that serve the process should handle none of its signals.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
};
#else
struct SignalsBlocked {
    SignalsBlocked() {}
};
#endif

bool start_thread(pthread_t* thread, void* (*run)(void*), void* argument) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    bool started = false;
    {
        const SignalsBlocked blocked;
        started = pthread_create(thread, &attributes, run, argument) == 0;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

}  // namespace

crayon_pool* Threads::retain(std::uint32_t count) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (environments == 0) {
        if (count < 1) count = 1;
        if (count > kMostThreads) count = kMostThreads;
        crayon_result result;
        if (crayon_pool_create(count, &pool, &result) != CRAYON_OK) return nullptr;
        while (thread_count < count && start_thread(&threads[thread_count], work, nullptr)) ++thread_count;
        if (thread_count == 0) {
            crayon_pool_release(pool);
            return nullptr;
        }
    }
    ++environments;
    return pool;
}

void Threads::release() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (--environments > 0) return;
    crayon_pool_close(pool);
    while (thread_count > 0) pthread_join(threads[--thread_count], nullptr);
    crayon_pool_release(pool);
    pool = nullptr;
}

void* Threads::start(void* (*run)(void*), void* argument) {
    pthread_t* const thread = static_cast<pthread_t*>(std::malloc(sizeof(pthread_t)));
    if (thread && start_thread(thread, run, argument)) return thread;
    std::free(thread);
    return nullptr;
}

void Threads::join(void* thread) {
    pthread_join(*static_cast<pthread_t*>(thread), nullptr);
    std::free(thread);
}

}  // namespace crayon::addon

#include "threads.h"

#include <mutex>

#include "background.h"
#include "platform/thread.h"

namespace crayon::addon {

namespace {

constexpr std::uint32_t kMostThreads = 256;
constexpr std::uint32_t kReported = 64;  // jobs at once

std::mutex mutex;
std::uint32_t environments = 0;
crayon_pool* pool = nullptr;
Thread threads[kMostThreads];
std::uint32_t thread_count = 0;

void* work(void*) {
    crayon_job* done[kReported];
    crayon_result result;
    while (crayon_pool_work(pool, done, kReported, &result) == CRAYON_OK) Background::report(done, result.count);
    return nullptr;
}

}  // namespace

crayon_pool* Threads::retain(std::uint32_t count) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (environments == 0) {
        if (count < 1) count = 1;
        if (count > kMostThreads) count = kMostThreads;
        crayon_result result;
        if (crayon_pool_create(count, &pool, &result) != CRAYON_OK) return nullptr;
        while (thread_count < count && threads[thread_count].start(work, nullptr)) ++thread_count;
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
    while (thread_count > 0) threads[--thread_count].join();
    crayon_pool_release(pool);
    pool = nullptr;
}

}  // namespace crayon::addon

// An addon with features that the real one may use in the future: threads, locks, waits and exceptions. It is linked the same way
// and must run on the same systems. `run()` returns the names of the failed checks.

#include <node_api.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

bool threads_count_to_the_sum() {
    std::mutex mutex;
    std::shared_mutex shared;
    std::atomic<int> atomic = 0;
    int locked = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 10'000; ++round) {
                ++atomic;
                std::shared_lock reading(shared, std::try_to_lock);
                std::unique_lock lock(mutex, std::try_to_lock);
                if (!lock) lock.lock();
                ++locked;
            }
            std::unique_lock writing(shared);
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::unique_lock alone(shared, std::try_to_lock);
    return locked == 40'000 && atomic == 40'000 && alone;
}

bool a_wait_is_notified() {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread([&] {
        std::lock_guard lock(mutex);
        ready = true;
        condition.notify_all();
    }).detach();
    std::unique_lock lock(mutex);
    return condition.wait_for(lock, std::chrono::minutes(1), [&] { return ready; });
}

// Twenty waits of 100 ms, which cross the end of a second on both clocks. -1: one ended early, 1: one ended late.
int waits_through_two_seconds() {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    int result = 0;
    for (int i = 0; i < 20; ++i) {
        const auto start = steady_clock::now();
        condition.wait_for(lock, milliseconds(100));
        const auto passed = steady_clock::now() - start;
        if (passed < milliseconds(99)) return -1;
        if (passed > milliseconds(900)) result = 1;
    }
    return result;
}

bool a_wait_ends_in_time() {
    // A busy machine may delay some waits, but hardly one in each of five series.
    int result = 1;
    for (int i = 0; i < 5 && result == 1; ++i) result = waits_through_two_seconds();
    return result == 0;
}

bool once_is_once() {
    std::once_flag flag;
    std::atomic<int> calls = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { std::call_once(flag, [&] { ++calls; }); });
    for (std::thread& thread : threads) thread.join();
    return calls == 1;
}

bool shared_pointers_count_in_threads() {
    auto shared = std::make_shared<int>(7);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([shared] {
            for (int round = 0; round < 10'000; ++round) std::shared_ptr<int> copy = shared;
        });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    return shared.use_count() == 1;
}

bool exceptions_are_caught() {
    try {
        throw std::runtime_error(std::string(100, 'x'));
    } catch (const std::exception& error) {
        return std::string(error.what()).size() == 100;
    }
}

bool short_memory_is_null() {
    const volatile std::size_t too_much = SIZE_MAX / 4;
    return ::operator new(too_much, std::nothrow) == nullptr;
}

bool files_are_described() {
    int pipes[2];
    if (::pipe(pipes) != 0) return false;
    struct stat about;
    about.st_mode = 0;
    const bool is_pipe = ::fstat(pipes[0], &about) == 0 && S_ISFIFO(about.st_mode);
    for (int end : pipes) ::close(end);
    const bool is_folder = ::stat("/", &about) == 0 && S_ISDIR(about.st_mode);
    return is_pipe && is_folder && ::fstat(-1, &about) == -1 && ::stat("", &about) == -1;
}

napi_value run(napi_env env, napi_callback_info) {
    const struct {
        const char* name;
        bool (*passes)();
    } checks[] = {
        {"threads_count_to_the_sum", threads_count_to_the_sum},
        {"a_wait_is_notified", a_wait_is_notified},
        {"a_wait_ends_in_time", a_wait_ends_in_time},
        {"once_is_once", once_is_once},
        {"shared_pointers_count_in_threads", shared_pointers_count_in_threads},
        {"exceptions_are_caught", exceptions_are_caught},
        {"short_memory_is_null", short_memory_is_null},
        {"files_are_described", files_are_described},
    };
    std::string failed;
    for (const auto& check : checks) {
        if (!check.passes()) failed += std::string(failed.empty() ? "" : " ") + check.name;
    }
    napi_value result = nullptr;
    napi_create_string_utf8(env, failed.data(), failed.size(), &result);
    return result;
}

}  // namespace

NAPI_MODULE_INIT() {
    napi_value function = nullptr;
    napi_create_function(env, "run", NAPI_AUTO_LENGTH, run, nullptr, &function);
    napi_set_named_property(env, exports, "run", function);
    return exports;
}

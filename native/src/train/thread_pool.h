// A pool of threads, which help with independent tasks.
//
// Tasks may take only microseconds, so a helper polls for them in a loop for a while before it sleeps. One thread calls
// run(); any number of others are in help().
#pragma once

#include <atomic>

#include "base/integers.h"
#include "platform/mutex.h"

namespace crayon::train {

class ThreadPool {
public:
    // Performs tasks 0 … count - 1, each once, in any order and on any thread, and returns when all are done.
    // `perform(task)` must not throw.
    template <class Perform>
    void run(u32 count, Perform& perform) {
        run(
            count, [](void* context, u32 task) { (*static_cast<Perform*>(context))(task); }, &perform);
    }
    // Whether there are helpers; without any, run() is a plain loop.
    bool has_helpers() const { return helpers_.load(std::memory_order_relaxed) > 0; }

    void help();
    void dismiss();

private:
    using Function = void (*)(void* context, u32 task);

    void run(u32 count, Function function, void* context);
    void perform();

    // The current run's; helpers read them only between entering (while `open_`) and leaving.
    Function function_ = nullptr;
    void* context_ = nullptr;
    u32 count_ = 0;
    std::atomic<u32> next_ = 0;

    u32 alone_ = 0;    // the number of runs to do without helpers
    u32 penalty_ = 0;  // how many, if the next run has to wait

    std::atomic<bool> open_ = false, dismissed_ = false;
    std::atomic<u32> inside_ = 0, sleeping_ = 0, helpers_ = 0;
    Mutex mutex_;
    Condition awake_;
};

}  // namespace crayon::train

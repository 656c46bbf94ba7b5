#include "train/thread_pool.h"

#include <algorithm>

#include "platform/thread.h"

namespace crayon::train {

namespace {

constexpr u32 kLooks = 500;     // polls before a helper sleeps: some 10 µs
constexpr u32 kGlances = 4000;  // polls before the thread in run() yields its processor
constexpr u32 kLeastAlone = 64, kMostAlone = 4096;

}  // namespace

void ThreadPool::perform() {
    for (u32 task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) function_(context_, task);
}

void ThreadPool::run(u32 count, Function function, void* context) {
    if (alone_ > 0 || count < 2 || !has_helpers()) {
        if (alone_ > 0 && count > 1) --alone_;
        for (u32 task = 0; task < count; ++task) function(context, task);
        return;
    }
    function_ = function;
    context_ = context;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    open_.store(true);
    if (sleeping_.load() > 0) {
        const Lock lock(mutex_);
        awake_.wake_all();
    }
    perform();
    open_.store(false);
    // A helper that enters from now on leaves at once: either it sees that nothing is open, or it is counted here.
    u32 glances = 0;
    for (; inside_.load() > 0; ++glances) {
        if (glances < kGlances) {
            relax();
        } else {
            give_way();
        }
    }
    // If other programs keep the processors busy, a helper may be preempted inside a task for milliseconds, in which this
    // thread could do a hundred tasks: then helpers get no tasks for a while, and a longer one each time.
    if (glances <= kGlances) {
        penalty_ -= penalty_ / 16;
    } else {
        alone_ = penalty_ = std::clamp(4 * penalty_, kLeastAlone, kMostAlone);
    }
}

void ThreadPool::help() {
    helpers_.fetch_add(1);
    for (u32 looks = 0; !dismissed_.load(); ++looks) {
        if (open_.load(std::memory_order_relaxed)) {
            inside_.fetch_add(1);
            if (open_.load()) {
                perform();
                looks = 0;
            }
            inside_.fetch_sub(1);
        }
        if (looks < kLooks) {
            relax();
            continue;
        }
        Lock lock(mutex_);
        sleeping_.fetch_add(1);
        while (!open_.load() && !dismissed_.load()) awake_.wait(lock);
        sleeping_.fetch_sub(1);
        looks = 0;
    }
    helpers_.fetch_sub(1);
}

void ThreadPool::dismiss() {
    const Lock lock(mutex_);
    dismissed_.store(true);
    awake_.wake_all();
}

}  // namespace crayon::train

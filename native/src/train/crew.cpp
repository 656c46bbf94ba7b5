#include "train/crew.h"

#include <algorithm>

#include "platform/relax.h"

namespace crayon::train {

namespace {

constexpr u32 kLooks = 4000;     // before a helper sleeps: 0.1 ms
constexpr u32 kGlances = 4000;   // before the thread in run() lets others run on its processor
constexpr u32 kMostAlone = 255;

}  // namespace

void Crew::perform() {
    for (u32 task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) function_(context_, task);
}

void Crew::run(u32 count, Function function, void* context) {
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
    // A helper that enters from now on leaves at once: either it sees that nothing is open, or it is seen here.
    u32 glances = 0;
    for (; inside_.load() > 0; ++glances) {
        if (glances < kGlances) {
            relax();
        } else {
            give_way();
        }
    }
    // Where other programs keep the processors busy, a helper may stop in the middle of a task, and to wait for it takes
    // longer than to do without it: then helpers get no tasks for a while, and a longer while each time.
    const bool is_late = glances > kGlances;
    penalty_ = is_late ? std::min(2 * penalty_ + 1, kMostAlone) : penalty_ / 2;
    if (is_late) alone_ = penalty_;
}

void Crew::help() {
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

void Crew::dismiss() {
    const Lock lock(mutex_);
    dismissed_.store(true);
    awake_.wake_all();
}

}  // namespace crayon::train

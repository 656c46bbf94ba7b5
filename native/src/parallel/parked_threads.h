// Threads parked until there is work. The one parked last is woken first: its data is still in its core's caches.
#pragma once

#include "platform/mutex.h"

namespace crayon {

// All calls must use the same lock.
class ParkedThreads {
public:
    bool empty() const { return !last_; }
    // Returns when the thread is woken.
    void park(Lock& lock) {
        Parked self;
        self.before = last_;
        last_ = &self;
        while (!self.is_woken) self.wake.wait(lock);
    }
    void wake_one() {
        Parked* const woken = last_;
        if (!woken) return;
        last_ = woken->before;
        woken->is_woken = true;
        woken->wake.wake_one();
    }
    void wake_all() {
        while (!empty()) wake_one();
    }

private:
    struct Parked {
        Condition wake;
        Parked* before = nullptr;
        bool is_woken = false;
    };
    Parked* last_ = nullptr;
};

}  // namespace crayon

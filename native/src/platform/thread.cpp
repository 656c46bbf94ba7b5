#include "platform/thread.h"

#ifndef _WIN32
#include <signal.h>
#endif

#include <cstddef>

namespace crayon {

namespace {

// Enough for the engine; some systems' default (musl: 128 KiB) is not.
constexpr std::size_t kStackBytes = 1024 * 1024;

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

}  // namespace

bool Thread::start(void* (*run)(void*), void* argument) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    bool started = false;
    {
        const SignalsBlocked blocked;
        started = pthread_create(&thread_, &attributes, run, argument) == 0;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

}  // namespace crayon

// A mutex, a condition variable and thread ids, none of which can throw. (In a WebAssembly module, which has one thread,
// they do nothing.)
#pragma once

#include <pthread.h>

namespace crayon {

using ThreadId = pthread_t;
inline ThreadId this_thread() { return pthread_self(); }
inline bool is_same(ThreadId a, ThreadId b) { return pthread_equal(a, b) != 0; }

class Mutex {
public:
    Mutex() = default;
    ~Mutex() { pthread_mutex_destroy(&mutex_); }
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() { pthread_mutex_lock(&mutex_); }
    bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
    void unlock() { pthread_mutex_unlock(&mutex_); }

private:
    friend class Condition;
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

// Holds a mutex for a scope.
class Lock {
public:
    explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    // For work without the lock, between the two calls.
    void open() { mutex_.unlock(); }
    void close() { mutex_.lock(); }

private:
    friend class Condition;
    Mutex& mutex_;
};

class Condition {
public:
    Condition() = default;
    ~Condition() { pthread_cond_destroy(&condition_); }
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    // May return without being woken.
    void wait(Lock& lock) { pthread_cond_wait(&condition_, &lock.mutex_.mutex_); }
    void wake_one() { pthread_cond_signal(&condition_); }
    void wake_all() { pthread_cond_broadcast(&condition_); }

private:
    pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

}  // namespace crayon

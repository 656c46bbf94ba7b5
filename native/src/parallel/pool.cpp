#include "parallel/pool.h"

#include <chrono>

namespace crayon {

namespace {

// A thread reports its finished jobs after this many bytes of other small jobs.
constexpr u64 kBytesBeforeReport = 64 * 1024;

}  // namespace

Pool::~Pool() {
    while (PoolJob* const job = disposed_) {
        disposed_ = job->next;
        delete job;
    }
}

void Pool::dispose(PoolJob& job) {
    Lock lock(mutex_);
    job.next = disposed_;
    disposed_ = &job;
    idle_threads_.wake_one();
}

Status Pool::add(PoolJob& job, bool is_awaited) {
    if (closed_) return {CRAYON_CLOSED};
    if (job.pool && job.pool != this) return {CRAYON_INVALID_ARGUMENT};
    if (Status status = job.start(threads_, slice_bytes_); !status.ok()) return status;
    job.pool = this;
    job.spare_buffers = &spare_buffers_;
    job.is_awaited = is_awaited;
    job.is_in_ring = true;
    if (ring_) {  // it is last
        job.next = ring_;
        job.previous = ring_->previous;
        job.previous->next = ring_->previous = &job;
    } else {
        ring_ = job.next = job.previous = &job;
    }
    if (job.is_done()) report(job);
    if (!(is_awaited && job.is_small())) wake_another();  // otherwise the caller does all of it
    return {};
}

void Pool::remove(PoolJob& job) {
    job.previous->next = job.next;
    job.next->previous = job.previous;
    if (ring_ == &job) ring_ = job.next != &job ? job.next : nullptr;
    job.next = job.previous = nullptr;
    job.is_in_ring = false;
}

// Removes a finished job from the ring.
void Pool::report(PoolJob& job) {
    remove(job);
    if (job.is_awaited) {
        is_done_.wake_all();
    } else {
        (done_ ? last_done_->next : done_) = &job;
        last_done_ = &job;
    }
    if (closed_) idle_threads_.wake_all();
}

// Wakes a thread if it has work. That thread wakes the next one once it has taken its task.
void Pool::wake_another() {
    if (idle_threads_.empty()) return;
    bool has_something = done_ != nullptr;
    const PoolJob* job = ring_;
    while (job && !has_something) {
        has_something = job->has_task();
        job = job->next != ring_ ? job->next : nullptr;
    }
    if (has_something) idle_threads_.wake_one();
}

Status Pool::submit(PoolJob& job) {
    Lock lock(mutex_);
    return add(job, false);
}

bool Pool::take(PoolJob::Task* task) {
    for (const PoolJob* first = nullptr; ring_ && ring_ != first;) {
        PoolJob& job = *ring_;
        if (!first) first = &job;
        ring_ = job.next;
        if (job.take(task)) return true;
        if (!job.is_done()) continue;
        report(job);
        first = nullptr;
    }
    return false;
}

// An encoder's cached pieces stay for the next job, unless that job requests a lower limit.
void Pool::limit_cache(Encoder& encoder, const PoolJob& job) {
    const u64 least = encoder.tokenizer().cache_limit();
    if (job.cache_limit > 0) {
        encoder.set_cache_limit(job.cache_limit);
    } else if (least > encoder.cache_limit()) {
        encoder.set_cache_limit(least);
    }
}

// Runs a task without the lock; sets `encoder` to an encoder of the right tokenizer if the task needs one.
void Pool::perform(PoolJob::Task& task, Encoder** encoder, Lock& lock) {
    PoolJob& job = *task.job;
    Tokenizer* const tokenizer = job.encoder_for(task);
    if (tokenizer) {
        if (*encoder && &(*encoder)->tokenizer() != tokenizer) give_back(encoder, lock);
        if (!*encoder) *encoder = free_encoders_.take(*tokenizer);
    }
    wake_another();
    lock.open();
    if (tokenizer && !*encoder && !Encoder::create(*tokenizer, encoder).ok()) *encoder = nullptr;
    if (tokenizer && *encoder) limit_cache(**encoder, job);
    job.run(task, *encoder);
    if (tokenizer && *encoder) (*encoder)->publish_cache_bytes();
    lock.close();
    job.complete(task);
    if (job.is_done()) {
        report(job);
    } else if (job.is_awaited && job.has_task(true)) {
        is_done_.wake_all();
    }
}

void Pool::give_back(Encoder** encoder, Lock& lock) {
    if (!*encoder) return;
    Encoder* const dropped = free_encoders_.put(*encoder);
    *encoder = nullptr;
    if (!dropped) return;
    lock.open();
    delete dropped;
    lock.close();
}

Status Pool::work(PoolJob** finished, u32 capacity, u32* count) {
    Lock lock(mutex_);
    Encoder* encoder = nullptr;
    u64 bytes = 0;
    *count = 0;
    for (;;) {
        if (PoolJob* const job = disposed_; job && *count == 0) {
            disposed_ = job->next;
            lock.open();
            delete job;
            lock.close();
        }
        while (done_ && *count < capacity) {
            PoolJob& job = *done_;
            done_ = job.next;
            job.next = nullptr;
            finished[(*count)++] = &job;
        }
        PoolJob::Task task;
        const bool is_enough =
            *count == capacity || (*count > 0 && (bytes >= kBytesBeforeReport || !ring_ || !ring_->is_small()));
        if (!is_enough && take(&task)) {
            if (*count > 0) bytes += task.bytes;
            perform(task, &encoder, lock);
            continue;
        }
        if (done_ && *count < capacity) continue;
        if (*count > 0) break;
        if (encoder) {
            give_back(&encoder, lock);
            continue;  // the lock may have been released
        }
        if (closed_ && !ring_) return {CRAYON_CLOSED};
        idle_threads_.park(lock);
    }
    give_back(&encoder, lock);
    wake_another();  // for the work that this thread leaves
    return {};
}

Status Pool::start(PoolJob& job) {
    Lock lock(mutex_);
    return add(job, true);
}

Status Pool::run(PoolJob& job) {
    Lock lock(mutex_);
    if (!job.has_all_text() && !job.has_failed()) return {CRAYON_INVALID_ARGUMENT};  // nobody could append the rest
    const bool is_started = job.pool == this && job.is_awaited;
    if (!is_started) {
        if (Status status = add(job, true); !status.ok()) return status;
    }
    Encoder* encoder = nullptr;
    while (!job.is_done()) {
        PoolJob::Task task;
        if (job.take(&task, true)) {
            perform(task, &encoder, lock);
        } else if (job.is_done()) {
            report(job);
        } else if (encoder) {
            give_back(&encoder, lock);  // may release the lock
        } else {
            is_done_.wait(lock);
        }
    }
    give_back(&encoder, lock);
    return {};
}

Status Pool::run_for(PoolJob& job, u64 microseconds, bool* done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    Lock lock(mutex_);
    if (job.pool != this || !job.is_awaited) return {CRAYON_INVALID_ARGUMENT};
    Encoder* encoder = nullptr;
    PoolJob::Task task;
    while (std::chrono::steady_clock::now() < end && job.take(&task, true)) perform(task, &encoder, lock);
    give_back(&encoder, lock);
    if (job.is_in_ring && job.is_done()) report(job);
    *done = job.is_done();
    if (*done) return {};
    job.is_awaited = false;
    wake_another();
    return {};
}

void Pool::continue_with(PoolJob& job) {
    Lock lock(mutex_);
    if (job.is_in_ring && job.is_done()) report(job);
    wake_another();
}

void Pool::cancel(PoolJob& job) {
    Lock lock(mutex_);
    job.cancel();
    if (job.is_in_ring && job.is_done()) report(job);
    wake_another();
}

void Pool::close() {
    Lock lock(mutex_);
    closed_ = true;
    for (PoolJob* job = ring_; job;) {
        PoolJob* const next = job->next;
        const bool is_last = next == ring_;
        job->cancel();
        if (job->is_done()) report(*job);
        if (is_last) break;
        job = next;
    }
    idle_threads_.wake_all();
    is_done_.wake_all();
}

void Pool::trim() {
    Lock lock(mutex_);
    while (Encoder* const encoder = free_encoders_.take_released()) {
        lock.open();
        delete encoder;
        lock.close();
    }
}

void Pool::trim(const Tokenizer& tokenizer, u64 max_bytes) {
    Lock lock(mutex_);
    while (Encoder* const encoder = free_encoders_.take_larger(tokenizer, max_bytes)) {
        lock.open();
        delete encoder;
        lock.close();
    }
}

}  // namespace crayon

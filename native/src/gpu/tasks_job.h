// Tasks of one kind for a thread pool, told apart by their numbers: any thread may do any of them, in any order.
#pragma once

#include "parallel/pool.h"

namespace crayon {

// `work(number, encoder)` returns a Status, on any thread. With a tokenizer, it gets an encoder of it that knows the pieces of
// earlier texts, or nullptr if there is no memory for one.
template <class Work>
class TasksJob final : public PoolJob {
public:
    TasksJob(u64 count, const Work& work, Tokenizer* tokenizer) : count_(count), work_(work), tokenizer_(tokenizer) {}

    Status start(u32, u64) override {
        if (started_) return {CRAYON_INVALID_ARGUMENT};
        started_ = true;
        return {};
    }
    bool has_task(bool is_host = false) const override {
        return started_ && !has_failed() && next_ < count_ && may_work(is_host);
    }
    bool take(Task* task, bool is_host = false) override {
        if (!has_task(is_host)) return false;
        *task = {Task::Kind::kRows,
                 this,
                 nullptr,
                 {},
                 0,
                 {},
                 static_cast<size_t>(next_),
                 static_cast<size_t>(next_ + 1),
                 {},
                 0,
                 false};
        ++next_;
        count_taken(task, is_host);
        return true;
    }
    void run(Task& task, Encoder* encoder) override { task.status = work_(u64{task.first}, encoder); }
    void complete(const Task& task) override {
        count_completed(task);
        if (status_.ok()) status_ = task.status;
    }
    void cancel() override {
        if (!is_done() && status_.ok()) status_ = {CRAYON_CANCELLED};
    }
    Tokenizer* encoder_for(const Task&) override { return tokenizer_; }
    bool is_done() const override { return started_ && running_ == 0 && (has_failed() || next_ == count_); }
    bool has_all_text() const override { return true; }
    bool has_failed() const override { return !status_.ok(); }
    bool is_small() const override { return count_ <= 1; }
    // A failure of any of them.
    Status result(u64*) const override { return status_; }

private:
    const u64 count_;
    const Work& work_;
    Tokenizer* const tokenizer_;
    bool started_ = false;
    u64 next_ = 0;
    Status status_;
};

// Threads that help, if there are any.
struct Helpers {
    Pool* pool = nullptr;
    u32 most_threads = 0;  // 0: all
};

// Does `count` tasks on this thread, and on those of a pool where there is one. Returns a failure of any of them.
template <class Work>
Status do_tasks(const Helpers& helpers, u64 count, const Work& work, Tokenizer* tokenizer = nullptr) {
    if (count == 0) return {};
    if (helpers.pool && (tokenizer || (helpers.most_threads != 1 && count > 1))) {
        TasksJob<Work> job(count, work, tokenizer);
        job.most_threads = helpers.most_threads;
        const Status status = helpers.pool->run(job);
        if (status.ok()) return job.result(nullptr);
        if (status.code != CRAYON_CLOSED) return status;
    }
    Encoder* encoder = nullptr;
    Status status;
    if (tokenizer) status = Encoder::create(*tokenizer, &encoder);
    for (u64 i = 0; i < count && status.ok(); ++i) status = work(i, encoder);
    delete encoder;
    return status;
}

}  // namespace crayon

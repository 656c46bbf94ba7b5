// Simulates a job on any number of threads with one real thread: each task runs and is timed here, and one clock per thread tells
// when it would have run. Interactions between threads are left out: the memory they share, and their wake-up times.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limits/splitter.h"
#include "parallel/encode_job.h"
#include "texts.h"

namespace crayon::lopt {

// Times are nanoseconds.
struct Work {
    double cut = 0;     // the slices are planned and handed out, with the lock
    double encode = 0;  // by all threads together
    double meet = 0;    // the search for the joint of two chains
    double stitch = 0;  // results are handed in and accepted, with the lock
    double copy = 0;    // many ids are gathered in one buffer, by all threads together; few are copied
    double span = 0;    // from beginning to end, by the clocks
    std::uint64_t slices = 0, again = 0, wasted = 0, meetings = 0;
};

class VirtualThreads {
public:
    VirtualThreads(Tokenizer& tokenizer, unsigned count);
    ~VirtualThreads();
    VirtualThreads(const VirtualThreads&) = delete;
    VirtualThreads& operator=(const VirtualThreads&) = delete;

    // All threads encode a text, one after the other. `ids` has room for one per byte.
    void meet(const bench::Text& text, u32* ids);
    // Does a job that has its text. `ids` has room for one per byte; their number is the job's token_count().
    Work encode(EncodeJob& job, u32* ids);

private:
    struct Thread {
        crayon_encoder* handle = nullptr;
        Encoder* encoder = nullptr;  // of the handle
        double clock = 0;
        enum class State { kIdle, kBusy, kBlocked } state = State::kIdle;
        EncodeJob::Task task;
    };

    void do_all(EncodeJob& job, Work& work);
    void take(EncodeJob& job, Thread& thread, Work& work);
    void complete(EncodeJob& job, Thread& thread, Work& work);
    double with_lock(double from, double spent);

    std::vector<Thread> threads_;
    std::vector<Slice*> slices_;  // of the job, each once
    double lock_free_ = 0;
};

}  // namespace crayon::lopt

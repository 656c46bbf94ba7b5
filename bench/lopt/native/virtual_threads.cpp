#include "virtual_threads.h"

#include <algorithm>

#include "clock.h"
#include "engine.h"
#include "job_ids.h"

namespace crayon::lopt {

VirtualThreads::VirtualThreads(Tokenizer& tokenizer, unsigned count) : threads_(count) {
    for (Thread& thread : threads_) {
        thread.handle = new crayon_encoder(tokenizer);
        thread.encoder = &thread.handle->encoder;
        if (!thread.encoder->start().ok()) fail("an encoder");
    }
}

VirtualThreads::~VirtualThreads() {
    for (Thread& thread : threads_) delete thread.handle;
}

void VirtualThreads::meet(const bench::Text& text, u32* ids) {
    for (Thread& thread : threads_) {
        bench::encode_utf8(thread.handle, text, 0, ids);
    }
}

Work VirtualThreads::encode(EncodeJob& job, u32* ids) {
    Work work;
    slices_.clear();
    lock_free_ = 0;
    if (!job.start(static_cast<u32>(threads_.size())).ok()) fail("a job");
    do_all(job, work);
    work.slices = slices_.size();
    for (const Slice* slice : slices_) work.wasted += slice->wasted;
    const CpuClock taking;
    const JobIds result(job, ids);
    const double taken = taking.nanoseconds();
    result.write();
    work.copy += taken;
    work.span = lock_free_ + taken;
    return work;
}

// Until the job is done: performs the next event by the clocks.
void VirtualThreads::do_all(EncodeJob& job, Work& work) {
    for (Thread& thread : threads_) {
        thread.state = Thread::State::kIdle;
        thread.clock = 0;
    }
    while (!job.is_done()) {
        Thread* next = nullptr;
        for (Thread& thread : threads_) {
            if (thread.state != Thread::State::kBlocked && (!next || thread.clock < next->clock)) next = &thread;
        }
        if (!next) fail("no thread can go on");
        next->state == Thread::State::kBusy ? complete(job, *next, work) : take(job, *next, work);
    }
}

// Something that takes this long and needs the lock, not before a given time; returns its end.
double VirtualThreads::with_lock(double from, double spent) { return lock_free_ = std::max(from, lock_free_) + spent; }

void VirtualThreads::take(EncodeJob& job, Thread& thread, Work& work) {
    const CpuClock taking;
    const bool has_task = job.take(&thread.task);
    const double taken = taking.nanoseconds();
    work.cut += taken;
    thread.clock = with_lock(thread.clock, taken);
    if (!has_task) {
        thread.state = Thread::State::kBlocked;
        return;
    }
    const CpuClock running;
    job.run(thread.task, thread.encoder);
    const double spent = running.nanoseconds();
    thread.clock += spent;
    thread.state = Thread::State::kBusy;
    switch (thread.task.kind) {
        case EncodeJob::Task::Kind::kEncode:
            work.encode += spent;
            if (std::find(slices_.begin(), slices_.end(), thread.task.slice) != slices_.end()) {
                ++work.again;
            } else {
                slices_.push_back(thread.task.slice);
            }
            break;
        case EncodeJob::Task::Kind::kMeet:
            work.meet += spent;
            ++work.meetings;
            break;
        case EncodeJob::Task::Kind::kGather:
            work.copy += spent;
            break;
        case EncodeJob::Task::Kind::kRows:
            fail("a job of texts");  // has none of these
    }
}

void VirtualThreads::complete(EncodeJob& job, Thread& thread, Work& work) {
    const CpuClock completing;
    job.complete(thread.task);
    const double spent = completing.nanoseconds();
    work.stitch += spent;
    thread.clock = with_lock(thread.clock, spent);
    thread.state = Thread::State::kIdle;
    for (Thread& other : threads_) {
        if (other.state != Thread::State::kBlocked) continue;
        other.state = Thread::State::kIdle;
        other.clock = thread.clock;
    }
}

}  // namespace crayon::lopt

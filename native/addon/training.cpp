#include "training.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "threads.h"

namespace crayon::addon {

namespace {

constexpr std::uint32_t kBlockBytes = 512 * 1024;
constexpr std::uint32_t kBlockEnds = 32 * 1024;
constexpr std::uint32_t kWaiting = 2;  // blocks for each thread

bool is_letter_or_digit(std::uint8_t byte) {
    return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

}  // namespace

struct Training::Block {
    Block* next = nullptr;
    bool continues = false;  // its first text began in the previous block
    bool goes_on = false;
    std::uint32_t length = 0;
    std::uint32_t end_count = 0;
    std::uint32_t ends[kBlockEnds];  // ends of texts
    std::uint8_t bytes[kBlockBytes];

    Block() {}  // leaves the arrays uninitialised
};

Training* Training::create(crayon_trainer* trainer, std::uint32_t threads, bool cuttable) {
    Training* const training = new (std::nothrow) Training;
    if (!training) {
        crayon_trainer_release(trainer);
        return nullptr;
    }
    training->trainer_ = trainer;
    training->cuttable_ = cuttable;
    if (training->start_threads(std::clamp(threads, 1u, kMostThreads))) return training;
    delete training;
    return nullptr;
}

Training::~Training() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    crayon_trainer_dismiss(trainer_);
    for (std::uint32_t i = 0; i < thread_count_; ++i) Threads::join(workers_[i].thread);
    for (std::uint32_t i = 0; i < worker_count_; ++i) crayon_counter_release(workers_[i].counter);
    while (first_) {
        Block* const block = first_;
        first_ = block->next;
        delete block;
    }
    delete filling_;
    crayon_trainer_release(trainer_);
}

bool Training::start_threads(std::uint32_t threads) {
    crayon_result result;
    while (worker_count_ < threads) {
        Worker& worker = workers_[worker_count_];
        if (crayon_counter_create(trainer_, &worker.counter, &result) != CRAYON_OK) return false;
        worker.training = this;
        worker.index = worker_count_++;
    }
    if (threads == 1) return true;
    counting_ = threads;
    for (; thread_count_ < threads; ++thread_count_) {
        workers_[thread_count_].thread = Threads::start(run, &workers_[thread_count_]);
        if (!workers_[thread_count_].thread) break;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    counting_ -= threads - thread_count_;  // as many as could be started
    return true;
}

void* Training::run(void* worker) {
    static_cast<Worker*>(worker)->training->work(*static_cast<Worker*>(worker));
    return nullptr;
}

bool Training::can_take(const Worker& worker) const { return first_ && (!first_->continues || owner_ == worker.index); }

void Training::work(Worker& worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopped_ || can_take(worker) || (counted_ && !first_); });
        if (stopped_) return;
        if (!first_) break;
        Block* const block = first_;
        first_ = block->next;
        if (!first_) last_ = nullptr;
        --waiting_;
        if (block->goes_on) owner_ = worker.index;
        const bool failed = failure_.status != CRAYON_OK;
        lock.unlock();
        changed_.notify_all();
        crayon_result result = {};
        if (!failed && count(*block, worker.counter, &result) != CRAYON_OK) fail(result);
        delete block;
        lock.lock();
    }
    --counting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopped_ || merging_; });
    lock.unlock();
    crayon_result result;
    // The stepping thread is the first of them.
    if (worker.index > 0) crayon_trainer_help(trainer_, &result);
}

void Training::fail(const crayon_result& result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.status == CRAYON_OK) failure_ = result;
}

crayon_status Training::count(const Block& block, crayon_counter* counter, crayon_result* result) {
    std::uint32_t begin = 0;
    for (std::uint32_t i = 0; i < block.end_count; ++i) {
        const std::uint32_t end = block.ends[i];
        if (crayon_counter_feed(counter, block.bytes + begin, end - begin, 1, result) != CRAYON_OK) {
            return static_cast<crayon_status>(result->status);
        }
        begin = end;
    }
    if (!block.goes_on) return CRAYON_OK;
    return crayon_counter_feed(counter, block.bytes + begin, block.length - begin, 0, result);
}

// Where the text at the end of the block can be cut; 0 if nowhere.
std::uint32_t Training::cut_of(const Block& block) const {
    const std::uint32_t begin = block.end_count > 0 ? block.ends[block.end_count - 1] : 0;
    for (std::uint32_t at = cuttable_ ? block.length : 0; at > begin + 1; --at) {
        if (at < block.length && block.bytes[at] == ' ' && is_letter_or_digit(block.bytes[at - 1])) return at;
    }
    return 0;
}

crayon_status Training::pass_on(bool goes_on, crayon_result* result) {
    Block* const block = filling_;
    filling_ = nullptr;
    if (!block) return CRAYON_OK;
    if (goes_on) {
        filling_ = new (std::nothrow) Block;
        if (!filling_) {
            delete block;
            result->status = CRAYON_OUT_OF_MEMORY;
            return CRAYON_OUT_OF_MEMORY;
        }
        if (const std::uint32_t cut = block->end_count < kBlockEnds ? cut_of(*block) : 0; cut > 0) {
            filling_->length = block->length - cut;
            std::memcpy(filling_->bytes, block->bytes + cut, filling_->length);
            block->ends[block->end_count++] = block->length = cut;
        } else {
            block->goes_on = filling_->continues = true;
        }
    }
    if (thread_count_ == 0) {
        const crayon_status status = count(*block, workers_[0].counter, result);
        delete block;
        return status;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ < kWaiting * thread_count_; });
    (last_ ? last_->next : first_) = block;
    last_ = block;
    ++waiting_;
    *result = failure_;
    lock.unlock();
    changed_.notify_all();
    return static_cast<crayon_status>(result->status);
}

crayon_status Training::feed(const std::uint8_t* bytes, std::size_t length, bool last, crayon_result* result) {
    for (;;) {
        if (!filling_) filling_ = new (std::nothrow) Block;
        if (!filling_) {
            result->status = CRAYON_OUT_OF_MEMORY;
            return CRAYON_OUT_OF_MEMORY;
        }
        const std::size_t part = std::min<std::size_t>(length, kBlockBytes - filling_->length);
        if (part > 0) std::memcpy(filling_->bytes + filling_->length, bytes, part);
        filling_->length += static_cast<std::uint32_t>(part);
        bytes += part;
        length -= part;
        if (length == 0) break;
        if (const crayon_status status = pass_on(true, result); status != CRAYON_OK) return status;
    }
    if (!last) return CRAYON_OK;
    filling_->ends[filling_->end_count++] = filling_->length;
    const bool is_full = filling_->end_count == kBlockEnds || filling_->length == kBlockBytes;
    if (is_full) return pass_on(false, result);
    return CRAYON_OK;
}

crayon_status Training::start(bool resumed, crayon_result* result) {
    if (const crayon_status status = pass_on(false, result); status != CRAYON_OK) return status;
    if (thread_count_ > 0) {
        std::unique_lock<std::mutex> lock(mutex_);
        counted_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return counting_ == 0; });
        *result = failure_;
        if (result->status != CRAYON_OK) return static_cast<crayon_status>(result->status);
    }
    for (std::uint32_t i = 0; i < worker_count_; ++i) {
        if (!resumed && crayon_trainer_add(trainer_, workers_[i].counter, result) != CRAYON_OK) {
            return static_cast<crayon_status>(result->status);
        }
        crayon_counter_release(workers_[i].counter);
        workers_[i].counter = nullptr;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        merging_ = true;
    }
    changed_.notify_all();
    if (resumed) return CRAYON_OK;
    return crayon_trainer_start(trainer_, result);
}

}  // namespace crayon::addon

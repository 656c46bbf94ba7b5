#include "train/training.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "crayon/layout/pretokenizers.h"

namespace crayon::train {

namespace {

constexpr u32 kBlockBytes = 512 * 1024;
constexpr u32 kBlockEnds = 32 * 1024;
constexpr u32 kWaiting = 2;  // blocks for each thread

bool is_letter_or_digit(u8 byte) { return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'); }

}  // namespace

struct Training::Block {
    Block* next = nullptr;
    u32 length = 0;
    u32 end_count = 0;
    u32 ends[kBlockEnds];  // ends of texts
    u8 bytes[kBlockBytes];

    Block() {}  // leaves the arrays uninitialised

    Status count(Counter& counter) const {
        u32 begin = 0;
        for (u32 i = 0; i < end_count; begin = ends[i++]) {
            if (Status status = counter.feed(bytes + begin, ends[i] - begin, true); !status.ok()) return status;
        }
        return {};
    }
};

Training* Training::create(Trainer* trainer, u32 threads) {
    Training* const training = new (std::nothrow) Training;
    if (!training) {
        delete trainer;
        return nullptr;
    }
    training->trainer_ = trainer;
    training->counted_ = trainer->is_started();
    if (kHasThreads && threads > 1) training->start_threads(std::min(threads, kMostThreads));
    return training;
}

Training::~Training() {
    {
        const Lock lock(mutex_);
        stopped_ = true;
        changed_.wake_all();
    }
    trainer_->dismiss();
    for (u32 i = 0; has_threads() && i < worker_count_; ++i) {
        workers_[i].thread.join();
        delete workers_[i].counter;
    }
    while (Block* const block = first_) {
        first_ = block->next;
        delete block;
    }
    delete filling_;
    delete trainer_;
}

// As many as can be started.
void Training::start_threads(u32 threads) {
    const Lock lock(mutex_);
    for (; worker_count_ < threads; ++worker_count_, ++counting_) {
        Worker& worker = workers_[worker_count_];
        worker.training = this;
        worker.helps = worker_count_ > 0;
        worker.counter = trainer_->new_counter();
        if (worker.counter && worker.thread.start(run, &worker)) continue;
        delete worker.counter;
        return;
    }
}

void* Training::run(void* worker) {
    static_cast<Worker*>(worker)->training->work(*static_cast<Worker*>(worker));
    return nullptr;
}

void Training::work(Worker& worker) {
    {
        Lock lock(mutex_);
        for (;;) {
            while (!stopped_ && !counted_ && !first_) changed_.wait(lock);
            if (stopped_) return;
            Block* const block = first_;
            if (!block) break;
            first_ = block->next;
            if (!first_) end_ = &first_;
            --waiting_;
            changed_.wake_all();
            Status status = failure_;
            lock.open();
            if (status.ok()) status = block->count(*worker.counter);
            delete block;
            lock.close();
            if (failure_.ok()) failure_ = status;
        }
        --counting_;
        changed_.wake_all();
    }
    if (worker.helps) trainer_->help();
}

Status Training::set_pattern(const u8* section, size_t length) {
    return has_text_ ? Status{CRAYON_INVALID_ARGUMENT} : trainer_->set_pattern(section, length);
}

Status Training::feed(const u8* bytes, size_t length, bool last) {
    if (!trainer_->takes_texts()) return {CRAYON_INVALID_ARGUMENT};
    has_text_ = true;
    is_within_text_ = !last;
    const Status status = add(bytes, length, last);
    if (status.ok()) return status;
    const Lock lock(mutex_);
    if (failure_.ok()) failure_ = status;
    return status;
}

Status Training::add(const u8* bytes, size_t length, bool last) {
    while (has_threads() && !is_own_) {
        if (!filling_) filling_ = new (std::nothrow) Block;
        if (!filling_) return Status::out_of_memory();
        const size_t part = std::min<size_t>(length, kBlockBytes - filling_->length);
        if (part > 0) std::memcpy(filling_->bytes + filling_->length, bytes, part);
        filling_->length += static_cast<u32>(part);
        bytes += part;
        length -= part;
        if (length > 0) {
            if (Status status = split(); !status.ok()) return status;
            continue;
        }
        if (!last) return {};
        filling_->ends[filling_->end_count++] = filling_->length;
        const bool is_full = filling_->end_count == kBlockEnds || filling_->length == kBlockBytes;
        return is_full ? pass_on() : Status{};
    }
    is_own_ = !last;
    return trainer_->feed(bytes, length, last);
}

// The block is full, and its last text goes on in another one, from its beginning or where it can be cut. Or this thread counts
// it.
Status Training::split() {
    Block& block = *filling_;
    const bool has_ended = block.end_count > 0;
    const u32 cut = has_ended ? block.ends[block.end_count - 1] : cut_of(block);
    if (cut == 0) {
        is_own_ = true;
        const u32 length = std::exchange(block.length, 0);
        return trainer_->feed(block.bytes, length, false);
    }
    Block* const next = new (std::nothrow) Block;
    if (!next) return Status::out_of_memory();
    next->length = block.length - cut;
    std::memcpy(next->bytes, block.bytes + cut, next->length);
    if (!has_ended) block.ends[block.end_count++] = cut;
    const Status status = pass_on();
    filling_ = next;
    return status;
}

// Where the text that fills the block can be cut; 0 if nowhere.
u32 Training::cut_of(const Block& block) const {
    const u32 pretokenizer = trainer_->options().pretokenizer;
    if (pretokenizer == layout::kNoPretokenizer || pretokenizer == layout::kPatternPretokenizer) return 0;
    for (u32 at = block.length - 1; at > 1; --at) {
        if (block.bytes[at] == ' ' && is_letter_or_digit(block.bytes[at - 1])) return at;
    }
    return 0;
}

// Ends the block being filled.
Status Training::pass_on() {
    Lock lock(mutex_);
    while (waiting_ >= kWaiting * worker_count_) changed_.wait(lock);
    *end_ = filling_;
    end_ = &filling_->next;
    filling_ = nullptr;
    ++waiting_;
    changed_.wake_all();
    return failure_;
}

Status Training::start() {
    if (trainer_->is_started() || is_within_text_) return {CRAYON_INVALID_ARGUMENT};
    if (has_threads()) {
        if (filling_) {
            if (Status status = pass_on(); !status.ok()) return status;
        }
        {
            Lock lock(mutex_);
            counted_ = true;
            changed_.wake_all();
            while (counting_ > 0) changed_.wait(lock);
            if (!failure_.ok()) return failure_;
        }
        for (u32 i = 0; i < worker_count_; ++i) {
            if (Status status = trainer_->add(*workers_[i].counter); !status.ok()) return status;
            delete workers_[i].counter;
            workers_[i].counter = nullptr;
        }
    }
    return trainer_->start();
}

}  // namespace crayon::train

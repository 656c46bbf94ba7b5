// A training: the trainer, and the threads that count texts for it and then help it merge.
//
// Texts come in blocks, which threads take from a queue, each with a counter of its own. With a family's pretokenizer a text that
// is longer than a block is cut where a piece ends in any context: after an ASCII letter or digit and before a space, as no piece
// of these families has both. One that cannot be cut is counted by the thread that feeds it, as are all if there are no others.
//
// One thread calls its functions. feed() waits while enough blocks are waiting.
#pragma once

#include "platform/thread.h"
#include "train/trainer.h"

namespace crayon::train {

class Training {
public:
    static constexpr u32 kMostThreads = 256;

    // Takes the trainer, also if memory is short, when it returns nullptr.
    static Training* create(Trainer* trainer, u32 threads);
    ~Training();

    Trainer& trainer() { return *trainer_; }
    const Trainer& trainer() const { return *trainer_; }
    // Before the first text.
    Status set_pattern(const u8* section, size_t length);
    // Adds a part of a text; `last` ends it.
    Status feed(const u8* bytes, size_t length, bool last);
    Status start();

private:
    struct Block;
    struct Worker {
        Training* training;
        Thread thread;
        Counter* counter;
        bool helps;  // the thread that steps is in the place of one of them
    };

    Training() = default;
    void start_threads(u32 threads);
    bool has_threads() const { return kHasThreads && worker_count_ > 0; }
    static void* run(void* worker);
    void work(Worker& worker);
    Status add(const u8* bytes, size_t length, bool last);
    Status split();
    Status pass_on();
    u32 cut_of(const Block& block) const;

    Trainer* trainer_ = nullptr;
    Worker workers_[kMostThreads];
    u32 worker_count_ = 0;
    Block* filling_ = nullptr;
    bool has_text_ = false, is_within_text_ = false;
    bool is_own_ = false;  // this thread counts the text

    Mutex mutex_;
    Condition changed_;
    Block* first_ = nullptr;
    Block** end_ = &first_;
    u32 waiting_ = 0;       // blocks
    u32 counting_ = 0;      // threads that may still count
    bool counted_ = false;  // no more blocks will come
    bool stopped_ = false;
    Status failure_;
};

}  // namespace crayon::train

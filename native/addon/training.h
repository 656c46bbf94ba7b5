// A training: the trainer, and the threads that count texts for it and then help it merge.
//
// Texts come in blocks, which threads take from a queue, each with its own counter. A text that continues in the next block
// is counted by one thread; with a family's pretokenizer it can instead be cut where a piece ends in any context: after an
// ASCII letter or digit and before a space, as no piece of these families has both.
//
// One thread calls its functions; if it is the only thread, it counts, too. feed() blocks while enough blocks are waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "crayon/crayon.h"

namespace crayon::addon {

class Training {
public:
    static constexpr std::uint32_t kMostThreads = 256;

    // Takes the trainer. `cuttable`: it has a family's pretokenizer. nullptr: memory or threads are short; the trainer is
    // then released.
    static Training* create(crayon_trainer* trainer, std::uint32_t threads, bool cuttable);
    ~Training();

    // A part of a text; `last` ends it.
    crayon_status feed(const std::uint8_t* bytes, std::size_t length, bool last, crayon_result* result);
    // Ends the counting, unless the trainer resumes from a checkpoint.
    crayon_status start(bool resumed, crayon_result* result);
    crayon_trainer* trainer() const { return trainer_; }

private:
    struct Block;
    struct Worker {
        Training* training;
        std::uint32_t index;
        void* thread;
        crayon_counter* counter;
    };

    Training() = default;
    bool start_threads(std::uint32_t threads);
    static void* run(void* worker);
    void work(Worker& worker);
    bool can_take(const Worker& worker) const;
    crayon_status count(const Block& block, crayon_counter* counter, crayon_result* result);
    // Ends the block being filled. `goes_on`: its last text continues in the next block.
    crayon_status pass_on(bool goes_on, crayon_result* result);
    std::uint32_t cut_of(const Block& block) const;
    void fail(const crayon_result& result);

    crayon_trainer* trainer_ = nullptr;
    bool cuttable_ = false;
    Worker workers_[kMostThreads] = {};
    std::uint32_t worker_count_ = 0;  // with a counter
    std::uint32_t thread_count_ = 0;  // 0: the caller does it all
    Block* filling_ = nullptr;

    std::mutex mutex_;
    std::condition_variable changed_;
    Block* first_ = nullptr;
    Block* last_ = nullptr;
    std::uint32_t waiting_ = 0;
    std::uint32_t counting_ = 0;  // threads that may still count
    std::uint32_t owner_ = 0;     // the thread that counts the text continuing across blocks
    bool counted_ = false;        // no more blocks will come
    bool merging_ = false;
    bool stopped_ = false;
    crayon_result failure_ = {};
};

}  // namespace crayon::addon

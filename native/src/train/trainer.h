// Exact byte-level BPE training (crayon.h): counts come from counters, then pairs are merged one after another.
//
// A pair's positions are listed when it arises, which is when the younger of its tokens does. From then on its count can
// only decrease, so the queue may hold outdated counts: a pair is recounted at its positions when it reaches the front of
// the queue, and is queued again with its current count if that has decreased. So the first pair with a correct count is
// the most frequent one. Pairs near the front are counted ahead, several at once, so that cache misses overlap and threads
// share them: the candidates. A pair stays a candidate if its count is correct, and is recounted at the front if a merge
// has changed the count since.
//
// No token arises from two different pairs: wherever its bytes became one token, no merge crossed their ends. So each merge
// did the same within them: for a pair of different tokens, at all occurrences; for a pair (a, a) in a run of a, from the
// left, and as no merge crossed the left end, an even number of them was before it. Hence the last merge was the same, too.
// (With an initial token of several bytes this would not hold.)
//
// Cost: each position of a list is read when its pair is merged, and each time its pair reached the front with an outdated
// count. Threads: one; threads in help() only perform its tasks.
#pragma once

#include <new>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/crayon.h"
#include "train/counter.h"
#include "train/neighbours.h"
#include "train/pair_queue.h"

namespace crayon::train {

enum class Ties : u32 { kLarger = CRAYON_TIES_LARGER, kSmaller = CRAYON_TIES_SMALLER };

struct TrainerOptions {
    u32 vocabulary_size;
    u32 min_frequency;     // at least 1
    u32 max_token_length;  // 1 … layout::kMaxTokenLength
    Ties ties;
    u32 observed_alphabet;  // 0 or 1
    u32 pretokenizer;       // layout::Pretokenizer
    u8 alphabet[256];       // every byte, in id order
};

class Trainer {
public:
    struct Merge {
        u32 left, right, id;
    };
    static_assert(sizeof(Merge) == 12);

    Trainer(const TrainerOptions& options, const Kernel& kernel)
        : options_(options), kernel_(kernel), counter_(kernel, options.pretokenizer, patterns_) {}

    const TrainerOptions& options() const { return options_; }
    // Sets the pattern section (layout/pattern.h) for kPatternPretokenizer, before any text. INVALID_ARGUMENT for another
    // pretokenizer; otherwise the validator's statuses. A rejected section changes nothing.
    Status set_pattern(const u8* section, size_t length);

    // Adds a token that only merges can produce, with an id before the alphabet's.
    Status reserve_token(const u8* bytes, u32 length);
    // Texts are counted here, or by other counters, from which they are added. The pattern section comes first.
    bool takes_texts() const {
        return !started_ && (options_.pretokenizer != layout::kPatternPretokenizer || patterns_.count > 0);
    }
    Status feed(const u8* bytes, size_t length, bool last);
    Counter* new_counter() const { return new (std::nothrow) Counter(kernel_, options_.pretokenizer, patterns_); }
    Status add(Counter& counter);
    Status start();
    bool is_started() const { return started_; }
    // Merges pairs until it has looked at `work` positions, but completes at least one pair, or several that are counted
    // ahead. Fails again after any failure.
    Status step(u64 work);
    bool is_done() const { return done_; }
    void help() { thread_pool_.help(); }
    void dismiss() { thread_pool_.dismiss(); }

    const TokenTable& tokens() const { return tokens_; }
    const Buffer<Merge>& merges() const { return merges_; }
    u64 last_count() const { return last_count_; }
    u64 pieces() const { return pieces_; }
    u64 bytes() const { return bytes_; }
    const Sequences& sequences() const { return sequences_; }

    // The checkpoint; the bytes belong to the trainer. (checkpoint.cpp)
    Status save(const OwnedBytes** bytes);
    static Status restore(const u8* bytes, size_t length, const Kernel& kernel, Trainer** out);

private:
    // Turns the counts into sequences.
    Status lay_out();
    Status make_alphabet(const bool* occurs, u32 ids[256]);
    Status queue_first_pairs();
    Status read(const u8* file);  // checkpoint.cpp
    Status keep(Status status);

    u64 key_of(Pair pair) const;
    Pair pair_of(u64 key) const;
    [[nodiscard]] bool push(Pair pair, u64 count, u32* positions, u32 length);
    bool is_outdated(Pair pair, u32 since) const;
    void count(QueuedPair& queued, bool alone);
    Status fill_candidates();
    Status merge_or_requeue();
    Status merge(Pair pair, const QueuedPair& queued);
    Status queue_neighbours(u32 token);

    const TrainerOptions options_;
    const Kernel& kernel_;
    OwnedBytes pattern_bytes_;
    Patterns patterns_;
    Counter counter_;
    u64 pieces_ = 0, bytes_ = 0;
    bool started_ = false, done_ = false;
    Status failure_;

    ThreadPool thread_pool_;
    TokenTable tokens_;
    u32 reserved_ = 0;      // tokens before the alphabet
    Buffer<u32> alphabet_;  // ids of single bytes
    Sequences sequences_;
    PairPositions pair_positions_{sequences_, tokens_, thread_pool_};
    PositionLists lists_;
    PairQueue queue_;
    static constexpr u32 kMostCandidates = 128;
    QueuedPair candidates_[kMostCandidates];  // from next_candidate_ on, in queue order
    u32 next_candidate_ = 0, candidate_count_ = 0;
    // By token: the number of merges when a merge last took it as its left, and as its right token.
    Buffer<u32> left_since_, right_since_;
    Occurrences occurrences_;
    Neighbours sides_[2] = {Neighbours(Neighbours::kBefore), Neighbours(Neighbours::kAfter)};
    Buffer<Merge> merges_;
    u64 last_count_ = 0;
    u64 worked_ = 0;  // positions looked at in this step

    Buffer<Pair> expected_;  // the merges of the checkpoint this trainer was restored from
    OwnedBytes saved_;
};

}  // namespace crayon::train

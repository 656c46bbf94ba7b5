// Exact byte-level BPE training (crayon.h): counts come in by counters, then pairs are merged one after the other.
//
// The places of each pair are listed when it arises. When others are merged, its count can only decrease, so the queue
// may hold outdated counts: a pair is counted again at its places when it is first in the queue, and if it has become
// rarer it is queued again with its present count. Then the first one whose count is right is the most frequent one.
//
// Only one thing makes a pair more frequent: a merge whose result is an old token (`reused`), for example (a, bc) after
// (ab, c). That needs all occurrences of the token, so those of each token are kept: the list of its pair.
//   - Ties::kLarger: all pairs with the token are listed and queued anew, and those that were queued before are void.
//   - Ties::kHuggingFace: as in that trainer, only the new occurrences are listed and queued, with the count of all
//     (`stored`); what was queued before stays as it is until it is first in the queue.
//
// Cost: each place of a list is read when its pair is merged, and each time that its pair was first with an outdated
// count. Threads: one; those in help() only perform tasks of it.
#pragma once

#include "base/buffer.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "train/counter.h"
#include "train/neighbours.h"
#include "train/options.h"
#include "train/pair_queue.h"

namespace crayon::train {

class Trainer {
public:
    struct Merge {
        u32 left, right, id;
    };
    static_assert(sizeof(Merge) == 12);

    // `scanner`: layout::Scanner
    Trainer(const TrainerOptions& options, const Kernel& kernel)
        : options_(options), kernel_(kernel), counter_(kernel, options.scanner) {}

    const TrainerOptions& options() const { return options_; }
    const Kernel& kernel() const { return kernel_; }

    Status add(Counter& counter);
    Status start();
    // Merges pairs until it has looked at `work` places, but at least one pair.
    Status step(u64 work);
    bool is_started() const { return started_; }
    bool is_done() const { return done_; }
    void help() { crew_.help(); }
    void dismiss() { crew_.dismiss(); }

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
    // All places of a token, ascending, and places where it was.
    struct TokenPlaces {
        u32* places;
        u32 length;
        u32 reused;  // the number of merges when another pair last became this token; 0: none has
    };
    // The queue's pair, and what the queue does not say of it.
    struct Candidate {
        QueuedPair queued;
        Pair pair;
        u32 reused;  // of its tokens, the later one
    };

    // What is counted becomes sequences.
    Status lay_out();
    [[nodiscard]] bool make_alphabet(const bool* occurs, u32 ids[256]);
    Status queue_first_pairs();
    Status read_pieces(const u8* file, u32 merges);  // checkpoint.cpp

    u64 key_of(Pair pair) const;
    Candidate pop();
    [[nodiscard]] bool push(Pair pair, u64 count, u32* places, u32 length);
    Status try_first();
    Status try_shared(const Candidate& candidate);
    Status merge(Pair pair, u64 count, u32* places, u32 length);
    Status queue_neighbours(u32 token, const Occurrences& occurrences);

    // trainer_reuse.cpp
    Status reuse(u32 token, u32* places, u32 length);
    Status queue_new_places(u32 token);
    Status queue_twins(u32 token);
    void add_merged_weights(u32 token);
    u64 merged_weight(Pair pair) const;
    [[nodiscard]] bool find_all(Pair pair, u64* stored);
    [[nodiscard]] bool find_piece_ends();
    u32 keep_pieces_of(const QueuedPair& queued, u32* places, u32 length);

    const TrainerOptions options_;
    const Kernel& kernel_;
    Counter counter_;
    u64 pieces_ = 0, bytes_ = 0;
    bool started_ = false, done_ = false;

    Crew crew_;
    TokenTable tokens_;
    Sequences sequences_;
    PairPlaces pair_places_{sequences_, tokens_, crew_};
    PositionLists lists_;
    PairQueue queue_;
    Occurrences occurrences_, all_;
    Neighbours sides_[2] = {Neighbours(Neighbours::kBefore), Neighbours(Neighbours::kAfter)};
    Neighbours all_sides_[2] = {Neighbours(Neighbours::kBefore), Neighbours(Neighbours::kAfter)};
    Buffer<TokenPlaces> token_places_;  // by id
    Buffer<Merge> merges_;
    Buffer<u64> merged_weights_;  // of the occurrences that each merge has merged
    u64 last_count_ = 0;
    u64 worked_ = 0;  // places looked at in this step

    Buffer<u32> found_;       // places of a pair: find_all
    Buffer<u32> piece_ends_;  // the places of kEnd, once they are needed

    Buffer<Pair> expected_;  // the merges of the checkpoint that this trainer comes from
    OwnedBytes saved_;
};

}  // namespace crayon::train

#include "train/trainer.h"

#include <algorithm>
#include <cstring>

#include "base/least_heap.h"
#include "cartridge/section_checks.h"
#include "crayon/layout/cartridge.h"
#include "platform/prefetch.h"
#include "train/first_pairs.h"

namespace crayon::train {

Status Trainer::feed(const u8* bytes, size_t length, bool last) {
    return failure_.ok() ? keep(counter_.feed(bytes, length, last)) : failure_;
}

Status Trainer::add(Counter& counter) { return keep(counter_.take(counter)); }

// After a failure the tables are incomplete.
Status Trainer::keep(Status status) {
    if (failure_.ok()) failure_ = status;
    return status;
}

Status Trainer::set_pattern(const u8* section, size_t length) {
    if (started_ || options_.pretokenizer != layout::kPatternPretokenizer) return {CRAYON_INVALID_ARGUMENT};
    OwnedBytes copy;
    if (!OwnedBytes::allocate(length, &copy)) return Status::out_of_memory();
    std::memcpy(copy.data(), section, length);
    const layout::Pattern* first;
    const SectionRange range = {layout::kPattern, 0, length};
    if (Status status = read_patterns(copy.data(), range, &first); !status.ok()) return status;
    pattern_bytes_ = std::move(copy);
    patterns_ = Patterns(first, length);
    return {};
}

Status Trainer::reserve_token(const u8* bytes, u32 length) {
    if (started_ || length == 0 || length > layout::kMaxTokenLength) return {CRAYON_INVALID_ARGUMENT};
    if (tokens_.size() == layout::kMaxTokens) return {CRAYON_VOCABULARY_TOO_LARGE};
    const u32 known = tokens_.size();
    u32 id;
    if (Status status = tokens_.add(bytes, length, &id); !status.ok()) return keep(status);
    if (id < known) return {CRAYON_DUPLICATE_TOKEN, 0, id};
    ++reserved_;
    return {};
}

Status Trainer::make_alphabet(const bool* occurs, u32 ids[256]) {
    for (const u8 byte : options_.alphabet) {
        if (options_.observed_alphabet && !occurs[byte]) continue;
        if (Status status = tokens_.add(&byte, 1, &ids[byte]); !status.ok()) return status;
        if (!alphabet_.push_back(ids[byte])) return Status::out_of_memory();
    }
    return {};
}

// The most frequent pieces first.
Status Trainer::lay_out() {
    WordCounts& words = counter_.words();
    if (Status status = sequences_.reserve(words.size(), words.bytes()); !status.ok()) return status;
    const WordCounts::Row* const rows = words.rows();
    constexpr u32 kFrequent = 256;  // counts from here on: these are sorted
    u64 first[kFrequent + 1] = {};
    bool occurs[256] = {};
    const auto class_of = [&](const WordCounts::Row& row) {
        return kFrequent - static_cast<u32>(std::min<u64>(row.count, kFrequent));
    };
    for (size_t i = 0; i < words.row_count(); ++i) {
        if (rows[i].length == 0) continue;
        ++first[class_of(rows[i]) + 1];
        const u8* const bytes = words.bytes_of(rows[i]);
        if (options_.observed_alphabet) {
            for (u32 k = 0; k < rows[i].length; ++k) occurs[bytes[k]] = true;
        }
    }
    const u64 frequent = first[1];
    for (u32 i = 0; i < kFrequent; ++i) first[i + 1] += first[i];
    Buffer<const WordCounts::Row*> order;
    if (!order.resize(words.size())) return Status::out_of_memory();
    for (size_t i = 0; i < words.row_count(); ++i) {
        if (rows[i].length) order[first[class_of(rows[i])]++] = &rows[i];
    }
    heap_sort(order.begin(), order.begin() + frequent,
              [](const WordCounts::Row* a, const WordCounts::Row* b) { return a->count > b->count; });
    u32 ids[256];
    if (Status status = make_alphabet(occurs, ids); !status.ok()) return status;
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i + kAhead < order.size()) prefetch(order[i + kAhead]);
        if (!sequences_.append(words.bytes_of(*order[i]), order[i]->length, order[i]->count, ids)) {
            return Status::out_of_memory();
        }
    }
    words.release();
    return sequences_.index_ranges() ? Status{} : Status::out_of_memory();
}

Status Trainer::start() {
    if (started_) return {CRAYON_INVALID_ARGUMENT};
    if (!failure_.ok()) return failure_;
    started_ = true;
    pieces_ = counter_.pieces();
    bytes_ = counter_.bytes();
    if (Status status = lay_out(); !status.ok()) return keep(status);
    return keep(queue_first_pairs());
}

Status Trainer::queue_first_pairs() {
    if (tokens_.size() >= options_.vocabulary_size || options_.max_token_length < 2) return {};
    Buffer<QueuedPair> queued;
    Buffer<Pair> pairs;
    if (!left_since_.assign(tokens_.size(), 0) || !right_since_.assign(tokens_.size(), 0)) {
        return Status::out_of_memory();
    }
    if (!first_pairs(sequences_, alphabet_, tokens_.size(), options_.min_frequency, thread_pool_, &lists_, &queued, &pairs)) {
        return Status::out_of_memory();
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (!push(pairs[i], queued[i].count, queued[i].positions, queued[i].length)) return Status::out_of_memory();
    }
    return {};
}

u64 Trainer::key_of(Pair pair) const {
    const u64 key = u64{pair.left} << 32 | pair.right;
    return options_.ties == Ties::kLarger ? key : ~key;
}

Pair Trainer::pair_of(u64 key) const {
    if (options_.ties != Ties::kLarger) key = ~key;
    return {static_cast<u32>(key >> 32), static_cast<u32>(key)};
}

bool Trainer::push(Pair pair, u64 count, u32* positions, u32 length) {
    return queue_.push({count, key_of(pair), positions, length, static_cast<u32>(merges_.size())});
}

Status Trainer::step(u64 work) {
    if (!started_) return {CRAYON_INVALID_ARGUMENT};
    if (!failure_.ok()) return failure_;
    worked_ = 0;
    do {
        const bool has_pair = next_candidate_ < candidate_count_ || !queue_.empty();
        if (tokens_.size() >= options_.vocabulary_size || !has_pair) {
            done_ = true;
            if (merges_.size() < expected_.size()) return keep({CRAYON_CORRUPT_STRUCTURE, 0, merges_.size()});
            return {};
        }
        const Status status = next_candidate_ == candidate_count_ ? fill_candidates() : merge_or_requeue();
        if (!status.ok()) return keep(status);
    } while (worked_ < work);
    return {};
}

// Whether a merge since then has taken a token of the pair, but not the whole pair.
bool Trainer::is_outdated(Pair pair, u32 since) const {
    return right_since_[pair.left] > since || left_since_[pair.right] > since;
}

void Trainer::count(QueuedPair& queued, bool alone) {
    const Pair pair = pair_of(queued.key);
    if (!is_outdated(pair, queued.since)) return;
    queued.count = alone ? pair_positions_.recount_alone(pair, queued.positions, queued.length, &queued.length)
                         : pair_positions_.recount(pair, queued.positions, &queued.length);
    queued.since = static_cast<u32>(merges_.size());
}

// Takes the first pairs from the queue, counts them, and requeues pairs that have become rarer.
Status Trainer::fill_candidates() {
    // Counted positions should still be cached when they are merged; but dividing little work does not pay off.
    const u32 most_positions = thread_pool_.has_helpers() ? 1 << 16 : 1 << 14;
    constexpr u32 kLong = 1 << 16;  // a list this long is divided
    u64 counts[kMostCandidates];
    u32 begins[kMostCandidates + 1];  // of tasks
    u32 size = 0, tasks = 0, positions = 0, task_positions = PairPositions::kTaskPositions;
    for (; size < kMostCandidates && positions < most_positions && !queue_.empty(); ++size) {
        candidates_[size] = queue_.pop();
        counts[size] = candidates_[size].count;
        prefetch(candidates_[size].positions);
        if (task_positions >= PairPositions::kTaskPositions) {
            begins[tasks++] = size;
            task_positions = 0;
        }
        const u32 length = std::min(candidates_[size].length, most_positions);
        positions += length;
        if (length < kLong) task_positions += length;
    }
    begins[tasks] = size;
    worked_ += positions;
    auto perform = [&](u32 task) {
        for (u32 i = begins[task]; i < begins[task + 1]; ++i) {
            const QueuedPair& each = candidates_[i];
            for (u32 k = 0; k < std::min(each.length, 8u); ++k) prefetch(sequences_.positions() + each.positions[k]);
        }
        for (u32 i = begins[task]; i < begins[task + 1]; ++i) {
            if (candidates_[i].length < kLong) count(candidates_[i], true);
        }
    };
    thread_pool_.run(tasks, perform);
    for (u32 i = 0; i < size; ++i) {
        if (candidates_[i].length >= kLong) count(candidates_[i], false);
    }
    next_candidate_ = candidate_count_ = 0;
    for (u32 i = 0; i < size; ++i) {
        if (candidates_[i].count == counts[i]) {
            candidates_[candidate_count_++] = candidates_[i];
        } else if (candidates_[i].count >= options_.min_frequency && !queue_.push(candidates_[i])) {
            return Status::out_of_memory();
        }
    }
    return {};
}

// Takes the first pair of the candidates and the queue.
Status Trainer::merge_or_requeue() {
    const bool from_queue = !queue_.empty() && queue_.top().is_before(candidates_[next_candidate_]);
    QueuedPair queued = from_queue ? queue_.pop() : candidates_[next_candidate_++];
    worked_ += queued.length;
    const u64 before = queued.count;
    count(queued, false);
    if (queued.count == before) return merge(pair_of(queued.key), queued);
    return queued.count < options_.min_frequency || queue_.push(queued) ? Status{} : Status::out_of_memory();
}

Status Trainer::merge(Pair pair, const QueuedPair& queued) {
    const size_t number = merges_.size();
    if (number < expected_.size() && (expected_[number].left != pair.left || expected_[number].right != pair.right)) {
        return {CRAYON_CORRUPT_STRUCTURE, 0, number};
    }
    u32 id, length = queued.length;
    if (Status status = tokens_.join(pair.left, pair.right, &id); !status.ok()) return status;
    if (!merges_.push_back({pair.left, pair.right, id})) return Status::out_of_memory();
    for (Buffer<u32>* since : {&left_since_, &right_since_}) {
        while (since->size() < tokens_.size()) {
            if (!since->push_back(0)) return Status::out_of_memory();
        }
    }
    left_since_[pair.left] = right_since_[pair.right] = static_cast<u32>(merges_.size());
    last_count_ = queued.count;
    worked_ += length;
    if (pair.left == pair.right) length = pair_positions_.without_overlaps(pair.left, queued.positions, length);
    if (!pair_positions_.merge(pair, id, queued.positions, length, &occurrences_)) return Status::out_of_memory();
    return queue_neighbours(id);
}

// Queues all pairs that contain a new token.
Status Trainer::queue_neighbours(u32 token) {
    bool done[2];
    auto perform = [&](u32 i) {
        // If two new tokens are adjacent, the first one gets the pair.
        done[i] = sides_[i].group(occurrences_, sequences_, tokens_, i == 0 ? token : kNoToken) &&
                  sides_[i].list(occurrences_, tokens_, options_.min_frequency, options_.max_token_length, tokens_.length(token));
    };
    if (occurrences_.count >= 4 * PairPositions::kTaskPositions) {
        thread_pool_.run(2, perform);
    } else {
        perform(0);
        perform(1);
    }
    if (!done[0] || !done[1]) return Status::out_of_memory();
    for (u32 i = 0; i < 2; ++i) {
        for (const Neighbours::Group& group : sides_[i].groups()) {
            const Pair pair = i == 0 ? Pair{group.token, token} : Pair{token, group.token};
            if (group.positions && !push(pair, group.count, group.positions, group.length)) return Status::out_of_memory();
        }
    }
    return {};
}

}  // namespace crayon::train

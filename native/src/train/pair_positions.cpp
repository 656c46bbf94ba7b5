#include "train/pair_positions.h"

#include <cstring>

namespace crayon::train {

namespace {

constexpr u32 kAhead = 24;  // positions, for prefetching

}  // namespace

u32 PairPositions::tasks_for(u32 length) const {
    // Waking a helper takes as long as a task or two.
    return thread_pool_.has_helpers() && length >= 4 * kTaskPositions ? std::min(length / kTaskPositions, kMaxTasks) : 1;
}

u64 PairPositions::recount_alone(Pair pair, u32* positions, u32 length, u32* new_length) const {
    const u32* const at = sequences_.positions();
    const u32 left = pair.left | Sequences::kFirst, right = pair.right | Sequences::kFirst;
    const u32 skip = tokens_.length(pair.left);
    Sequences::Weights weights(sequences_);
    u64 count = 0;
    u32 size = 0;
    for (u32 i = 0; i < length; ++i) {
        if (i + kAhead < length) prefetch(at + positions[i + kAhead]);
        // Branch-free: about half of the positions of a list are outdated, in no order.
        const u32 position = positions[i];
        const bool is_there = (at[position] == left) & (at[size_t{position} + skip] == right);
        positions[size] = position;
        size += is_there;
        count += weights.of(position) & (0 - u64{is_there});
    }
    *new_length = size;
    return count;
}

u64 PairPositions::recount(Pair pair, u32* positions, u32* length) {
    const u32 tasks = tasks_for(*length);
    if (tasks == 1) return recount_alone(pair, positions, *length, length);
    struct Part {
        u32 begin, new_length;
        u64 count;
    } parts[kMaxTasks + 1];
    for (u32 i = 0; i <= tasks; ++i) parts[i].begin = static_cast<u32>(u64{*length} * i / tasks);
    auto perform = [&](u32 i) {
        Part& part = parts[i];
        part.count = recount_alone(pair, positions + part.begin, parts[i + 1].begin - part.begin, &part.new_length);
    };
    thread_pool_.run(tasks, perform);
    u64 count = 0;
    u32 size = 0;
    for (u32 i = 0; i < tasks; ++i) {
        if (size != parts[i].begin) std::memmove(positions + size, positions + parts[i].begin, parts[i].new_length * sizeof(u32));
        size += parts[i].new_length;
        count += parts[i].count;
    }
    *length = size;
    return count;
}

u32 PairPositions::without_overlaps(u32 token, u32* positions, u32 length) const {
    const u64 width = 2 * u64{tokens_.length(token)};
    u64 end = 0;
    u32 size = 0;
    for (u32 i = 0; i < length; ++i) {
        if (positions[i] < end) continue;
        end = positions[i] + width;
        positions[size++] = positions[i];
    }
    return size;
}

// Reads only tokens that no other part changes: the positions at the ends of a part are not adjacent to another part's.
void PairPositions::merge_part(Pair pair, u32 merged, Occurrences* out, u32 begin, u32 end) {
    u32* const at = sequences_.positions();
    const u32* const positions = out->positions;
    const u32 skip = tokens_.length(pair.left), width = skip + tokens_.length(pair.right);
    Sequences::Weights weights(sequences_);
    for (u32 i = begin; i < end; ++i) {
        if (i + kAhead < end) prefetch(at + positions[i + kAhead]);
        const u32 position = positions[i];
        at[position] = merged | Sequences::kFirst;
        at[position + skip] = 0;
        at[position + width - 1] = merged;
        out->before[i] = at[position - 1] & ~Sequences::kFirst;
        const bool repeats = i + 1 < end && positions[i + 1] == position + width;
        out->after[i] = repeats ? merged : at[position + width] & ~Sequences::kFirst;
        out->ranges[i] = weights.range_of(position);
    }
}

bool PairPositions::merge(Pair pair, u32 merged, u32* positions, u32 length, Occurrences* out) {
    if (!out->resize(length)) return false;
    out->positions = positions;
    const u32 tasks = tasks_for(length);
    if (tasks == 1) {
        merge_part(pair, merged, out, 0, length);
        return true;
    }
    const u32 width = tokens_.length(merged);
    u32 begins[kMaxTasks + 1];
    begins[0] = 0;
    for (u32 i = 1; i <= tasks; ++i) {
        u32 begin = std::max(begins[i - 1], static_cast<u32>(u64{length} * i / tasks));
        while (begin > 0 && begin < length && positions[begin] == positions[begin - 1] + width) ++begin;
        begins[i] = begin;
    }
    auto perform = [&](u32 i) { merge_part(pair, merged, out, begins[i], begins[i + 1]); };
    thread_pool_.run(tasks, perform);
    return true;
}

}  // namespace crayon::train

#include "train/first_pairs.h"

namespace crayon::train {

namespace {

// A part of the corpus, and the count of each pair in it.
struct Part {
    u32 begin, end;  // positions
    u64* counts;
    u32* lengths;
};

// `index_of`: the index of a token among the ids; `ids`: the number of ids.
template <class Visit>
void for_each_pair(const Sequences& sequences, const u8* index_of, u32 ids, const Part& part, Visit visit) {
    const u32* const at = sequences.positions();
    Sequences::Weights weights(sequences);
    for (u32 position = part.begin; position < part.end; ++position) {
        const u32 left = at[position], right = at[position + 1];
        if (left == Sequences::kEnd || right == Sequences::kEnd) continue;
        visit(index_of[left & ~Sequences::kFirst] * ids + index_of[right & ~Sequences::kFirst], position, weights);
    }
}

}  // namespace

bool first_pairs(const Sequences& sequences, const Buffer<u32>& ids, u32 tokens, u64 min_count, ThreadPool& thread_pool,
                 PositionLists* lists, Buffer<QueuedPair>* pairs, Buffer<Pair>* which) {
    constexpr u32 kParts = 8;
    const u32 part_count = thread_pool.has_helpers() && sequences.size() > 1u << 20 ? kParts : 1;
    const u32 id_count = static_cast<u32>(ids.size()), all = id_count * id_count;
    if (all == 0 || sequences.size() < 3) return true;
    Buffer<u8> index_of;
    if (!index_of.assign(tokens, 0)) return false;
    for (u32 i = 0; i < id_count; ++i) index_of[ids[i]] = static_cast<u8>(i);
    Buffer<u64> counts;
    Buffer<u32> lengths;
    if (!counts.assign(size_t{all} * part_count, 0) || !lengths.assign(size_t{all} * part_count, 0)) return false;
    Part parts[kParts];
    const u32 last = sequences.size() - 1;  // kEnd
    for (u32 i = 0; i < part_count; ++i) {
        parts[i] = {1 + static_cast<u32>(u64{last - 1} * i / part_count),
                    1 + static_cast<u32>(u64{last - 1} * (i + 1) / part_count), counts.data() + size_t{all} * i,
                    lengths.data() + size_t{all} * i};
    }
    auto count = [&](u32 i) {
        for_each_pair(sequences, index_of.data(), id_count, parts[i], [&](u32 pair, u32 position, Sequences::Weights& weights) {
            parts[i].counts[pair] += weights.of(position);
            ++parts[i].lengths[pair];
        });
    };
    thread_pool.run(part_count, count);

    // Converts lengths to the positions in the common list where each part continues.
    u64 total = 0;
    for (u32 pair = 0; pair < all; ++pair) {
        u64 sum = 0;
        u32 length = 0;
        for (u32 i = 0; i < part_count; ++i) sum += parts[i].counts[pair];
        const bool wanted = sum >= min_count;
        for (u32 i = 0; i < part_count; ++i) {
            const u32 size = parts[i].lengths[pair];
            parts[i].counts[pair] = wanted;
            parts[i].lengths[pair] = static_cast<u32>(total) + length;
            if (wanted) length += size;
        }
        if (!wanted) continue;
        if (!pairs->push_back({sum, 0, nullptr, length, 0}) || !which->push_back({ids[pair / id_count], ids[pair % id_count]})) {
            return false;
        }
        total += length;
    }
    u32* const positions = lists->allocate(static_cast<size_t>(total));
    if (!positions) return false;
    auto write = [&](u32 i) {
        for_each_pair(sequences, index_of.data(), id_count, parts[i], [&](u32 pair, u32 position, Sequences::Weights&) {
            if (parts[i].counts[pair]) positions[parts[i].lengths[pair]++] = position;
        });
    };
    thread_pool.run(part_count, write);
    u32* next = positions;
    for (QueuedPair& pair : *pairs) {
        pair.positions = next;
        next += pair.length;
    }
    return true;
}

}  // namespace crayon::train

#include "compile/merge_order.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/least_heap.h"
#include "base/merge_by_heap.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

namespace {

using layout::kNone;
using layout::Split;

// Finds the position and the result of a pair: rows of each left token, sorted by the right one. It uses no hashes, so that no
// list is slow.
class PairIndex {
public:
    Status build(const TokenList& tokens, const RankTable& table, std::span<const u32> unmatched, const MergeList& merges) {
        priorities_ = merges.priorities;
        Buffer<bool> is_half;
        Buffer<u8> joined;
        if (!is_half.resize(tokens.count) || !first_.zeroed(size_t{tokens.count} + 1) || !rows_.resize(merges.count) ||
            !results_.resize(merges.count) || !joined.resize(2 * size_t{layout::kMaxTokenLength})) {
            return Status::out_of_memory();
        }
        Matched matched(unmatched);
        for (u32 id = 0; id < tokens.count; ++id) is_half[id] = matched(id) && tokens.length(id) > 0;
        for (u32 position = 0; position < merges.count; ++position) {
            const u32 left = merges.pairs[2 * position], right = merges.pairs[2 * position + 1];
            const bool is_pair = left < tokens.count && right < tokens.count && is_half[left] && is_half[right];
            results_[position] = is_pair ? join(tokens, table, left, right, joined.data()) : kNone;
            if (results_[position] == kNone) return {CRAYON_INVALID_ARGUMENT, layout::kMerges, position};
            ++first_[left + 1];
        }
        for (u32 id = 0; id < tokens.count; ++id) first_[id + 1] += first_[id];
        Buffer<u32> next;
        if (!next.append(first_.data(), tokens.count)) return Status::out_of_memory();
        for (u32 position = 0; position < merges.count; ++position) {
            rows_[next[merges.pairs[2 * position]]++] = u64{merges.pairs[2 * position + 1]} << 32 | position;
        }
        for (u32 id = 0; id < tokens.count; ++id) {
            heap_sort(rows_.data() + first_[id], rows_.data() + first_[id + 1], std::less<u64>());
        }
        return {};
    }

    // The position of a pair, the last one if there are several; kNone if there is none.
    u32 find(u32 left, u32 right) const {
        const u64* const begin = rows_.data() + first_[left];
        const u64* const after = std::upper_bound(begin, rows_.data() + first_[left + 1], u64{right} << 32 | kNone);
        return after != begin && after[-1] >> 32 == right ? static_cast<u32>(after[-1]) : kNone;
    }
    u32 result(u32 position) const { return results_[position]; }
    u32 priority(u32 position) const { return priorities_ ? priorities_[position] : position; }

private:
    static u32 join(const TokenList& tokens, const RankTable& table, u32 left, u32 right, u8* bytes) {
        const u32 left_length = tokens.length(left), right_length = tokens.length(right);
        std::memcpy(bytes, tokens.token(left), left_length);
        std::memcpy(bytes + left_length, tokens.token(right), right_length);
        return table.find(bytes, left_length + right_length);
    }

    Buffer<u32> first_;    // by the left token, and the end
    Buffer<u64> rows_;     // right token, position
    Buffer<u32> results_;  // by position
    const u32* priorities_ = nullptr;
};

// Merges the bytes of one token in the order of the list.
class OwnBytes {
public:
    OwnBytes(const TokenList& tokens, const RankTable& table, const PairIndex& index) : tokens_(tokens), merger_(index) {
        find_single_bytes(table, single_);
    }

    // `last`: the position of the last merge that makes the token, and its halves; the position is kNone if merging does not end
    // with it. False if memory is short.
    struct Merge {
        u32 position;
        Split halves;
    };
    bool last_merge(u32 id, Merge* last) {
        *last = {kNone, {id, id}};
        const u8* const token = tokens_.token(id);
        return merger_.merge(
            tokens_.length(id), [&](u32 i) { return single_[token[i]]; },
            [&](u32 position, u32 left, u32 right, u32 count) {
                if (count == 1) *last = {position, {left, right}};
                return true;
            });
    }

private:
    struct Pairs {
        const PairIndex& index;

        bool rank(u32 left, u32 right, u32, u32* position) const {
            *position = index.find(left, right);
            return true;
        }
        u32 merged(u32 position) const { return index.result(position); }
        u32 priority(u32 position) const { return index.priority(position); }
    };

    const TokenList& tokens_;
    u32 single_[256];
    HeapMerger<Pairs> merger_;
};

// When a token is made, in the order of ranks.
struct MergeTime {
    u32 stage;   // its position in the list, or its base's if it waits for one
    u32 within;  // the group: the greatest position of the tokens of the group that it contains, itself too; 0 for the base
    u32 depth;   // how many of them
    u32 position;

    bool operator<(const MergeTime& other) const {
        if (stage != other.stage) return stage < other.stage;
        if (within != other.within) return within < other.within;
        return depth != other.depth ? depth < other.depth : position < other.position;
    }
};

// The order of merging that ranks have.
class MergeTimes {
public:
    // `merge_ids`: ids by position, kNone where a merge makes none. `has_order`: whether ranks may be in this order. False if
    // memory is short.
    bool find(const TokenList& tokens, const Buffer<Split>& splits, const Buffer<u32>& merge_ids, bool* has_order) {
        *has_order = false;
        Buffer<u64> by_length;  // halves come before the whole
        if (!times_.assign(tokens.count, {0, 0, 0, 0})) return false;
        for (u32 position = 0; position < merge_ids.size(); ++position) {
            if (merge_ids[position] == kNone) continue;
            times_[merge_ids[position]] = {position, 0, 0, position};
            if (!by_length.push_back(u64{tokens.length(merge_ids[position])} << 32 | merge_ids[position])) return false;
        }
        heap_sort(by_length.begin(), by_length.end(), std::less<u64>());
        for (u64 each : by_length) {
            const u32 id = static_cast<u32>(each);
            const Time time = find(id, splits, merge_ids);
            if (time != Time::kFound) return time == Time::kNone;
        }
        *has_order = neighbours_differ();
        return true;
    }
    const MergeTime& of(u32 id) const { return times_[id]; }

private:
    struct Neighbour {
        u32 stage, id;
        bool is_left;
    };

    enum class Time { kFound, kNone, kOutOfMemory };
    Time find(u32 id, const Buffer<Split>& splits, const Buffer<u32>& merge_ids) {
        const auto [left, right] = splits[id];
        MergeTime& time = times_[id];
        // Bytes are there from the beginning.
        const u32 late_left = is_byte(left, splits) ? 0 : times_[left].stage + 1;
        const u32 late_right = is_byte(right, splits) ? 0 : times_[right].stage + 1;
        const u32 latest = std::max(late_left, late_right);
        if (latest <= time.position) return Time::kFound;
        if (late_left == late_right) return Time::kNone;
        const bool grows_right = late_left > late_right;
        const MergeTime& half = times_[grows_right ? left : right];
        time = {half.stage, std::max(half.within, time.position), half.depth + 1, time.position};
        const u32 neighbour = grows_right ? right : left;
        if (grows_right && neighbour == splits[merge_ids[time.stage]].left) return Time::kNone;
        return neighbours_.push_back({time.stage, neighbour, !grows_right}) ? Time::kFound : Time::kOutOfMemory;
    }

    static bool is_byte(u32 id, const Buffer<Split>& splits) { return splits[id].left == id; }

    bool neighbours_differ() {
        heap_sort(neighbours_.begin(), neighbours_.end(), [](const Neighbour& a, const Neighbour& b) {
            if (a.stage != b.stage) return a.stage < b.stage;
            return a.id != b.id ? a.id < b.id : a.is_left < b.is_left;
        });
        for (size_t i = 1; i < neighbours_.size(); ++i) {
            const Neighbour &a = neighbours_[i - 1], &b = neighbours_[i];
            if (a.stage == b.stage && a.id == b.id && a.is_left != b.is_left) return false;
        }
        return true;
    }

    Buffer<MergeTime> times_;  // by id
    Buffer<Neighbour> neighbours_;
};

// The ids in the order of ranks, unless they already are: single bytes, merged tokens, the rest.
bool order_ids(const TokenList& tokens, const Buffer<u32>& merge_ids, const Buffer<Split>& splits, Buffer<u32>* ids) {
    Buffer<bool> has_merge;
    if (!ids->reserve(tokens.count) || !has_merge.zeroed(tokens.count)) return false;
    bool ascends = true;
    for (size_t i = 0; i < merge_ids.size(); ++i) {
        has_merge[merge_ids[i]] = true;
        const auto [left, right] = splits[merge_ids[i]];
        ascends = ascends && (i == 0 || merge_ids[i] > merge_ids[i - 1]) && left < merge_ids[i] && right < merge_ids[i];
    }
    if (ascends) return true;
    for (u32 id = 0; id < tokens.count; ++id) {
        if (tokens.length(id) == 1 && !ids->push_back(id)) return false;
    }
    if (!ids->append(merge_ids.data(), merge_ids.size())) return false;
    for (u32 id = 0; id < tokens.count; ++id) {
        if (tokens.length(id) != 1 && !has_merge[id] && !ids->push_back(id)) return false;
    }
    return true;
}

}  // namespace

Status order_merges(const TokenList& tokens, const RankTable& table, std::span<const u32> unmatched, const MergeList& merges,
                    MergeOrder* out) {
    PairIndex index;
    Status status = index.build(tokens, table, unmatched, merges);
    if (!status.ok()) return status;

    OwnBytes own_bytes(tokens, table, index);
    Buffer<Split> splits;                // by id, of ids
    Buffer<u32> by_position, merge_ids;  // what each merge makes; the same without gaps
    if (!splits.resize(tokens.count) || !by_position.assign(merges.count, kNone)) return Status::out_of_memory();
    Matched matched(unmatched);
    for (u32 id = 0; id < tokens.count; ++id) {
        splits[id] = {id, id};
        if (!matched(id) || tokens.length(id) < 2) continue;
        OwnBytes::Merge last;
        if (!own_bytes.last_merge(id, &last)) return Status::out_of_memory();
        if (last.position == kNone) {
            if (!out->unmade.push_back(id)) return Status::out_of_memory();
            continue;
        }
        splits[id] = last.halves;
        by_position[last.position] = id;
    }
    MergeTimes times;
    bool has_order = false;
    if (!merges.priorities && !times.find(tokens, splits, by_position, &has_order)) return Status::out_of_memory();
    for (u32 id : by_position) {
        if (id != kNone && !merge_ids.push_back(id)) return Status::out_of_memory();
    }
    if (has_order) {
        heap_sort(merge_ids.begin(), merge_ids.end(), [&](u32 a, u32 b) { return times.of(a) < times.of(b); });
    } else {
        const auto halves_first = [&](u32 a, u32 b) {
            const u32 length_a = tokens.length(a), length_b = tokens.length(b);
            return length_a != length_b ? length_a < length_b : a < b;
        };
        heap_sort(merge_ids.begin(), merge_ids.end(), halves_first);
    }
    if (!order_ids(tokens, merge_ids, splits, &out->ids)) return Status::out_of_memory();
    if (!has_order) {
        if (!out->priorities.assign(tokens.count, kNone)) return Status::out_of_memory();
        for (u32 position = 0; position < merges.count; ++position) {
            if (by_position[position] != kNone) out->priorities[by_position[position]] = index.priority(position);
        }
    }
    if (out->ids.empty()) {
        out->splits.swap(splits);
        return {};
    }
    Buffer<u32> ranks, by_rank;
    if (!ranks.resize(tokens.count) || !out->splits.resize(tokens.count)) return Status::out_of_memory();
    for (u32 rank = 0; rank < tokens.count; ++rank) ranks[out->ids[rank]] = rank;
    if (!has_order) {
        if (!by_rank.resize(tokens.count)) return Status::out_of_memory();
        for (u32 rank = 0; rank < tokens.count; ++rank) by_rank[rank] = out->priorities[out->ids[rank]];
        out->priorities.swap(by_rank);
    }
    for (u32 rank = 0; rank < tokens.count; ++rank) {
        const auto [left, right] = splits[out->ids[rank]];
        out->splits[rank] = {ranks[left], ranks[right]};
    }
    return {};
}

}  // namespace crayon

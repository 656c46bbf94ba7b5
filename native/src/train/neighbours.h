// The neighbours of a token's occurrences on one side, in groups: each group is a pair that may be merged.
#pragma once

#include "train/pair_positions.h"
#include "train/position_lists.h"

namespace crayon::train {

class Neighbours {
public:
    enum Side { kBefore, kAfter };

    struct Group {
        u64 count;       // of the pair
        u32 token;       // the neighbour
        u32 length;      // positions
        u32* positions;  // null: the pair was left out
    };

    explicit Neighbours(Side side) : side_(side) {}

    // Groups the neighbours, excluding the token `except`. False: memory is short.
    [[nodiscard]] bool group(const Occurrences& occurrences, const Sequences& sequences, const TokenTable& tokens, u32 except);
    // Lists the positions of pairs that occur at least `min_count` times and whose tokens have at most `max_length` bytes
    // together; `width` is the length of the token they are neighbours of.
    [[nodiscard]] bool list(const Occurrences& occurrences, const TokenTable& tokens, u64 min_count, u64 max_length, u32 width);

    Buffer<Group>& groups() { return groups_; }
    // The group of a token; null if there is none.
    Group* find(u32 token) {
        if (token >= group_of_.size()) return nullptr;
        const u32 index = group_of_[token];
        return index < groups_.size() && groups_[index].token == token ? &groups_[index] : nullptr;
    }

private:
    const Buffer<u32>& neighbours(const Occurrences& occurrences) const {
        return side_ == kBefore ? occurrences.before : occurrences.after;
    }

    const Side side_;
    Buffer<Group> groups_;
    // By token: its group, valid if that group refers back to it. So nothing needs to be cleared between uses (Briggs &
    // Torczon 1993).
    Buffer<u32> group_of_;
    PositionLists lists_;
};

}  // namespace crayon::train

#include "train/neighbours.h"

#include <cstring>

namespace crayon::train {

bool Neighbours::group(const Occurrences& occurrences, const Sequences& sequences, const TokenTable& tokens, u32 except) {
    groups_.clear();
    if (group_of_.size() < tokens.size()) {
        const size_t known = group_of_.size();
        if (!group_of_.resize(tokens.size())) return false;
        std::memset(group_of_.data() + known, 0, (group_of_.size() - known) * sizeof(u32));
    }
    const Buffer<u32>& neighbour = neighbours(occurrences);
    for (u32 i = 0; i < occurrences.count; ++i) {
        const u32 token = neighbour[i];
        if (token == Sequences::kNone || token == except) continue;
        Group* group = find(token);
        if (!group) {
            group_of_[token] = static_cast<u32>(groups_.size());
            if (!groups_.push_back({0, token, 0, nullptr})) return false;
            group = &groups_.back();
        }
        group->count += sequences.range(occurrences.ranges[i]).count;
        ++group->length;
    }
    return true;
}

bool Neighbours::list(const Occurrences& occurrences, const TokenTable& tokens, u64 min_count, u64 max_length, u32 width) {
    bool any = false;
    for (Group& group : groups_) {
        group.positions = nullptr;
        if (group.count < min_count || u64{tokens.length(group.token)} + width > max_length) continue;
        group.positions = lists_.allocate(group.length);
        if (!group.positions) return false;
        any = true;
    }
    if (!any) return true;
    const Buffer<u32>& neighbour = neighbours(occurrences);
    for (u32 i = 0; i < occurrences.count; ++i) {
        Group* const group = neighbour[i] == Sequences::kNone ? nullptr : find(neighbour[i]);
        if (!group || !group->positions) continue;
        *group->positions++ = occurrences.positions[i] - (side_ == kBefore ? tokens.length(group->token) : 0);
    }
    for (Group& group : groups_) {
        if (group.positions) group.positions -= group.length;
    }
    return true;
}

}  // namespace crayon::train

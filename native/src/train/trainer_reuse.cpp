// When a merge results in an old token: see trainer.h.
#include <algorithm>
#include <cstring>

#include "train/trainer.h"

namespace crayon::train {

// `occurrences_` are the new ones, at these places.
Status Trainer::reuse(u32 token, u32* places, u32 length) {
    TokenPlaces& own = token_places_[token];
    u32* const all = lists_.allocate(size_t{own.length} + length);
    if (!all) return Status::out_of_memory();
    std::merge(own.places, own.places + own.length, places, places + length, all);
    worked_ += own.length + length;
    if (!pair_places_.find(token, all, own.length + length, &all_)) return Status::out_of_memory();
    own = {all, all_.count, static_cast<u32>(merges_.size())};
    return options_.ties == Ties::kLarger ? queue_neighbours(token, all_) : queue_new_places(token);
}

// --- Ties::kHuggingFace -----------------------------------------------------------------------------------------------
//
// There a pair that arises again at new places is queued again, for the pieces that have them, with the count of all its
// occurrences, present and merged. So it may be in the queue several times, and be merged several times.

// Queues the pairs that arose at `occurrences_`.
Status Trainer::queue_new_places(u32 token) {
    const u32 width = tokens_.length(token);
    // Of two new twins, the first has the pair.
    for (u32 i = 1; i < occurrences_.count; ++i) {
        if (occurrences_.places[i - 1] + width == occurrences_.places[i]) occurrences_.before[i] = Sequences::kNone;
    }
    for (u32 i = 0; i < 2; ++i) {
        if (!sides_[i].group(occurrences_, sequences_, tokens_, kNoToken) ||
            !all_sides_[i].group(all_, sequences_, tokens_, kNoToken)) {
            return Status::out_of_memory();
        }
        for (Neighbours::Group& group : sides_[i].groups()) group.count = all_sides_[i].find(group.token)->count;
    }
    add_merged_weights(token);
    for (Neighbours& side : sides_) {
        if (!side.list(occurrences_, tokens_, options_.min_frequency, options_.max_token_length, width)) {
            return Status::out_of_memory();
        }
    }
    if (Status status = queue_twins(token); !status.ok()) return status;
    for (u32 i = 0; i < 2; ++i) {
        for (const Neighbours::Group& group : sides_[i].groups()) {
            const Pair pair = i == 0 ? Pair{group.token, token} : Pair{token, group.token};
            if (group.token == token || !group.places) continue;
            if (!push(pair, group.count, group.places, group.length)) return Status::out_of_memory();
        }
    }
    return {};
}

// The pair of the token with itself is one pair, though new occurrences may be its left or its right part.
Status Trainer::queue_twins(u32 token) {
    const Neighbours::Group none = {0, token, 0, nullptr};
    const Neighbours::Group* const before = sides_[0].find(token);
    const Neighbours::Group* const after = sides_[1].find(token);
    const Neighbours::Group a = before && before->places ? *before : none, b = after && after->places ? *after : none;
    if (a.length + b.length == 0) return {};
    u32* const places = lists_.allocate(size_t{a.length} + b.length);
    if (!places) return Status::out_of_memory();
    std::merge(a.places, a.places + a.length, b.places, b.places + b.length, places);
    const u64 count = std::max(a.count, b.count);  // equal, if both are there
    return push({token, token}, count, places, a.length + b.length) ? Status{} : Status::out_of_memory();
}

// To the counts of the groups of a token: what was merged of these pairs before.
void Trainer::add_merged_weights(u32 token) {
    for (size_t i = 0; i < merges_.size(); ++i) {
        const Merge& merge = merges_[i];
        Neighbours::Group* const after = merge.left == token ? sides_[1].find(merge.right) : nullptr;
        Neighbours::Group* const before = merge.right == token ? sides_[0].find(merge.left) : nullptr;
        if (after) after->count += merged_weights_[i];
        if (before) before->count += merged_weights_[i];
    }
}

u64 Trainer::merged_weight(Pair pair) const {
    u64 weight = 0;
    for (size_t i = 0; i < merges_.size(); ++i) {
        if (merges_[i].left == pair.left && merges_[i].right == pair.right) weight += merged_weights_[i];
    }
    return weight;
}

// Puts all places of a pair in `found_`. One of its tokens has been reused.
bool Trainer::find_all(Pair pair, u64* stored) {
    const bool by_left = token_places_[pair.left].reused > 0;
    const TokenPlaces& token = token_places_[by_left ? pair.left : pair.right];
    const u32* const at = sequences_.places();
    const u32 width = tokens_.length(pair.left);
    if (!found_.resize(token.length)) return false;
    worked_ += token.length;
    u32 size = 0;
    for (u32 i = 0; i < token.length; ++i) {
        const u32 place = token.places[i];
        if (by_left) {
            found_[size++] = place;
        } else if (at[place] == (pair.right | Sequences::kFirst) &&
                   (at[place - 1] & ~Sequences::kFirst) == pair.left) {
            found_[size++] = place - width;
        }
    }
    *stored = pair_places_.recount(pair, found_.data(), &size) + merged_weight(pair);
    found_.truncate(size);
    return true;
}

bool Trainer::find_piece_ends() {
    if (!piece_ends_.empty()) return true;
    for (u32 place = 0; place < sequences_.size(); ++place) {
        if (sequences_.at(place) == Sequences::kEnd && !piece_ends_.push_back(place)) return false;
    }
    return true;
}

// Keeps the places in pieces with a place of the queued pair.
u32 Trainer::keep_pieces_of(const QueuedPair& queued, u32* places, u32 length) {
    const u32* const queued_end = queued.places + queued.length;
    u32 size = 0;
    for (u32 i = 0; i < length; ++i) {
        const u32* const end = std::upper_bound(piece_ends_.begin(), piece_ends_.end(), places[i]);
        const u32* const in_piece = std::upper_bound(static_cast<const u32*>(queued.places), queued_end, end[-1]);
        if (in_piece != queued_end && *in_piece < *end) places[size++] = places[i];
    }
    return size;
}

// One of the pair's tokens has been reused since the pair was queued, or then.
Status Trainer::try_shared(const Candidate& candidate) {
    u64 stored;
    if (!find_all(candidate.pair, &stored)) return Status::out_of_memory();
    if (stored != candidate.queued.count) {
        QueuedPair queued = candidate.queued;
        queued.count = stored;
        return stored < options_.min_frequency || queue_.push(queued) ? Status{} : Status::out_of_memory();
    }
    const u32 found = static_cast<u32>(found_.size());
    u32* const places = lists_.allocate(found);
    if (!places || !find_piece_ends()) return Status::out_of_memory();
    if (found) std::memcpy(places, found_.data(), found * sizeof(u32));
    return merge(candidate.pair, stored, places, keep_pieces_of(candidate.queued, places, found));
}

}  // namespace crayon::train

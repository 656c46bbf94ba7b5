// The reference's BPE. Members of Model.
#include <algorithm>
#include <bit>

#include "general/models.h"

namespace crayon::general {

// Of a pair that is listed twice, the last one counts.
Status Model::create_merges(const TokensView& tokens) {
    const std::span<const layout::GeneralMerge> merges = definition_.rows<layout::GeneralMerge>(definition_.head().merges);
    const size_t size = std::bit_ceil(2 * merges.size() + 2);
    if (!merges_.assign(size, {0, 0, kNoId, 0})) return Status::out_of_memory();
    merge_mask_ = static_cast<u32>(size - 1);
    merge_shift_ = static_cast<u32>(32 - std::countr_zero(size));
    for (u32 rank = 0; rank < merges.size(); ++rank) {
        const auto [left, right, result] = merges[rank];
        u32 at = slot_of(left, right) >> merge_shift_;
        while (merges_[at].rank != kNoId && (merges_[at].left != left || merges_[at].right != right)) at = (at + 1) & merge_mask_;
        merges_[at] = {left, right, rank, result};
    }
    return find_joined(tokens);
}

// A merge across two characters makes a token in which the last byte of one is before the first of the other. Where no token has
// these two bytes so, merging can begin anew: a whole text is many short runs. Not if what stands for a byte or is unknown
// merges, since its text is not that of the character.
Status Model::find_joined(const TokensView& tokens) {
    const std::span<const layout::GeneralMerge> merges = definition_.rows<layout::GeneralMerge>(definition_.head().merges);
    if (!joined_.assign(65536 / 8, 0)) return Status::out_of_memory();
    const auto is_other = [this](u32 id) {
        const bool is_byte =
            definition_.has(layout::kByteFallback) && std::find(byte_ids_, byte_ids_ + 256, id) != byte_ids_ + 256;
        return is_byte || (definition_.has(layout::kHasUnknown) && id == unknown_id_);
    };
    for (const layout::GeneralMerge& merge : merges) {
        if (is_other(merge.left) || is_other(merge.right))
            return joined_.assign(65536 / 8, 0xFF) ? Status{} : Status::out_of_memory();
        const std::string_view text = tokens.token(merge.result);
        for (size_t i = 1; i < text.size(); ++i) {
            const u32 pair = static_cast<u32>(static_cast<u8>(text[i - 1])) << 8 | static_cast<u8>(text[i]);
            joined_[pair / 8] = static_cast<u8>(joined_[pair / 8] | 1 << pair % 8);
        }
    }
    return {};
}

// The entry of the symbols, empty if it was of others; nullptr for a run that has none.
ModelScratch::Run* ModelScratch::run_of(const Buffer<Symbol>& all) {
    if (all.size() < 2 || all.size() > Run::kMost) return nullptr;
    if (runs.empty() && !runs.zeroed(kRuns)) return nullptr;
    u64 hash = 0;
    for (const Symbol& each : all) hash = (hash ^ each.id) * 0x9E3779B97F4A7C15;
    Run& run = runs[hash >> 53];
    bool is_same = run.length == all.size();
    for (u32 i = 0; i < all.size() && is_same; ++i) is_same = run.before[i] == all[i].id;
    if (!is_same) run.length = 0;
    return &run;
}

// Merges a run of symbols, which merges do not leave, and appends its tokens.
Status Model::finish_run(ModelScratch& scratch, ModelTokens* out) const {
    Buffer<ModelScratch::Symbol>& symbols = scratch.symbols;
    ModelScratch::Run* const run = scratch.run_of(symbols);
    if (run && run->length > 0) {
        u32 last = 0;
        for (u32 i = 0; i < run->length; ++i) {
            if (run->after[i] != kNoId) {
                last = i;
                symbols[i].id = run->after[i];
            } else {
                symbols[last].length += symbols[i].length;
                symbols[i].length = 0;
            }
        }
    } else if (symbols.size() > 1) {
        for (u32 i = 0; run && i < symbols.size(); ++i) run->before[i] = symbols[i].id;
        if (Status status = merge_all(scratch); !status.ok()) return status;
        for (u32 i = 0; run && i < symbols.size(); ++i) run->after[i] = symbols[i].length > 0 ? symbols[i].id : kNoId;
        if (run) run->length = static_cast<u32>(symbols.size());
    }
    for (const ModelScratch::Symbol& each : scratch.symbols) {
        if (each.length == 0) continue;
        if (!out->push_back({each.id, scratch.at, scratch.at + each.length})) return Status::out_of_memory();
        scratch.at += each.length;
    }
    scratch.symbols.clear();
    return {};
}

// First a symbol for each character, with the prefix of all but the first and the suffix of the last. A character without a token
// is the tokens of its bytes, those of prefix and suffix with them, if it has them all; else it is unknown. Quirks: what is
// unknown waits until the next token of a character, so that tokens of bytes come before it; and without an unknown token,
// characters vanish.
Status Model::tokenize_bpe(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const {
    if (definition_.has(layout::kIgnoreMerges)) {
        if (const u32 id = vocabulary_.find(text, length); id != kNoId)
            return out->push_back({id, 0, length}) ? Status{} : Status::out_of_memory();
    }
    Buffer<ModelScratch::Symbol>& symbols = scratch.symbols;
    symbols.clear();
    scratch.at = 0;
    const auto add = [&](u32 id, u32 bytes) {
        const u32 index = static_cast<u32>(symbols.size());
        if (index > 0) symbols.back().next = index;
        return symbols.push_back({id, index > 0 ? index - 1 : kNoId, kNoId, bytes});
    };
    u32 unknown = 0;
    u32 last = kNoId;  // the last byte of the character of the last symbol
    bool allocated = true;
    for (u32 at = 0, end; at < length; at = end) {
        const u32 bytes = character_at(text + at).length;
        end = at + bytes;
        const u8* spelling = text + at;
        u32 spelling_length = bytes;
        const bool continues = at > 0 && !prefix_.empty(), ends = end == length && !suffix_.empty();
        if (continues || ends) {
            scratch.text.clear();
            if (continues)
                allocated = allocated && scratch.text.append(reinterpret_cast<const u8*>(prefix_.data()), prefix_.size());
            allocated = allocated && scratch.text.append(text + at, bytes);
            if (ends) allocated = allocated && scratch.text.append(reinterpret_cast<const u8*>(suffix_.data()), suffix_.size());
            if (!allocated) return Status::out_of_memory();
            spelling = scratch.text.data();
            spelling_length = static_cast<u32>(scratch.text.size());
        }
        if (const u32 id = vocabulary_.find(spelling, spelling_length); id != kNoId) {
            if (unknown > 0) {
                allocated = allocated && add(unknown_id_, unknown);
                last = kNoId;
            }
            unknown = 0;
            if (!symbols.empty() && !may_join(last, text[at])) {
                if (Status status = finish_run(scratch, out); !status.ok()) return status;
            }
            last = text[end - 1];
            if (!allocated || !add(id, bytes)) return Status::out_of_memory();
            continue;
        }
        const auto has_token = [&](u8 byte) { return byte_ids_[byte] != kNoId; };
        if (definition_.has(layout::kByteFallback) && std::all_of(spelling, spelling + spelling_length, has_token)) {
            for (u32 i = 0; i < spelling_length; ++i) allocated = allocated && add(byte_ids_[spelling[i]], 1);
            last = kNoId;
            continue;
        }
        if (!definition_.has(layout::kHasUnknown)) continue;
        if (unknown > 0 && definition_.has(layout::kFuseUnknown)) {
            unknown += bytes;
            continue;
        }
        if (unknown > 0) {
            allocated = allocated && add(unknown_id_, unknown);
            last = kNoId;
        }
        if (unknown_id_ == kNoId) return {CRAYON_UNKNOWN_CHARACTER, 0, at};
        unknown = bytes;
    }
    if (unknown > 0) allocated = allocated && add(unknown_id_, unknown);
    return allocated ? finish_run(scratch, out) : Status::out_of_memory();
}

// The pair of the lowest rank first, the leftmost of equals. A quirk: an entry that has become stale is only recognized by
// another result, so that it may stand for another pair with the same.
Status Model::merge_all(ModelScratch& scratch) const {
    Buffer<ModelScratch::Symbol>& symbols = scratch.symbols;
    Buffer<u64>& queue = scratch.queue;
    const auto later = [](u64 a, u64 b) { return a > b; };
    const std::span<const layout::GeneralMerge> ranks = definition_.rows<layout::GeneralMerge>(definition_.head().merges);
    queue.clear();
    for (u32 at = 0; at + 1 < symbols.size(); ++at) {
        const Merge* const merge = merge_of(symbols[at].id, symbols[at + 1].id);
        if (merge && !queue.push_back(u64{merge->rank} << 32 | at)) return Status::out_of_memory();
    }
    std::make_heap(queue.begin(), queue.end(), later);
    // Each round takes an entry out, and puts in two where it has made one symbol of two: at most 3 rounds for each symbol.
    while (!queue.empty()) {
        std::pop_heap(queue.begin(), queue.end(), later);
        const u64 top = queue.back();
        queue.pop_back();
        const u32 at = static_cast<u32>(top);
        const auto [wanted_left, wanted_right, result] = ranks[top >> 32];
        ModelScratch::Symbol& left = symbols[at];
        if (left.length == 0 || left.next == kNoId) continue;
        ModelScratch::Symbol& right = symbols[left.next];
        if (left.id != wanted_left || right.id != wanted_right) {
            const Merge* const now = merge_of(left.id, right.id);
            if (!now || now->result != result) continue;
        }
        left.id = result;
        left.length += right.length;
        right.length = 0;
        left.next = right.next;
        if (right.next != kNoId) symbols[right.next].previous = at;
        const auto add = [&](u32 first, u32 second) {
            const Merge* const merge = merge_of(symbols[first].id, symbols[second].id);
            if (!merge) return true;
            if (!queue.push_back(u64{merge->rank} << 32 | first)) return false;
            std::push_heap(queue.begin(), queue.end(), later);
            return true;
        };
        if (left.previous != kNoId && !add(left.previous, at)) return Status::out_of_memory();
        if (left.next != kNoId && !add(at, left.next)) return Status::out_of_memory();
    }
    return {};
}

}  // namespace crayon::general

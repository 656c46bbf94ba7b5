#include "document/text_edit.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "document/surrogate_halves.h"

namespace crayon {

TextEdit::~TextEdit() {
    for (TextLeaf* leaf : made_) std::free(leaf);
}

Status TextEdit::run(u32 start, u32 end, std::span<const u8> bytes, bool has_halves, TextChange* change) {
    const u32 size = tree_.sums().bytes;
    if (bytes.size() > kMostBytes - (size - (end - start))) return {CRAYON_TEXT_TOO_LONG};
    leaves_ = tree_.leaves();
    begin_ = tree_.reaching(start);
    Status status;
    u32 at = begin_.before.bytes;
    tree_.visit(begin_.index, [&](const TextLeaf& leaf) {
        if (at >= start || !status.ok()) return false;
        const u32 length = std::min(leaf.sums.bytes, start - at);
        at += length;
        status = append(leaf.bytes(), length, leaf.has_halves);
        return true;
    });
    if (status.ok()) status = append(bytes.data(), static_cast<u32>(bytes.size()), has_halves);
    const TextTree::Place after = tree_.at_byte(end);
    next_ = after.index;
    if (status.ok() && after.leaf && end > after.before.bytes) {
        status = append(*after.leaf, end - after.before.bytes);
        ++next_;
    }
    // Where the old text began is no place to meet.
    if (status.ok() && next_ == 0 && leaves_ > 0) {
        status = pull();
    } else if (status.ok() && !is_at_end() && !starts_.push_back({static_cast<u32>(text_.size()), next_})) {
        status = Status::out_of_memory();
    }
    if (status.ok()) status = encode();
    if (status.ok()) status = merge_short();
    if (status.ok()) status = compare(change);
    if (status.ok() && !tree_.replace(begin_.index, met_, {made_.data(), made_.size()})) status = Status::out_of_memory();
    if (status.ok()) made_.clear();
    return status;
}

u32 TextEdit::failed_units(u64 position) const {
    const u64 offset = position - begin_.before.bytes;
    return begin_.before.units + count_units(text_.data(), static_cast<size_t>(std::min<u64>(offset, text_.size())));
}

// --- the new text ---

Status TextEdit::append(const TextLeaf& leaf, u32 from) {
    return append(leaf.bytes() + from, leaf.sums.bytes - from, leaf.has_halves);
}

Status TextEdit::append(const u8* bytes, u32 count, bool has_halves) {
    const size_t before = text_.size();
    if (!text_.append(bytes, count)) return Status::out_of_memory();
    if (has_halves && !has_halves_) {
        has_halves_ = true;
        if (!encoded_.assign(text_.data(), before)) return Status::out_of_memory();
    }
    if (!has_halves_) return {};
    if (!encoded_.append(bytes, count)) return Status::out_of_memory();
    replace_halves(encoded_.data() + before, count);
    return {};
}

// Appends the text of the next old leaf.
Status TextEdit::pull() {
    const TextTree::Place place = tree_.at_leaf(next_++);
    if (Status status = append(*place.leaf, 0); !status.ok()) return status;
    if (is_at_end() || starts_.push_back({static_cast<u32>(text_.size()), next_})) return {};
    return Status::out_of_memory();
}

// --- its leaves ---

// Encodes until the end, or until the encoder is where an old leaf begins.
Status TextEdit::encode() {
    encoder_.resume(begin_.before.bytes);
    u32 at = 0;
    size_t start = 0;
    for (;;) {
        // What becomes the beginning of the text is no place to meet.
        const u32 least = at == 0 && begin_.before.bytes == 0 ? 1 : at;
        while (start < starts_.size() && starts_[start].position < least) {
            if (++start == starts_.size() && !is_at_end()) {
                if (Status status = pull(); !status.ok()) return status;
            }
        }
        const bool may_meet = start < starts_.size();
        if (may_meet && starts_[start].position == at) {
            met_ = starts_[start].leaf;
            return {};
        }
        const u32 end = may_meet ? starts_[start].position : static_cast<u32>(text_.size());
        if (at == end) break;
        const u32 target = end - at <= (may_meet ? longest() : sizes_.leaf) ? end : at + sizes_.leaf;
        u32 reach;
        const u32 begin = at;
        if (Status status = read_to(target, begin, &at, &reach); !status.ok()) return status;
        if (Status status = cut(begin, at, reach); !status.ok()) return status;
    }
    met_ = leaves_;
    return {};
}

// Reads up to the first safe split point at or after `target`, or to the end of the text.
Status TextEdit::read_to(u32 target, u32 at, u32* end, u32* reach) {
    const u32 before = begin_.before.bytes;
    for (u32 beyond = sizes_.beyond;; beyond *= 2) {
        while (text_.size() - target < beyond && !is_at_end()) {
            if (Status status = pull(); !status.ok()) return status;
        }
        const u32 size = static_cast<u32>(text_.size()), goal = size - target < beyond ? size : target + beyond;
        const u8* const bytes = has_halves_ ? encoded_.data() : text_.data();
        if (fed_ < goal) {
            if (Status status = encoder_.feed_utf8(bytes + fed_, goal - fed_, false); !status.ok()) return status;
            fed_ = goal;
        }
        for (;;) {
            encoder_.stop_reading_at(u64{before} + target);
            if (Status status = read(); !status.ok()) return status;
            *end = static_cast<u32>(encoder_.position() - before);
            *reach = fed_ - at + is_last_;
            if (*end >= target) {
                if (is_of_bytes_ || *end == size || !is_continuation(text_[*end])) return {};
                target = *end + 1;
                continue;
            }
            if (is_last_) {
                *end = size;
                return {};
            }
            if (fed_ < size || !is_at_end()) break;
            is_last_ = true;
            if (Status status = encoder_.feed_utf8(bytes, 0, true); !status.ok()) return status;
        }
    }
}

// Reads the ids that the encoder has ready.
Status TextEdit::read() {
    constexpr size_t kLeast = 256;
    for (;;) {
        const size_t size = ids_.size();
        if (ids_.capacity() - size < kLeast && !ids_.reserve(size + std::max(size / 2, 4 * kLeast)))
            return Status::out_of_memory();
        Encoder::Read read;
        const u32 capacity = static_cast<u32>(std::min<size_t>(ids_.capacity() - size, 0xFFFFFFFF));
        if (Status status = encoder_.read(ids_.data() + size, capacity, &read); !status.ok()) return status;
        (void)ids_.resize(size + read.count);  // within the capacity
        if (!read.more) return {};
    }
}

// Makes a leaf of the text [begin, end) and the ids that have been read up to there.
Status TextEdit::cut(u32 begin, u32 end, u32 reach) {
    const bool is_whole = is_last_ && end == text_.size();
    const size_t read = ids_.size() - (is_whole ? 0 : static_cast<size_t>(encoder_.ids_beyond_position()));
    const u32 count = static_cast<u32>(read - cut_ids_), length = end - begin;
    TextLeaf* const leaf = TextLeaf::create(count, length);
    if (!leaf || !made_.push_back(leaf)) {
        std::free(leaf);
        return Status::out_of_memory();
    }
    std::memcpy(leaf->ids(), ids_.data() + cut_ids_, size_t{count} * sizeof(u32));
    std::memcpy(leaf->bytes(), text_.data() + begin, length);
    leaf->sums.units = is_of_bytes_ ? 0 : count_units(leaf->bytes(), length);
    leaf->has_halves = has_halves_ && has_halves(leaf->bytes(), length);
    leaf->reach = reach;
    cut_ids_ = static_cast<u32>(read);
    return {};
}

// --- the change ---

// Joins a short last leaf with the one after it, or before it. At the end of the text it stays alone: more may be appended soon.
Status TextEdit::merge_short() {
    if (made_.empty() || made_.back()->sums.bytes >= shortest()) return {};
    TextLeaf *const last = made_.back(), *merged = nullptr;
    if (met_ < leaves_) {
        const TextLeaf& after = *tree_.at_leaf(met_).leaf;
        if (last->sums.bytes + after.sums.bytes <= longest()) {
            if (Status status = combine(*last, after, &merged); !status.ok()) return status;
            ++met_;
        }
    }
    if (!merged && made_.size() == 1 && begin_.index > 0) {
        const TextTree::Place place = tree_.at_leaf(begin_.index - 1);
        const u32 max_bytes = met_ < leaves_ ? longest() : shortest();
        if (place.leaf->sums.bytes + last->sums.bytes > max_bytes) return {};
        if (Status status = combine(*place.leaf, *last, &merged); !status.ok()) return status;
        begin_ = place;
    }
    if (!merged) return {};
    std::free(last);
    made_.back() = merged;
    return {};
}

Status TextEdit::combine(const TextLeaf& first, const TextLeaf& second, TextLeaf** out) {
    TextLeaf* const leaf = TextLeaf::create(first.sums.ids + second.sums.ids, first.sums.bytes + second.sums.bytes);
    if (!leaf) return Status::out_of_memory();
    leaf->sums = first.sums + second.sums;
    std::memcpy(leaf->ids(), first.ids(), size_t{first.sums.ids} * sizeof(u32));
    std::memcpy(leaf->ids() + first.sums.ids, second.ids(), size_t{second.sums.ids} * sizeof(u32));
    std::memcpy(leaf->bytes(), first.bytes(), first.sums.bytes);
    std::memcpy(leaf->bytes() + first.sums.bytes, second.bytes(), second.sums.bytes);
    leaf->has_halves = first.has_halves || second.has_halves;
    leaf->reach = std::max(first.reach, first.sums.bytes + second.reach);
    *out = leaf;
    return {};
}

// Compares the ids of the replaced leaves with the new ones.
Status TextEdit::compare(TextChange* change) {
    old_ids_.clear();
    ids_.clear();
    bool ok = true;
    u32 index = begin_.index;
    tree_.visit(begin_.index, [&](const TextLeaf& leaf) {
        if (index++ >= met_) return false;
        return ok = old_ids_.append(leaf.ids(), leaf.sums.ids);
    });
    for (const TextLeaf* leaf : made_) ok = ok && ids_.append(leaf->ids(), leaf->sums.ids);
    if (!ok) return Status::out_of_memory();
    size_t same = 0, left = std::min(old_ids_.size(), ids_.size());
    while (same < left && old_ids_[same] == ids_[same]) ++same;
    left -= same;
    size_t removed = old_ids_.size(), inserted = ids_.size();
    for (; left > 0 && old_ids_[removed - 1] == ids_[inserted - 1]; --left, --removed, --inserted) {
    }
    *change = {begin_.before.ids + static_cast<u32>(same), static_cast<u32>(removed - same), static_cast<u32>(inserted - same)};
    return {};
}

}  // namespace crayon

#include "normalize/rewrites.h"

#include <algorithm>
#include <cstring>

namespace crayon {

namespace {

// The first row of rows[from, size) that is not before a position, tried first near `last`, which is set to it. Rows before
// a position come before all others.
template <class IsBefore>
size_t first_from(const Buffer<Rewrite>& rows, size_t from, size_t* last, IsBefore is_before) {
    const size_t size = rows.size(), near = *last;
    if (near >= from && near <= size && (near == from || is_before(rows[near - 1]))) {
        if (near == size || !is_before(rows[near])) return near;
        if (near + 1 == size || !is_before(rows[near + 1])) return *last = near + 1;
    }
    return *last = static_cast<size_t>(std::partition_point(rows.begin() + from, rows.end(), is_before) - rows.begin());
}

}  // namespace

void Rewrites::restart() {
    rows_.clear();
    characters_.clear();
    gone_ = 0;
    gone_characters_ = next_character_ = 0;
    shift_ = 0;
    any_ = false;
}

bool Rewrites::add(u64 begin, u64 raw_length, u32 units, const Buffer<Rewritten>& characters, bool opens) {
    return add_at(begin, raw(begin), raw_length, units, characters.data(), static_cast<u32>(characters.size()), opens);
}

bool Rewrites::add_at(u64 begin, u64 raw_begin, u64 raw_length, u32 units, const Rewritten* characters, u32 count, bool opens) {
    const u64 length = count == 0 ? 0 : characters[count - 1].end;
    if (!characters_.append(characters, count)) return false;
    if (!rows_.push_back({begin, begin + length, raw_begin, raw_begin + raw_length, units, next_character_, count, opens}))
        return false;
    next_character_ += count;
    any_ = true;
    return true;
}

bool Rewrites::cut(u64 end, u64 length, u64 raw_begin, u32 units, const Buffer<Rewritten>& characters) {
    const size_t index = static_cast<size_t>(after(end - 1) - rows_.begin());
    if (index == rows_.size() || rows_[index].end != end) return false;
    const Rewrite row = rows_[index];
    const u32 count = static_cast<u32>(characters.size()), room = row.first - gone_characters_ + row.count;
    if (count > room) return false;
    gone_ = index;
    shift_ = raw_begin - (end - length);
    if (count == 0) {
        ++gone_;
        return true;
    }
    std::memcpy(characters_.data() + (room - count), characters.data(), count * sizeof(Rewritten));
    rows_[index] = {end - length, end, raw_begin, row.raw_end, units, row.first + row.count - count, count, false};
    return true;
}

void Rewrites::drop_before(u64 position) {
    const auto is_needed = [position](const Rewrite& row) {
        return row.end > position || (row.end == position && row.begin == row.end);
    };
    while (gone_ < rows_.size() && !is_needed(rows_[gone_])) {
        shift_ = rows_[gone_].raw_end - rows_[gone_].end;
        ++gone_;
    }
    if (gone_ == 0 || 2 * gone_ < rows_.size()) return;
    const size_t left = rows_.size() - gone_;
    const u32 first = left ? rows_[gone_].first : next_character_;
    const u32 characters = next_character_ - first;
    std::memmove(characters_.data(), characters_.data() + (first - gone_characters_), characters * sizeof(Rewritten));
    characters_.truncate(characters);
    gone_characters_ = first;
    std::memmove(rows_.data(), rows_.data() + gone_, left * sizeof(Rewrite));
    rows_.truncate(left);
    gone_ = 0;
}

u64 Rewrites::removed_at(u64 position, bool in_units) const {
    u64 removed = 0;
    const Rewrite* const begin = rows_.begin() + gone_;
    for (const Rewrite* row = after(position); row != begin && row[-1].begin == position && row[-1].end == position; --row) {
        removed += in_units ? row[-1].units : row[-1].raw_end - row[-1].raw_begin;
    }
    return removed;
}

u32 Rewrites::first_inside(u64 offset, const u32* positions, u32 count) const {
    if (count == 0) return 0;
    u32 at = 0;
    for (const Rewrite* row = after(offset + positions[0]); row != end() && row->begin < offset + positions[count - 1]; ++row) {
        // The first position after its beginning: nearly always near the one before, where there are many rows.
        u32 step = 1;
        while (at + step < count && offset + positions[at + step] <= row->begin) step *= 2;
        const u32* const from = positions + at + step / 2;
        const u32* const to = positions + std::min(at + step + 1, count);
        at = static_cast<u32>(
            std::upper_bound(from, to, row->begin, [offset](u64 begin, u32 each) { return begin < offset + each; }) - positions);
        if (at == count) break;
        if (offset + positions[at] < row->end) return at;
    }
    return count;
}

const Rewrite* Rewrites::after(u64 position) const {
    return rows_.begin() + first_from(rows_, gone_, &last_, [position](const Rewrite& row) { return row.end <= position; });
}

u64 Rewrites::raw(u64 position) const {
    if (empty()) return position + shift_;
    const Rewrite* row = after(position);
    if (row != end() && row->begin < position) return row->raw_begin;
    if (row == rows_.begin() + gone_) return position + shift_;
    return position + (row[-1].raw_end - row[-1].end);
}

u64 Rewrites::raw_end(u64 position) const { return is_inside(position) ? after(position)->raw_end : raw(position); }

u64 Rewrites::position_of(u64 raw) const {
    const Rewrite* const row =
        rows_.begin() + first_from(rows_, gone_, &last_, [raw](const Rewrite& each) { return each.raw_end < raw; });
    if (row != rows_.end() && row->raw_begin < raw) return row->end;
    if (row == rows_.begin() + gone_) return raw - shift_;
    return raw - (row[-1].raw_end - row[-1].end);
}

}  // namespace crayon

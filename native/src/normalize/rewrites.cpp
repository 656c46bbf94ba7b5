#include "normalize/rewrites.h"

#include <algorithm>
#include <cstring>

namespace crayon {

namespace {

// The first row of rows[from, size) that is not before a position, trying near `last` first and updating it. The rows
// before a position precede all others.
template <class Row, class IsBefore>
size_t first_from(const Buffer<Row>& rows, size_t from, size_t* last, IsBefore is_before) {
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
    const u32 length = count == 0 ? 0 : characters[count - 1].end;
    if (!characters_.append(characters, count)) return false;
    if (!rows_.push_back({begin, begin + length, raw_begin, raw_begin + raw_length, 1, length, static_cast<u32>(raw_length),
                          units, next_character_, count, opens})) {
        return false;
    }
    next_character_ += count;
    any_ = true;
    return true;
}

bool Rewrites::add_alike(u64 begin, u64 raw_begin, u64 starts, const AlikeRewrites& each) {
    if (!characters_.append(each.characters, each.count)) return false;
    const u32 last = 63 - static_cast<u32>(std::countl_zero(starts));
    Row row = {begin,
               begin + last + each.length,
               raw_begin,
               0,
               starts,
               each.length,
               each.raw_length,
               each.units,
               next_character_,
               each.count,
               false};
    row.raw_end = raw_begin + last + each.raw_length - row.growth_before(last);
    if (!rows_.push_back(row)) return false;
    next_character_ += each.count;
    any_ = true;
    return true;
}

u64 Rewrites::Row::growth_before(u32 offset) const {
    const u64 before = offset < kRowBytes ? starts & ((u64{1} << offset) - 1) : starts;
    return static_cast<u64>(std::popcount(before)) * (u64{length} - raw_length);
}

void Rewrites::Iterator::set() {
    if (row_ == end_) return;
    const u32 offset = static_cast<u32>(std::countr_zero(starts_));
    const u64 begin = row_->begin + offset, raw_begin = row_->raw_begin + offset - row_->growth_before(offset);
    const Rewritten* const characters = all_->characters_.data() + (row_->first - all_->gone_characters_);
    rewrite_ = {begin,       begin + row_->length, raw_begin,  raw_begin + row_->raw_length,
                row_->units, row_->count,          characters, row_->opens};
}

void Rewrites::Iterator::next() {
    starts_ &= starts_ - 1;
    if (starts_ == 0 && ++row_ != end_) starts_ = row_->starts;
    set();
}

void Rewrites::drop_before(u64 position) {
    const auto is_needed = [position](const Row& row) {
        return row.end > position || (row.end == position && row.begin == row.end);
    };
    while (gone_ < rows_.size() && !is_needed(rows_[gone_])) {
        shift_ = rows_[gone_].raw_end - rows_[gone_].end;
        ++gone_;
    }
    if (gone_ == 0 || 2 * gone_ < rows_.size()) return;
    const size_t left = rows_.size() - gone_;
    const u32 first = left ? rows_[gone_].first : next_character_;
    characters_.drop_front(first - gone_characters_);
    gone_characters_ = first;
    rows_.drop_front(gone_);
    gone_ = 0;
}

u64 Rewrites::removed_at(u64 position, bool in_units) const {
    u64 removed = 0;
    const Row* const begin = rows_.begin() + gone_;
    for (const Row* row = row_after(position); row != begin && row[-1].begin == position && row[-1].end == position; --row) {
        removed += in_units ? row[-1].units : row[-1].raw_end - row[-1].raw_begin;
    }
    return removed;
}

const Rewrites::Row* Rewrites::row_after(u64 position) const {
    return rows_.begin() + first_from(rows_, gone_, &last_, [position](const Row& row) { return row.end <= position; });
}

Rewrites::Iterator Rewrites::after(u64 position) const {
    Iterator iterator;
    iterator.all_ = this;
    iterator.row_ = row_after(position);
    iterator.end_ = rows_.end();
    if (iterator) {
        const Row& row = *iterator.row_;
        iterator.starts_ = row.starts & ~u64{0} << row.first_after(position);
        iterator.set();
    }
    return iterator;
}

u64 Rewrites::raw(u64 position) const {
    if (empty()) return position + shift_;
    const Row* row = row_after(position);
    if (row != rows_.end() && row->begin < position) {
        const u32 next = row->first_after(position);
        return row->raw_begin + std::min<u64>(next, position - row->begin) - row->growth_before(next);
    }
    if (row == rows_.begin() + gone_) return position + shift_;
    return position + (row[-1].raw_end - row[-1].end);
}

u64 Rewrites::raw_end(u64 position) const { return is_inside(position) ? after(position)->raw_end : raw(position); }

u64 Rewrites::position_of(u64 raw) const {
    const Row* const row =
        rows_.begin() + first_from(rows_, gone_, &last_, [raw](const Row& each) { return each.raw_end < raw; });
    if (row != rows_.end() && row->raw_begin < raw) {
        u64 growth = 0;
        for (u64 rest = row->starts; rest != 0; rest &= rest - 1) {
            const u64 offset = static_cast<u64>(std::countr_zero(rest));
            if (raw <= row->raw_begin + offset - growth) break;
            if (raw <= row->raw_begin + offset - growth + row->raw_length) return row->begin + offset + row->length;
            growth += u64{row->length} - row->raw_length;
        }
        return row->begin + (raw - row->raw_begin) + growth;
    }
    if (row == rows_.begin() + gone_) return raw - shift_;
    return raw - (row[-1].raw_end - row[-1].end);
}

}  // namespace crayon

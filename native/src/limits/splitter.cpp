#include "limits/splitter.h"

#include <algorithm>
#include <cstring>

#include "limits/clusters.h"

namespace crayon {

namespace {

// Separators that are tried for a part.
constexpr u32 kMostTries = 16;
// How much text that has been cut is kept before it is dropped.
constexpr size_t kDropped = 64 * 1024;

// The position midway between two others, in bytes.
size_t middle(const TextView& text, size_t begin, size_t end) { return text.boundary_from(end - (end - begin) / 2); }

}  // namespace

u32 Splitter::length_in(u32 unit, const u8* begin, const u8* end) {
    if (unit == CRAYON_UNIT_BYTES) return static_cast<u32>(end - begin);
    // Every byte that continues no character is a unit, and the first of four bytes is two.
    constexpr u64 kHigh = 0x8080808080808080, kOnes = 0x0101010101010101;
    const auto bytes = [&](u64 high_bits) { return static_cast<u32>((high_bits >> 7) * kOnes >> 56); };
    const size_t size = static_cast<size_t>(end - begin);
    u32 units = static_cast<u32>(size);
    for (size_t at = 0; at < size; at += sizeof(u64)) {
        u64 word = 0;
        std::memcpy(&word, begin + at, std::min(size - at, sizeof word));
        if ((word & kHigh) == 0) continue;
        units -= bytes(word & ~(word << 1) & kHigh);
        units += bytes(word & word << 1 & word << 2 & word << 3 & kHigh);
    }
    return units;
}

Status Splitter::begin(const crayon_part_form& form) {
    if (form.limit == 0 || form.overlap >= form.limit || form.unit > CRAYON_UNIT_UTF16) return {CRAYON_INVALID_ARGUMENT};
    if (Status status = separators_.set(form); !status.ok()) return status;
    limit_ = form.limit;
    overlap_ = form.overlap;
    unit_ = form.unit;
    text_.restart(0);
    separators_.restart();
    begin_ = end_ = 0;
    is_over_ = false;
    begin_units_ = end_units_ = {0, 0};
    pending_count_ = 0;
    windows_ = {};
    return {};
}

Status Splitter::feed_utf8(const u8* bytes, size_t length, bool last) {
    Status status = append();
    if (status.ok()) status = text_.feed_utf8(bytes, length, last);
    text_.make_ready(text_.raw());
    return status;
}

Status Splitter::feed_utf16(const Kernel& kernel, const u16* units, size_t length, bool last) {
    Status status = append();
    if (status.ok()) status = text_.feed_utf16(kernel, units, length, last);
    text_.make_ready(text_.raw());
    return status;
}

// Drops text that no part needs any more.
Status Splitter::append() {
    if (text_.is_last()) return {CRAYON_INVALID_ARGUMENT};
    const size_t needed = begin_ - std::min(begin_, separators_.look_back());
    if (needed < kDropped) return {};
    move(begin_units_, begin_);
    text_.set_encoded(needed);
    text_.drop_encoded();
    begin_ -= needed;
    end_ -= needed;
    begin_units_.at -= needed;
    end_units_.at -= needed;
    return {};
}

// The position in the unit of the result.
u32 Splitter::move(Units& units, size_t at) const {
    if (unit_ == CRAYON_UNIT_BYTES) return static_cast<u32>(text_.position(at));
    units.units += length_in(unit_, text_.bytes() + units.at, text_.bytes() + at);
    units.at = at;
    return units.units;
}

Status Splitter::read(Encoder& encoder, u32* numbers, u32 capacity, Encoder::Read* read) {
    *read = {0, false};
    for (;;) {
        while (pending_count_ > 0 && read->count < capacity) numbers[read->count++] = pending_[3 - pending_count_--];
        read->more = pending_count_ > 0 || read->count == capacity;
        if (read->more) return {};
        Part part;
        bool found = false;
        if (Status status = next(encoder, &part, &found); !status.ok()) {
            if (read->count == 0 || status.code == CRAYON_OUT_OF_MEMORY) return status;
            read->more = true;  // the parts before it first
            return {};
        }
        if (!found) return {};
        if (part.begin == end_ && end_units_.at == end_) begin_units_ = end_units_;
        pending_[0] = move(begin_units_, part.begin);
        pending_[1] = move(end_units_, part.end);
        pending_[2] = part.tokens;
        pending_count_ = 3;
        end_ = part.end;
        is_over_ = part.begin == part.end;
        begin_ = end_;
        if (overlap_ == 0 || is_over_ || (text_.is_last() && end_ == text_.ready())) continue;
        if (Status status = repeat(encoder, part); !status.ok()) return status;
    }
}

Status Splitter::next(Encoder& encoder, Part* part, bool* found) {
    while (!is_over_) {
        if (text_.is_last() && end_ == text_.ready()) return {};
        bool more;
        if (Status status = cutter_.cut_end(encoder, text(), begin_, limit_, &windows_, part, &more); !status.ok() || more)
            return status;
        windows_ = {};
        if (separators_.any() && part->end > end_ && part->end < text_.ready()) {
            if (Status status = choose(encoder, part); !status.ok()) return status;
        }
        *found = part->end > end_ || begin_ == end_;
        if (*found) return {};
        begin_ = end_;  // with the overlap, nothing more fits
    }
    return {};
}

// Moves the end of the part, which is as long as the rule allows, to a separator; to its beginning if it would end with the
// last part.
Status Splitter::choose(Encoder& encoder, Part* part) {
    const size_t longest_end = part->end, begin = part->begin;
    const u64 origin = text_.origin();
    const TextView view = window();
    if (!separators_.read(view, origin, begin, text_.is_last() && view.size == text_.ready())) return Status::out_of_memory();
    bool fits = false;
    if (const MarkdownCuts::Range* const around = separators_.block_around(origin + longest_end)) {
        const MarkdownCuts::Range block = *around;
        for (const u64 lead : {block.lead, block.begin}) {
            if (lead < origin + end_ || lead <= origin + begin) continue;
            const size_t at = static_cast<size_t>(lead - origin), end = static_cast<size_t>(block.end - origin);
            u32 tokens;
            if (Status status = cutter_.count(encoder, text(), at, end, limit_, &tokens, &fits); !status.ok()) return status;
            if (!fits) continue;
            if (at == end_) {
                part->end = begin;  // the block begins the next part
                return {};
            }
            if (Status status = attempt(encoder, at, part, &fits); !status.ok() || fits) return status;
        }
    }
    const Range range = {middle(view, std::max(begin, end_), longest_end), longest_end, longest_end, false};
    Ranked best = {0, longest_end + 1};
    for (u32 tries = 0; tries < kMostTries && find_next(range, &best); ++tries) {
        if (Status status = attempt(encoder, best.at, part, &fits); !status.ok() || fits) return status;
    }
    return {};
}

// Ends the part at a position if it then fits.
Status Splitter::attempt(Encoder& encoder, size_t end, Part* part, bool* fits) {
    u32 tokens;
    const Status status = cutter_.count(encoder, text(), part->begin, end, limit_, &tokens, fits);
    if (status.ok() && *fits) *part = {part->begin, end, tokens};
    return status;
}

// Chooses where the next part begins.
Status Splitter::repeat(Encoder& encoder, const Part& part) {
    const u32 apart = std::min(part.tokens, limit_ - overlap_);
    const u32 max_tokens = std::min(overlap_, std::max(part.tokens / 2, part.tokens - apart));
    if (max_tokens == 0) return {};
    Part tail;
    const Status status = cutter_.cut_last(encoder, text(), part, max_tokens, &tail);
    // Text that cannot be encoded alone is not repeated.
    if (!status.ok()) return status.code == CRAYON_OUT_OF_MEMORY ? status : Status{};
    if (tail.begin > part.begin) begin_ = tail.begin;
    if (!separators_.any()) return {};
    const Range range = {begin_, middle(window(), begin_, part.end), part.end, true};
    Ranked best = {0, 0};
    bool fits = false;
    for (u32 tries = 0; tries < kMostTries && !fits && find_next(range, &best); ++tries) {
        u32 tokens;
        if (Status counted = cutter_.count(encoder, text(), best.at, part.end, max_tokens, &tokens, &fits); !counted.ok())
            return counted;
        if (fits) begin_ = best.at;
    }
    return {};
}

// Finds the best separator of a range that is worse than `best`: a position between two of the tokens read. Between tokens may
// be text that belongs to none. False if there is none.
bool Splitter::find_next(const Range& range, Ranked* best) {
    separators_.set_end(text_.position(range.end));
    const TextView view = window();
    const Ranked last = *best;
    *best = {Separators::kNone, 0};
    const u32 count = cutter_.token_count();
    for (u32 n = 0; n <= count; ++n) {
        const u32 i = range.is_first ? n : count - n;  // the gap before token i
        const size_t gap_begin = std::max(range.from, i > 0 ? cutter_.token_end(i - 1) : range.from);
        const size_t gap_end = std::min(range.to, i < count ? cutter_.token_begin(i) : cutter_.token_end(count - 1));
        if (range.is_first ? gap_begin > range.to : gap_end < range.from) break;
        for (size_t m = 0; gap_begin + m <= gap_end; ++m) {
            const size_t at = range.is_first ? gap_begin + m : gap_end - m;
            if (!view.is_boundary(at)) continue;
            const u32 rank = separators_.rank(view, text_.origin(), at, best->rank);
            const bool is_worse = rank > last.rank || (rank == last.rank && (range.is_first ? at > last.at : at < last.at));
            if (rank != Separators::kNone && is_worse) *best = {rank, at};
        }
    }
    return best->rank != Separators::kNone;
}

}  // namespace crayon

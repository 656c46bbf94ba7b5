#include "encoder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace crayon {

Status Encoder::begin(u32 special, const u32* allowed, u32 allowed_count) {
    if (special > CRAYON_SPECIAL_LISTED) return {CRAYON_INVALID_ARGUMENT};
    if (special != special_ || special == CRAYON_SPECIAL_LISTED) {
        const std::span<const u32> listed(allowed, special == CRAYON_SPECIAL_LISTED ? allowed_count : 0);
        if (Status status = choose_added_tokens(special, listed); !status.ok()) return status;
    }
    start_text();
    return {};
}

void Encoder::start_text() {
    restart(0);
    text_chains_.end_text();
}

void Encoder::restart(u64 origin) {
    size_ = consumed_ = 0;
    offset_ = origin;
    unready_ = stretch_searched_ = 0;
    is_apart_ = false;
    opens_segment_ = true;
    rewrites_.restart();
    marks_.clear();
    mark_ = 0;
    settled_ = origin;
    unsettled_ = 0;
    raw_offsets_.restart();
    early_.restart();
    late_.restart();
    last_ = false;
    well_formed_ = true;
    stop_ = kNowhere;
    utf16_.restart();
    is_sealed_ = false;
    boundary_ = boundary_count_ = 0;
    overflowing_ = stuck_ = false;
    reading_ = Reading::kNothing;
    passer_ = nullptr;
    offsets_.restart();
    open_segment(0);
}

void Encoder::resume(u64 origin) {
    restart(origin);
    opens_segment_ = origin == 0;
}

// Begins a segment, whose end is not known yet.
void Encoder::open_segment(size_t begin) {
    scan_.restart(begin);
    segment_end_ = begin;
    segment_last_ = false;
    token_ = nullptr;
    forbidden_ = false;
}

void Encoder::drop_consumed() {
    if (consumed_ == 0 || boundary_ != boundary_count_ || overflowing_) return;
    scan_.skip_to(consumed_);
    std::memmove(text_.data(), text_.data() + consumed_, size_ + unready_ - consumed_);
    size_ -= consumed_;
    offset_ += consumed_;
    scan_.rebase(consumed_);
    offsets_.rebase(consumed_);
    segment_end_ -= consumed_;
    consumed_ = 0;
    if (!rewrites()) return;
    const u64 raw = rewrites_.raw(settled_);
    early_.words.drop_before(raw);
    late_.words.drop_before(tokenizer_.nfc() ? settled_ : raw);
    rewrites_.drop_before(settled_);
}

// Makes space for `more` bytes and the padding.
Status Encoder::open_window(size_t more) {
    if (last_) return {CRAYON_INVALID_ARGUMENT};
    reseal_ = is_sealed_;
    unseal();
    drop_consumed();
    if (more > kMaxText || size_ + unready_ + more > kMaxText) return {CRAYON_TEXT_TOO_LONG};
    const size_t needed = size_ + unready_ + more + kScanPadding;
    if (needed > text_.capacity() && !text_.reserve(std::max(needed, 2 * text_.capacity())))
        return Status::out_of_memory();
    return {};
}

Status Encoder::close_window(bool last) {
    std::memset(text_.data() + size_ + unready_, 0, kScanPadding);
    last_ = last;
    if (rewrites()) {
        if (Status status = normalize(); !status.ok()) return status;
    } else {
        size_ += unready_;
        unready_ = 0;
    }
    if (reseal_) seal();
    return {};
}

Status Encoder::feed_utf8(const u8* bytes, size_t length, bool last) {
    if (Status status = open_window(length); !status.ok()) return status;
    if (length) std::memcpy(text_.data() + size_ + unready_, bytes, length);
    unready_ += length;
    well_formed_ = false;
    return close_window(last);
}

Status Encoder::feed_utf16(const u16* units, size_t length, bool last) {
    if (length > kMaxText / 3) return {CRAYON_TEXT_TOO_LONG};
    if (Status status = open_window(Utf16Windows::room_for(length)); !status.ok()) return status;
    unready_ += utf16_.convert(tokenizer_.kernel(), units, length, last, text_.data() + size_ + unready_);
    return close_window(last);
}

// While a segment is scanned to its end, it is followed by zeros, like a text.
void Encoder::seal() {
    std::memcpy(sealed_, text_.data() + segment_end_, kScanPadding);
    std::memset(text_.data() + segment_end_, 0, kScanPadding);
    is_sealed_ = true;
}

void Encoder::unseal() {
    if (is_sealed_) std::memcpy(text_.data() + segment_end_, sealed_, kScanPadding);
    is_sealed_ = false;
}

// The next added token from the end of the segment on.
Status Encoder::next_added(AddedSearch::Found* hit) {
    if (!rewrites()) {
        *hit = early_.search.find({text_.data(), offset_, segment_end_, size_, last_});
        return {};
    }
    const bool is_marked = mark_ < marks_.size();
    const size_t end = is_marked ? static_cast<size_t>(marks_[mark_].place - offset_) : size_;
    *hit = {end, nullptr};
    if (late_.is_used && tokenizer_.nfc()) {
        if (Status status = find_late(end, is_marked || last_, hit); !status.ok()) return status;
    }
    if (hit->token || !is_marked) return {};
    if (tokenizer_.nfc()) late_.words.end_piece();
    hit->token = marks_[mark_++].token;
    if (mark_ == marks_.size()) {
        marks_.clear();
        mark_ = 0;
    }
    return {};
}

// Moves the end of the segment forward as far as the text allows; `found` if there is more of it to scan than before.
Status Encoder::next_segment(bool* found) {
    *found = false;
    if (forbidden_) {
        const u64 place = offset_ + segment_end_;
        return {CRAYON_SPECIAL_FORBIDDEN, 0, rewrites() ? rewrites_.raw(place) : place};
    }
    if (segment_last_ || (segment_end_ == size_ && !last_)) return {};
    const size_t before = segment_end_;
    if (!split_) {
        segment_end_ = size_;
        segment_last_ = last_;
    } else {
        AddedSearch::Found hit;
        if (Status status = next_added(&hit); !status.ok()) return status;
        // The text before a forbidden token is encoded first, so that its ids do not depend on where the windows end.
        forbidden_ = hit.token && special_ == CRAYON_SPECIAL_FORBID && (hit.token->flags & layout::kSpecial);
        segment_end_ = hit.position;
        token_ = forbidden_ ? nullptr : hit.token;
        segment_last_ = hit.token || last_;
        if (hit.token) seal();
    }
    *found = segment_end_ > before || segment_last_;
    return {};
}

Status Encoder::pass(Passed* passed) {
    bool found;
    if (Status status = next_segment(&found); !status.ok()) return status;
    *passed = {offset_ + consumed_, offset_ + segment_end_, segment_last_ ? token_ : nullptr, segment_last_,
               segment_last_ && !token_ && !forbidden_};
    consumed_ = segment_end_;
    if (passed->token) {
        unseal();
        consumed_ += token_->length;
        open_segment(consumed_);
    }
    if (rewrites()) settle(0);
    return {};
}

bool Encoder::encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
    if (tokenizer_.model_kind() == layout::kBpe) {
        PieceEncoder<Bpe> encoder(tokenizer_.bpe(), pieces, scratch_);
        return ids ? encoder.encode<false>(ids, capacity, progress) : encoder.encode<true>(ids, capacity, progress);
    }
    PieceEncoder<LongestMatch> encoder(tokenizer_.longest_match(), pieces, scratch_);
    return ids ? encoder.encode<false>(ids, capacity, progress) : encoder.encode<true>(ids, capacity, progress);
}

// Replaces the reserved ids of unknown characters by the vocabulary's unknown id.
void Encoder::replace_unknown(u32* ids, u32 count) const {
    if (tokenizer_.model_kind() == layout::kBpe || !tokenizer_.longest_match().has_unknown_characters()) return;
    const u32 unknown_id = tokenizer_.unknown_id();
    for (u32 i = 0; i < count; ++i) ids[i] = ids[i] >= layout::kFirstReservedId ? unknown_id : ids[i];
}

// Without `ids` they are only counted.
Status Encoder::run(u32* ids, u32 capacity, Read* read) {
    u32 written = 0;
    *read = {0, false};
    for (;;) {
        if (written >= capacity) {
            read->more = true;
            break;
        }
        if (overflowing_) {
            const u32 left = static_cast<u32>(scratch_.ids.size()) - overflow_at_, room = capacity - written;
            const u32 taken = left < room ? left : room;
            if (ids) std::memcpy(ids + written, scratch_.ids.data() + overflow_at_, taken * sizeof(u32));
            written += taken;
            overflow_at_ += taken;
            overflowing_ = overflow_at_ < scratch_.ids.size();
            if (rewrites()) settle(taken);
            continue;
        }
        if (stuck_) return {CRAYON_UNKNOWN_CHARACTER, 0, offset_ + consumed_};
        if (position() >= stop_ && unsettled_ == 0) break;
        if (boundary_ < boundary_count_) {
            const bool is_uncut = tokenizer_.ends_at_tokens();
            const u32* const begin = boundaries_ + boundary_;
            u32 count = boundary_count_ - boundary_;
            if (const u64 end = stop_place(); offset_ + begin[count - 1] >= end) {
                const u32 stop = static_cast<u32>(std::max(end, offset_) - offset_);
                count = static_cast<u32>(std::lower_bound(begin, begin + count, stop) - begin) + 1;
            }
            // Those that end inside of a rewritten stretch are encoded one by one: ids are counted from the last other one.
            if (!rewrites_.empty()) count = std::max(rewrites_.first_inside(offset_, begin, count), 1u);
            if (words_) count = up_to_stop(begin, count);
            const PieceSequence pieces{text_.data(), static_cast<u32>(consumed_), begin, count,
                                       is_uncut ? static_cast<u32>(segment_end_) : 0};
            PieceProgress done;
            if (!encode(pieces, ids ? ids + written : nullptr, capacity - written, &done)) {
                return Status::out_of_memory();
            }
            written += done.ids;
            boundary_ += done.pieces;
            consumed_ = done.end;
            stuck_ = done.stuck;
            overflow_at_ = 0;
            overflowing_ = done.overflowed;
            if (rewrites()) settle(done.ids);
            continue;
        }
        boundary_ = boundary_count_ = 0;
        if (scan_.start < segment_end_) {
            boundary_count_ =
                tokenizer_.scan()(scan_, text_.data(), segment_end_, segment_last_, boundaries_, kBoundaries);
        }
        if (boundary_count_) continue;
        if (segment_last_ && token_) {
            unseal();
            if (ids) ids[written] = token_->id;
            ++written;
            consumed_ = segment_end_ + token_->length;
            open_segment(consumed_);
            if (words_) {  // what follows says whether the token ends at a stop
                bool found;
                if (Status status = next_segment(&found); !status.ok()) return status;
            }
            if (rewrites()) settle(1);
            continue;
        }
        bool found;
        if (Status status = next_segment(&found); !status.ok()) return status;
        if (!found) break;
    }
    read->count = written;
    return {};
}

Status Encoder::read_marked(u32* ids, u32 capacity, Read* read) {
    reading_ = Reading::kIds;
    return run(ids, capacity, read);
}

Status Encoder::read(u32* ids, u32 capacity, Read* read) {
    const Status status = read_marked(ids, capacity, read);
    if (status.ok()) replace_unknown(ids, read->count);
    return status;
}

Status Encoder::read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read) {
    constexpr Reading kReadings[] = {Reading::kBytes, Reading::kUtf16, Reading::kPieces};
    *read = {0, false};
    if (unit >= std::size(kReadings) || (reading_ != Reading::kNothing && reading_ != kReadings[unit])) {
        return {CRAYON_INVALID_ARGUMENT};
    }
    reading_ = kReadings[unit];
    if (unit == CRAYON_UNIT_PIECES) return read_pieces(ids, offsets, capacity, read);
    Status status = run(ids, capacity, read);
    if (!status.ok()) return status;
    const TokenOffsets::Text text = {text_.data(), size_, consumed_, well_formed_};
    const bool was_sealed = is_sealed_;
    unseal();  // a character may continue into the token that ends the segment
    status = rewrites_.any() ? locate_raw(unit, ids, read->count, offsets)
                             : offsets_.locate(tokenizer_, text, unit, ids, read->count, offsets);
    if (was_sealed) seal();
    if (status.ok()) replace_unknown(ids, read->count);
    return status;
}

Status Encoder::count(u32 limit, Read* read) {
    reading_ = Reading::kIds;
    return run(nullptr, limit, read);
}

}  // namespace crayon

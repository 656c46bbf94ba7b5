#include "encoder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace crayon {

// Whether a token includes the whitespace around it. (The text ends at a forbidden one.)
bool Encoder::includes_spaces(const layout::AddedToken& token, u32 special) {
    if (special == CRAYON_SPECIAL_FORBID && (token.flags & layout::kSpecial)) return false;
    return (token.flags & (layout::kLstrip | layout::kRstrip)) != 0;
}

Status Encoder::create(Tokenizer& tokenizer, Encoder** out) {
    if (tokenizer.model_kind() == layout::kDnaModel) return {CRAYON_INVALID_ARGUMENT};
    Encoder* encoder = new (std::nothrow) Encoder(tokenizer);
    if (!encoder) return Status::out_of_memory();
    tokenizer.retain();
    encoder->scan_.joints = &tokenizer.joints();
    encoder->scan_.patterns = &tokenizer.patterns();
    encoder->early_.words.set_characters(tokenizer.view().words);
    encoder->late_.words.set_characters(tokenizer.view().words);
    Status status = encoder->begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0);
    if (status.ok()) {
        *out = encoder;
    } else {
        delete encoder;
    }
    return status;
}

Encoder::~Encoder() { tokenizer_.release(); }

Status Encoder::begin(u32 special, const u32* allowed, u32 allowed_count) {
    if (special > CRAYON_SPECIAL_LISTED) return {CRAYON_INVALID_ARGUMENT};
    if (special != special_ || special == CRAYON_SPECIAL_LISTED) {
        const std::span<const u32> listed(allowed, special == CRAYON_SPECIAL_LISTED ? allowed_count : 0);
        if (Status status = choose_added_tokens(special, listed); !status.ok()) return status;
    }
    start_text();
    return {};
}

Status Encoder::begin_masked(std::span<const u32> control, std::span<const u32> ranges) {
    Status status = choose_added_tokens(kMasked, control);
    if (status.ok()) status = set_ranges(ranges);
    if (status.ok()) start_text();
    return status;
}

// Ranges that touch become one: a token may be in both.
Status Encoder::set_ranges(std::span<const u32> ranges) {
    ranges_.clear();
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
        const u32 begin = ranges[i], end = ranges[i + 1];
        if (begin > end || (i > 0 && begin < ranges[i - 1])) {
            special_ = CRAYON_SPECIAL_LISTED;
            return {CRAYON_INVALID_ARGUMENT, 0, i / 2};
        }
        if (i > 0 && begin == ranges_.back()) {
            ranges_.back() = end;
        } else if (!ranges_.push_back(begin) || !ranges_.push_back(end)) {
            special_ = CRAYON_SPECIAL_LISTED;
            return Status::out_of_memory();
        }
    }
    return {};
}

bool Encoder::allows_raw(const void* encoder, u64 begin, u64 end) {
    const Buffer<u32>& ranges = static_cast<const Encoder*>(encoder)->ranges_;
    // The first limit above `begin` is the end of the range that it is in, or the beginning of the next one.
    const size_t limit = static_cast<size_t>(std::upper_bound(ranges.begin(), ranges.end(), begin) - ranges.begin());
    return limit % 2 == 1 && end <= ranges[limit];
}

// Places after the normalizer: what is within a rewritten stretch is of all its text.
bool Encoder::allows_late(const void* encoder, u64 begin, u64 end) {
    const Rewrites& rewrites = static_cast<const Encoder*>(encoder)->rewrites_;
    return allows_raw(encoder, rewrites.raw(begin), rewrites.raw_end(end));
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

// `listed`: ids of special tokens that are found, or of others that are found like them.
Status Encoder::choose_added_tokens(u32 special, std::span<const u32> listed) {
    const std::span<const layout::AddedToken> rows = tokenizer_.view().added;
    if (!uses_.resize(rows.size())) return Status::out_of_memory();
    special_ = CRAYON_SPECIAL_LISTED;  // until everything has succeeded
    text_chains_.restart();
    const bool finds_special = special == CRAYON_SPECIAL_ALLOW || special == CRAYON_SPECIAL_FORBID;
    const AddedUse listed_use = special == kMasked ? AddedUse::kControl : AddedUse::kAlways;
    const AddedUse special_use = finds_special || special == kMasked ? listed_use : AddedUse::kNever;
    for (size_t i = 0; i < rows.size(); ++i) {
        uses_[i] = rows[i].flags & layout::kSpecial ? special_use : AddedUse::kAlways;
    }
    for (size_t k = 0; k < listed.size(); ++k) {
        const std::span<const layout::AddedToken> known = tokenizer_.added_tokens(listed[k]);
        if (known.empty()) return {CRAYON_UNKNOWN_SPECIAL, 0, k};
        for (const layout::AddedToken& token : known) uses_[static_cast<size_t>(&token - rows.data())] = listed_use;
    }
    split_ = strips_ = words_ = false;
    bool has_late = false, has_early = false;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (uses_[i] == AddedUse::kNever) continue;
        split_ = true;
        strips_ = strips_ || includes_spaces(rows[i], special);
        words_ = words_ || (rows[i].flags & layout::kSingleWord);
        (rows[i].flags & layout::kNormalized ? has_late : has_early) = true;
    }
    has_stages_ = has_late && has_early;
    Status status = set_stages(has_early, has_late);
    if (status.ok()) special_ = special;
    return status;
}

AddedSearch::Found Encoder::find_added(const u8* text, size_t from, size_t size, bool last, bool is_new) {
    if (!split_) return {size, nullptr};
    if (is_new) {
        other_early_.restart();
        other_late_.restart();
    }
    if (is_new || other_found_.position < from || !(other_found_.token || last)) {
        other_found_ = other_early_.find({text, 0, from, size, last});
    }
    if (!has_stages_) return other_found_;
    return find_other_late(text, from, last);
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

template <bool kCountOnly>
bool Encoder::encode_pieces(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
    if (tokenizer_.model_kind() == layout::kBpe) {
        PieceEncoder<Bpe> encoder(tokenizer_.bpe(), pieces, scratch_);
        return encoder.encode<kCountOnly>(ids, capacity, progress);
    }
    PieceEncoder<LongestMatch> encoder(tokenizer_.longest_match(), pieces, scratch_);
    return encoder.encode<kCountOnly>(ids, capacity, progress);
}

bool Encoder::encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
    return encode_pieces<false>(pieces, ids, capacity, progress);
}

// Replaces the reserved ids of unknown characters by the vocabulary's unknown id.
void Encoder::replace_unknown(u32* ids, u32 count) const {
    if (tokenizer_.model_kind() == layout::kBpe || !tokenizer_.longest_match().has_unknown_characters()) return;
    const u32 unknown_id = tokenizer_.unknown_id();
    for (u32 i = 0; i < count; ++i) ids[i] = ids[i] >= layout::kFirstReservedId ? unknown_id : ids[i];
}

template <bool kCountOnly>
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
            if constexpr (!kCountOnly)
                std::memcpy(ids + written, scratch_.ids.data() + overflow_at_, taken * sizeof(u32));
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
            if (!encode_pieces<kCountOnly>(pieces, ids + (kCountOnly ? 0 : written), capacity - written, &done)) {
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
            if constexpr (!kCountOnly) ids[written] = token_->id;
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
    return run<false>(ids, capacity, read);
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
    Status status = run<false>(ids, capacity, read);
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

// Reads one piece or added token after the other, and gives all of its ids its own start and end.
Status Encoder::read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read) {
    while (!read->more) {
        if (!overflowing_) piece_ = position();  // otherwise the next ids are of the piece that did not fit
        stop_at(piece_ + 1);
        Read piece;
        if (Status status = run<false>(ids + read->count, capacity - read->count, &piece); !status.ok()) return status;
        if (piece.count == 0 && !piece.more) break;
        if (position() > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
        const u32 both[2] = {static_cast<u32>(piece_), static_cast<u32>(position())};
        for (u32 i = read->count; i < read->count + piece.count; ++i) std::memcpy(offsets + 2 * i, both, sizeof both);
        read->count += piece.count;
        read->more = piece.more;
    }
    stop_at(kNowhere);
    replace_unknown(ids, read->count);
    return {};
}

Status Encoder::count(u32 limit, Read* read) {
    reading_ = Reading::kIds;
    return run<true>(nullptr, limit, read);
}

}  // namespace crayon

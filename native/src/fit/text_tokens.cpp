// Reads a text. text_encoding.cpp encodes it; text_parts.cpp finds where parts begin and end.
#include "fit/text_tokens.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "fit/fit_cache.h"
#include "fit/text_numbers.h"

namespace crayon {

namespace {

// How many bytes the scan gets at a time, and more in long parts with little overlap: the larger the step, the more of each
// part's end is scanned again.
constexpr u32 kStep = 128;
constexpr u32 kLongestStep = 4096;
// Bytes read at a time: the minimum; the most read ahead, depending on how often parts have continued others; the minimum
// with added tokens, where each search has a cost; and the maximum.
constexpr u32 kLeastRead = 64;
constexpr u32 kLeastAhead = 512, kMostAhead = 2048;
constexpr u32 kLeastReadOpen = 264;
constexpr u32 kMostRead = 16 * 1024;
// Text before the part is dropped once there is this much of it.
constexpr u32 kLeastDropped = 4096;
// Likewise, tokens that end within this many bytes (at most) before the end of an open piece may not be final.
constexpr u32 kMarginBytes = 512;
// Reading gives up after this many undecided bytes, plus this many per token.
constexpr u32 kLeastWaiting = 512, kWaitingPerToken = 16;
// The unit of bytes per token: 1/16.
constexpr u32 kRateOfOne = 16;
// Larger buffers are not kept for the next text.
constexpr size_t kMostKept = 1 << 20;

void drop_before(Buffer<u32>& values, u32 from, u32 removed) {
    const u32 count = static_cast<u32>(values.size()) - from;
    for (u32 i = 0; i < count; ++i) values[i] = values[from + i] - removed;
    values.truncate(count);
}

}  // namespace

TextTokens::TextTokens(FitCache& cache) : cache_(cache), encoder_(cache.encoder()), has_pieces_(!tokenizer().ends_at_tokens()) {}
TextTokens::~TextTokens() = default;

const Tokenizer& TextTokens::tokenizer() const { return encoder_.tokenizer(); }
u32 TextTokens::longest_token() const { return tokenizer().max_token_length(); }
u32 TextTokens::margin() const {
    return tokenizer().model_kind() == layout::kLongestMatch ? tokenizer().longest_token()
                                                             : smaller(longest_token(), kMarginBytes);
}

// The end of the known tokens.
u32 TextTokens::settled() const {
    if (count() == 0) return part_begin_;
    return ids_end_ == ends_.size() ? ids_offset_ : ends_[ends_.size() - 1];
}

// Whether no tokens follow the known ones.
bool TextTokens::is_over() const {
    if (is_stuck_ || (failed_ && status_.code == CRAYON_OUT_OF_MEMORY)) return true;
    return (complete_ || failed_) && (has_pieces() || settled() == size_);
}

bool TextTokens::fail(const Status& status) {
    status_ = status;
    failed_ = true;
    return false;
}

void TextTokens::end_text() {
    is_here_ = false;
    rate_ = kFirstRate;
    if (text_.capacity() + sizeof(u32) * ends_.capacity() < kMostKept) return;
    FitCache& cache = cache_;
    std::destroy_at(this);
    std::construct_at(this, cache);
}

void TextTokens::restart() {
    is_here_ = false;
    restart_at(0);
}

void TextTokens::restart_at(u32 start) {
    if (cache_.passer() == this) cache_.forget_passer();
    fed_ = start;
    origin_ = start;
    rewrites_.restart();
    words_at_ = {};
    no_words_[0] = no_words_[1] = {0, 0};
    ready_ = size_ = part_begin_ = token_ = piece_ = joined_ = joined_seen_ = tried_ = open_begin_ = open_end_ = inside_end_ = 0;
    complete_ = failed_ = is_stuck_ = needs_text_ = is_waiting_ = is_inside_ = is_open_ = false;
    run_ = 0;
    ahead_ = kLeastRead;
    advance_ = 4 * kLongestStep;
    scan_.restart(0);
    scan_.joined_bytes = &tokenizer().joined_bytes();
    scan_.patterns = &tokenizer().patterns();
    pieces_.clear();
    added_.clear();
    ends_.clear();
    ids_begin_ = ids_end_ = 0;
    checkpoints_.clear();
}

Status TextTokens::know(u32 wanted, bool waits) {
    const u32 most_ahead = wanted < kMostAhead / 8 ? 8 * wanted : kMostAhead;
    ahead_ = smaller(ahead_, larger(most_ahead, kLeastAhead));
    step_ = std::clamp(smaller(wanted, advance_) / 4 & ~63u, kStep, kLongestStep);
    needs_text_ = is_waiting_ = false;
    bool is_new = false;
    for (u32 least = ahead_;;) {
        if (count() >= wanted || is_over()) {
            if (!is_inside_ || is_one_piece_for(wanted)) break;
            restart_at(raw(part_begin_));
            continue;
        }
        is_new = true;
        drop_front();
        const u32 known = settled();
        if (!(has_pieces() ? extend(wanted - count(), least) : match_on(wanted)) && !failed_) {
            if (needs_text_) return {};
            restart_at(raw(part_begin_));
        }
        least = kLeastRead;
        const u64 most = u64{kLeastWaiting} + kWaitingPerToken * u64{wanted} + 2 * tokenizer().longest_token();
        is_waiting_ = waits && settled() == known && fed_ - raw(known) > most && fed_ < source_.length;
        if (is_waiting_) return {};
    }
    if (is_new) rate_ = static_cast<u32>(u64{settled() - part_begin_} * kRateOfOne / larger(count(), 1u));
    if (count() >= wanted) return {};
    if (is_stuck_) return {CRAYON_UNKNOWN_CHARACTER, 0, raw(settled())};
    return failed_ ? status_ : Status{};
}

u32 TextTokens::next_stretch(u32 wanted, u32 least) const {
    const u32 known = count();
    const u64 expected = known > 0 ? u64{wanted} * (settled() - part_begin_) / known : u64{wanted} * rate_ / kRateOfOne;
    const u64 open = is_open_ ? std::max<u64>(u64{kLeastOpen} + kMarginTokens + wanted, kLeastReadOpen) : 0;
    const u64 behind = has_pieces() ? kUndecided : tokenizer().longest_token();
    return static_cast<u32>(std::min<u64>(std::max({expected + behind, open, u64{least}, u64{tried_}}), kMostRead));
}

// Reads on and encodes the pieces that are now decided.
bool TextTokens::extend(u32 wanted, u32 least) {
    const bool is_plain = encoder_.passes_all();
    if (!is_plain && !open_source()) return false;
    const u32 left = source_.length - fed_;
    needs_text_ = left == 0 && !source_.last;
    if (needs_text_) return false;
    const u32 read = smaller(next_stretch(wanted, least), left), known = count();
    const u8* const more = source_.bytes + fed_;
    const bool last = source_.last && read == left;
    cache_.work() += read + size_ - settled();
    fed_ += read;
    if (is_plain) {
        if (!append(more, read) || !take_text(ready_, last)) return no_memory();
        complete_ = last;
    } else {
        if (const Status status = encoder_.feed_utf8(more, read, last); !status.ok()) return fail(status);
        if (!take_ready()) return no_memory();
        for (Encoder::Passed passed{}; !passed.last;) {
            if (const Status status = encoder_.pass(&passed); !status.ok()) return fail(status);
            const u32 end = static_cast<u32>(passed.end + shift_ - origin_);
            if (!take_text(end, passed.closed)) return false;
            if (is_stuck_) return true;
            if (passed.token && !take_added(end + passed.token->length)) return no_memory();
            complete_ = passed.last;
            if (!passed.closed) break;
        }
    }
    return complete_ || is_stuck_ || !has_pieces() || encode_open(known + wanted);
}

// When reading continues, other texts of the encoder have interrupted it.
bool TextTokens::open_source() {
    if (cache_.passer() == this) return true;
    const u32 offset = source_offset(size_);
    // Text before a word matters, and so does an added token before text that may get a space.
    if (size_ > 0 && (depends_on_edges() || is_in_word(offset, false))) return false;
    fed_ = raw(offset);
    shift_ = origin_ + offset - fed_;
    cache_.restart(fed_, this);
    return true;
}

// Takes the text that has become ready.
bool TextTokens::take_ready() {
    const u64 from = origin_ + ready_ - shift_, end = encoder_.ready_end();
    // A normalizer may leave an empty text, but the zeros after it are read all the same.
    if (end <= from) return !text_.empty() || append(nullptr, 0);
    return append(encoder_.ready(from), static_cast<u32>(end - from)) && take_rewrites(from);
}

bool TextTokens::append(const u8* bytes, u32 length) {
    if (!text_.resize(size_t{ready_} + length + kScanPadding)) return false;
    if (length > 0) std::memcpy(text_.data() + ready_, bytes, length);
    ready_ += length;
    std::memset(text_.data() + ready_, 0, kScanPadding);
    return true;
}

// Text in which no added token begins before `end`; `closed`: pieces do not continue past it.
bool TextTokens::take_text(u32 end, bool closed) {
    if (end < size_ || (end == size_ && !closed)) return true;
    if (!has_pieces()) {
        size_ = end;
        return true;
    }
    return scan_to(end, closed) ? encode_decided() : no_memory();
}

// An added token, up to `end`.
bool TextTokens::take_added(u32 end) {
    const u32 begin = size_;
    size_ = end;
    if (!added_.push_back({begin, end})) return false;
    if (!has_pieces()) return true;
    locate(token_);
    scan_.restart(end);
    is_open_ = false;
    tried_ = 0;
    return ends_.push_back(end) && pieces_.push_back(end) && checkpoints_.push_back({end, end});
}

// Drops the text before the part, which is not needed any more.
void TextTokens::drop_front() {
    if (part_begin_ < kLeastDropped || part_begin_ < size_ / 2) return;
    locate(token_);
    const u32 removed = part_begin_;
    std::memmove(text_.data(), text_.data() + removed, ready_ - removed + kScanPadding);
    origin_ += removed;
    rewrites_.drop_before(origin_);
    ready_ -= removed;
    size_ -= removed;
    drop_before(ends_, token_, removed);
    drop_before(pieces_, piece_, removed);
    u32 kept = 0;
    for (const Checkpoint& each : checkpoints_) {
        if (each.decided > removed) checkpoints_[kept++] = {each.seen - removed, each.decided - removed};
    }
    checkpoints_.truncate(kept);
    kept = 0;
    for (const Span& each : added_) {
        if (each.begin >= removed) added_[kept++] = {each.begin - removed, each.end - removed};
    }
    added_.truncate(kept);
    if (scan_.start < removed) scan_.restart(removed);
    scan_.rebase(removed);
    joined_ -= smaller(joined_, removed);
    joined_seen_ -= smaller(joined_seen_, removed);
    inside_end_ -= smaller(inside_end_, removed);
    open_begin_ -= smaller(open_begin_, removed);
    open_end_ -= smaller(open_end_, removed);
    run_begin_ -= smaller(run_begin_, removed);
    part_begin_ = token_ = piece_ = 0;
}

bool TextTokens::scan_to(u32 size, bool closed) {
    Seal seal(text_.data(), closed ? size : ready_);
    do {
        size_ = smaller(size_ + (is_open_ ? kLongestStep : step_), size);
        const bool last = closed && size_ == size;
        for (u32 found = ~0u; found > kMinBoundaries && scan_.start < size_;) {
            const size_t known = pieces_.size();
            if (!pieces_.resize(known + 2 * kMinBoundaries)) return false;
            found = tokenizer().scan()(scan_, text_.data(), size_, last, pieces_.data() + known, 2 * kMinBoundaries);
            pieces_.truncate(known + found);
        }
        if (!checkpoints_.push_back({size_, static_cast<u32>(scan_.start)})) return false;
    } while (size_ < size);
    return true;
}

// Encodes the scanned pieces, including the first one again if it was open.
bool TextTokens::encode_decided() {
    u32 begin = is_open_ ? larger(open_begin_, part_begin_) : settled();
    const u32 piece = after(pieces_, piece_, begin);
    if (piece == pieces_.size()) return true;
    if (is_open_) {
        ends_.truncate(token_after(begin));
        begin = settled();
    }
    tried_ = 0;
    is_open_ = false;
    const u32 size = static_cast<u32>(ends_.size()), count = static_cast<u32>(pieces_.size()) - piece;
    const bool encoded = encode_to(begin, pieces_.data() + piece, count, &ends_);
    is_stuck_ = !encoded && !failed_;
    if (ends_.size() > size) keep_ids(size, begin, encoded ? pieces_.back() : stuck_at_);
    return !failed_;
}

// The values appended to ends_ from an index on are the ids of the text from `begin` to `end`. Only one sequence of ids is
// kept in this form.
void TextTokens::keep_ids(u32 from, u32 begin, u32 end) {
    const u32 size = static_cast<u32>(ends_.size());
    if (ids_begin_ == ids_end_) ids_begin_ = ids_end_ = from;
    if (ids_end_ != from) {
        to_ends(ends_.data() + from, size - from, begin, end);
        return;
    }
    ids_end_ = size;
    ids_offset_ = end;
}

// Ensures that the values of ends_ from an index on are ends.
void TextTokens::locate(u32 from) {
    from = larger(from, ids_begin_);
    if (from >= ids_end_) return;
    const u32 least = ids_begin_ > token_ ? ends_[ids_begin_ - 1] : part_begin_;
    const int64_t begin = to_ends(ends_.data() + from, ids_end_ - from, least, ids_offset_);
    ids_offset_ = begin > least ? static_cast<u32>(begin) : least;
    ids_end_ = from;
    if (ids_end_ == ids_begin_) ids_begin_ = ids_end_ = 0;
}

// The first token of the part that ends after an offset.
u32 TextTokens::token_after(u32 offset) {
    while (ids_end_ > ids_begin_ && ids_offset_ > offset) locate(ids_end_ - smaller(16u, ids_end_ - ids_begin_));
    return after(ends_, larger(token_, ids_end_), offset);
}

}  // namespace crayon

// Finds where a part of a text begins and ends among its known tokens (text_tokens.h).
#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "fit/fit_cache.h"
#include "fit/text_numbers.h"
#include "fit/text_tokens.h"
#include "platform/prefetch.h"

namespace crayon {

namespace {

// Bytes scanned at a time to find a piece that ends where a known one does.
constexpr u32 kAlignStep = 128;
// The most pieces of a part compared for that. Some never meet: digits are grouped.
constexpr u32 kMostApart = 16;
// The most bytes read for that.
constexpr u32 kAlignMost = 16 * 1024;
// A piece at least this long is not encoded as a whole to find its first tokens,
constexpr u32 kAlignedFrom = 256;
// and one at least this long is not even scanned to its end if the part ends before it.
constexpr u32 kInsideFrom = 512;

// Replaces the values before index `at`; returns the index of the first new value, or kNowhere if memory is short.
u32 put_before(Buffer<u32>& values, u32 at, const u32* others, u32 count) {
    if (count > at) {
        const u32 more = count - at, size = static_cast<u32>(values.size());
        if (!values.resize(size_t{size} + more)) return kNowhere;
        std::memmove(values.data() + count, values.data() + at, (size - at) * sizeof(u32));
        at = count;
    }
    std::memcpy(values.data() + at - count, others, count * sizeof(u32));
    return at - count;
}

}  // namespace

// The first added token that ends after an offset.
u32 TextTokens::added_after(u32 offset) const {
    // Usually the last result, or the next one.
    const u32 count = static_cast<u32>(added_.size());
    for (u32 i = added_before_; i <= added_before_ + 1 && i <= count; ++i) {
        if ((i > 0 && added_[i - 1].end > offset) || (i < count && added_[i].end <= offset)) continue;
        return added_before_ = i;
    }
    const auto ends_later = [](u32 at, const Span& each) { return at < each.end; };
    return added_before_ = static_cast<u32>(std::upper_bound(added_.begin(), added_.end(), offset, ends_later) - added_.begin());
}

// The start of the next added token after an offset, or the end of the text searched for them.
u32 TextTokens::open_up_to(u32 offset) const {
    if (added_.empty()) return size_;
    const u32 next = added_after(offset);
    return next < added_.size() ? larger(added_[next].begin, offset) : size_;
}

// The end of the last added token up to an offset.
u32 TextTokens::closed_up_to(u32 offset) const {
    const u32 next = added_.empty() ? 0 : added_after(offset);
    return next > 0 ? added_[next - 1].end : 0;
}

bool TextTokens::is_in_added(u32 offset) const {
    if (added_.empty()) return false;
    const u32 next = added_after(offset);
    return next < added_.size() && added_[next].begin < offset;
}

// Whether this is the text with known tokens.
bool TextTokens::is_of(const Text& text) const {
    if (!is_here_ || text.bytes != source_.bytes || text.length < source_.length) return false;
    if (text.length == source_.length ? text.last != source_.last : source_.last) return false;
    return !(failed_ && status_.code == CRAYON_OUT_OF_MEMORY);
}

// Whether a part of that text begins within its known tokens, at `at`.
bool TextTokens::continues(u32 start, u32* at) const {
    u64 offset = start;
    if (rewrites_.any() && !find_raw(start, &offset)) return false;
    *at = static_cast<u32>(offset - origin_);
    return offset >= origin_ + part_begin_ && offset < origin_ + settled();
}

bool TextTokens::has_piece_at(const Text& text, u32 start) const {
    u32 at;
    if (!is_of(text) || !continues(start, &at)) return false;
    const u32 piece = after(pieces_, piece_, at);
    return piece > piece_ && pieces_[piece - 1] == at;
}

bool TextTokens::begin(const Text& text, u32 start, u32 wanted) {
    u32 at;
    const bool is_same = is_of(text), known = is_same && continues(start, &at);
    source_ = text;
    is_here_ = true;
    if (!known) {
        const Join joined = is_same && rewrites_.any() && splice(start) ? join(wanted, false, false) : kUnknown;
        if (joined == kUnknown) restart_at(start);
        return joined != kApart;
    }
    if (at == part_begin_) return true;  // the same part, maybe with more text
    const u32 token = token_, piece = piece_;
    advance_ = at - part_begin_;
    part_begin_ = at;
    ahead_ = smaller(ahead_, kAlignMost) * 2;
    token_ = token_after(at);
    const bool is_located = token_ > ids_end_;
    const bool is_aligned = token_ > token && (is_located ? ends_[token_ - 1] : ids_offset_) == at;
    ids_begin_ = ids_end_ = 0;  // they end before that
    piece_ = after(pieces_, piece_, at);
    if (at >= joined_) joined_ = joined_seen_ = 0;
    is_inside_ = false;
    const bool is_stop = has_pieces() ? piece_ > piece && pieces_[piece_ - 1] == at : is_aligned;
    const Join joined =
        is_in_added(at) || is_in_word(at, false) || !opens_alike(at) ? kUnknown : join(wanted, is_aligned, is_stop);
    if (joined == kUnknown) restart_at(start);
    return joined != kApart;
}

// The part begins within the known text, between two characters.
TextTokens::Join TextTokens::join(u32 wanted, bool is_aligned, bool is_stop) {
    if (is_stop) return is_aligned ? kJoined : kUnknown;
    if (!has_pieces()) return align_longest(wanted) ? kJoined : kUnknown;
    if (piece_ == pieces_.size()) {
        // Inside the open piece: for this part, the piece begins here.
        scan_.restart(part_begin_);
        pieces_.clear();
        checkpoints_.clear();
        piece_ = joined_ = joined_seen_ = 0;
        is_inside_ = true;
        inside_end_ = open_end_;
        return is_aligned || align(settled()) ? kJoined : kUnknown;
    }
    if (pieces_[piece_] - part_begin_ <= kInsideFrom || is_run_to_end()) return rejoin(is_aligned);
    is_inside_ = true;
    inside_end_ = pieces_[piece_];
    return is_aligned || align(inside_end_) ? kJoined : kUnknown;
}

// The part begins inside a piece: scans it until a piece ends where a known one does.
TextTokens::Join TextTokens::rejoin(bool is_aligned) {
    ScanState state;
    state.restart(part_begin_);
    state.joined_bytes = scan_.joined_bytes;
    state.patterns = scan_.patterns;
    scanned_.clear();
    u32 known = piece_, seen = part_begin_, count = 0;
    bool is_joined = is_run_to_end();
    if (is_joined) {
        if (!scanned_.push_back(seen = size_)) return kUnknown;
        count = 1;
    }
    while (!is_joined) {
        if (count > kMostApart) return kApart;
        const u32 open = open_up_to(part_begin_);
        const bool closed = open < size_ || complete_ || failed_;
        if (seen == open) {
            if (closed || size_ - part_begin_ > kAlignMost || !extend(0, ahead_)) return kUnknown;
            continue;
        }
        seen = smaller(seen + kAlignStep, open);
        const Seal seal(text_.data(), closed && seen == open ? seen : ready_);
        for (u32 found = ~0u; found > kMinBoundaries && !is_joined;) {
            if (!scanned_.resize(count + 2 * kMinBoundaries)) return kUnknown;
            found = tokenizer().scan()(state, text_.data(), seen, closed && seen == open, scanned_.data() + count,
                                       2 * kMinBoundaries);
            for (u32 i = 0; i < found && !is_joined; ++i) {
                const u32 end = scanned_[count++];
                while (known < pieces_.size() && pieces_[known] < end) ++known;
                is_joined = known < pieces_.size() && pieces_[known] == end;
            }
        }
    }
    cache_.work() += seen - part_begin_;
    joined_ = scanned_[count - 1];
    joined_seen_ = seen;
    if (count == 1 && known == piece_) {
        const u32 length = joined_ - part_begin_;
        if (is_aligned && (keeps_tokens(part_begin_, joined_) || end_of(token_) == joined_)) return kJoined;
        if (!is_aligned && length > larger(kAlignedFrom, longest_token()) && align(joined_)) return kJoined;
    }
    if (joined_ > settled()) return kUnknown;
    fresh_.clear();
    locate(token_);
    if (!encode_pieces(part_begin_, scanned_.data(), count, &fresh_)) return kUnknown;
    token_ = put_before(ends_, after(ends_, token_, joined_), fresh_.data(), static_cast<u32>(fresh_.size()));
    if (token_ == kNowhere) return kUnknown;
    piece_ = put_before(pieces_, known + 1, scanned_.data(), count);
    return piece_ != kNowhere ? kJoined : kUnknown;
}

// Whether the part begins inside a run that ends with the text.
bool TextTokens::is_run_to_end() {
    if (!complete_ || piece_ + 1 != pieces_.size() || run_ == 0 || part_begin_ >= open_end_ || part_begin_ < run_begin_)
        return false;
    run_ = run_up_to(part_begin_, size_);
    open_end_ = size_;
    return run_ != 0;
}

// Whether the text between two token ends of a piece keeps its tokens as a separate piece: a text that is a token as a
// whole may merge to others.
bool TextTokens::keeps_tokens(u32 begin, u32 end) const {
    const u32 length = end - begin;
    if (length > longest_token()) return true;
    return tokenizer().model_kind() == layout::kBpe && tokenizer().bpe().token_of(text_.data() + begin, length) == layout::kNone;
}

// If a part ends inside a piece, the next part may look up the rest of that piece as a token.
void TextTokens::prefetch_whole(u32 begin) const {
    constexpr u32 kLongest = 24;
    const u32 piece = kPrefetches && tokenizer().model_kind() == layout::kBpe ? after(pieces_, piece_, begin) : kNowhere;
    if (piece >= pieces_.size() || pieces_[piece] - begin > kLongest || (piece > 0 && pieces_[piece - 1] == begin)) return;
    tokenizer().bpe().prefetch(text_.data() + begin, pieces_[piece] - begin);
}

// The part begins inside a token of a long piece: encodes a few tokens, in the text up to `stop`, until one follows another
// as before.
bool TextTokens::align(u32 stop) {
    if (tokenizer().model_kind() == layout::kLongestMatch) return false;  // a longer token may cross their end
    locate(token_);
    const u32 beyond = after(ends_, token_, stop);
    if (beyond == token_) return false;
    const u32 most = beyond - 1;  // the last token ends there
    for (u32 ahead = 16;; ahead *= 4) {
        const u32 to = smaller(token_ + ahead, most), end = ends_[to];
        fresh_.clear();
        if (!encode_pieces(part_begin_, &end, 1, &fresh_)) return false;
        u32 old = token_;
        for (u32 i = 0; i + 1 < fresh_.size(); ++i) {
            while (old < to && ends_[old] < fresh_[i]) ++old;
            if (old == to) break;
            if (ends_[old] != fresh_[i] || ends_[old + 1] != fresh_[i + 1]) continue;
            token_ = put_before(ends_, old + 1, fresh_.data(), i + 1);
            return token_ != kNowhere;
        }
        if (to == most) return false;
    }
}

// The part begins inside a token, without a pretokenizer: finds `wanted` tokens, or fewer if one ends where a known one
// does. If none does, forgets the known tokens.
bool TextTokens::align_longest(u32 wanted) {
    locate(token_);
    fresh_.clear();
    const u32 stop = open_up_to(part_begin_), longest = tokenizer().longest_token();
    const bool closed = stop < size_ || complete_ || failed_;
    is_stuck_ = false;
    for (u32 at = part_begin_, known = token_;;) {
        while (known < ends_.size() && ends_[known] < at) ++known;
        if (known < ends_.size() && ends_[known] == at) {
            token_ = put_before(ends_, known + 1, fresh_.data(), static_cast<u32>(fresh_.size()));
            return token_ != kNowhere;
        }
        u32 id, end = 0;
        const bool is_sure = closed ? at < stop : stop - smaller(stop, longest) > at;
        const u32 found =
            is_sure && fresh_.size() < wanted ? tokenizer().longest_match().match(text_.data() + at, 1, stop - at, &id, &end) : 0;
        if (found == 0) {
            token_ = 0;
            return ends_.assign(fresh_.data(), fresh_.size());
        }
        cache_.work() += end;
        if (!fresh_.push_back(at += end)) return false;
    }
}

// Whether the rest of the piece that the part begins inside of is one piece itself, as far as `wanted` tokens need it.
bool TextTokens::is_one_piece_for(u32 wanted) {
    if (count() == 0) return false;
    const u32 most = margin(), needed = part_begin_ + (end_of(token_ + smaller(wanted, count()) - 1) - part_begin_) + most;
    const bool is_decided = piece_ < pieces_.size();
    u32 stop = smaller(inside_end_, needed + smaller(most, kUndecided));
    while (stop > needed && is_continuation(text_[stop])) --stop;
    if (is_decided && needed >= inside_end_) {
        is_inside_ = false;
        return rejoin(true) == kJoined;
    }
    if (!scan_alone(part_begin_, stop)) return false;
    if (scanned_[0] >= smaller(inside_end_, needed)) return true;
    if (is_decided) return false;
    return scan_alone(part_begin_, inside_end_) && scanned_[0] == inside_end_;
}

// The end of the part's last piece that is final if the part ends at or after `end`.
u32 TextTokens::decided_by(u32 end) {
    u32 begin = larger(part_begin_, closed_up_to(end));
    // The first checkpoint that has seen more: usually the last part's checkpoint, or one of the next.
    const u32 count = static_cast<u32>(checkpoints_.size());
    u32 next = smaller(checkpoint_, count);
    if (next > 0 && checkpoints_[next - 1].seen > end) next = 0;
    for (u32 step = 1; next < count && checkpoints_[next].seen <= end;) {
        if (next + step <= count && checkpoints_[next + step - 1].seen <= end) {
            next += step;
            step *= 2;
        } else {
            step = 1;
        }
    }
    checkpoint_ = next;
    if (next > 0 && checkpoints_[next - 1].seen >= joined_seen_ && checkpoints_[next - 1].decided >= joined_) {
        begin = larger(begin, checkpoints_[next - 1].decided);
    }
    return begin;
}

Status TextTokens::count_alone(u32 token, Alone* alone, bool* found) {
    const u32 end = end_of(token_ + token);
    u32 stop = token_ + token + 1;
    while (stop < ends_.size() && end_of(stop) <= end) ++stop;  // in a damaged table, tokens may be empty
    *alone = {0, 0, 0};
    *found = false;
    if (end <= part_begin_) return {};
    prefetch_whole(end);
    if (takes_encoder(end, alone)) return {};
    *found = true;
    alone->kept = stop - token_;
    if (!has_pieces()) return {};
    const u32 begin = decided_by(end);
    if (begin >= end) return {};
    if (!scan_alone(begin, end)) return Status::out_of_memory();

    // Pieces with known tokens: pieces of the text, and long stretches of one piece between two token ends.
    u32 same = 0, piece = after(pieces_, piece_, begin), at = begin;
    for (bool is_whole = true; same < scanned_.size(); ++same) {
        const u32 next = scanned_[same], last = piece < pieces_.size() ? pieces_[piece] : size_;
        if (!is_whole || next != last) {
            if (next > last) break;
            const u32 after_next = token_after(next);
            if (after_next == token_ || end_of(after_next - 1) != next) break;
            if (token_after(at) + 1 != after_next && !keeps_tokens(at, next)) break;
        }
        is_whole = next == last;
        piece += is_whole;
        at = next;
    }
    if (at == end) return {};
    const u32 others = static_cast<u32>(scanned_.size()) - same;
    tail_.clear();
    *found = encode_pieces(at, scanned_.data() + same, others, &tail_);
    if (failed_ && status_.code == CRAYON_OUT_OF_MEMORY) return status_;
    if (!*found) {
        *alone = {0, 0, 0};
        return {};
    }
    *alone = {token_after(at) - token_, static_cast<u32>(tail_.size()), 0};
    return {};
}

}  // namespace crayon

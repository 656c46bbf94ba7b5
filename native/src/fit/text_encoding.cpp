// Encodes the text read so far (text_tokens.h).
#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "fit/fit_cache.h"
#include "fit/text_numbers.h"
#include "fit/text_tokens.h"
#include "scan/class_run.h"

namespace crayon {

namespace {

// The least text matched at a time.
constexpr u32 kLeastMatched = 64;
// Capacity for ids beyond those needed: with little room left, the model takes a slower path.
constexpr u32 kSpareIds = 256;

}  // namespace

// Encodes the known part of the open piece, if it is long. Continues from the last known token if that token comes out
// again, which proves that the tokens before it are the piece's tokens, too.
bool TextTokens::encode_open(u32 wanted) {
    const u32 open = size_ - larger(settled(), part_begin_);
    if (count() >= wanted || open < 2 * tried_ || open < u64{kLeastOpen} + kMarginTokens + (wanted - count())) return true;
    u32 end = size_ - 1;  // the last character may be incomplete
    while (size_ - end < 4 && is_continuation(text_[end])) --end;
    const u32 piece = larger(static_cast<u32>(scan_.start), part_begin_);
    run_ = run_up_to(piece, end);
    run_begin_ = piece;
    if (run_ == 0) {
        if (!scan_alone(piece, end)) return no_memory();
        end = scanned_[0];
        if (end < settled() || size_ - end > open / 4) {
            // The scan waits for more text: the piece may be shorter than it looks.
            tried_ = open;
            return true;
        }
    }
    open_begin_ = piece;
    open_end_ = end;
    is_open_ = true;
    locate(token_);
    const u32 first = after(ends_, token_, piece);
    for (u32 back = 1;; back *= 4) {
        const u32 kept = larger(static_cast<u32>(ends_.size()), first + back) - back;
        const u32 begin = kept > first ? ends_[kept - 1] : piece;
        fresh_.clear();
        if (!encode_pieces(begin, &end, 1, &fresh_)) {
            tried_ = open;
            is_open_ = false;
            ends_.truncate(first);
            return !failed_;
        }
        if (kept > first && (fresh_.empty() || fresh_[0] != ends_[kept])) continue;
        ends_.truncate(kept);
        break;
    }
    u32 sure = larger(static_cast<u32>(fresh_.size()), kMarginTokens) - kMarginTokens;
    while (sure > 0 && fresh_[sure - 1] + margin() > end) --sure;
    tried_ = sure > 0 ? 0 : open;
    return ends_.append(fresh_.data(), sure) || no_memory();
}

// The value of run_ for the piece from an offset to an end.
u32 TextTokens::run_up_to(u32 piece, u32 end) const {
    const bool goes_on = run_ != 0 && piece < open_end_ && open_end_ <= end;
    const u32 from = goes_on ? open_end_ : piece;
    return class_run(tokenizer().view().pretokenizer, goes_on ? run_ : 0, text_.data() + from, end - from);
}

// For longest match without a pretokenizer: continues after the known tokens, as far as the text read so far decides; if
// that is nowhere, reads on.
bool TextTokens::match_on(u32 wanted) {
    const u32 begin = settled(), stop = open_up_to(begin), known = static_cast<u32>(ends_.size());
    if (begin == stop && stop < size_) {
        locate(token_);
        const u32 end = added_[added_after(begin)].end;
        return ends_.push_back(end) || no_memory();
    }
    const bool closed = stop < size_ || complete_ || failed_;
    const u32 sure = closed ? stop : stop - smaller(stop, tokenizer().longest_token());
    if (sure <= begin) return extend(wanted - count(), kLeastMatched);
    const u32 length = smaller(sure - begin, next_stretch(wanted - count(), kLeastMatched));
    if (!ends_.resize(size_t{known} + length)) return no_memory();
    u32 end = 0;
    const u32 found = tokenizer().longest_match().match(text_.data() + begin, length, stop - begin, ends_.data() + known, &end);
    ends_.truncate(size_t{known} + found);
    cache_.work() += end;
    if (found > 0) keep_ids(known, begin, begin + end);
    is_stuck_ = found == 0;
    return true;
}

// Appends the ids of pieces to `ids`. False if memory is short or a character has no id.
bool TextTokens::encode_to(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ids) {
    size_t written = ids->size();
    cache_.work() += boundaries[count - 1] - begin;
    if (!ids->resize(written + boundaries[count - 1] - begin + kSpareIds)) return no_memory();
    for (u32 at = begin, done = 0; done < count;) {
        const PieceSequence pieces{text_.data(), at, boundaries + done, count - done, 0};
        PieceProgress progress;
        const u32 capacity = static_cast<u32>(ids->size() - written);
        if (!encoder_.encode(pieces, ids->data() + written, capacity, &progress)) return no_memory();
        written += progress.ids;
        done += progress.pieces;
        at = progress.end;
        if (!progress.stuck) continue;
        ids->truncate(written);
        stuck_at_ = at;
        return false;
    }
    ids->truncate(written);
    return true;
}

// Appends the token ends of pieces to `ends`.
bool TextTokens::encode_pieces(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ends) {
    const size_t known = ends->size();
    if (!encode_to(begin, boundaries, count, ends)) return false;
    to_ends(ends->data() + known, ends->size() - known, begin, boundaries[count - 1]);
    return true;
}

// Converts ids to token ends in place; the last one is `end`. Returns the start of their text. (In a damaged table, token
// lengths are arbitrary: no end is before `least`.)
int64_t TextTokens::to_ends(u32* values, size_t count, u32 least, u32 end) const {
    const TokensView tokens = tokenizer().tokens();  // a copy, so that the writes below cannot alias it
    int64_t at = end;
    for (size_t i = count; i-- > 0;) {
        const u32 id = values[i];
        const u32 length = id < tokens.token_count ? tokens.token_offsets[id + 1] - tokens.token_offsets[id] : 0;
        values[i] = at > least ? static_cast<u32>(at) : least;
        at -= length > 0 ? length : tokenizer().token_length(id);
    }
    return at;
}

// Scans the text from `begin` to `end` alone. False if memory is short.
bool TextTokens::scan_alone(u32 begin, u32 end) {
    scanned_.clear();
    if (run_ != 0 && end <= open_end_ && begin >= run_begin_) return scanned_.push_back(end);
    // Parts of one token are mostly the same few texts.
    u64 key = 0;
    const u32 length = end - begin;
    if (length <= kShort) {
        std::memcpy(&key, text_.data() + begin, sizeof key);
        key = (key << (64 - 8 * length) >> (64 - 8 * length)) | u64{length} << 56;
    }
    u64& slot = short_pieces_[key * 0x9E3779B97F4A7C15 >> 56];
    if (key != 0 && slot == key) return scanned_.push_back(end);
    cache_.work() += length;
    const Seal seal(text_.data(), end);
    ScanState state;
    state.restart(begin);
    state.joined_bytes = scan_.joined_bytes;
    state.patterns = scan_.patterns;
    for (u32 found = ~0u; found > kMinBoundaries;) {
        const size_t known = scanned_.size();
        if (!scanned_.resize(known + 2 * kMinBoundaries)) return false;
        found = tokenizer().scan()(state, text_.data(), end, true, scanned_.data() + known, 2 * kMinBoundaries);
        scanned_.truncate(known + found);
    }
    if (key != 0 && scanned_.size() == 1) slot = key;
    return true;
}

}  // namespace crayon

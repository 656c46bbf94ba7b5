#include "text_tokens.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "encoder.h"
#include "scan/class_run.h"

namespace crayon {

namespace {

// The scan is told of so many bytes more at a time, and more in long parts that do not overlap much: the more, the more
// of each part is scanned again at its end.
constexpr u32 kStep = 128;
constexpr u32 kLongestStep = 4096;
// Bytes that are read at once: at least; up to so much ahead, the more parts have continued others; at least, if there
// are added tokens (one of which is complete then); and at most.
constexpr u32 kLeastRead = 64;
constexpr u32 kLeastAhead = 512, kMostAhead = 2048;
constexpr u32 kLeastReadOpen = 264;
constexpr u32 kLeastReadSplit = 4096;
constexpr u32 kMostRead = 16 * 1024;
// What the scan leaves undecided of most texts.
constexpr u32 kUndecided = 96;
// An open piece is encoded from so many bytes on, and one for each token.
constexpr u32 kLeastOpen = 128;
constexpr u32 kMostUnclear = 2048;
// Tokens at the end of what is known of an open piece may be others in the whole of it: these, and the longest token up
// to so many bytes.
constexpr u32 kMarginTokens = 32;
constexpr u32 kMarginBytes = 512;
// So many pieces of a part are compared to find one that ends where a known one does. Some never do: digits are
// counted.
constexpr u32 kMostApart = 16;
// A piece from this length on is not encoded as a whole to find its first tokens.
constexpr u32 kAlignedFrom = 256;
// Bytes of a token are counted in these.
constexpr u32 kRateOfOne = 16;
// Capacity for ids beyond those needed: with little left, the model takes a slower path.
constexpr u32 kSpareIds = 256;
// More than this is not kept for the next text.
constexpr size_t kMostKept = 1 << 20;
constexpr u32 kNowhere = 0xFFFFFFFF;

// By value: std::min and std::max are calls, in code that is optimized for size.
constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// The first index from `from` on whose end is after a place.
u32 after(const Buffer<u32>& ends, u32 from, u32 place) {
    return static_cast<u32>(std::upper_bound(ends.begin() + from, ends.end(), place) - ends.begin());
}

// (WebAssembly has a memcmp that goes byte by byte.)
bool is_same(const u8* a, const u8* b, size_t length) {
    size_t i = 0;
    for (; i + 32 <= length; i += 32) {
        u64 x[4], y[4];
        std::memcpy(x, a + i, 32);
        std::memcpy(y, b + i, 32);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) return false;
    }
    for (; i < length; ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

// Replaces the values before index `at` by others, and returns the index of the first; 0xFFFFFFFF if memory is short.
u32 put_before(Buffer<u32>& values, u32 at, const u32* others, u32 count) {
    if (count > at) {
        const u32 more = count - at, size = static_cast<u32>(values.size());
        if (!values.resize(size + more)) return 0xFFFFFFFF;
        std::memmove(values.data() + count, values.data() + at, (size - at) * sizeof(u32));
        at = count;
    }
    std::memcpy(values.data() + at - count, others, count * sizeof(u32));
    return at - count;
}

void drop_before(Buffer<u32>& values, u32 from, u32 removed) {
    const u32 count = static_cast<u32>(values.size()) - from;
    for (u32 i = 0; i < count; ++i) values[i] = values[from + i] - removed;
    values.truncate(count);
}

}  // namespace

TextTokens::TextTokens(Encoder& encoder) : encoder_(encoder) {}
TextTokens::~TextTokens() = default;

const Tokenizer& TextTokens::tokenizer() const { return encoder_.tokenizer(); }
bool TextTokens::has_pieces() const { return !tokenizer().ends_at_tokens(); }
u32 TextTokens::longest_token() const { return tokenizer().max_token_length(); }

// Where the known tokens end.
u32 TextTokens::settled() const {
    if (count() == 0) return place_;
    return ids_end_ == ends_.size() ? ids_place_ : ends_[ends_.size() - 1];
}

void TextTokens::end_text() {
    is_here_ = false;
    if (text_.capacity() + sizeof(u32) * ends_.capacity() < kMostKept) return;
    Encoder& encoder = encoder_;
    std::destroy_at(this);
    std::construct_at(this, encoder);
}

void TextTokens::restart() {
    size_ = place_ = token_ = piece_ = next_ = other_ = joined_ = joined_seen_ = tried_ = open_end_ = 0;
    complete_ = blocked_ = is_inside_ = false;
    run_ = 0;
    ahead_ = kLeastRead;
    advance_ = 4 * kLongestStep;
    scan_.restart(0);
    scan_.joints = &tokenizer().joints();
    scan_.patterns = &tokenizer().patterns();
    pieces_.clear();
    ends_.clear();
    ids_begin_ = ids_end_ = 0;
    checkpoints_.clear();
}

void TextTokens::expect(u32 next, u32 other) {
    next_ = place_ + next;
    other_ = place_ + other;
}

// Whether what is known from there on is what the text begins with. `is_known`: the bytes are the same.
bool TextTokens::is_text_at(u32 at, bool is_known, const Text& text) const {
    if (at >= settled() || size_ - at > text.length) return false;
    if (complete_ && !(text.last && size_ - at == text.length)) return false;
    return is_known || is_same(text_.data() + at, text.bytes, size_ - at);
}

// Where the text begins in what is known of it; kNowhere if it does not.
u32 TextTokens::place_of(const Text& text) const {
    const u64 ahead = reinterpret_cast<uintptr_t>(text.bytes) - reinterpret_cast<uintptr_t>(source_.bytes);
    const bool is_known = is_here_ && ahead < settled() - place_;
    const u32 at = is_known ? place_ + static_cast<u32>(ahead) : other_;
    // More is known from next_ on than from other_ on, and text may recur.
    if (at == other_ && next_ != at && is_text_at(next_, false, text)) return next_;
    return is_text_at(at, is_known, text) ? at : kNowhere;
}

bool TextTokens::has_piece_at(const Text& text) const {
    if (!is_here_) return false;
    const u32 place = place_of(text), piece = place != kNowhere ? after(pieces_, piece_, place) : 0;
    return piece > piece_ && pieces_[piece - 1] == place;
}

TextTokens::Begin TextTokens::begin(const Text& text) {
    const u32 place = place_, token = token_, piece = piece_;
    const u32 at = place_of(text);
    source_ = text;
    is_here_ = true;
    needs_text_ = is_inside_ = false;
    if (at == kNowhere) {
        restart();
        return kUnknown;
    }
    advance_ = at - smaller(at, place);
    place_ = at;
    ahead_ *= 2;
    token_ = token_after(place_);
    ids_begin_ = ids_end_ = 0;  // they are before that
    piece_ = after(pieces_, piece_, place_);
    if (place_ >= joined_) joined_ = joined_seen_ = 0;
    const bool is_aligned = place_ == place || (token_ > token && ends_[token_ - 1] == place_);
    Begin result;
    if (place_ == place || (piece_ > piece && pieces_[piece_ - 1] == place_)) {
        result = is_aligned ? kContinues : kUnknown;
    } else if (piece_ < pieces_.size()) {
        result = rejoin(is_aligned);
    } else {
        // Inside of the open piece: for this part, it begins here.
        scan_.restart(place_);
        pieces_.clear();
        checkpoints_.clear();
        piece_ = joined_ = joined_seen_ = 0;
        result = is_aligned || align(settled()) ? kContinues : kUnknown;
        is_inside_ = true;
    }
    if (result == kUnknown) restart();
    next_ = other_ = place_;  // the same part may be asked for again, with more text
    return result;
}

// The part begins inside of a piece: scans it until a piece ends where a known one does.
TextTokens::Begin TextTokens::rejoin(bool is_aligned) {
    ScanState state;
    state.restart(place_);
    state.joints = scan_.joints;
    state.patterns = scan_.patterns;
    scanned_.clear();
    u32 known = piece_, seen = place_, count = 0;
    bool is_joined = is_run_to_end();
    if (is_joined) {
        if (!scanned_.push_back(seen = size_)) return kUnknown;
        count = 1;
    }
    while (!is_joined) {
        if (count > kMostApart) return kApart;
        if (seen == size_) {
            if (complete_ || size_ - place_ > kMostRead || !extend(0, ahead_)) return kUnknown;
            continue;
        }
        seen = smaller(seen + kStep, size_);
        for (u32 found = ~0u; found > kMinBoundaries && !is_joined;) {
            if (!scanned_.resize(count + 2 * kMinBoundaries)) return kUnknown;
            found = tokenizer().scan()(state, text_.data(), seen, complete_ && seen == size_, scanned_.data() + count,
                                       2 * kMinBoundaries);
            for (u32 i = 0; i < found && !is_joined; ++i) {
                const u32 end = scanned_[count++];
                while (known < pieces_.size() && pieces_[known] < end) ++known;
                is_joined = known < pieces_.size() && pieces_[known] == end;
            }
        }
    }
    joined_ = scanned_[count - 1];
    joined_seen_ = seen;
    if (count == 1 && known == piece_) {
        const u32 length = joined_ - place_;
        if (is_aligned && length > longest_token()) return kContinues;
        if (!is_aligned && length > larger(kAlignedFrom, longest_token()) && align(joined_)) return kContinues;
    }
    if (joined_ > settled()) return kUnknown;
    fresh_.clear();
    locate(token_);
    if (!encode_pieces(place_, scanned_.data(), count, &fresh_)) return kUnknown;
    token_ = put_before(ends_, after(ends_, token_, joined_), fresh_.data(), static_cast<u32>(fresh_.size()));
    if (token_ == 0xFFFFFFFF) return kUnknown;
    piece_ = put_before(pieces_, known + 1, scanned_.data(), count);
    return piece_ != 0xFFFFFFFF ? kContinues : kUnknown;
}

// Whether the part begins inside of a run that ends with the text.
bool TextTokens::is_run_to_end() {
    if (!complete_ || piece_ + 1 != pieces_.size() || run_ == 0 || place_ >= open_end_) return false;
    run_ = run_up_to(place_, size_);
    open_end_ = size_;
    return run_ != 0;
}

// The part begins inside of a token of a long piece: encodes a few tokens, until one follows another as before, in the
// text up to `stop`.
bool TextTokens::align(u32 stop) {
    locate(token_);
    const u32 most = after(ends_, token_, stop) - 1;  // the last token that ends there
    for (u32 ahead = 16;; ahead *= 4) {
        const u32 to = smaller(token_ + ahead, most), end = ends_[to];
        fresh_.clear();
        if (!encode_pieces(place_, &end, 1, &fresh_)) return false;
        u32 old = token_;
        for (u32 i = 0; i + 1 < fresh_.size(); ++i) {
            while (old < to && ends_[old] < fresh_[i]) ++old;
            if (old == to) break;
            if (ends_[old] != fresh_[i] || ends_[old + 1] != fresh_[i + 1]) continue;
            token_ = put_before(ends_, old + 1, fresh_.data(), i + 1);
            return token_ != 0xFFFFFFFF;
        }
        if (to == most) return false;
    }
}

bool TextTokens::know(u32 wanted) {
    ahead_ = smaller(ahead_, std::clamp(8 * wanted, kLeastAhead, kMostAhead));
    step_ = std::clamp(smaller(wanted, advance_) / 4 & ~63u, kStep, kLongestStep);
    if (is_inside_ && has_pieces() && !is_open_for(wanted)) restart();
    for (u32 least = ahead_; count() < wanted && !complete_; least = kLeastRead) {
        drop_front();
        if (!extend(wanted - count(), least)) return false;
    }
    rate_ = static_cast<u32>(u64{settled() - place_} * kRateOfOne / larger(count(), 1u));
    return true;
}

// Whether the open piece, as far as so many tokens of it matter, is one piece from the place on.
bool TextTokens::is_open_for(u32 wanted) {
    const u32 margin = smaller(longest_token(), kMarginBytes),
              needed = place_ + end(smaller(wanted, count()) - 1) + margin;
    u32 stop = smaller(open_end_, needed + smaller(margin, kUndecided));
    while (stop > needed && (text_[stop] & 0xC0) == 0x80) --stop;
    if (!scan_alone(place_, stop)) return false;
    if (scanned_[0] >= smaller(open_end_, needed)) return true;
    return scan_alone(place_, open_end_) && scanned_[0] == open_end_;
}

u32 TextTokens::next_stretch(u32 wanted, u32 least) const {
    const u32 known = count();
    const u64 expected = known > 0 ? u64{wanted} * (settled() - place_) / known : u64{wanted} * rate_ / kRateOfOne;
    if (encoder_.finds_added_tokens()) least = larger(least, kLeastReadSplit);
    const u64 open = is_open_ ? larger(kLeastOpen + kMarginTokens + wanted, kLeastReadOpen) : 0;
    return static_cast<u32>(std::min<u64>(std::max({expected + kUndecided, open, u64{least}, u64{tried_}}), kMostRead));
}

// Reads on, and encodes what is decided then.
bool TextTokens::extend(u32 wanted, u32 least) {
    const u32 left = source_.length - (size_ - place_);
    needs_text_ = left == 0 && !source_.last && !blocked_;
    if (blocked_ || needs_text_) return false;
    const u32 read = smaller(next_stretch(wanted, least), left);
    const u32 end = size_ + read, count_before = count();
    bool last = source_.last && read == left;
    if (!text_.resize(end + kScanPadding)) return false;
    if (read > 0) std::memcpy(text_.data() + size_, source_.bytes + (size_ - place_), read);
    std::memset(text_.data() + end, 0, kScanPadding);
    const AddedTokens::Found added = encoder_.find_added(text_.data(), size_, end, last);
    blocked_ = added.token != nullptr;
    const u32 stop = static_cast<u32>(added.position);
    last = last && stop == end && !blocked_;
    if (stop == size_ && !last) return false;
    if (!has_pieces()) {
        size_ = stop;
        complete_ = last;
        return encode_unscanned();
    }
    const size_t decided = pieces_.size();
    if (!scan_to(stop, last)) return false;
    // The piece whose beginning was encoded must not end in it.
    if (pieces_.size() > decided && pieces_[decided] < settled()) return false;
    return encode_decided() && (complete_ || encode_open(count_before + wanted));
}

// The text before the part is of no use any more.
void TextTokens::drop_front() {
    if (place_ < kLeastReadSplit || place_ < size_ / 2) return;
    locate(token_);
    const u32 removed = place_;
    std::memmove(text_.data(), text_.data() + removed, size_ - removed);
    size_ -= removed;
    drop_before(ends_, token_, removed);
    drop_before(pieces_, piece_, removed);
    u32 kept = 0;
    for (const Checkpoint& each : checkpoints_) {
        if (each.decided > removed) checkpoints_[kept++] = {each.seen - removed, each.decided - removed};
    }
    checkpoints_.truncate(kept);
    if (scan_.start < removed) scan_.restart(removed);
    scan_.rebase(removed);
    if (joined_ > 0) {
        joined_ -= removed;
        joined_seen_ -= removed;
    }
    open_end_ -= smaller(open_end_, removed);
    run_begin_ -= smaller(run_begin_, removed);
    place_ = token_ = piece_ = next_ = other_ = 0;
}

bool TextTokens::scan_to(u32 size, bool last) {
    do {
        size_ = smaller(size_ + (is_open_ ? kLongestStep : step_), size);
        complete_ = last && size_ == size;
        for (u32 found = ~0u; found > kMinBoundaries;) {
            const size_t known = pieces_.size();
            if (!pieces_.resize(known + 2 * kMinBoundaries)) return false;
            found =
                tokenizer().scan()(scan_, text_.data(), size_, complete_, pieces_.data() + known, 2 * kMinBoundaries);
            pieces_.truncate(known + found);
        }
        if (!checkpoints_.push_back({size_, static_cast<u32>(scan_.start)})) return false;
    } while (size_ < size);
    return true;
}

// Encodes the pieces that have been scanned. The first of them may go on from tokens that are known.
bool TextTokens::encode_decided() {
    u32 piece = after(pieces_, piece_, settled());
    if (piece == pieces_.size()) return true;
    const u32 begin = piece > piece_ ? pieces_[piece - 1] : place_;
    if (settled() > begin) {
        // It is no token as a whole, and neither may be what is left of it.
        while (count() > 0 && settled() > begin && pieces_[piece] - settled() <= longest_token()) {
            locate(static_cast<u32>(ends_.size()) - 1);
            ends_.pop_back();
        }
        if (settled() < begin) return false;
        piece = after(pieces_, piece_, settled());
    }
    tried_ = 0;
    is_open_ = false;
    const u32 size = static_cast<u32>(ends_.size());
    const u32 from = settled(), count = static_cast<u32>(pieces_.size()) - piece;
    if (!encode_to(from, pieces_.data() + piece, count, &ends_)) return false;
    return keep_ids(size, from, pieces_.back()) && ends_.size() > size;
}

// What has been appended to ends_ from an index on are the ids of the text from `begin` to `end`. Only one sequence of
// ids is kept as that.
bool TextTokens::keep_ids(u32 from, u32 begin, u32 end) {
    const u32 size = static_cast<u32>(ends_.size());
    if (ids_begin_ == ids_end_) ids_begin_ = ids_end_ = from;
    if (ids_end_ != from) return to_ends(ends_.data() + from, size - from, begin, end) == begin;
    ids_end_ = size;
    ids_place_ = end;
    return true;
}

// Makes sure that the values of ends_ from an index on are ends.
void TextTokens::locate(u32 from) {
    from = larger(from, ids_begin_);
    if (from >= ids_end_) return;
    const u32 least = ids_begin_ > token_ ? ends_[ids_begin_ - 1] : place_;
    const int64_t begin = to_ends(ends_.data() + from, ids_end_ - from, least, ids_place_);
    ids_place_ = begin > least ? static_cast<u32>(begin) : least;
    ids_end_ = from;
    if (ids_end_ == ids_begin_) ids_begin_ = ids_end_ = 0;
}

// The first token of the part that ends after a place.
u32 TextTokens::token_after(u32 place) {
    while (ids_end_ > ids_begin_ && ids_place_ > place) locate(ids_end_ - smaller(16u, ids_end_ - ids_begin_));
    return after(ends_, larger(token_, ids_end_), place);
}

// Encodes what is known of the open piece, if it is long. It may go on from tokens that are known.
bool TextTokens::encode_open(u32 wanted) {
    const u32 begin = settled(), open = size_ - larger(begin, place_);
    if (count() >= wanted || open < larger(2 * tried_, kLeastOpen + wanted - count() + kMarginTokens)) return true;
    u32 end = size_ - 1;  // the last character may be incomplete
    while (size_ - end < 4 && (text_[end] & 0xC0) == 0x80) --end;
    const u32 piece = larger(static_cast<u32>(scan_.start), place_);
    run_ = run_up_to(piece, end);
    run_begin_ = piece;
    if (run_ == 0) {
        if (!scan_alone(piece, end)) return false;
        end = scanned_[0];
        if (end < begin || size_ - end > open / 4) {
            // The scan waits for more text than that: the piece is not as long as it looks.
            tried_ = open;
            return open < kMostUnclear;
        }
    }
    open_end_ = end;
    is_open_ = true;
    const size_t known = ends_.size();
    if (!encode_pieces(begin, &end, 1, &ends_)) return false;
    size_t sure = larger(ends_.size(), known + kMarginTokens) - kMarginTokens;
    while (sure > known && ends_[sure - 1] + smaller(longest_token(), kMarginBytes) > end) --sure;
    tried_ = sure > known ? 0 : open;
    ends_.truncate(sure);
    return true;
}

// What run_ is for the piece from a place up to an end.
u32 TextTokens::run_up_to(u32 piece, u32 end) const {
    const bool goes_on = run_ != 0 && piece < open_end_ && open_end_ <= end;
    const u32 from = goes_on ? open_end_ : piece;
    return class_run(tokenizer().view().scanner, goes_on ? run_ : 0, text_.data() + from, end - from);
}

// For longest match without a pretokenizer, text goes on from the end of any token.
bool TextTokens::encode_unscanned() {
    const u32 begin = settled();
    if (begin == size_) return true;
    encoder_.restart(0);
    const u32 known = static_cast<u32>(ends_.size());
    if (!encoder_.feed_utf8(text_.data() + begin, size_ - begin, true).ok() || !ends_.resize(known + size_ - begin))
        return false;
    Encoder::Read read{};
    if (!encoder_.read_marked(ends_.data() + known, size_ - begin, &read).ok()) return false;
    ends_.truncate(known + read.count);
    if (!keep_ids(known, begin, size_)) return false;
    u32 sure = known + read.count;
    // One that begins here may be longer if more of the text follows.
    while (!complete_ && sure > known && end_of(sure - 1) + tokenizer().longest_token() > size_) --sure;
    ends_.truncate(sure);
    return true;
}

// Appends the ids of pieces to `ids`.
bool TextTokens::encode_to(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ids) {
    size_t written = ids->size();
    if (!ids->resize(written + boundaries[count - 1] - begin + kSpareIds)) return false;
    for (u32 at = begin, done = 0; done < count;) {
        const PieceSequence pieces{text_.data(), at, boundaries + done, count - done, 0};
        PieceProgress progress;
        const u32 room = static_cast<u32>(ids->size() - written);
        if (!encoder_.encode(pieces, ids->data() + written, room, &progress)) return false;
        if (progress.stuck || progress.overflowed || progress.pieces == 0) return false;
        written += progress.ids;
        done += progress.pieces;
        at = progress.end;
    }
    ids->truncate(written);
    return true;
}

// Appends the ends of the tokens of pieces to `ends`.
bool TextTokens::encode_pieces(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ends) {
    const size_t known = ends->size();
    return encode_to(begin, boundaries, count, ends) &&
           to_ends(ends->data() + known, ends->size() - known, begin, boundaries[count - 1]) == begin;
}

// Ids become the ends of these tokens; the last one is `end`. Returns where their text begins. (In a damaged table the
// lengths of tokens may be any: no end is before `least`.)
int64_t TextTokens::to_ends(u32* values, size_t count, u32 least, u32 end) const {
    const TokensView tokens = tokenizer().tokens();  // a copy, which no write below can change
    int64_t at = end;
    for (size_t i = count; i-- > 0;) {
        const u32 id = values[i];
        const u32 length = id < tokens.token_count ? tokens.token_offsets[id + 1] - tokens.token_offsets[id] : 0;
        values[i] = at > least ? static_cast<u32>(at) : least;
        at -= length > 0 ? length : tokenizer().token_length(id);
    }
    return at;
}

// The pieces of the text from `begin` to `end` alone.
bool TextTokens::scan_alone(u32 begin, u32 end) {
    if (run_ != 0 && end <= open_end_ && begin >= run_begin_) {
        scanned_.clear();
        return scanned_.push_back(end);
    }
    u8 following[kScanPadding];
    std::memcpy(following, text_.data() + end, kScanPadding);
    std::memset(text_.data() + end, 0, kScanPadding);
    ScanState state;
    state.restart(begin);
    state.joints = scan_.joints;
    state.patterns = scan_.patterns;
    scanned_.clear();
    bool has_memory = true;
    for (u32 found = ~0u; found > kMinBoundaries;) {
        const size_t known = scanned_.size();
        has_memory = scanned_.resize(known + 2 * kMinBoundaries);
        if (!has_memory) break;
        found = tokenizer().scan()(state, text_.data(), end, true, scanned_.data() + known, 2 * kMinBoundaries);
        scanned_.truncate(known + found);
    }
    std::memcpy(text_.data() + end, following, kScanPadding);
    return has_memory;
}

bool TextTokens::count_alone(u32 part_end, Alone* alone) {
    const u32 end = place_ + part_end, stop = token_after(end);
    if (stop == token_ || end_of(stop - 1) != end) return false;
    *alone = {stop - token_, nullptr, 0};
    if (!has_pieces()) return true;

    u32 begin = place_;
    const auto seen_later = [](u32 place, const Checkpoint& each) { return place < each.seen; };
    const Checkpoint* const base = std::upper_bound(checkpoints_.begin(), checkpoints_.end(), end, seen_later);
    if (base != checkpoints_.begin() && base[-1].seen >= joined_seen_) begin = larger(begin, base[-1].decided);
    if (begin >= end) return begin == end;
    if (!scan_alone(begin, end)) return false;

    // The pieces whose tokens are known: those of the text, and long parts of one between two of its tokens.
    u32 same = 0, piece = after(pieces_, piece_, begin), at = begin;
    for (bool is_whole = true; same < scanned_.size(); ++same) {
        const u32 stop = scanned_[same], last = piece < pieces_.size() ? pieces_[piece] : size_;
        if (!is_whole || stop != last) {
            if (stop > last || stop - at <= longest_token()) break;
            const u32 next = token_after(stop);
            if (next == token_ || end_of(next - 1) != stop) break;
        }
        is_whole = stop == last;
        piece += is_whole;
        at = stop;
    }
    if (at == end) return true;
    const u32 others = static_cast<u32>(scanned_.size()) - same;
    tail_.clear();
    if (!encode_pieces(at, scanned_.data() + same, others, &tail_)) return false;
    for (u32& each : tail_) each -= place_;
    *alone = {token_after(at) - token_, tail_.data(), static_cast<u32>(tail_.size())};
    return true;
}

}  // namespace crayon

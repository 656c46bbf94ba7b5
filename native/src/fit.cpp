#include "fit.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// Enough for the scanners, which look 72 bytes ahead, to scan at least one block of 64.
constexpr u32 kFirstWindow = 192;
constexpr u32 kSmallestWindow = 64;
constexpr u32 kLargestWindow = 256 * 1024;
// An open piece is read up to this many bytes, and this many more for each token that still fits, before it is encoded;
// then up to twice as many.
constexpr u64 kOpenBytes = 64;
constexpr u64 kOpenBytesPerToken = 1;
// It has enough tokens if it has these beyond the limit, and the longest token, up to so many bytes: at its end they
// may be others than those of the whole text.
constexpr u32 kSureTokens = 16;
constexpr u32 kSureBytes = 512;
// Ids that may be read beyond the limit: with little capacity left, the model takes a slower path.
constexpr u32 kSpareIds = 256;
// So many steps back are one token long; then they grow.
constexpr u32 kSingleSteps = 8;
// For more tokens than these, none are kept.
constexpr u32 kMostKnown = 1 << 20;

}  // namespace

Status Fit::cut(u32 start, u32 limit, u32 overlap, Part* part) {
    *part = {start, 0, start, false};
    start_ = seen_ = end_ = start;
    limit_ = limit;
    tokens_ = kept_ = 0;
    spare_ = kSpareIds;
    open_tried_ = 0;
    ids_.clear();
    tail_.clear();
    checkpoints_.clear();
    if (cut_known(start, limit, overlap, part)) return {};

    if (!checkpoints_.push_back({start, start, 0})) return Status::out_of_memory();
    encoder_.restart(start);
    bool over = limit == 0;
    if (over && text_.last && start == text_.length) return {};
    if (!over) {
        bool undecided = false;
        if (Status status = encode(&over, &undecided); !status.ok()) return status;
        if (undecided) {
            part->more = true;
            return {};
        }
    }
    if (over) {
        end_ = checkpoints_.back().decided;
        for (u32 i = checkpoints_.back().tokens; i < tokens_; ++i) {
            end_ += std::min(length_of(ids_[i]), text_.length - end_);
        }
        // Whether a character ends there depends on the text after it.
        part->more = end_ == text_.length && !text_.last;
        if (part->more) return {};
        if (Status status = choose_end(&part->tokens); !status.ok()) return status;
    } else {
        end_ = text_.length;
        part->tokens = kept_ = tokens_;
    }
    part->end = end_;
    part->overlap_begin = end_ > start ? overlap_begin(overlap) : start;
    if (known_) known_->expect(part->overlap_begin - start, end_ - start);
    return {};
}

// Encodes the text from the start until it has more than `limit` tokens (`over`) or ends. `undecided`: that depends on
// text that follows.
Status Fit::encode(bool* over, bool* undecided) {
    for (;;) {
        if (seen_ == text_.length && !text_.last) {
            *undecided = true;
            return {};
        }
        const u64 end = u64{seen_} + next_window();
        const u32 window_end = static_cast<u32>(std::min<u64>(end, text_.length));
        const bool last = text_.last && window_end == text_.length;
        if (Status status = encode_window(window_end, over); !status.ok()) return status;
        if (*over || last) return {};

        const u32 decided = static_cast<u32>(encoder_.position());
        if (decided > checkpoints_.back().decided) {
            if (!checkpoints_.push_back({seen_, decided, tokens_})) return Status::out_of_memory();
            open_tried_ = 0;
        }
        const u64 open = seen_ - decided;
        if (open >= std::max(2 * open_tried_, kOpenBytes + kOpenBytesPerToken * (limit_ - tokens_))) {
            if (Status status = encode_open_piece(over); !status.ok() || *over) return status;
        }
    }
}

// The length of the next window: most of the bytes that are expected to fit, or as many as are pending if the last
// window settled nothing.
u32 Fit::next_window() const {
    const Checkpoint& last = checkpoints_.end()[-1];
    const u64 wanted = limit_ - tokens_;
    const u64 open = seen_ - last.decided;
    u64 window;
    if (last.tokens == 0) {
        window = std::max<u64>({kFirstWindow, wanted * 5 / 2, open});
    } else {
        const u64 expected = wanted * (last.decided - start_) / last.tokens;
        const u64 target = expected - expected / 6;
        window = std::max<u64>(kSmallestWindow, target > open ? target - open : 0);
        if (last.seen < seen_) window = std::max(window, open);  // the last window settled nothing
    }
    return static_cast<u32>(std::min<u64>(window, kLargestWindow));
}

// Feeds the text up to `end` and reads its ids, up to `limit` of them. `over`: there are more.
Status Fit::encode_window(u32 end, bool* over) {
    const bool last = text_.last && end == text_.length;
    if (Status status = encoder_.feed_utf8(text_.bytes + seen_, end - seen_, last); !status.ok()) return status;
    seen_ = end;
    bool more = false;
    Status status = read_ids(&more);
    if ((status.code == CRAYON_SPECIAL_FORBIDDEN || status.code == CRAYON_UNKNOWN_CHARACTER) && spare_ > 0) {
        // It may be after the limit: encode again, exactly up to the limit.
        spare_ = 0;
        restart_at_checkpoint();
        return encode_window(end, over);
    }
    *over = tokens_ > limit_ || (tokens_ == limit_ && (more || !last));
    tokens_ = std::min(tokens_, limit_);
    return status;
}

// Reads the available ids, up to some more than the limit; `more` if there are others.
Status Fit::read_ids(bool* more) {
    const u64 open = seen_ - checkpoints_.back().decided;
    const u32 room = room_for(tokens_, open);
    if (!ids_.resize(tokens_ + room)) return Status::out_of_memory();
    Encoder::Read read{};
    if (Status status = encoder_.read_marked(ids_.data() + tokens_, room, &read); !status.ok()) return status;
    tokens_ += read.count;
    *more = read.more;
    return {};
}

// The capacity for the ids of `bytes` after `tokens` others. An id takes at least one byte, so `bytes` + 1 is never
// full.
u32 Fit::room_for(u32 tokens, u64 bytes) const {
    return static_cast<u32>(std::min<u64>(u64{limit_} - tokens + spare_, bytes + 1));
}

void Fit::restart_at_checkpoint() {
    const Checkpoint& base = checkpoints_.back();
    encoder_.restart(base.decided);
    seen_ = base.decided;
    tokens_ = base.tokens;
}

// Encodes the open piece as if the text ended at seen_.
Status Fit::encode_open_piece(bool* over) {
    const u32 end = seen_;
    restart_at_checkpoint();
    const u32 open = end - seen_;
    if (Status status = encoder_.feed_utf8(text_.bytes + seen_, open, true); !status.ok()) return status;
    seen_ = end;
    bool more = false;
    Status status = read_ids(&more);
    // The beginning of a character may be unknown although the whole character is not.
    if (!status.ok() && status.code != CRAYON_UNKNOWN_CHARACTER) return status;
    *over = status.ok() && is_sure();
    tokens_ = std::min(tokens_, limit_);
    if (*over) return {};
    // It may be within the limit: continue reading.
    open_tried_ = open;
    restart_at_checkpoint();
    return encode_window(end, over);
}

// Whether the tokens within the limit are those of the whole text, as far as can be told from an open piece up to
// seen_.
bool Fit::is_sure() const {
    if (tokens_ < u64{limit_} + std::min(spare_, kSureTokens)) return false;
    const Checkpoint& base = *(checkpoints_.end() - 1);
    u64 end = base.decided;
    for (u32 i = base.tokens; i < limit_; ++i) end += length_of(ids_[i]);
    return end + std::min<u32>(encoder_.tokenizer().max_token_length(), kSureBytes) <= seen_;
}

// `limit` tokens of the text end at end_. Moves end_ back to the last token whose end is the end of a part that fits.
Status Fit::choose_end(u32* tokens) {
    u32 first_end = start_;  // end of the shortest part that was tried
    u32 tries = 0;
    for (u32 kept = tokens_; kept > 0 && end_ > start_;) {
        u32 back = 1;
        if (is_boundary(end_)) {
            first_end = end_;
            if (Status status = count_alone(end_, tokens); !status.ok()) return status;
            if (*tokens <= limit_) return {};
            if (++tries > kSingleSteps) {
                back = std::max(*tokens - limit_, u32{1} << std::min(tries - kSingleSteps, 31u));
            }
        }
        for (; back > 0 && kept > 0; --back) end_ = begin_of(ids_[--kept], end_);
    }
    return choose_character(first_end, tokens);
}

// No part that ends with a token of the text fits: goes by characters, up to `most`.
Status Fit::choose_character(u32 most, u32* tokens) {
    end_ = start_;
    u32 within = 0;
    for (;;) {
        const u32 end = character_end(end_);
        if (Status status = count_alone(end, tokens); !status.ok()) return status;
        if (*tokens > limit_) break;
        within = *tokens;
        end_ = end;
        if (end_ >= most) return {};
    }
    if (end_ == start_) return {};
    *tokens = within;
    u32 again;  // called for the ids of the part
    return count_alone(end_, &again);
}

// Counts the tokens of the part up to `end`, encoded alone.
Status Fit::count_alone(u32 end, u32* tokens) {
    const Checkpoint* base = checkpoints_.end() - 1;
    while (base->seen > end) --base;
    encoder_.restart(base->decided);
    const u32 length = end - base->decided;
    if (Status status = encoder_.feed_utf8(text_.bytes + base->decided, length, true); !status.ok()) return status;
    const u32 room = room_for(base->tokens, length);
    if (!tail_.resize(room)) return Status::out_of_memory();
    Encoder::Read read{}, rest{};
    Status status = encoder_.read_marked(tail_.data(), room, &read);
    if (status.ok() && read.more) status = encoder_.count(0xFFFFFFFF, &rest);
    if (status.code == CRAYON_UNKNOWN_CHARACTER) {  // alone it cannot be encoded
        *tokens = limit_ + 1;
        return {};
    }
    if (!status.ok()) return status;
    tail_.truncate(read.count);
    kept_ = base->tokens;
    *tokens = kept_ + read.count + rest.count;
    return {};
}

// Cuts the part by tokens that are known, or become known for this part and the next. False if that does not do.
bool Fit::cut_known(u32 start, u32 limit, u32 overlap, Part* part) {
    known_ = nullptr;
    if (limit == 0 || limit > kMostKnown || start == text_.length) return false;
    known_ = &encoder_.text_chains().begin({text_.bytes + start, text_.length - start, text_.last});
    if (!known_->know(limit + 1)) {
        part->more = known_->needs_text();
        if (!part->more) known_->restart();
        return part->more;
    }
    TextTokens::Alone alone = {known_->count(), nullptr, 0};
    if (alone.kept <= limit) {
        part->end = text_.length;
    } else if (start + known_->end(limit - 1) == text_.length && !text_.last) {
        return part->more = true;  // whether a character ends there depends on the text after it
    } else if (!choose_known_end(limit, part, &alone)) {
        return false;
    }
    part->tokens = alone.kept + alone.tail_count;
    u32 at = part->end;
    if (overlap > 0) {
        const u32 first = part->tokens - std::min(overlap, part->tokens);  // token of the overlap
        const auto end_of = [&](u32 token) {
            return token < alone.kept ? known_->end(token) : alone.tail[token - alone.kept];
        };
        at = first > 0 ? start + end_of(first - 1) : start;
        while (!is_boundary(at)) ++at;
    }
    part->overlap_begin = at;
    known_->expect(at - start, part->end - start);
    return true;
}

// As choose_end does. False if no end of a token is the end of the part.
bool Fit::choose_known_end(u32 limit, Part* part, TextTokens::Alone* alone) {
    u32 tries = 0;
    for (u32 kept = limit; kept > 0;) {
        u32 back = 1;
        const u32 end = known_->end(kept - 1);
        if (end == 0) return false;  // in a damaged table tokens may have no bytes
        if (is_boundary(start_ + end)) {
            if (!known_->count_alone(end, alone)) return false;
            const u32 tokens = alone->kept + alone->tail_count;
            part->end = start_ + end;
            if (tokens <= limit) return true;
            if (++tries > kSingleSteps) back = std::max(tokens - limit, u32{1} << std::min(tries - kSingleSteps, 31u));
        }
        kept -= std::min(back, kept);
    }
    return false;
}

u32 Fit::overlap_begin(u32 overlap) const {
    u32 at = end_;
    for (size_t i = tail_.size(); i > 0 && overlap > 0; --overlap) at = begin_of(tail_[--i], at);
    for (u32 i = kept_; i > 0 && overlap > 0; --overlap) at = begin_of(ids_[--i], at);
    while (!is_boundary(at)) ++at;
    return at;
}

// The end of the character at `at`, or of the text.
u32 Fit::character_end(u32 at) const {
    u8 bytes[4] = {};
    const u32 left = std::min<u32>(4, text_.length - at);
    std::memcpy(bytes, text_.bytes + at, left);
    return at + std::min(decode_character(bytes).length, left);
}

// Whether no character has bytes both before and after `at`: that depends on the last byte before it that begins a
// character.
bool Fit::is_boundary(u32 at) const {
    const auto continues = [&](u32 i) { return (text_.bytes[i] & 0xC0) == 0x80; };
    if (at == start_ || at == text_.length || !continues(at)) return true;
    u32 begin = at - 1;
    while (begin > start_ && continues(begin) && at - begin < 3) --begin;
    return character_end(begin) <= at;
}

}  // namespace crayon

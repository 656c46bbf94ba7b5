#include "fit.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// A window that brings the scanners, which look 72 bytes ahead, at least one block of 64.
constexpr u32 kFirstWindow = 192;
constexpr u32 kSmallestWindow = 64;
constexpr u32 kLargestWindow = 256 * 1024;
// An open piece is read on to this many bytes, and so many for each token that is still wanted.
constexpr u64 kOpenBytes = 512;
constexpr u64 kOpenBytesPerToken = 6;
// Ids that may be read beyond the limit: where places run short, the model goes a slower way.
constexpr u32 kSpareIds = 256;
// Steps of one token back before they grow.
constexpr u32 kSingleSteps = 8;

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
        // Whether a character ends there is for the text behind it to say.
        part->more = end_ == text_.length && !text_.last;
        if (part->more) return {};
        if (Status status = choose_end(&part->tokens); !status.ok()) return status;
    } else {
        end_ = text_.length;
        part->tokens = kept_ = tokens_;
    }
    part->end = end_;
    part->overlap_begin = end_ > start ? overlap_begin(overlap) : start;
    return {};
}

// Encodes the text from the start until it has `limit` tokens and goes on (`over`), or has ended. Needs text that has
// not been given: `undecided`.
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
        if (open > std::max(2 * open_tried_, kOpenBytes + kOpenBytesPerToken * (limit_ - tokens_))) {
            if (Status status = encode_open_piece(over); !status.ok() || *over) return status;
        }
    }
}

// How many bytes to go on by: most of those that the limit lets expect, or as many as are open if that did not help.
u32 Fit::next_window() const {
    const Checkpoint& last = checkpoints_.end()[-1];
    const u64 wanted = limit_ - tokens_;
    const u64 open = seen_ - last.decided;
    u64 window;
    if (last.tokens == 0) {
        window = std::max<u64>({kFirstWindow, 2 * wanted, open});
    } else {
        const u64 expected = wanted * (last.decided - start_) / last.tokens;
        const u64 target = expected - expected / 6;
        window = std::max<u64>(kSmallestWindow, target > open ? target - open : 0);
        if (last.seen < seen_) window = std::max(window, open);  // nothing was decided last time
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
        // It may stand behind the limit: once more, to there and no further.
        spare_ = 0;
        restart_at_checkpoint();
        return encode_window(end, over);
    }
    *over = tokens_ > limit_ || (tokens_ == limit_ && (more || !last));
    tokens_ = std::min(tokens_, limit_);
    return status;
}

// Reads the ids that are due, and some more than the limit; `more` if those are not all.
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

// Places for the ids of `bytes` behind `tokens` others. An id is a byte at least, so that one place more is never full.
u32 Fit::room_for(u32 tokens, u64 bytes) const {
    return static_cast<u32>(std::min<u64>(u64{limit_} - tokens + spare_, bytes + 1));
}

void Fit::restart_at_checkpoint() {
    const Checkpoint& base = checkpoints_.back();
    encoder_.restart(base.decided);
    seen_ = base.decided;
    tokens_ = base.tokens;
}

// Takes the open piece as if the text ended where it has been seen to.
Status Fit::encode_open_piece(bool* over) {
    const u32 end = seen_;
    restart_at_checkpoint();
    const u32 open = end - seen_;
    if (Status status = encoder_.feed_utf8(text_.bytes + seen_, open, true); !status.ok()) return status;
    seen_ = end;
    bool more = false;
    Status status = read_ids(&more);
    // The beginning of a character may be unknown where the whole of it is not.
    if (!status.ok() && status.code != CRAYON_UNKNOWN_CHARACTER) return status;
    *over = status.ok() && tokens_ >= limit_;
    tokens_ = std::min(tokens_, limit_);
    if (*over) return {};
    // It may be within the limit, and is read on.
    open_tried_ = open;
    restart_at_checkpoint();
    return encode_window(end, over);
}

// `limit` tokens of the text end at end_. Moves that back to the last one whose end makes a part within the limit.
Status Fit::choose_end(u32* tokens) {
    u32 first_end = start_;  // of the shortest part that was tried
    u32 tries = 0;
    for (u32 kept = tokens_; kept > 0;) {
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

// No token of the text ends a part that fits: goes by characters, up to `most`.
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
    u32 again;  // for the ids of the part
    return count_alone(end_, &again);
}

// How many tokens the part up to `end` has, encoded alone.
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

u32 Fit::overlap_begin(u32 overlap) const {
    u32 at = end_;
    for (size_t i = tail_.size(); i > 0 && overlap > 0; --overlap) at = begin_of(tail_[--i], at);
    for (u32 i = kept_; i > 0 && overlap > 0; --overlap) at = begin_of(ids_[--i], at);
    while (!is_boundary(at)) ++at;
    return at;
}

// The end of the character at `at`; of the text, where that ends.
u32 Fit::character_end(u32 at) const {
    u8 bytes[4] = {};
    const u32 left = std::min<u32>(4, text_.length - at);
    std::memcpy(bytes, text_.bytes + at, left);
    return at + std::min(decode_character(bytes).length, left);
}

// Whether no character has bytes before and behind `at`: a byte that continues none begins one, so that the last of
// those before decides.
bool Fit::is_boundary(u32 at) const {
    const auto continues = [&](u32 i) { return (text_.bytes[i] & 0xC0) == 0x80; };
    if (at == start_ || at == text_.length || !continues(at)) return true;
    u32 begin = at - 1;
    while (begin > start_ && continues(begin) && at - begin < 3) --begin;
    return character_end(begin) <= at;
}

}  // namespace crayon

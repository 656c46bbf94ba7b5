#include "fit/fit.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// This many steps back move by one token; later steps grow.
constexpr u32 kSingleSteps = 8;
// Ids read at a time.
constexpr u32 kIds = 512;
constexpr u32 kMost = 0xFFFFFFFF;
// The most bytes tried character by character when the text's tokens are no help.
constexpr u32 kMostDamaged = 256;

}  // namespace

Status Fit::cut(u32 start, u32 limit, u32 overlap, Part* part) {
    *part = {start, 0, start, false};
    start_ = start;
    part->more = start == text_.length && !text_.last && limit > 0;
    if (start == text_.length) return {};
    Count count = {0, 0};
    if (limit == 0) {
        if (Status status = choose_character(limit, start, part, &count); !status.ok()) return status;
    } else {
        bool over = false;
        if (Status status = know(limit, &over, part); !status.ok() || part->more) return status;
        if (!over) {
            part->end = text_.length;
            count.kept = count.tokens = known_ ? known_->count() : static_cast<u32>(ends_.size());
        } else if (Status status = choose_end(limit, part, &count); !status.ok() || part->more) {
            return status;
        }
    }
    part->tokens = count.tokens;
    if (part->end > start) part->overlap_begin = overlap_begin(overlap, *part, count);
    if (is_short_ && known_) cache_.chains().expect(part->end - start);
    return {};
}

// Finds the tokens of the text, up to one more than the limit. `over`: there are more.
Status Fit::know(u32 limit, bool* over, Part* part) {
    if (encoder_.tokenizer().trie_models() || encoder_.tokenizer().forms_words()) return know_by_encoder(limit, over, part);
    const u32 wanted = limit < kMost ? limit + 1 : kMost;
    TextChains& chains = cache_.chains();
    const TextChains::Waiting& waiting = chains.waiting();
    Text text = text_;
    const bool waits_here = waiting.bytes == text.bytes && waiting.begin <= start_ && u64{start_} + waiting.needed <= waiting.end;
    if (waits_here && waiting.needed > 0) {  // or the length of a part is still unknown
        text = {text.bytes, shortened(waiting.needed), true};
    }
    for (bool waits = true;;) {
        is_short_ = text.length < text_.length;
        known_ = &chains.begin(text, start_, wanted);
        const Status status = known_->know(wanted, waits && !is_short_);
        if (status.code == CRAYON_OUT_OF_MEMORY || (!status.ok() && known_->count() < limit)) return status;
        *over = !status.ok() || known_->count() > limit;
        if (*over || (!is_short_ && !known_->is_waiting())) {
            part->more = !*over && known_->needs_text();
            return {};
        }
        // Treats the text as ending where reading stopped, or after twice as much.
        u64 length = 2 * u64{text.length - start_};
        if (!is_short_) {
            length = known_->read_up_to() - start_;
            chains.wait({text.bytes, start_, known_->read_up_to(), 0});
        }
        if (length < text_.length - start_) {
            text = {text.bytes, shortened(length), true};
        } else if (text_.last) {
            waits = false;
            text = text_;
        } else {
            part->more = true;
            return {};
        }
    }
}

// The text up to `length` bytes after the start, extended to the end of the character there.
u32 Fit::shortened(u64 length) const {
    u32 end = start_ + static_cast<u32>(length);
    while (!is_boundary(end)) ++end;
    return end;
}

// `limit` tokens of the text are known, and there are more. Finds the last token whose end is the end of a part that fits.
Status Fit::choose_end(u32 limit, Part* part, Count* count) {
    u32 first_end = start_;  // end of the shortest part tried
    u32 tries = 0;
    for (u32 kept = limit; kept > 0;) {
        u32 back = 1;
        const u32 end = known_end(kept - 1);
        // Later text decides whether a character ends there.
        part->more = kept == limit && end == text_.length && !text_.last;
        if (part->more) return {};
        if (end <= start_) {  // in a damaged table, token lengths are arbitrary
            first_end = start_ + std::min(text_.length - start_, kMostDamaged);
            break;
        }
        if (is_boundary(end)) {
            first_end = end;
            if (Status status = count_alone(kept - 1, end, limit, count); !status.ok()) return status;
            part->end = end;
            if (count->tokens <= limit) return {};
            if (++tries > kSingleSteps) {
                back = std::max(count->tokens - limit, u32{1} << std::min(tries - kSingleSteps, 31u));
            }
            // If normalization reorders characters, the text's tokens say little about its parts' tokens.
            if (is_short_) back = std::max(back, kept - static_cast<u32>(u64{kept} * limit / count->tokens));
        }
        kept -= std::min(back, kept);
    }
    return choose_character(limit, first_end, part, count);
}

// No part that ends with a token of the text fits: tries character by character, up to `most`.
Status Fit::choose_character(u32 limit, u32 most, Part* part, Count* count) {
    part->end = start_;
    do {
        const u32 end = character_end(part->end);
        if (Status status = count_from(start_, 0, end, limit, count); !status.ok()) return status;
        if (count->tokens > limit) break;
        part->end = end;
    } while (part->end < most);
    if (part->end == start_ || count->tokens <= limit) return {};
    return count_from(start_, 0, part->end, limit, count);  // called for token ends only
}

// Counts the tokens of the part up to `end`, the end of a token of the text.
Status Fit::count_alone(u32 token, u32 end, u32 limit, Count* count) {
    if (!known_) return count_from(start_, 0, end, limit, count);
    TextTokens::Alone alone;
    bool found = false;
    if (Status status = known_->count_alone(token, &alone, &found); !status.ok()) return status;
    if (!found) return count_from(start_ + alone.begin, alone.kept, end, limit, count);
    is_tail_known_ = true;
    *count = {alone.kept, alone.kept + alone.tail_count};
    return {};
}

// Counts them with the encoder, starting at a byte preceded by `kept` tokens: up to one more than the limit, or all if
// requested, so that an error can say how many the first character has.
Status Fit::count_from(u32 begin, u32 kept, u32 end, u32 limit, Count* count) {
    const bool is_first = end == character_end(start_);
    const u32 most = is_first || is_short_ || limit == kMost ? kMost : limit + 1;
    cache_.work() += end - begin;
    cache_.restart(begin, nullptr);
    if (Status status = encoder_.feed_utf8(text_.bytes + begin, end - begin, true); !status.ok()) return status;
    if (!ids_.resize(kIds)) return Status::out_of_memory();
    *count = {kept, kept};
    offsets_.clear();
    for (Encoder::Read read{0, true}; read.more && count->tokens < most;) {
        const size_t size = offsets_.size();
        if (!offsets_.resize(size + 2 * kIds)) return Status::out_of_memory();
        const Status status = encoder_.read_with_offsets(ids_.data(), offsets_.data() + size, kIds, CRAYON_UNIT_BYTES, &read);
        if (status.code == CRAYON_UNKNOWN_CHARACTER && !is_first) {  // it cannot be encoded alone
            count->tokens = limit + 1;
            return {};
        }
        if (!status.ok()) return status;
        offsets_.truncate(size + 2 * read.count);
        count->tokens += read.count;
    }
    // Each ends where the next begins.
    const u32 others = count->tokens - kept;
    for (u32 i = 0; i < others; ++i) offsets_[i] = i + 1 < others ? begin + offsets_[2 * i + 2] : end;
    is_tail_known_ = false;
    return {};
}

u32 Fit::overlap_begin(u32 overlap, const Part& part, const Count& count) {
    if (overlap == 0) return part.end;
    u32 at = start_;
    if (overlap < count.tokens) {
        const u32 last = count.tokens - overlap - 1;  // before the overlap
        const u32 other = last - count.kept;
        at = last < count.kept ? known_end(last) : is_tail_known_ ? known_->tail_end(other) : offsets_[other];
    }
    at = std::clamp(at, start_, part.end);
    while (!is_boundary(at)) ++at;
    return at;
}

// The end of the character at `at`, or of the text.
u32 Fit::character_end(u32 at) const {
    u8 bytes[4] = {};
    const u32 left = std::min<u32>(4, text_.length - at);
    std::memcpy(bytes, text_.bytes + at, left);
    return at + std::min(character_length(bytes), left);
}

// Whether no character has bytes on both sides of `at`: that depends on the last byte before `at` that begins a character.
bool Fit::is_boundary(u32 at) const {
    const auto continues = [&](u32 i) { return is_continuation(text_.bytes[i]); };
    if (at == start_ || at == text_.length || !continues(at)) return true;
    u32 begin = at - 1;
    while (begin > start_ && continues(begin) && at - begin < 3) --begin;
    return character_end(begin) <= at;
}

}  // namespace crayon

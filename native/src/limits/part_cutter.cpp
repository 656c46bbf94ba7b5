#include "limits/part_cutter.h"

#include <algorithm>

#include "limits/clusters.h"

namespace crayon {

namespace {

constexpr u32 kMost = ~u32{0};
// The window: kWindowPerToken bytes for each token, and kLeastWindow besides.
constexpr u64 kWindowPerToken = 6, kLeastWindow = 64;
// From the end: most tokens are shorter, and all of the window is read.
constexpr u64 kEndWindowPerToken = 6, kLeastEndWindow = 256;
// Tokens at the beginning of such a window that are not those of the whole text.
constexpr u32 kUnsettled = 16;
// Bytes read first: kReadPerToken for each token, and what scanners look ahead. Then as many as most of the tokens left should
// take, or the least.
constexpr u64 kReadPerToken = 3, kLookedAhead = 72, kLeastRead = 24;
constexpr u32 kIdsAtOnce = 512;
// Candidates that are tried one by one before steps double.
constexpr u32 kSingleSteps = 8;
// How much shorter than a window that fits a part may be.
constexpr size_t kMostShortened = 4;
constexpr size_t kLongestCharacter = 4;
// Windows end where clusters end, except for clusters of more than kLongCluster bytes.
constexpr size_t kLongCluster = 64;

bool may_be_cut_off(const Status& status) { return status.code == CRAYON_UNKNOWN_CHARACTER; }

// At least `size` bytes from `at` on, or before it, up to `stop`: they end between clusters, or else between characters.
size_t end_of(const TextView& view, size_t at, size_t size, size_t stop, bool by_cluster) {
    return by_cluster ? cluster_end(view, view.boundary_up_to(at + size - 1), stop) : view.boundary_from(at + size);
}
size_t begin_of(const TextView& view, size_t at, size_t size, size_t stop, bool by_cluster) {
    return by_cluster ? cluster_begin(view, stop, view.boundary_from(at - size + 1)) : view.boundary_up_to(at - size);
}

}  // namespace

// Reads the first tokens of text[begin, end), up to `max_tokens`; `last`: as though the text ended there.
Status PartCutter::read(Encoder& encoder, const Text& text, size_t begin, size_t end, bool last, u32 max_tokens) {
    encoder.restart(text.origin + begin);
    tokens_.clear();
    checkpoints_.clear();
    read_begin_ = begin;
    read_bytes_ = end - begin;
    return read_on(encoder, text, begin, end, last, max_tokens);
}

// Reads on from a position, up to which all tokens have been read.
Status PartCutter::read_on(Encoder& encoder, const Text& text, size_t from, size_t end, bool last, u32 max_tokens) {
    if (!ids_.resize(kIdsAtOnce)) return Status::out_of_memory();
    const u32 known = token_count(), shift = static_cast<u32>(from - read_begin_);
    u64 step = kLookedAhead + kReadPerToken * (max_tokens - known);
    for (size_t fed = from; token_count() < max_tokens;) {
        const size_t size = static_cast<size_t>(std::min<u64>(step, end - fed));
        const bool is_last = last && fed + size == end;
        Status status = encoder.feed_utf8(text.view.bytes + fed, size, is_last);
        fed += size;
        work_ += size;
        Encoder::Read read{0, true};
        while (status.ok() && read.more && token_count() < max_tokens) {
            const size_t filled = tokens_.size();
            const u32 capacity = std::min(kIdsAtOnce, max_tokens - token_count());
            if (!tokens_.resize(filled + 2 * capacity)) return Status::out_of_memory();
            status = encoder.read_with_offsets(ids_.data(), tokens_.data() + filled, capacity, CRAYON_UNIT_BYTES, &read);
            tokens_.truncate(filled + (status.ok() ? 2 * read.count : 0));
            for (size_t i = filled; shift > 0 && i < tokens_.size(); ++i) tokens_[i] += shift;
        }
        if (!status.ok() || fed == end) return status;
        if (read.more) continue;
        const size_t at = static_cast<size_t>(encoder.position() - text.origin);
        const u32 tokens = token_count() - static_cast<u32>(encoder.ids_beyond_position());
        if (at > read_begin_ && !checkpoints_.push_back({fed, at, tokens})) return Status::out_of_memory();
        const u64 read_tokens = token_count() - known;
        step = read_tokens > 0 ? (fed - from) * (max_tokens - token_count()) / read_tokens * 7 / 8 + kLeastRead : 2 * step;
    }
    return {};
}

// Begins text[begin, end) where reading had the last checkpoint that such a text has, too.
PartCutter::Checkpoint PartCutter::resume(Encoder& encoder, const Text& text, size_t begin, size_t end) {
    for (size_t i = begin == read_begin_ ? checkpoints_.size() : 0; i > 0; --i) {
        const Checkpoint& point = checkpoints_[i - 1];
        if (point.fed > end) continue;
        encoder.resume(text.origin + point.at);
        return point;
    }
    encoder.restart(text.origin + begin);
    return {begin, begin, 0};
}

Status PartCutter::count(Encoder& encoder, const Text& text, size_t begin, size_t end, u32 limit, u32* tokens, bool* fits) {
    const u32 max_tokens = limit < kMost ? limit + 1 : kMost;
    *fits = false;
    const Checkpoint point = resume(encoder, text, begin, end);
    *tokens = point.tokens;
    Status status = encoder.feed_utf8(text.view.bytes + point.at, end - point.at, true);
    work_ += end - point.at;
    for (Encoder::Read read{0, true}; status.ok() && read.more && *tokens < max_tokens;) {
        status = encoder.count(max_tokens - *tokens, &read);
        *tokens += status.ok() ? read.count : 0;
    }
    *fits = status.ok() && *tokens <= limit;
    return may_be_cut_off(status) ? Status{} : status;
}

// The first position from the end of a token on, before the next one begins, where a cluster or a code point ends. (A normalizer
// may have composed a character, whose token then has the place of its first code point.)
size_t PartCutter::end_at(const TextView& view, u32 token, bool by_cluster) const {
    size_t at = token_end(token);
    const size_t last = token + 1 < token_count() ? std::max(at, token_begin(token + 1)) : at;
    for (; at <= last; at = view.character_end(at)) {
        if (view.is_boundary(at) && (!by_cluster || is_between_clusters(view, at))) return at;
    }
    return kNowhere;
}

// The last position up to the beginning of a token, after the token before.
size_t PartCutter::begin_at(const TextView& view, u32 token, bool by_cluster) const {
    const size_t least = token > 0 ? token_end(token - 1) : token_begin(token);
    for (size_t at = token_begin(token);; --at) {
        if (view.is_boundary(at) && (!by_cluster || is_between_clusters(view, at))) return at;
        if (at <= least) return kNowhere;
    }
}

Status PartCutter::choose(Encoder& encoder, const Text& text, const Candidates& candidates, u32 limit, Part* part) {
    const TextView& view = text.view;
    const auto [are_begins, fixed, window, best, count] = candidates;
    bool fits = false;
    const auto attempt = [&, are_begins = are_begins, fixed = fixed](size_t at) {
        part->begin = are_begins ? at : fixed;
        part->end = are_begins ? fixed : at;
        return this->count(encoder, text, part->begin, part->end, limit, &part->tokens, &fits);
    };
    for (const bool by_cluster : {true, false}) {
        u32 tries = 0, step;
        Part longest = {fixed, fixed, 0};
        size_t failed = window;  // the nearest end that is over the limit, as all that was read is
        bool is_best = true;     // no token ends there
        for (u32 i = 0; i < count && longest.begin == longest.end; i += step) {
            const size_t at = are_begins ? begin_at(view, best + i, by_cluster) : end_at(view, best - i, by_cluster);
            step = 1;
            is_best = is_best && at != failed;
            if (at == fixed || at == failed || at == kNowhere) continue;  // tokens of one character end together
            if (Status status = attempt(at); !status.ok() || (fits && is_best)) return status;
            if (fits) {
                longest = *part;
            } else {
                failed = at;
                is_best = false;
                if (++tries > kSingleSteps) step = u32{1} << std::min(tries - kSingleSteps, 31u);
            }
        }
        for (;;) {
            const size_t size = std::max<size_t>(2 * (longest.end - longest.begin), 1);
            if (size >= (are_begins ? fixed - failed : failed - fixed)) break;
            const size_t at = (are_begins ? begin_of : end_of)(view, fixed, size, failed, by_cluster);
            if (at == failed) break;
            // Many tokens may have the place of a whole run of characters.
            if (Status status = attempt(at); !status.ok() && longest.begin == longest.end) return status;
            if (!fits) break;
            longest = *part;
        }
        if (longest.begin < longest.end) {
            *part = longest;
            return {};
        }
    }
    // Nothing fits. Says how much the first character needs, or why it has no tokens.
    *part = {fixed, fixed, 0};
    if (are_begins) return {};
    encoder.restart(text.origin + fixed);
    Status status = encoder.feed_utf8(view.bytes + fixed, view.character_end(fixed) - fixed, true);
    for (Encoder::Read read{0, true}; status.ok() && read.more; part->tokens += read.count) status = encoder.count(kMost, &read);
    return status;
}

Status PartCutter::cut_end(Encoder& encoder, const Text& text, size_t begin, u32 limit, Windows* windows, Part* part,
                           bool* more) {
    const TextView& view = text.view;
    const u32 wanted = limit < kMost ? limit + 1 : kMost;
    Windows only;
    Windows& window = windows ? *windows : only;
    if (window.next == 0) window.next = kLeastWindow + kWindowPerToken * limit;
    for (;; window.next *= 2) {
        window_end_ = view.size;
        if (window.next < view.size - begin) {
            const size_t size = static_cast<size_t>(window.next), reach = std::min(begin + size + kLongCluster, view.size);
            window_end_ = end_of(view, begin, size, view.boundary_from(reach), true);
        }
        const bool is_rest = window_end_ == view.size;
        // The next character, all of it, decides where clusters end.
        const bool lacks_text = !text.last && view.size - window_end_ < kLongestCharacter;
        *more = lacks_text && windows;
        if (*more) return {};
        const Status status = read(encoder, text, begin, window_end_, !lacks_text, wanted);
        if (lacks_text && (token_count() < wanted || view.size - token_end(limit) < kLongestCharacter)) {
            *more = status.code != CRAYON_OUT_OF_MEMORY;
            return *more ? Status{} : status;
        }
        if (!status.ok()) {
            // A failure after the tokens of the part is none. The end of the window may be its cause.
            if (status.code == CRAYON_OUT_OF_MEMORY) return status;
            if (token_count() >= limit && limit > 0) break;
            if (is_rest) return status;
            continue;
        }
        if (token_count() > limit) break;
        window.size = window_end_ - begin;
        window.tokens = token_count();
        if (is_rest) {
            *part = {begin, window_end_, window.tokens};
            return {};
        }
    }
    const u32 count = std::min(limit, token_count());
    const Status status = choose(encoder, text, {false, begin, window_end_, count - 1, count}, limit, part);
    const bool is_short = window.size / kMostShortened > part->end - begin;
    if (status.ok() && is_short) *part = {begin, begin + window.size, window.tokens};
    return status;
}

Status PartCutter::cut_begin(Encoder& encoder, const Text& text, size_t begin, size_t end, u32 limit, Part* part, bool* more) {
    Part whole = {end, end, 0};
    size_t from;
    for (u64 window = kLeastEndWindow + kEndWindowPerToken * limit;; window *= 2) {
        const bool is_rest = window >= end - begin;
        from = begin;
        if (!is_rest) {
            const size_t size = static_cast<size_t>(window), least = end - std::min(size + kLongCluster, end - begin);
            from = begin_of(text.view, end, size, text.view.boundary_up_to(least), true);
        }
        if (more) *more = from - begin < kClusterReach;
        if (more && *more) return {};
        const Status status = read(encoder, text, from, end, true, kMost);
        // A window may begin inside a token whose characters are unknown.
        if (!status.ok() && (is_rest || !may_be_cut_off(status))) return status;
        if (!status.ok()) continue;
        if (token_count() <= limit) whole = {from, end, token_count()};
        if (is_rest && token_count() <= limit) {
            *part = whole;
            return {};
        }
        if (is_rest || token_count() >= u64{limit} + kUnsettled) break;
    }
    const Status status = choose_begin(encoder, text, from, end, limit, part);
    if (status.ok() && (end - whole.begin) / kMostShortened > end - part->begin) *part = whole;
    return status;
}

Status PartCutter::cut_last(Encoder& encoder, const Text& text, const Part& whole, u32 limit, Part* part) {
    const Checkpoint point = resume(encoder, text, whole.begin, whole.end);
    tokens_.truncate(2 * size_t{point.tokens});
    const Status status = read_on(encoder, text, point.at, whole.end, true, kMost);
    return status.ok() ? choose_begin(encoder, text, whole.begin, whole.end, limit, part) : status;
}

// Chooses among the last `limit` tokens read.
Status PartCutter::choose_begin(Encoder& encoder, const Text& text, size_t from, size_t end, u32 limit, Part* part) {
    const u32 count = std::min(limit, token_count());
    return choose(encoder, text, {true, end, from, token_count() - count, count}, limit, part);
}

}  // namespace crayon

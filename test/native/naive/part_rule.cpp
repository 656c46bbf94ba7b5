#include "naive/part_rule.h"

#include <algorithm>

#include "crayon/crayon.h"
#include "limits/clusters.h"
#include "naive/utf.h"

namespace crayon::naive {

PartRule::PartRule(std::string_view text, Encode encode)
    : text_(text), characters_(decode_utf8(text).offsets), encode_(std::move(encode)) {}

bool PartRule::is_between_characters(std::size_t at) const {
    return std::binary_search(characters_.begin(), characters_.end(), at);
}

bool PartRule::is_between_clusters(std::size_t at) const {
    return crayon::is_between_clusters({reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()}, at);
}

// The first position of a gap between two clusters, or two characters; kNowhere if there is none.
std::size_t PartRule::first_in(const Gap& gap, bool by_cluster) const {
    const auto [first, last] = gap;
    for (std::size_t at = first;; last < first ? --at : ++at) {
        if (is_between_characters(at) && (!by_cluster || is_between_clusters(at))) return at;
        if (at == last) return kNowhere;
    }
}

// The first position at or behind another, or before it, where a cluster ends, or a character; at most at `stop`.
std::size_t PartRule::next(std::size_t at, std::size_t stop, bool is_backwards, bool by_cluster) const {
    while (at != stop && !(is_between_characters(at) && (!by_cluster || is_between_clusters(at)))) is_backwards ? --at : ++at;
    return at;
}

// Where a window of this many bytes ends: where a cluster does if that is within 64 bytes.
std::size_t PartRule::end_of_window(std::size_t begin, std::uint64_t size) const {
    if (size >= text_.size() - begin) return text_.size();
    const std::size_t end = begin + static_cast<std::size_t>(size);
    return next(end, next(std::min(end + 64, text_.size()), text_.size(), false, false), false, true);
}
std::size_t PartRule::begin_of_window(std::size_t end, std::uint64_t size) const {
    if (size >= end) return 0;
    const std::size_t begin = end - static_cast<std::size_t>(size);
    return next(begin, next(begin - std::min<std::size_t>(begin, 64), 0, true, false), true, true);
}

PartRule::Cut PartRule::choose(const Candidates& candidates, std::uint64_t limit) const {
    Cut cut;
    const auto fits = [&](std::size_t at) {
        cut.part = candidates.are_begins ? Part{at, candidates.fixed} : Part{candidates.fixed, at};
        const EncodedText alone = encode(cut.part.begin, cut.part.end);
        cut.part.tokens = alone.tokens.size();
        // Text that ends inside a token whose characters are unknown does not fit. Other failures are those of the part.
        if (alone.status == CRAYON_OK || alone.tokens.size() > limit) return alone.tokens.size() <= limit;
        if (alone.status == CRAYON_UNKNOWN_CHARACTER) return false;
        cut.status = alone.status;
        cut.position = cut.part.begin + alone.position;
        return true;
    };
    const auto& [gaps, are_begins, fixed, stop] = candidates;
    for (const bool by_cluster : {true, false}) {
        std::size_t failures = 0, failed = stop, length = 0;
        bool is_best = true;
        Cut longest;
        const auto extends = [&](std::size_t at) {
            if (!fits(at)) return false;
            longest = cut;
            length = cut.part.end - cut.part.begin;
            return true;
        };
        for (std::size_t i = 0; i < gaps.size();) {
            const std::size_t at = first_in(gaps[i], by_cluster);
            is_best = is_best && at != failed;
            if (at == fixed || at == failed || at == kNowhere) {
                ++i;
                continue;
            }
            if (extends(at)) {
                if (is_best || cut.status != CRAYON_OK) return cut;
                break;
            }
            failed = at;
            is_best = false;
            ++failures;
            ++cut.failures;
            i += failures <= 8 ? 1 : std::size_t{1} << std::min<std::size_t>(failures - 8, 40);
        }
        // One unit, or twice as many bytes as fit, until those are too many.
        for (;;) {
            const std::size_t size = std::max<std::size_t>(2 * length, 1);
            if (size >= (are_begins ? fixed - failed : failed - fixed)) break;
            const std::size_t at = next(are_begins ? fixed - size : fixed + size, failed, are_begins, by_cluster);
            if (at == failed || (length > 0 && encode(std::min(at, fixed), std::max(at, fixed)).status != CRAYON_OK)) break;
            if (!extends(at)) break;
            if (cut.status != CRAYON_OK) return cut;
        }
        if (length > 0) {
            longest.failures = cut.failures;
            return longest;
        }
    }
    const EncodedText first = encode(fixed, candidates.are_begins ? fixed : next(fixed + 1, text_.size(), false, false));
    cut.part = {fixed, fixed, first.tokens.size()};
    cut.status = first.status;
    cut.position = fixed + first.position;
    return cut;
}

PartRule::Cut PartRule::from(std::size_t begin, std::uint64_t limit) const {
    std::size_t fitting = begin;  // the end of the last window within the limit, and its tokens
    std::size_t fitting_tokens = 0;
    for (std::uint64_t window = 64 + 6 * limit;; window *= 2) {
        const std::size_t end = end_of_window(begin, window);
        const bool is_rest = end == text_.size();
        const EncodedText encoded = encode(begin, end);
        const std::size_t count = encoded.tokens.size();
        if (encoded.status == CRAYON_OK && count <= limit) {
            if (is_rest) return {{begin, end, count}, 0, 0, text_.substr(begin)};
            fitting = end;
            fitting_tokens = count;
            continue;
        }
        if (count < limit || (limit == 0 && count == 0)) {  // a failure, which the end of the window may have caused
            if (is_rest) return {{}, encoded.status, begin + encoded.position};
            continue;
        }
        Candidates candidates = {{}, false, begin, end};
        for (std::size_t i = std::min<std::size_t>(limit, count); i > 0; --i) {
            const std::size_t last = encoded.tokens[i - 1].second;
            candidates.gaps.emplace_back(begin + last, begin + std::max(last, i < count ? encoded.tokens[i].first : last));
        }
        Cut cut = choose(candidates, limit);
        cut.is_window = cut.status == CRAYON_OK && (fitting - begin) / 4 > cut.part.end - begin;
        if (cut.is_window) cut.part = {begin, fitting, fitting_tokens};
        cut.window = text_.substr(begin, end - begin);
        return cut;
    }
}

PartRule::Cut PartRule::up_to(std::size_t end, std::uint64_t limit) const {
    std::size_t fitting = end, fitting_tokens = 0;
    for (std::uint64_t window = 256 + 6 * limit;; window *= 2) {
        const bool is_rest = window >= end;
        const std::size_t begin = begin_of_window(end, window);
        const EncodedText encoded = encode(begin, end);
        if (encoded.status != CRAYON_OK) {  // a window may begin inside a token whose characters are unknown
            if (is_rest) return {{}, encoded.status, encoded.position};
            continue;
        }
        const std::size_t count = encoded.tokens.size();
        if (count <= limit) {
            if (is_rest) return {{begin, end, count}};
            fitting = begin;
            fitting_tokens = count;
        }
        if (!is_rest && count < limit + 16) continue;
        Cut cut = choose_begin(begin, end, encoded, limit);
        cut.is_window = cut.status == CRAYON_OK && (end - fitting) / 4 > end - cut.part.begin;
        if (cut.is_window) cut.part = {fitting, end, fitting_tokens};
        return cut;
    }
}

PartRule::Cut PartRule::last_of(const Part& part, std::uint64_t limit) const {
    return choose_begin(part.begin, part.end, encode(part.begin, part.end), limit);
}

// Among the last tokens of text[begin, end).
PartRule::Cut PartRule::choose_begin(std::size_t begin, std::size_t end, const EncodedText& encoded, std::uint64_t limit) const {
    const std::size_t count = encoded.tokens.size();
    Candidates candidates = {{}, true, end, begin};
    for (std::size_t i = count - std::min<std::size_t>(limit, count); i < count; ++i) {
        const std::size_t first = encoded.tokens[i].first;
        candidates.gaps.emplace_back(begin + first, begin + std::min(first, i > 0 ? encoded.tokens[i - 1].second : first));
    }
    return choose(candidates, limit);
}

PartRule::Split PartRule::split(std::uint64_t limit, std::uint64_t overlap) const {
    Split split;
    std::size_t begin = 0, end = 0;
    while (end < text_.size()) {
        const Cut cut = from(begin, limit);
        split.status = cut.status;
        split.position = cut.position;
        split.most_failures = std::max(split.most_failures, cut.failures);
        split.windows += cut.is_window;
        if (cut.status != CRAYON_OK) break;
        if (cut.part.end <= end && begin < end) {  // with the overlap, nothing more fits
            begin = end;
            continue;
        }
        split.parts.push_back(cut.part);
        if (cut.part.end == cut.part.begin) break;
        begin = end = cut.part.end;
        const std::size_t tokens = cut.part.tokens, apart = std::min<std::size_t>(tokens, limit - overlap);
        const std::size_t repeated = std::min<std::size_t>(overlap, std::max(tokens / 2, tokens - apart));
        if (repeated == 0 || end == text_.size()) continue;
        const Cut tail = last_of(cut.part, repeated);
        if (tail.status == CRAYON_OK && tail.part.begin > cut.part.begin) begin = tail.part.begin;
    }
    return split;
}

}  // namespace crayon::naive

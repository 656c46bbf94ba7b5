// Converts offsets to the raw text if some of the text was rewritten, and finds where a part's encoding depends on the text
// around it (text_tokens.h). A module that does not rewrite text omits this file (stubs/).
#include <algorithm>
#include <cstring>

#include "fit/fit_cache.h"
#include "fit/text_numbers.h"
#include "fit/text_tokens.h"

namespace crayon {

namespace {

// How far ahead added tokens are searched for, for later parts.
constexpr u32 kWordsAhead = 512;
constexpr u32 kLongestCharacter = 4;
// Longer stretches are left to the encoder.
constexpr u32 kMostRewritten = 256;
// The most bytes read ahead for parts that continue others; half as much the next time.
constexpr u32 kMostSpliced = 16 * 1024;

}  // namespace

// The start of the character that contains an offset, if that character was rewritten.
u32 TextTokens::rewritten_raw(u32 offset) const {
    const u64 at = origin_ + offset;
    if (!rewrites_.is_inside(at)) return static_cast<u32>(rewrites_.raw(at));
    const Rewrites::Stretches row = rewrites_.after(at);
    const Rewritten* const all = row->characters;
    const auto ends_after = [](u64 offset, const Rewritten& each) { return offset < each.end; };
    const Rewritten& own = *std::upper_bound(all, all + row->count, at - row->begin, ends_after);
    return static_cast<u32>(row->raw_begin + own.raw_begin);
}

// The offset, or the start of the rewritten stretch that contains it.
u32 TextTokens::source_offset(u32 offset) const {
    const u64 at = origin_ + offset;
    return rewrites_.is_inside(at) ? static_cast<u32>(rewrites_.after(at)->begin - origin_) : offset;
}

// Converts a raw offset; false if it is inside a rewritten stretch.
bool TextTokens::find_raw(u32 start, u64* offset) const {
    *offset = rewrites_.position_of(start);
    return rewrites_.raw(*offset) == start;
}

// Takes over the encoder's rewrites from one of its offsets on.
bool TextTokens::take_rewrites(u64 from) {
    const Rewrites* const others = encoder_.rewrites();
    for (Rewrites::Stretches row = others ? others->after(from) : Rewrites::Stretches(); row; row.next()) {
        characters_.clear();
        if (!characters_.append(row->characters, row->count)) return false;
        // Marks change places, but each token must begin at or after the previous one.
        for (u32 i = 1; i < row->count; ++i) {
            characters_[i].raw_begin = std::max(characters_[i].raw_begin, characters_[i - 1].raw_begin);
        }
        const u64 raw_length = row->raw_end - row->raw_begin;
        if (!rewrites_.add(row->begin + shift_, raw_length, row->units, characters_)) return false;
    }
    return true;
}

bool TextTokens::depends_on_edges() const {
    const Normalizer* const normalizer = tokenizer().normalizer();
    return tokenizer().puts_space_first() || (normalizer && normalizer->depends_on_edges());
}

// Whether a part's share of a rewritten stretch may be normalized by itself: it is not searched for added tokens then.
bool TextTokens::normalizes_alone() const {
    const AddedPolicy& policy = encoder_.policy();
    return tokenizer().normalizer() && has_pieces() && !policy.has_late() && !policy.finds_words() && !depends_on_edges();
}

// The part begins inside a rewritten stretch: normalizes the rest of the stretch by itself, and puts it in front of the
// known text. False if this needs an encoder.
bool TextTokens::splice(u32 start) {
    if (!normalizes_alone()) return false;
    const u64 offset = rewrites_.position_of(start), raw_end = rewrites_.raw(offset);
    if (offset <= origin_ + part_begin_ || offset >= origin_ + settled() || raw_end - start > kMostRewritten) return false;
    const u32 end = static_cast<u32>(offset - origin_);
    if (is_in_added(end - 1) ||
        (!added_.empty() && added_after(end - 1) < added_.size() && added_[added_after(end - 1)].end == end))
        return false;
    bool changed;
    cache_.work() += raw_end - start;
    if (!tokenizer().normalizer()->rewrite(source_.bytes, start, raw_end, 0, scratch_, &changed).ok()) return false;
    const u32 length = static_cast<u32>(scratch_.bytes.size());
    if (length > end - closed_up_to(end)) return false;
    if (!changed) scratch_.characters.clear();
    for (u32 i = 1; i < scratch_.characters.size(); ++i) {
        scratch_.characters[i].raw_begin = larger(scratch_.characters[i].raw_begin, scratch_.characters[i - 1].raw_begin);
    }
    if (!rewrites_.cut(offset, length, start, scratch_.units, scratch_.characters)) return false;
    std::memcpy(text_.data() + end - length, scratch_.bytes.data(), length);
    // Keeps the pieces and tokens that end with the stretch, or after it.
    token_ = token_after(end - 1);
    ids_begin_ = ids_end_ = 0;
    piece_ = after(pieces_, piece_, end - 1);
    advance_ = end - length > part_begin_ ? end - length - part_begin_ : 0;
    part_begin_ = end - length;
    ahead_ = smaller(ahead_, kMostSpliced) * 2;
    joined_ = larger(joined_, end);
    if (piece_ == pieces_.size()) open_begin_ = smaller(open_begin_, part_begin_);
    is_inside_ = false;
    run_ = 0;
    return true;
}

// Whether the text up to an offset (`at_end`), or from there on, may have other added tokens than the whole text. The cause
// is a token rejected because it is part of a word: it hides tokens that begin inside it, and would match if it ended at
// the offset.
bool TextTokens::is_in_word(u32 offset, bool at_end) {
    const AddedPolicy& policy = encoder_.policy();
    if (!policy.finds_words()) return false;
    // The search is in text other than the raw text, or between other tokens.
    if (policy.has_stages() || (tokenizer().normalizer() && policy.has_late())) return true;
    const u32 longest = tokenizer().added().longest(), at = raw(offset), length = source_.length;
    if (!source_.last && length - at < longest + kLongestCharacter) return true;
    // Inside a token of the whole text there is no other token, at any cut.
    const u32 from = larger(raw(closed_up_to(offset)), larger(longest, at) - longest);
    for (const Span& each : no_words_) {
        if (each.begin <= from && at < each.end) return false;
    }
    // Both questions are asked about the boundary between two parts.
    if (words_at_.offset != origin_ + offset || words_at_.length != length) {
        words_at_ = {origin_ + offset, length, true, true};
        const u32 left = length - at, end = at + smaller(left, kWordsAhead + longest);
        const AddedSearch::Found next = find_added(from, end);
        const u32 known = next.token ? static_cast<u32>(next.position) : end == length && source_.last ? end + 1 : end - longest;
        no_words_[at_end] = {from, known};
        if (known <= at) compare_words(offset, from, &words_at_);
    }
    return !(at_end ? words_at_.ends_alike : words_at_.begins_alike);
}

// The first added token of the raw text from an offset on, with the text ending at `end`.
AddedSearch::Found TextTokens::find_added(u32 from, u32 end) const {
    return cache_.finder().find(tokenizer(), encoder_.policy(), source_.bytes, from, end, true, true);
}

// Whether one begins between two offsets, even if it extends past them.
bool TextTokens::begins_added(u32 from, u32 to) const {
    const u32 longest = tokenizer().added().longest(), left = source_.length - to;
    const AddedSearch::Found next = find_added(from, to + smaller(left, longest));
    return next.token && next.position < to;
}

// Compares the added tokens of the text that ends at an offset, and of the text that begins there, with the tokens of the
// whole text, which are known up to there: none begins after `from`, in the raw text. They can differ only where a
// candidate rejected in the whole text, because it is part of a word, touches or crosses the offset.
void TextTokens::compare_words(u32 offset, u32 from, WordsAt* words) const {
    WholeWords whole;
    whole.set_characters(tokenizer().view().words);
    const u8* const text = source_.bytes;
    const u32 longest = tokenizer().added().longest(), part = raw(part_begin_), at = raw(offset), length = source_.length;
    const u32 next = added_.empty() ? 0 : added_after(offset);
    const bool is_token = next < added_.size() && added_[next].begin <= offset;
    if (is_token && added_[next].begin < offset) {
        words->ends_alike = words->begins_alike = false;
        return;
    }
    while (from < at || !is_token) {
        const AddedSearch::Found found = find_added(from, at + smaller(length - at, longest));
        if (!found.token || found.position > at - is_token) return;
        const u32 begin = static_cast<u32>(found.position), end = begin + found.token->length;
        from = begin + 1;
        const bool is_word = (found.token->flags & layout::kSingleWord) != 0;
        if (end < at) continue;
        if (begin == at) {
            // Matches unless a word continues after it.
            const bool hides =
                is_word && whole.is_after_word(text, raw(0), at) && !whole.is_before_word(text + end, length - end);
            words->begins_alike = words->begins_alike && !hides;
        } else if (end == at) {
            // Matches unless a word continues before it.
            const bool stays = is_word && begin > part && whole.is_after_word(text, part, begin);
            words->ends_alike = words->ends_alike && (begin < part || stays);
        } else {
            // The tokens it hides would match.
            const AddedSearch::Found shorter = find_added(larger(begin, part), at);
            words->ends_alike = words->ends_alike && !shorter.token;
            words->begins_alike = words->begins_alike && !begins_added(at, end);
        }
    }
}

// Whether a text that begins at an offset gets a space in front only if the whole text has one there, too.
bool TextTokens::opens_alike(u32 offset) const {
    if (tokenizer().puts_space_first()) return text_[offset] == ' ' || rewrites_.opens_at(origin_ + offset);
    return !depends_on_edges();
}

// Whether counting a part that ends at an offset needs an encoder, and from where on.
bool TextTokens::takes_encoder(u32 end, Alone* alone) {
    if (depends_on_edges() && !tokenizer().puts_space_first()) return true;
    // Inside a rewritten stretch, the text is the same up to the start of the stretch.
    const u32 same_end = source_offset(end);
    const bool is_inside = same_end < end;
    if (!is_inside && !is_in_word(end, true)) return false;
    const u32 begin = decided_by(same_end);
    // (A word cut off there may expose an added token that begins before the stretch.)
    if (is_inside && has_pieces() && source_offset(begin) == begin && !encoder_.policy().finds_words() &&
        !tokenizer().puts_space_first()) {
        alone->kept = token_after(begin) - token_;
        alone->begin = raw(begin) - raw(part_begin_);
    }
    return true;
}

}  // namespace crayon

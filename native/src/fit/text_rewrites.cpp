// Offsets in the raw text of what is known of a text (text_tokens.h), if some of it has been rewritten, and where what it is
// encoded to depends on the text around it. A module that rewrites no text does without (stubs/).
#include <algorithm>

#include "fit/fit_cache.h"
#include "fit/text_numbers.h"
#include "fit/text_tokens.h"

namespace crayon {

// Where the character begins that a place is inside of, if that has been rewritten.
u32 TextTokens::rewritten_raw(u32 place) const {
    const u64 at = origin_ + place;
    const Rewrite* const row = rewrites_.is_inside(at) ? rewrites_.after(at) : rewrites_.end();
    if (row == rewrites_.end()) return static_cast<u32>(rewrites_.raw(at));
    const Rewritten* const all = rewrites_.characters(*row);
    const auto ends_after = [](u64 offset, const Rewritten& each) { return offset < each.end; };
    const Rewritten& own = *std::upper_bound(all, all + row->count, at - row->begin, ends_after);
    return static_cast<u32>(row->raw_begin + own.raw_begin);
}

// The place, or where the rewritten stretch begins that it is inside of.
u32 TextTokens::source_place(u32 place) const {
    const u64 at = origin_ + place;
    return rewrites_.is_inside(at) ? static_cast<u32>(rewrites_.after(at)->begin - origin_) : place;
}

// The place of a raw one; false if that is inside of a rewritten stretch.
bool TextTokens::find_raw(u32 start, u64* place) const {
    *place = rewrites_.place_of(start);
    return rewrites_.raw(*place) == start;
}

// What has been rewritten of the text from a place of the encoder on.
bool TextTokens::take_rewrites(u64 from) {
    const Rewrites* const others = encoder_.rewrites();
    for (const Rewrite* row = others ? others->after(from) : nullptr; others && row != others->end(); ++row) {
        characters_.clear();
        if (!characters_.append(others->characters(*row), row->count)) return false;
        // Marks change places, but no token begins before the one before it.
        for (u32 i = 1; i < row->count; ++i) {
            characters_[i].raw_begin = std::max(characters_[i].raw_begin, characters_[i - 1].raw_begin);
        }
        const u64 raw_length = row->raw_end - row->raw_begin;
        if (!rewrites_.add(row->begin + shift_, raw_length, row->units, characters_)) return false;
    }
    return true;
}

// Whether the text up to a place (`at_end`), or from there on, may have other added tokens than the whole text, because
// one is not found that is part of a word: it hides those that begin inside of it, and would be found if it ended
// there.
bool TextTokens::is_in_word(u32 place, bool at_end) {
    if (!encoder_.policy().finds_words()) return false;
    if (tokenizer().normalizer() || encoder_.policy().has_stages()) return true;
    // Both questions are asked of the place between two parts.
    const u32 longest = tokenizer().added().longest(), size = smaller(size_, place + longest);
    const WordsAt known = {origin_ + place, size - place};
    if (words_at_.place != known.place || words_at_.size != known.size) {
        words_at_ = known;
        // What another token does not hide there may have been found inside of it. (A token that what is cut off ends with is one
        // of the whole text, or the beginning of one.)
        for (u32 from = place - smaller(place, longest);;) {
            const AddedSearch::Found found =
                cache_.finder().find(tokenizer(), encoder_.policy(), text_.data(), from, size, true, true);
            if (!found.token || found.position > place) break;
            const u32 begin = static_cast<u32>(found.position), end = begin + found.token->length;
            words_at_.ends_alike = words_at_.ends_alike && !(begin < place && end >= place);
            words_at_.begins_alike = words_at_.begins_alike && end <= place;
            from = begin + 1;
        }
    }
    return !(at_end ? words_at_.ends_alike : words_at_.begins_alike);
}

// Whether a text that begins at a place gets a space in front if it has one there in the whole text, too.
bool TextTokens::opens_alike(u32 place) const {
    return !tokenizer().puts_space_first() || text_[place] == ' ' || rewrites_.grows_at(origin_ + place);
}

// Whether it takes an encoder to count a part that ends at a place, and from where on.
bool TextTokens::takes_encoder(u32 end, Alone* alone) {
    // Inside of a rewritten stretch, the text is the same up to where that begins.
    const u32 same_end = source_place(end);
    const bool is_inside = same_end < end;
    if (!is_inside && !is_in_word(end, true)) return false;
    const u32 begin = decided_by(same_end);
    if (is_inside && has_pieces() && source_place(begin) == begin && !is_in_word(begin, false) &&
        !tokenizer().puts_space_first()) {
        alone->kept = token_after(begin) - token_;
        alone->begin = raw(begin) - raw(place_);
    }
    return true;
}

}  // namespace crayon

// What the encoder does where added tokens are found only as whole words (scan/whole_words.h).
#include "encoder.h"

namespace crayon {

// The next added token of the unready text from `from` on, in which a token is text[hit.begin, hit.end).
Status Encoder::find_raw(size_t at, size_t from, size_t end, u64 raw_begin, Stripped* hit) {
    const WholeWords::Search search = {&added_, wanted_raw_.data(), unready(), raw_begin, from, end, last_};
    AddedTokens::Found found;
    if (!words_) {
        found = added_.find(search.text, from, end, last_, search.wanted);
    } else if (!raw_words_.find(search, &found)) {
        return Status::out_of_memory();
    }
    *hit = strip(found, at, from, end);
    if (words_) raw_words_.advance(search, hit->token ? hit->end : hit->position, !hit->token && last_);
    return {};
}

// The next added token after the normalizer, from the end of the segment on, in text that ends at `end` if it is `last`.
Status Encoder::find_late(size_t end, bool last, AddedTokens::Found* hit) {
    const WholeWords::Search search = {&added_, wanted_late_.data(), text_.data(), offset_, segment_end_, end, last};
    if (!words_) {
        *hit = added_.find(search.text, search.from, end, last, search.wanted);
        return {};
    }
    if (!late_words_.find(search, hit)) return Status::out_of_memory();
    late_words_.advance(search, hit->position + (hit->token ? hit->token->length : 0), hit->token || last);
    return {};
}

// How many of the pieces that end at ends[0, count) are up to the last stop there; all if there is none.
u32 Encoder::up_to_stop(const u32* ends, u32 count) const {
    for (u32 i = count; i > 0; --i) {
        if (is_stop(offset_ + ends[i - 1])) return i;
    }
    return count;
}

// Whether the text from a place on is encoded as in the whole text (parallel/chain.h).
bool Encoder::is_stop(u64 place) const {
    if (rewrites_.is_inside(place)) return false;
    if (!words_) return true;
    if (place == offset_ + size_ && !last_) return false;  // not searched yet
    return !late_words_.holds(place) && !raw_words_.holds(rewrites_.raw(place));
}

}  // namespace crayon

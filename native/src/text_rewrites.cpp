// Offsets in the raw text of what is known of a text (text_tokens.h), if some of it has been rewritten. A module that
// rewrites no text does without (absent/).
#include <algorithm>

#include "encoder.h"
#include "text_tokens.h"

namespace crayon {

// Where the character begins that a place is inside of, if that has been rewritten.
u32 TextTokens::rewritten_raw(u32 place) const {
    const u64 at = origin_ + place;
    const Rewrite* const row = rewrites_.is_inside(at) ? rewrites_.after(at) : rewrites_.end();
    if (row == rewrites_.end()) return static_cast<u32>(rewrites_.raw(at));
    const Nfc::Rewritten* const all = rewrites_.characters(*row);
    const auto ends_after = [](u64 offset, const Nfc::Rewritten& each) { return offset < each.end; };
    const Nfc::Rewritten& own = *std::upper_bound(all, all + row->count, at - row->begin, ends_after);
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
    const Rewrites& others = encoder_.rewritten();
    for (const Rewrite* row = others.after(from); row != others.end(); ++row) {
        characters_.clear();
        if (!characters_.append(others.characters(*row), row->count)) return false;
        // Marks change places, but no token begins before the one before it.
        for (u32 i = 1; i < row->count; ++i) {
            characters_[i].raw_begin = std::max(characters_[i].raw_begin, characters_[i - 1].raw_begin);
        }
        const u64 raw_length = row->raw_end - row->raw_begin;
        if (!rewrites_.add(row->begin + shift_, raw_length, row->units, characters_)) return false;
    }
    return true;
}

}  // namespace crayon

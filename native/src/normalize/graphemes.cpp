#include "normalize/graphemes.h"

#include "normalize/character_data.h"

namespace crayon {

namespace {

// Numbered as in the generated table.
enum GraphemeClass : u32 {
    kOther,
    kCarriageReturn,
    kLineFeed,
    kControl,
    kExtend,
    kJoiner,
    kRegionalIndicator,
    kPrepended,
    kSpacingMark,
    kLeadJamo,
    kVowelJamo,
    kTailJamo,
    kOpenSyllable,
    kClosedSyllable,
    kPictograph,
};

u32 grapheme_class(u32 code) {
    using namespace character_data;
    if (code >= ' ' && code < 0x7F) return kOther;
    if (code >= 0xAC00 && code <= 0xD7A3) return (code - 0xAC00) % 28 == 0 ? kOpenSyllable : kClosedSyllable;
    const u32* const row = row_of(kGraphemes, kGraphemesCount, 3, code);
    return row ? row[2] : kOther;
}

bool is_consonant(u32 code) {
    using namespace character_data;
    for (u32 i = 0; i < kConsonantsCount; i += 2) {
        if (code >= kConsonants[i] && code <= kConsonants[i + 1]) return true;
    }
    return false;
}

bool is_linker(u32 code) {
    using namespace character_data;
    for (u32 i = 0; i < kLinkersCount; ++i) {
        if (code == kLinkers[i]) return true;
    }
    return false;
}

bool join_as_syllable(u32 before, u32 after) {
    if (before == kLeadJamo)
        return after == kLeadJamo || after == kVowelJamo || after == kOpenSyllable || after == kClosedSyllable;
    if (before == kOpenSyllable || before == kVowelJamo) return after == kVowelJamo || after == kTailJamo;
    return (before == kClosedSyllable || before == kTailJamo) && after == kTailJamo;
}

}  // namespace

bool joins_graphemes(u32 code) {
    if (code < 0x80) return code == '\r' || code == '\n';
    const u32 kind = grapheme_class(code);
    return kind != kOther && kind != kControl && kind != kPictograph && kind != kOpenSyllable && kind != kClosedSyllable;
}

bool joins_what_follows(u32 code) { return grapheme_class(code) == kPrepended; }

bool joins_what_precedes(u32 code) {
    const u32 kind = grapheme_class(code);
    return kind == kExtend || kind == kJoiner || kind == kSpacingMark;
}

size_t Graphemes::end_of(size_t begin) const {
    u32 before = grapheme_class(text_[begin].code);
    u32 indicators = before == kRegionalIndicator;
    bool has_pictograph = before == kPictograph, is_joined = false;  // followed only by extenders; and then by a joiner
    bool has_consonant = is_consonant(text_[begin].code), is_linked = false;
    size_t at = begin + 1;
    for (; at < text_.size(); ++at) {
        const u32 code = text_[at].code, kind = grapheme_class(code);
        const bool extends = kind == kExtend || kind == kJoiner;
        if (before == kCarriageReturn || before == kLineFeed || before == kControl) {
            if (before != kCarriageReturn || kind != kLineFeed) break;
        } else if (kind == kCarriageReturn || kind == kLineFeed || kind == kControl ||
                   (!extends && kind != kSpacingMark && before != kPrepended && !join_as_syllable(before, kind) &&
                    !(is_linked && is_consonant(code)) && !(is_joined && kind == kPictograph) &&
                    !(before == kRegionalIndicator && kind == kRegionalIndicator && indicators % 2 == 1))) {
            break;
        }
        indicators = kind == kRegionalIndicator ? indicators + 1 : 0;
        is_joined = has_pictograph && kind == kJoiner;
        has_pictograph = kind == kPictograph || (has_pictograph && kind == kExtend);
        if (is_consonant(code)) {
            has_consonant = true;
            is_linked = false;
        } else if (extends) {
            is_linked = has_consonant && (is_linked || is_linker(code));
        } else {
            has_consonant = is_linked = false;
        }
        before = kind;
    }
    return at;
}

}  // namespace crayon

// The scan of a pattern that comes as data: an automaton that reads a class of characters at a time.
//
// From a place on, the automaton takes the text until it stops; the match ends where its table last said so, before the
// character that was read then. If it never did, no match begins there, and the character is part of a gap. What has been
// read after the end of a match is read again by the next one; a pattern that could do so again and again is not compiled
// (lib/patterns/read-ahead.ts), and is refused by the gate (cartridge/pattern_check.h).
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "scan/pattern_tables.h"
#include "scan/scanner.h"
#include "scan/step.h"

namespace crayon::CRAYON_KERNEL {

// Where the match from `begin` on ends: `begin` if there is none, kNeedMoreText if that depends on text that follows.
[[gnu::always_inline]] inline size_t match_end(const PatternTables& pattern, const u8* text, size_t size, bool last,
                                               size_t begin) {
    const u8* const ascii = pattern.blocks;
    const u16* const table = pattern.table;
    const size_t readable = last ? size : size - (size < 3 ? size : 3);  // a character that begins before it is whole
    u32 state = pattern.start;
    size_t end = begin;
    for (size_t at = begin; at < readable;) {
        const u32 byte = text[at];
        u32 kind, length = 1;
        if (byte < 0x80) [[likely]] {
            kind = ascii[byte];
        } else {
            const Character character = decode_character(text + at);
            kind = pattern.class_of(character.code_point);
            length = character.length;
        }
        const u32 entry = table[state + kind];
        if (entry & layout::kPatternEnds) end = at;
        state = entry & ~layout::kPatternEnds;
        if (state == 0) return end;
        at += length;
    }
    if (!last) return kNeedMoreText;
    return table[state + pattern.end] & layout::kPatternEnds ? size : end;
}

inline u32 scan_pattern(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity) {
    const PatternTables pattern = *state.pattern;
    const bool ends_with_matches = (pattern.cuts & layout::kCutBetweenMatches) && (pattern.cuts & layout::kCutBeforeGaps);
    u32* out = boundaries;
    u32* const full = boundaries + capacity - kMinBoundaries;
    const auto cut = [&](size_t at) { *out++ = static_cast<u32>(state.start = at); };
    while (out <= full && state.position < size) {
        if (size < state.wanted && !last) break;
        const size_t begin = state.position, end = match_end(pattern, text, size, last, begin);
        if (end == kNeedMoreText) {
            // Tried again when the text from here on has doubled: linear in total.
            state.wanted = begin + 2 * (size - begin);
            break;
        }
        if (end > begin) {
            if (state.part == ScanState::kMatch && (pattern.cuts & layout::kCutBetweenMatches)) cut(begin);
            if (state.part == ScanState::kGap && (pattern.cuts & layout::kCutAfterGaps)) cut(begin);
            state.position = end;
            state.part = ScanState::kMatch;
            if (ends_with_matches) {
                cut(end);
                state.part = ScanState::kNothing;
            }
        } else {
            if (state.part == ScanState::kMatch && (pattern.cuts & layout::kCutBeforeGaps)) cut(begin);
            state.position = begin + decode_character(text + begin).length;
            state.part = ScanState::kGap;
        }
    }
    if (last && state.position == size && state.start < size && out <= full) cut(size);
    return static_cast<u32>(out - boundaries);
}

}  // namespace crayon::CRAYON_KERNEL

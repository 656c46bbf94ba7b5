// The scan of patterns stored as data: an automaton that reads one character class at a time.
//
// Patterns on ByteLevel's output read a byte at a time instead (kReadsBytes).
//
// From a position, the automaton reads text until it stops; the match ends where its table last said so, before the
// character read then. If it never did, no match begins there, and the character is part of a gap. The next match rereads
// the text past the end of this one; a pattern that could do so again and again is rejected by the compiler
// (lib/vocabularies/patterns/read-ahead.ts) and by the validator (cartridge/section_checks.h).
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "scan/pattern_tables.h"
#include "scan/scanner.h"

namespace crayon::CRAYON_KERNEL {

inline constexpr size_t kNeedMoreText = ~size_t{0};

// The end of the match from `begin`: `begin` if there is none, kNeedMoreText if it depends on later text.
[[gnu::always_inline]] inline size_t match_end(const PatternTables& pattern, const u8* text, size_t size, bool last,
                                               size_t begin) {
    const u8* const single = pattern.blocks;
    const u16* const table = pattern.table;
    const size_t readable = last ? size : size - (size < 3 ? size : 3);  // a character that begins before it is complete
    u32 state = pattern.start;
    size_t end = begin;
    for (size_t at = begin; at < readable;) {
        const u32 byte = text[at];
        u32 kind, length = 1;
        if (byte < 0x80) [[likely]] {
            kind = single[byte];
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

// The scan of several patterns, each splitting the pieces of the previous one as separate texts. So a pattern is told the
// extent of its piece: up to `size`, where it ends (`last`) or may continue.
class PatternScan {
public:
    PatternScan(ScanState& state, const u8* text, u32* boundaries, u32 capacity)
        : state_(state), text_(text), out_(boundaries), full_(boundaries + capacity - kMinBoundaries) {
        if (state.has_progress) return;
        for (PatternProgress& each : state.progress) each = {.position = state.start};
        state.has_progress = true;
    }

    // Continues until the known text is scanned, or there is no room for boundaries: then false.
    template <u32 kIndex = 0>
    bool run(size_t size, bool last) {
        const PatternTables& pattern = state_.patterns->tables[kIndex];
        PatternProgress& at = state_.progress[kIndex];
        const bool is_innermost = kIndex + 1 == layout::kMaxPatterns || kIndex + 1 == state_.patterns->count;
        constexpr u32 kCutAfterMatches = layout::kCutBetweenMatches | layout::kCutBeforeGaps;
        const bool ends_with_matches = (pattern.cuts & kCutAfterMatches) == kCutAfterMatches;
        const auto close = [&](size_t end) {
            at.part = PatternProgress::kNothing;
            if (is_innermost) {
                cut(end);
            } else {
                at.closed = end;
                at.is_closed = true;
            }
        };
        for (;;) {
            if (out_ > full_) return false;
            if (at.is_closed) {
                if (!run_inner<kIndex>(at.closed, true)) return false;
                at.is_closed = false;
            }
            if (at.position >= size || (size < at.wanted && !last)) break;
            const size_t begin = at.position, end = match_end(pattern, text_, size, last, begin);
            if (end == kNeedMoreText) {
                // Retried when the text from here on has doubled: linear in total.
                at.wanted = begin + 2 * (size - begin);
                break;
            }
            const bool is_match = end > begin;
            if (pattern.cuts & cut_between(at.part, is_match)) {
                close(begin);
                if (!is_innermost) continue;
            }
            if (is_match) {
                at.part = PatternProgress::kMatch;
                at.position = end;
                if (ends_with_matches) close(end);
            } else {
                at.part = PatternProgress::kGap;
                at.position = gap_end(pattern, begin, size);
            }
        }
        const bool ends = last && at.position == size;
        if (ends) at = {.position = size};  // the rest is another piece
        if (!is_innermost) return run_inner<kIndex>(at.position, ends);
        if (ends && state_.start < size) cut(size);
        return true;
    }

    u32* out() const { return out_; }

private:
    template <u32 kIndex>
    bool run_inner(size_t size, bool last) {
        if constexpr (kIndex + 1 < layout::kMaxPatterns) return run<kIndex + 1>(size, last);
        return true;
    }
    void cut(size_t at) { *out_++ = static_cast<u32>(state_.start = at); }

    // The kind of cut between the previous part and the next, if one is possible.
    static u32 cut_between(PatternProgress::Part before, bool is_match) {
        if (before == PatternProgress::kMatch) return is_match ? layout::kCutBetweenMatches : layout::kCutBeforeGaps;
        return before == PatternProgress::kGap && is_match ? u32{layout::kCutAfterGaps} : 0;
    }

    // The position after the character at `begin`, and after any single bytes following it where no match begins either.
    size_t gap_end(const PatternTables& pattern, size_t begin, size_t size) const {
        size_t at = begin + (text_[begin] < 0x80 ? 1 : decode_character(text_ + begin).length);
        while (at < size && text_[at] < 0x80 && pattern.table[pattern.start + pattern.blocks[text_[at]]] == 0) ++at;
        return at;
    }

    ScanState& state_;
    const u8* const text_;
    u32* out_;
    u32* const full_;
};

inline u32 scan_pattern(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity) {
    PatternScan scan(state, text, boundaries, capacity);
    scan.run(size, last);
    state.position = state.progress[state.patterns->count - 1].position;
    return static_cast<u32>(scan.out() - boundaries);
}

}  // namespace crayon::CRAYON_KERNEL

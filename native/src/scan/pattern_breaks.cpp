#include "scan/pattern_breaks.h"

#include <cstring>

namespace crayon {

namespace {

constexpr u32 kTarget = 0xFFFF & ~layout::kPatternEnds;
constexpr u32 kCutAround = layout::kCutBetweenMatches | layout::kCutBeforeGaps;

// Whether a match that begins with such a character always succeeds, regardless of the text after it; or the character has
// no ids.
bool is_split(const PatternTables& pattern, u32 kind) {
    if (pattern.dropped[kind / 32] >> kind % 32 & 1) return true;
    const u32 state = pattern.table[pattern.start + kind] & kTarget;
    if (state == 0) return false;
    for (u32 next = 0; next <= pattern.end; ++next) {
        if ((pattern.table[state + next] & layout::kPatternEnds) == 0) return false;
    }
    return true;
}

}  // namespace

PatternBreaks::PatternBreaks(const layout::Pattern& section) {
    std::memset(breaks_, 0, sizeof breaks_);
    const PatternTables pattern(section);
    if ((pattern.cuts & kCutAround) != kCutAround || section.state_count > layout::kMaxPatternStates) return;
    u64 split[kClasses / 64] = {};
    for (u32 kind = 0; kind < pattern.end; ++kind) {
        if (is_split(pattern, kind)) split[kind / 64] |= u64{1} << kind % 64;
    }
    u64 matched[kClasses / 64] = {};  // in any context
    for (u32 kind = 0; kind < pattern.end; ++kind) {
        const bool is_dropped = pattern.dropped[kind / 32] >> kind % 32 & 1;
        matched[kind / 64] |= u64{!is_dropped && (split[kind / 64] >> kind % 64 & 1)} << kind % 64;
    }
    for (u32 kind = 0; kind < pattern.end; ++kind) {
        const bool is_dropped = pattern.dropped[kind / 32] >> kind % 32 & 1;
        if (matched[kind / 64] >> kind % 64 & 1) {
            std::memset(breaks_[kind], 0xFF, sizeof breaks_[kind]);
        } else if (!is_dropped && (pattern.cuts & layout::kCutAfterGaps)) {
            std::memcpy(breaks_[kind], matched, sizeof matched);
        }
    }
    // For each state, the characters at which it stops and ends a match exactly if the end of the text would.
    u64 stops[layout::kMaxPatternStates][kClasses / 64] = {};
    for (u32 state = 1; state < section.state_count; ++state) {
        const u16* const row = pattern.table + state * pattern.start;
        for (u32 kind = 0; kind < pattern.end; ++kind) {
            const bool stops_here = (row[kind] & kTarget) == 0 && ((row[kind] ^ row[pattern.end]) & layout::kPatternEnds) == 0;
            stops[state][kind / 64] |= u64{stops_here} << kind % 64;
        }
    }
    for (u32 state = 1; state < section.state_count; ++state) {
        const u16* const row = pattern.table + state * pattern.start;
        for (u32 kind = 0; kind < pattern.end; ++kind) {
            const u32 next = (row[kind] & kTarget) / pattern.start;
            for (u32 i = 0; next != 0 && i < kClasses / 64; ++i) breaks_[kind][i] &= stops[next][i];
        }
    }
}

}  // namespace crayon

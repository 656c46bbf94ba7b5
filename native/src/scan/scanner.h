// The pretokenizer: splits text into exactly the pieces that the family's pattern matches, in blocks of 64 bytes.
//
// None of the patterns has a lookbehind, so a boundary's position is the whole state of a scan: scanning can restart at any
// boundary and finds the same boundaries from there on. ScanState adds the state inside a piece, so that a text arriving in
// windows is never scanned twice.
#pragma once

#include "base/integers.h"
#include "scan/joined_bytes.h"
#include "scan/pattern_tables.h"

namespace crayon {

// The character before a block; each field is 0 or 1. All zero: there is none, the block starts a piece.
struct Before {
    u8 word = 0, number = 0, space = 0, blank = 0, newline = 0;
    u8 other = 0;     // not a word, number or whitespace
    u8 run = 0;       // such a character, in a run that later ones may join
    u8 lone = 0;      // such a character, first in its piece: a following word joins it
    u8 absorbed = 0;  // a newline (or slash) that belongs to the run of others before it
    u8 lower = 0;     // o200k: in the lower-case phase of a word
    u8 open = 0;      // o200k: a caseless letter in the upper-case phase of a word
    u8 cjk = 0;       // deepseek3: an ideograph or kana
    u8 rest = 0;      // deepseek3: none of the other kinds
    u8 joined = 0;    // deepseek3: an ASCII letter after a symbol that such letters join
};

// The progress of one of several patterns (scan/dfa_scanner.h).
struct PatternProgress {
    enum Part : u8 { kNothing, kMatch, kGap };

    size_t position = 0;   // the next possible start of a match
    size_t wanted = 0;     // as in ScanState
    size_t closed = 0;     // the end of the current piece, if `is_closed`
    Part part = kNothing;  // the part of the current piece that ends at `position`
    bool is_closed = false;
};

struct ScanState {
    size_t start = 0;     // the last boundary found: the start of the current piece
    size_t position = 0;  // the next byte to classify; every boundary before it is found, except `candidate`
    size_t wanted = 0;    // no progress is possible until the text has this many bytes or has ended
    // A run of whitespace without newlines, after a newline, begins here and extends to `position`: a boundary unless
    // another newline ends the run.
    size_t candidate = kNowhere;
    size_t contraction_end = kNowhere;  // o200k: the end of the last contraction suffix
    u64 forced = 0;                     // letters from `position` (bit 0) on that start a piece in any context
    u64 suppressed = 0;                 // positions from there on that do not start a piece
    u32 digits = 0;                     // characters in the current group of digits, if the last one is a number
    Before before;
    const JoinedBytes* joined_bytes = nullptr;  // without a pretokenizer
    const Patterns* patterns = nullptr;         // for patterns stored as data
    PatternProgress progress[layout::kMaxPatterns];
    bool has_progress = false;  // otherwise each pattern is at `start`

    static constexpr size_t kNowhere = ~size_t{0};

    // Restarts at a boundary.
    void restart(size_t at) {
        // Field by field: a struct copy would read words other than those written, and stall.
        start = position = at;
        wanted = 0;
        candidate = contraction_end = kNowhere;
        forced = suppressed = 0;
        digits = 0;
        has_progress = false;
        before = Before{};
    }
    // Skips the text up to `at`, the end of the last token of a piece that was cut anywhere (kLongestWhole).
    void skip_to(size_t at) {
        if (start < at) start = at;
        if (position < at) position = at;
    }
    // `removed` bytes, at most `start`, were dropped from the front of the text.
    void rebase(size_t removed) {
        start -= removed;
        position -= removed;
        for (PatternProgress& each : progress) {
            each.position -= removed;
            each.closed -= removed;
            each.wanted = each.wanted > removed ? each.wanted - removed : 0;
        }
        wanted = wanted > removed ? wanted - removed : 0;
        if (candidate != kNowhere) candidate -= removed;
        contraction_end = contraction_end != kNowhere && contraction_end >= removed ? contraction_end - removed : kNowhere;
    }
};

// Writes boundaries, ascending: each is the offset right after a piece. Stops when fewer than kMinBoundaries elements of
// `capacity` are left, or when the next boundary depends on later text. `text` has `size` bytes, followed by kScanPadding
// readable ones, which are zero if `last`. `last`: the text ends there; otherwise more may follow, and the last pieces stay
// open. Returns the number of boundaries; 0 means that there are no more (if capacity is at least kMinBoundaries). Cost:
// linear in the bytes for any input. Threads: no shared state.
using ScanFunction = u32 (*)(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity);

inline constexpr size_t kScanPadding = 64;
inline constexpr u32 kMinBoundaries = 128;
// For scan_unjoined: a longer piece may be cut anywhere, even inside a token.
inline constexpr u32 kLongestWhole = 255;

// The scan of a text that is one piece: without a pretokenizer, for WordPiece and Unigram, which depend on all of it.
inline u32 scan_whole(ScanState& state, const u8*, size_t size, bool last, u32* boundaries, u32) {
    state.position = size;
    if (!last || state.start == size) return 0;
    *boundaries = static_cast<u32>(state.start = size);
    return 1;
}

}  // namespace crayon

// A long piece by rank: overlapping windows of it are merged as separate pieces, and joined.
//
// Windows are joined at a token that both have at the same position. The first window's tokens up to there, followed by the
// second window's from there on, are the encoding: any two adjacent tokens are adjacent in the encoding of one window, and
// a sequence of tokens is an encoding if every adjacent pair is (see backtracking.h). The cut at the end of a window
// changes the few tokens near it, so two windows with some units in common nearly always have a token in common. If they do
// not, a window between them shares one with each of them, or another way of merging takes over.
//
// Windows do not wait for each other, so many can be merged at once.
#pragma once

#include <bit>

#include "base/integers.h"

namespace crayon {

// One thread. Holds nothing between pieces, and needs no initialisation.
class MergeWindows {
public:
    static constexpr u32 kUnits = 64;

    struct Window {
        u32 at;      // its first unit
        u32 size;    // number of its units
        u64 begins;  // the units where its tokens begin
        u32 tokens[kUnits];

        u32 count() const { return static_cast<u32>(std::popcount(begins)); }
        // The first token that begins at or after a unit.
        u32 token_from(u32 unit) const { return static_cast<u32>(std::popcount(begins & ((u64{1} << unit) - 1))); }
        u32 begin_of(u32 token) const {
            u64 left = begins;
            while (token-- > 0) left &= left - 1;
            return static_cast<u32>(std::countr_zero(left));
        }
    };

    // Merges units[0, count) in place, count > kUnits; returns the number of tokens, or 0 if the windows cannot be
    // joined. merge_all(windows, n) merges units[at, at + size) of each window: it sets the tokens and their starts.
    template <class MergeAll>
    u32 merge(u32* units, u32 count, const MergeAll& merge_all) {
        const auto set = [&](Window& window, u32 at) {
            window.at = at;
            window.size = count - at < kUnits ? count - at : kUnits;
        };
        const u32 window_count = 1 + (count - kUnits + kStep - 1) / kStep;
        u32 written = 0, from = 0;  // token `from` of the last window is the next to be written
        for (u32 done = 0; done < window_count;) {
            const u32 batch = window_count - done < kBatch ? window_count - done : kBatch;
            for (u32 i = 0; i < batch; ++i) set(windows_[1 + i], (done + i) * kStep);
            merge_all(windows_ + 1, batch);
            // Tokens are written over units that no window will read again: each token covers at least one unit before them.
            for (u32 i = done == 0 ? 2 : 1; i <= batch; ++i) {
                const Window* last = &windows_[i - 1];
                Seam seam = seam_of(*last, from, windows_[i]);
                if (!seam.found) {
                    const u32 beyond = last->token_from(kStep), token = beyond > from ? beyond - 1 : from;
                    set(between_, last->at + last->begin_of(token));
                    merge_all(&between_, 1);
                    if (between_.tokens[0] != last->tokens[token]) return 0;
                    written = write(*last, from, token, units, written);
                    last = &between_;
                    from = 0;
                    seam = seam_of(*last, from, windows_[i]);
                    if (!seam.found) return 0;
                }
                written = write(*last, from, seam.left, units, written);
                from = seam.right;
            }
            done += batch;
            windows_[0] = windows_[batch];
        }
        return write(windows_[0], from, windows_[0].count(), units, written);
    }

private:
    static constexpr u32 kStep = kUnits - 10, kBatch = 64;

    // The first token that two windows have in common: its index in each.
    struct Seam {
        bool found;
        u32 left, right;
    };

    static Seam seam_of(const Window& left, u32 from, const Window& right) {
        const u32 shift = right.at - left.at;
        u64 common = left.begins >> shift & right.begins & ((u64{1} << kStep) - 1);
        for (; common != 0; common &= common - 1) {
            const u32 unit = static_cast<u32>(std::countr_zero(common));
            const u32 i = left.token_from(unit + shift), k = right.token_from(unit);
            if (i >= from && left.tokens[i] == right.tokens[k]) return {true, i, k};
        }
        return {false, 0, 0};
    }

    static u32 write(const Window& window, u32 from, u32 to, u32* ids, u32 written) {
        for (u32 i = from; i < to; ++i) ids[written++] = window.tokens[i];
        return written;
    }

    Window windows_[1 + kBatch];  // the last window before a batch comes first
    Window between_;
};

}  // namespace crayon

// The segments of a text with known added tokens, reported incrementally by the search.
#include "encode/segments.h"

#include <gtest/gtest.h>

#include "generate_text.h"
#include "share.h"

namespace crayon::test::segments_test {
namespace {

struct Piece {
    std::size_t end;
    const layout::AddedToken* token;  // follows it
    bool is_forbidden;

    bool operator==(const Piece&) const = default;
};

TEST(Segments, EndWhereTheTokensBeginAndWithTheText) {
    layout::AddedToken token = {};
    token.length = 3;
    for (std::uint64_t seed = 0; seed < sample(3000, 200); ++seed) {
        Random random(seed);
        const std::size_t size = random.below(60);
        std::vector<Piece> expected, found;
        for (std::size_t at = 0;;) {
            const std::size_t begin = at + random.below(20);
            const bool is_forbidden = random.one_in(8);
            if (begin + token.length > size) break;
            expected.push_back({begin, is_forbidden ? nullptr : &token, is_forbidden});
            at = begin + token.length;
            if (is_forbidden) break;
        }
        const bool is_cut_short = !expected.empty() && expected.back().is_forbidden;
        if (!is_cut_short) expected.push_back({size, nullptr, false});

        Segments segments;
        segments.open(0);
        std::size_t dropped = 0;
        for (std::size_t known = 0; found.size() < expected.size();) {
            known = std::min(size, known + random.below(12));  // the search has reached this position
            const Piece& next = expected[found.size()];
            const std::size_t token_end = next.end + (next.token || next.is_forbidden ? token.length : 0);
            const bool is_found = (next.token || next.is_forbidden) && token_end <= known, last = known == size;
            const std::size_t before = segments.end(), position = is_found || last ? next.end : std::min(next.end, known);
            if (!is_found && last && (next.token || next.is_forbidden)) continue;
            const bool more =
                segments.grow({position - dropped, is_found ? &token : nullptr}, is_found && next.is_forbidden, last);
            ASSERT_EQ(more, segments.end() > before || segments.is_complete()) << "seed " << seed;
            if (!segments.is_complete()) {
                if (random.one_in(3)) {
                    const std::size_t removed = random.below(segments.end() + 1);
                    segments.rebase(removed);
                    dropped += removed;
                }
                continue;
            }
            ASSERT_EQ(segments.ends_text(), !next.token && !next.is_forbidden);
            found.push_back({segments.end() + dropped, segments.token(), segments.is_forbidden()});
            if (segments.token()) segments.open(segments.end() + token.length);
        }
        ASSERT_EQ(found, expected) << "seed " << seed;
    }
}

}  // namespace
}  // namespace crayon::test::segments_test

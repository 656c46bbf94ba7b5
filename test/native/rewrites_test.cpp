// Positions in rewritten texts compared with a naive list of stretches: single ones, and those that share rows.
#include "normalize/rewrites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "generate_text.h"
#include "share.h"

namespace crayon::test::rewrites_test {
namespace {

struct Stretch {
    u64 begin, end, raw_begin, raw_end;
};

// The rewritten parts of a text up to an end, and the list that records them.
struct Text {
    std::vector<Stretch> stretches;
    u64 end = 0, raw_end = 0;
    Rewrites rewrites;

    explicit Text(Random& random) {
        for (std::size_t n = random.below(12); n > 0; --n) {
            const u64 same = random.below(90);
            end += same;
            raw_end += same;
            random.one_in(3) ? add_one(random) : add_alike(random);
        }
        const u64 same = random.below(20);
        end += same;
        raw_end += same;
    }
    void add(u64 length, u64 raw_length) {
        stretches.push_back({end, end + length, raw_end, raw_end + raw_length});
        end += length;
        raw_end += raw_length;
    }
    void add_one(Random& random) {
        const u32 length = static_cast<u32>(1 + random.below(random.one_in(4) ? 200 : 5)),
                  raw = static_cast<u32>(1 + random.below(9));
        const Rewritten character = {length, 0, raw, 0, raw};
        ASSERT_TRUE(rewrites.add_at(end, raw_end, raw, raw, &character, 1, false));
        add(length, raw);
    }
    void add_alike(Random& random) {
        const u32 length = static_cast<u32>(1 + random.below(5)), raw = static_cast<u32>(1 + random.below(5));
        const Rewritten character = {length, 0, raw, 0, raw};
        const u64 begin = end, raw_begin = raw_end;
        u64 starts = 0;
        while (end - begin < Rewrites::kRowBytes) {
            starts |= u64{1} << (end - begin);
            add(length, raw);
            if (random.one_in(6)) break;
            const u64 same = random.below(9);
            if (end + same - begin >= Rewrites::kRowBytes) break;
            end += same;
            raw_end += same;
        }
        // A row ends with its last stretch.
        raw_end -= end - stretches.back().end;
        end = stretches.back().end;
        ASSERT_TRUE(rewrites.add_alike(begin, raw_begin, starts, {length, raw, raw, 1, &character}));
    }

    // The stretch that contains a position, and the rewritten text before it.
    const Stretch* around(u64 position) const {
        for (const Stretch& each : stretches) {
            if (each.begin < position && position < each.end) return &each;
        }
        return nullptr;
    }
    u64 raw(u64 position) const {
        if (const Stretch* inside = around(position)) return inside->raw_begin;
        u64 at = position;
        for (const Stretch& each : stretches) {
            if (each.end <= position) at = position - each.end + each.raw_end;
        }
        return at;
    }
    u64 position_of(u64 wanted) const {
        for (u64 at = 0;; ++at) {
            if (!around(at) && raw(at) >= wanted) return at;
        }
    }
};

TEST(Rewrites, PositionsFollowTheStretches) {
    for (std::uint64_t seed = 1; seed <= sample(2000); ++seed) {
        Random random(seed);
        const Text text(random);
        if (HasFatalFailure()) return;
        const Rewrites& rewrites = text.rewrites;
        for (std::size_t n = 0; n < 60; ++n) {
            const u64 at = random.below(text.end + 1), wanted = random.below(text.raw_end + 1);
            const Stretch* const inside = text.around(at);
            ASSERT_EQ(rewrites.is_inside(at), inside != nullptr) << seed << " " << at;
            ASSERT_EQ(rewrites.raw(at), text.raw(at)) << seed << " " << at;
            ASSERT_EQ(rewrites.raw_end(at), inside ? inside->raw_end : text.raw(at)) << seed << " " << at;
            ASSERT_EQ(rewrites.position_of(wanted), text.position_of(wanted)) << seed << " " << wanted;
            std::vector<Stretch> after;
            for (const Stretch& each : text.stretches) {
                if (each.end > at) after.push_back(each);
            }
            std::size_t index = 0;
            for (Rewrites::Iterator found = rewrites.after(at); found; found.next(), ++index) {
                ASSERT_LT(index, after.size()) << seed << " " << at;
                ASSERT_EQ(found->begin, after[index].begin) << seed << " " << at;
                ASSERT_EQ(found->end, after[index].end) << seed << " " << at;
                ASSERT_EQ(found->raw_begin, after[index].raw_begin) << seed << " " << at;
                ASSERT_EQ(found->raw_end, after[index].raw_end) << seed << " " << at;
                ASSERT_EQ(found->characters[0].end, found->end - found->begin) << seed << " " << at;
            }
            ASSERT_EQ(index, after.size()) << seed << " " << at;
        }
    }
}

}  // namespace
}  // namespace crayon::test::rewrites_test

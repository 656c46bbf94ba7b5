// The tree of a document's segments, beside a list of them: sums, searches, replacing at random, copies that share nodes.
#include "document/text_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "generate_text.h"
#include "share.h"

namespace crayon::test::text_tree_test {
namespace {

struct Segment {
    u32 bytes, units, ids, reach, mark;
};

TextLeaf* leaf_of(const Segment& segment) {
    TextLeaf* const leaf = TextLeaf::create(segment.ids, segment.bytes);
    leaf->sums.units = segment.units;
    leaf->reach = segment.reach;
    for (u32 i = 0; i < segment.ids; ++i) leaf->ids()[i] = segment.mark;
    return leaf;
}

Segment random_segment(Random& random, u32 mark) {
    const u32 bytes = static_cast<u32>(1 + random.below(9)), units = static_cast<u32>(random.below(bytes + 1));
    return {bytes, units, static_cast<u32>(random.below(bytes + 1)),
            bytes + static_cast<u32>(random.below(random.one_in(5) ? 60 : 4)), mark};
}

using List = std::vector<Segment>;

// The list from its first segment on, up to one that `stops`.
template <class Stops>
TextTree::Place place_in(const List& list, const Stops& stops) {
    TextTree::Place place = {nullptr, 0, {}};
    for (const Segment& segment : list) {
        if (stops(place, segment)) break;
        place.before = place.before + TextSums{segment.bytes, segment.units, segment.ids};
        ++place.index;
    }
    return place;
}

void expect_same(const TextTree::Place& found, const TextTree::Place& wanted, const List& list) {
    ASSERT_EQ(found.index, wanted.index);
    ASSERT_EQ(found.leaf == nullptr, wanted.index == list.size());
    ASSERT_EQ(found.before.bytes, wanted.before.bytes);
    ASSERT_EQ(found.before.units, wanted.before.units);
    ASSERT_EQ(found.before.ids, wanted.before.ids);
}

void expect_same(const TextTree& tree, const List& list, Random& random) {
    ASSERT_EQ(tree.leaves(), list.size());
    std::size_t next = 0;
    const u32 first = static_cast<u32>(random.below(list.size() + 1));
    tree.visit(first, [&](const TextLeaf& leaf) {
        const Segment& segment = list[first + next++];
        EXPECT_EQ(leaf.sums.bytes, segment.bytes);
        EXPECT_EQ(leaf.sums.ids, segment.ids);
        for (u32 i = 0; i < segment.ids; ++i) EXPECT_EQ(leaf.ids()[i], segment.mark);
        return !testing::Test::HasFailure();
    });
    ASSERT_EQ(first + next, list.size());
    const TextTree::Place end = place_in(list, [](const auto&, const auto&) { return false; });
    ASSERT_EQ(tree.sums().bytes, end.before.bytes);
    ASSERT_EQ(tree.sums().units, end.before.units);
    ASSERT_EQ(tree.sums().ids, end.before.ids);
    for (int n = 0; n < 4; ++n) {
        const u32 at = static_cast<u32>(random.below(end.before.bytes + 4));
        const auto same = [&](const TextTree::Place& found, const auto& stops) {
            expect_same(found, place_in(list, stops), list);
        };
        same(tree.at_byte(at), [&](const auto& place, const auto& segment) { return at < place.before.bytes + segment.bytes; });
        same(tree.at_unit(at), [&](const auto& place, const auto& segment) { return at < place.before.units + segment.units; });
        same(tree.at_id(at), [&](const auto& place, const auto& segment) { return at < place.before.ids + segment.ids; });
        same(tree.reaching(at), [&](const auto& place, const auto& segment) { return at < place.before.bytes + segment.reach; });
        same(tree.at_leaf(at), [&](const auto& place, const auto&) { return at == place.index; });
    }
}

TEST(TextTree, EqualsAListAfterEveryChange) {
    for (std::uint64_t seed = 1; seed <= sample(300, 4); ++seed) {
        Random random(seed);
        std::deque<std::pair<TextTree, List>> all;
        all.emplace_back();
        u32 mark = 0;
        for (int step = 0; step < 150; ++step) {
            if (all.size() < 5 && random.one_in(20)) {
                const std::size_t copied = random.below(all.size());
                all.emplace_back(TextTree(all[copied].first), all[copied].second);
            }
            auto& [tree, list] = all[random.below(all.size())];
            const std::size_t first = random.below(list.size() + 1);
            std::size_t last = std::min(list.size(), first + random.below(random.one_in(10) ? list.size() + 1 : 4));
            const std::size_t added = random.one_in(12) ? random.below(200) : random.one_in(2) ? last - first : random.below(4);
            List segments;
            std::vector<TextLeaf*> leaves;
            for (std::size_t i = 0; i < added; ++i) {
                segments.push_back(random_segment(random, ++mark));
                leaves.push_back(leaf_of(segments.back()));
            }
            ASSERT_TRUE(tree.replace(static_cast<u32>(first), static_cast<u32>(last), leaves));
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(last));
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(first), segments.begin(), segments.end());
            for (const auto& [each, its] : all) expect_same(each, its, random);
            ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
        }
    }
}

TEST(TextTree, StaysBalancedWhenItGrowsAtOneEnd) {
    for (const bool at_end : {false, true}) {
        TextTree tree;
        for (u32 i = 0; i < 5000; ++i) {
            TextLeaf* const leaf = leaf_of({1, 1, 1, 1, i});
            ASSERT_TRUE(tree.replace(at_end ? i : 0, at_end ? i : 0, {&leaf, 1}));
            ASSERT_LE(tree.height(), 1.4405 * std::log2(i + 2) + 1);  // of an AVL tree (Knuth 6.2.3)
        }
        for (u32 left = 5000; left > 1; --left) {
            ASSERT_TRUE(tree.replace(at_end ? 0 : left - 1, at_end ? 1 : left, {}));
            ASSERT_LE(tree.height(), 1.4405 * std::log2(left + 1) + 1);
        }
    }
}

}  // namespace
}  // namespace crayon::test::text_tree_test

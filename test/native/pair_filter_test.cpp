// The filter of pairs: it may pass pairs that do not merge, but never rejects one that does.
#include "model/bpe_pairs.h"

#include "open_bpe.h"

namespace crayon::test::pair_filter_test {
namespace {

// Units of a text: all tokens of one byte, one character, or a part of one.
bool is_unit(const std::string& token) {
    if (token.size() <= 1) return true;
    if (static_cast<u8>(token[0]) < 0x80 || token.size() > 4) return false;
    for (std::size_t i = 1; i < token.size(); ++i) {
        if ((static_cast<u8>(token[i]) & 0xC0) != 0x80) return false;
    }
    return true;
}

TEST(PairFilter, HasEveryPairOfUnitsThatMerges) {
    Random random(3);
    const std::vector<std::string> characters = {
        "a", "b", " ", "\xC3\xA9", "\xC3\xA8", "\xE4\xB8\xAD", "\xE8\xAA\x9E", "\xF0\x9F\x98\x80", "\xA9"};
    std::size_t merging = 0, others = 0, mistaken = 0;
    for (int i = 0; i < 12; ++i) {
        const Vocabulary vocabulary = grown_vocabulary(random, random_text(random, characters, 2000), 400, 40);
        OpenBpe bpe(vocabulary);
        PairFilter filter;
        EXPECT_FALSE(filter.built());
        ASSERT_TRUE(filter.ready(bpe.tables(), bpe.pairs()));
        std::vector<u32> units;
        for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
            if (!vocabulary.tokens[id].empty() && is_unit(vocabulary.tokens[id])) units.push_back(id);
        }
        for (const u32 left : units) {
            for (const u32 right : units) {
                const bool maybe = filter.maybe(bpe.pairs().hash(left, right));
                if (bpe.pairs().merged(left, right) != layout::kNone) {
                    ASSERT_TRUE(maybe) << left << " " << right;
                    ++merging;
                } else {
                    ++others;
                    mistaken += maybe;
                }
            }
        }
    }
    EXPECT_GT(merging, 100u);
    EXPECT_LT(mistaken, others / 100);
}

}  // namespace
}  // namespace crayon::test::pair_filter_test

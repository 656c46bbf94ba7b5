// The pieces of a segment by the published pattern, whatever part of it is known when, and however they are taken.
#include "encode/pieces.h"

#include "encode_stages_texts.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "share.h"

namespace crayon::test::pieces_test {
namespace {

TEST(Pieces, FollowThePattern) {
    for (const char* const family : {"cl100k", "o200k"}) {
        const auto* published = std::find_if(std::begin(naive::kPublishedPatterns), std::end(naive::kPublishedPatterns),
                                             [&](const naive::PublishedPattern& each) { return each.family == family; });
        const naive::Pattern pattern(published->pattern);
        Tokenizing own(compile(stages_vocabulary(), family));
        Pieces pieces(own.encoder()->encoder.tokenizer());
        for (std::uint64_t seed = 0; seed < sample(2000, 100); ++seed) {
            Random random(seed);
            const std::string text = TextGenerator(seed).utf8();
            const naive::Characters characters = naive::decode_utf8(text);
            std::vector<std::size_t> expected, found;
            for (const std::size_t end : pattern.split(characters.code_points)) expected.push_back(characters.offsets[end]);

            // Text may be dropped once its pieces are taken.
            std::string known;
            std::size_t dropped = 0, taken = 0;
            pieces.clear();
            pieces.open(0);
            for (const std::size_t cut : random_cuts(random, text.size())) {
                const bool last = cut == text.size();
                known = text.substr(dropped, cut - dropped) + std::string(kScanPadding, '\0');
                while (pieces.find(reinterpret_cast<const u8*>(known.data()), cut - dropped, last)) {
                    while (pieces.count() > 0) {
                        const u32 some = 1 + static_cast<u32>(random.below(pieces.count()));
                        for (u32 i = 0; i < some; ++i) found.push_back(dropped + pieces.ends()[i]);
                        pieces.take(some);
                    }
                }
                if (last) break;
                taken = found.empty() ? 0 : found.back();
                if (taken > dropped && random.one_in(2)) {
                    pieces.rebase(taken - dropped);
                    dropped = taken;
                }
            }
            ASSERT_EQ(found, expected) << family << ", seed " << seed << ": " << testing::PrintToString(text);
        }
    }
}

}  // namespace
}  // namespace crayon::test::pieces_test

// One search for added tokens: the tokens, with their whitespace, that the naive search finds in the whole text, wherever its
// windows end.
#include "encode/added_stage.h"

#include "encode_stages_texts.h"
#include "share.h"

namespace crayon::test::added_stage_test {
namespace {

using Spans = std::vector<std::array<std::size_t, 3>>;  // begin, end, id

TEST(AddedStage, FindsWhatTheNaiveSearchFinds) {
    std::size_t stripped = 0;
    for (std::uint64_t seed = 0; seed < sample(600, 60); ++seed) {
        Random random(seed);
        const AddedKind kind(random);
        Tokenizing own(compile(stages_vocabulary(), "cl100k", kind.tokens));
        const Tokenizer& tokenizer = own.encoder()->encoder.tokenizer();
        AddedPolicy policy(tokenizer);
        ASSERT_TRUE(policy.choose(CRAYON_SPECIAL_ALLOW, {}).ok());
        AddedStage stage(policy);
        stage.set(tokenizer.added(), policy.uses(), policy.allowance(), true);
        for (std::size_t round = 0; round < 20; ++round) {
            const std::string text = kind.text(random);
            Spans expected, found;
            for (const naive::Part& part : naive::added_matches(text, kind.additions)) {
                if (part.token < 0) continue;
                expected.push_back({part.begin, part.end, kind.tokens[part.token].id});
                stripped += part.end - part.begin > kind.tokens[part.token].bytes.size();
            }
            stage.restart();
            std::size_t at = 0;
            for (const std::size_t end : random_cuts(random, text.size())) {
                const std::string window = text.substr(0, end) + std::string(8, '\0');
                for (;;) {
                    const AddedStage::Hit hit =
                        stage.find({reinterpret_cast<const u8*>(window.data()), 0, at, end, end == text.size()});
                    if (!hit.token) {
                        ASSERT_LE(at, hit.begin);
                        stage.drop(hit.begin - at);  // none begins before
                        at = hit.begin;
                        break;
                    }
                    ASSERT_EQ(text.compare(hit.position, hit.token->length, tokenizer.token_bytes(hit.token->id)), 0);
                    found.push_back({hit.begin, hit.end, hit.token->id});
                    at = hit.end;
                    stage.begin_text();
                }
                if (end == text.size()) break;
            }
            ASSERT_EQ(found, expected) << "seed " << seed << " round " << round << ": " << testing::PrintToString(text);
            ASSERT_EQ(at, text.size());
        }
    }
    EXPECT_GT(stripped, at_least(500));
}

}  // namespace
}  // namespace crayon::test::added_stage_test

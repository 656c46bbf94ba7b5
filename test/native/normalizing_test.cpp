// Raw text prepared for encoding, wherever its windows end: the parts between added tokens in NFC, and the tokens without the
// whitespace around them. Then the normalizer table.
#include "encode/normalizing.h"

#include "encode_stages_texts.h"
#include "kernels/kernel.h"
#include "naive/nfc.h"
#include "share.h"

namespace crayon::test::normalizing_test {
namespace {

struct Ready {
    std::string text;
    std::vector<std::array<std::uint64_t, 3>> tokens;  // the offset in it, the offset in the raw text, id

    bool operator==(const Ready&) const = default;
};

TEST(Normalizing, PreparesTextByTheDefinition) {
    static const naive::Nfc nfc;
    std::size_t rewritten = 0;
    for (std::uint64_t seed = 0; seed < sample(600, 60); ++seed) {
        Random random(seed);
        const AddedKind kind(random);
        const std::uint32_t normalizer = random.one_in(2) ? layout::kNfc : layout::kNoNormalizer;
        Tokenizing own(compile(stages_vocabulary(), "cl100k", kind.tokens, normalizer));
        const Tokenizer& tokenizer = own.encoder()->encoder.tokenizer();
        AddedPolicy policy(tokenizer);
        ASSERT_TRUE(policy.choose(CRAYON_SPECIAL_ALLOW, {}).ok());
        if (!Normalizing::is_needed(tokenizer, policy)) continue;
        Normalizing* normalizing = nullptr;
        ASSERT_TRUE(Normalizing::create(tokenizer, policy, &normalizing).ok());
        normalizing->use_policy();
        for (std::size_t round = 0; round < 20; ++round) {
            const std::string raw = kind.text(random);
            Ready expected, ready;
            for (const naive::Part& part : naive::added_matches(raw, kind.additions)) {
                const std::string between = raw.substr(part.begin, part.end - part.begin);
                if (part.token < 0) {
                    expected.text += normalizer == layout::kNfc ? nfc(between) : between;
                    continue;
                }
                expected.tokens.push_back({expected.text.size(), part.begin, kind.tokens[part.token].id});
                expected.text += kind.tokens[part.token].bytes;
            }
            rewritten += expected.text != raw;

            FedText text;
            text.restart(0);
            normalizing->restart(0, true);
            std::size_t fed = 0, from = 0;
            for (const std::size_t end : random_cuts(random, raw.size())) {
                const bool last = end == raw.size();
                ASSERT_TRUE(text.feed_utf8(reinterpret_cast<const u8*>(raw.data()) + fed, end - fed, last).ok());
                ASSERT_TRUE(normalizing->make_ready(text).ok());
                for (fed = end; from < text.ready();) {
                    AddedSearch::Found found;
                    ASSERT_TRUE(normalizing->find_added(text, from, &found).ok());
                    from = found.position;
                    if (!found.token) break;
                    ready.tokens.push_back({from, normalizing->raw_position(from), found.token->id});
                    from += found.token->length;
                }
                if (last) break;
            }
            ready.text.assign(reinterpret_cast<const char*>(text.bytes()), text.ready());
            ASSERT_EQ(ready, expected) << "seed " << seed << " round " << round << ": " << testing::PrintToString(raw) << " to "
                                       << testing::PrintToString(ready.text);
            ASSERT_EQ(text.raw(), 0u);
            ASSERT_EQ(normalizing->raw_position(text.ready()), raw.size());
            ASSERT_EQ(normalizing->ready_position(raw.size()), text.ready());
        }
        delete normalizing;
    }
    EXPECT_GT(rewritten, at_least(1000));
}

TEST(NormalizerTable, HasOneOfEachNumber) {
    const PassNormal pass = kernel_named("", 0)->texts->pass_normal;
    struct {
        layout::NormalizerProgram head;
        layout::NormalizerStep step;
    } const program = {{1, {}}, {layout::kStepLowercase, 0, 0, 0, 0, 0}};
    for (u32 number = 0; number <= layout::kLastNormalizer; ++number) {
        const Normalizer* normalizer = nullptr;
        ASSERT_TRUE(make_normalizer(number, pass, &program.head, &normalizer).ok()) << number;
        EXPECT_EQ(normalizer != nullptr, number == layout::kNfc || number == layout::kProgramNormalizer);
        EXPECT_EQ(std::string(normalizer_name(number)).empty(), number == layout::kNoNormalizer);
        delete normalizer;
    }
}

}  // namespace
}  // namespace crayon::test::normalizing_test

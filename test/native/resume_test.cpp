// A text is resumed where a mark allows it: whatever follows the bytes that had been fed, the ids up to the mark are those of the
// whole text, and an encoder that begins there finds the rest.
#include "parallel_texts.h"
#include "share.h"

namespace crayon::test::resume_test {
namespace {

// Feeds bytes, in windows, that the text goes on after; reads the ids that are settled.
std::uint32_t feed_part(crayon_encoder* encoder, std::string_view part, Random& random, std::vector<std::uint32_t>& ids) {
    crayon_result result{};
    std::vector<std::uint32_t> some(1 << 10);
    for (std::size_t at = 0; at < part.size();) {
        const std::size_t length = std::min(1 + random.below(40), part.size() - at);
        crayon_encoder_feed_utf8(encoder, bytes_of(part) + at, static_cast<std::uint32_t>(length), 0, &result);
        at += length;
        do {
            if (crayon_encoder_read(encoder, some.data(), 1 << 10, &result) != CRAYON_OK) return result.status;
            ids.insert(ids.end(), some.begin(), some.begin() + result.count);
        } while (result.more);
    }
    return CRAYON_OK;
}

// Resumes at the mark and encodes the rest of the text.
Encoded encode_rest(crayon_encoder* encoder, std::string_view text, std::uint64_t position, const Policy& policy,
                    std::vector<std::uint32_t> ids) {
    Encoded encoded;
    crayon_result result{};
    std::vector<std::uint32_t> some(1 << 10);
    crayon_encoder_begin(encoder, policy.special, policy.allowed.data(), static_cast<std::uint32_t>(policy.allowed.size()),
                         &result);
    EXPECT_EQ(crayon_encoder_resume(encoder, static_cast<std::uint32_t>(position), 0, &result), CRAYON_OK);
    crayon_encoder_feed_utf8(encoder, bytes_of(text) + position, static_cast<std::uint32_t>(text.size() - position), 1, &result);
    do {
        if (crayon_encoder_read(encoder, some.data(), 1 << 10, &result) != CRAYON_OK) {
            encoded.status = result.status;
            encoded.position = result.position;
            return encoded;
        }
        ids.insert(ids.end(), some.begin(), some.begin() + result.count);
    } while (result.more);
    encoded.ids = std::move(ids);
    encoded.offsets.push_back(static_cast<std::uint32_t>(encoded.ids.size()));
    return encoded;
}

class ResumeTest : public testing::TestWithParam<TokenizerKind> {};

TEST_P(ResumeTest, AMarkHoldsForEveryTextThatBeginsWithTheBytesFed) {
    std::uint64_t resumed = 0;
    for (std::uint64_t seed = 1; seed <= sample(80); ++seed) {
        Random random(seed);
        const RandomTokenizer random_tokenizer(random, GetParam());
        Tokenizing first(random_tokenizer.cartridge), second(random_tokenizer.cartridge);
        for (int i = 0; i < 20; ++i) {
            const Policy policy = random_policy(random, random_tokenizer.added);
            const std::string part = nasty_text(random, random.below(150), random_tokenizer.added);
            crayon_result result{};
            std::vector<std::uint32_t> ids;
            crayon_encoder_begin(first.encoder(), policy.special, policy.allowed.data(),
                                 static_cast<std::uint32_t>(policy.allowed.size()), &result);
            if (feed_part(first.encoder(), part, random, ids) != CRAYON_OK) continue;
            ASSERT_EQ(crayon_encoder_position(first.encoder(), &result), CRAYON_OK);
            const std::uint64_t position = result.position;
            ASSERT_EQ(position + crayon_encoder_bytes_beyond(first.encoder()), part.size()) << "seed " << seed;
            ASSERT_LE(result.count, ids.size());
            ids.resize(ids.size() - result.count);
            resumed += position > 0;
            for (int other = 0; other < 4; ++other) {
                const std::string text = part + nasty_text(random, random.below(60), random_tokenizer.added);
                const Encoded whole = encode_alone(second.encoder(), {text}, policy);
                ASSERT_EQ(encode_rest(first.encoder(), text, position, policy, ids) == whole, true)
                    << "seed " << seed << ", " << testing::PrintToString(text) << " resumed at " << position << " of "
                    << part.size();
            }
        }
    }
    EXPECT_GT(resumed, sample(80));
}

INSTANTIATE_TEST_SUITE_P(Resume, ResumeTest, testing::ValuesIn(kTokenizerKinds), [](const auto& info) {
    return std::string(info.param.pretokenizer) + (info.param.is_bpe ? "_bpe" : "_longest_match");
});

}  // namespace
}  // namespace crayon::test::resume_test

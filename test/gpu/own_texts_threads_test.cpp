// What the engine encodes in place of a device, on several threads, compared with the naive version: run this under
// ThreadSanitizer.
#include "gpu/own_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generate_text.h"
#include "longest_match_vocabularies.h"
#include "share.h"
#include "threads.h"
#include "tokenizer.h"

namespace crayon::gpu::test::own_texts_threads_test {
namespace {

using crayon::test::MatchVocabulary;
using crayon::test::Random;

class Opened {
public:
    explicit Opened(const MatchVocabulary& vocabulary) {
        const std::string file = crayon::test::compile_matches(vocabulary, crayon::test::Form::kFull);
        crayon_result result;
        EXPECT_EQ(crayon_cartridge_open_bytes(reinterpret_cast<const u8*>(file.data()), file.size(), CRAYON_OPEN_COPY,
                                              &cartridge_, &result),
                  CRAYON_OK);
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result), CRAYON_OK);
    }
    ~Opened() {
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Opened(const Opened&) = delete;
    Tokenizer& tokenizer() { return *reinterpret_cast<Tokenizer*>(tokenizer_); }

private:
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
};

struct Texts {
    std::string bytes;
    std::vector<u64> begins = {0};

    Texts(Random& random, const MatchVocabulary& vocabulary, u64 count, u64 longest) {
        for (u64 i = 0; i < count; ++i) {
            bytes += crayon::test::random_match_text(random, vocabulary, random.one_in(20) ? longest : 40);
            begins.push_back(bytes.size());
        }
    }
    u64 count() const { return begins.size() - 1; }
    std::string_view operator[](u64 i) const { return std::string_view(bytes).substr(begins[i], begins[i + 1] - begins[i]); }
};

Status encode(OwnTexts& own, const Texts& texts, bool keeps_ids, const std::atomic<bool>& cancelled) {
    own.begin(reinterpret_cast<const u8*>(texts.bytes.data()));
    for (u64 i = 0; i < texts.count(); ++i)
        EXPECT_TRUE(own.add(texts.begins[i], texts.begins[i + 1] - texts.begins[i], i % 2 == 0));
    return own.encode(keeps_ids, cancelled);
}

TEST(OwnTexts, HaveTheIdsOfTheNaiveVersion) {
    Threads threads(3);
    const std::atomic<bool> never{false};
    for (u64 number = 0; number < crayon::test::sample(16, 4); ++number) {
        Random random(number + 1);
        const MatchVocabulary vocabulary = crayon::test::random_matches(random, true, false);
        const naive::Matches tokens = vocabulary.matches();
        Opened opened(vocabulary);
        OwnTexts own(opened.tokenizer());
        if (number % 4 > 0) own.use({&threads.pool, number % 4 == 1 ? 1u : 0u});
        for (const u64 count : {u64{0}, u64{1}, u64{100}, random.below(400)}) {
            const Texts texts(random, vocabulary, count, 6'000);
            const bool keeps_ids = !random.one_in(4);
            ASSERT_TRUE(encode(own, texts, keeps_ids, never).ok());
            for (u64 i = 0; i < texts.count(); ++i) {
                const auto expected = naive::longest_matches(texts[i], tokens, vocabulary.unknown);
                const u32* ids = nullptr;
                const OwnTexts::Part& part = own.take(&ids);
                const bool fails =
                    vocabulary.unknown == crayon::test::kNoUnknown &&
                    std::any_of(expected.begin(), expected.end(), [](const auto& each) { return each.is_unknown; });
                ASSERT_EQ(part.status.code, fails ? CRAYON_UNKNOWN_CHARACTER : CRAYON_OK) << "vocabulary " << number << ", " << i;
                if (fails) break;  // the texts after it are not asked for
                ASSERT_EQ(part.ids, expected.size());
                for (u64 k = 0; keeps_ids && k < part.ids; ++k) ASSERT_EQ(ids[k], expected[k].id);
            }
        }
    }
}

TEST(OwnTexts, AreCancelled) {
    Threads threads(2);
    Random random(1);
    const MatchVocabulary vocabulary = crayon::test::random_matches(random, true, false);
    Opened opened(vocabulary);
    const Texts texts(random, vocabulary, 100, 20'000);
    const std::atomic<bool> cancelled{true};
    for (const Helpers& helpers : {Helpers{}, Helpers{&threads.pool, 0}}) {
        OwnTexts own(opened.tokenizer());
        own.use(helpers);
        EXPECT_EQ(encode(own, texts, true, cancelled).code, CRAYON_CANCELLED);
    }
}

}  // namespace
}  // namespace crayon::gpu::test::own_texts_threads_test

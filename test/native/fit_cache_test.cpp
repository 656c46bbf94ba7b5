// What Fit caches beside an encoder: the next part of a text uses it, and the encoder's next text or policy drops it, even if the
// caller does not know about Fit.
#include "encode_stages_texts.h"
#include "fit/fit.h"

namespace crayon::test::fit_cache_test {
namespace {

TEST(FitCache, DropsTheCallerOfATextWithTheNextOne) {
    Tokenizing own(compile(stages_vocabulary(), "cl100k"));
    Encoder& encoder = own.encoder()->encoder;
    FitCache& cache = own.encoder()->fit;
    EXPECT_EQ(cache.passer(), nullptr);
    cache.restart(0, &own);
    EXPECT_EQ(cache.passer(), &own);
    encoder.restart(0);
    EXPECT_EQ(cache.passer(), nullptr);
    cache.restart(0, &own);
    cache.forget_passer();
    EXPECT_EQ(cache.passer(), nullptr);
}

u64 work_of(crayon_encoder& handle, const std::string& text, u32 start, u32* end) {
    const u64 before = handle.fit.work();
    Fit::Part part{};
    EXPECT_TRUE(Fit(handle.fit, {reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), true})
                    .cut(start, 8, 0, &part)
                    .ok());
    *end = part.end;
    return handle.fit.work() - before;
}

// How far a long piece is read determines which of its tokens it is cut after; that depends on the text alone.
TEST(FitCache, EarlierTextsDoNotMatter) {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary.add(std::string(1, static_cast<char>(byte)));
    for (std::size_t length = 2; length <= 128; length *= 2) vocabulary.add(std::string(length, ' '));
    const std::string cartridge = compile(vocabulary, "cl100k");
    std::string words, digits;
    for (int i = 0; i < 300; ++i) words += "a word and ", digits += "1";
    for (const std::size_t length : {900, 1500, 2385}) {
        const std::string spaces(length, ' ');
        Tokenizing fresh(cartridge), used(cartridge);
        u32 expected = 0, end = 0;
        ASSERT_TRUE(fresh.encoder()->encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
        work_of(*fresh.encoder(), spaces, 0, &expected);
        for (const std::string& before : {words, digits, std::string(3000, ' '), words + spaces}) {
            ASSERT_TRUE(used.encoder()->encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
            for (u32 start = 0; start < before.size(); start = end) {
                work_of(*used.encoder(), before, start, &end);
                ASSERT_GT(end, start) << before.size() << " " << before.substr(start, 20);
            }
            ASSERT_TRUE(used.encoder()->encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
            work_of(*used.encoder(), spaces, 0, &end);
            EXPECT_EQ(end, expected) << length << " spaces, after " << before.size() << " bytes";
        }
    }
}

// The text is changed in place: cached facts are valid only until the next text begins.
TEST(FitCache, KeepsATextUntilTheNextOneBegins) {
    const std::vector<AddedToken> added = {{"<s>", 1000}};
    Tokenizing own(compile(stages_vocabulary(), "cl100k", added));
    crayon_encoder& handle = *own.encoder();
    Encoder& encoder = handle.encoder;
    std::string text;
    for (std::size_t i = 0; i < 400; ++i) text += "<s>";
    u32 end = 0, again = 0;
    ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
    const u64 first = work_of(handle, text, 0, &end);
    EXPECT_EQ(end, 24u);
    EXPECT_LT(work_of(handle, text, end, &again), first) << "the next part reads everything again";
    EXPECT_EQ(again, 48u);

    // Another text in the same memory.
    for (char& byte : text) byte = 'z';
    ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
    Tokenizing fresh(compile(stages_vocabulary(), "cl100k", added));
    ASSERT_TRUE(fresh.encoder()->encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
    u32 expected = 0;
    work_of(*fresh.encoder(), text, 0, &expected);
    work_of(handle, text, 0, &end);
    EXPECT_EQ(end, expected);

    // Another policy: the same bytes encode to other tokens.
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = "<s>"[i % 3];
    ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
    work_of(handle, text, 0, &end);
    EXPECT_EQ(end, 24u);
    ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0).ok());
    ASSERT_TRUE(fresh.encoder()->encoder.begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0).ok());
    work_of(*fresh.encoder(), text, 0, &expected);
    work_of(handle, text, 0, &end);
    EXPECT_EQ(end, expected);
    EXPECT_NE(end, 24u);
}

}  // namespace
}  // namespace crayon::test::fit_cache_test
